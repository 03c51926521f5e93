"""A `View` as plain arrays, and the compiled encoder that takes them."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rummikub_env import sets
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
from rummikub_env.state import MoveKind, View
from rummikub_env.tiles import Counts

FACTS = ("rack", "spelled", "table", "unseen", "jokers", "opened", "rack_sizes", "pool", "last", "phase")
"""The pieces that are compiled, in the order of the kernel."""

_NUMBERS = {kind: number for number, kind in enumerate(get_args(MoveKind))}


@cache
def encoder() -> Callable[..., None]:
    """`kernels.counts.encode`; it brings numba: a third of a second, when first asked for."""
    from rummikub_env.kernels.counts import encode

    return encode


@lru_cache(maxsize=4096)
def table_counts(rules: RuleSet, table: Table) -> tuple[Counts, Counts]:
    """Tiles on the table (kinds,), and jokers that stand or may stand for each real kind (joker,)."""
    tiles = rules.tiles
    standing = np.zeros(tiles.joker, np.uint8)
    for laid in table:
        if max(laid) >= tiles.joker:
            for identity in sets.identities(rules, laid):
                standing[list(identity)] += 1
    return tiles.count([piece for laid in table for piece in laid]), standing


def public(view: View) -> NDArray[np.int32]:
    """What everybody sees but the table, (5 + 4 players,) int32, in the order of the kernel."""
    numbers = [view.to_move, view.passes, view.turn, view.pool_size, view.outcome is not None]
    numbers += view.opened
    numbers += view.rack_sizes
    for move in view.last:
        numbers += (-1, 0) if move is None else (_NUMBERS[move.kind], move.tiles)
    return np.array(numbers, np.int32)


def step_of(rules: RuleSet) -> int:
    """From the number of a seat to that of the next one to play: 1, or -1."""
    return 1 if rules.direction == "clockwise" else -1
