"""The conformance cases: positions with the verdict that the rules demand (files in ``tests/cases``)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from rummikub_env.cases import read_cases, run_files

FILES = Path(__file__).parent / "cases"
RULES, FORTY, PLAYS, BEST, PLAYABLE = (
    FILES / name for name in ("rules.json", "forty.json", "plays.json", "best_play.json", "playable_free_jokers.txt")
)


DOUBTFUL = {
    "PLAYS-six_player_160-o071": "B6 O6 needs a third 6 (K6 or R6), and without it neither joker keeps its meaning; "
    "no tile of their meanings (K5, R4) is at hand. An exhaustive search does not find the play either",
}
"""Cases that contradict the rules they cite."""


def cases(path):
    for case in read_cases(path):
        doubt = DOUBTFUL.get(case.id)
        marks = [pytest.mark.xfail(reason=doubt, strict=True)] if doubt else []
        yield pytest.param(case, id=case.id, marks=marks)


@pytest.mark.parametrize("case", [*cases(RULES), *cases(FORTY), *cases(PLAYS), *cases(BEST)])
def test_case(case):
    result = case.run()
    assert result.passed, f"{result.position}\nexpected {result.expected}\nfound {result.found}"


def test_playable_tiles_with_free_jokers():
    failed = [result for result in run_files([PLAYABLE]) if not result.passed]
    assert failed == []


def test_no_case_is_left_out():
    found = {path.name: sum(1 for _ in read_cases(path)) for path in (RULES, FORTY, PLAYS, BEST, PLAYABLE)}
    lines = [line for line in PLAYABLE.read_text().splitlines() if not line.startswith("#")]
    assert found == {
        "rules.json": 164,
        "forty.json": 40,
        "plays.json": 270,
        "best_play.json": 133,
        "playable_free_jokers.txt": len(lines),
    }
    assert Counter(case.preset for case in read_cases(RULES))["sabra"] == 73


def test_the_preset_filter_keeps_one_preset():
    results = list(run_files([RULES], preset="sabra"))
    assert len(results) == 73
    assert all(result.passed for result in results)


def case(**changes):
    told = {"id": "X", "kind": "set", "preset": "sabra", "set": ["R3", "R4"]}
    told["expect"] = {"verdict": "illegal", "reason": "E_SET_TOO_SHORT"}
    return told | changes


def run(tmp_path, *cases):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"cases": cases}))
    return list(run_files([path]))


def test_a_failure_tells_position_expected_and_found(tmp_path):
    wrong = {"verdict": "illegal", "reason": "E_RUN_GAP", "reason_alt": ["E_NOT_A_SET"]}
    passed, failed = run(tmp_path, case(), case(expect=wrong))
    assert passed.passed
    assert not failed.passed
    assert failed.position == "set R3 R4"
    assert failed.expected == "verdict: illegal, reason: E_NOT_A_SET or E_RUN_GAP"
    assert failed.found == "verdict: illegal, reason: E_SET_TOO_SHORT"


def test_an_expectation_that_nothing_is_found_for_fails(tmp_path):
    (result,) = run(tmp_path, case(expect={"verdict": "illegal", "colour": "red"}))
    assert not result.passed


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"preset": "mars"}, "unknown rules 'mars'"), ({"params": {"luck": 1}}, "unknown rule 'luck'")],
)
def test_rules_that_are_not_known_fail_with_the_reason(tmp_path, changes, told):
    (result,) = run(tmp_path, case(**changes))
    assert not result.passed
    assert told in result.found


def test_a_step_that_fails_is_named(tmp_path):
    (template,) = (c for c in json.loads(RULES.read_text())["cases"] if c["id"] == "TURN-030")
    template["steps"][1]["expect"]["drawn_tiles"] = ["K1"]
    (result,) = run(tmp_path, template)
    assert not result.passed
    assert result.found == "steps: step 2: drawn_tiles is ['O2']"


@pytest.mark.parametrize("text", ["{}", "[1]", "hello", '{"cases": [{"id": "x"}]}', "{", "0 0 0 0"])
def test_a_file_that_holds_no_cases_is_refused(tmp_path, text):
    path = tmp_path / "cases.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"cases.json: not a file of cases"):
        list(run_files([path]))
