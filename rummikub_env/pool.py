"""The pool: tiles that can be told apart, in the order in which they are drawn, and its text.

A pool is a (1, n) or (players, n) int16 array of tile ids, each row a permutation of the n tiles that are left. A
seat draws the first tile of its row; one row is a stack that all share. Copy c of a kind has the id
``kind * copies + c``, the joker's ids come last.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rummikub_env.tiles import Counts, TileSet

Ids = NDArray[np.int16]
"""Tile ids."""


def tile_kinds(tiles: TileSet, ids: Ids) -> NDArray[np.int16]:
    """The kinds of tile ids, in the same shape."""
    return np.minimum(ids // tiles.copies, tiles.joker).astype(np.int16)


def count_ids(tiles: TileSet, ids: Ids) -> Counts:
    """(kinds,) uint8: how many tiles of each kind are among the ids."""
    return np.bincount(tile_kinds(tiles, ids), minlength=tiles.kinds).astype(np.uint8)


def stack(tiles: TileSet, kinds: Sequence[int]) -> Ids:
    """(1, n) int16: a pool that all seats share, to be drawn from the first of `kinds` on.

    Copies are numbered from the bottom of the stack, so that equal stacks stay equal as they are drawn.
    """
    seen: Counter[int] = Counter()
    ids = []
    for kind in reversed(kinds):
        ids.append(kind * tiles.copies + seen[kind])
        seen[kind] += 1
    order = np.array([ids[::-1]], np.int16)
    order.flags.writeable = False
    return order


# Text


def pool_text(tiles: TileSet, orders: Ids) -> str:
    """``pool`` and the shared stack, or ``pools`` and the order of each seat with the copies told apart."""
    kinds = tile_kinds(tiles, orders)
    if len(orders) == 1:
        return "pool " + tiles.join(kinds[0].tolist())
    copies = orders - kinds * tiles.copies
    return "pools " + " / ".join(
        " ".join(f"{tiles.text(kind)}{_COPIES[copy]}" for kind, copy in zip(*row, strict=True))
        for row in zip(kinds.tolist(), copies.tolist(), strict=True)
    )


_COPIES = "abcdefghijklmnopqrstuvwxyz"


def parse_pool(tiles: TileSet, text: str) -> Ids:
    """The stack that ``pool`` tells."""
    return stack(tiles, tiles.parse_all(text))


def parse_pools(tiles: TileSet, text: str) -> Ids:
    """The orders that ``pools`` tells."""
    rows = [_parse_ids(tiles, row) for row in text.split("/")]
    if any(sorted(row) != sorted(set(rows[0])) for row in rows):
        raise ValueError("pools: each seat must have the same tiles, in its own order")
    orders = np.array(rows, np.int16)
    orders.flags.writeable = False
    return orders


def _parse_ids(tiles: TileSet, text: str) -> list[int]:
    ids = []
    for word in text.split():
        if word[-1] not in _COPIES:
            raise ValueError(f"{word!r} in pools: write the tile and its copy, as in R7a or Jb")
        kind, copy = tiles.parse(word[:-1]), _COPIES.index(word[-1])
        if copy >= tiles.full[kind]:
            raise ValueError(f"{word!r} in pools: the game has {tiles.full[kind]} copies of {word[:-1]}")
        ids.append(kind * tiles.copies + copy)
    return ids
