"""What every player of the registry must do, and what each of them is for."""

import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from agents import PLAYERS, make
from agents.holding import smallest_plays
from agents.no_rearrange import best_layings
from agents.ties import longest_plays, openings, outs
from rummikub_env.game import Draw, Move, Pass, Play, apply
from rummikub_env.objectives import weights
from rummikub_env.player import Player
from rummikub_env.rules import PRESETS, RuleSet, rules_of
from rummikub_env.sets import Set, is_run, readings
from rummikub_env.solver import Plays, plays
from rummikub_env.state import State, View, deal, view
from tests.positions import Position, positions

SABRA = rules_of("sabra")
SMALL = rules_of("sabra", {"max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10})
SPECS = [
    *sorted(PLAYERS.keys() - {"pimc", "pimc_belief", "oracle_rack"}),  # the last one cheats: see test_oracle
    "pimc:worlds=2",
    "pimc_belief:worlds=2",
    "keep_joker:k=3,danger=0",
    "patient:p=2,a=2",
    "hold:n=3",
    "delay_open:t=1",
    "sprint:pool=9",
]


def play(player: Player, seats: int, seed: int, rules: RuleSet = SMALL) -> Iterator[tuple[State, Move]]:
    """A game of the player against itself: each state and the move made in it."""
    state, rng = deal(rules, seats, seed), np.random.default_rng(seed)
    while state.outcome is None:
        move = player.move(view(state, state.to_move), rng)
        yield state, move
        state = apply(state, move)


def position(
    rack: str,
    *,
    other: str = "O2 O2 O3 O3 O6",
    pool: str = "B13",
    table: str = "",
    opened: str = "++",
    turn: int = 0,
    rules: str = "sabra",
) -> View:
    """The view of a seat with this rack that has opened, in the standard game."""
    line = f"{rules}; racks {rack} / {other}; table {table}; opened {opened}; pool {pool}; move 0; turn {turn}"
    return view(State.from_text(line), 0)


def move_of(spec: str, seen: View) -> Move:
    return make(spec, seen.rules).move(seen, np.random.default_rng(0))


def played(spec: str, seen: View) -> str:
    """The tiles that the player plays, "" for none."""
    move = move_of(spec, seen)
    return SABRA.tiles.join(sorted(move.played)) if isinstance(move, Play) else ""


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_player_makes_only_legal_moves(spec: str, seats: int) -> None:
    moves = [move for seed in range(8) for _, move in play(make(spec, SMALL), seats, seed)]
    assert any(isinstance(move, Play) for move in moves)


@pytest.mark.parametrize("preset", PRESETS)
def test_all_players_play_by_all_rules(preset: str) -> None:
    rules = PRESETS[preset]
    players = [make(spec, rules) for spec in SPECS]
    for seats in {rules.players_min, rules.players_max}:
        state, rng = deal(rules, seats, seed=seats), np.random.default_rng(0)
        while state.outcome is None and state.turn < 60:  # a game handed on from player to player
            state = apply(state, players[state.turn % len(players)].move(view(state, state.to_move), rng))
        assert state.outcome is not None or state.turn == 60


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_who_must_play_does(spec: str) -> None:
    rules = rules_of(SMALL, {"must_play_if_able": True, "voluntary_draw": False})
    moves = [move for seed in range(4) for _, move in play(make(spec, rules), 2, seed, rules)]
    assert any(isinstance(move, Play) for move in moves)


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_is_decided_by_its_view_and_its_random_numbers(spec: str) -> None:
    player = make(spec, SMALL)
    for number, (state, _) in enumerate(play(player, 3, seed=1)):
        seen = view(state, state.to_move)
        other_world = view(seen.sample(np.random.default_rng(number)), state.to_move)
        here, there = (player.move(world, np.random.default_rng(5)) for world in (seen, other_world))
        assert here == there


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_can_be_sent_to_another_process(spec: str) -> None:
    player = make(spec, SMALL)
    assert pickle.loads(pickle.dumps(player)) == player


@pytest.mark.parametrize("spec", SPECS)
def test_the_name_of_a_player_makes_it_again(spec: str) -> None:
    player = make(spec, SMALL)
    assert make(player.name, SMALL) == player


@pytest.mark.parametrize("spec", SPECS)
def test_a_player_who_cannot_play_draws_or_passes_on_an_empty_pool(spec: str) -> None:
    assert move_of(spec, position("K1 R2 B3")) == Draw()
    assert move_of(spec, position("K1 R2 B3", pool="")) == Pass()


def test_random_chooses_uniformly_among_draw_and_the_playable_tiles() -> None:
    seen, player = position("K1 K2 K3 R9"), make("random", SABRA)
    moves = [player.move(seen, np.random.default_rng(seed)) for seed in range(400)]
    assert {type(move) for move in moves} == {Draw, Play}
    assert 70 <= sum(isinstance(move, Draw) for move in moves) <= 130  # 1 in 4, five sigmas each way


# One joker, two uses: five tiles worth 12 + 30, or three worth 26 + 30.
ONE_JOKER = "K1 K2 K4 K5 K13 R13 J"


def test_greedy_tiles_plays_the_most_tiles() -> None:
    assert played("greedy_tiles", position(ONE_JOKER)) == "K1 K2 K4 K5 J"
    assert played("greedy", position(ONE_JOKER)) == "K1 K2 K4 K5 J"


def test_greedy_value_plays_the_most_value() -> None:
    assert played("greedy_value", position(ONE_JOKER)) == "K13 R13 J"
    assert played("greedy:objective=value", position(ONE_JOKER)) == "K13 R13 J"


def test_greedy_tiles_low_keeps_the_high_tiles_of_equally_many() -> None:
    either = position("K11 K12 K13 R11 B11")
    assert played("greedy_tiles_low", either) == "K11 R11 B11"
    assert played("greedy_tiles", either) == "K11 K12 K13"
    assert played("greedy_tiles_low", position("K1 R1 B1 K11 R11 B11 O11")) == "K1 K11 R1 R11 B1 B11 O11"


def test_ties_go_to_the_other_criterion() -> None:
    by_tiles, by_value = weights(SABRA, "tiles"), weights(SABRA, "value")
    full = SABRA.tiles.full
    k1, k2, k13, joker = 0, 1, 12, SABRA.tiles.joker
    assert by_tiles[k13] > by_tiles[k1]
    assert 2 * by_tiles[k1] > by_tiles[joker]  # no value outweighs a tile
    assert by_tiles[k1] > int((by_tiles - by_tiles.min()) @ full)
    assert 2 * by_value[k1] > by_value[k2]  # 1 + 1 against 2: two tiles beat one
    assert by_value[k13] > 12 * by_value[k1]  # no number of tiles outweighs a point


PAIR_AND_JOKER = "K13 R13 J K1 R2 O4"


def test_keep_joker_plays_a_joker_that_frees_enough_tiles() -> None:
    assert played("keep_joker:k=2", position(PAIR_AND_JOKER)) == "K13 R13 J"
    assert played("keep_joker:k=3", position(PAIR_AND_JOKER)) == ""


def test_keep_joker_still_plays_what_needs_no_joker() -> None:
    assert played("keep_joker:k=3", position("K13 R13 J B1 B2 B3 O7")) == "B1 B2 B3"
    assert played("greedy_tiles", position("K13 R13 J B1 B2 B3 O7")) == "K13 R13 B1 B2 B3 J"


def test_keep_joker_asks_the_same_of_each_joker() -> None:
    two_jokers = "K13 R13 J J B5 O7 R2"  # the second one can be laid, but frees nothing
    assert played("keep_joker:k=2", position(two_jokers)) == "K13 R13 J"
    assert played("keep_joker:k=0", position(two_jokers)) == "K13 R13 J J"
    assert played("keep_joker:k=2", position("K13 R13 J J B5 B7 R2")) == "K13 R13 B5 B7 J J"


@pytest.mark.parametrize(
    "hurry",
    [
        position("K13 R13 J"),  # it wins
        position(PAIR_AND_JOKER, pool=""),
        position(PAIR_AND_JOKER, other="O2 O3 O6"),  # 3 tiles: danger
    ],
    ids=["win", "empty pool", "danger"],
)
def test_keep_joker_does_not_save_when_time_is_short(hurry: View) -> None:
    assert played("keep_joker:k=9,danger=3", hurry) == "K13 R13 J"


def test_keep_joker_fears_only_what_it_is_told_to_fear() -> None:
    near = position(PAIR_AND_JOKER, other="O2 O3 O6")
    assert played("keep_joker:k=3,danger=2", near) == ""


# Whole turns at random


def test_random_turn_chooses_uniformly_among_draw_and_the_different_plays() -> None:
    seen, player = position("K1 K2 K3 K4 R9"), make("random_turn", SABRA)
    moves = [player.move(seen, np.random.default_rng(seed)) for seed in range(400)]
    counted = Counter(SABRA.tiles.join(sorted(m.played)) if isinstance(m, Play) else "" for m in moves)
    assert counted.keys() == {"", "K1 K2 K3", "K2 K3 K4", "K1 K2 K3 K4"}
    assert min(counted.values()) >= 60  # 1 in 4 of 400, more than four sigmas


def test_random_turn_plays_tile_by_tile_where_the_list_of_plays_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.random.plays", lambda *_: Plays(np.zeros((0, 53), np.uint8), False))
    seen = position("K1 K2 R4 R9 B1 B2 B6 B7 O9 O10 O12 R12 K12", table="R3 J=R4 R5 | K7 J=K8 K9")
    assert make("random_turn", SABRA).move(seen, np.random.default_rng(0)) == make("random", SABRA).move(
        seen, np.random.default_rng(0)
    )


def test_random_turn_does_not_draw_where_it_must_play() -> None:
    seen = position("K1 K2 K3 R9", pool="")
    assert all(isinstance(make("random_turn", SABRA).move(seen, np.random.default_rng(s)), Play) for s in range(20))


# The table as it lies


def test_no_rearrange_lays_new_sets_and_adds_to_old_ones() -> None:
    seen = position("K1 R2 R6 R7 O9 K13 R13 B13", table="R3 R4 R5 | B9 K9 R9")
    assert played("no_rearrange", seen) == "K13 R2 R6 R7 R13 B13 O9"
    move = move_of("no_rearrange", seen)
    assert isinstance(move, Play)
    laid = {SABRA.tiles.join(pieces) for pieces in move.table}
    assert laid == {"R2 R3 R4 R5 R6 R7", "K9 R9 B9 O9", "K13 R13 B13"}


def test_no_rearrange_takes_nothing_from_the_table() -> None:
    seen = position("K5 B5 O1", table="R5 R6 R7 R8")
    assert played("greedy_tiles", seen) == "K5 B5"
    assert played("no_rearrange", seen) == ""


def test_no_rearrange_chooses_what_adds_up_to_most() -> None:
    # K3 begins a run, or is the third of a group that leaves K4 and K5 for the run on the table
    seen = position("K3 K4 K5 R3 B3 O1", table="K6 K7 K8")
    assert played("no_rearrange", seen) == "K3 K4 K5 R3 B3"


def test_no_rearrange_leaves_jokers_what_they_are() -> None:
    assert played("no_rearrange", position("R4 K1", table="R3 J=R4 R5")) == ""
    assert played("no_rearrange", position("R6 J K1", table="R3 J=R4 R5")) == "R6 J"
    assert played("no_rearrange", position("R8 K1", table="R7 J J")) == ""  # a group stays one


def test_no_rearrange_opens_from_its_rack() -> None:
    opening = position("K10 R10 B10 O9 K1", table="R9 B9 K9", opened="-+")
    assert played("no_rearrange", opening) == "K10 R10 B10"


@given(positions())
@settings(max_examples=150, deadline=None)
def test_no_rearrange_finds_the_most_of_all_ways_to_leave_sets_as_they_lie(where: Position) -> None:
    rules, table, rack = where.rules, where.table, where.rack
    worth = weights(rules, "tiles")
    ways = product(range(len(table) + 2), repeat=len(rack))  # each tile: kept, on one of the sets, or in a new one
    best = 0
    for way in ways:
        parts = [tuple(t for t, place in zip(rack, way, strict=True) if place == p) for p in range(1, len(table) + 2)]
        if all(grows(rules, old, new) for old, new in zip((*table, ()), parts, strict=True) if new):
            best = max(best, sum(int(worth[tile]) for part in parts for tile in part))
    laid = best_layings(rules, table, where.counts)
    assert sum(int(worth[tile]) for laying in laid for tile in laying.played) == best


def grows(rules: RuleSet, old: Set, new: Set) -> bool:
    """Is a set with these tiles added a set of the same sort?"""
    return any(not old or is_run(rules, old) == is_run(rules, found) for found in readings(rules, old + new))


# Waiting


HELD = "K7 R1 O4"
TABLE = "K4 K5 K6"


def test_patient_draws_where_a_small_play_leaves_a_few_tiles() -> None:
    seen = position(HELD, table=TABLE)
    assert played("keep_joker", seen) == "K7"
    assert move_of("patient", seen) == Draw()
    assert played("patient:p=0", seen) == "K7"  # the play has 1
    assert played("patient:a=1", seen) == "K7"  # it leaves 2
    assert move_of("patient:a=2", seen) == Draw()
    assert move_of("patient:o=5", seen) == Draw()
    assert played("patient:o=6", seen) == "K7"  # the opponent has 5


def test_patient_plays_what_goes_out_and_what_is_large() -> None:
    assert played("patient", position("K7", table=TABLE)) == "K7"
    assert played("patient", position("K7 K8 R1", table=TABLE)) == "K7 K8"
    assert move_of("patient:p=2", position("K7 K8 R1", table=TABLE)) == Draw()


def test_patient_keeps_jokers_as_keep_joker_does() -> None:
    assert move_of("patient", position("K7 J R1 R9 B12", table=TABLE)) == move_of(
        "keep_joker", position("K7 J R1 R9 B12", table=TABLE)
    )


@pytest.mark.parametrize("spec", ["patient", "hold:n=1", "all_out", "tempo", "delay_open"])
def test_who_cannot_gain_a_tile_or_must_play_does_not_wait(spec: str) -> None:
    opened = "-+" if spec == "delay_open" else "++"
    rack = "K10 R10 B10 K7 R1 O4" if spec == "delay_open" else HELD
    forced = "sabra:must_play_if_able=true,voluntary_draw=false"
    assert move_of(spec, position(rack, table=TABLE, opened=opened)) == Draw()
    assert isinstance(move_of(spec, position(rack, table=TABLE, opened=opened, pool="")), Play)
    assert isinstance(move_of(spec, position(rack, table=TABLE, opened=opened, rules=forced)), Play)


def test_keep_joker_plays_one_where_it_must() -> None:
    forced = "sabra:must_play_if_able=true,voluntary_draw=false"
    assert played("keep_joker:k=3", position(PAIR_AND_JOKER)) == ""
    assert played("keep_joker:k=3", position(PAIR_AND_JOKER, rules=forced)) == "K13 R13 J"


def test_hold_waits_for_a_play_that_leaves_little() -> None:
    seen = position("K7 R1 R9 O4 O11 B2 B13", table=TABLE)
    assert move_of("hold", seen) == Draw()  # six would be left
    assert played("hold:n=6", seen) == "K7"
    assert played("hold", position("K7 R1 R9 O4 O11 B2", table=TABLE)) == "K7"
    assert played("hold", position("K7 R1 R9 O4 O11 B2 B13", table=TABLE, other="O2 O3 O6")) == "K7"  # danger
    assert move_of("hold:danger=2", position("K7 R1 R9 O4 O11 B2 B13", table=TABLE, other="O2 O3 O6")) == Draw()


def test_hold_opens_as_soon_as_it_can() -> None:
    assert played("hold", position("K10 R10 B10 R1 R4 O4 O9 B2 B12", opened="-+")) == "K10 R10 B10"


def test_all_out_waits_until_all_goes_out_at_once() -> None:
    assert move_of("all_out", position("K7 K8 R1", table=TABLE)) == Draw()
    assert played("all_out", position("K7 K8", table=TABLE)) == "K7 K8"
    assert move_of("all_out", position("K7 R1", table=TABLE, other="R2")) == Draw()  # whatever the others hold
    assert played("all_out", position("K10 R10 B10 R1 R4", opened="-+")) == "K10 R10 B10"


def test_tempo_opens_with_the_fewest_tiles() -> None:
    assert played("tempo", position("K10 R10 B10 R1 R2 R3 R4 O12", opened="-+")) == "K10 R10 B10"
    assert played("tempo", position("K8 R8 B8 O8 B9 B10 B11 R1", opened="-+")) == "B9 B10 B11"
    assert played("tempo", position("K10 K11 K12 R10 R11 R12", opened="-+")) == "K10 K11 K12 R10 R11 R12"  # it wins


@pytest.mark.parametrize(("pool", "lays"), [("B1 B2 B3", ""), ("B1 B2", "K7"), ("B1", ""), ("", "K7")])
def test_tempo_lays_a_single_tile_where_it_would_be_first_to_find_the_pool_empty(pool: str, lays: str) -> None:
    assert played("tempo", position("K7 K8 R1", table=TABLE, pool=pool)) == lays
    assert played("tempo", position("K7 K8", table=TABLE, pool=pool)) == "K7 K8"


def test_drip_plays_as_little_as_it_can_unless_it_goes_out() -> None:
    assert played("drip", position("K7 K8 K3 R1", table=TABLE)) == "K7"
    assert played("drip", position("K7 K8 K3", table=TABLE)) == "K3 K7 K8"
    assert played("drip", position("K10 R10 B10 K11 K12 K1", opened="-+")) == "K10 K11 K12"


@pytest.mark.parametrize(("turn", "opens"), [(0, False), (5, False), (6, True), (7, True)])
def test_delay_open_draws_in_its_first_turns(turn: int, opens: bool) -> None:
    seen = position("K10 R10 B10 K1", opened="-+", turn=turn)
    assert isinstance(move_of("delay_open:t=3", seen), Play) == opens
    assert isinstance(move_of("delay_open:t=3", position("K10 R10 B10 K1", turn=turn)), Play)  # it has opened


# Equally many tiles


def test_flex_keeps_the_rack_that_grows_most_easily() -> None:
    seen = position("K1 K2 R1 J")
    assert outs(seen, SABRA.tiles.count(SABRA.tiles.parse_all("K1 K2"))) == 2  # K3 twice
    assert outs(seen, SABRA.tiles.count(SABRA.tiles.parse_all("K1 R1"))) == 4  # B1 and O1, twice each
    assert outs(seen, SABRA.tiles.count(SABRA.tiles.parse_all("K1 J"))) == 0
    either = position("K5 R5 B5 K6 K7 O7")  # K5 K6 K7, or the three fives; then K6 K7 O7 wait for K5, K8, R7, B7
    assert played("greedy_tiles", either) == "K5 K6 K7"
    assert played("flex", either) == "K5 R5 B5"
    kept = [outs(either, either.rack - play) for play in plays(SABRA, (), either.rack, True).counts]
    assert outs(either, either.rack - SABRA.tiles.count(move_tiles("flex", either))) == max(kept)


@given(positions())
@settings(max_examples=100, deadline=None)
def test_the_longest_plays_are_those_of_the_list(where: Position) -> None:
    seen = seen_from(where)
    listed = plays(where.rules, where.table, where.counts, where.opened).counts
    longest = {play.tobytes() for play in listed if play.sum() == listed.sum(axis=1).max()}
    found = longest_plays(seen, 1000)
    assert {play.tobytes() for play in found} == longest
    values = [int(play @ weights(where.rules, "value")) for play in found]
    assert values == sorted(values, reverse=True)
    assert [*map(bytes, longest_plays(seen, 2))] == [*map(bytes, found[:2])]


@given(positions())
@settings(max_examples=100, deadline=None)
def test_the_smallest_plays_are_those_of_the_list(where: Position) -> None:
    listed = plays(where.rules, where.table, where.counts, where.opened).counts
    if len(listed):
        smallest = {play.tobytes() for play in listed if play.sum() == listed.sum(axis=1).min()}
        assert {play.tobytes() for play in smallest_plays(seen_from(where))} == smallest


def seen_from(where: Position) -> View:
    """The view of a seat in this position."""
    sizes, opened = (len(where.rack), 1), (where.opened, True)
    return View(where.rules, 0, where.counts, where.table, opened, sizes, 1, 0, 0, 0, (None, None), None)


def test_deny_leaves_the_table_that_takes_fewest() -> None:
    either = position("K1 K2 K3 R1 B1 O9")  # K1 K2 K3 takes K4; K1 R1 B1 takes O1
    for play in plays(SABRA, (), either.rack, True).counts:
        assert len(openings(either, play)) == 2  # and a joker
    high = position("K11 K12 K13 R11 B11 O9")  # the run takes K10, the group O11
    assert len(openings(high, SABRA.tiles.count(move_tiles("deny", high)))) == 2
    middle = position("K4 K5 K6 R5 B5 O9")  # the run takes K3, K7; the group only O5
    assert played("greedy_tiles", middle) in ("K4 K5 K6", "K5 R5 B5")
    assert played("deny", middle) == "K5 R5 B5"


def move_tiles(spec: str, seen: View) -> tuple[int, ...]:
    move = move_of(spec, seen)
    return move.played if isinstance(move, Play) else ()


# Time is short


def test_sprint_sheds_points_when_the_round_may_end() -> None:
    far = "B13 B13 B12 B12 B11 B11 B10 B10 B9 B9 B7 B7 B6 B6 B5 B5 B4 B4 B3 B3 B2"  # 21 tiles
    assert played("sprint", position(ONE_JOKER, pool=far)) == played("greedy_tiles", position(ONE_JOKER))
    assert played("sprint:pool=21", position(ONE_JOKER, pool=far)) == played("greedy_value", position(ONE_JOKER))
    assert played("sprint", position(ONE_JOKER, pool=far, other="O2 O3 O6")) == "K13 R13 J"
    assert played("sprint", position(ONE_JOKER)) == "K13 R13 J"  # one tile in the pool


# Names and parameters


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gready", r"'gready' is neither a player \(random, .*greedy, .*keep_joker, .*\) nor a checkpoint file"),
        ("runs/none/best.safetensors", "nor a checkpoint file"),
        ("random:k=1", "random has no parameter 'k': it has no parameters"),
        ("greedy_tiles:objective=value", "it has no parameters"),
        ("keep_joker:j=1", "keep_joker has no parameter 'j': it has only k, danger"),
        ("keep_joker:k=two", "keep_joker:k must be of type int, not 'two'"),
        ("keep_joker:k", "keep_joker:k must be of type int, not ''"),
        ("keep_joker:k=-1", "keep_joker: k and danger must be 0 or more, not -1 and 3"),
        ("patient:a=-1", "patient: p and a and o must be 0 or more"),
        ("student:most=0", "student: most must be 1 or more"),
        ("student:guard=nan", "student: most must be 1 or more, guard 0 or more"),
        ("student:file=none.npz", "none.npz holds no student of this version"),
        ("pimc:ms=inf", "pimc: worlds and most must be 1 or more, ms and guard 0 or more"),
        ("pimc:guard=-1", "ms and guard 0 or more"),
        ("greedy:objective=luck", "greedy:objective must be one of tiles, value, tiles_low, not 'luck'"),
    ],
)
def test_a_wrong_spec_is_refused_with_what_is_allowed(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(spec, SABRA)


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "foreign.safetensors"
    file.write_bytes(b"cos\nsystem\n(S'true'\ntR.")  # what a malicious pickle looks like
    with pytest.raises(ValueError, match="not a checkpoint"):
        make(str(file), SABRA)


def test_a_checkpoint_without_torch_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "best.safetensors"
    file.touch()
    monkeypatch.delitem(sys.modules, "agents.learned", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="needs torch, which is not installed"):
        make(str(file), SABRA)


def test_playing_by_name_needs_no_torch() -> None:
    code = "import sys, agents; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
