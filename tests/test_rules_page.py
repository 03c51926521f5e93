"""The page of the rules, their sources and their tests is complete and true."""

import re

import pytest
from rules_page import ASKED, FIELDS, NAMED, PAGE, TESTS, cases_by_rule, conformance_cases, ids, page

from rummikub_env.rules import PRESETS
from rummikub_env.sources import SOURCES


def rows():
    lines = PAGE.read_text(encoding="utf-8").partition("## Sources")[0].splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {row[1].strip("`"): row for row in cells if row[1] != "field"}


def test_the_page_is_what_is_written_anew():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.rules_page writes docs/rules.md"


def test_every_rule_has_a_row_in_order():
    assert list(rows()) == FIELDS == list(NAMED)
    assert all(len(row) == 5 and all(row) for row in rows().values())


def test_every_source_that_a_rule_names_is_told():
    for row in rows().values():
        assert set(re.split(r", |<br>", row[3])) <= SOURCES.keys()


def test_every_preset_that_a_rule_names_is_one():
    for row in rows().values():
        names = {name for line in row[2].split("<br>") for name in line.partition("`: ")[2].split(", ")}
        assert names - {"all", "the others"} <= PRESETS.keys()


@pytest.mark.parametrize("field", FIELDS)
def test_every_test_that_a_rule_names_is_there(field):
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", rows()[field][4])
    assert len(named) == len(NAMED[field].split()) > 0
    for file, name in named:
        assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8"), (file, name)


def test_questions_that_are_told_apart_from_rules_are_asked():
    asked = {case["question"] for case in conformance_cases()}
    assert ASKED.keys() <= asked
    assert set(" ".join(ASKED.values()).split()) <= set(FIELDS)


def test_every_case_is_listed_under_the_rules_that_it_overrides():
    found = cases_by_rule()
    for case in conformance_cases():
        for field in case.get("params", ()):
            assert case["id"] in found[field]
    for field, row in rows().items():
        if found[field]:
            assert row[4].endswith(ids(found[field]))
