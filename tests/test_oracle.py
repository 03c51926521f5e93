"""The cheat: it knows the racks, only who shows them to it lets it play, and every report says so."""

import numpy as np
import pytest

import evaluate
from agents import make
from agents.evaluation.arena import Match, play_deal
from agents.oracle import Cheat, asked
from rummikub_env.envs.single import SingleSeatEnv
from rummikub_env.policy import TEMPO
from rummikub_env.rollouts import rollout
from rummikub_env.rules import rules_of
from rummikub_env.state import State, view

SMALL = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
HIDDEN_WIN = State.from_text(
    f"{SMALL}; racks K1 K5 B1 B3 B4 / K3 K4 R1 B2 B5; table K6 R6 B6 | R2 R3 R4 R5 J=R6; opened ++; "
    "pools Ja K2a / K2a Ja; move 1; turn 12; last play 1 / play 1"
)
"""Seat 1 may lay a tile; which one wins depends on the other rack."""


def rng(seed=0):
    return np.random.default_rng(seed)


def won(state, move):
    """The share of worlds with the true racks that a move wins, of many other than those that were searched."""
    counts = state.rules.tiles.count(move.played)
    return rollout(view(state, 1), counts, [TEMPO] * 2, 99, 100, state.racks).wins[:, 1].mean()


def test_it_finds_a_win_that_nobody_who_sees_his_own_rack_can_know_of():
    oracle, honest = (make(f"{name}:worlds=8", HIDDEN_WIN.rules) for name in ("oracle_rack", "pimc"))
    seen = view(HIDDEN_WIN, 1)
    assert won(HIDDEN_WIN, oracle.move_seeing(seen, HIDDEN_WIN.racks, rng())) > 0.9
    assert won(HIDDEN_WIN, honest.move(seen, rng())) < 0.1


def test_with_other_hidden_racks_it_moves_otherwise_and_the_order_of_the_pool_tells_it_nothing():
    oracle, seen = make("oracle_rack:worlds=8", HIDDEN_WIN.rules), view(HIDDEN_WIN, 1)
    worlds = [seen.sample(rng(seed)) for seed in range(6)]
    moves = {oracle.move_seeing(view(world, 1), world.racks, rng()) for world in worlds}
    assert len(moves) > 1
    swapped = State.from_text(HIDDEN_WIN.text().replace("Ja K2a / K2a Ja", "K2a Ja / Ja K2a"))
    assert swapped != HIDDEN_WIN
    assert asked(oracle, swapped, seen, rng()) == asked(oracle, HIDDEN_WIN, seen, rng())


def test_it_does_not_move_by_a_view():
    oracle = make("oracle_rack", HIDDEN_WIN.rules)
    with pytest.raises(ValueError, match="oracle_rack cheats"):
        oracle.move(view(HIDDEN_WIN, 1), rng())
    env = SingleSeatEnv(opponents="oracle_rack")
    with pytest.raises(ValueError, match="oracle_rack cheats"):
        any(env.reset(seed=seed) is None for seed in range(9))  # the opponent begins some of these games


def test_only_a_cheat_is_shown_the_racks():
    class Watcher:
        name = "watcher"

        def move(self, *given):
            self.given = given
            return make("greedy", HIDDEN_WIN.rules).move(*given)

    watcher, seen, source = Watcher(), view(HIDDEN_WIN, 1), rng()
    asked(watcher, HIDDEN_WIN, seen, source)
    assert watcher.given == (seen, source)
    names = [name for name in ("pimc", "student") if isinstance(make(name, HIDDEN_WIN.rules), Cheat)]
    assert not names


def test_the_arena_shows_it_the_racks_of_the_game():
    shown = []

    class Spying:
        name = "spying"

        def move(self, seen, rng):
            raise AssertionError("it is a cheat")

        def move_seeing(self, seen, racks, source):
            shown.append((seen, racks))
            return make("greedy", seen.rules).move(seen, source)

    rules = rules_of(SMALL)
    play_deal(Match(Spying(), make("greedy", rules), rules), 0)
    assert len(shown) > 2
    for seen, racks in shown:
        assert np.array_equal(racks[seen.seat], seen.rack)
        assert tuple(racks.sum(axis=1)) == seen.rack_sizes
        assert not racks.flags.writeable


def test_the_same_seed_makes_the_same_games():
    rules = rules_of(SMALL)
    match = Match(make("oracle_rack:worlds=1", rules), make("tempo", rules), rules, seed=3)
    assert play_deal(match, 0) == play_deal(match, 0)


def test_every_report_says_who_cheats(tmp_path, capsys):
    def reports(*players):
        words = [f"--rules={SMALL}", "--games=4", "--workers=1", f"--out={tmp_path}"]
        assert evaluate.main(["--opponents", *players, *words]) == 0
        files = (tmp_path / name for name in ("evaluation.html", "evaluation.json"))
        return [" ".join(text.split()) for text in (capsys.readouterr().out, *(file.read_text() for file in files))]

    for told in reports("oracle_rack:worlds=1", "random"):
        assert "oracle_rack:worlds=1 CHEATS" in told or '"cheats": ["oracle_rack:worlds=1"]' in told
    for told in reports("greedy_value", "random"):
        assert "CHEATS" not in told
        assert '"cheats": ["' not in told


def test_its_name_makes_it_again():
    for spec in ("oracle_rack", "oracle_rack:worlds=5,others=all_out"):
        assert make(spec, rules_of("sabra")).name == spec
    assert make("oracle_rack", rules_of("sabra")) != make("pimc", rules_of("sabra"))
