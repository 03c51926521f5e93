"""Search that concludes from what the others did: its worlds go with that, and are else those of `pimc`."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np

from agents import make
from agents.belief import believed, turns_since
from agents.evaluation.arena import Match, play_deal
from rummikub_env.game import advance
from rummikub_env.policy import TEMPO, WAIT_FOR_ALL, Policy, move_of
from rummikub_env.rollouts import determinise, rollout
from rummikub_env.rules import rules_of
from rummikub_env.state import State, deal, remember, table_counts, view

SMALL = rules_of("sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10")
JOKERLESS = rules_of(SMALL, {"joker_count": 0})
WAITED = "racks K1 R2 R4 B1 B3 / K6 R6 B2 K2 R1; table K3 K4 K5 | R5 B5 J=K5; pool B6 R3 B4 J"
"""Seat 1 cannot go out: it draws."""
LAID = "racks K1 B4 R6 R2 B3 / K6 R1 B2 B1 B6; table K3 K4 K5 | R3 R4 R5; pool K2 B5"
"""Seat 1 would be the first to find the pool empty: it lays a tile, K6, the first one that it has of those that fit."""


def rng(seed=0):
    return np.random.default_rng(seed)


def after(line, *policies, rules=SMALL, opened="++", turn=9):
    """What the next seat sees after a turn by each of the policies, seat 1 first."""
    state, history = State.from_text(f"{rules.name}; {line}; opened {opened}; move 1; turn {turn}"), ()
    for policy in policies:
        seen = view(state, state.to_move)
        before, state = state, advance(state, move_of(seen, policy.choose(seen)))
        history = remember(history, before, state)
    return view(state, state.to_move, history=history)


def counts(text, rules=SMALL):
    return rules.tiles.count(rules.tiles.parse_all(text))


# What is concluded from


def test_a_draw_is_seen_as_all_lay_before_it():
    (turn,) = turns_since(after(WAITED, WAIT_FOR_ALL))
    assert (turn.before.seat, turn.before.to_move, turn.before.pool_size, turn.before.rack_sizes) == (1, 1, 4, (5, 5))
    assert (turn.drawn, turn.played.sum()) == (1, 0)


def test_a_play_is_seen_as_all_lay_before_it():
    (turn,) = turns_since(after(LAID, TEMPO, rules=JOKERLESS))
    assert np.array_equal(turn.played, counts("K6", JOKERLESS))
    assert (turn.drawn, turn.before.pool_size, turn.before.rack_sizes) == (0, 2, (5, 5))
    before = table_counts(JOKERLESS.tiles, turn.before.table)
    assert np.array_equal(before, counts("K3 K4 K5 R3 R4 R5", JOKERLESS))
    assert turn.before.opened == (True, True)


def test_an_opening_was_made_by_a_seat_that_had_not_opened():
    line = "racks K1 R3 R4 B1 B3 / K4 K5 K6 B2 R1; table ; pool B6 B4 R6 R2 R5 B5 K2 K3 J J"
    (turn,) = turns_since(after(line, Policy(), opened="--", turn=0))
    assert turn.before.opened == (False, False)
    assert turn.before.table == ()
    assert turn.would_be_made(counts("B2 R1"), Policy(), rng())
    assert not turn.would_be_made(counts("B2 K3"), Policy(), rng())  # which it would have laid as well


def test_of_several_others_it_is_the_turns_since_the_own_one_back_to_a_play():
    rules = rules_of(SMALL, {"copies_per_tile": 2})
    state, history, kinds = deal(rules, 4, 5), (), set()
    while state.outcome is None:
        seen = view(state, state.to_move, history=history)
        turns = list(turns_since(seen))
        latest = history[::-1][: len(turns)]
        assert [turn.before.seat for turn in turns] == [past.seat for past in latest]
        assert [rules.tiles.listed(turn.played) for turn in turns] == [past.played for past in latest]
        assert len(turns) <= 3
        assert not any(turn.played.any() for turn in turns[:-1])
        kinds.add(tuple(bool(turn.played.any()) for turn in turns))
        before, state = state, advance(state, move_of(seen, TEMPO.choose(seen)))
        history = remember(history, before, state)
    assert {(False, False, False), (True,), (False, True)} <= kinds


def test_nothing_is_concluded_from_a_play_onto_a_joker_nor_without_a_history():
    onto_a_joker = after(LAID.replace("R3 R4 R5", "J=R3 R4 R5").replace("B3", "B3 R3 J"), TEMPO)
    assert onto_a_joker.history[-1].played
    assert list(turns_since(onto_a_joker)) == []
    assert list(turns_since(replace(after(WAITED, WAIT_FOR_ALL), history=None))) == []


# Worlds


def test_worlds_are_as_likely_as_bayes_rule_says():
    seen, n = after(WAITED, WAIT_FOR_ALL), 3000
    (turn,) = turns_since(seen)
    likely = Counter()
    racks = [SMALL.tiles.count(kinds) for kinds in combinations(SMALL.tiles.listed(seen.unseen), 6)]
    for rack in racks:  # which of its tiles was drawn?
        before = [rack - counts(tile) for tile in SMALL.tiles.join(SMALL.tiles.listed(rack)).split()]
        likely[rack.tobytes()] += sum(turn._replace(drawn=0).would_be_made(one, WAIT_FOR_ALL, rng()) for one in before)
    assert 0.4 < likely.total() / (6 * len(racks)) < 0.8  # the turn tells something
    found = Counter(rack.tobytes() for rack in believed(seen, WAIT_FOR_ALL, n, seed=3)[:, 1])
    for rack, weight in likely.items():
        share = weight / likely.total()
        assert abs(found[rack] / n - share) <= 4.5 * np.sqrt(share / n)


def test_who_lays_the_first_tile_that_fits_holds_none_before_it():
    seen = after(LAID, TEMPO, rules=JOKERLESS)
    every, kept = determinise(seen, 100, seed=1).racks, believed(seen, TEMPO, 100, seed=1)
    assert (every[:, 1] @ counts("K2", JOKERLESS)).any()
    assert not (kept[:, 1] @ counts("K2", JOKERLESS)).any()
    assert len({rack.tobytes() for rack in kept[:, 1]}) == 5  # four of R1 B1 B2 B5 B6
    assert (kept.sum(axis=2) == seen.rack_sizes).all()
    assert (kept[:, 0] == seen.rack).all()


def test_the_same_seed_gives_the_same_racks_and_few_are_repeated(monkeypatch):
    seen = after(LAID, TEMPO, rules=JOKERLESS)
    assert np.array_equal(believed(seen, TEMPO, 20, seed=1), believed(seen, TEMPO, 20, seed=1))
    monkeypatch.setattr("agents.belief.TRIES", 1)
    kept = believed(seen, TEMPO, 20, seed=1)
    differ = [i for i in range(1, 20) if np.array_equal(kept[i:], kept[: 20 - i])]
    assert 1 < differ[0] < 20
    assert not (kept[:, 1] @ counts("K2", JOKERLESS)).any()


def test_of_who_does_not_play_as_is_thought_nothing_is_believed():
    class Draws:
        def choose(self, seen):
            return None

    line = "racks K1 R1 B1 / K2 K6 R2; table K3 K4 K5 | R3 R4 R5 | B3 B4 B5; pool R6 B2 B6"  # all of which fit
    seen = after(line, Draws(), rules=JOKERLESS)
    assert list(turns_since(seen))
    assert believed(seen, WAIT_FOR_ALL, 20, seed=1) is None
    assert believed(seen, Draws(), 20, seed=1) is not None


# The player


def test_its_worlds_decide_what_it_plays_and_without_them_it_is_pimc(monkeypatch):
    seen = after(LAID, TEMPO, rules=JOKERLESS)
    belief, plain = (make(f"{name}:worlds=4", JOKERLESS) for name in ("pimc_belief", "pimc"))
    blind = replace(seen, history=None)
    assert all(belief.move(blind, rng(seed)) == plain.move(blind, rng(seed)) for seed in range(5))
    asked = []
    monkeypatch.setattr("agents.search.rollout", lambda *given: asked.append(given[-1]) or rollout(*given))
    belief.move(seen, rng())
    assert asked
    assert not any((racks[:, 1] @ counts("K2", JOKERLESS)).any() for racks in asked)


def test_the_same_seed_makes_the_same_games():
    match = Match(make("pimc_belief:worlds=1", SMALL), make("tempo", SMALL), SMALL, seed=3)
    assert play_deal(match, 0) == play_deal(match, 0)


def test_its_name_makes_it_again():
    for spec in ("pimc_belief", "pimc_belief:worlds=5,others=all_out"):
        assert make(spec, SMALL).name == spec
