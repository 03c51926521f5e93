"""Rounds in a row: cumulative scores, and when a match is over."""

import json

import pytest

from rummikub_env import Match, Outcome, rules_of

SABRA = rules_of("sabra")
FIRST, SECOND = Outcome((0,), (30, -20, -10), "out"), Outcome((2,), (-5, -7, 12), "stalemate")


def match(match_end="open", *rounds, rules="sabra"):
    return Match(rules_of(rules, {"match_end": match_end}), 3, rounds)


def test_scores_add_up():
    both = match().add(FIRST).add(SECOND)
    assert both.rounds == (FIRST, SECOND)
    assert both.totals == (25, -27, 2)
    assert both.rounds_won == (1, 0, 1)
    assert both.winners == (0,)


def test_nobody_leads_before_the_first_round():
    assert match().totals == (0, 0, 0)
    assert match().winners == ()


def test_an_open_match_goes_on():
    assert not match("open", *[FIRST] * 50).is_over


def test_a_match_may_be_over_after_so_many_rounds():
    assert not match("rounds 2", FIRST).is_over
    over = match("rounds 2", FIRST, SECOND)
    assert over.is_over
    with pytest.raises(ValueError, match=r"the match is over \(rounds 2\): no round can be added"):
        over.add(FIRST)
    with pytest.raises(ValueError, match="no round follows"):
        over.deal(1)


def test_a_match_may_be_over_when_a_score_is_reached():
    assert not match("target 31", FIRST).is_over
    assert match("target 30", FIRST).is_over
    assert match("target 60", FIRST, FIRST).is_over


def test_equal_totals_share_the_match():
    assert match("rounds 1", Outcome((0, 1), (5, 5, -10), "stalemate")).winners == (0, 1)


def test_where_there_are_no_scores_rounds_won_count():
    none = (0, 0, 0)
    rounds = [Outcome((seat,), none, "out") for seat in (1, 2, 1)]
    assert match("rounds 3", *rounds, rules="vatikan").winners == (1,)


def test_a_round_is_added_when_it_is_over():
    with pytest.raises(ValueError, match="the round is not over"):
        match().add(match().deal(1).outcome)


def test_each_round_has_its_own_deal_and_the_same_one_again():
    first, later = match(), match("open", FIRST)
    assert first.deal(5) == first.deal(5)
    assert first.deal(5) != later.deal(5)
    assert first.deal(5) != first.deal(6)
    assert len(first.deal(5, "private").orders) == 3


def test_the_start_is_drawn_for_anew_in_each_round():
    starters = {match("open", *[FIRST] * n).deal(1).to_move for n in range(20)}
    assert starters == {0, 1, 2}


def test_the_deal_passes_on_where_the_seat_after_the_dealer_begins():
    rounds = [Match(rules_of("machiavelli"), 3, (FIRST,) * n, dealer=1) for n in range(4)]
    assert [played.deal(1).to_move for played in rounds] == [2, 0, 1, 2]
    back = [Match(rules_of("machiavelli:direction=counterclockwise"), 3, (FIRST,) * n) for n in range(3)]
    assert [played.deal(1).to_move for played in back] == [1, 0, 2]


@pytest.mark.parametrize("played", [match(), match("rounds 4", FIRST, SECOND), match("target 200", SECOND)])
def test_a_match_survives_text_json_and_repr(played):
    assert Match.from_text(played.text()) == played
    assert Match.from_dict(json.loads(json.dumps(played.to_dict()))) == played
    assert "\n" not in played.text()
    assert hash(Match.from_text(played.text())) == hash(played)


def test_the_text_of_a_match():
    text = "sabra:match_end=rounds 4; players 3; dealer 0; round out / 0 / 30 -20 -10; round stalemate / 2 / -5 -7 12"
    assert match("rounds 4", FIRST, SECOND).text() == text
    assert match("rounds 4", FIRST).to_dict() == {
        "rules": "sabra:match_end=rounds 4",
        "players": 3,
        "dealer": 0,
        "rounds": [{"winners": [0], "scores": [30, -20, -10], "reason": "out"}],
        "totals": [30, -20, -10],
        "over": False,
    }


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("sabra", "the number of players is missing"),
        ("sabra; players x", "players 'x': write a whole number"),
        ("sabra; players 7", "sabra is for 2 to 4 players"),
        ("sabra; players 3; dealer 3", "the seats are 0 to 2"),
        ("sabra; players 3; score 5", "unknown part 'score' of a match; there are: players, dealer, round"),
        ("sabra; players 3; round out / 0 / 1 -1", "is not the outcome of a round of 3 players"),
        ("sabra; players 3; round won", "end 'won': write out or stalemate"),
    ],
)
def test_a_line_that_is_no_match_says_why(line, told):
    with pytest.raises(ValueError, match=told):
        Match.from_text(line)
