"""The benchmark: what it measures, the references that it measures beside, and its report."""

import json
import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rummikub_env import bench, solver
from rummikub_env.__main__ import main
from rummikub_env.bench import growing, positions, reference
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import Watch, forget, timed
from rummikub_env.bench.playing import vector_rates
from rummikub_env.bench.report import Count, Curve, Latency, Rate, Ratio, Report, Share, Skipped, machine
from rummikub_env.sets import readings

CASES = Path(__file__).parent / "cases"
CORES = os.cpu_count() or 1
TINY = Amounts(games=1, every=40, seconds=0.01, starts=1, points=1)


# The references


def test_highs_finds_the_best_plays_of_the_solver():
    pytest.importorskip("scipy", reason="the integer programme needs SciPy")
    from rummikub_env.bench.programme import best_weight

    ones = np.ones(53, np.int64)
    for case in positions.best_plays(CASES)[::6]:
        rules, table, rack, _ = case.turn
        play = solver.best_play(*case.turn, ones)
        assert case.most == (0 if play is None else play.sum()) == (best_weight(rules, table, rack, ones) or 0)


def test_the_reference_in_c_finds_all_masks_of_the_case_file():
    try:
        playable = reference.built()
    except reference.NotBuiltError as error:
        pytest.skip(str(error))  # there is no C compiler here, or it fails
    for case in positions.playables(CASES):
        mask, can_complete = playable(case.table, case.rack)
        assert (mask.tobytes(), can_complete) == case.answer


def test_what_cannot_be_built_is_skipped_with_a_sentence(monkeypatch, tmp_path):
    def told():
        (row,) = measured(monkeypatch, "c")
        assert isinstance(row, Skipped)
        return row.line()

    broken = tmp_path / "broken.c"
    broken.write_text("int playable(")
    monkeypatch.setattr(reference, "SOURCE", broken)
    assert "cannot build it" in told() or "no C compiler" in told()
    monkeypatch.setattr(reference.shutil, "which", lambda name: None)
    assert told() == "C: skipped, there is no C compiler: neither cc nor gcc nor clang is found"
    monkeypatch.setattr(reference, "SOURCE", tmp_path / "none.c")
    assert "it is only in a checkout" in told()


def test_without_scipy_highs_is_skipped_with_a_sentence(monkeypatch):
    monkeypatch.delitem(sys.modules, "rummikub_env.bench.programme", raising=False)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    (row,) = measured(monkeypatch, "highs")
    assert row.line() == "HiGHS: skipped, it needs scipy, which is not installed: pip install -e '.[bench]'"


def test_without_matplotlib_that_is_told_before_anything_is_measured(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["bench", "--growth", str(tmp_path / "growth.png")]) == 1
    output, error = capsys.readouterr()
    assert output == ""
    assert error.startswith("rummikub needs matplotlib, which is not installed")


# The parts


def measured(monkeypatch, part):
    monkeypatch.setattr(bench, "QUICK", TINY)
    return list(bench.measure(part, quick=True, folder=CASES))


def test_all_parts_but_growth_are_measured_unless_some_are_chosen():
    assert bench.chosen() == [part for part in bench.PARTS if part != "growth"]
    assert bench.chosen(growth=True) == [*bench.PARTS]
    assert bench.chosen(["start", "c"]) == ["c", "start"]
    assert bench.chosen(["growth"]) == bench.chosen(["growth"], growth=True) == ["growth"]
    assert all("\n" not in part.title for part in bench.PARTS.values())


@pytest.mark.parametrize("part", [part for part in bench.PARTS if part not in ("c", "highs", "growth", "profile")])
def test_a_part_measures_what_it_promises(part, monkeypatch):
    rows = measured(monkeypatch, part)
    assert (
        list(dict.fromkeys(row.name for row in rows))
        == {
            "cases": [
                *("best play", "best play: optimal", "best first play", "best first play: optimal"),
                *("exact mask", "exact mask: right"),
            ],
            "turns": [
                *("exact mask", "exact mask, first plays", "exact mask, a tile is laid"),
                *("best play, later plays", "best play, first plays"),
                *("all plays, 2 players", "all plays, 2 players: cut short"),
                *("all plays, 4 players", "all plays, 4 players: cut short", "arrange the best play"),
            ],
            "env": ["env(), 2 players", "env(), 4 players"],
            "vector": [
                *("VectorEnv, 1 table of 2", "VectorEnv, 64 tables of 2", "VectorEnv, 1,024 tables of 2"),
                *[f"VectorEnv, 1,024 tables of 2, {CORES} threads"] * (CORES > 1),
            ],
            "games": ["greedy games, 2 players"],
            "clone": ["clone a running env"],
            "start": ["import the game", "import rummikub_v0", "import, reset, first mask"],
        }[part]
    )
    for row in rows:
        if isinstance(row, Latency):
            assert 0 < row.median <= row.p99 <= row.max
        elif isinstance(row, Rate):
            assert row.count > 0
            assert row.per_second > 0
        elif part == "cases":
            assert row.count == row.of, row
        else:
            assert row.count <= row.of / 10, row  # lists of plays that are cut short


@pytest.mark.parametrize("part", ["highs", "c"])
def test_a_reference_is_timed_beside_the_solver(part, monkeypatch):
    rows = measured(monkeypatch, part)
    if isinstance(rows[0], Skipped):
        pytest.skip(rows[0].why)  # HiGHS without SciPy, C without a compiler
    ours, theirs, ratio, same = rows
    slow, fast = (theirs, ours) if part == "highs" else (ours, theirs)
    assert ratio.median == slow.median / fast.median
    assert ratio.mean == slow.mean / fast.mean
    assert same.count == same.of == ours.count == theirs.count > 1


def test_the_parts_of_a_decision_add_up(monkeypatch):
    *parts, whole = measured(monkeypatch, "profile")
    assert sum(part.microseconds for part in parts) == pytest.approx(whole.microseconds)
    assert sum(part.share for part in parts) == pytest.approx(whole.share) == 1
    assert all(part.microseconds > 0 for part in parts[:2])


def test_growth_is_measured_and_drawn(monkeypatch, tmp_path):
    monkeypatch.setattr(growing, "TABLES", (1, 3))
    monkeypatch.setattr(growing, "MANY", 2)
    monkeypatch.setattr(growing.os, "cpu_count", lambda: 1)
    curves = measured(monkeypatch, "growth")
    assert {curve.against for curve in curves} == {
        *("tiles on the table", "tiles on the rack", "free jokers on the rack", "tables", "threads")
    }
    assert all(min(curve.mean) > 0 and len(curve.x) == len(curve.mean) == len(curve.worst) for curve in curves)
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    growing.draw(curves, "facts", tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_turns_are_counted_beside_decisions():
    decisions, turns = vector_rates(3, 0.05, 1)
    assert decisions.count % 3 == 0
    assert 0 < turns.count < decisions.count


# Positions and clocks


@pytest.mark.parametrize(("on_table", "on_rack", "jokers"), [(0, 14, 0), (40, 20, 2), (90, 14, 1)])
def test_positions_are_made_to_measure(on_table, on_rack, jokers):
    turn = positions.made(positions.RULES, np.random.default_rng(1), on_table, on_rack, jokers)
    used = Counter(kind for pieces in turn.table for kind in pieces) + Counter(turn.rules.tiles.listed(turn.rack))
    assert all(readings(turn.rules, pieces) == (pieces,) for pieces in turn.table)
    assert on_table - 2 <= sum(map(len, turn.table)) <= on_table
    assert (turn.rack.sum(), turn.rack[-1]) == (on_rack, jokers)
    assert all(number <= turn.rules.tiles.full[kind] for kind, number in used.items())


def test_games_have_turns_before_and_after_the_first_play():
    moments = positions.games(2, 1)
    assert {moment.turn.opened for moment in moments} == {False, True}
    assert moments[0].state != positions.games(4, 1)[0].state
    assert [m.state for m in moments] == [m.state for m in positions.games(2, 1)]


def test_no_question_finds_its_answer_in_a_cache():
    solver.board(positions.RULES, ((0, 1, 2),))
    forget(lambda: solver.board(positions.RULES, ()))
    assert solver.board.cache_info().currsize == 1


def test_all_questions_are_asked_before_one_is_timed():
    asked = []
    row, answers = timed("square", lambda n: asked.append(n) or n * n, [1, 2, 3])
    assert answers == [1, 4, 9]
    assert asked == [1, 2, 3, 1, 1, 2, 3]  # the first once more, for what is forgotten in between
    assert (row.name, row.count, row.unit) == ("square", 3, "us")


def test_a_watch_adds_up_what_it_sees():
    watch = Watch()
    for _ in range(2):
        with watch:
            sum(range(10_000))
    rate = watch.rate("sums", "sums", 2)
    assert rate.per_second == pytest.approx(2 / watch.wall)
    assert rate.per_cpu_second == pytest.approx(2 / watch.cpu)


# The report


def test_a_report_is_a_table_and_json():
    latency = Latency.of("best play", "us", [1e-6, 3e-6], 6e-6)
    rows = [
        latency,
        Count("  and optimal", 2, 2),
        Ratio.of("to itself", latency, latency),
        Rate("env()", "decisions", 1000, 4000, 2000),
        Share("mask", 3.0, 0.25),
        Skipped("C", "there is no compiler"),
    ]
    report = Report(machine(), True, {})
    lines = list(report.told("cases", rows))
    assert [line.split()[0] for line in lines] == [
        *("n", "best", "and", "to", "n", "env()", "us", "mask", "C:")  # a heading where the columns change
    ]
    assert lines[1].split() == ["best", "play", "2", "2.0", "2.0", "3.0", "3.0", "3.0", "us"]
    read = json.loads(report.json())
    assert read["machine"]["numba"]
    assert [row["kind"] for row in read["parts"]["cases"]] == ["latency", "count", "ratio", "rate", "share", "skipped"]
    assert read["parts"]["cases"][0]["median"] == 2.0


def test_a_curve_tells_its_steepest_step():
    curve = Curve("mask", "tiles", "us", (0, 10, 20), (1.0, 2.0, 12.0), (2.0, 4.0, 24.0))
    assert curve.steepest == (6.0, 10, 20)
    assert curve.line().endswith("x6.0 from 10 to 20, a cliff")
    assert "cliff" not in Curve("mask", "tiles", "us", (0, 10), (1.0, 2.0), (1.0, 2.0)).line()
    assert Curve("mask", "threads", "us", (1,), (1.0,), (1.0,)).steepest == (1.0, 1, 1)
