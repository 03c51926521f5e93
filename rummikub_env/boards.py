"""A table as the kernels see it: a row of pieces for each set, and what is read from them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rummikub_env.kernels import boards
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
from rummikub_env.terms import terms_of

Rows = NDArray[np.int16]
"""(sets, n) int16, as long as the longest set and one more: the pieces of each set, -1 behind the last one."""


@dataclass(frozen=True, eq=False)
class Board:
    """What the sweeps need to know of a table, before anything is played. All arrays are read-only."""

    rows: Rows
    """Room for as many sets as there can be."""
    n: int
    """The number of sets."""
    counts: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind."""
    jokers: NDArray[np.int64]
    """(4, 3): see `kernels.boards.read_sets`."""
    n_jokers: int
    old_ends: NDArray[np.int64]
    """(4, values + 5): see `kernels.boards.read_old_sets`."""
    old_groups: NDArray[np.int64]
    """(values,): the same."""
    joker_sets: Table
    """The sets that hold jokers."""


@lru_cache(maxsize=4096)
def board(rules: RuleSet, table: Table) -> Board:
    """What the sweeps need to know of a resolved table."""
    terms, joker = terms_of(rules), rules.tiles.joker
    rows = rows_of(rules, table)
    counts, jokers = np.zeros(joker, np.int64), np.zeros((boards.MOST_JOKERS, 3), np.int64)
    old_ends, old_groups = np.empty((4, rules.max_value + 5), np.int64), np.empty(rules.max_value, np.int64)
    n_jokers = boards.read_sets(terms, rows, len(table), counts, jokers)
    boards.read_old_sets(terms, rows, len(table) if n_jokers and terms.new_sets else 0, old_ends, old_groups)
    joker_sets = tuple(pieces for pieces in table if max(pieces) >= joker) if n_jokers else ()
    return Board(rows, len(table), counts, jokers, n_jokers, old_ends, old_groups, joker_sets)


def rows_of(rules: RuleSet, table: Table) -> Rows:
    """The table as rows, with room for all tiles of the game."""
    width = max(rules.max_value, rules.max_group_size) + 1
    rows = np.full((rules.tiles.total // rules.min_set_size + 1, width), -1, np.int16)
    if table:
        rows[: len(table)] = [pieces + (-1,) * (width - len(pieces)) for pieces in table]
    return rows


def table_of(rows: Rows) -> Table:
    """The table whose sets are these rows."""
    return tuple(tuple(piece for piece in row if piece >= 0) for row in rows.tolist())
