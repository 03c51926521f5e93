"""Speeds of this project on this machine: ``rummikub bench``. Everything is measured in one thread.

Positions and games are seeded, so that two runs time the same questions. All of it runs once before the
clock starts: what is measured is compiled.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from rummikub_env import rummikub_v0, solver
from rummikub_env.actions import Mask, TilesCodec, TilesDraft
from rummikub_env.benchreport import Latency, Rate, Report, machine
from rummikub_env.boards import board
from rummikub_env.cases import read_cases
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.game import Draw, Move, Pass, Play, advance
from rummikub_env.objectives import weights
from rummikub_env.rules import rules_of
from rummikub_env.sets import Table
from rummikub_env.state import State, deal, view
from rummikub_env.tiles import Counts

T = TypeVar("T")

SEED = 7
RULES = rules_of("sabra")
CODEC = TilesCodec(RULES)
TABLES = 64
"""Tables of the vector env."""


class Amounts(NamedTuple):
    """How much is measured."""

    games: int
    """Games of each sort whose positions are put to the solver."""
    loops: int
    """Games in the loop of the env, for each number of players."""
    steps: int
    """Steps of the vector env."""
    starts: int
    """Fresh processes for each time of a start."""


FULL, QUICK = Amounts(games=12, loops=200, steps=1000, starts=7), Amounts(3, 10, 50, 2)


def measure(quick: bool = False, files: Sequence[str | PathLike[str]] = ()) -> Report:
    """Measure all; `files` of cases are timed as well. ValueError for a file that holds no cases."""
    facts, amounts = machine(), QUICK if quick else FULL
    cases = {f"a case of {Path(path).name}": list(read_cases(path)) for path in files}
    questions = [question for number in range(amounts.games) for question in game(number)]
    latencies = [
        *(_latency(name, ask, questions) for name, ask in OPERATIONS.items()),
        _latency("arrange the best play", _arrange, [q for q in questions if q.best is not None]),
        *(_latency(name, lambda case: case.run(), found) for name, found in cases.items()),
        _cloning(questions),
        *(_start(name, code, amounts.starts) for name, code in STARTS.items()),
    ]
    rates = [*(_env_loop(players, amounts.loops) for players in (2, 4)), _vector_loop(amounts.steps)]
    return Report(facts, quick, tuple(latencies), tuple(rates))


# Questions to the solver


class Question(NamedTuple):
    """A turn, as the solver is asked about it."""

    state: State
    table: Table
    rack: Counts
    opened: bool
    best: Counts | None
    """The tiles of the best play; None if there is no play."""


def game(number: int) -> Iterator[Question]:
    """The turns of a greedy and of a random game; one game after the other has 2, 3, 4, 2, ... players."""
    for greedy in (True, False):
        rng = np.random.default_rng((SEED, number, greedy))
        state = deal(RULES, 2 + number % 3, rng)
        while state.outcome is None:
            question = _question(state)
            yield question
            state = advance(state, _greedy_move(question) if greedy else _random_move(state, rng))


def _question(state: State) -> Question:
    rack, opened = state.racks[state.to_move], state.opened[state.to_move]
    best = solver.best_play(RULES, state.table, rack, opened, weights(RULES, "tiles"))
    return Question(state, state.table, rack, opened, best)


def _greedy_move(question: Question) -> Move:
    table = _arrange(question)
    if table is None or question.best is None:
        return Draw() if question.state.pool_size else Pass()
    return Play(table, RULES.tiles.listed(question.best))


def _random_move(state: State, rng: np.random.Generator) -> Move:
    step: TilesDraft | Move = CODEC.begin(view(state, state.to_move))
    while isinstance(step, TilesDraft):
        step = CODEC.step(step, _any(CODEC.mask(step), rng))
    return step


def _any(mask: Mask, rng: np.random.Generator) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(legal.size)])


def _mask(question: Question) -> object:
    return solver.playable(RULES, question.table, question.rack, question.opened)


def _best_play(question: Question) -> object:
    return solver.best_play(RULES, question.table, question.rack, question.opened, weights(RULES, "tiles"))


def _plays(question: Question) -> object:
    return solver.plays(RULES, question.table, question.rack, question.opened)


def _arrange(question: Question) -> Table | None:
    if question.best is None:
        return None
    return solver.arrange(RULES, question.table, question.best, question.opened)


OPERATIONS: Mapping[str, Callable[[Question], object]] = {
    "exact mask of a turn": _mask,
    "best play": _best_play,
    "all plays, 10,000 at most": _plays,
}


def _latency(name: str, ask: Callable[[T], object], questions: Sequence[T]) -> Latency:
    """Ask all questions, twice: the first time compiles what is not compiled yet."""
    for question in questions:
        ask(question)
    board.cache_clear()
    seconds = []
    for question in questions:
        began = time.perf_counter()
        ask(question)
        seconds.append(time.perf_counter() - began)
    return Latency.of(name, "us", seconds)


# Environments


def _cloning(questions: Sequence[Question]) -> Latency:
    """Clones of games of two that are on."""
    env = rummikub_v0.env()
    seconds = []
    for question in questions:
        if question.state.players == 2:
            env.reset(seed=0, options={"state": question.state})
            began = time.perf_counter()
            env.clone()
            seconds.append(time.perf_counter() - began)
    return Latency.of("clone a running env", "us", seconds)


def _env_loop(players: int, games: int) -> Rate:
    """Random legal play in the PettingZoo loop: `last`, choose, `step`."""
    env = rummikub_v0.env(num_players=players)
    _play(env, 0, np.random.default_rng(SEED))
    rng, decisions = np.random.default_rng(SEED), 0
    wall, cpu = time.perf_counter(), time.process_time()
    for seed in range(1, games + 1):
        decisions += _play(env, seed, rng)
    return Rate.of(f"env() loop, {players} players", decisions, time.process_time() - cpu, time.perf_counter() - wall)


def _play(env: rummikub_v0.raw_env, seed: int, rng: np.random.Generator) -> int:
    """Play a game; the number of decisions in it."""
    env.reset(seed=seed)
    decisions = 0
    for _ in env.agent_iter():
        observed, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            env.step(_any(observed["action_mask"], rng))
            decisions += 1
    return decisions


def _vector_loop(steps: int) -> Rate:
    """Random legal play at many tables of two side by side."""
    env = VectorEnv(TABLES, num_players=2, seed=SEED)
    rng, batch = np.random.default_rng(SEED), env.reset()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        masks = batch.action_masks
        batch = env.step((masks * rng.random(masks.shape)).argmax(axis=1))
    return Rate.of(
        f"VectorEnv, {TABLES} tables of 2",
        steps * TABLES,
        time.process_time() - cpu,
        time.perf_counter() - wall,
    )


# Starts

STARTS: Mapping[str, str] = {
    "import the game": "from rummikub_env import State",
    "import rummikub_v0": "from rummikub_env import rummikub_v0",
    "import, reset, first mask": (
        "from rummikub_env import rummikub_v0; env = rummikub_v0.env(); env.reset(seed=0); env.last()"
    ),
}
"""What a fresh process does first; PyTorch is never among it."""


def _start(name: str, code: str, times: int) -> Latency:
    """The time that `code` takes in a process of its own, that of Python's own start not included."""
    program = (
        f"import sys, time; began = time.perf_counter(); {code}; seconds = time.perf_counter() - began; "
        "assert 'torch' not in sys.modules; print(seconds)"
    )
    command = [sys.executable, "-c", program]
    told = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(times + 1)]
    return Latency.of(name, "ms", [float(done.stdout) for done in told[1:]])
