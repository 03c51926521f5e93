"""The cases of a turn: every fate that the jokers on the table can have together."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.boards import Board
from rummikub_env.frozen import growths
from rummikub_env.kernels import fates
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table
from rummikub_env.terms import terms_of
from rummikub_env.tiles import Counts

Ints = NDArray[np.int64]


class Cases(NamedTuple):
    """n cases: a row or an entry a case."""

    forced: Ints
    """(n, 4, values): the tiles of the rack that must be played, to free jokers or to lie in sets that stay whole."""
    kept: Ints
    """(n, 4, values): the jokers that are tiles, less the tiles that lie in sets that stay whole."""
    wild: Ints
    """(n,): the jokers beside those of the rack that must be laid, less those in sets that stay whole."""
    forced_wild: Ints
    """(n,): the jokers of the rack that must be played."""
    freed: Ints
    """(n,): the jokers of the table that must lie in a new set."""
    first_loose: Ints
    """(n + 1,): where the rows of each case in `loose` begin."""
    loose: Ints
    """(m, 5): jokers that are one of several tiles, see `kernels.plain.sweep`."""


class Fates(NamedTuple):
    """All cases of a turn, and the sets with jokers that lie whole in each and are not rearranged."""

    cases: Cases
    whole: tuple[Table, ...]


def fates_of(rules: RuleSet, old: Board, supply: Ints, spelled: Counts, left: Counts, wild: int = 0) -> Fates:
    """The cases of a turn in which `spelled` is played, and perhaps some of what is `left`.

    A joker is freed by a tile that was spelled or is in `supply`, the real tiles of the whole table, or by one that is
    left and must be played. wild: retrieved jokers that must be laid though none is on the board.
    """
    if old.n_jokers and rules.joker_set_edits == "add_only":
        return _whole_fates(rules, old, supply, spelled, left)
    cases = Cases(*fates.cases_of(terms_of(rules), supply, old.jokers, old.n_jokers, spelled, left, wild))
    return Fates(cases, ((),) * len(cases.freed))


def _whole_fates(rules: RuleSet, old: Board, supply: Ints, spelled: Counts, left: Counts) -> Fates:
    """The cases where sets with jokers stay whole, those that force no tile of the rack first."""
    anywhere = rules.joker_reuse == "any_set"
    at_hand, replacing = spelled.astype(np.int64), spelled.astype(np.int64)
    at_hand[:-1] += old.counts
    replacing[:-1] += supply * (rules.joker_replacement_source == "rack_or_table")
    most = np.stack([at_hand, replacing]) + left
    most[0, -1] += old.n_jokers * anywhere  # a freed joker may lie in a set that stays whole
    used = np.zeros((1, 2, rules.tiles.kinds), np.int64)
    freed, chosen = np.zeros(1, np.int64), np.zeros((1, 0), np.int64)
    for pieces in old.joker_sets:  # one after the other: what takes too much is dropped at once
        uses, frees = _grown(rules, pieces)
        able = np.flatnonzero((uses <= most).all((1, 2)))
        together = (used[:, None] + uses[able]).reshape(-1, *used.shape[1:])
        before, by = np.divmod(np.flatnonzero((together <= most).all((1, 2))), max(1, len(able)))
        used = used[before] + uses[able[by]]
        freed, chosen = freed[before] + frees[able[by]], np.column_stack([chosen[before], able[by]])
    lack = np.maximum(used[:, 0] - at_hand, used[:, 1] - replacing)
    lack[:, -1] -= freed * anywhere
    forced = np.maximum(lack, 0)
    order = np.lexsort((freed, forced.sum(1)))
    order = order[(forced[order] <= left).all(1)]
    grown = [growths(rules, pieces) for pieces in old.joker_sets]
    laid = [[growth[i].laid for growth, i in zip(grown, row, strict=True)] for row in chosen[order].tolist()]
    whole = tuple(tuple(pieces for pieces in row if pieces is not None) for row in laid)
    return Fates(_arrays(rules, forced[order], used[order, 0], freed[order]), whole)


@lru_cache(maxsize=1 << 14)
def _grown(rules: RuleSet, pieces: Set) -> tuple[Ints, Ints]:
    """The `growths` of a set as arrays: what is spent and what is supplied, (n, 2, kinds), and how many are freed."""
    found = growths(rules, pieces)
    uses = [(rules.tiles.count(growth.spent), rules.tiles.count(growth.supplied)) for growth in found]
    return np.array(uses, np.int64), np.array([growth.freed for growth in found], np.int64)


def _arrays(rules: RuleSet, forced: Ints, spent: Ints, freed: Ints) -> Cases:
    """The cases from what is forced and spent in each, (n, kinds), and how many jokers are freed, (n,)."""
    n, joker = len(freed), rules.tiles.joker
    anywhere = rules.joker_reuse == "any_set"  # then a freed joker is a wild one that must be laid
    grids = np.zeros((2, n, 4 * rules.max_value), np.int64)
    grids[:, :, :joker] = forced[:, :-1], -spent[:, :-1]
    forced_grids, kept = grids.reshape(2, n, 4, rules.max_value)
    return Cases(
        forced_grids,
        kept,
        wild=freed * anywhere - spent[:, -1] + forced[:, -1],
        forced_wild=forced[:, -1].copy(),
        freed=freed * (not anywhere),
        first_loose=np.zeros(n + 1, np.int64),
        loose=np.zeros((0, 5), np.int64),
    )
