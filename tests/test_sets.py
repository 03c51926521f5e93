from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rummikub_env.reasons import Reason
from rummikub_env.rules import rules_of
from rummikub_env.sets import (
    identities,
    is_run,
    parse_set,
    parse_table,
    readings,
    refusals,
    resolve_table,
    set_text,
    table_text,
    value,
)

RULES = rules_of("sabra")
TILES = RULES.tiles


def read(text):
    return [set_text(TILES, resolved) for resolved in readings(RULES, parse_set(TILES, text))]


def reasons(text, ordered=False):
    return [refusal.reason for refusal in refusals(RULES, parse_set(TILES, text), ordered)]


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("R5 R3 R4", ["R3 R4 R5"]),
        ("O7 K7 B7 R7", ["K7 R7 B7 O7"]),
        ("R3 J R5", ["R3 J=R4 R5"]),
        ("R3 R5 J=R4", ["R3 J=R4 R5"]),
        ("J O9 B9", ["B9 O9 J"]),
        ("J=K9 O9 B9", ["J=K9 B9 O9"]),
        ("J=9 J=9 B9", ["B9 J J"]),
        ("R11 R12 J", ["R11 R12 J=R13", "J=R10 R11 R12"]),
        ("R12 R13 J", ["J=R11 R12 R13"]),
        ("J R1 R2", ["R1 R2 J=R3"]),
        ("J R13 J", ["R13 J J", "J=R11 J=R12 R13"]),
        ("K1 J J", ["K1 J=K2 J=K3", "K1 J J"]),
        ("R7 J J=R9", ["R7 J=R8 J=R9"]),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 J", ["R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 J=R13"]),
    ],
)
def test_a_set_has_these_meanings_the_most_valuable_first(text, resolved):
    assert read(text) == resolved
    assert reasons(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.E_SET_TOO_SHORT),
        ("R3 R4", Reason.E_SET_TOO_SHORT),
        ("J J", Reason.E_SET_TOO_SHORT),
        ("R3 R4 R6", Reason.E_RUN_GAP),
        ("R4 R7 J", Reason.E_RUN_GAP),
        ("R12 R13 R1", Reason.E_RUN_WRAP),
        ("R1 R13 J", Reason.E_RUN_WRAP),
        ("K11 K12 K13 K1", Reason.E_RUN_WRAP),
        ("R3 R4 R4 R5", Reason.E_RUN_DUPLICATE),
        ("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 J", Reason.E_RUN_TOO_LONG),
        ("R7 B7 K7 R7", Reason.E_GROUP_DUP_COLOUR),
        ("R9 R9 J", Reason.E_GROUP_DUP_COLOUR),
        ("R7 B7 K7 O7 J", Reason.E_GROUP_TOO_LARGE),
        ("R4 B5 K6", Reason.E_NOT_A_SET),
        ("R4 B6 J", Reason.E_NOT_A_SET),
        ("R5 B6 R7", Reason.E_NOT_A_SET),
        ("R3 J=R6 R5", Reason.E_JOKER_DECL_MISMATCH),
        ("R3 J=3 R5", Reason.E_JOKER_DECL_MISMATCH),
        ("R7 B7 J=R7", Reason.E_JOKER_DECL_MISMATCH),
    ],
)
def test_what_is_no_set_says_why(text, reason):
    assert read(text) == []
    assert reasons(text) == [reason]


def test_a_refusal_names_the_tiles():
    (refusal,) = refusals(RULES, parse_set(TILES, "R3 R4"))
    assert str(refusal) == "A set needs at least three tiles. (R3 R4)"


def test_the_order_means_nothing_unless_tiles_lie_in_order():
    assert reasons("R12 R13 J") == []
    assert reasons("R12 R13 J", ordered=True) == [Reason.E_JOKER_OUT_OF_RANGE]
    assert reasons("J R1 R2", ordered=True) == [Reason.E_JOKER_OUT_OF_RANGE]
    assert reasons("J R12 R13", ordered=True) == []
    assert reasons("B7 J K7", ordered=True) == []


def test_a_joker_is_worth_the_tile_it_stands_for():
    def worth(text):
        return value(RULES, readings(RULES, parse_set(TILES, text))[0])

    assert worth("R3 R4 R5") == 12
    assert worth("R10 J R12") == 33
    assert worth("R9 B9 J") == 27
    assert worth("R11 R12 J") == 36
    assert worth("K13 J J") == 39


def test_runs_and_groups_are_told_apart():
    assert is_run(RULES, parse_set(TILES, "R3 J=R4 R5"))
    assert is_run(RULES, parse_set(TILES, "J=R3 J=R4 R5"))
    assert not is_run(RULES, parse_set(TILES, "R3 J J"))
    assert not is_run(RULES, parse_set(TILES, "J=K3 R3 B3"))


@pytest.mark.parametrize(
    ("text", "stands_for"),
    [
        ("R3 R4 R5", []),
        ("R3 J=R4 J=R5", ["R4", "R5"]),
        ("K7 B7 J", ["R7 O7"]),
        ("K7 J J", ["R7 B7 O7", "R7 B7 O7"]),
        ("K7 J=R7 J", ["R7", "B7 O7"]),
        ("K7 R7 B7 J", ["O7"]),
    ],
)
def test_identities_of_the_jokers_in_a_set(text, stands_for):
    expected = tuple(frozenset(parse_set(TILES, kinds)) for kinds in stands_for)
    assert identities(RULES, parse_set(TILES, text)) == expected


def test_a_group_of_jokers_alone_knows_its_value():
    rules = rules_of("sabra", {"joker_count": 4})
    groups = [s for s in readings(rules, (52,) * 3) if not is_run(rules, s)]
    assert [value(rules, group) for group in groups] == [3 * v for v in range(13, 0, -1)]
    assert set_text(TILES, groups[0]) == "J=13 J=13 J=13"
    assert identities(rules, groups[0])[0] == set(parse_set(TILES, "K13 R13 B13 O13"))
    assert readings(rules, groups[0]) == (groups[0],)


def test_resolving_keeps_what_is_resolved():
    table = parse_table(TILES, "K1 J J | R11 R12 J")
    assert table_text(TILES, resolve_table(RULES, table)) == "K1 J J | R11 R12 J=R13"
    with pytest.raises(ValueError, match="at least three"):
        resolve_table(RULES, parse_table(TILES, "K1 K2"))


def test_tables_read_back():
    for text in ("", "R3 R4 R5", "R3 J=R4 R5 | K7 B7 J"):
        assert table_text(TILES, parse_table(TILES, text)) == text


def test_the_number_of_sets_without_jokers():
    rules = rules_of("sabra", {"colours": "KRB", "max_value": 5})
    kinds = range(rules.tiles.joker)
    found = [s for n in (3, 4, 5) for s in combinations(kinds, n) if readings(rules, s)]
    assert len(found) == 3 * (3 + 2 + 1) + 5  # runs of 3, 4, 5 in each colour; a group of each value


@given(st.lists(st.integers(0, 52), min_size=3, max_size=6))
def test_a_reading_has_the_same_tiles_and_is_its_own_reading(pieces):
    pieces = tuple(pieces)
    options = readings(RULES, pieces)
    assert bool(options) != bool(refusals(RULES, pieces))
    assert list(options) == sorted(options, key=lambda s: -value(RULES, s))
    for resolved in options:
        assert Counter(map(TILES.physical, resolved)) == Counter(pieces)
        assert resolved in readings(RULES, resolved)
        assert parse_set(TILES, set_text(TILES, resolved)) == resolved
