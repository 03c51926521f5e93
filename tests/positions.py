"""Positions to try the solver and the judge on: generated mini games, and random tables of the full game."""

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from rummikub_env.rules import ONLY_FOR_REPLACED_JOKERS, RuleSet, rules_of
from rummikub_env.sets import Table, identities, parse_table, readings, resolve_table, table_text
from rummikub_env.tiles import Counts

FREE_JOKERS = {"joker_release": "free", **ONLY_FOR_REPLACED_JOKERS}


class Position(NamedTuple):
    """What a player has before him; `repr` is a line that can be pasted into a test."""

    rules: RuleSet
    table: Table
    rack: tuple[int, ...]
    opened: bool

    @property
    def counts(self) -> Counts:
        """The rack as counts."""
        return self.rules.tiles.count(self.rack)

    def __repr__(self) -> str:
        tiles = self.rules.tiles
        parts = (self.rules.name, table_text(tiles, self.table), tiles.join(self.rack), self.opened)
        return f"position{parts}"


def position(rules, table, rack, opened=True) -> Position:
    """The position told in text; the table as written where that is resolved."""
    rules = rules_of(rules) if isinstance(rules, str) else rules
    tiles = rules.tiles
    return Position(rules, resolve_table(rules, parse_table(tiles, table)), tiles.parse_all(rack), opened)


# Mini games


def vocabulary(rules, longest_run=5):
    """All sets as tuples of kinds: runs of up to so many tiles, and groups."""
    colours, values = len(rules.colours), rules.max_value
    runs = [
        tuple(colour * values + value for value in range(start, start + length))
        for colour in range(colours)
        for length in range(3, longest_run + 1)
        for start in range(values - length + 1)
    ]
    groups = [
        tuple(colour * values + value for colour in chosen)
        for value in range(values)
        for size in range(3, min(4, colours) + 1)
        for chosen in combinations(range(colours), size)
    ]
    return runs + groups


@st.composite
def rule_sets(draw):
    """Small tile sets under all rules for jokers."""
    copies = draw(st.sampled_from((1, 2, 3)))
    colours, highest = draw(st.integers(1, 4)), draw(st.integers(3, 7))
    worth = colours * copies * highest * (highest + 1) // 2
    told = {
        "colours": "KRBO"[:colours],
        "max_value": highest,
        "copies_per_tile": copies,
        "joker_count": draw(st.integers(0, 5 - copies)),
        "rack_size": 1,
        "initial_meld_points": min(worth, draw(st.sampled_from((0, 3, 6, 9, 12)))),
        "initial_meld_joker": draw(st.sampled_from(("face", "zero", "forbidden"))),
        "joker_release": draw(st.sampled_from(("replace", "replace", "replace", "free"))),
        "joker_replacement_source": draw(st.sampled_from(("rack_or_table", "rack"))),
        "joker_group3_release": draw(st.sampled_from(("either_missing", "both_missing"))),
        "joker_reuse": draw(st.sampled_from(("new_set", "any_set"))),
    }
    return rules_of("sabra", told | FREE_JOKERS if told["joker_release"] == "free" else told)


@st.composite
def tables(draw, rules, left):
    """Up to three resolved sets of the tiles in `left`, which are taken away."""
    tiles, table = rules.tiles, []
    for chosen in draw(st.lists(st.sampled_from(vocabulary(rules)), max_size=3)):
        jokers = draw(st.sets(st.sampled_from(chosen), max_size=2)) | {k for k in chosen if not left[k]}
        laid = tuple(tiles.joker if kind in jokers else kind for kind in chosen)
        if Counter(laid) <= left:
            left -= Counter(laid)
            table.append(draw(st.sampled_from(readings(rules, laid))))
    return tuple(table)


@st.composite
def racks(draw, rules, table, left, most=5):
    """Tiles of `left`, most of them near the table or in the place of its jokers."""
    tiles = rules.tiles
    replacing = [kind for pieces in table for kinds in identities(rules, pieces) for kind in kinds]
    beside = [k for pieces in table for p in pieces if p < tiles.joker for k in (p - 1, p + 1) if k >= 0]
    likely = [kind for kind in [*replacing, *replacing, *beside, tiles.joker] if left[kind]]
    assume(left.total())
    source = st.sampled_from(sorted(left))
    if likely:
        source = st.one_of(st.sampled_from(likely), st.sampled_from(likely), source)
    wanted = Counter(draw(st.lists(source, min_size=1, max_size=most)))
    return tuple(sorted((wanted & left).elements()))


@st.composite
def positions(draw):
    """A mini game, its table and a rack."""
    rules = draw(rule_sets())
    left = +Counter(dict(enumerate(rules.tiles.full.tolist())))
    table = draw(tables(rules, left))
    return Position(rules, table, draw(racks(rules, table, +left)), draw(st.integers(0, 5)) > 0)


# The full game


def random_position(rules, rng, n_table, n_rack, n_jokers=0):
    """A table of about `n_table` tiles, `n_jokers` of them jokers, and a rack of `n_rack` of the others."""
    tiles = rules.tiles
    left, table = Counter(dict(enumerate(rules.tiles.full.tolist()))), []
    words = vocabulary(rules, longest_run=13)
    for _ in range(1000):
        if sum(map(len, table)) >= n_table:
            break
        laid = list(words[rng.integers(len(words))])
        if n_jokers:
            laid[rng.integers(len(laid))] = tiles.joker
        if Counter(laid) <= left and (len(laid) < 6 or rng.random() < 0.2):
            n_jokers -= bool(n_jokers)
            left -= Counter(laid)
            choices = readings(rules, tuple(laid))
            table.append(choices[rng.integers(len(choices))])
    rest = rng.permutation(sorted(left.elements()))
    return Position(rules, tuple(table), tuple(sorted(rest[:n_rack].tolist())), True)


def weights_of(rules):
    """Objectives: as many tiles as can be; as many points, a joker 30."""
    tiles = rules.tiles
    points = [*map(tiles.value, range(tiles.joker)), 30]
    return {"tiles": np.ones(tiles.kinds, np.int64), "value": np.array(points, np.int64)}
