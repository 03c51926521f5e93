"""The rules of a turn, by exhaustive search: slow, naive, and independent of the engine and the solver.

Every distinct multiset of rack tiles is tried; every way to lay the resulting table is walked through; every
way to say which joker is which is judged by the sentences of the joker rule. Nothing here is shared with
`rummikub_env` but the numbering of the tiles.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, product

Laid = tuple[tuple[int, bool], ...]
"""A set as laid: for each place the tile it holds or stands for, and whether a joker stands there."""


class Oracle:
    """All legal plays of one rule set."""

    def __init__(self, rules):
        self.rules = rules
        self.colours = len(rules.colours)
        self.values = rules.max_value
        self.joker = self.colours * self.values
        self.vocabulary = self._vocabulary()
        self.holding = {k: [s for s in self.vocabulary if k in s] for k in range(self.joker)}

    def _vocabulary(self):
        runs = [
            tuple(c * self.values + v for v in range(start, start + length))
            for c in range(self.colours)
            for length in range(3, self.values + 1)
            for start in range(self.values - length + 1)
        ]
        groups = [
            tuple(c * self.values + v for c in colours)
            for v in range(self.values)
            for size in range(3, min(4, self.colours) + 1)
            for colours in combinations(range(self.colours), size)
        ]
        return runs + groups

    def layings(self, tiles: Counter) -> Iterator[list[Laid]]:
        """Every way to lay all of `tiles` as valid sets."""
        real = sorted(k for k in tiles if k != self.joker and tiles[k])
        if not real:
            if not tiles[self.joker]:
                yield []
            elif tiles[self.joker] >= 3:  # a set of jokers alone
                for chosen in self.vocabulary:
                    if len(chosen) <= tiles[self.joker]:
                        rest = tiles - Counter({self.joker: len(chosen)})
                        for others in self.layings(rest):
                            yield [tuple((k, True) for k in chosen), *others]
            return
        first = real[0]
        for chosen in self.holding[first]:
            places = [k for k in chosen if k != first]
            for jokers in product((False, True), repeat=len(places)):
                if sum(jokers) > tiles[self.joker]:
                    continue
                laid = dict(zip(places, jokers, strict=True)) | {first: False}
                used = Counter(self.joker if j else k for k, j in laid.items())
                if all(tiles[k] >= n for k, n in used.items()):
                    for others in self.layings(tiles - used):
                        yield [tuple((k, laid[k]) for k in chosen), *others]

    def plays(self, table, rack, opened) -> set[tuple[int, ...]]:
        """Every multiset of rack tiles (sorted) that some legal turn puts on the table.

        `table`: sets as tuples of pieces of `TileSet`; `rack`: kinds.
        """
        found = set()
        for size in range(1, len(rack) + 1):
            for played in set(combinations(sorted(rack), size)):
                legal = self._legal(table, played) if opened else self._opens(played)
                if legal:
                    found.add(played)
        return found

    def _opens(self, played) -> bool:
        minimum = self.rules.initial_meld_points
        return any(
            sum(k % self.values + 1 for laid in laying for k, _ in laid) >= minimum
            for laying in self.layings(Counter(played))
        )

    def _legal(self, table, played) -> bool:
        before = Counter(min(p, self.joker) for s in table for p in s)
        laying = self.layings(before + Counter(played))
        if self.rules.joker_release == "free" or not before[self.joker]:
            return next(laying, None) is not None
        supply = before + Counter(played)
        old = [identity for s in table for identity in self._identities(s)]
        whole = [w for s in table for w in self._meanings(s)]
        seen = set()
        for sets in laying:
            key = tuple(sorted(s for s in sets if any(j for _, j in s)))
            if key not in seen and self._jokers_agree(old, whole, key, supply):
                return True
            seen.add(key)
        return False

    @cache  # noqa: B019 - an oracle lives as long as its test
    def _identities(self, pieces) -> list[frozenset[int]]:
        """What each joker of an old set may stand for."""
        declared = [p - self.joker - 1 for p in pieces if p > self.joker]
        real = {p for p in pieces if p < self.joker}
        is_run = len({k // self.values for k in real | set(declared)}) == 1 and len(real | set(declared)) > 1
        if is_run:
            return [frozenset([k]) for k in declared]
        value = next(iter(real)) % self.values
        missing = frozenset(c * self.values + value for c in range(self.colours)) - real
        return [frozenset([k]) for k in declared] + [missing] * sum(p == self.joker for p in pieces)

    def _meanings(self, pieces) -> list[frozenset[int]]:
        """The tiles that an old set holds or stands for; several where its jokers leave it open."""
        fixed = {p if p < self.joker else p - self.joker - 1 for p in pieces if p != self.joker}
        n_open = sum(p == self.joker for p in pieces)
        if not n_open:
            return [frozenset(fixed)]
        value = next(iter(fixed)) % self.values
        missing = [c * self.values + value for c in range(self.colours) if c * self.values + value not in fixed]
        return [frozenset(fixed | set(extra)) for extra in combinations(missing, n_open)]

    def _jokers_agree(self, old, whole, sets, supply) -> bool:
        """Can each joker of the old table be found again, kept or lawfully replaced?"""
        places = [(i, k) for i, s in enumerate(sets) for k, is_joker in s if is_joker]
        for chosen in permutations(places, len(old)):
            agrees = [k in identity for (_, k), identity in zip(chosen, old, strict=True)]
            for keep in product((True, False), repeat=len(old)):
                if any(k and not a for k, a in zip(keep, agrees, strict=True)):
                    continue
                kept = {place for place, k in zip(chosen, keep, strict=True) if k}
                freed = [(place, what) for place, what, k in zip(chosen, old, keep, strict=True) if not k]
                if self._supplied([what for _, what in freed], supply) and all(
                    self._is_new(i, sets[i], kept, whole) for (i, _), _ in freed
                ):
                    return True
        return False

    def _supplied(self, identities, supply) -> bool:
        """Is there a real tile for each replaced joker? A tile serves one joker."""
        if not identities:
            return True
        return any(
            supply[k] > 0 and self._supplied(identities[1:], supply - Counter([k])) for k in identities[0]
        )

    def _is_new(self, i, laid, kept, whole) -> bool:
        """Is the set of a replaced joker new: do its tiles and kept jokers hold no whole set of the old table?"""
        held = {k for k, is_joker in laid if not is_joker or (i, k) in kept}
        return self.rules.joker_reuse == "any_set" or not any(w <= held for w in whole)
