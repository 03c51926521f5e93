"""The page ``docs/rules.md``: each rule with its values, its sources and what tests it.

``python -m tests.rules_page`` writes it. Values are those of the presets, sources those of `rummikub_env.sources`,
clauses those of `test_clauses`; cases are found by their question or by the rule that they override.
"""

import json
import sys
from collections import defaultdict
from dataclasses import fields
from importlib import import_module
from itertools import groupby
from pathlib import Path

from rummikub_env.rules import PRESETS, RuleSet, spelled
from rummikub_env.rulesheet import clauses
from rummikub_env.sources import ORIGINS, SOURCES, source_of

TESTS = Path(__file__).parent
if str(TESTS) not in sys.path:  # where pytest does not run it
    sys.path.insert(0, str(TESTS))
CLAUSES = import_module("test_clauses").CLAUSES
PAGE = TESTS.parent / "docs" / "rules.md"
FIELDS = [field.name for field in fields(RuleSet)]

NAMED = {
    "colours": "rules::colours_may_be_a_list dealing::every_preset_deals_all_its_tiles",
    "max_value": "dealing::every_preset_deals_all_its_tiles",
    "copies_per_tile": "dealing::every_preset_deals_all_its_tiles",
    "joker_count": "dealing::every_preset_deals_all_its_tiles",
    "players_min": "rules::the_number_of_players_is_limited",
    "players_max": "rules::the_number_of_players_is_limited",
    "rack_size": "dealing::every_preset_deals_all_its_tiles",
    "dealt_jokers": "dealing::each_player_may_be_dealt_a_joker dealing::there_must_be_enough_jokers_to_deal",
    "starter_method": "dealing::the_seat_after_the_dealer_begins dealing::a_lot_may_decide",
    "starter_tie": "dealing::a_joker_counts_as_no_tile_where_it_is_ignored",
    "starter_joker": "dealing::a_joker_counts_as_no_tile_where_it_is_ignored",
    "starter_tile_kept": "dealing::the_tile_drawn_for_the_start_may_be_kept",
    "direction": "game::the_turn_passes_to_the_left_or_to_the_right",
    "redeal": "dealing::three_pairs_of_equal_tiles_allow_a_new_deal dealing::the_deal_is_made_anew_when_a_player_asks",
    "min_set_size": "sets::what_is_no_set_says_why",
    "max_group_size": "sets::what_is_no_set_says_why",
    "group_colours_distinct": "judge::colours_may_repeat_in_a_group",
    "max_run_length": "judge::a_run_may_be_limited",
    "run_wrap": "judge::the_1_may_lie_at_either_end judge::the_1_may_lie_above_only judge::a_run_may_go_on_past_the_1",
    "max_jokers_per_set": "judge::a_set_may_hold_so_many_jokers",
    "joker_declaration": "judge::jokers_that_could_mean_several_things_may_have_to_be_declared",
    "initial_meld_required": "judge::without_an_opening_the_table_may_be_used_at_once",
    "initial_meld_points": "judge::the_opening_is_worth_30_in_one_or_more_sets",
    "initial_meld_scope": "judge::one_set_may_have_to_be_worth_it_alone",
    "initial_meld_type": "judge::the_opening_may_have_to_hold_a_run",
    "initial_meld_joker": "judge::a_joker_in_the_opening_may_count_nothing_or_be_forbidden",
    "initial_meld_table_play": (
        "judge::nothing_else_may_change_in_the_turn_of_the_opening judge::after_the_opening_the_turn_may_go_on"
    ),
    "joker_retrieval_before_meld": (
        "judge::no_joker_is_retrieved_before_the_opening "
        "judge::a_joker_may_be_swapped_for_an_own_tile_and_laid_in_the_opening"
    ),
    "min_tiles_per_turn": "game::at_least_one_tile_is_played game::a_play_may_need_more_tiles",
    "voluntary_draw": "game::a_player_who_could_play_may_draw game::who_could_play_may_have_to",
    "draw_rule": "game::a_player_may_have_to_draw_until_a_play_is_possible",
    "play_drawn_tile": "game::the_drawn_tile_may_not_be_played_in_the_same_turn",
    "must_play_if_able": "game::a_missed_play_may_cost_seven_tiles",
    "missed_play_penalty_tiles": "game::a_missed_play_may_cost_seven_tiles",
    "turn_seconds": "game::a_move_is_made_in_time game::there_is_no_time_out_without_a_clock",
    "timeout_valid_table": "game::a_legal_play_on_the_table_at_time_out_counts",
    "timeout_penalty_tiles": "game::at_time_out_the_table_is_restored_and_three_tiles_are_drawn",
    "invalid_table_action": "game::an_illegal_play_may_be_rolled_back_and_fined",
    "invalid_table_penalty_tiles": "game::an_illegal_play_may_be_rolled_back_and_fined",
    "joker_release": "judge::a_joker_may_not_slide_or_be_lifted judge::free_jokers_go_anywhere",
    "joker_replacement_source": ("judge::a_tile_of_the_table_frees_a_joker_unless_it_must_come_from_the_rack"),
    "joker_group3_release": "judge::both_missing_colours_may_be_needed_in_a_group_of_three",
    "joker_reuse": "judge::a_freed_joker_lies_in_a_new_set",
    "joker_reuse_min_rack_tiles": "judge::a_joker_of_the_rack_counts_as_a_tile_of_the_rack",
    "joker_set_edits": "judge::nothing_is_taken_from_a_set_with_a_joker",
    "joker_rack_penalty": "game::tiles_on_a_rack_count_their_value_and_jokers_30",
    "tile_scores": "game::cards_count_eleven_for_the_ace_and_ten_for_court_cards",
    "pool_empty_pass": "game::with_an_empty_pool_a_player_who_can_must_play",
    "stalemate_trigger": (
        "game::the_round_is_over_when_nobody_can_play_and_the_pool_is_empty "
        "game::a_play_begins_the_count_of_passes_anew"
    ),
    "stalemate_winner": "game::in_a_stalemate_the_lowest_value_wins_the_differences",
    "stalemate_tie": "game::a_tie_is_broken_by_the_other_criterion game::a_complete_tie_shares_the_pot",
    "win_scoring": "game::losers_pay_what_they_hold_to_the_winner game::rounds_may_be_won_without_scores",
    "stalemate_scoring": (
        "game::in_a_stalemate_losers_may_pay_all_that_they_hold "
        "game::in_a_stalemate_the_winner_may_lose_what_it_holds_itself"
    ),
    "unmelded_scoring": (
        "game::who_never_opened_may_be_counted_for_all_others game::who_never_opened_may_pay_a_flat_price"
    ),
    "match_end": (
        "match::an_open_match_goes_on match::a_match_may_be_over_after_so_many_rounds "
        "match::a_match_may_be_over_when_a_score_is_reached"
    ),
}
"""For each rule the tests of it: ``game::it_is_so`` is ``test_it_is_so`` in ``tests/test_game.py``."""

ASKED = {
    "deal": "rack_size dealt_jokers",
    "group_rules": "max_group_size group_colours_distinct",
    "initial_meld": "initial_meld_required",
    "initial_meld_same_turn": "initial_meld_table_play",
    "initial_meld_table": "initial_meld_required",
    "invalid_table": "invalid_table_action",
    "joker_before_meld": "joker_retrieval_before_meld",
    "joker_group3": "joker_group3_release",
    "joker_kept": "joker_release",
    "joker_move": "joker_release",
    "joker_penalty": "joker_rack_penalty",
    "joker_stranded": "joker_release",
    "jokers_per_set": "max_jokers_per_set",
    "must_play": "must_play_if_able missed_play_penalty_tiles",
    "never_melded": "unmelded_scoring",
    "pool_empty": "pool_empty_pass",
    "run_length": "max_run_length",
    "run_rules": "run_wrap max_run_length",
    "scoring": "win_scoring tile_scores",
    "set_size": "min_set_size",
    "stalemate": "stalemate_trigger stalemate_winner stalemate_scoring",
    "starter": "starter_method starter_tie starter_joker",
    "tile_set": "copies_per_tile joker_count players_max",
    "timeout": "turn_seconds timeout_penalty_tiles",
    "turn_order": "direction",
    "two_jokers": "joker_declaration",
}
"""For each question of the cases the rules that it asks about, where its name is not that of the rule."""


def conformance_cases():
    """The cases of the files that tell a question."""
    for name in ("rules.json", "forty.json"):
        yield from json.loads((TESTS / "cases" / name).read_text(encoding="utf-8"))["cases"]


def cases_by_rule():
    found = defaultdict(list)
    for case in conformance_cases():
        question = case["question"]
        asked = [question, *ASKED.get(question, "").split(), *case.get("params", ())]
        for field in dict.fromkeys(asked):
            found[field].append(case["id"])
    return found


def ids(names):
    """Ids of cases, each prefix once: JOK-005 022, FORTY-23."""
    prefixes = groupby(names, lambda name: name.rpartition("-")[0])
    return ", ".join(f"{prefix}-" + " ".join(name.rpartition("-")[2] for name in same) for prefix, same in prefixes)


def questions(field):
    """The rule questions of `test_clauses` that are about a rule."""
    return [question for question, cells in CLAUSES.items() if any(clause == field for _, clause, _, _ in cells)]


def values(field):
    """A line for each value: the presets that have it, and the sources they have it from. The most common is last."""
    shown = defaultdict(list)
    for rules in PRESETS.values():
        shown[spelled(getattr(rules, field))].append(rules)
    lines = sorted(shown.items(), key=lambda item: len(item[1]))
    for number, (value, having) in enumerate(lines, 1):
        names = ", ".join(rules.name for rules in having)
        if number == len(lines):
            names = "all" if number == 1 else "the others"
        keys = sorted({key for rules in having for key in source_of(rules, field).split(", ")})
        yield f"`{value}`: {names}", ", ".join(keys)


def tests_of(field, cases):
    """The tests of a rule by module, the questions of `test_clauses`, the ids of cases."""
    names = [f"`test_{name.replace('::', '.py::test_')}`" for name in NAMED[field].split()]
    names += [f"`test_clauses.py` {question}" for question in questions(field)]
    return "<br>".join([*names, *([ids(cases)] if cases else [])])


def page():
    """The text of the page."""
    found = cases_by_rule()
    lines = [
        "# The rules, their sources and their tests",
        "",
        "Written by `python -m tests.rules_page`; a test compares the two. Each rule is a field of `RuleSet`,",
        "in the order of its chapters. A value has its presets and, in the same place of the next column, the",
        "sources that they have it from: the source that a preset follows, else the sources that state the same value,",
        "else `product`. Ids of cases are those of `tests/cases/rules.json` and `tests/cases/forty.json`.",
    ]
    for chapter, entries in groupby(clauses(), lambda entry: entry.chapter):
        header = "| clause | field | value: presets | source | tests |"
        lines += ["", f"## {chapter}", "", header, "|---|---|---|---|---|"]
        for entry in entries:
            told, keys = zip(*values(entry.field), strict=True)
            cells = [
                entry.sentence.replace("|", "\\|"),
                f"`{entry.field}`",
                "<br>".join(told),
                "<br>".join(keys),
                tests_of(entry.field, found[entry.field]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Sources", "", "| key | source | presets |", "|---|---|---|"]
    for key, title in SOURCES.items():
        following = ", ".join(f"`{name}`" for name, origin in ORIGINS.items() if origin.source == key)
        lines.append(f"| {key} | {title} | {following} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
