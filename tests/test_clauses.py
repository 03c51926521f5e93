"""What the sources state, clause by clause: each cell of the table of rule questions against its preset.

The columns are the three texts, the current manual and two descriptions; a cell that is missing is one where the
source is silent, or not readable. `=` says what a rule is, `plays` and the other functions what the rules do.
"""

import numpy as np
import pytest

from rummikub_env.game import Pass, Play, TimeOut, apply, check, score
from rummikub_env.judge import settle
from rummikub_env.rules import PRESETS
from rummikub_env.sets import parse_table, readings, resolve_table
from rummikub_env.sources import source_of
from rummikub_env.state import State

COLUMNS = {
    "000": "pressman_1998",
    "001": "sabra_timed",
    "004": "wikipedia_no",
    "OFF": "sabra",
    "PAG": "pagat_sabra",
    "RG": "rummy_games_50",
}
ALL = tuple(COLUMNS)
NOT_RG = ("000", "001", "004", "OFF", "PAG")
TEXTS = ("000", "001", "004")


def is_set(text):
    return lambda rules: bool(readings(rules, rules.tiles.parse_all(text)))


def plays(before, after, played, opened=True, opening=None):
    """Is this turn legal?"""

    def judge(rules):
        tiles = rules.tiles
        table = resolve_table(rules, parse_table(tiles, before))
        told = None if opening is None else parse_table(tiles, opening)
        return not settle(rules, table, parse_table(tiles, after), tiles.parse_all(played), opened, told).refusals

    return judge


def opens(before, after, played, opening=None):
    return plays(before, after, played, opened=False, opening=opening)


def scores(racks, ended_by="out", opened=None):
    """The scores of a round that ends with these racks."""

    def count(rules):
        counts = np.stack([rules.tiles.count(rules.tiles.parse_all(rack)) for rack in racks.split("/")])
        return score(rules, counts, ended_by, opened).scores

    return count


def state_of(rules, line):
    return State.from_text(f"{rules.name}; {line}")


def is_over_after_passes(rules):
    state = state_of(rules, "racks K9 / B12; table R3 R4 R5; opened ++")
    return apply(apply(state, Pass()), Pass()).outcome is not None


def may_pass_though_able(rules):
    return not check(state_of(rules, "racks R6 K9 / B12; table R3 R4 R5; opened ++"), Pass())


def goes_out(rules):
    state = state_of(rules, "racks R6 / K9; table R3 R4 R5; opened ++; pool K1")
    after = apply(state, Play(parse_table(rules.tiles, "R3 R4 R5 R6"), rules.tiles.parse_all("R6")))
    return after.outcome is not None and after.outcome.winners == (0,)


def may_keep_a_harvested_tile(rules):
    state = state_of(rules, "racks R6 K9 / B12; table R3 R4 R5; opened ++; pool K1")
    tiles = rules.tiles
    return not check(state, Play(parse_table(tiles, "R4 R5 R6"), tiles.parse_all("R6"), tiles.parse_all("R3")))


def draws_at_time_out(rules):
    state = state_of(rules, "racks R6 K9 / B12; table R3 R4 R5; opened ++; pool K1 K2 K3 K4")
    after = apply(state, TimeOut(parse_table(rules.tiles, "R3 R4 | R5 R6"), rules.tiles.parse_all("R6")))
    return after.table == state.table and int(after.racks[0].sum()) - 2


SWAP = ("R5 J=R6 R7", "R5 R6 R7 | K10 B10 J=10", "R6 K10 B10")
FROM_TABLE = ("R5 J=R6 R7 | K6 R6 B6 O6", "R5 R6 R7 | K6 B6 O6 | K10 B10 J=10", "K10 B10")
ONE_COLOUR = ("K3 R3 J=3", "K3 R3 O3 | K10 B10 J=10", "O3 K10 B10")
TO_OLD_SET = ("R5 J=R6 R7 | B3 B4 B5", "R5 R6 R7 | B3 B4 B5 J=B6 B7", "R6 B7")
END_TAKEN = ("R4 J=R5 R6 R7 R8", "R4 J=R5 R6 R7 | R8 B8 K8", "B8 K8")
LIFTED = ("K3 R3 O3 J=B3", "K3 R3 O3 | K10 B10 J=10", "K10 B10")
TABLE_TOO = ("B3 B4 B5", "B3 B4 B5 B6 | K13 R13 B13 O13", "K13 R13 B13 O13 B6")
TWO_JOKERS = "R7 J=R8 J=R9"
OUT_MEANING = ("R3 R4 R5 | R6 R7 R8 | R5 R6 R7", "R3 R4 R5 | R6 R7 R8 | R5 R6 R7 | B6 K6 J=R6", "B6 K6 J")
TWINS = ("K7 R7 B7", "K7 R7 B7 | K7 R7 B7", "K7 R7 B7")
FIFTY_IN_TWO = "K10 R10 B10 | B9 B10 B11"


def field(name, **values):
    """The value of a rule in each column."""
    return [(column, name, lambda rules: getattr(rules, name), value) for column, value in named(values)]


def does(clause, what, **values):
    """What the rules do in each column; clause: the rule that says so, if one does."""
    return [(column, clause, what, value) for column, value in named(values)]


def named(values):
    return [(column.lstrip("_"), value) for column, value in values.items()]


def same(value, columns=ALL):
    return dict.fromkeys((f"_{c}" if c[0] == "0" else c for c in columns), value)


CLAUSES = {
    "tile set": [
        *field("colours", **same("KRBO")),
        *field("max_value", **same(13)),
        *field("copies_per_tile", **same(2)),
        *field("joker_count", **same(2)),
    ],
    "players": [*field("players_min", **same(2)), *field("players_max", **same(4))],
    "initial rack": field("rack_size", **same(14)),
    "who starts": field("starter_method", **same("highest_tile", (*TEXTS, "OFF", "RG"))),
    "tie": field("starter_tie", **same("redraw_tied")),
    "joker drawn": field("starter_joker", OFF="redraw"),
    "drawn tile": field("starter_tile_kept", _000=False, _001=True, _004=False, OFF=False),
    "direction": field("direction", **same("clockwise", NOT_RG), RG="counterclockwise"),
    "initial meld minimum": field("initial_meld_points", _000=50, _001=30, _004=30, OFF=30, PAG=30, RG=50),
    "one set or sum": [
        *field("initial_meld_scope", **same("sum_of_sets")),
        *does("initial_meld_scope", opens("", FIFTY_IN_TWO, FIFTY_IN_TWO.replace("|", "")), **same(True)),
    ],
    "joker in the opening": [
        *field("initial_meld_joker", **same("face")),
        *does("initial_meld_joker", opens("", "K13 R13 B13 J=O13", "K13 R13 B13 J"), **same(True)),
    ],
    "table tiles in the opening": does(
        "initial_meld_required",
        opens("O10 O11 O12 O13", "O10 O11 O12 | K13 R13 B13 O13", "K13 R13 B13", opening="K13 R13 B13 O13"),
        **same(False),
    ),
    "other table play in the opening turn": [
        *field("initial_meld_table_play", _001="after_meld", _004="never_this_turn", OFF="never_this_turn"),
        *field("initial_meld_table_play", PAG="after_meld"),
        *does("initial_meld_table_play", opens(*TABLE_TOO), _001=True, _004=False, OFF=False, PAG=True),
    ],
    "may delay opening": field("voluntary_draw", OFF=True),
    "draw": field("draw_rule", **same("one")),
    "play the drawn tile at once": field("play_drawn_tile", _001=False, OFF=False, PAG=False),
    "draw though able to play": [
        *field("voluntary_draw", _000=True, _001=True, _004=True, OFF=True),
        *field("must_play_if_able", _000=False, _001=False, _004=False, OFF=False, RG=True),
        *field("missed_play_penalty_tiles", RG=7),
    ],
    "minimum per turn": field("min_tiles_per_turn", **same(1)),
    "time limit": field("turn_seconds", _000=None, _001=120, _004=None, OFF=60, PAG=120, RG=None),
    "when time is out": [
        *field("timeout_penalty_tiles", _001=3, OFF=3, PAG=3),
        *does("timeout_penalty_tiles", draws_at_time_out, _001=3, OFF=3, PAG=3),
    ],
    "run, wrap": [
        *field("run_wrap", _000="none", _004="none", OFF="none", PAG="none"),
        *does("run_wrap", is_set("R12 R13 R1"), **same(False, ("000", "004", "OFF", "PAG"))),
    ],
    "run, length": [
        *field("min_set_size", **same(3)),
        *field("max_run_length", _000=13, _004=13, OFF=13),
        *does("min_set_size", is_set("R3 R4"), **same(False)),
        *does("max_run_length", is_set(" ".join(f"R{n}" for n in range(1, 14))), **same(True, ("000", "004", "OFF"))),
    ],
    "group": [
        *field("max_group_size", **same(4)),
        *field("group_colours_distinct", **same(True)),
        *does("group_colours_distinct", is_set("R7 R7 B7"), **same(False)),
    ],
    "two identical sets": does(None, plays(*TWINS), **same(True)),
    "several jokers per set": [
        *field("max_jokers_per_set", _001=2, OFF=None),
        *field("joker_declaration", _001="required", PAG="required"),
        *does("max_jokers_per_set", is_set(TWO_JOKERS), _001=True, OFF=True),
        *does("joker_declaration", plays("", "R7 J J", "R7 J J"), _001=False, PAG=False),
    ],
    "joker for a tile whose copies are all out": does(None, plays(*OUT_MEANING), OFF=True),
    "how a joker is retrieved": [
        *field("joker_release", _000="replace", _001="replace", _004="free", OFF="replace", PAG="replace"),
        *does("joker_release", plays(*SWAP), **same(True, NOT_RG)),
    ],
    "replacement from": [
        *field("joker_replacement_source", _000="rack_or_table", _001="rack", _004="rack_or_table"),
        *field("joker_replacement_source", OFF="rack_or_table", PAG="rack"),
        *does("joker_replacement_source", plays(*FROM_TABLE), _000=True, _001=False, _004=True, OFF=True, PAG=False),
    ],
    "group of three": [
        *field("joker_group3_release", **same("either_missing", NOT_RG)),
        *does("joker_group3_release", plays(*ONE_COLOUR), **same(True, NOT_RG)),
    ],
    "retrieve before opening": [
        *field("joker_retrieval_before_meld", _000=False, _004=True, OFF=False),
        *does("joker_retrieval_before_meld", opens(*SWAP), _000=False, _004=True, OFF=False),
    ],
    "use of the retrieved joker": [
        *field("joker_reuse", _000="new_set", _001="any_set", OFF="new_set", PAG="any_set"),
        *does("joker_reuse", plays(*TO_OLD_SET), _000=False, _001=True, OFF=False, PAG=True),
    ],
    "editing sets that hold a joker": [
        *field("joker_set_edits", _000="full", _001="add_only", _004="full", OFF="full", PAG="add_only"),
        *does("joker_set_edits", plays(*END_TAKEN), _000=True, _001=False, _004=True, OFF=True, PAG=False),
    ],
    "moving a joker without replacing it": does("joker_release", plays(*LIFTED), _001=False, _004=True, PAG=False),
    "joker left on the rack": field("joker_rack_penalty", **same(30)),
    "harvested tile": does(None, may_keep_a_harvested_tile, _000=False, _004=False, OFF=False),
    "end of round": does(None, goes_out, **same(True)),
    "pool empty": [
        *field("pool_empty_pass", _001="allowed", OFF="only_if_unable", PAG="allowed"),
        *field("stalemate_trigger", _000="no_legal_play", _001="all_pass", _004="no_legal_play"),
        *field("stalemate_trigger", OFF="no_legal_play", PAG="all_pass", RG="all_pass"),
        *does("pool_empty_pass", may_pass_though_able, _001=True, OFF=False, PAG=True),
        *does("stalemate_trigger", is_over_after_passes, **same(True)),
    ],
    "winner of a stalemate": field(
        "stalemate_winner", **same("fewest_tiles", ("000", "004")), **same("lowest_value", ("001", "OFF", "PAG", "RG"))
    ),
    "score, normal end": does("win_scoring", scores("/ B5 / K10"), **same((15, -5, -10))),
    "score, stalemate": [
        *field("stalemate_scoring", _000="normal", _001="difference", _004="normal", PAG="difference", RG="difference"),
        *does("stalemate_scoring", scores("K2 / K5", "stalemate"), _000=(5, -5), _001=(3, -3), _004=(5, -5)),
        *does("stalemate_scoring", scores("K2 / K5", "stalemate"), PAG=(3, -3), RG=(3, -3)),
    ],
    "never opened": [
        *field("unmelded_scoring", _004="credit_all_others"),
        *does("unmelded_scoring", scores("/ B5 / K10", opened=(True, True, False)), _004=(15, 5, -10)),
    ],
    "rounds": field("match_end", **same("open")),
}
CELLS = [(question, *cell) for question, cells in CLAUSES.items() for cell in cells]
SILENT = {"starter_tie", "match_end", "starter_joker"}
"""Rules for which a decision of the engine stands in all columns."""


@pytest.mark.parametrize(
    ("column", "what", "value"),
    [pytest.param(c, what, value, id=f"{q}-{c}-{clause}") for q, c, clause, what, value in CELLS],
)
def test_a_clause_is_as_the_source_states_it(column, what, value):
    assert what(PRESETS[COLUMNS[column]]) == value


def test_each_clause_that_a_source_states_names_it():
    for question, column, clause, _, _ in CELLS:
        if clause and clause not in SILENT and (column, clause) not in NO_CLOCK:
            assert source_of(PRESETS[COLUMNS[column]], clause) == column, (question, column, clause)


NO_CLOCK = {(column, "turn_seconds") for column in ("000", "004", "RG")}
"""Where a source names no limit there is none."""
