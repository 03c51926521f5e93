"""Turns, the end of a round and its scores, sentence by sentence. What a play may do: `test_judge`."""

import numpy as np
import pytest

from rummikub_env.game import (
    Draw,
    Pass,
    Play,
    TimeOut,
    advance,
    apply,
    check,
    rack_points,
    score,
    tile_points,
)
from rummikub_env.reasons import IllegalMove, Reason
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table, table_text
from rummikub_env.state import LastMove, Outcome, State, deal, view

TILES = rules_of("sabra").tiles


def position(racks="K9 B12 R6 / O1", table="R3 R4 R5", opened="++", pool="O13 K2 B1 B2", rules="sabra", **more):
    """A position with these parts of its text."""
    parts = {"racks": racks, "table": table, "opened": opened, "pool": pool, **more}
    return State.from_text("; ".join([rules, *(f"{word} {text}" for word, text in parts.items())]))


def play(table, played, taken=""):
    return Play(parse_table(TILES, table), TILES.parse_all(played), TILES.parse_all(taken))


def time_out(table, played):
    return TimeOut(parse_table(TILES, table), TILES.parse_all(played))


def reasons(state, move, **how):
    return [refusal.reason for refusal in check(state, move, **how)]


def rack(state, seat):
    return TILES.join(TILES.listed(state.racks[seat]))


R6 = play("R3 R4 R5 R6", "R6")


# Whose turn, and in time


def test_a_player_moves_only_in_turn():
    assert reasons(position(), Draw(), seat=0) == []
    assert reasons(position(), Draw(), seat=1) == [Reason.E_NOT_YOUR_TURN]
    with pytest.raises(IllegalMove, match="It is another player's turn"):
        apply(position(), Draw(), seat=1)


def test_the_drawn_tile_may_not_be_played_in_the_same_turn():
    after = apply(position("K9 B12 / O1", pool="R6 O2"), Draw())
    assert reasons(after, R6, seat=0) == [Reason.E_NOT_YOUR_TURN]
    assert reasons(apply(after, Draw()), R6, seat=0) == []


@pytest.mark.parametrize("move", [Draw(), Pass(), R6, TimeOut()])
def test_no_move_after_the_round(move):
    over = apply(position("R6 / O1"), R6)
    assert over.outcome is not None
    assert reasons(over, move) == [Reason.E_TURN_OVER]


def test_a_move_is_made_in_time():
    assert reasons(position(), R6, elapsed=59.9) == []
    assert reasons(position(), R6, elapsed=60) == [Reason.E_TIMEOUT]
    assert reasons(position(rules="sabra:turn_seconds=none"), R6, elapsed=900) == []
    with pytest.raises(IllegalMove, match="a turn takes 60 seconds at most"):
        apply(position(), R6, elapsed=60)


def test_the_turn_passes_to_the_left_or_to_the_right():
    racks = "K9 / B12 / O1 / O2"
    assert apply(position(racks, opened="++++"), Draw()).to_move == 1
    assert apply(position(racks, opened="++++", move="3"), Draw()).to_move == 0
    assert apply(position(racks, opened="++++", rules="sabra:direction=counterclockwise"), Draw()).to_move == 3


# Draw and pass


def test_a_player_who_could_play_may_draw():
    after = apply(position(), Draw())
    assert rack(after, 0) == "K9 R6 B12 O13"
    assert after.pool_size == 3
    assert (after.to_move, after.turn, after.last) == (1, 1, (LastMove("draw", 1), None))


def test_nothing_is_drawn_from_an_empty_pool():
    assert reasons(position(pool=""), Draw()) == [Reason.E_POOL_EMPTY]


def test_the_last_tile_may_be_drawn_and_play_goes_on():
    after = apply(position(pool="O13"), Draw())
    assert (after.pool_size, after.outcome, after.to_move) == (0, None, 1)


def test_passing_is_for_an_empty_pool():
    assert reasons(position(), Pass()) == [Reason.E_PASS_NOT_ALLOWED]
    assert reasons(position("K9 B12 / O1", pool=""), Pass()) == []


def test_with_an_empty_pool_a_player_who_can_must_play():
    assert reasons(position(pool=""), Pass()) == [Reason.E_MUST_PLAY]
    assert reasons(position(pool="", rules="sabra:pool_empty_pass=allowed"), Pass()) == []


def test_who_has_not_opened_and_cannot_may_pass():
    assert reasons(position(pool="", opened="-+"), Pass()) == []


# Play: the tiles


def test_a_tile_is_played_and_leaves_the_rack():
    after = apply(position(), R6)
    assert rack(after, 0) == "K9 B12"
    assert table_text(TILES, after.table) == "R3 R4 R5 R6"
    assert (after.to_move, after.turn, after.last) == (1, 1, (LastMove("play", 1), None))
    assert after.pool_size == 4


def test_at_least_one_tile_is_played():
    state = position(table="R1 R2 R3 R4 | K4 B4 O4")
    assert reasons(state, play("R1 R2 R3 | K4 R4 B4 O4", "")) == [Reason.E_NO_TILE_PLAYED]


def test_tiles_come_from_the_own_rack():
    assert reasons(position(), play("R3 R4 R5 | O2 O3 O4", "O2 O3 O4")) == [Reason.E_TILE_NOT_ON_RACK]
    twice = play("R3 R4 R5 R6 | R6 R7 R8", "R6 R6 R7 R8")
    (refusal,) = check(position("R6 R7 R8 / O1"), twice)
    assert (refusal.reason, refusal.detail) == (Reason.E_TILE_NOT_ON_RACK, "R6")


def test_no_tile_is_lost_or_invented():
    (refusal,) = check(position(), play("R4 R5 R6 R7", "R6"))
    assert refusal.reason == Reason.E_TILE_CONSERVATION
    assert refusal.detail == "missing: R3, too many: R7"


def test_no_tile_of_the_table_is_taken_to_the_rack():
    assert reasons(position(), play("R4 R5 R6", "R6", "R3")) == [Reason.E_TILE_TAKEN_TO_RACK]


def test_a_retrieved_joker_is_played_again_at_once():
    state = position(table="R5 J=R6 R7")
    assert reasons(state, play("R5 R6 R7", "R6", "J")) == [Reason.E_JOKER_NOT_REUSED]


def test_a_joker_is_played_as_a_joker_whatever_it_is_declared():
    state = position("J / O1")
    after = apply(state, play("R3 R4 R5 J=R6", "J=R6"))
    assert after.racks[0].sum() == 0


def test_the_first_play_opens():
    state = position("R10 K10 B10 O1 / O2", opened="--")
    after = apply(state, play("R3 R4 R5 | K10 R10 B10", "K10 R10 B10"))
    assert after.opened == (True, False)
    assert apply(state, Draw()).opened == (False, False)


def test_a_refused_turn_changes_nothing_and_says_all_its_reasons():
    state = position("R6 B6 / O1", table="R3 R4 R5 | K7 B7 O7")
    text = state.text()
    with pytest.raises(IllegalMove) as refused:
        apply(state, play("R3 R4 | R5 R6 | K7 B7 O7", "R6"))
    assert [refusal.reason for refusal in refused.value.refusals] == [Reason.E_SET_TOO_SHORT] * 2
    assert str(refused.value) == "A set needs at least three tiles. (R3 R4) A set needs at least three tiles. (R5 R6)"
    assert state.text() == text


def test_an_illegal_play_may_be_rolled_back_and_fined():
    rules = "sabra:invalid_table_action={}"
    bad = play("R3 R4 | R5 R6", "R6")
    for action, drawn in [("rollback", 0), ("rollback_penalty,invalid_table_penalty_tiles=3", 3)]:
        state = position(rules=rules.format(action))
        assert reasons(state, bad) == [Reason.E_SET_TOO_SHORT] * 2
        after = apply(state, bad)
        assert (after.table, after.to_move) == (state.table, 1)
        assert after.racks[0].sum() == 3 + drawn
        assert after.pool_size == 4 - drawn
        with pytest.raises(IllegalMove):
            apply(state, bad, seat=1)


def test_the_state_before_a_move_stays_as_it_was():
    state = position()
    text = state.text()
    for move in (Draw(), R6, TimeOut()):
        apply(state, move)
    assert state.text() == text


def test_advance_is_apply_for_legal_moves_with_resolved_tables():
    for move in (Draw(), R6, TimeOut()):
        assert advance(position(), move) == apply(position(), move)


# Time-out


def test_at_time_out_the_table_is_restored_and_three_tiles_are_drawn():
    after = apply(position(), time_out("R3 R4 | R5 | K9 B12", "K9 B12"))
    assert table_text(TILES, after.table) == "R3 R4 R5"
    assert rack(after, 0) == "K2 K9 R6 B1 B12 O13"
    assert (after.pool_size, after.to_move, after.last[0]) == (1, 1, LastMove("timeout", 3))


def test_at_time_out_with_a_short_pool_what_is_left_is_drawn():
    after = apply(position(pool="O13 K2"), TimeOut())
    assert (after.pool_size, after.last[0]) == (0, LastMove("timeout", 2))


def test_a_legal_play_on_the_table_at_time_out_counts():
    after = apply(position(), time_out("R3 R4 R5 R6", "R6"))
    assert after == apply(position(), R6)
    rolled_back = apply(position(rules="sabra:timeout_valid_table=rollback"), time_out("R3 R4 R5 R6", "R6"))
    assert rolled_back.last[0] == LastMove("timeout", 3)


def test_time_out_with_nothing_moved_is_fined_too():
    assert apply(position(), time_out("R3 R4 R5", "")).last[0] == LastMove("timeout", 3)
    assert apply(position(rules="sabra:timeout_penalty_tiles=1"), TimeOut()).last[0] == LastMove("timeout", 1)


def test_a_timed_out_opening_leaves_the_player_unopened():
    state = position("R10 B10 K9 B6 / O5", table="B3 B4 B5", opened="-+")
    after = apply(state, time_out("B3 B4 B5 | R10 B10", "R10 B10"))
    assert after.opened == (False, True)


def test_there_is_no_time_out_without_a_clock():
    assert reasons(position(rules="sabra:turn_seconds=none"), TimeOut()) == [Reason.E_TIMEOUT]


def test_private_draws_fine_the_own_next_tiles():
    state = deal(rules_of("sabra"), 2, 3, "private")
    seat = state.to_move
    tiles = state.orders[seat, :3] // 2
    after = apply(state, TimeOut())
    gained = after.racks[seat].astype(int) - state.racks[seat]
    assert gained.sum() == 3
    assert all(gained[min(tile, 52)] for tile in tiles)


# The end of a round


def test_the_last_tile_wins():
    after = apply(position("R6 / O1 J"), R6)
    assert after.outcome == Outcome((0,), (31, -31), "out")


def test_the_opening_may_go_out():
    state = position("R10 K10 B10 / O2", opened="--")
    after = apply(state, play("R3 R4 R5 | K10 R10 B10", "K10 R10 B10"))
    assert after.outcome == Outcome((0,), (2, -2), "out")


def test_the_round_is_over_when_nobody_can_play_and_the_pool_is_empty():
    state = position("K13 R13 / K1 B2 O1 / K7 B9 O11 K5", opened="+++", pool="")
    for _ in range(2):
        state = apply(state, Pass())
        assert state.outcome is None
    state = apply(state, Pass())
    assert state.outcome == Outcome((1,), (-22, 50, -28), "stalemate")


def test_a_play_begins_the_count_of_passes_anew():
    state = position("K13 O9 / R6 O2", pool="", passes="1", move="1")
    after = apply(state, R6)
    assert (after.passes, after.outcome) == (0, None)


def test_a_time_out_on_an_empty_pool_is_a_pass_of_who_cannot_play():
    unable = apply(position("K13 O9 / R6 O2", pool="", passes="1"), TimeOut())
    assert unable.outcome is not None
    able = apply(position("R6 O9 / K13 O2", pool="", passes="1"), TimeOut())
    assert (able.passes, able.outcome) == (0, None)


# Scores


def scored(racks, reason, **overrides):
    rules = rules_of("sabra", overrides)
    counts = np.stack([TILES.count(TILES.parse_all(rack)) for rack in racks])
    outcome = score(rules, counts, reason)
    assert sum(outcome.scores) == 0
    return outcome.winners, outcome.scores


def test_tiles_on_a_rack_count_their_value_and_jokers_30():
    rules = rules_of("sabra")
    assert rack_points(rules, TILES.count(TILES.parse_all("K1 O13 J"))) == 44
    assert tile_points(rules)[[0, 12, 13, 52]].tolist() == [1, 13, 1, 30]
    assert rack_points(rules_of("sabra:joker_rack_penalty=25"), TILES.count(TILES.parse_all("J J"))) == 50


def test_losers_pay_what_they_hold_to_the_winner():
    assert scored(["", "R5", "K10", "O3"], "out") == ((0,), (18, -5, -10, -3))
    assert scored(["J J", ""], "out") == ((1,), (-60, 60))


def test_in_a_stalemate_the_lowest_value_wins_the_differences():
    racks = ["K13 R13", "K1 B2 O1", "K7 B9 O11 K5"]
    assert scored(racks, "stalemate") == ((1,), (-22, 50, -28))
    assert scored(["K10", "R7 R8", "J"], "stalemate") == ((0,), (25, -5, -20))


def test_in_a_stalemate_losers_may_pay_all_that_they_hold():
    rules = {"stalemate_winner": "fewest_tiles", "stalemate_scoring": "normal"}
    assert scored(["K13 R2", "K5 B6", "K7 B9 O11"], "stalemate", **rules) == ((1,), (-15, 42, -27))
    assert scored(["K4 K6", "R4 R6"], "stalemate", **rules) == ((0, 1), (0, 0))


def test_a_tie_is_broken_by_the_other_criterion():
    assert scored(["K4 K6", "R10"], "stalemate")[0] == (1,)
    assert scored(["K4 K6", "R9"], "stalemate", stalemate_winner="fewest_tiles")[0] == (1,)
    assert scored(["K4 K6", "R4 R5"], "stalemate", stalemate_winner="fewest_tiles")[0] == (1,)


def test_a_complete_tie_shares_the_pot():
    assert scored(["K4 K6", "R4 R6", "O12 O8"], "stalemate") == ((0, 1), (5, 5, -10))


def test_points_that_cannot_be_shared_go_to_the_first_seats():
    assert scored(["O12 O9", "K4 K6", "R4 R6"], "stalemate") == ((1, 2), (-11, 6, 5))


# Other rules for the turn


def state_of(rules, line):
    return State.from_text(f"{rules}; {line}")


ABLE = "racks R6 K9 / B12; table R3 R4 R5; opened ++; pool K1 K2 K3 K4 K5 K6 K7 K8"
UNABLE = ABLE.replace("R6 K9", "O6 K9")


def test_who_could_play_may_have_to():
    for rule in ("voluntary_draw=false", "must_play_if_able=true"):
        assert reasons(state_of(f"sabra:{rule}", ABLE), Draw()) == [Reason.E_MUST_PLAY]
        assert reasons(state_of(f"sabra:{rule}", UNABLE), Draw()) == []


def test_with_an_empty_pool_too_who_can_must_play_if_the_rules_say_so():
    empty = ABLE.partition("; pool")[0]
    assert reasons(state_of("pressman_1998", empty), Pass()) == []
    assert reasons(state_of("pressman_1998:must_play_if_able=true", empty), Pass()) == [Reason.E_MUST_PLAY]
    assert reasons(state_of("pressman_1998:voluntary_draw=false", empty), Pass()) == []


def test_a_missed_play_may_cost_seven_tiles():
    after = apply(state_of("rummy_games_50", ABLE), Draw())
    assert (after.racks[0].sum(), after.pool_size, after.last[0]) == (9, 1, LastMove("draw", 7))
    assert apply(state_of("rummy_games_50", UNABLE), Draw()).pool_size == 7
    short = apply(state_of("rummy_games_50", ABLE.partition(" K3")[0]), Draw())
    assert (short.racks[0].sum(), short.pool_size) == (4, 0)


UNTIL = "sabra:draw_rule=until_playable"
POOL = "racks K9 B12 / O1 O3; table R3 R4 R5; opened ++; pool O13 K2 R6 B1"


def test_a_player_may_have_to_draw_until_a_play_is_possible():
    after = apply(state_of(UNTIL, POOL), Draw())
    assert (after.racks[0].sum(), after.pool_size, after.to_move) == (5, 1, 1)
    assert after.last[0] == LastMove("draw", 3)
    assert apply(state_of("sabra", POOL), Draw()).pool_size == 3


def test_drawing_until_a_play_is_possible_ends_with_the_pool():
    assert apply(state_of(UNTIL, POOL.replace("R6", "O6")), Draw()).pool_size == 0


def test_who_could_play_already_draws_one():
    assert apply(state_of(UNTIL, POOL.replace("B12", "R2")), Draw()).pool_size == 3


def test_with_private_draws_the_own_order_is_drawn_until_a_play_is_possible():
    pools = "pools O13a R6a K2a / R6a K2a O13a"
    line = "racks K9 / O1; table R3 R4 R5; opened ++; {}; move {}".format(pools, "{}")
    assert [apply(state_of(UNTIL, line.format(seat)), Draw()).pool_size for seat in (0, 1)] == [1, 2]


def test_a_play_may_need_more_tiles():
    state = state_of("sabra:min_tiles_per_turn=2", "racks R6 R7 K9 / B12; table R3 R4 R5; opened ++; pool K1")
    assert reasons(state, play("R3 R4 R5 R6", "R6")) == [Reason.E_NO_TILE_PLAYED]
    with pytest.raises(IllegalMove, match="these rules want 2"):
        apply(state, play("R3 R4 R5 R6", "R6"))
    assert reasons(state, play("R3 R4 R5 R6 R7", "R6 R7")) == []


def test_a_first_play_may_tell_its_opening():
    state = state_of("pagat_sabra", "racks K10 R10 B10 B6 / B12; table B3 B4 B5; opened --; pool K1")
    table, played = parse_table(TILES, "B3 B4 B5 B6 | K10 R10 B10"), TILES.parse_all("K10 R10 B10 B6")
    for opening in (None, parse_table(TILES, "K10 R10 B10")):
        assert apply(state, Play(table, played, opening=opening)).outcome.winners == (0,)
    wrong = Play(table, played, opening=parse_table(TILES, "B4 B5 B6"))
    assert reasons(state, wrong) == [Reason.E_MELD_USES_TABLE]


# Other ends


def test_a_time_out_on_an_empty_pool_may_always_be_a_pass():
    line = ABLE.partition("; pool")[0]
    assert apply(state_of("sabra", line), TimeOut()).passes == 0
    assert apply(state_of("sabra:stalemate_trigger=all_pass", line), TimeOut()).passes == 1


def scored_by(rules, racks, reason="out", **more):
    rules = rules_of(rules)
    tiles = rules.tiles
    counts = np.stack([tiles.count(tiles.parse_all(rack)) for rack in racks.split("/")])
    outcome = score(rules, counts, reason, **more)
    return outcome.winners, outcome.scores


def test_cards_count_eleven_for_the_ace_and_ten_for_court_cards():
    assert scored_by("machiavelli_it", "/ J K1 K13 K7 K10 K11") == ((0,), (73, -73))


def test_rounds_may_be_won_without_scores():
    assert scored_by("vatikan", "/ K1 K13 / J") == ((0,), (0, 0, 0))
    assert scored_by("vatikan", "K1 / K13 / K2", "stalemate") == ((0,), (0, 0, 0))


def test_in_a_stalemate_the_winner_may_lose_what_it_holds_itself():
    rules = "sabra:stalemate_scoring=sum_minus_own"
    assert scored_by(rules, "K2 / K5 / K9", "stalemate") == ((0,), (12, -5, -9))
    assert scored_by(rules, "/ K5 / K9") == ((0,), (14, -5, -9))
    assert scored_by(rules, "K2 / R2 / K9", "stalemate") == ((0, 1), (3, 2, -9))


def test_who_never_opened_may_be_counted_for_all_others():
    """The winner has it from the sum already."""
    opened = (True, True, False, False)
    assert scored_by("wikipedia_no", "/ B5 / K10 / K3", opened=opened) == ((0,), (18, 8, -7, 7))
    assert scored_by("wikipedia_no", "/ B5 / K10 / K3") == ((0,), (18, -5, -10, -3))
    both = scored_by("wikipedia_no", "K2 / R5 K5 / K10 K9", "stalemate", opened=(True, True, False))
    assert both == ((0,), (29, 9, -19))


def test_who_never_opened_may_pay_a_flat_price():
    rules, opened = "mso_tournament:players_max=3", (True, False, True)
    assert scored_by(rules, "/ B5 / K10", opened=opened) == ((0,), (110, -100, -10))
    assert scored_by(rules, "/ B5 / K10", opened=opened, declined=(False, True, False)) == ((0,), (210, -200, -10))
    assert scored_by(rules, "/ B5 / J", opened=(True, True, True)) == ((0,), (55, -5, -50))


COULD_OPEN = "racks K10 R10 B10 K1 / R6; table R3 R4 R5; opened -+; pool O1 O3 O5; move 0"


def test_who_could_have_opened_and_did_not_is_remembered():
    state = state_of("mso_tournament", COULD_OPEN)
    after = apply(state, Draw())
    assert after.declined == (True, False)
    assert State.from_text(after.text()) == after
    assert after != State.from_text(after.text().replace("; declined +-", ""))
    over = apply(after, play("R3 R4 R5 R6", "R6"))
    assert over.outcome.scores == (-200, 200)
    assert apply(state_of("sabra", COULD_OPEN), Draw()).declined == ()


def test_a_tile_that_came_too_late_makes_no_choice():
    """The last draw allows an opening, but no turn follows."""
    state = state_of("mso_tournament", COULD_OPEN.replace("B10", "B9").replace("pool O1", "pool B10"))
    after = apply(state, Draw())
    assert after.declined == ()
    assert apply(after, play("R3 R4 R5 R6", "R6")).outcome.scores == (-100, 100)


def test_what_others_could_have_opened_is_not_seen():
    after = apply(state_of("mso_tournament", COULD_OPEN), Draw())
    assert view(after, 0).declined
    assert not view(after, 1).declined
    assert view(after, 0).sample(np.random.default_rng(1)).declined == (True, False)
    hidden = State.from_text(after.text().replace("; declined +-", ""))
    assert view(after, 1) == view(hidden, 1)
    assert view(after, 0) != view(hidden, 0)
