"""Speeds of the environments and of whole games."""

import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from rummikub_env import rummikub_v0
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import Watch, latency
from rummikub_env.bench.positions import CODEC, RULES, SEED, any_of, game, games
from rummikub_env.bench.report import Rate, Row
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.observations import observation_of
from rummikub_env.policy import Policy
from rummikub_env.rollouts import play_out
from rummikub_env.state import State, deal

TABLES = (1, 64, 1024)
"""Tables of the vector env."""
GAMES = 20
"""Games that are played out at once."""
FIRST_STEPS = 4
"""Steps that are not timed, after which the tables are in all stages of a turn, too."""


def env_loops(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """Random legal play in the PettingZoo loop: last, choose, step."""
    for players in (2, 4):
        env, rng = rummikub_v0.env(num_players=players), np.random.default_rng(SEED)
        play(env, 0, rng)
        watch, actions = Watch(), Counter[int]()
        seed = 1
        while watch.wall < amounts.seconds:
            with watch:
                actions.update(play(env, seed, rng))
            seed += 1
        name = f"env(), {players} players"
        yield watch.rate(name, "decisions", actions.total())
        yield watch.rate(name, "turns", actions[CODEC.end])


def play(env: rummikub_v0.raw_env, seed: int, rng: np.random.Generator) -> list[int]:
    """Play a game; the actions in it."""
    env.reset(seed=seed)
    actions = []
    for _ in env.agent_iter():
        observed, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            actions.append(any_of(observed["action_mask"], rng))
            env.step(actions[-1])
    return actions


def vector_loops(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """Random legal play at many tables of two side by side, at all stages of the game; the choice is not timed."""
    for tables in TABLES:
        yield from vector_rates(tables, amounts.seconds, amounts.games)
    yield from vector_rates(TABLES[-1], amounts.seconds, amounts.games, os.cpu_count() or 1)


def vector_rates(tables: int, seconds: float, n_games: int, threads: int = 1) -> tuple[Rate, Rate]:
    """Decisions and turns of a vector env that plays for so long, from turns of random games."""
    env, rng = VectorEnv(tables, num_players=2, threads=threads, seed=SEED), np.random.default_rng(SEED)
    states = _random_states(n_games)
    chosen = rng.integers(len(states), size=tables).tolist()
    env.set_state(
        [{**table, "state": states[i].text(), "actions": []} for table, i in zip(env.get_state(), chosen, strict=True)]
    )
    watch, turns, steps, batch = Watch(), 0, -FIRST_STEPS, env.observe()
    while watch.wall < seconds or steps < 3:
        actions = (batch.action_masks * rng.random(batch.action_masks.shape, np.float32)).argmax(axis=1)
        if steps < 0:
            batch = env.step(actions)
        else:
            with watch:
                batch = env.step(actions)
            turns += int((actions == CODEC.end).sum())
        steps += 1
    name = f"VectorEnv, {tables:,} table{'s' * (tables > 1)} of 2" + f", {threads} threads" * (threads > 1)
    return watch.rate(name, "decisions", steps * tables), watch.rate(name, "turns", turns)


@cache
def _random_states(n_games: int) -> list[State]:
    """The states of so many random games of two."""
    return [moment.state for seed in range(n_games) for moment in game(2, seed, greedy=False)]


def greedy_games(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """Whole games between two that lay as many tiles as they can, in compiled code."""
    watch, turns, seed = Watch(), 0, 0
    tables = Tables(CODEC, observation_of("counts", RULES, 2), GAMES)
    _play_out(tables, seed)
    while watch.wall < amounts.seconds:
        seed += GAMES
        with watch:
            turns += _play_out(tables, seed)
    name = "greedy games, 2 players"
    yield from (watch.rate(name, "games", seed), watch.rate(name, "turns", turns))


def _play_out(tables: Tables, seed: int) -> int:
    """Deal games and play them to their end; the number of turns."""
    for table in range(GAMES):
        tables.put(table, begin(CODEC, deal(RULES, 2, seed + table)))
    return int(play_out(tables, [Policy(), Policy()]).turns.sum())


def clones(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """Clones of games of two that are on."""
    env = rummikub_v0.env()
    moments = games(2, max(1, amounts.games // 3))

    def envs() -> Iterator[rummikub_v0.raw_env]:
        for moment in moments:
            env.reset(seed=0, options={"state": moment.state})
            yield env.clone()

    yield latency("clone a running env", lambda running: running.clone(), list(envs()))
