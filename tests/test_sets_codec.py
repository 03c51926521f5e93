"""The `sets` codec against exhaustive search: it spells every legal table, and nothing else."""

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracle import Oracle
from positions import FREE_JOKERS, Position, racks, tables

from rummikub_env.actions import codec_of
from rummikub_env.actions.finishing import Turn
from rummikub_env.actions.vocabulary import vocabulary
from rummikub_env.game import Move, Play, check
from rummikub_env.judge import settle
from rummikub_env.rules import rules_of
from rummikub_env.sets import is_run, parse_table, readings
from rummikub_env.solvable import check_solvable
from rummikub_env.state import State, stack, view

KINDS = {
    "replace": ("sabra", {}),
    "any set": ("sabra", {"joker_reuse": "any_set"}),
    "from the rack": ("sabra", {"joker_replacement_source": "rack"}),
    "both missing": ("sabra", {"joker_group3_release": "both_missing"}),
    "two tiles": ("sabra", {"min_tiles_per_turn": 2}),
    "free": ("sabra", {"joker_release": "free"} | FREE_JOKERS),
    "one set": ("pressman_1998_single_set", {}),
    "whole": ("sabra_timed", {"max_jokers_per_set": None}),
    "run first": ("vatikan", {}),
}
"""Rules that make masks differ: a preset, and what is changed."""


@st.composite
def rule_sets(draw):
    preset, changes = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    told = {
        "colours": "KRBO"[: draw(st.integers(2, 4))],
        "max_value": 5 if preset == "vatikan" else draw(st.integers(3, 5)),
        "copies_per_tile": draw(st.sampled_from((1, 2))),
        "joker_count": draw(st.integers(0, 3)),
        "rack_size": 1,
        "initial_meld_points": 0 if preset == "vatikan" else draw(st.sampled_from((3, 6, 9))),
        "initial_meld_joker": draw(st.sampled_from(("face", "face", "zero", "forbidden"))),
    }
    try:
        rules = rules_of(preset, told | changes)
        check_solvable(rules)
    except ValueError:
        assume(False)
    return rules


@st.composite
def positions(draw):
    rules = draw(rule_sets())
    left = +Counter(dict(enumerate(rules.tiles.full.tolist())))
    table = draw(tables(rules, left))
    assume(sum(map(len, table)) <= 9)
    opened = not rules.initial_meld_required or draw(st.integers(0, 3)) > 0
    return Position(rules, table, draw(racks(rules, table, +left)), opened)


def state_of(told):
    """The position as a state: the seat to move, and another one with an empty rack."""
    tiles = told.rules.tiles
    left = tiles.full - told.counts - tiles.count([piece for pieces in told.table for piece in pieces])
    both = np.stack([told.counts, 0 * told.counts])
    both.flags.writeable = False
    return State(
        told.rules, both, told.table, stack(tiles, tiles.listed(left)), (told.opened, True), 0, last=(None,) * 2
    )


oracle_of = cache(Oracle)
sets_codec = cache(lambda rules: codec_of("sets", rules))


def legal_tables(told):
    """Every table that a play may leave, as the sorted numbers of its sets, by trying all."""
    tiles, codec, found = told.rules.tiles, sets_codec(told.rules), set()
    before = Counter(tiles.physical(piece) for pieces in told.table for piece in pieces)
    for size in range(1, len(told.rack) + 1):
        for played in set(combinations(sorted(told.rack), size)):
            for laying in oracle_of(told.rules).layings(before + Counter(played)):
                after = tuple(resolved(told.rules, laid) for laid in laying)
                enough = size >= told.rules.min_tiles_per_turn
                if enough and settle(told.rules, told.table, after, played, told.opened).table == after:
                    found.add(tuple(sorted(map(codec.number, after))))
    return found


def resolved(rules, laid):
    """A set of the oracle as the vocabulary has it."""
    tiles = rules.tiles
    if tiles.value(laid[0][0]) != tiles.value(laid[1][0]):
        return tuple(tiles.joker_as(kind) if is_joker else kind for kind, is_joker in laid)
    real = tuple(kind for kind, is_joker in laid if not is_joker)
    joker = tiles.joker if real else 2 * tiles.joker + tiles.value(laid[0][0])
    options = readings(rules, real + (joker,) * (len(laid) - len(real)))
    return next(option for option in options if not is_run(rules, option))


def spelled_tables(told):
    """Every table that the masks lead to; each must be legal, and no way may lead nowhere."""
    codec, state = sets_codec(told.rules), state_of(told)
    found, known, drafts = set(), set(), [codec.begin(view(state, 0))]
    while drafts:
        draft = drafts.pop()
        key = tuple(sorted(draft.laid))
        if key in known:
            continue
        known.add(key)
        mask = codec.mask(draft)
        assert mask.any(), f"nothing goes on after {key}"
        for action in np.flatnonzero(mask).tolist():
            step = codec.step(draft, action)
            if not isinstance(step, Move):
                drafts.append(step)
                continue
            assert check(state, step) == ()
            if isinstance(step, Play):
                found.add(tuple(sorted(map(codec.number, step.table))))
                assert codec.spell(draft.view, step)[-1] == codec.end
    return found


@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(positions())
def test_all_legal_tables_are_spelled_and_no_others(told):
    assert spelled_tables(told) == legal_tables(told)


@pytest.mark.parametrize(
    ("rack", "laid"),
    [("R7 B8 K10 O1 O2", ""), ("B8 R8 O8 R7 B9", ""), ("B8 R8 O8 R7 B9", "B8 R8 O8 J")],
)
def test_sets_are_told_together_as_one_by_one(rack, laid):
    """In a game of all tiles, where many sets may come next that nothing goes on with."""
    table = "K3 K4 K5 K6 | K7 J=K8 K9 | R9 B9 O9 | R3 R4 R5 R6 | B10 B11 B12 B13 | O5 B5 J | O10 O11 O12"
    seen = view(State.from_text(f"sabra; racks {rack} / K1 K2; table {table}; opened ++; pool O13 R13"), 0)
    codec, draft = sets_codec(seen.rules), sets_codec(seen.rules).begin(seen)
    laid = parse_table(seen.rules.tiles, laid) if laid else ()
    for pieces in laid:
        draft = codec.step(draft, codec.number(pieces))
    turn, words = draft.turn, vocabulary(seen.rules)
    may = np.flatnonzero(turn.within(turn.at_hand - draft.counts) & (words.counts[:, -1] > 0)).tolist()
    one_by_one = [number for number in may if turn.can_finish((*draft.laid, words.sets[number]))]
    assert 0 < len(one_by_one) < len(may) / 2
    assert [*Turn(seen).finishing(draft.laid, may)] == one_by_one
    assert [*Turn(seen).finishing(draft.laid, may[::-1])] == one_by_one[::-1]


def test_every_set_has_one_number_and_every_number_a_set():
    words = vocabulary(rules_of("sabra"))
    assert len(words.sets) == len(set(words.sets)) == len(set(words.alike.tolist())) == 7673
    codec = codec_of("sets", rules_of("sabra"))
    assert [codec.number(pieces) for pieces in words.sets] == list(range(len(words.sets)))


ONE_COLOUR = {"colours": "K", "max_value": 3, "rack_size": 1, "initial_meld_points": 3}


def test_jokers_that_may_stand_for_every_tile_at_once_are_refused():
    with pytest.raises(ValueError, match="does not know 3 jokers with 3 values in 1 colours"):
        codec_of("sets", rules_of("sabra", ONE_COLOUR | {"joker_count": 3}))
    free = ONE_COLOUR | {"joker_count": 3, "joker_release": "free"} | FREE_JOKERS
    for known in (free, ONE_COLOUR | {"joker_count": 2}, ONE_COLOUR | {"colours": "KR", "joker_count": 5}):
        assert codec_of("sets", rules_of("sabra", known)).n > 1


def test_two_jokers_of_the_smallest_game_are_thought_through():
    rules = rules_of("sabra", ONE_COLOUR | {"joker_count": 2})
    tiles = rules.tiles
    table = ((0, 1, tiles.joker_as(2)), (0, tiles.joker_as(1), 2))
    told = Position(rules, table, (1, 2), True)
    assert spelled_tables(told) == legal_tables(told)
