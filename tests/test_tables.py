"""Games as arrays are the games of `envs.position`: the same masks, observations, states, outcomes and rewards."""

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rummikub_env.actions import codec_of
from rummikub_env.envs.position import act, begin, first, go_on
from rummikub_env.envs.rewards import REWARDS, reward_of
from rummikub_env.envs.tables import Tables
from rummikub_env.game import Play, check
from rummikub_env.observations import observation_of
from rummikub_env.rules import PRESETS, rules_of
from rummikub_env.state import State, stack, view

MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
MATCH = f"{MINI},match_end=rounds 3"
TIMED = f"sabra_timed:{MINI.partition(':')[2]}"

HANDED_BACK = {
    # where a retrieved joker can lie in a new set is not plain to see
    "sabra": "sabra; racks K9 K12 O7 / K1; table O6 J=O7 O8 | K9 K10 K11; opened ++; pool",
    # what comes first in an opening matters
    "pressman_1998_single_set": "pressman_1998_single_set; racks K10 K11 K12 K13 / R1 R2 R3 R5; opened --; pool O1 O2",
    "wikipedia_no": "wikipedia_no; racks K10 K11 K12 B3 / R1 R2 R3; table B3 R3 O3 | B1 B2 J=B3; opened --; pool O1",
    "vatikan": "vatikan; racks K10 K11 K12 B3 / R1 R2 R3 R5; table B3 R3 O3; opened --; pool O1 O2",
    # sets with jokers stay whole
    "pagat_sabra": "pagat_sabra; racks K4 B7 K5 / R1 R2 R3 R5; table K1 K2 J=K3 | R7 K7 J; opened ++; pool O1 O2",
    # who does not play draws more than one tile
    "sabra_timed_draw_until": "sabra_timed_draw_until; racks K1 R5 / K9 R13; opened ++; pool O1 B3 K2 R6 K3 O9 R9 B9",
    "rummy_games_50": "rummy_games_50; racks K1 K2 K3 O9 / K9 R13; opened ++; pool O1 B3 K2 R6 K3 O9 R9 B9 O2 O3",
    "mso_tournament": "mso_tournament; racks K10 K11 K12 O9 / K9 R13; opened --; pool O1 B3 K2 R6",
    # runs wrap
    "machiavelli": "machiavelli; racks K1 K12 R5 / K9 R13 R1; table K10 K11 K12 K13; pool O1 B3",
    "machiavelli_it": "machiavelli_it; racks K1 J R5 / K9 R13 R1; table K10 K11 K12 K13; pool O1 B3",
}
"""For each preset a state in which the kernels cannot answer: Python does."""


def tables_of(name, players, n=1, **kwargs):
    rules = rules_of(name)
    return Tables(codec_of("tiles", rules), observation_of("counts", rules, players), n, **kwargs)


def dealt(tables, seed, draws="shared"):
    return first(tables.codec, tables.players, np.random.default_rng(seed), draws)


def random_action(mask, rng, end_share=0.5):
    """A legal action; where tiles can be played the turn ends less often than not."""
    tiles = np.flatnonzero(mask[:-1])
    return len(mask) - 1 if not len(tiles) or (mask[-1] and rng.random() < end_share) else int(rng.choice(tiles))


def assert_same(tables, b, position):
    """The game at table `b` is `position`, in all that can be seen of it."""
    assert tables.state(b) == position.state
    assert tables.matches[b] == position.match
    assert tables.outcomes[b] == position.state.outcome
    assert tables.over[b] == (position.draft is None)
    assert tables.to_move[b] == position.state.to_move
    assert tables.turns[b] == position.state.turn
    if position.draft is not None:
        np.testing.assert_array_equal(tables.masks[b], position.draft.mask)
        np.testing.assert_array_equal(
            tables.observations[b], tables.encoder.encode(position.draft.view, position.draft)
        )


def assert_equal(one, b, other, c):
    """Two tables show the same, whatever led there."""
    ours, theirs = one.position(b), other.position(c)
    assert (ours.state, ours.actions, ours.match) == (theirs.state, theirs.actions, theirs.match)
    assert (ours.draft is None) == (theirs.draft is None)
    if ours.draft is not None:
        np.testing.assert_array_equal(one.masks[b], other.masks[c])
        np.testing.assert_array_equal(one.observations[b], other.observations[c])
        np.testing.assert_array_equal(ours.draft.rack, theirs.draft.rack)


def follow(tables, position, rng, steps, most=None, end_share=0.5):
    """So many random actions, made on table 0 and on values side by side; the position where it ends."""
    tables.put(0, position)
    assert_same(tables, 0, position)
    for _ in range(steps):
        if position.draft is None:
            break
        before, spelled = position.state, position.draft.spelled
        action = random_action(tables.masks[0], rng, end_share)
        position = act(tables.codec, position, action, most)
        _, over = tables.step(np.array([action]))
        assert over == [0] * (position.draft is None)
        assert_same(tables, 0, position)
        if action == tables.codec.end and spelled.any():
            assert check(before, Play(tables.state(0).table, before.rules.tiles.listed(spelled))) == ()
    return position


@pytest.fixture
def helped(monkeypatch):
    """How often the kernels handed something back."""
    calls, help_ = [], Tables._help
    monkeypatch.setattr(Tables, "_help", lambda tables, *args: calls.append(args) or help_(tables, *args))
    return calls


# The same games


@pytest.mark.parametrize("name", PRESETS)
def test_games_are_those_of_positions(name):
    rules = rules_of(name)
    for players in range(rules.players_min, rules.players_max + 1):
        tables = tables_of(name, players)
        for seed, draws in enumerate(("shared", "private") if players == 2 else ("shared",)):
            follow(tables, dealt(tables, seed, draws), np.random.default_rng(players), 40)


@pytest.mark.parametrize("name", HANDED_BACK)
def test_what_is_handed_back_is_the_same_too(name, helped):
    state = State.from_text(HANDED_BACK[name])
    tables = tables_of(name, state.players)
    for seed in range(4):
        follow(tables, begin(tables.codec, state), np.random.default_rng(seed), 30)
    assert helped


def test_whole_games_end_as_those_of_positions():
    endings = set()
    for seed in range(16):
        tables, rng, draws = tables_of(MINI, 2 + seed % 3), np.random.default_rng(seed), ("shared", "private")[seed % 2]
        endings.add(follow(tables, dealt(tables, seed, draws), rng, 500).state.outcome.reason)
    assert endings == {"out", "stalemate"}


@pytest.mark.parametrize("most", [1, 2, 4])
@pytest.mark.parametrize("name", [MINI, TIMED])
def test_turns_that_take_too_long_end_as_those_of_positions(name, most):
    tables = tables_of(name, 2, most_steps=most)
    timed_out = 0
    for seed in range(4):
        end = follow(tables, dealt(tables, seed), np.random.default_rng(seed), 60, most, end_share=0.1)
        timed_out += sum(last is not None and last.kind == "timeout" for last in end.state.last)
    assert timed_out


@pytest.mark.parametrize("name", REWARDS)
def test_rewards_are_what_the_states_before_and_after_say(name):
    tables, reward = tables_of(MATCH, 3, reward=name), reward_of(name)
    paid = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        position = dealt(tables, seed)
        while position.draft is not None:
            tables.put(0, position)
            while position.draft is not None:
                before, action = position.state, random_action(tables.masks[0], rng)
                position = act(tables.codec, position, action)
                rewards, _ = tables.step(np.array([action]))
                np.testing.assert_array_equal(rewards, [reward(before, position.state, position.match)])
                paid += rewards.any()
            assert_same(tables, 0, position)
            position = go_on(tables.codec, position, rng, "shared")
        assert position.match.is_over
        assert len(position.match.rounds) == 3
    assert paid >= 3


# Odd states


@pytest.mark.parametrize(
    "text",
    [
        "sabra; racks / K1 K2; opened ++; pool K5 R6; move 0",
        "sabra; racks / K1 K2; opened ++; pools K5a R6a / R6a K5a; move 1",
        "sabra; racks / K1 K2; opened ++; pool; move 0",
        "sabra; racks K1 / R1; opened +-; pool; passes 1; move 1",
        "sabra; racks K1 / R1; opened +-; pool; passes 7; move 1",
        "six_player_160; racks J K1 / J R1 / B1 / O1 O2 / K2; table K3 K4 J=K5 | R7 B7 J; opened +-+-+; pool; turn 900",
        "mso_tournament; racks K10 K11 K12 / K9; opened --; declined -+; pool O1; last timeout 3 / draw 2",
    ],
)
def test_states_that_no_deal_leads_to(text):
    state = State.from_text(text)
    for seed in range(3):
        tables = tables_of(state.rules, state.players)
        follow(tables, begin(tables.codec, state), np.random.default_rng(seed), 20)


def test_a_pool_of_either_sort_takes_the_place_of_the_other():
    tables = tables_of(MINI, 3)
    for draws in ("shared", "private", "shared", "private"):
        follow(tables, dealt(tables, 1, draws), np.random.default_rng(0), 15)


def test_a_table_is_as_large_as_the_game_lets_it_be():
    """All tiles lie in sets of three, but for the racks."""
    rules = rules_of("six_player_160")
    tiles, table = rules.tiles, []
    for value in range(1, 14):
        for colour in range(4):
            table.append(tuple(sorted(tiles.kind(c, value) for c in range(4) if c != colour)))
    state = State.from_text("six_player_160; racks J / J / J / J / R1; opened +++++; pool")
    state = replace(state, table=tuple(table[:-1]))
    assert len(state.table) == 51
    tables = tables_of(rules, 5)
    follow(tables, begin(tables.codec, state), np.random.default_rng(0), 4)


# Values, copies and pickles


def moments(name=MATCH, players=2, seed=0, **kwargs):
    """Tables at every moment of a round, its end too, and what followed: the action, or None at the end."""
    tables, rng = tables_of(name, players, **kwargs), np.random.default_rng(seed)
    tables.put(0, dealt(tables, seed))
    while not tables.over[0]:
        action = random_action(tables.masks[0], rng)
        yield tables, action
        tables.step(np.array([action]))
    yield tables, None


def twins():
    def put(tables):
        twin = tables_of(tables.rules, tables.players)
        twin.put(0, tables.position(0))
        return twin

    return [Tables.copy, copy.copy, copy.deepcopy, lambda tables: pickle.loads(pickle.dumps(tables)), put]


@pytest.mark.parametrize("make", twins(), ids=["copy", "copy.copy", "deepcopy", "pickle", "put"])
def test_a_twin_shows_the_same_and_goes_on_alike(make):
    ends = 0
    for seed in range(3):
        behind, was = None, None  # a twin of the moment before, and the action that follows it
        for tables, action in moments(seed=seed):
            if behind is not None:
                behind.step(np.array([was]))
                assert_equal(behind, 0, tables, 0)
            behind, was = make(tables), action
            assert_equal(behind, 0, tables, 0)
        ends += was is None
    assert ends == 3


@pytest.mark.parametrize("make", twins(), ids=["copy", "copy.copy", "deepcopy", "pickle", "put"])
@pytest.mark.parametrize("is_original_first", [True, False])
def test_nothing_leaks_between_a_twin_and_its_original(make, is_original_first):
    """Whichever goes on, the other stays as it was; and twins of twins."""
    for tables, action in moments(seed=1):
        kept, twin = pickle.loads(pickle.dumps(tables)), make(tables)
        third = make(twin)
        mover, other = (tables, twin) if is_original_first else (twin, tables)
        rng = np.random.default_rng(0)
        for _ in range(8):
            if not mover.over[0]:
                mover.step(np.array([random_action(mover.masks[0], rng)]))
        mover.put(0, dealt(mover, 77))
        assert_equal(other, 0, kept, 0)
        assert_equal(third, 0, kept, 0)
        tables.put(0, kept.position(0))
        assert action is None or tables.masks[0, action]


def digest(tables, seed=5, steps=60):
    """A hash of what some tables show as they go on at random."""
    shown, rng = [], np.random.default_rng(seed)
    for _ in range(steps):
        actions = np.array([random_action(mask, rng) for mask in tables.masks])
        rewards, over = tables.step(actions)
        shown += [tables.masks.tobytes(), tables.observations.tobytes(), rewards.tobytes(), tuple(over)]
        for b in over:
            shown.append(tables.state(b).text())
            tables.put(b, dealt(tables, int(rng.integers(1000))))
    return hashlib.sha256(repr(shown).encode()).hexdigest()


def test_a_pickle_goes_on_alike_in_another_process(tmp_path):
    tables = tables_of(TIMED, 3, 4, reward="tiles", most_steps=3)
    for b in range(4):
        tables.put(b, dealt(tables, b, "private"))
    digest(tables, 1, 25)
    file = tmp_path / "tables.pickle"
    file.write_bytes(pickle.dumps(tables))
    tests = Path(__file__).parent
    code = "import pickle, sys, test_tables; print(test_tables.digest(pickle.load(open(sys.argv[1], 'rb'))))"
    path = os.pathsep.join([str(tests), str(tests.parent)])
    shown = subprocess.run(
        [sys.executable, "-c", code, str(file)], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert shown.stdout.strip() == digest(tables), shown.stderr


# Many tables


@pytest.mark.parametrize("name", ["sabra", TIMED, MATCH])
def test_a_game_does_not_depend_on_its_neighbours(name):
    together = tables_of(name, 2, 8, reward="tiles", most_steps=5)
    alone = [tables_of(name, 2, reward="tiles", most_steps=5) for _ in range(8)]
    for b, single in enumerate(alone):
        for tables, place in ((together, b), (single, 0)):
            tables.put(place, dealt(tables, b, "private" if b % 2 else "shared"))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(50):
        actions = np.array([random_action(mask, rng) for mask in together.masks])
        rewards, over = together.step(actions)
        for b, single in enumerate(alone):
            own, its_over = single.step(actions[b : b + 1])
            np.testing.assert_array_equal(own[0], rewards[b])
            assert its_over == [0] * (b in over)
            if b not in over:
                assert_equal(together, b, single, 0)
        for b in over:
            assert together.state(b) == alone[b].state(0)
            ended, again = ended + 1, dealt(together, 100 + ended)
            together.put(b, again)
            alone[b].put(0, again)
    assert ended or name != MATCH


def test_what_a_seat_sees_out_of_turn_is_what_a_view_tells():
    for tables, _ in moments(players=3, seed=2):
        state, match = tables.state(0), tables.matches[0]
        for seat in range(3):
            seen = tables.encoder.encode(view(state, seat, match.standing))
            if seat != state.to_move or state.outcome is not None:
                np.testing.assert_array_equal(tables.observe(0, seat), seen)


def test_the_last_tiles_of_a_stack_are_drawn_as_they_lie():
    """Equal tiles of a stack are told apart by where they lie; states stay equal when they are drawn."""
    rules = rules_of(MINI)
    tables = tables_of(MINI, 2)
    state = replace(State.from_text(f"{MINI}; racks K1 / R2; opened ++"), orders=stack(rules.tiles, [3, 18, 5]))
    end = follow(tables, begin(tables.codec, state), np.random.default_rng(0), 10, end_share=1)
    assert end.state.pool_size == 0
