"""What a turn may do with the table, sentence by sentence: the opening, then the jokers."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from oracle import Oracle

from rummikub_env.judge import settle
from rummikub_env.reasons import Reason
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table, resolve_table, table_text

TILES = rules_of("sabra").tiles


def judge(before, after, played, opened=True, **overrides):
    """The reasons why the turn is illegal, else the new table."""
    rules = rules_of("sabra", overrides)
    table = resolve_table(rules, parse_table(TILES, before))
    verdict = settle(rules, table, parse_table(TILES, after), TILES.parse_all(played), opened)
    return [refusal.reason for refusal in verdict.refusals] or table_text(TILES, verdict.table)


def opening(before, after, played, **overrides):
    return judge(before, after, played, opened=False, **overrides)


# Sets


def test_every_set_that_is_none_is_named():
    assert judge("R3 R4 R5 R6", "R3 R4 | R5 R6 B6", "B6") == [Reason.E_SET_TOO_SHORT, Reason.E_NOT_A_SET]


# The opening


def test_the_opening_is_worth_30_in_one_or_more_sets():
    assert opening("", "K10 R10 B10", "K10 R10 B10") == "K10 R10 B10"
    assert opening("", "R1 R2 R3 | K8 B8 O8", "R1 R2 R3 B8 K8 O8") == "R1 R2 R3 | K8 B8 O8"
    assert opening("", "K9 R9 B9", "K9 R9 B9") == [Reason.E_MELD_BELOW_MINIMUM]
    assert opening("", "K9 R9 B9", "K9 R9 B9", initial_meld_points=27) == "K9 R9 B9"


def test_one_set_may_have_to_be_worth_it_alone():
    laid = "K10 R10 B10 | R1 R2 R3"
    assert opening("", laid, "K10 R10 B10 R1 R2 R3", initial_meld_scope="single_set") == laid
    below = opening("", "K9 R9 B9 | R1 R2 R3", "R9 B9 K9 R1 R2 R3", initial_meld_scope="single_set")
    assert below == [Reason.E_MELD_BELOW_MINIMUM]


def test_a_joker_in_the_opening_counts_as_the_tile_it_stands_for():
    assert opening("", "R9 R10 J", "R9 R10 J") == "R9 R10 J=R11"
    assert opening("", "J=R8 R9 R10", "R9 R10 J") == [Reason.E_MELD_BELOW_MINIMUM]
    assert opening("", "K10 J=10 J=10", "K10 J J") == "K10 J J"


def test_a_joker_in_the_opening_takes_the_reading_that_helps():
    assert opening("", "K1 J J", "K1 J J", initial_meld_points=6) == "K1 J=K2 J=K3"
    assert opening("", "K1 J J", "K1 J J", initial_meld_points=3) == "K1 J J"


def test_a_joker_in_the_opening_may_count_nothing_or_be_forbidden():
    assert opening("", "R10 R11 R12 J", "R10 R11 R12 J", initial_meld_joker="zero") == "R10 R11 R12 J=R13"
    assert opening("", "R9 R10 J", "R9 R10 J", initial_meld_joker="zero") == [Reason.E_MELD_BELOW_MINIMUM]
    forbidden = opening("", "R10 R11 R12 J", "R10 R11 R12 J", initial_meld_joker="forbidden")
    assert forbidden == [Reason.E_MELD_JOKER_FORBIDDEN]


def test_the_opening_may_not_use_the_table():
    assert opening("K8 B8 O8", "K8 R8 B8 O8", "R8") == [Reason.E_MELD_USES_TABLE]
    assert opening("R10 R11 R12 R13", "R10 R11 R12 | K13 R13 B13", "B13 K13") == [Reason.E_MELD_USES_TABLE]
    cheap = opening("B3 B4 B5", "B3 B4 B5 B6 | R1 R2 R3", "B6 R1 R2 R3")
    assert cheap == [Reason.E_MELD_USES_TABLE]


def test_nothing_else_may_change_in_the_turn_of_the_opening():
    told = opening("B3 B4 B5", "B3 B4 B5 B6 | K10 R10 B10", "K10 R10 B10 B6")
    assert told == [Reason.E_MELD_TABLE_PLAY_SAME_TURN]


def test_no_joker_is_retrieved_before_the_opening():
    told = opening("R5 J=R6 R7", "R5 R6 R7 | K10 B10 J", "R6 K10 B10")
    assert told == [Reason.E_JOKER_BEFORE_MELD]


def test_the_opening_leaves_sets_with_jokers_as_they_are():
    after = "K10 B10 O10 | R5 J R7 | K3 R3 J"
    assert opening("R5 J R7 | K3 R3 J", after, "K10 B10 O10") == "K10 B10 O10 | R5 J=R6 R7 | K3 R3 J"


def test_a_run_whose_joker_is_read_anew_has_changed():
    told = opening("J=R3 R4 R5", "R4 R5 J=R6 | K10 B10 O10", "K10 B10 O10")
    assert told == [Reason.E_MELD_TABLE_PLAY_SAME_TURN]


def test_equal_sets_are_told_apart_by_their_jokers():
    before = "R4 R5 J=R6 | J=R3 R4 R5"
    after = "J R4 R5 | R4 R5 J=R6 | K10 B10 O10"
    assert opening(before, after, "K10 B10 O10") == "J=R3 R4 R5 | R4 R5 J=R6 | K10 B10 O10"


# Jokers that are kept


def test_a_joker_may_stay_while_its_set_is_rearranged():
    after = "R4 J=R5 R6 | R6 R7 R8"
    assert judge("R4 J=R5 R6 R7 R8", after, "R6") == after


def test_a_joker_may_move_with_its_meaning():
    after = "K1 R1 B1 | K4 R4 J=B4 | K2 R2 B2 | K3 R3 B3"
    before = "R1 R2 R3 R4 | K1 K2 K3 K4 | B1 B2 B3 J=B4"
    assert judge(before + " | O9 O10 O11", after + " | O9 O10 O11 O12", "O12") == after + " | O9 O10 O11 O12"


def test_an_open_joker_of_a_group_may_become_any_missing_colour():
    assert judge("K7 B7 J", "K7 B7 | R5 R6 J", "R5 R6")[0] == Reason.E_SET_TOO_SHORT
    assert judge("K7 B7 O7 J", "K7 B7 O7 | R5 R6 J=R7", "R5 R6") == "K7 B7 O7 | R5 R6 J=R7"
    assert judge("K7 R7 O7 J", "K7 R7 O7 | R5 R6 J=R7", "R5 R6") == [Reason.E_JOKER_NOT_REPLACED]


def test_a_joker_that_is_left_open_takes_the_reading_that_is_legal():
    assert judge("J=R3 R4 R5", "J R4 R5 | K1 K2 K3", "K1 K2 K3") == "J=R3 R4 R5 | K1 K2 K3"


def test_a_joker_may_not_slide_or_be_lifted():
    assert judge("J=R3 R4 R5", "R4 R5 J R7", "R7") == [Reason.E_JOKER_NOT_REPLACED]
    assert judge("R3 R4 R5 J=R6", "R3 R4 R5 | K10 B10 J", "K10 B10") == [Reason.E_JOKER_NOT_REPLACED]
    assert judge("K3 R3 J=B3 O3", "K3 R3 O3 | K10 B10 J", "K10 B10") == [Reason.E_JOKER_NOT_REPLACED]


def test_two_jokers_of_one_set_cannot_stand_for_the_same_tile():
    before = "R5 R6 J=R7 | R6 J=R7 R8 | K8 R8 B8 | K5 R5 B5"
    after = "O7 J J | K6 R6 B6 | K6 R6 O6 | K8 R8 B8 | K5 R5 B5 | R8 B8 O8 | R5 B5 O5"
    played = "O7 B6 K6 O6 K6 O8 B8 O5 B5"
    assert judge(before, after, played) == [Reason.E_JOKER_NOT_REPLACED]


# Jokers that are replaced


def test_a_tile_from_the_rack_frees_a_joker_for_a_new_set():
    assert judge("R5 J=R6 R7", "R5 R6 R7 | K10 B10 J", "R6 K10 B10") == "R5 R6 R7 | K10 B10 J"
    assert judge("R5 J=R6 R7", "R5 B6 R7 | K10 B10 J", "B6 K10 B10") == [Reason.E_NOT_A_SET]


def test_each_missing_colour_frees_the_joker_of_a_group():
    for tile in ("O3", "B3"):
        played = f"{tile} K10 B10"
        assert isinstance(judge("K3 R3 J", f"R3 K3 {tile} | K10 B10 J", played), str)


def test_both_missing_colours_may_be_needed_in_a_group_of_three():
    rule = {"joker_group3_release": "both_missing"}
    one = judge("K3 R3 J", "K3 R3 O3 | K10 B10 J", "O3 K10 B10", **rule)
    assert one == [Reason.E_JOKER_GROUP_NEEDS_BOTH]
    both = judge("K3 R3 J", "K3 R3 B3 O3 | K10 B10 J", "O3 B3 K10 B10", **rule)
    assert both == "K3 R3 B3 O3 | K10 B10 J"
    run = judge("R5 J=R6 R7", "R5 R6 R7 | K10 B10 J", "R6 K10 B10", **rule)
    assert run == "R5 R6 R7 | K10 B10 J"


def test_a_tile_of_the_table_frees_a_joker_unless_it_must_come_from_the_rack():
    before, after = "R5 J=R6 R7 | K6 R6 B6 O6", "R5 R6 R7 | K6 B6 O6 | K10 B10 J"
    assert judge(before, after, "K10 B10") == after
    told = judge(before, after, "K10 B10", joker_replacement_source="rack")
    assert told == [Reason.E_JOKER_REPLACEMENT_SOURCE]


def test_the_replacing_tile_need_not_take_the_place_of_the_joker():
    before = "R5 J=R6 R7 | R8 R9 R10 | K5 B5 O5"
    after = "R6 R7 R8 R9 R10 | K5 R5 B5 O5 | K10 B10 J"
    assert judge(before, after, "R6 K10 B10") == after


def test_a_tile_serves_one_joker():
    before = "R5 J=R6 R7 | R5 J=R6 R7"
    after = "R5 R6 R7 | K5 R5 B5 | K7 R7 B7 | O10 J J"
    played = "R6 B5 K5 B7 K7 O10"
    assert judge(before, after, played) == [Reason.E_JOKER_NOT_REPLACED]
    both = "R5 R6 R7 | R5 R6 R7 | O10 J J"
    assert judge(before, both, "R6 R6 O10") == both


def test_both_freed_jokers_may_lie_in_one_new_set():
    after = "R4 R5 R6 R7 | B9 J=B10 J=B11"
    assert judge("R4 J=R5 J=R6 R7", after, "R5 R6 B9") == after


def test_one_of_two_jokers_may_be_freed():
    after = "R7 B7 J | K1 K2 J=K3"
    assert judge("R7 J J", after, "B7 K1 K2") == after


def test_a_freed_joker_lies_in_a_new_set():
    before, after = "R5 J=R6 R7 | B3 B4 B5", "R5 R6 R7 | B3 B4 B5 J=B6 B7"
    assert judge(before, after, "R6 B7") == [Reason.E_JOKER_REUSE_NOT_NEW_SET]
    assert judge(before, after, "R6 B7", joker_reuse="any_set") == after


def test_its_own_old_set_with_the_replacement_is_no_new_set():
    told = [Reason.E_JOKER_REUSE_NOT_NEW_SET]
    assert judge("R5 J=R6 R7", "R5 R6 R7 J=R8", "R6") == told
    assert judge("K3 R3 J=O3", "K3 R3 O3 J=B3", "O3") == told


def test_an_open_joker_of_a_group_keeps_the_colour_that_is_left():
    assert judge("K3 R3 J", "K3 R3 O3 J", "O3") == "K3 R3 O3 J"


def test_a_new_set_may_hold_tiles_of_the_table():
    before, after = "R5 J=R6 R7 | K12 R12 B12 O12", "R5 R6 R7 | K12 R12 B12 | J=O11 O12 O13"
    assert judge(before, after, "R6 O13") == after
    told = judge(before, after, "R6 O13", joker_reuse_min_rack_tiles=2)
    assert told == [Reason.E_JOKER_REUSE_RACK_TILES]
    assert judge(before, after, "R6 O13", joker_reuse_min_rack_tiles=1) == after


def test_a_joker_of_the_rack_counts_as_a_tile_of_the_rack():
    before, after = "R5 J=R6 R7", "R5 R6 R7 | K10 J J"
    assert judge(before, after, "R6 K10 J", joker_reuse_min_rack_tiles=2) == after
    told = judge(before, after, "R6 K10 J", joker_reuse_min_rack_tiles=3)
    assert told == [Reason.E_JOKER_REUSE_RACK_TILES]


def test_a_tile_of_the_rack_counts_in_one_set_only():
    before = "R5 J=R6 R7 | R5 J=R6 R7 | K9 R9 B9 O9 | K10 K11 K12 K13"
    after = "R5 R6 R7 | R5 R6 R7 | K9 B9 O9 | R9 J R11 | K10 K11 K12 | K13 R13 J"
    played = "R6 R6 R11 R13"
    assert isinstance(judge(before, after, played, joker_reuse_min_rack_tiles=1), str)
    assert judge(before, after, played, joker_reuse_min_rack_tiles=2) == [Reason.E_JOKER_REUSE_RACK_TILES]


def test_a_joker_from_the_rack_is_free():
    after = "B6 B7 J=B8 | B8 B9 B10"
    assert judge("B6 B7 B8 B9 B10", after, "J") == after


@pytest.mark.parametrize(
    ("before", "after", "played"),
    [
        ("R3 R4 R5 J=R6", "R3 R4 R5 | K10 B10 J", "K10 B10"),
        ("J=R3 R4 R5", "R4 R5 J=R6 R7", "R7"),
        ("R5 J=R6 R7 | B3 B4 B5", "R5 R6 R7 | B3 B4 B5 J=B6 B7", "R6 B7"),
    ],
)
def test_free_jokers_go_anywhere(before, after, played):
    assert judge(before, after, played, joker_release="free") == after


def test_the_refusal_names_the_joker():
    rules = rules_of("sabra")
    before = resolve_table(rules, parse_table(TILES, "R3 R4 R5 J=R6 | K7 B7 O7"))
    after = parse_table(TILES, "R3 R4 R5 | K7 B7 O7 | K10 B10 J")
    (refusal,) = settle(rules, before, after, TILES.parse_all("K10 B10"), True).refusals
    assert str(refusal) == (
        "A joker keeps its meaning until a tile of that meaning replaces it. (the joker of R3 R4 R5 J=R6 stands for R6)"
    )


# Sets that must be declared, and how many jokers they may hold


def test_jokers_that_could_mean_several_things_may_have_to_be_declared():
    rule = {"joker_declaration": "required"}
    assert judge("", "R7 J J", "R7 J J", **rule) == [Reason.E_JOKER_DECL_REQUIRED]
    assert judge("", "R11 R12 J", "R11 R12 J", **rule) == [Reason.E_JOKER_DECL_REQUIRED]
    assert judge("", "R10 J R12", "R10 J R12", **rule) == "R10 J=R11 R12"
    assert judge("", "R7 J=7 J=7", "R7 J J", **rule) == "R7 J=7 J=7"
    assert judge("", "R7 B7 J", "R7 B7 J", **rule) == "R7 B7 J"


def test_what_lay_there_need_not_be_declared_again():
    rule = {"joker_declaration": "required"}
    assert judge("R7 J=R8 J=R9", "R7 J J | K1 K2 K3", "K1 K2 K3", **rule) == "R7 J=R8 J=R9 | K1 K2 K3"
    assert judge("R7 J=7 J=7", "R7 J=7 J=7 | K1 K2 K3", "K1 K2 K3", **rule) == "R7 J=7 J=7 | K1 K2 K3"


def test_a_set_may_hold_so_many_jokers():
    assert judge("", "R7 J J", "R7 J J", max_jokers_per_set=1) == [Reason.E_TOO_MANY_JOKERS]
    assert judge("", "R7 B7 J", "R7 B7 J", max_jokers_per_set=1) == "R7 B7 J"


# The opening, other rules


AFTER = {"initial_meld_table_play": "after_meld"}


def test_the_opening_may_have_to_hold_a_run():
    assert opening("", "K10 R10 B10", "K10 R10 B10", initial_meld_type="run") == [Reason.E_MELD_NOT_RUN]
    both = "K10 R10 B10 | R1 R2 R3"
    assert opening("", both, "K10 R10 B10 R1 R2 R3", initial_meld_type="run") == both


def test_without_an_opening_the_table_may_be_used_at_once():
    rule = {"initial_meld_required": False, "initial_meld_points": 0, **AFTER}
    assert opening("K10 K11 K12", "K10 K11 K12 K13", "K13", **rule) == "K10 K11 K12 K13"


def test_after_the_opening_the_turn_may_go_on():
    after = "B3 B4 B5 B6 | K10 R10 B10"
    assert opening("B3 B4 B5", after, "K10 R10 B10 B6", **AFTER) == after
    assert opening("B3 B4 B5", "B3 B4 B5 B6 | K9 R9 B9", "K9 R9 B9 B6", **AFTER) == [Reason.E_MELD_BELOW_MINIMUM]
    assert opening("B3 B4 B5", "B3 B4 B5 B6", "B6", **AFTER) == [Reason.E_MELD_USES_TABLE]


def test_the_sets_of_the_opening_may_be_used_in_the_turn_that_goes_on():
    """Two sets make the 30, then both are taken apart: nothing of the own tiles lies together any more."""
    before = "R7 R8 R9 | O3 O4 O5 | K3 B3 O3"
    after = "R7 R8 R9 R10 | O3 O4 O5 | K3 B3 O3"
    assert opening(before, after, "R10", **AFTER) == [Reason.E_MELD_USES_TABLE]
    before, after = "B7 B8 B9 | O7 O8 O9", "B7 B8 B9 B10 | O7 O8 O9 O10 | K8 K9 K10"
    assert opening(before, after, "B10 O10 K10 K8 K9", **AFTER) == after
    before, after = "R8 B8 O8 | R9 B9 O9", "K8 R8 B8 O8 | K9 R9 B9 O9 | K1 K2 K3 | K7 R7 O7"
    assert opening(before, after, "K7 K8 K9 K1 K2 K3 R7 O7", **AFTER) == after


def test_a_table_is_not_read_anew_if_it_may_lie_as_it_says_after_another_opening():
    """A run of the own tiles, or J=B11 J=B12 B13, whose jokers tiles of the table then free for a group."""
    before, run, group = "B10 B11 B12", "B10 B11 B12 B13 | K2 J=K3 J=K4", "B10 B11 B12 B13 | K2 J J"
    for after in (run, group):
        assert opening(before, after, "B13 K2 J J", initial_meld_type="run", initial_meld_points=0, **AFTER) == after


def test_two_opening_sets_may_both_be_taken_apart():
    before = "R4 B4 O4 | R5 B5 O5 | R6 B6 O6 | R7 B7 K7 | R8 B8 K8 | R9 B9 K9"
    after = "K4 R4 B4 O4 | K5 R5 B5 O5 | K6 R6 B6 O6 | K7 R7 B7 O7 | K8 R8 B8 O8 | K9 R9 B9 O9"
    assert opening(before, after, "K4 K5 K6 O7 O8 O9", **AFTER) == after
    assert opening(before, after, "K4 K5 K6 O7 O8 O9", **AFTER, initial_meld_points=40) == [Reason.E_MELD_USES_TABLE]
    single = {"initial_meld_scope": "single_set", **AFTER}
    assert opening(before, after, "K4 K5 K6 O7 O8 O9", **single) == [Reason.E_MELD_USES_TABLE]


def told_opening(before, after, played, opening, **overrides):
    rules = rules_of("sabra", AFTER | overrides)
    table = resolve_table(rules, parse_table(TILES, before))
    told = parse_table(TILES, opening)
    verdict = settle(rules, table, parse_table(TILES, after), TILES.parse_all(played), False, told)
    return [refusal.reason for refusal in verdict.refusals] or table_text(TILES, verdict.table)


def test_the_opening_sets_may_be_told():
    before, after, played = "B3 B4 B5", "B3 B4 B5 B6 | K10 R10 B10", "K10 R10 B10 B6"
    assert told_opening(before, after, played, "K10 R10 B10") == after
    assert told_opening(before, after, played, "B4 B5 B6") == [Reason.E_MELD_USES_TABLE]
    assert told_opening(before, after, played, "K10 R10") == [Reason.E_SET_TOO_SHORT]
    low = told_opening("B3 B4 B5", "B3 B4 B5 B6 | K9 R9 B9", "K9 R9 B9 B6", "K9 R9 B9")
    assert low == [Reason.E_MELD_BELOW_MINIMUM]


def test_a_joker_told_in_the_opening_keeps_its_meaning_in_that_turn():
    after = "K11 K12 J=K13 | R1 R2 R3"
    assert told_opening("", after, "K11 K12 J R1 R2 R3", "K11 K12 J=K13") == after
    slid = "J=K10 K11 K12 | R1 R2 R3"
    assert told_opening("", slid, "K11 K12 J R1 R2 R3", "K11 K12 J=K13") == [Reason.E_JOKER_NOT_REPLACED]


def test_a_joker_may_be_swapped_for_an_own_tile_and_laid_in_the_opening():
    rule = {"joker_retrieval_before_meld": True}
    after = "R5 R6 R7 | K10 B10 J"
    assert opening("R5 J=R6 R7", after, "R6 K10 B10", **rule) == after
    group = "K3 R3 O3 | K10 B10 J"
    assert opening("K3 R3 J", group, "O3 K10 B10", **rule) == group
    both = "R4 R5 R6 R7 | K10 J J"
    assert opening("R4 J=R5 J=R6 R7", both, "R5 R6 K10", **rule) == both


def test_the_swapped_tile_counts_nothing_in_the_opening():
    low = opening("R5 J=R6 R7", "R5 R6 R7 | K9 B9 J", "R6 K9 B9", joker_retrieval_before_meld=True)
    assert low == [Reason.E_MELD_BELOW_MINIMUM]


def test_nothing_but_the_swap_is_allowed_before_the_opening():
    rule = {"joker_retrieval_before_meld": True}
    lifted = opening("R3 R4 R5 J=R6", "R3 R4 R5 | K10 B10 J", "K10 B10", **rule)
    assert lifted == [Reason.E_JOKER_NOT_REPLACED]
    more = opening("R5 J=R6 R7", "R5 R6 R7 R8 | K10 B10 J", "R6 R8 K10 B10", **rule)
    assert more == [Reason.E_JOKER_NOT_REPLACED]
    table = opening("R5 J=R6 R7 | R6 B6 K6 O6", "R5 R6 R7 | B6 K6 O6 | K10 B10 J", "K10 B10", **rule)
    assert table == [Reason.E_JOKER_NOT_REPLACED]


def test_the_swapped_joker_lies_beside_enough_tiles_of_the_rack():
    rule = {"joker_retrieval_before_meld": True, "joker_reuse_min_rack_tiles": 2}
    both = "R4 R5 R6 R7 | K10 J J"
    assert opening("R4 J=R5 J=R6 R7", both, "R5 R6 K10", **rule) == [Reason.E_JOKER_REUSE_RACK_TILES]
    assert opening("R5 J=R6 R7", "R5 R6 R7 | K10 B10 J", "R6 K10 B10", **rule) == "R5 R6 R7 | K10 B10 J"


def test_the_swap_needs_both_colours_where_a_joker_does():
    rule = {"joker_retrieval_before_meld": True, "joker_group3_release": "both_missing"}
    assert opening("K3 R3 J", "K3 R3 O3 | K10 B10 J", "O3 K10 B10", **rule) == [Reason.E_JOKER_NOT_REPLACED]
    both = "K3 R3 B3 O3 | K10 B10 J"
    assert opening("K3 R3 J", both, "O3 B3 K10 B10", **rule) == both


# Sets with jokers to which tiles may only be added


ADD = {"joker_set_edits": "add_only"}


def test_a_set_with_a_joker_may_be_lengthened():
    assert judge("R5 J=R6 R7", "R5 J=R6 R7 R8", "R8", **ADD) == "R5 J=R6 R7 R8"
    joined = "R3 R4 J=R5 R6 R7 R8 R9"
    assert judge("R3 R4 J=R5 | R6 R7 R8", joined, "R9", **ADD) == joined


def test_nothing_is_taken_from_a_set_with_a_joker():
    frozen = [Reason.E_JOKER_SET_FROZEN]
    assert judge("R4 J=R5 R6 R7 R8", "R4 J=R5 R6 R7 | R8 B8 K8", "B8 K8", **ADD) == frozen
    assert judge("R4 J=R5 R6 R7 R8", "R4 J=R5 R6 | R6 R7 R8", "R6", **ADD) == frozen
    assert judge("R3 K3 O3 J", "K3 O3 J | R1 R2 R3", "R1 R2", **ADD) == frozen


def test_a_set_whose_joker_was_replaced_may_be_taken_apart():
    after = "R5 R6 R7 | K8 R8 B8 J=O8"
    assert judge("R5 J=R6 R7 R8", after, "R6 B8 K8", **ADD) == after


def test_a_set_stays_whole_around_the_joker_that_was_not_replaced():
    after = "R4 R5 J=R6 R7 | K1 K2 J=K3"
    assert judge("R4 J=R5 J=R6 R7", after, "R5 K1 K2", **ADD) == after
    apart = judge("R4 J=R5 J=R6 R7", "R5 J=R6 R7 | R4 B4 K4 J=O4", "R5 B4 K4", **ADD)
    assert apart == [Reason.E_JOKER_SET_FROZEN]


# Runs past the 1, groups of equal colours


def test_the_1_may_lie_at_either_end():
    both = {"run_wrap": "ace_both"}
    assert judge("K11 K12 K13", "K11 K12 K13 K1", "K1", **both) == "K11 K12 K13 K1"
    assert judge("", "K1 K2 K3", "K1 K2 K3", **both) == "K1 K2 K3"
    assert judge("", "K12 K13 J", "K12 K13 J", **both) == "J=K11 K12 K13"
    assert judge("", "K12 K13 J=K1", "K12 K13 J", **both) == "K12 K13 J=K1"
    assert judge("", "K13 K1 K2", "K13 K1 K2", **both) == [Reason.E_RUN_WRAP]


def test_the_1_may_lie_above_only():
    assert judge("", "K12 K13 K1", "K12 K13 K1", run_wrap="ace_high") == "K12 K13 K1"
    assert judge("", "K1 K2 K3", "K1 K2 K3", run_wrap="ace_high") == [Reason.E_RUN_WRAP]


def test_a_run_may_go_on_past_the_1():
    assert judge("", "K12 K13 K1 K2", "K12 K13 K1 K2", run_wrap="circular") == "K12 K13 K1 K2"
    whole = " ".join(f"K{value}" for value in range(1, 14))
    assert judge("", whole, whole, run_wrap="circular") == whole
    assert judge("", whole + " J", whole + " J", run_wrap="circular") == [Reason.E_RUN_TOO_LONG]


def test_a_run_may_be_limited():
    assert judge("", "K1 K2 K3 K4", "K1 K2 K3 K4", max_run_length=3) == [Reason.E_RUN_TOO_LONG]


def test_colours_may_repeat_in_a_group():
    house = {"group_colours_distinct": False}
    assert judge("", "R7 B7 R7", "R7 B7 R7", **house) == "R7 R7 B7"
    assert judge("", "R7 R7 B7 B7 K7", "R7 R7 B7 B7 K7", **house) == [Reason.E_GROUP_TOO_LARGE]
    assert judge("", "R7 R7 B7 B7 K7", "R7 R7 B7 B7 K7", **house, max_group_size=5) == "K7 R7 R7 B7 B7"
    assert judge("", "R7 R7 J", "R7 R7 J", **house) == "R7 R7 J"


def test_a_joker_of_such_a_group_is_freed_by_any_colour():
    after = "R7 R7 B7 | K10 B10 J"
    assert judge("R7 B7 J", after, "R7 K10 B10", group_colours_distinct=False) == after


# Against exhaustive search


MINI = {"colours": "KRB", "max_value": 5, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 6}
ORACLES = [
    Oracle(rules_of("sabra", MINI | more))
    for more in ({}, {"joker_release": "free"}, {"joker_reuse": "any_set"}, {"copies_per_tile": 2})
]


def random_position(oracle, seed):
    """Three sets, jokers in some of them, and three more tiles for the rack."""
    rules, rng = oracle.rules, np.random.default_rng(seed)
    left, table = Counter(dict(enumerate(rules.tiles.full.tolist()))), []
    while len(table) < 3:
        chosen = list(oracle.vocabulary[rng.integers(len(oracle.vocabulary))])
        for place in rng.permutation(len(chosen))[: rng.integers(3)].tolist():
            chosen[place] = rules.tiles.joker_as(chosen[place])
        used = Counter(map(rules.tiles.physical, chosen))
        if used <= left:
            left -= used
            table.append(tuple(chosen))
    rack = rng.permutation(sorted(left.elements()))[:3].tolist()
    return resolve_table(rules, (open_groups(rules, s) for s in table)), sorted(rack)


def open_groups(rules, pieces):
    """The jokers of a group leave their colour open."""
    tiles = rules.tiles
    is_group = len({tiles.value(tiles.stands_for(piece)) for piece in pieces}) == 1
    return tuple(map(tiles.physical, pieces)) if is_group and not tiles.is_joker(pieces[0]) else pieces


def judged_plays(oracle, table, rack, opened):
    """All plays that the judge accepts with some laying of the table."""
    tiles = oracle.rules.tiles
    before = Counter(tiles.physical(piece) for pieces in table for piece in pieces)
    for size in range(1, len(rack) + 1):
        for played in set(combinations(rack, size)):
            for laying in oracle.layings(before + Counter(played)):
                after = tuple(tuple(tiles.joker_as(k) if j else k for k, j in laid) for laid in laying)
                if not settle(oracle.rules, table, after, played, opened).refusals:
                    yield played
                    break


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: oracle.rules.name)
def test_the_judge_accepts_what_exhaustive_search_finds(oracle):
    found = 0
    for seed in range(30):
        table, rack = random_position(oracle, seed)
        for opened in (True, False):
            plays = oracle.plays(table, rack, opened)
            assert set(judged_plays(oracle, table, rack, opened)) == plays, (table, rack, opened)
            found += len(plays)
    assert found > 20
