"""Deals, seats, intervals and what is written about them."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from agents import make
from agents.evaluation import Comparison, GameResult, Match, compare, mean_interval, record_rounds
from agents.evaluation.arena import play_deal
from agents.evaluation.report import table, write_json, write_png
from rummikub_env.game import Draw, Move
from rummikub_env.record import replay
from rummikub_env.rules import rules_of
from rummikub_env.state import Draws, Standing, View

SMALL = rules_of("sabra", {"max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10})


@dataclass(frozen=True)
class Spy:
    """Plays at random, and looks at what it is given."""

    name: str = "spy"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        assert type(view) is View
        assert view.to_move == view.seat
        return make("random", view.rules).move(view, rng)


@dataclass(frozen=True)
class Sleepy:
    """Draws as long as there are tiles."""

    name: str = "sleepy"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        return Draw() if view.pool_size else make("greedy", view.rules).move(view, rng)


def result(win: float, score: int = 0) -> GameResult:
    return GameResult(win, score, turns=10, stalemate=False, decisions=(5, 5), seconds=(0.010, 0.020))


def comparison(*deals: tuple[GameResult, ...]) -> Comparison:
    greedy = make("greedy", SMALL)
    return Comparison(Match(greedy, greedy, SMALL, seats=len(deals[0])), deals)


# Intervals


def test_the_interval_of_a_hand_computed_example() -> None:
    # mean 0.5; variance (0.25 + 0.25) / 3; standard error sqrt(1/6) / 2; t(3 degrees, 97.5%) = 3.18245
    interval = mean_interval([0.0, 0.5, 0.5, 1.0])
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.5 - 3.18245 * 0.204124, abs=1e-5)
    assert interval.high == pytest.approx(0.5 + 3.18245 * 0.204124, abs=1e-5)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    intervals = [mean_interval(rng.normal(3.0, 2.0, 10)) for _ in range(2000)]
    covered = sum(interval.low <= 3.0 <= interval.high for interval in intervals)
    assert 0.935 <= covered / 2000 <= 0.965  # three sigmas


@pytest.mark.parametrize("samples", [[], [1.0], [[1.0, 2.0]]])
def test_an_interval_needs_two_samples(samples: list[float]) -> None:
    with pytest.raises(ValueError, match="two samples or more"):
        mean_interval(samples)


def test_the_samples_are_deals_not_games() -> None:
    halves = [(result(1.0), result(0.0)), (result(0.0), result(1.0))] * 5
    assert comparison(*halves).win_rate.low == comparison(*halves).win_rate.high == 0.5
    sweeps = [(result(1.0), result(1.0)), (result(0.0), result(0.0))] * 5
    wins = mean_interval([1.0, 0.0] * 5)
    assert comparison(*sweeps).win_rate == wins


def test_the_figures_of_a_comparison() -> None:
    three = comparison(
        (result(1.0, 20), result(0.5, 4), result(0.0, -12)),
        (result(0.0, -6), replace(result(0.0, -3), stalemate=True, turns=19), result(0.0, -3)),
    )
    assert three.games == 6
    assert three.even == 1 / 3
    assert three.win_rate.mean == 1.5 / 6
    assert three.score.mean == 0
    assert three.turns == 11.5
    assert three.stalemates == pytest.approx(1 / 6)
    assert three.milliseconds == pytest.approx((2.0, 4.0))


# Deals and seats


@pytest.mark.parametrize("spec", ["random", "greedy_tiles", "keep_joker"])
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("draws", ["private", "shared"])
def test_a_player_against_itself_wins_exactly_its_share(spec: str, seats: int, draws: Draws) -> None:
    player = make(spec, SMALL)
    rate = compare(player, player, SMALL, deals=7, seed=3, seats=seats, draws=draws).win_rate
    assert rate.low == rate.mean == rate.high == 1 / seats


def test_exchanging_the_players_mirrors_the_result() -> None:
    random, greedy = make("random", SMALL), make("greedy", SMALL)
    there = compare(greedy, random, SMALL, deals=20)
    back = compare(random, greedy, SMALL, deals=20)
    for ahead, behind in zip(there.deals, back.deals, strict=True):
        assert [game.win for game in ahead] == [1 - game.win for game in reversed(behind)]
        assert [game.score for game in ahead] == [-game.score for game in reversed(behind)]
        assert [game.decisions for game in ahead] == [game.decisions[::-1] for game in reversed(behind)]


def test_a_stronger_player_is_seen_to_be_stronger() -> None:
    strong = compare(make("greedy", SMALL), Sleepy(), SMALL, deals=30)
    assert strong.win_rate.low > 0.5
    assert strong.score.low > 0


def test_players_get_a_view_and_no_more() -> None:
    assert compare(Spy(), Spy(), SMALL, deals=2, seats=3).games == 6


def test_deals_are_decided_by_the_seed_and_their_number() -> None:
    match = Match(make("random", SMALL), make("greedy", SMALL), SMALL)
    first = [play_deal(match, number) for number in range(6)]
    assert first == [play_deal(match, number) for number in range(6)]
    assert len(set(first)) > 1
    assert first != [play_deal(replace(match, seed=1), number) for number in range(6)]
    assert list(compare(match.challenger, match.opponent, SMALL, deals=6).deals) == first


def test_the_number_of_workers_changes_nothing() -> None:
    players = make("random", SMALL), make("keep_joker", SMALL)
    alone, together = (compare(*players, SMALL, deals=9, seats=3, seed=5, workers=n) for n in (1, 2))
    assert alone.deals == together.deals
    assert table([together]).row_count == 1


def test_one_deal_is_too_few() -> None:
    with pytest.raises(ValueError, match="2 deals or more"):
        compare(Spy(), Spy(), SMALL, deals=1)


# Matches


@pytest.mark.parametrize("match_end", ["rounds 3", "target 40"])
@pytest.mark.parametrize("draws", ["private", "shared"])
def test_a_match_is_won_or_lost_as_a_whole(match_end: str, draws: Draws) -> None:
    rules = rules_of(SMALL, {"match_end": match_end})
    greedy, random = make("greedy", rules), make("random", rules)
    assert compare(greedy, greedy, rules, deals=5, draws=draws).win_rate.low == 0.5
    match = Match(greedy, random, rules, draws=draws)
    for own, game in enumerate(play_deal(match, 3)):
        rounds = record_rounds(match, 3, own)
        ends = [[*replay(record)][-1] for record in rounds]
        scores = [end.outcome.scores[own] for end in ends if end.outcome is not None]
        assert game.score == sum(scores)
        assert game.turns == sum(end.turn for end in ends)
        assert sum(game.decisions) == game.turns
        assert game.win == (0.5 if game.score == 0 else game.score > 0)
        assert len(rounds) == 3 if match_end == "rounds 3" else abs(game.score) >= 40


def test_the_rounds_of_a_match_are_dealt_alike_for_each_seat() -> None:
    rules = rules_of(SMALL, {"match_end": "rounds 3"})
    match = Match(make("greedy", rules), make("random", rules), rules)
    first, second = ([record.start for record in record_rounds(match, 1, own)] for own in (0, 1))
    assert first == second
    assert len(set(first)) == 3


def test_players_are_told_how_the_match_stands() -> None:
    rules = rules_of(SMALL, {"match_end": "rounds 2"})
    seen: list[Standing | None] = []

    @dataclass(frozen=True)
    class Listener:
        name: str = "listener"

        def move(self, view: View, rng: np.random.Generator) -> Move:
            seen.append(view.match)
            return make("greedy", view.rules).move(view, rng)

    match = Match(Listener(), make("random", rules), rules)
    ends = [[*replay(record)][-1].outcome for record in record_rounds(match, 0, 0)]
    assert ends[0] is not None
    assert set(seen) == {Standing((0, 0), 0), Standing(ends[0].scores, 1)}


# Reports


@pytest.fixture(scope="module")
def measured() -> Comparison:
    return compare(make("greedy", SMALL), make("random", SMALL), SMALL, deals=30, seed=4)


def test_the_table_shows_each_figure_with_its_interval(measured: Comparison) -> None:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table([measured]))
    text, rate = " ".join(capture.get().split()), measured.win_rate
    assert "30 deals x 2 seats = 60 games a row, private draws, seed 4" in text
    assert f"{rate.mean:.1%} ({100 * rate.low:.1f}-{100 * rate.high:.1f})" in text
    assert "greedy_tiles" in text
    assert "equal players win 50.0%" in text


def test_the_json_file_holds_all_that_reproduces_it(measured: Comparison, tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "evaluation.json"
    write_json(file, [measured], {"command": ["evaluate.py"]})
    read = json.loads(file.read_text())
    assert read["command"] == ["evaluate.py"]
    assert rules_of(read["rules"]["name"]) == SMALL
    assert (read["seed"], read["deals"], read["seats"], read["draws"]) == (4, 30, 2, "private")
    assert read["rows"][0]["win_rate"]["mean"] == measured.win_rate.mean
    assert read["per_deal"][0]["wins"] == [[game.win for game in games] for games in measured.deals]
    assert np.mean(read["per_deal"][0]["scores"]) == pytest.approx(read["rows"][0]["score"]["mean"])
    assert [path.name for path in file.parent.iterdir()] == ["evaluation.json"]


def test_the_picture_is_a_png(measured: Comparison, tmp_path: Path) -> None:
    write_png(tmp_path / "evaluation.png", [measured, measured])
    assert (tmp_path / "evaluation.png").read_bytes().startswith(b"\x89PNG")
