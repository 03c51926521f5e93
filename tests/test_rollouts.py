"""Compiled games: they are those of the same players turn by turn, in worlds that go with what a seat sees."""

import numpy as np
import pytest

from rummikub_env import rules_of
from rummikub_env.actions import TilesCodec
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.game import advance
from rummikub_env.observations import observation_of
from rummikub_env.policy import TEMPO, WAIT_FOR_ALL, Policy, move_of
from rummikub_env.rollouts import determinise, play_out, rollout
from rummikub_env.state import State, deal, view

POLICIES = (
    Policy(),
    Policy(price=2),
    Policy("value"),
    Policy("value", price=0, danger=9),
    Policy(patience=(2, 3, 2)),
    Policy(price=2, patience=(9, 9, 1)),
    WAIT_FOR_ALL,
    TEMPO,
    Policy("value", patience=(2, 9, 0), opening="fewest", tempo=True),
)


def by_hand(state, policies):
    """The end of a round that is played view by view."""
    while state.outcome is None:
        seen = view(state, state.to_move)
        state = advance(state, move_of(seen, policies[seen.seat].choose(seen)))
    return state


def middle(preset, players, seed, turns=12):
    """A state after some greedy turns."""
    state = deal(rules_of(preset), players, seed)
    for _ in range(turns):
        seen = view(state, state.to_move)
        state = advance(state, move_of(seen, Policy().choose(seen)))
    return state


@pytest.mark.parametrize(
    ("preset", "players"),
    [("sabra", 2), ("sabra", 4), ("rummy_games_50", 3), ("pressman_1998_single_set", 2), ("machiavelli", 3)],
)
def test_compiled_games_are_those_of_the_same_players_turn_by_turn(preset, players):
    rules, n = rules_of(preset), 3
    policies = [POLICIES[(seat + players) % len(POLICIES)] for seat in range(players)]
    tables = Tables(TilesCodec(rules), observation_of("counts", rules, players), n)
    starts = [deal(rules, players, seed, "private" if seed % 2 else "shared") for seed in range(n)]
    for b, start in enumerate(starts):
        tables.put(b, begin(tables.codec, start))
    ends = play_out(tables, policies)
    for b, start in enumerate(starts):
        end = by_hand(start, policies)
        assert tables.state(b) == end
        assert tuple(ends.scores[b]) == end.outcome.scores
        assert np.flatnonzero(ends.wins[b]).tolist() == list(end.outcome.winners)
        assert ends.turns[b] == end.turn
    assert ends.wins.sum(axis=1) == pytest.approx(1)


def test_a_world_is_what_the_seat_sees_and_all_tiles_are_there():
    state = middle("sabra", 3, seed=4)
    seen = view(state, state.to_move)
    worlds = determinise(seen, 5, seed=1)
    for b in range(5):
        world = worlds.state(b)
        assert view(world, seen.seat) == seen
        assert State.from_text(world.text()).text() == world.text()  # which counts the tiles
        assert np.array_equal(np.sort(world.orders, axis=1), np.sort(world.orders[:1].repeat(3, axis=0), axis=1))
    assert len({worlds.state(b).text() for b in range(5)}) == 5


def test_the_same_seed_gives_the_same_worlds_however_many_there_are():
    state = middle("sabra", 2, seed=2)
    seen = view(state, state.to_move)
    few, many = (determinise(seen, n, seed=3) for n in (2, 4))
    assert [few.state(b) for b in range(2)] == [many.state(b) for b in range(2)]
    assert determinise(seen, 2, seed=4).state(0) != few.state(0)


def test_where_the_racks_are_given_only_the_pool_is_at_random():
    state = middle("sabra", 3, seed=4)
    seen = view(state, state.to_move)
    worlds = determinise(seen, 5, seed=1, racks=state.racks)
    pool = np.sort(state.orders[0] // 2)  # kinds: which copy is whose does not matter
    for b in range(5):
        world = worlds.state(b)
        assert np.array_equal(world.racks, state.racks)
        assert (np.sort(world.orders // 2, axis=1) == pool).all()
        assert State.from_text(world.text()).text() == world.text()
    assert len({worlds.state(b).text() for b in range(5)}) == 5


def test_each_world_may_have_racks_of_its_own():
    state = middle("sabra", 3, seed=4)
    seen = view(state, state.to_move)
    racks = determinise(seen, 4, seed=1).racks
    again = determinise(seen, 4, seed=2, racks=racks)
    assert np.array_equal(again.racks, racks)
    assert len({again.state(b).racks.tobytes() for b in range(4)}) == 4
    alike = rollout(seen, None, [Policy()] * 3, seed=2, worlds=4, racks=racks)
    moved = view(again.state(3), seen.seat)
    tables = determinise(moved, 4, seed=2, racks=racks)
    tables.masks[:, -1] = True
    tables.step(np.full(4, tables.codec.end))
    assert np.array_equal(play_out(tables, [Policy()] * 3).scores, alike.scores)


def test_racks_that_cannot_be_are_refused():
    state = middle("sabra", 2, seed=6)
    seen, other = view(state, state.to_move), 1 - state.to_move
    too_many, unfit = state.racks.copy(), state.racks.copy()
    too_many[other, np.flatnonzero(seen.unseen)[0]] += 1
    unfit[other, np.flatnonzero(unfit[other])[0]] -= 1
    unfit[other, np.flatnonzero(seen.unseen == 0)[0]] += 1
    for racks in (too_many, unfit):
        with pytest.raises(ValueError, match="do not go with what the seat sees"):
            determinise(seen, 2, seed=1, racks=racks)


def test_a_rollout_begins_with_the_given_turn():
    state = middle("sabra", 2, seed=6)
    seen = view(state, state.to_move)
    policies = [Policy()] * 2
    best = policies[0].choose(seen)
    as_best, drawing = (rollout(seen, first, policies, seed=5, worlds=4) for first in (best, None))
    tables = determinise(seen, 4, seed=5)
    assert np.array_equal(play_out(tables, policies).scores, as_best.scores)
    assert drawing.turns.min() > seen.turn
    assert best is None or not np.array_equal(drawing.scores, as_best.scores)


def test_bad_rollouts_are_told():
    state = middle("sabra", 2, seed=6)
    seen, other = view(state, state.to_move), view(state, 1 - state.to_move)
    with pytest.raises(ValueError, match="is not on turn"):
        determinise(other, 2, seed=1)
    with pytest.raises(ValueError, match="1 policies for 2 seats"):
        rollout(seen, None, [Policy()], seed=1, worlds=2)
    lone = seen.rules.tiles.count(seen.rules.tiles.listed(seen.rack)[:1])
    with pytest.raises(ValueError, match="is no legal play here"):
        rollout(seen, lone, [Policy()] * 2, seed=1, worlds=2)
