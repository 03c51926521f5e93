"""The cases of a turn: every fate that the jokers on the table can have together."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.boards import Board
from rummikub_env.frozen import growths
from rummikub_env.kernels import fates
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
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
    tiles, anywhere = rules.tiles, rules.joker_reuse == "any_set"
    at_hand = spelled.astype(np.int64)
    at_hand[:-1] += old.counts
    replacing = spelled.astype(np.int64)
    replacing[:-1] += supply * (rules.joker_replacement_source == "rack_or_table")
    found: list[tuple[int, int, Counts, Counts, Table]] = []
    for grown in product(*(growths(rules, pieces) for pieces in old.joker_sets)):
        freed = sum(growth.freed for growth in grown)
        spent = tiles.count([kind for growth in grown for kind in growth.spent])
        supplied = tiles.count([kind for growth in grown for kind in growth.supplied])
        lack = np.maximum(spent - at_hand, supplied - replacing)
        lack[-1] -= freed * anywhere  # a freed joker may lie in a set that stays whole
        forced = np.maximum(lack, 0).astype(np.uint8)
        if (forced <= left).all():
            whole = tuple(growth.laid for growth in grown if growth.laid is not None)
            found.append((int(forced.sum()), freed, forced, spent, whole))
    found.sort(key=lambda case: case[:2])
    return Fates(_arrays(rules, found), tuple(case[-1] for case in found))


def _arrays(rules: RuleSet, found: Sequence[tuple[int, int, Counts, Counts, Table]]) -> Cases:
    n, joker = len(found), rules.tiles.joker
    forced, spent = np.zeros((2, n, joker + 1), np.int64)
    for i, case in enumerate(found):
        forced[i], spent[i] = case[2], case[3]
    freed = np.array([case[1] for case in found], np.int64)
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
