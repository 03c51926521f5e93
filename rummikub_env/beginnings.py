"""How a turn can begin: what of the rack lies before the rest is laid.

Most turns begin with nothing. A first play that must hold one set worth enough, or a run, begins with it; where the
turn goes on after the first sets (``after_meld``), it begins with these; where jokers may be retrieved before, with
the tiles that take their places. What follows is a question to the solver like any other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rummikub_env.opening import melds_within, swaps
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table
from rummikub_env.tiles import Counts


class Beginning(NamedTuple):
    """What lies before the rest of a turn is laid."""

    taken: Counts
    """(kinds,) uint8: the tiles of the rack that are laid so far."""
    pool: Table
    """Sets that the rest of the turn may rearrange."""
    beside: Table
    """Sets that stay as they lie."""
    freed: int = 0
    """Retrieved jokers that must be laid in the rest."""
    is_opening: bool = False
    """Must the rest be worth an opening?"""


def beginnings(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> Sequence[Beginning]:
    """All ways to begin a turn with tiles of `rack`, those that lay nothing first."""
    nothing = np.zeros(rack.shape, np.uint8)
    if opened or not rules.initial_meld_required:
        return (Beginning(nothing, table, ()),)
    if not is_meld_told(rules) and not rules.joker_retrieval_before_meld:
        return (Beginning(nothing, (), table, 0, True),)
    found: dict[object, Beginning] = {}
    for beginning in _first_plays(rules, table, rack):
        found.setdefault(_sameness(rules, beginning), beginning)
    return tuple(found.values())


def is_meld_told(rules: RuleSet) -> bool:
    """Does it matter which sets come first, and not only what all sets are worth?"""
    one_set = rules.initial_meld_scope == "single_set" or rules.initial_meld_type == "run"
    return one_set or rules.initial_meld_table_play == "after_meld"


def _first_plays(rules: RuleSet, table: Table, rack: Counts) -> Iterator[Beginning]:
    tiles = rules.tiles
    for swap in swaps(rules, table, tiles.listed(rack)):
        swapped = Counter(tiles.listed(rack)) + Counter({tiles.joker: swap.freed}) - swap.left
        if not is_meld_told(rules):
            yield Beginning(tiles.count([*swapped.elements()]), (), swap.table, swap.freed, True)
            continue
        for meld in melds_within(rules, swap.left, swap.freed):
            laid = Counter(tiles.physical(piece) for pieces in meld for piece in pieces)
            taken = tiles.count([*(swapped + laid - Counter({tiles.joker: swap.freed})).elements()])
            if rules.initial_meld_table_play == "after_meld":
                yield Beginning(taken, swap.table + meld, ())
            else:
                yield Beginning(taken, (), swap.table + meld)


def _sameness(rules: RuleSet, beginning: Beginning) -> object:
    """What tells beginnings apart: the sets with jokers, and where jokers go into new sets, all sets to rearrange."""
    tiles = rules.tiles
    strict = rules.joker_release == "replace" and rules.joker_reuse == "new_set" and rules.joker_count > 0
    sets: list[Set] = [s for s in beginning.pool if strict or any(map(tiles.is_joker, s))]
    return beginning.taken.tobytes(), beginning.freed, tuple(sorted(sets))
