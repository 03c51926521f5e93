"""Where the time of a decision goes: the parts of a recorded loop of env(), each timed by itself."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from rummikub_env import rummikub_v0, solver
from rummikub_env.actions import TilesDraft
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import forget
from rummikub_env.bench.playing import play
from rummikub_env.bench.positions import CODEC, RULES, SEED
from rummikub_env.bench.report import Row, Share
from rummikub_env.game import Play, advance
from rummikub_env.observations import observation_of
from rummikub_env.state import State, view

T = TypeVar("T")

MASK, ARRANGE, CODING = "mask: solver.playable", "arrange: solver.arrange", "codec: drafts, masks, moves"
ADVANCE, OBSERVE, ENV = "game.advance", "observe: view, encoder", "env: last, step, infos, rewards"
PARTS = (MASK, ARRANGE, CODING, ADVANCE, OBSERVE, ENV)

Spent = dict[str, float]
"""The seconds of each part."""


class Recorded(NamedTuple):
    """A game of random play between two."""

    seed: int
    start: State
    actions: list[int]


class Asked(NamedTuple):
    """A question to the solver."""

    part: str
    ask: Callable[[], object]


def profile(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """The parts of a decision of env(), two players; what the env itself takes is what is left over."""
    env = rummikub_v0.env()
    games = [_record(env, seed) for seed in range(max(6, amounts.games))]
    spent: Spent = dict.fromkeys(PARTS, 0.0)
    for game in games:
        forget(_arrange)  # before each pass, so that all find the same
        _play_again(env, game, spent)
        forget(_arrange)
        asked = list(_in_parts(game, spent))
        forget(_arrange)
        for question in asked:
            _timed(spent, question.part, question.ask)
    spent[CODING] -= spent[MASK] + spent[ARRANGE]  # it asked for both
    spent[ENV] -= sum(spent[part] for part in PARTS if part != ENV)
    decisions, whole = sum(len(game.actions) for game in games), sum(spent.values())
    for part in PARTS:
        yield Share(part, 1e6 * spent[part] / decisions, spent[part] / whole)
    yield Share("a decision of random play", 1e6 * whole / decisions, 1.0)


def _arrange() -> object:
    """K4 beside K1 K2 K3."""
    return solver.arrange(RULES, ((0, 1, 2),), RULES.tiles.count([3]), True)


def _record(env: rummikub_v0.raw_env, seed: int) -> Recorded:
    actions = play(env, seed, np.random.default_rng((SEED, seed)))
    env.reset(seed=seed)
    return Recorded(seed, env.game_state, actions)


def _play_again(env: rummikub_v0.raw_env, game: Recorded, spent: Spent) -> None:
    """The whole loop."""
    env.reset(seed=game.seed)
    for action in game.actions:
        _timed(spent, ENV, env.last)
        _timed(spent, ENV, env.step, action)


def _in_parts(game: Recorded, spent: Spent) -> Iterator[Asked]:
    """The same without an env; yields what the solver is asked."""
    encoder = observation_of("counts", RULES, 2)
    state, draft = game.start, None
    for action in game.actions:
        if draft is None:
            seen = _timed(spent, OBSERVE, view, state, state.to_move)
            draft = _timed(spent, CODING, CODEC.begin, seen)
        _timed(spent, CODING, CODEC.mask, draft)
        _timed(spent, OBSERVE, encoder.encode, draft.view, draft)
        yield from _mask_of(draft)
        step = _timed(spent, CODING, CODEC.step, draft, action)
        if isinstance(step, TilesDraft):
            draft = step
            continue
        if isinstance(step, Play):
            yield _arrangement_of(draft)
        state, draft = _timed(spent, ADVANCE, advance, state, step), None


def _mask_of(draft: TilesDraft) -> Iterator[Asked]:
    """What the codec asks for the mask of a draft, if anything can follow."""
    rules, table, opened = draft.view.rules, draft.view.table, draft.view.opened[draft.view.seat]
    spelled = draft.spelled if draft.size else None
    if spelled is None or (draft.rack > spelled).any():
        yield Asked(MASK, lambda: solver.playable(rules, table, draft.rack, opened, spelled))


def _arrangement_of(draft: TilesDraft) -> Asked:
    rules, table, opened = draft.view.rules, draft.view.table, draft.view.opened[draft.view.seat]
    return Asked(ARRANGE, lambda: solver.arrange(rules, table, draft.spelled, opened))


def _timed(spent: Spent, part: str, do: Callable[..., T], *arguments: object) -> T:
    """Do it, and add the seconds of computing that it takes to its part."""
    began = time.process_time()
    result = do(*arguments)
    spent[part] += time.process_time() - began
    return result
