"""Many games side by side: equal to single games, never without a legal action, exactly restorable."""

import json

import numpy as np
import pytest

from rummikub_env import rummikub_v0
from rummikub_env.actions import IllegalAction
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.state import State, view

MINI = {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10}


def make(tables=4, players=2, seed=0, **kwargs):
    return VectorEnv(tables, num_players=players, seed=seed, **kwargs)


def random_actions(batch, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])


def equal(a, b):
    same_arrays = all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("observations", "action_masks", "seats", "rewards", "done")
    )
    return same_arrays and a.info == b.info


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", ["win", "tiles"])
def test_tables_equal_single_games(players, reward):
    """Table b plays the games of an `env` whose generator is the b-th child of the seed."""
    tables = 3
    vector = make(tables, players, seed=5, overrides=MINI, reward=reward)
    singles = [single(seed, players, reward) for seed in np.random.SeedSequence(5).spawn(tables)]
    batch, rng = vector.observe(), np.random.default_rng(1)
    games = 0
    while games < 6 * tables:
        for row, env in enumerate(singles):
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(batch.observations[row], seen["observation"])
            np.testing.assert_array_equal(batch.action_masks[row], seen["action_mask"])
            assert env.agent_selection == f"player_{batch.seats[row]}"
        actions = random_actions(batch, rng)
        batch = vector.step(actions)
        for row, env in enumerate(singles):
            env.step(actions[row])
            np.testing.assert_array_equal(batch.rewards[row], np.float32(list(env.rewards.values())))
            assert batch.done[row] == env.terminations[env.agent_selection]
            if batch.done[row]:
                games += 1
                finished = next(game for game in batch.info if game.table == row)
                assert finished.scores == env.game_state.outcome.scores
                assert finished.winners == env.game_state.outcome.winners
                assert finished.turns == env.game_state.turn
                env.reset()


def single(seed, players, reward):
    env = rummikub_v0.env(num_players=players, overrides=MINI, reward=reward)
    env.np_random = np.random.default_rng(seed)
    env.reset()
    return env


def test_shapes_and_types():
    env = make(5, 3)
    batch = env.reset()
    assert batch.observations.shape == (5, env.observation_size)
    assert batch.observations.dtype == np.float32
    assert batch.action_masks.shape == (5, env.num_actions) == (5, 54)
    assert batch.action_masks.dtype == np.bool_
    assert batch.seats.shape == (5,)
    assert batch.rewards.shape == (5, env.num_players) == (5, 3)
    assert batch.done.shape == (5,)
    assert not batch.done.any()
    assert batch.info == ()


def test_every_row_has_a_legal_action_and_done_rows_show_the_next_game():
    env = make(8, 2, overrides=MINI)
    batch, rng = env.reset(), np.random.default_rng(0)
    decisions = np.zeros(8, int)
    for _ in range(200):
        assert batch.action_masks.any(axis=1).all()
        batch = env.step(random_actions(batch, rng))
        decisions += 1
        assert [game.table for game in batch.info] == np.flatnonzero(batch.done).tolist()
        for game in batch.info:
            assert game.decisions == decisions[game.table]
            assert game.turns <= game.decisions
        decisions[batch.done] = 0
        np.testing.assert_allclose(batch.rewards.sum(axis=1), 0, atol=1e-6)
        assert (np.abs(batch.rewards).max(axis=1) > 0).tolist() == batch.done.tolist()


def test_arrays_are_new_in_every_batch():
    env = make()
    first = env.reset()
    kept = first.observations.copy(), first.action_masks.copy()
    env.step(random_actions(first, np.random.default_rng(0)))
    np.testing.assert_array_equal(first.observations, kept[0])
    np.testing.assert_array_equal(first.action_masks, kept[1])


def test_the_same_seed_gives_the_same_games_and_reset_the_next_ones():
    one, two = make(seed=3), make(seed=3)
    assert equal(one.observe(), two.observe())
    first = one.observe()
    assert equal(one.reset(), two.reset())
    assert not equal(first, one.observe())
    assert not equal(first, make(seed=4).observe())


@pytest.mark.parametrize("draws", ["shared", "private"])
def test_a_state_as_json_goes_on_exactly(draws):
    env, rng = make(4, 3, draws=draws, overrides=MINI), np.random.default_rng(0)
    batch = env.observe()
    for _ in range(50):
        batch = env.step(random_actions(batch, rng))
    twin = make(4, 3, seed=99, draws=draws, overrides=MINI)
    twin.set_state(json.loads(json.dumps(env.get_state())))
    assert equal(twin.observe(), env.observe())
    for _ in range(400):
        actions = random_actions(batch, rng)
        batch = env.step(actions)
        assert equal(twin.step(actions), batch)


def test_a_state_of_other_games_is_refused():
    with pytest.raises(ValueError, match="4 tables"):
        make(3).set_state(make(4).get_state())
    with pytest.raises(ValueError, match="this env plays 3"):
        make(4, 3).set_state(make(4, 2).get_state())
    with pytest.raises(ValueError, match="of the codec 'sets', those of this env of 'tiles'"):
        make(1).set_state(make(1, actions="sets").get_state())
    with pytest.raises(ValueError, match="damaged"):
        make().set_state(None)


def test_a_view_is_what_the_seat_saw_when_its_turn_began():
    env, rng = make(overrides=MINI, seed=3), np.random.default_rng(0)
    batch, within = env.observe(), 0
    for _ in range(100):
        for table, told in enumerate(env.get_state()):
            state = State.from_text(told["state"])
            assert env.view(table) == view(state, state.to_move)
            assert env.view(table).seat == batch.seats[table]
            within += bool(told["actions"])
        batch = env.step(random_actions(batch, rng))
    assert within


def test_an_illegal_action_is_refused_before_anything_changes():
    env = make()
    batch = env.observe()
    actions = random_actions(batch, np.random.default_rng(0))
    actions[2] = np.flatnonzero(~batch.action_masks[2])[0]
    with pytest.raises(IllegalAction, match="table 2: action"):
        env.step(actions)
    assert equal(env.observe(), batch)


@pytest.mark.parametrize("actions", [[53, 53], [53.0] * 4, np.full((4, 1), 53)])
def test_actions_must_be_an_integer_for_each_table(actions):
    with pytest.raises(ValueError, match="4 integers"):
        make().step(actions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tables": 0}, "num_envs"),
        ({"players": 9}, "2 to 4"),
        ({"reward": "x"}, "win"),
        ({"draws": "x"}, "shared"),
        ({"actions": {"player_0": "tiles", "player_1": "sets"}}, "one codec for all seats"),
    ],
)
def test_a_wrong_argument_says_what_is_allowed(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_games_need_a_seed():
    with pytest.raises(TypeError, match="seed=None must be an integer"):
        VectorEnv(2, num_players=2, seed=None)


@pytest.mark.parametrize("rules", ["sabra", "pagat_sabra"])
def test_the_games_are_the_same_with_any_number_of_threads(rules):
    """5 tables are shared out unevenly; the second rules have turns that are not for the kernels to answer."""
    vectors = [make(5, 3, seed=3, rules=rules, threads=threads) for threads in (1, 2, 4)]
    batches, rng = [vector.observe() for vector in vectors], np.random.default_rng(4)
    for _ in range(150):
        assert equal(batches[0], batches[1])
        assert equal(batches[0], batches[2])
        actions = random_actions(batches[0], rng)
        batches = [vector.step(actions) for vector in vectors]


def test_it_declares_when_it_deals_anew():
    modes = pytest.importorskip("gymnasium", "1.1", reason="Gymnasium 1.0 has no such modes").vector.AutoresetMode
    assert modes(VectorEnv.metadata["autoreset_mode"]) is modes.SAME_STEP
