"""Where the time of a decision goes: recorded games of env() played again, each layer by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rummikub_env import rummikub_v0
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import Watch
from rummikub_env.bench.playing import play
from rummikub_env.bench.positions import CODEC, RULES, SEED
from rummikub_env.bench.report import Row, Share
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.observations import observation_of
from rummikub_env.state import State

STEP, OBSERVE, ENV = "Tables.step: act, arrange, mask", "Tables.observe: a vector", "env: last, step, infos, rewards"
PARTS = (STEP, OBSERVE, ENV)


class Recorded(NamedTuple):
    """A game of random play between two."""

    seed: int
    start: State
    actions: list[int]


def profile(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """The parts of a decision of env(), two players; what the env itself takes is what is left over."""
    env = rummikub_v0.env()
    games = [_record(env, seed) for seed in range(max(6, amounts.games))]
    tables = Tables(CODEC, observation_of("counts", RULES, 2), 1)
    spent = dict.fromkeys(PARTS, 0.0)
    for game in games:
        stepping, observing = _in_tables(tables, game)
        spent[ENV] += _in_env(env, game) - stepping
        spent[STEP] += stepping
        spent[OBSERVE] += observing
    spent[STEP] -= spent[OBSERVE]  # it observes once, too
    decisions, whole = sum(len(game.actions) for game in games), sum(spent.values())
    for part in PARTS:
        yield Share(part, 1e6 * spent[part] / decisions, spent[part] / whole)
    yield Share("a decision of random play", 1e6 * whole / decisions, 1.0)


def _record(env: rummikub_v0.raw_env, seed: int) -> Recorded:
    actions = play(env, seed, np.random.default_rng((SEED, seed)))
    env.reset(seed=seed)
    return Recorded(seed, env.game_state, actions)


def _in_env(env: rummikub_v0.raw_env, game: Recorded) -> float:
    """The seconds of the whole loop."""
    env.reset(seed=game.seed)
    watch = Watch()
    with watch:
        for action in game.actions:
            env.last()
            env.step(action)
    return watch.cpu


def _in_tables(tables: Tables, game: Recorded) -> tuple[float, float]:
    """The seconds of all steps without an env, and of one more observation after each."""
    tables.put(0, begin(CODEC, game.start))
    stepping, observing = Watch(), Watch()
    for action in game.actions:
        chosen = np.array([action])
        with stepping:
            tables.step(chosen)
        with observing:
            tables.observe(0, 0)
    return stepping.cpu, observing.cpu
