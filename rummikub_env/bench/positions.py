"""The positions that are put to the solver: of seeded games, of the case files, and made to measure."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rummikub_env import solver
from rummikub_env.actions import Mask, TilesCodec, TilesDraft
from rummikub_env.game import Move, Play, advance, idle
from rummikub_env.objectives import weights
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.sets import Set, Table, resolve_table, windows
from rummikub_env.state import State, deal, view
from rummikub_env.tiles import Counts

SEED = 7
RULES = rules_of("sabra")
FREE_JOKERS = rules_of(RULES, {"joker_release": "free"})
CODEC = TilesCodec(RULES)


class Turn(NamedTuple):
    """What the solver is asked about: the first arguments of its functions."""

    rules: RuleSet
    table: Table
    rack: Counts
    opened: bool


# Games


class Moment(NamedTuple):
    """A turn of a game."""

    state: State
    turn: Turn
    best: Counts | None
    """The tiles of the best play; None if there is no play."""


def games(players: int, number: int) -> list[Moment]:
    """The turns of so many greedy games and as many random ones."""
    return list(chain(*(game(players, seed, greedy) for seed in range(number) for greedy in (True, False))))


def game(players: int, seed: int, greedy: bool) -> Iterator[Moment]:
    """The turns of a game between players that all lay as many tiles as they can, or any."""
    rng = np.random.default_rng((SEED, players, seed, greedy))
    state = deal(RULES, players, rng)
    while state.outcome is None:
        moment = moment_of(state)
        yield moment
        state = advance(state, greedy_move(moment) if greedy else _random_move(state, rng))


def moment_of(state: State) -> Moment:
    """The turn that is on in a state."""
    turn = Turn(state.rules, state.table, state.racks[state.to_move], state.opened[state.to_move])
    return Moment(state, turn, solver.best_play(*turn, weights(state.rules, "tiles")))


def greedy_move(moment: Moment) -> Move:
    """The best play, laid; else a draw or a pass."""
    rules, table, _, opened = moment.turn
    if moment.best is None:
        return idle(moment.state.pool_size)
    laid = solver.arrange(rules, table, moment.best, opened)
    assert laid is not None
    return Play(laid, rules.tiles.listed(moment.best))


def _random_move(state: State, rng: np.random.Generator) -> Move:
    step: TilesDraft | Move = CODEC.begin(view(state, state.to_move))
    while isinstance(step, TilesDraft):
        step = CODEC.step(step, any_of(CODEC.mask(step), rng))
    return step


def any_of(mask: Mask, rng: np.random.Generator) -> int:
    """One of the actions that a mask allows, each as likely."""
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(legal.size)])


# Case files


class BestPlay(NamedTuple):
    """A position of ``best_play.json``."""

    turn: Turn
    most: int
    """The most tiles that can be played."""
    opening: int | None
    """The most tiles of a first play; None if there is none."""


def best_plays(folder: Path) -> list[BestPlay]:
    """The positions whose best plays are known; OSError where the file is missing."""
    positions = json.loads((folder / "best_play.json").read_text())["positions"]
    return [
        BestPlay(
            Turn(
                FREE_JOKERS,
                resolve_table(FREE_JOKERS, map(tuple, position["table_sets"])),
                RULES.tiles.count(position["rack"]),
                True,
            ),
            position["max_tiles"],
            position["opening_max_tiles"],
        )
        for position in positions
    ]


Answer = tuple[bytes, bool]
"""A mask, one byte a kind, and whether the rack can complete the table."""


class Playable(NamedTuple):
    """A position of ``playable_free_jokers.txt``; counts are (kinds,) uint8."""

    table: Counts
    rack: Counts
    answer: Answer


def playables(folder: Path) -> list[Playable]:
    """The positions whose masks are known; OSError where the file is missing."""
    lines = (folder / "playable_free_jokers.txt").read_text().splitlines()
    fields = [line.split() for line in lines if line and not line.startswith("#")]
    counts = [[np.array(list(digits), np.uint8) for digits in three] for *three, _ in fields]
    return [
        Playable(table, rack, (mask.tobytes(), can_complete == "1"))
        for (table, rack, mask), (*_, can_complete) in zip(counts, fields, strict=True)
    ]


# Made to measure


@cache
def sets_of(rules: RuleSet) -> tuple[Set, ...]:
    """All sets without jokers of which the others are made: runs of 3 to 5 and groups, tiles in ascending order."""
    tiles, colours = rules.tiles, range(len(rules.colours))
    runs = chain(*(windows(rules, length) for length in (3, 4, 5)))
    sizes = range(3, min(rules.max_group_size, len(rules.colours)) + 1)
    groups = (
        tuple(tiles.kind(colour, value) for colour in chosen)
        for value in range(1, rules.max_value + 1)
        for size in sizes
        for chosen in combinations(colours, size)
    )
    return (*runs, *groups)


def made(rules: RuleSet, rng: np.random.Generator, on_table: int, on_rack: int, jokers: int = 0) -> Turn:
    """A table of about `on_table` tiles, and a rack of `on_rack`, `jokers` of them jokers."""
    tiles, words = rules.tiles, sets_of(rules)
    left, table = Counter(dict(enumerate(tiles.full[:-1].tolist()))), []
    for index in np.concatenate([rng.permutation(len(words)) for _ in range(rules.copies_per_tile)]).tolist():
        word = Counter(words[index])
        if word <= left and word.total() <= on_table:
            on_table -= word.total()
            left -= word
            table.append(words[index])
    drawn = rng.permutation(sorted(left.elements()))[: on_rack - jokers]
    return Turn(rules, tuple(table), tiles.count([*drawn.tolist(), *(tiles.joker,) * jokers]), True)
