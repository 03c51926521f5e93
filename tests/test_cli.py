"""The command line: what it prints, and how it answers a mistake."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rummikub_env.__main__ import main
from rummikub_env.game import Draw, Pass, Play, TimeOut
from rummikub_env.record import Record, write
from rummikub_env.rules import FIELDS, PRESETS, differences
from rummikub_env.sources import SOURCES
from rummikub_env.state import State

ROOT = Path(__file__).parent.parent
CASES = ROOT / "tests" / "cases"


def run(capsys, *arguments, code=0):
    """What a command prints, on standard output or, where it fails on a mistake, in one line of error."""
    try:
        found = main(list(map(str, arguments)))
    except SystemExit as end:  # from the parser
        found = end.code
    output, error = capsys.readouterr()
    assert found == code, error
    if code != 2:
        assert error == ""
        return output
    assert error.count("\n") == 1
    return error


# solve


def test_solve_shows_the_play_and_the_table_after(capsys):
    output = run(capsys, "solve", "R3 R4 R5 K7 B7 J O1", "R6 R7 R8")
    assert "best play: 6 tiles, worth 56 on the rack\n   K7   R3 R4 R5   B7   J\n" in output
    assert "table after\n" in output
    assert output.endswith("rack after\n   O1\n")


def test_solve_knows_two_objectives(capsys):
    position = "K11 K12 K13 R1 B1 O1", "K1 K2 K3 K4 | R11 B11 O11 | R12 B12 O12 | R13 B13 O13"
    by_tiles = run(capsys, "solve", "K11 R11 B11 O1 O2 O3 O11", "--unopened", "--objective", "tiles")
    by_value = run(capsys, "solve", *position, "--objective", "value")
    assert "best play: 7 tiles" in by_tiles
    assert "best play: 6 tiles, worth 39 on the rack" in by_value


def test_the_first_play_must_be_worth_enough(capsys):
    assert "best play: 3 tiles" in run(capsys, "solve", "R9 R10 R11", "--unopened")
    output = run(capsys, "solve", "R8 R9 R10", "R5 R6 R7", "--unopened")
    assert "there is no legal play worth 30 from the rack alone: draw" in output


def test_the_rules_can_be_chosen(capsys):
    position = "solve", "B1", "R3 J=R4 R5 | O1 K1 R1"
    assert "best play: 1 tile, worth 1 " in run(capsys, *position)
    mini = "sabra:colours=KR,max_value=6,rack_size=3"
    assert "'B1' is not a tile: write one of the colours K R " in run(capsys, *position, "--preset", mini, code=2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["R3 X4"], "'X4' is not a tile: write one of the colours"),
        (["R3 R3 R3"], "R3 occurs 3 times; the game has 2 of them"),
        (["R3", "R4 R5"], "A set needs at least three tiles."),
        (["R3", "R4 R5 R7"], "The values of a run must be consecutive."),
        (["R3; table R4"], "write tiles separated by blanks"),
        ([""], "the rack is empty: write its tiles"),
        (["R3", "--preset", "mars"], "unknown rules 'mars'; there are: sabra"),
        (["R3", "--objective", "fun"], "invalid choice: 'fun' (choose from"),
        ([], "required: RACK"),
    ],
)
def test_mistakes_in_a_position_are_told_in_a_sentence(capsys, arguments, told):
    assert told in run(capsys, "solve", *arguments, code=2)


@pytest.mark.parametrize("arguments", [[], ["sovle"], ["--fast"]])
def test_an_unknown_command_is_answered_with_those_there_are(capsys, arguments):
    error = run(capsys, *arguments, code=2)
    assert "rummikub --help says more" in error


# cases


def test_cases_ends_with_one_line(capsys):
    assert run(capsys, "cases", CASES / "rules.json", "--preset", "sabra") == "73 passed, 0 failed\n"


def test_a_failed_case_is_shown_with_position_expected_and_found(capsys, tmp_path):
    case = {
        "id": "X-1",
        "kind": "set",
        "preset": "sabra",
        "set": ["R3", "R4"],
        "expect": {"verdict": "legal"},
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": [case]}))
    output = run(capsys, "cases", path, code=1)
    assert output.splitlines() == [
        "FAILED X-1: set R3 R4",
        "  expected  verdict: legal",
        "  found     verdict: illegal",
        "0 passed, 1 failed",
    ]


def test_files_that_hold_no_cases_are_refused(capsys, tmp_path):
    empty, odd, binary = tmp_path / "empty.txt", tmp_path / "odd.json", tmp_path / "binary"
    empty.write_text("# nothing yet\n")
    odd.write_text("{}")
    binary.write_bytes(b"\xff\xfe")
    assert f"there are no cases in {empty}" in run(capsys, "cases", empty, code=2)
    assert f"{odd}: not a file of cases: 'cases' is missing" in run(capsys, "cases", odd, code=2)
    assert f"{binary}: not a file of cases" in run(capsys, "cases", binary, code=2)
    assert "No such file" in run(capsys, "cases", tmp_path / "none", code=2)
    error = run(capsys, "cases", CASES / "rules.json", "--preset", "mars", code=2)
    assert "no cases of preset 'mars'; there are: " in error
    assert "sabra" in error


# replay


def recorded(tmp_path, *moves):
    start = State.from_text("sabra; racks R6 K9 / O1 O2; table R3 R4 R5; opened ++; pool O13 K2 B1 B2; move 0; turn 4")
    path = tmp_path / "game.txt"
    write(path, Record(("ann", "random"), start, moves))
    return path


def test_a_game_is_replayed_move_by_move(capsys, tmp_path):
    tiles = PRESETS["sabra"].tiles
    play = Play((tiles.parse_all("R3 R4 R5 R6"),), tiles.parse_all("R6"))
    output = run(capsys, "replay", recorded(tmp_path, play, Draw(), TimeOut()))
    assert "5. player_0 (ann) plays R6\n   R3 R4 R5 R6\n" in output
    assert "6. player_1 (random) draws O13\n" in output
    assert "7. player_0 (ann) runs out of time and draws K2 B1 B2\n" in output
    assert output.startswith("turn 5, player_0 to move, 4 in the pool")
    assert "turn 8, player_1 to move, 0 in the pool" in output


def test_a_record_with_an_illegal_move_is_refused(capsys, tmp_path):
    path = recorded(tmp_path, Draw(), Pass())
    assert main(["replay", str(path)]) == 2
    assert "rummikub: move 2 (line 5) is illegal: You may pass only when" in capsys.readouterr().err


def test_what_is_no_record_is_refused(capsys, tmp_path):
    assert "line 1: not a game record" in run(capsys, "replay", ROOT / "LICENSE", code=2)
    assert "Is a directory" in run(capsys, "replay", tmp_path, code=2)


# rules


def test_the_presets_are_listed_a_line_each(capsys):
    assert [line.split()[0] for line in run(capsys, "rules").splitlines()] == list(PRESETS)


def test_the_page_of_a_preset_tells_every_rule_with_its_value(capsys):
    page = run(capsys, "rules", "sabra:turn_seconds=none,joker_release=free")
    lines = page.splitlines()
    for field in FIELDS:
        (number,) = (number for number, line in enumerate(lines) if line.startswith(f"{field} "))
        assert lines[number + 1].startswith("    "), f"{field} has no sentence"
    assert "joker_release                free  (replace | free)" in page
    assert "turn_seconds                 none" in page
    assert "\nThe opening\n-----------\n" in page


def test_the_page_of_a_preset_names_the_source_of_every_rule(capsys):
    page = run(capsys, "rules", "sabra")
    for field in FIELDS:
        (line,) = (line for line in page.splitlines() if line.startswith(f"{field} "))
        cited = line.rpartition("[")[2].rstrip("]").split(", ")
        assert set(cited) <= SOURCES.keys(), line
        assert all(f"\n{key} " in page for key in cited), line
    assert "turn_seconds                 60  [OFF]\n" in page
    assert "starter_tie                  redraw_tied  (redraw_tied)  [product]\n" in page


def test_the_differences_of_two_rule_sets_are_a_line_each(capsys):
    lines = run(capsys, "rules", "sabra", "pressman_1998").splitlines()
    assert lines[0].split() == ["sabra", "pressman_1998"]
    assert lines[1].split() == ["initial_meld_points", "30", "[OFF]", "50", "[000]"]
    assert [line.split()[0] for line in lines[1:]] == [*differences(PRESETS["sabra"], PRESETS["pressman_1998"])]
    same = run(capsys, "rules", "sabra", "sabra:turn_seconds=60")
    assert same == "sabra and sabra are the same rules\n"
    assert "name one to explain, or two to compare" in run(capsys, "rules", "sabra", "vatikan", "machiavelli", code=2)


@pytest.mark.parametrize("name", ["american", "international"])
def test_rules_that_are_only_named_are_explained(capsys, name):
    told = run(capsys, "rules", name, code=2)
    assert f"the rules {name!r} cannot be played here: " in told
    assert "the exact values are not known" in told


def test_an_unknown_preset_is_refused(capsys):
    assert "unknown rules 'mars'; there are: sabra" in run(capsys, "rules", "mars", code=2)


# bench


def test_bench_prints_its_rows_and_writes_them(capsys, tmp_path):
    path = tmp_path / "bench.json"
    output = run(capsys, "bench", "--only", "highs", "--cases", tmp_path / "none", "--json", path)
    assert "numba " in output
    assert "\nhighs: The same best plays by HiGHS" in output
    assert "highs: skipped, the case files are not at hand: there is no folder" in output
    assert output.endswith(f"written: {path}\n")
    (row,) = json.loads(path.read_text())["parts"]["highs"]
    assert row["kind"] == "skipped"


def test_mistakes_in_what_to_measure_are_told(capsys, tmp_path):
    for option in ("--json", "--growth"):
        assert "there is no folder" in run(capsys, "bench", option, tmp_path / "none" / "file", code=2)
    assert "there is no part 'fun'; there are: cases, highs, c, " in run(capsys, "bench", "--only", "fun", code=2)


# The program


def test_the_module_is_a_program():
    command = [sys.executable, "-m", "rummikub_env", "rules"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sabra ")


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m rummikub_env rules sabra | head -n 1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("sabra\n", "")
