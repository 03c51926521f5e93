"""Which beginnings of a new table some legal turn goes on with: what makes the mask of the `sets` codec exact.

The rules for jokers look at the sets with jokers and at what is played, and more of either never breaks them. So each
fate is tried that the jokers of the old table may have in the sets that are laid (of which the judge is asked), and in
those that are not yet: there a kept joker is a tile like any other, and a freed one lies where the solver says.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from rummikub_env.actions.vocabulary import vocabulary
from rummikub_env.beginnings import Beginning, Listed
from rummikub_env.judge import keeps_jokers
from rummikub_env.opening import meld_refusal, meld_value, melds_within
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, identities, is_run
from rummikub_env.state import View, table_counts
from rummikub_env.tiles import Counts

Fates = tuple[tuple[tuple[int, int], ...], int]
"""What becomes of jokers of the old table in sets that are not laid yet: which ones, by their numbers, go on standing
for which tile, and how many are freed."""


_PARTS = 4
"""Into so many parts of equal size sets are shared out that are asked about together."""


def check_jokers(rules: RuleSet) -> None:
    """ValueError where so few tiles can be told apart that jokers of a table may stand for all of them at once.

    Then no tile is left for a joker to stand for that is kept as none of them (`_supplies`).
    """
    alone = len(rules.colours) == 1 or not rules.group_colours_distinct  # else a joker leaves a colour to another one
    most = rules.max_value * (1 if alone else 2) - 1
    if rules.joker_release != "free" and rules.joker_count > most:
        raise ValueError(
            f"the action codec 'sets' does not know {rules.joker_count} jokers with {rules.max_value} values in "
            f"{len(rules.colours)} colours; take tiles or turns, or {most} jokers at most"
        )


class Turn:
    """The turn of ``view.seat``: its new table is `fixed` and the sets that it lays."""

    def __init__(self, view: View) -> None:
        rules = view.rules
        self.view = view
        self.rules = rules
        opens = rules.initial_meld_required and not view.opened[view.seat]
        self.is_opening = opens and rules.initial_meld_table_play == "never_this_turn"
        """Does it lay sets of its own, and nothing else?"""
        self._goes_on = opens and not self.is_opening
        self.fixed = view.table if self.is_opening else ()
        """Sets that lie already, and stay."""
        self.table = np.zeros_like(view.rack) if self.is_opening else table_counts(rules.tiles, view.table)
        """(kinds,): what must be laid."""
        self.at_hand = self.table + view.rack
        """(kinds,): what may be laid."""
        self._found: dict[tuple[int, Table, bytes], bool] = {}

    def __reduce__(self) -> tuple[object, ...]:  # what was found out is found out again
        return Turn, (self.view,)

    @cached_property
    def _beginnings(self) -> Iterable[Beginning]:
        """How the turn may have begun before the table, then their `pool`, is rearranged."""
        if not self._goes_on:
            return (Beginning(np.zeros_like(self.view.rack), self.view.table, ()),)
        return Listed(self._openings())

    def _openings(self) -> Iterator[Beginning]:
        tiles = self.rules.tiles
        for meld in melds_within(self.rules, Counter(tiles.listed(self.view.rack)), 0):
            yield Beginning(table_counts(tiles, meld), self.view.table + meld, ())

    def within(self, left: Counts) -> NDArray[np.bool_]:
        """(m,) bool: which sets of the vocabulary can be laid of these tiles."""
        return np.asarray((vocabulary(self.rules).counts <= left).all(axis=1))

    def is_settled(self, laid: Table) -> bool:
        """Is each joker of the old table laid where it may lie, if the right tiles are played?"""
        own = _with_jokers(self.rules, laid)
        return self.is_opening or any(
            supplies(self.rules, begun.pool, own, self._left_after(begun)) for begun in self._beginnings
        )

    def is_legal(self, laid: Table) -> bool:
        """May the turn end with these sets?"""
        rules, counts = self.rules, table_counts(self.rules.tiles, laid)
        if (counts < self.table).any():
            return False
        played = counts - self.table
        if played.sum() < rules.min_tiles_per_turn:
            return False
        if self.is_opening:
            return meld_refusal(rules, laid) is None
        own = _with_jokers(rules, laid)
        return any(
            (begun.taken <= played).all() and _agrees(rules, begun.pool, own, played - begun.taken)
            for begun in self._beginnings
        )

    def finishing(self, laid: Table, numbers: Sequence[int]) -> Iterator[int]:
        """Of these numbers of the vocabulary those whose sets can be laid next, in the same order.

        Mostly none of many can, and one question tells: whether the table can be laid where all their tiles are free
        to be laid or not. The more alike they are the more it asks for.
        """
        if len(numbers) < 2:
            yield from (number for number in numbers if self.can_finish((*laid, vocabulary(self.rules).sets[number])))
        elif self._may_finish(laid, numbers):
            size = -(-len(numbers) // _PARTS)
            for first in range(0, len(numbers), size):
                yield from self.finishing(laid, numbers[first : first + size])

    def _may_finish(self, laid: Table, numbers: Sequence[int]) -> bool:
        """False only if none of these sets can be laid next."""
        if self.is_opening:
            return True
        counts, several = table_counts(self.rules.tiles, laid), vocabulary(self.rules).counts[numbers]
        at_least, at_most = counts + several.min(axis=0), counts + several.max(axis=0)
        need = np.maximum(self.table, at_most) - at_most
        return self._can_lay(need, self.at_hand - at_least - need, 0)

    def can_finish(self, laid: Table) -> bool:
        """Is there a legal turn that lays these sets, and perhaps more?"""
        counts = table_counts(self.rules.tiles, laid)
        if self.is_opening:
            return self._can_open(laid, counts)
        own = _with_jokers(self.rules, laid)
        return any(self._can_go_on(i, begun, own, counts) for i, begun in enumerate(self._beginnings))

    # A first play that lays its own sets only

    def _can_open(self, laid: Table, counts: Counts) -> bool:
        rules, left = self.rules, self.at_hand - counts
        if rules.initial_meld_joker == "forbidden":
            if counts[-1]:
                return False
            left[-1] = 0
        for more in self._with_run(laid, left):
            whole, rest = laid + more, left - table_counts(rules.tiles, more)
            worth = sum(meld_value(rules, pieces) for pieces in whole)
            least = rules.min_tiles_per_turn - int((self.at_hand - rest).sum())
            if rules.initial_meld_scope == "sum_of_sets":
                if self._can_lay(np.zeros_like(rest), rest, least, max(1, rules.initial_meld_points) - worth):
                    return True
            elif self._has_rich_set(whole, rest) and self._can_lay(np.zeros_like(rest), rest, least):
                return True
        return False

    def _with_run(self, laid: Table, left: Counts) -> Iterator[Table]:
        """What is laid for the run that an opening must have: nothing, where it need not or has one."""
        rules = self.rules
        if rules.initial_meld_type != "run" or any(is_run(rules, pieces) for pieces in laid):
            yield ()
            return
        sets = vocabulary(rules).sets
        for number in np.flatnonzero(self.within(left)).tolist():
            if is_run(rules, sets[number]):
                yield (sets[number],)

    def _has_rich_set(self, laid: Table, left: Counts) -> bool:
        """Is one set worth an opening, or can one be laid?"""
        rules, sets = self.rules, vocabulary(self.rules).sets
        could = (sets[number] for number in np.flatnonzero(self.within(left)).tolist())
        return any(meld_value(rules, pieces) >= rules.initial_meld_points for more in (laid, could) for pieces in more)

    # Any other turn

    def _left_after(self, begun: Beginning) -> Counts:
        return self.view.rack - begun.taken

    def _can_go_on(self, i: int, begun: Beginning, own: Table, counts: Counts) -> bool:
        """Can a turn that began so lay the sets with jokers `own`, and `counts` in all?"""
        key = i, own, counts.tobytes()
        if key not in self._found:
            self._found[key] = self._find(i, begun, own, counts)
        return self._found[key]

    def _find(self, i: int, begun: Beginning, own: Table, counts: Counts) -> bool:
        rules, must, jokers = self.rules, self.table + begun.taken, int((self.at_hand - counts)[-1])
        if not self._can_lay_beside(counts, must):
            return False
        if _has_free_jokers(rules, begun.pool):
            return True
        for later in _fates(rules, begun.pool, jokers):
            for supply in supplies(rules, begun.pool, own, self._left_after(begun), later):
                if self._can_lay_beside(counts, must + supply, begun.pool, later):
                    return True
        return rules.joker_set_edits == "add_only" and any(
            self._can_go_on(i, begun, tuple(sorted((*own, pieces))), counts + of_each)
            for pieces, of_each in self._grown(begun.pool, self.at_hand - counts)
        )

    def _grown(self, before: Table, left: Counts) -> Iterator[tuple[Set, Counts]]:
        """The sets with jokers, and their tiles, that hold an old set with jokers as a whole, but for jokers."""
        words, fits = vocabulary(self.rules), np.zeros(len(vocabulary(self.rules).sets), np.bool_)
        for pieces in _with_jokers(self.rules, before):
            fits |= (words.counts[:, :-1] >= self.rules.tiles.count(pieces)[:-1]).all(axis=1)
        for number in np.flatnonzero(fits & (words.counts[:, -1] > 0) & self.within(left)).tolist():
            yield words.sets[number], words.counts[number]

    def _can_lay_beside(self, counts: Counts, must: Counts, before: Table = (), later: Fates = ((), 0)) -> bool:
        """Can more be laid than `counts`, so that all that `must` be is? Jokers without a fate stand for anything."""
        kept, freed = later
        surely = np.maximum(counts, must)
        if kept or freed:  # these are all the jokers that must be laid yet
            surely[-1] = counts[-1] + len(kept) + freed
        least = self.rules.min_tiles_per_turn - int(surely.sum()) + int(self.table.sum())
        if (surely > self.at_hand).any():
            return False
        need, may = surely - counts, self.at_hand - surely
        if kept or freed:  # neither is wild
            need[-1] = 0
        for _, kind in kept:
            need[kind] += 1
        return self._can_lay(need, may, least, 0, freed, before)

    def _can_lay(
        self, need: Counts, may: Counts, least: int, points: int = 0, freed: int = 0, before: Table = ()
    ) -> bool:
        from rummikub_env.actions.covering import can_lay  # here, since it brings numba: a third of a second

        return can_lay(self.rules, need, may, least, points, freed, before)


def _with_jokers(rules: RuleSet, laid: Table) -> Table:
    return tuple(sorted(pieces for pieces in laid if max(pieces) >= rules.tiles.joker))


def _has_free_jokers(rules: RuleSet, before: Table) -> bool:
    """Do the jokers that lie there bind nobody?"""
    return rules.joker_release == "free" or not _with_jokers(rules, before)


@lru_cache(maxsize=1 << 12)
def _fates(rules: RuleSet, before: Table, most: int) -> tuple[Fates, ...]:
    """All fates that up to so many jokers of `before` may have in later sets, that of none first.

    None is kept where sets with jokers must stay whole: then it matters in which sets they lie.
    """
    means = [sorted(kinds) for pieces in before for kinds in identities(rules, pieces)]
    most, keep = min(most, len(means)), rules.joker_set_edits == "full"
    return tuple(
        (tuple(zip(numbers, kinds, strict=True)), freed)
        for freed in range(most + 1)
        for n in range(most - freed + 1 if keep else 1)
        for numbers in combinations(range(len(means)), n)
        for kinds in product(*(means[number] for number in numbers))
    )


def supplies(rules: RuleSet, before: Table, own: Table, rack: Counts, later: Fates = ((), 0)) -> tuple[Counts, ...]:
    """The least tiles of the rack, (kinds,) each, that must be played so that jokers of `before` may lie as in `own`.

    own: sets with jokers; later: what becomes of the others. () where they may not; one that is 0 where nothing need
    be played.
    """
    if _has_free_jokers(rules, before):
        return (np.zeros_like(rack),)
    kept, freed = later
    found = _supplies(rules, before, own, rack.tobytes(), tuple(number for number, _ in kept), freed)
    return tuple(rules.tiles.count(kinds) for kinds in found)


@lru_cache(maxsize=1 << 16)
def _supplies(
    rules: RuleSet, before: Table, own: Table, rack: bytes, kept: tuple[int, ...], freed: int
) -> tuple[tuple[int, ...], ...]:
    counts, tiles = np.frombuffer(rack, np.uint8), rules.tiles
    means = [kinds for pieces in before for kinds in identities(rules, pieces)]
    asked = tuple(number for number in range(len(means)) if number not in kept)
    if sum(map(tiles.is_joker, chain(*own))) + freed < len(asked):
        return ()
    meant = frozenset().union(*means)
    other = min(set(range(tiles.joker)) - meant)  # a joker that stands for this is not kept
    laid = own + ((tiles.joker_as(other),),) * freed
    replacing = sorted(kind for kind in meant for _ in range(counts[kind]))
    if not keeps_jokers(rules, before, laid, replacing, asked):
        return ()
    found: list[tuple[int, ...]] = []
    for size in range(min(len(replacing), 2 * len(means)) + 1):
        for kinds in sorted(set(combinations(replacing, size))):
            more = any(Counter(less) <= Counter(kinds) for less in found)
            if not more and keeps_jokers(rules, before, laid, kinds, asked):
                found.append(kinds)
    return tuple(found)


def _agrees(rules: RuleSet, before: Table, own: Table, played: Counts) -> bool:
    """Do the sets with jokers `own` agree with the rules for those of `before`?"""
    return _has_free_jokers(rules, before) or keeps_jokers(rules, before, own, rules.tiles.listed(played))
