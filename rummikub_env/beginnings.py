"""How a turn can begin: what of the rack lies before the rest is laid.

Most turns begin with nothing. A first play that must hold one set worth enough, or a run, begins with it; where the
turn goes on after the first sets (``after_meld``), it begins with these; where jokers may be retrieved before, with
the tiles that take their places. What follows is a question to the solver like any other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from rummikub_env.opening import least_melds, melds_within, swaps
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, identities
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
    spares_joker: bool = False
    """Could a tile that is left take the place of a laid joker, and any play go on as well, the joker in hand?"""


def beginnings(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> Iterator[Beginning]:
    """Ways to begin a turn with tiles of `rack` such that each play goes on from one, those that lay nothing first."""
    nothing = np.zeros(rack.shape, np.uint8)
    if opened or not rules.initial_meld_required:
        yield Beginning(nothing, table, ())
        return
    if not begins_in_ways(rules):
        yield Beginning(nothing, (), table, 0, True)
        return
    known: set[object] = set()
    for beginning in _first_plays(rules, table, rack):
        sameness = _sameness(rules, beginning)
        if sameness not in known:
            known.add(sameness)
            yield beginning


class Listed(Iterable[Beginning]):
    """What was found of an iterator so far; more is looked for only when it is asked for."""

    def __init__(self, more: Iterator[Beginning]) -> None:
        self._found: list[Beginning] = []
        self._more = more

    def __iter__(self) -> Iterator[Beginning]:
        """All that there is, from the first."""
        for place in count():
            if place == len(self._found):
                found = next(self._more, None)
                if found is None:
                    return
                self._found.append(found)
            yield self._found[place]


def is_meld_told(rules: RuleSet) -> bool:
    """Does it matter which sets come first, and not only what all sets are worth?"""
    one_set = rules.initial_meld_scope == "single_set" or rules.initial_meld_type == "run"
    return one_set or rules.initial_meld_table_play == "after_meld"


def begins_in_ways(rules: RuleSet) -> bool:
    """Is there more than one way to begin a first play?"""
    return is_meld_told(rules) or rules.joker_retrieval_before_meld


def _first_plays(rules: RuleSet, table: Table, rack: Counts) -> Iterator[Beginning]:
    tiles = rules.tiles
    for swap in swaps(rules, table, tiles.listed(rack)):
        swapped = Counter(tiles.listed(rack)) + Counter({tiles.joker: swap.freed}) - swap.left
        if not is_meld_told(rules):
            yield Beginning(tiles.count([*swapped.elements()]), (), swap.table, swap.freed, True)
            continue
        melds = melds_within if _matter_old_sets(rules) else least_melds
        for meld in melds(rules, swap.left, swap.freed):
            laid = Counter(tiles.physical(piece) for pieces in meld for piece in pieces)
            taken = tiles.count([*(swapped + laid - Counter({tiles.joker: swap.freed})).elements()])
            if rules.initial_meld_table_play == "after_meld":
                yield Beginning(taken, swap.table + meld, (), spares_joker=_spares_joker(rules, meld, rack - taken))
            else:
                beside = swap.table + meld
                yield Beginning(taken, (), beside, spares_joker=_spares_joker(rules, meld, rack - taken))


def _spares_joker(rules: RuleSet, meld: Table, left: Counts) -> bool:
    """See `Beginning`. Not so where tiles of the table could free the joker, or it must lie in the opening."""
    kept = rules.initial_meld_table_play == "never_this_turn" or rules.joker_replacement_source == "rack"
    if rules.joker_retrieval_before_meld or not kept:
        return False
    return any(all(left[kind] for kind in means) for pieces in meld for means in identities(rules, pieces))


def _sameness(rules: RuleSet, beginning: Beginning) -> object:
    """What tells beginnings apart: the sets with jokers, and where jokers go into new sets, all sets to rearrange."""
    tiles = rules.tiles
    strict = _matter_old_sets(rules)
    sets: list[Set] = [s for s in beginning.pool if strict or any(map(tiles.is_joker, s))]
    return beginning.taken.tobytes(), beginning.freed, tuple(sorted(sets))


def _matter_old_sets(rules: RuleSet) -> bool:
    """Does it matter for the rest of a turn how tiles lie, as retrieved jokers must go into new sets?"""
    new_sets = rules.joker_release == "replace" and rules.joker_reuse == "new_set" and rules.joker_count > 0
    return new_sets and rules.initial_meld_table_play == "after_meld"
