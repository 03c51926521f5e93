"""Sets with jokers to which tiles may only be added (``joker_set_edits=add_only``).

Such a set stays whole as long as one of its jokers is kept; in the place of a replaced joker lies a tile that it stood
for, not necessarily the one that replaced it. It may grow by one or two pieces, a run at each end; what is more can lie
apart. When all its jokers are replaced it is a set like any other.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, identities, is_run, readings, windows


class Growth(NamedTuple):
    """What may become of a set with jokers."""

    laid: Set | None
    """The set as it lies then; None where it may be taken apart."""
    spent: tuple[int, ...]
    """The tiles that lie in it, kinds; wild jokers among them, those that are kept not."""
    supplied: tuple[int, ...]
    """The kinds that replace jokers."""
    freed: int
    """How many jokers are replaced."""


@lru_cache(maxsize=1 << 14)
def growths(rules: RuleSet, pieces: Set) -> tuple[Growth, ...]:
    """All that may become of a set with jokers, what takes the fewest tiles first."""
    found = {growth for replaced in _replaced(rules, pieces) for growth in _grown(rules, pieces, replaced)}
    return tuple(sorted(found, key=lambda growth: (len(growth.spent), *growth[1:], growth.laid or ())))


Replaced = tuple[tuple[int, tuple[int, ...]], ...]
"""Places of jokers, and the kinds that replace each."""


def _replaced(rules: RuleSet, pieces: Set) -> Iterator[Replaced]:
    """Which jokers may be replaced by what, together."""
    means = _means(rules, pieces)
    both = rules.joker_group3_release == "both_missing" and len(pieces) == 3 and not is_run(rules, pieces)
    for number in range(len(means) + 1):
        for chosen in combinations(means, number):
            options = [combinations(sorted(means[p]), min(2, len(means[p])) if both else 1) for p in chosen]
            for kinds in product(*options):
                yield tuple(zip(chosen, kinds, strict=True))


def _means(rules: RuleSet, pieces: Set) -> dict[int, frozenset[int]]:
    """The places of the jokers, and for which kinds each stands."""
    places = [place for place, piece in enumerate(pieces) if rules.tiles.is_joker(piece)]
    return dict(zip(places, identities(rules, pieces), strict=True))


def _grown(rules: RuleSet, pieces: Set, replaced: Replaced) -> Iterator[Growth]:
    tiles, means = rules.tiles, _means(rules, pieces)
    supplied = tuple(sorted(kind for _, kinds in replaced for kind in kinds))
    if len(replaced) == len(means):
        yield Growth(None, (), supplied, len(replaced))
        return
    for in_place in product(*(means[place] for place, _ in replaced)):
        there = list(pieces)
        for (place, _), kind in zip(replaced, in_place, strict=True):
            there[place] = kind
        own = [piece for piece in there if not tiles.is_joker(piece)]
        grow = _longer_runs if is_run(rules, pieces) else _larger_groups
        for added, laid in grow(rules, tuple(there)):
            spent = tuple(sorted([*own, *map(tiles.physical, added)]))
            yield Growth(laid, spent, supplied, len(replaced))


def _longer_runs(rules: RuleSet, run: Set) -> Iterator[tuple[Sequence[int], Set]]:
    """The run with up to two pieces more at each end: what was added, and the whole."""
    tiles, size = rules.tiles, len(run)
    kinds = tuple(map(tiles.stands_for, run))
    for before, behind in product(range(3), repeat=2):
        for window in windows(rules, before + size + behind):
            if window[before : before + size] == kinds:
                rest = window[:before] + window[before + size :]
                for added in product(*((kind, tiles.joker_as(kind)) for kind in rest)):
                    for laid in readings(rules, (*added[:before], *run, *added[before:])):
                        yield added, laid


def _larger_groups(rules: RuleSet, group: Set) -> Iterator[tuple[Sequence[int], Set]]:
    """The group as it is, and with one or two pieces more."""
    tiles = rules.tiles
    stands_for = [kind for piece in group if (kind := tiles.stands_for(piece)) is not None]
    value = tiles.value(stands_for[0]) if stands_for else tiles.joker_value(group[0]) or 0
    pieces = [*(tiles.kind(colour, value) for colour in range(len(tiles.colours))), tiles.joker]
    for number in range(min(2, rules.max_group_size - len(group)) + 1):
        for added in combinations_with_replacement(pieces, number):
            for laid in readings(rules, (*group, *added)):
                if not is_run(rules, laid):
                    yield added, laid
