"""What every player of the registry must do, and what each of them is for."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from agents import PLAYERS, make
from rummikub_env.game import Draw, Move, Pass, Play, apply
from rummikub_env.objectives import weights
from rummikub_env.player import Player
from rummikub_env.rules import rules_of
from rummikub_env.state import State, View, deal, view

SABRA = rules_of("sabra")
SMALL = rules_of("sabra", {"max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10})
SPECS = [*PLAYERS, "keep_joker:k=3,danger=0"]


def play(player: Player, seats: int, seed: int) -> Iterator[tuple[State, Move]]:
    """A game of the player against itself: each state and the move made in it."""
    state, rng = deal(SMALL, seats, seed), np.random.default_rng(seed)
    while state.outcome is None:
        move = player.move(view(state, state.to_move), rng)
        yield state, move
        state = apply(state, move)


def position(rack: str, *, other: str = "K8 K8 R8 R8 O8", pool: str = "B13", table: str = "") -> View:
    """The view of a seat with this rack that has opened, in the standard game."""
    line = f"sabra; racks {rack} / {other}; table {table}; opened ++; pool {pool}; move 0"
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
        position(PAIR_AND_JOKER, other="K8 K8 R8"),  # 3 tiles: danger
    ],
    ids=["win", "empty pool", "danger"],
)
def test_keep_joker_does_not_save_when_time_is_short(hurry: View) -> None:
    assert played("keep_joker:k=9,danger=3", hurry) == "K13 R13 J"


def test_keep_joker_fears_only_what_it_is_told_to_fear() -> None:
    near = position(PAIR_AND_JOKER, other="K8 K8 R8")
    assert played("keep_joker:k=3,danger=2", near) == ""


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gready", r"'gready' is neither a player \(random, greedy, .*keep_joker\) nor a checkpoint file"),
        ("runs/none/best.safetensors", "nor a checkpoint file"),
        ("random:k=1", "random has no parameter 'k': it has no parameters"),
        ("greedy_tiles:objective=value", "it has no parameters"),
        ("keep_joker:j=1", "keep_joker has no parameter 'j': it has only k, danger"),
        ("keep_joker:k=two", "keep_joker:k must be of type int, not 'two'"),
        ("keep_joker:k", "keep_joker:k must be of type int, not ''"),
        ("keep_joker:k=-1", "k and danger must be 0 or more"),
        ("greedy:objective=luck", "greedy:objective must be one of tiles, value, not 'luck'"),
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
