"""Deals, seats, intervals and what is written about them."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console
from scipy.optimize import minimize

from agents import make
from agents.evaluation import Comparison, GameResult, Match, compare, compare_all, mean_interval, record_rounds
from agents.evaluation.arena import DealResult, play_deal
from agents.evaluation.html import page
from agents.evaluation.journal import keep, kept
from agents.evaluation.ladder import Ladder, cells_of, ladder
from agents.evaluation.lineups import alone, mixed
from agents.evaluation.pictures import ladder_png, rows_png
from agents.evaluation.ratings import Cell, ratings, strengths, unexplained
from agents.evaluation.report import ladder_table, table, write_json
from agents.evaluation.sequential import decision, lasting_interval
from agents.evaluation.wording import rule_of
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


# Line-ups


def test_mixed_line_ups_are_all_but_those_of_one_player() -> None:
    assert mixed(2) == alone(2) == ((True, False), (False, True))
    assert [len(mixed(seats)) for seats in (3, 4)] == [6, 14]
    assert [sum(map(sum, mixed(seats))) for seats in (3, 4)] == [9, 28]  # half of all seats
    assert sum(sum(lineup) == 2 for lineup in mixed(4)) == 6
    assert len({*mixed(4)}) == 14


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_mixed_line_ups_too_a_player_against_itself_wins_exactly_its_share(seats: int) -> None:
    player = make("random", SMALL)
    match = Match(player, player, SMALL, seats, mixed=True)
    (itself,) = compare_all([match], 5)
    assert itself.win_rate.low == itself.win_rate.mean == itself.win_rate.high == 1 / seats
    assert itself.share.low == itself.share.mean == itself.share.high == 1 / 2


def test_the_seats_of_a_player_win_and_pay_together() -> None:
    match = Match(make("greedy", SMALL), make("random", SMALL), SMALL, seats=4, mixed=True)
    for number, lineup in enumerate(match.lineups):
        (record,) = record_rounds(match, 2, number)
        assert record.players == tuple("greedy_tiles" if own else "random" for own in lineup)
        *_, end = replay(record)
        assert end.outcome is not None
        game = play_deal(match, 2)[number]
        own = [seat for seat in range(4) if lineup[seat]]
        assert game.score == sum(end.outcome.scores[seat] for seat in own)
        assert game.win == sum(seat in own for seat in end.outcome.winners) / len(end.outcome.winners)


# Stopping early


@pytest.mark.parametrize("even", [1 / 2, 1 / 4])
def test_equal_players_are_called_unequal_no_more_often_than_stated(even: float) -> None:
    rng = np.random.default_rng(1)
    wrong = sum(decision(deal_scores(rng, even, 500), even, 0.05) is not None for _ in range(600))
    assert wrong <= 30  # 5% of 600, looked at after each of 500 deals; far less, as all bets are mixed


def deal_scores(rng: np.random.Generator, rate: float, deals: int) -> NDArray[np.float64]:
    """Scores of deals with two seats each: no, half or all games won."""
    return rng.binomial(2, rate, deals) / 2


@pytest.mark.parametrize(("rate", "side"), [(0.6, "stronger"), (0.4, "weaker")])
def test_a_difference_is_found_and_called_by_its_name(rate: float, side: str) -> None:
    rng = np.random.default_rng(2)
    found = [decision(deal_scores(rng, rate, 1000), 0.5, 0.05) for _ in range(50)]
    ends = [end for end in found if end is not None]
    assert len(ends) == 50
    assert {name for _, name in ends} == {side}
    assert 50 < np.median([number for number, _ in ends]) < 400


def test_a_decision_falls_at_the_first_deal_that_allows_it() -> None:
    scores = [*[1.0] * 40, *[0.0] * 40]
    end = decision(scores, 0.5, 0.05)
    assert end is not None
    number, side = end
    assert side == "stronger"
    assert decision(scores[: number - 1], 0.5, 0.05) is None
    assert decision(scores[:number], 0.5, 0.05) == end


def test_the_lasting_interval_holds_whenever_one_looks() -> None:
    rng, missed = np.random.default_rng(3), 0
    for _ in range(100):
        scores = deal_scores(rng, 0.55, 300)
        looks = [lasting_interval(scores[:n], 0.05) for n in (10, 30, 100, 300)]
        missed += any(not look.low <= 0.55 <= look.high for look in looks)
    assert missed <= 5
    assert lasting_interval([0.5] * 2000, 0.05).low > 0.47
    assert lasting_interval([0.0, 0.0], 0.05).low < 1e-6


@pytest.mark.parametrize("rate", [0.55, 0.62, 0.3])
def test_the_lasting_interval_leaves_out_even_when_it_is_decided(rate: float) -> None:
    scores = deal_scores(np.random.default_rng(4), rate, 2000)
    end = decision(scores, 0.5, 0.05)
    assert end is not None
    interval = lasting_interval(scores[: end[0]], 0.05)
    assert interval.low > 0.5 or interval.high < 0.5
    before = lasting_interval(scores[: end[0] - 1], 0.05)
    assert before.low <= 0.5 <= before.high


@pytest.mark.parametrize("workers", [1, 2])
def test_a_row_that_is_decided_ends_there(workers: int) -> None:
    greedy = make("greedy", SMALL)
    matches = [Match(greedy, Sleepy(), SMALL), Match(greedy, greedy, SMALL)]
    clear, equal = compare_all(matches, 60, workers, error=0.05)
    assert clear.decision == (len(clear.deals), "stronger")
    assert len(clear.deals) < 60
    assert clear.win_rate.low > 0.5
    assert clear.deals == compare_all(matches[:1], 60)[0].deals[: len(clear.deals)]
    assert (len(equal.deals), equal.decision) == (60, None)


# Going on


FACTS = {"seed": 1, "pairs": [["a", "b"]]}


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "unfinished"
    assert kept(file, FACTS) == {}
    match = Match(make("greedy", SMALL), make("random", SMALL), SMALL)
    deals = [play_deal(match, number) for number in range(3)]
    for row, games in [(0, deals[0]), (0, deals[1]), (1, deals[2])]:
        keep(file, row, games)
    assert kept(file, FACTS) == {0: deals[:2], 1: deals[2:]}
    again = kept(file, FACTS)[0][0][0].seconds
    assert again == pytest.approx(deals[0][0].seconds, abs=1e-6)


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "unfinished"
    kept(file, FACTS)
    deals = [(result(1.0, 5), result(0.0, -5)), (result(0.5), result(0.5))]
    for games in deals:
        keep(file, 0, games)
    file.write_bytes(file.read_bytes()[:-7])
    assert kept(file, FACTS) == {0: deals[:1]}
    keep(file, 0, deals[1])
    assert kept(file, FACTS) == {0: deals}


def test_results_of_other_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    file = tmp_path / "unfinished"
    kept(file, FACTS)
    with pytest.raises(ValueError, match=r"another evaluation \(seed: 1 there, 2 now\): delete it, or give another"):
        kept(file, FACTS | {"seed": 2})
    for content in ("[1]\n", "no results\n", '{"seed": 1}\n[0]\n', "\n", ""):
        file.write_text(content)
        with pytest.raises(ValueError, match="does not hold results"):
            kept(file, FACTS)


@pytest.mark.parametrize("workers", [1, 2])
def test_going_on_gives_what_one_run_gives(workers: int) -> None:
    greedy, random, saver = (make(spec, SMALL) for spec in ("greedy", "random", "keep_joker"))
    matches = [Match(greedy, random, SMALL), Match(greedy, saver, SMALL), Match(random, saver, SMALL)]
    straight = compare_all(matches, 12)
    before = {0: straight[0].deals, 1: straight[1].deals[:5]}
    added: list[tuple[int, DealResult]] = []
    counted: list[int] = []
    rest = compare_all(
        matches, 12, workers, counted.append, kept=before, keep=lambda row, games: added.append((row, games))
    )
    assert rest == straight
    assert added == [(1, games) for games in straight[1].deals[5:]] + [(2, games) for games in straight[2].deals]
    assert sum(counted) == 3 * 12 * 2


# Ratings


def synthetic(points: Mapping[str, float], seats: int, deals: int, rng: np.random.Generator) -> list[Cell]:
    """Games of all pairs, won as these ratings say."""
    cells = []
    for first, second in combinations(points, 2):
        for own in range(1, seats):
            a, b = own * 10 ** (points[first] / 400), (seats - own) * 10 ** (points[second] / 400)
            wins = rng.binomial(seats, a / (a + b), deals).astype(np.float64)
            cells.append(Cell(first, second, (own, seats - own), wins, seats))
    return cells


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_known_strengths_are_found(seats: int) -> None:
    known = {"a": 0.0, "b": 100.0, "c": -200.0, "d": 30.0}
    cells = synthetic(known, seats, 2000, np.random.default_rng(5))
    found = ratings(cells, "a", samples=200)
    assert [rating.name for rating in found] == ["b", "d", "a", "c"]
    for rating in found:
        assert rating.points.mean == pytest.approx(known[rating.name], abs=15)
        assert rating.points.low <= rating.points.mean <= rating.points.high
    assert max(map(abs, unexplained(cells, found).values())) < 0.03


def test_the_intervals_of_ratings_cover_the_truth() -> None:
    known, rng = {"a": 0.0, "b": 60.0, "c": -40.0}, np.random.default_rng(6)
    covered = 0
    for seed in range(100):
        found = ratings(synthetic(known, 2, 150, rng), "a", samples=200, seed=seed)
        covered += sum(rating.points.low <= known[rating.name] <= rating.points.high for rating in found)
    assert 270 <= covered <= 298  # of 300; those of the anchor always do


def test_the_strengths_are_the_most_likely_ones() -> None:
    cells = synthetic({"a": 0.0, "b": 150.0, "c": -90.0}, 3, 40, np.random.default_rng(7))
    wins = np.array([[cell.wins.sum() for cell in cells]])

    def unlikely(theta: NDArray[np.float64]) -> float:
        of = dict(zip("abc", (0.0, *theta), strict=True))
        total = 0.0
        for cell, won in zip(cells, wins[0], strict=True):
            a, b = cell.seats[0] * np.exp(of[cell.first]), cell.seats[1] * np.exp(of[cell.second])
            won, games = won + cell.seats[0] / 3, cell.games * 40 + 1
            total -= won * np.log(a / (a + b)) + (games - won) * np.log(b / (a + b))
        return float(total)

    best = minimize(unlikely, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10}).x
    assert strengths(cells, wins, 0)[0, 1:] == pytest.approx(best, abs=1e-5)


def test_who_never_wins_has_a_rating_too() -> None:
    cells = [Cell("good", "bad", (1, 1), np.full(50, 2.0), 2)]
    good, bad = ratings(cells, "good", samples=50)
    assert (good.name, good.points.mean, bad.name) == ("good", 0, "bad")
    assert -2000 < bad.points.mean < -500
    with pytest.raises(ValueError, match="the anchor 'ugly' does not play; there are: good, bad"):
        ratings(cells, "ugly")


def test_what_no_ratings_explain_is_told() -> None:
    circle = [Cell(*pair, (1, 1), np.array([2.0, 1.0] * 50), 2) for pair in [("a", "b"), ("b", "c"), ("c", "a")]]
    found = ratings(circle, "a", samples=10)
    assert all(rating.points.mean == pytest.approx(0, abs=1e-6) for rating in found)
    assert unexplained(circle, found) == pytest.approx({("a", "b"): 0.25, ("b", "c"): 0.25, ("c", "a"): 0.25})


@pytest.fixture(scope="module")
def measured() -> Comparison:
    return compare(make("greedy", SMALL), make("random", SMALL), SMALL, deals=30, seed=4)


# Ladders


@pytest.fixture(scope="module")
def three() -> Ladder:
    players = [make(spec, SMALL) for spec in ("random", "greedy", "no_rearrange")]
    matches = [Match(*pair, SMALL, seats=3, mixed=True) for pair in combinations(players, 2)]
    return ladder(compare_all(matches, 20), "greedy_tiles")


def test_a_ladder_counts_each_line_up_of_each_pair(three: Ladder) -> None:
    cells = cells_of(three.comparisons[0])
    assert [(cell.first, cell.second, cell.seats, cell.games) for cell in cells] == [
        ("random", "greedy_tiles", (1, 2), 3),
        ("random", "greedy_tiles", (2, 1), 3),
    ]
    wins = [sum(game.win for game in games) for games in three.comparisons[0].deals]
    assert (cells[0].wins + cells[1].wins).tolist() == pytest.approx(wins)
    there, back = three.shares["random", "greedy_tiles"], three.shares["greedy_tiles", "random"]
    assert there.mean == pytest.approx(np.mean(wins) / 6)
    assert (back.mean, back.low, back.high) == (1 - there.mean, 1 - there.high, 1 - there.low)
    assert three.milliseconds.keys() == three.players.keys() == {"random", "greedy_tiles", "no_rearrange"}
    assert min(three.milliseconds.values()) > 0


def test_the_table_of_a_ladder_shows_each_player(three: Ladder) -> None:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(ladder_table(three))
    text = " ".join(capture.get().split())
    assert "20 deals x 6 line-ups = 120 games a row" in text
    assert "greedy_tiles = 0" in text
    for rating in three.ratings:
        assert f"{rating.name} {rating.points.mean:+.0f}" in text


def test_the_pictures_are_png(three: Ladder, measured: Comparison) -> None:
    assert ladder_png(three).startswith(b"\x89PNG")
    assert rows_png([measured, measured]).startswith(b"\x89PNG")


class Outside(HTMLParser):
    """Notes what a page wants from elsewhere, its tags and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[str] = []
        self.open: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.wanted += [value for key, value in attrs if key in ("src", "href") and value is not None]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("kind", ["ladder", "rows", "stopped"])
def test_the_page_needs_nothing_else_and_says_all(kind: str, three: Ladder, measured: Comparison) -> None:
    comparisons = {"ladder": three.comparisons, "rows": [measured], "stopped": [replace(measured, error=0.05)]}[kind]
    picture, found = b"\x89PNG of a picture", three if kind == "ladder" else None
    text = page(comparisons, picture, {"command": ["evaluate.py", "--out", "a < b & c"], "seed": 4}, found).decode()
    seen = Outside()
    seen.feed(text)
    assert not seen.open
    assert seen.wanted == [f"data:image/png;base64,{b64encode(picture).decode()}"]
    assert "url(" not in text
    assert "evaluate.py --out 'a < b & c'" in seen.words
    for player in (player for row in comparisons for player in (row.match.challenger, row.match.opponent)):
        assert player.name in seen.words
        assert rule_of(player) in seen.words
    first = comparisons[0].share if kind == "ladder" else comparisons[0].win_rate
    assert f"{first.mean:.1%} ({100 * first.low:.1f}-{100 * first.high:.1f})" in seen.words
    assert ("stronger (" in seen.words) == (kind == "stopped")


# Reports


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


def test_the_json_file_of_a_ladder_holds_ratings_and_pairs(three: Ladder, tmp_path: Path) -> None:
    write_json(tmp_path / "evaluation.json", three.comparisons, {}, three)
    read = json.loads((tmp_path / "evaluation.json").read_text())
    assert read["lineups"] == ["++-", "+-+", "+--", "-++", "-+-", "--+"]
    assert read["ladder"]["anchor"] == "greedy_tiles"
    assert [row["player"] for row in read["ladder"]["ratings"]] == [rating.name for rating in three.ratings]
    pair = read["ladder"]["pairs"][0]
    assert pair["players"] == ["random", "greedy_tiles"]
    assert pair["games_won_by_the_first"]["mean"] == three.shares["random", "greedy_tiles"].mean
    assert pair["beyond_the_ratings"] == three.unexplained["random", "greedy_tiles"]
