"""What the student sees of a turn and of each candidate in it.

A `Choice` is all that is kept of a decision, in a few bytes; the planes and numbers that the network reads are made of
it when they are needed. Colours are alike: no number depends on which colour is which, and the planes of permuted
colours are permuted planes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.state import View, table_counts
from rummikub_env.tiles import TileSet

SEATS = 6
"""Room for so many players; who is not there is all 0."""
SIZES = 10
"""Racks of 0, 1, ... tiles are told apart, up to so many less one."""
KINDS = ("draw", "pass", "play", "timeout")
OF_SEAT = SIZES + len(KINDS) + 4
TURN = (SEATS - 1) * OF_SEAT + SEATS + 2
"""Where the number of the turn stands among the facts."""
POOL = 10
"""A pool of 0, 1, ... tiles is told apart, up to so many less one."""
FACTS = (SEATS - 1) * OF_SEAT + SEATS + 3 + SEATS + POOL
PLANES = 11
NUMBERS = 2 * SIZES + 9


class Choice(NamedTuple):
    """A decision: what lies where, and what could be played."""

    rack: NDArray[np.uint8]
    """(kinds,)"""
    table: NDArray[np.uint8]
    """(kinds,)"""
    facts: NDArray[np.float16]
    """(FACTS,): what is known of the other seats and of the round."""
    counts: NDArray[np.uint8]
    """(n, kinds): the candidates; one deviates from the first."""


def choice_of(view: View, counts: NDArray[np.uint8]) -> Choice:
    """The decision of the seat on turn between `counts`, (n, kinds) uint8."""
    return Choice(view.rack, table_counts(view.rules.tiles, view.table), _facts(view), counts)


def _facts(view: View) -> NDArray[np.float16]:
    """(FACTS,): the other seats in the order of their turns, the number of players, the round."""
    step = 1 if view.rules.direction == "clockwise" else -1
    others = [(view.seat + step * i) % view.players for i in range(1, view.players)]
    facts = np.zeros(FACTS, np.float16)
    for i, seat in enumerate(others):
        facts[i * OF_SEAT : (i + 1) * OF_SEAT] = _of_seat(view, seat)
    end = (SEATS - 1) * OF_SEAT
    facts[end + view.players - 1] = 1
    rest, few = np.zeros(SEATS), np.zeros(POOL)
    rest[view.pool_size % view.players] = 1  # who finds the pool empty if all draw
    few[min(view.pool_size, POOL - 1)] = 1
    facts[end + SEATS :] = view.opened[view.seat], view.pool_size / 100, view.turn / (16 * view.players), *rest, *few
    return facts


def _of_seat(view: View, seat: int) -> list[float]:
    """The OF_SEAT numbers of another seat: it is there, its rack, has it opened, what it did last."""
    size, last = view.rack_sizes[seat], view.last[seat]
    sizes = [float(min(size, SIZES - 1) == i) for i in range(SIZES)]
    did = [float(last is not None and last.kind == kind) for kind in KINDS]
    return [1.0, size / 14, float(view.opened[seat]), 0.0 if last is None else last.tiles / 5, *sizes, *did]


class Inputs(NamedTuple):
    """What the network reads, a row for each candidate of some decisions."""

    planes: NDArray[np.float32]
    """(n, colours, values, PLANES): the real tiles."""
    numbers: NDArray[np.float32]
    """(n, NUMBERS + FACTS)"""


def inputs_of(tiles: TileSet, choices: Sequence[Choice]) -> Inputs:
    """The inputs for all candidates of all choices, one after the other."""
    sizes = [len(choice.counts) for choice in choices]
    rack, table, facts = (np.repeat(np.stack(rows), sizes, axis=0) for rows in list(zip(*choices, strict=True))[:3])
    base = np.repeat(np.stack([choice.counts[0] for choice in choices]), sizes, axis=0)
    counts = np.concatenate([choice.counts for choice in choices])
    first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes) == np.arange(len(counts))
    unseen = tiles.full - rack - table
    left, laid = rack - counts, table + counts
    parts = (rack, table, left, laid)
    layers = (*(part > n for part in parts for n in (0, 1)), unseen / 2, counts, base)
    planes = np.stack([layer[:, : tiles.joker] for layer in layers], axis=-1).astype(np.float32)
    numbers = np.concatenate([_numbers(tiles, left, counts, base, table), first[:, None], facts], axis=1)
    shape = (len(counts), len(tiles.colours), tiles.values, PLANES)
    return Inputs(planes.reshape(shape), numbers.astype(np.float32))


def _numbers(
    tiles: TileSet,
    left: NDArray[np.uint8],
    counts: NDArray[np.uint8],
    base: NDArray[np.uint8],
    table: NDArray[np.uint8],
) -> NDArray[np.float32]:
    """(n, NUMBERS - 1): how much each candidate lays and leaves, and how much the base play would."""
    values = np.append(np.tile(np.arange(1, tiles.values + 1), len(tiles.colours)), 0)
    laid, stays = counts.sum(axis=1, dtype=np.int64), left.sum(axis=1, dtype=np.int64)
    ahead = base.sum(axis=1, dtype=np.int64)
    shares = (laid / 5, counts @ values / 50, stays / 14, left @ values / 100)
    numbers = (*shares, laid == 0, counts[:, -1], left[:, -1], table[:, -1])
    short = (np.minimum(size, SIZES - 1) for size in (stays, ahead))
    one_hot = (np.eye(SIZES, dtype=np.float32)[size] for size in short)
    return np.concatenate([np.stack(numbers, axis=1, dtype=np.float32), *one_hot], axis=1)
