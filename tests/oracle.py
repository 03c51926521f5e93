"""The rules of a turn, by exhaustive search: slow, naive, and independent of the engine and the solver.

Every distinct multiset of rack tiles is tried; every way to lay the resulting table is walked through; every
way to say which joker is which is judged by the sentences of the joker rule. Nothing here is shared with
`rummikub_env` but the numbering of the tiles.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product

Laid = tuple[tuple[int, bool], ...]
"""A set as laid: for each place the tile it holds or stands for, and whether a joker stands there."""


class Oracle:
    """All legal plays of one rule set, and the verdict on a given table."""

    def __init__(self, rules):
        self.rules = rules
        self.colours = len(rules.colours)
        self.values = rules.max_value
        self.joker = self.colours * self.values
        self.vocabulary = self._vocabulary()
        self.holding = {k: [s for s in self.vocabulary if k in s] for k in range(self.joker)}

    def _vocabulary(self):
        """All sets, each as the tiles in its places."""
        rules, values = self.rules, range(1, self.values + 1)
        follows = {"none": [*values], "ace_high": [*values[1:], 1], "ace_both": [*values, 1], "circular": [*values] * 2}
        order = follows[rules.run_wrap]
        steps = {tuple(order[i : i + n]) for n in range(3, rules.max_run_length + 1) for i in range(len(order) - n + 1)}
        alike = {frozenset(run): run for run in sorted(steps, reverse=True) if len(set(run)) == len(run)}
        runs = [tuple(c * self.values + v - 1 for v in run) for c in range(self.colours) for run in alike.values()]
        choose = combinations if rules.group_colours_distinct else combinations_with_replacement
        groups = [
            tuple(c * self.values + v - 1 for c in colours)
            for v in values
            for size in range(3, rules.max_group_size + 1)
            for colours in choose(range(self.colours), size)
        ]
        return sorted(runs) + groups

    def layings(self, tiles: Counter) -> Iterator[list[Laid]]:
        """Every way to lay all of `tiles` as valid sets."""
        real = sorted(k for k in tiles if k != self.joker and tiles[k])
        if not real:
            yield from self._layings_of_jokers(tiles[self.joker])
            return
        first = real[0]
        most = min(tiles[self.joker], self.rules.max_jokers_per_set or 99)
        for chosen in self.holding[first]:
            if sum(not tiles[k] for k in chosen) > most:
                continue
            for jokers in product((False, True), repeat=len(chosen) - 1):
                if sum(jokers) > most:
                    continue
                at = chosen.index(first)
                laid = tuple(zip(chosen, (*jokers[:at], False, *jokers[at:]), strict=True))
                used = Counter(self.joker if j else k for k, j in laid)
                if all(tiles[k] >= n for k, n in used.items()):
                    for others in self.layings(tiles - used):
                        yield [laid, *others]

    def _layings_of_jokers(self, number: int) -> Iterator[list[Laid]]:
        if not number:
            yield []
        for chosen in self.vocabulary:
            if len(chosen) <= min(number, self.rules.max_jokers_per_set or 99):
                for others in self._layings_of_jokers(number - len(chosen)):
                    yield [tuple((k, True) for k in chosen), *others]

    # Plays

    def plays(self, table, rack, opened) -> set[tuple[int, ...]]:
        """Every multiset of rack tiles (sorted) that some legal turn puts on the table.

        `table`: sets as tuples of pieces of `TileSet`; `rack`: kinds.
        """
        found = set()
        for size in range(self.rules.min_tiles_per_turn, len(rack) + 1):
            for played in set(combinations(sorted(rack), size)):
                if self._legal(table, played) if opened else self._opens(table, played):
                    found.add(played)
        return found

    def _opens(self, table, played) -> bool:
        if self.rules.initial_meld_table_play == "after_meld":
            return any(self._legal(lies, rest) for lies, rest in self._begun(table, played))
        return any(
            self._holds(laying, freed)
            for _, rest, freed in self._swaps(table, played)
            for laying in self.layings(Counter(rest))
        )

    def _begun(self, table, played):
        """The tables that an opening may have led to, and what is left to be laid."""
        for swapped, left, freed in self._swaps(table, played):
            for size in range(3, len(left) + 1):
                for chosen in set(combinations(left, size)):
                    for laying in self.layings(Counter(chosen)):
                        if self._holds(laying, freed):
                            laid = tuple(map(self._as_laid, laying))
                            yield (*swapped, *laid), tuple((Counter(left) - Counter(chosen)).elements())

    def _holds(self, laying, freed) -> bool:
        """Is the opening worth it, and are the retrieved jokers in it?"""
        return self._is_worth_it(laying) and sum(j for s in laying for _, j in s) >= freed

    def _swaps(self, table, played):
        """The tables after jokers were swapped for tiles of the rack, what is left to be laid, the jokers freed."""
        yield table, tuple(sorted(played)), 0
        if not self.rules.joker_retrieval_before_meld:
            return
        for i, pieces in enumerate(table):
            for at, piece in enumerate(pieces):
                for kind in set(played) - {self.joker}:
                    if piece >= self.joker and kind in self._may_be(pieces, piece):
                        new = (*pieces[:at], kind, *pieces[at + 1 :])
                        rest = list(played)
                        rest.remove(kind)
                        for more, left, freed in self._swaps((*table[:i], new, *table[i + 1 :]), rest):
                            yield more, tuple(sorted((*left, self.joker))), freed + 1

    def _may_be(self, pieces, piece):
        """The tiles for which this joker of an old set stands."""
        if self.joker < piece <= 2 * self.joker:
            return {piece - self.joker - 1}
        return next(kinds for kinds, _ in self._identities(pieces) if len(kinds) > 1 or pieces.count(self.joker) == 1)

    def _as_laid(self, laid):
        """The set as the judge writes it: the jokers of a group are open, those of a run told."""
        if laid[0][0] % self.values == laid[1][0] % self.values:
            known = [k for k, j in laid if not j]
            if not known:
                return (2 * self.joker + 1 + laid[0][0] % self.values,) * len(laid)
            return (*known, *[self.joker] * (len(laid) - len(known)))
        return tuple(self.joker + 1 + k if j else k for k, j in laid)

    def _legal(self, table, played) -> bool:
        before = Counter(min(p, self.joker) for s in table for p in s)
        layings = self.layings(before + Counter(played))
        if self.rules.joker_release == "free" or not before[self.joker]:
            return next(layings, None) is not None
        seen = set()
        for sets in layings:
            key = tuple(sorted(s for s in sets if any(j for _, j in s)))
            if key not in seen and self._jokers_agree(table, key, played):
                return True
            seen.add(key)
        return False

    # The verdict on one table

    def accepts(self, table, after, played, opened) -> bool:
        """Is `after` a legal table after `played` was laid to `table`? Jokers may be open in any way."""
        if not all(self._is_told(table, pieces) for pieces in after):
            return False
        if not opened and self.rules.initial_meld_table_play == "after_meld":
            return any(self.accepts(lies, after, rest, True) for lies, rest in self._begun(table, played))
        if not opened:
            return any(self._accepts_opening(lies, after) for lies, _, _ in self._swaps(table, played))
        options = [self.readings(pieces) for pieces in after]
        if self.rules.joker_release == "free":
            return all(options)
        return any(self._jokers_agree(table, sets, played) for sets in product(*options))

    def _is_told(self, table, pieces) -> bool:
        """Where jokers must be declared: is there one reading, or is it one that lay there?"""
        if self.rules.joker_declaration == "auto":
            return True
        readings = self.readings(pieces)
        values = {s[0][0] % self.values for s in readings if s[0][0] % self.values == s[1][0] % self.values}
        runs = [s for s in readings if s[0][0] % self.values != s[1][0] % self.values]
        return len(runs) + len(values) <= 1 or any(self._is_same(old, pieces) for old in table)

    @cache  # noqa: B019 - an oracle lives as long as its test
    def readings(self, pieces) -> list[Laid]:
        """Every set that the pieces can be."""
        real = Counter(p for p in pieces if p < self.joker)
        declared = Counter(p - self.joker - 1 for p in pieces if self.joker < p <= 2 * self.joker)
        values = {p - 2 * self.joker - 1 for p in pieces if p > 2 * self.joker}
        found = []
        for s in self.vocabulary:
            stand_ins = Counter(s) - real
            is_group = s[0] % self.values == s[1] % self.values
            if (
                len(s) == len(pieces)
                and not real - Counter(s)
                and not declared - stand_ins
                and (not values or (is_group and values == {s[0] % self.values}))
            ):
                found.append(tuple((k, k in stand_ins) for k in s) if len(set(s)) == len(s) else self._split(s, real))
        return [s for s in found if sum(j for _, j in s) <= (self.rules.max_jokers_per_set or 99)]

    def _split(self, chosen, real) -> Laid:
        """A set in which a tile may occur twice: the first ones are real."""
        left, laid = Counter(real), []
        for kind in chosen:
            laid.append((kind, not left[kind]))
            left[kind] -= bool(left[kind])
        return tuple(laid)

    def _accepts_opening(self, table, after) -> bool:
        """Do the old sets lie as they lay, is the rest worth it?"""
        if not all(map(self.readings, after)):
            return False
        for places in permutations(range(len(after)), len(table)):
            if all(self._is_same(old, after[place]) for old, place in zip(table, places, strict=True)):
                laid = [self.readings(s) for place, s in enumerate(after) if place not in places]
                if any(self._is_worth_it(sets) for sets in product(*laid)):
                    return True
        return False

    def _is_same(self, old, new) -> bool:
        """Are these the same tiles, the jokers standing for the same?"""
        same_tiles = Counter(min(p, self.joker) for p in old) == Counter(min(p, self.joker) for p in new)
        meant = [s for s in self.readings(old) if self._is_run(old) == (s[0][0] % self.values != s[1][0] % self.values)]
        return same_tiles and bool(set(meant) & set(self.readings(new)))

    def _is_worth_it(self, sets) -> bool:
        rules = self.rules
        if rules.initial_meld_joker == "forbidden" and any(is_joker for s in sets for _, is_joker in s):
            return False
        if rules.initial_meld_type == "run" and not any(s[0][0] % self.values != s[1][0] % self.values for s in sets):
            return False
        counts = rules.initial_meld_joker == "face"
        worth = [sum(k % self.values + 1 for k, is_joker in s if counts or not is_joker) for s in sets]
        best = max(worth, default=0) if rules.initial_meld_scope == "single_set" else sum(worth)
        return bool(sets) and best >= rules.initial_meld_points

    # The jokers of the old table

    def _jokers_agree(self, table, sets, played) -> bool:
        """Can each joker of the old table be found again, kept or lawfully replaced?"""
        old = [identity for s in table for identity in self._identities(s)]
        whole = [whole for s in table for whole in self._meanings(s)]
        places = [(i, k, n) for i, s in enumerate(sets) for n, (k, is_joker) in enumerate(s) if is_joker]
        for chosen in permutations(places, len(old)):
            agrees = [k in identity for (_, k, _), (identity, _) in zip(chosen, old, strict=True)]
            for keep in product((True, False), repeat=len(old)):
                if any(k and not a for k, a in zip(keep, agrees, strict=True)):
                    continue
                kept = {place for place, k in zip(chosen, keep, strict=True) if k}
                freed = [(place, what) for place, what, k in zip(chosen, old, keep, strict=True) if not k]
                homes = {i for (i, *_), _ in freed}
                if (
                    self._supplied([what for _, what in freed], self._supply(table, played))
                    and all(self._is_new(i, sets[i], kept, whole) for i in homes)
                    and self._have_rack_tiles(sets, homes, set(places) - set(chosen), Counter(played))
                    and (self.rules.joker_set_edits == "full" or self._stay_whole(table, sets, chosen, keep))
                ):
                    return True
        return False

    def _stay_whole(self, table, sets, chosen, keep) -> bool:
        """Does each old set with a kept joker lie whole in one new set, real tiles in the places of the others?"""
        fates = iter(zip(chosen, keep, strict=True))
        for pieces in table:
            jokers = [(identity, *next(fates)) for identity, _ in self._identities(pieces)]
            homes = {i for _, (i, *_), kept in jokers if kept}
            if len(homes) > 1:
                return False
            for home in homes:
                there = Counter(k for k, is_joker in sets[home] if not is_joker)
                old = Counter(p for p in pieces if p < self.joker)
                replaced = [(identity, 1) for identity, _, kept in jokers if not kept]
                if old - there or not self._supplied(replaced, there - old):
                    return False
        return True

    @cache  # noqa: B019
    def _identities(self, pieces) -> list[tuple[frozenset[int], int]]:
        """What each joker of an old set may stand for, and how many of these tiles replace it."""
        declared = [p - self.joker - 1 for p in pieces if self.joker < p <= 2 * self.joker]
        real = [p for p in pieces if p < self.joker]
        if self._is_run(pieces):
            return [(frozenset([k]), 1) for k in declared]
        missing = frozenset(c * self.values + self._value(pieces) for c in range(self.colours))
        if self.rules.group_colours_distinct:
            missing -= {*real, *declared}
        open_jokers = len(pieces) - len(real) - len(declared)
        number = 1
        if self.rules.joker_group3_release == "both_missing" and len(pieces) == 3:
            number = min(2, len(missing))
        return [(frozenset([k]), 1) for k in declared] + [(missing, number)] * open_jokers

    def _is_run(self, pieces) -> bool:
        """The pieces of a resolved set: a run leaves no joker open."""
        stand_ins = [p if p < self.joker else p - self.joker - 1 for p in pieces]
        is_open = any(p == self.joker or p > 2 * self.joker for p in pieces)
        return not is_open and len({k % self.values for k in stand_ins}) > 1

    def _value(self, pieces) -> int:
        """The value of a group, from 0."""
        piece = next(p for p in pieces if p != self.joker)
        if piece > 2 * self.joker:
            return piece - 2 * self.joker - 1
        return (piece if piece < self.joker else piece - self.joker - 1) % self.values

    @cache  # noqa: B019
    def _meanings(self, pieces) -> list[Counter]:
        """The tiles that an old set holds or stands for; several where its jokers leave it open."""
        fixed = Counter(p if p < self.joker else p - self.joker - 1 for p in pieces if p <= 2 * self.joker)
        fixed = +Counter({k: n for k, n in fixed.items() if k >= 0})
        if self._is_run(pieces):
            return [fixed]
        colours = {c * self.values + self._value(pieces) for c in range(self.colours)}
        number = len(pieces) - fixed.total()
        if not self.rules.group_colours_distinct:
            return [fixed + Counter(extra) for extra in combinations_with_replacement(sorted(colours), number)]
        return [fixed + Counter(extra) for extra in combinations(colours - fixed.keys(), number)]

    def _supply(self, table, played) -> Counter:
        """The real tiles that can replace a joker."""
        if self.rules.joker_replacement_source == "rack":
            return Counter(played)
        return Counter(played) + Counter(p for s in table for p in s if p < self.joker)

    def _supplied(self, needs, supply) -> bool:
        """Are there real tiles for each replaced joker? A tile serves one joker."""
        if not needs:
            return True
        (identity, number), rest = needs[0], needs[1:]
        return any(
            all(supply[k] > 0 for k in tiles) and self._supplied(rest, supply - Counter(tiles))
            for tiles in combinations(sorted(identity), number)
        )

    def _is_new(self, i, laid, kept, whole) -> bool:
        """Is the set of a replaced joker new: do its tiles and kept jokers hold no whole old set?"""
        held = Counter(k for n, (k, is_joker) in enumerate(laid) if not is_joker or (i, k, n) in kept)
        return self.rules.joker_reuse == "any_set" or not any(w <= held for w in whole)

    def _have_rack_tiles(self, sets, homes, from_rack, played) -> bool:
        """Do enough tiles from the rack lie in each set of a replaced joker?"""
        if not homes:
            return True
        home, *rest = homes
        jokers = sum(i == home for i, *_ in from_rack)
        number = max(0, self.rules.joker_reuse_min_rack_tiles - jokers)
        tiles = (Counter(k for k, is_joker in sets[home] if not is_joker) & played).elements()
        return any(
            self._have_rack_tiles(sets, rest, from_rack, played - Counter(used))
            for used in set(combinations(sorted(tiles), number))
        )
