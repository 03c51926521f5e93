"""Whole matches as episodes, and turns that end after so many actions."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, seed_test

from rummikub_env import LastMove, Match, rummikub_v0
from rummikub_env.envs.rewards import REWARDS
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.rules import rules_of

MINI = {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10}
MATCHES = [{"rounds": 3}, {"target": 60}]


def started(seed=0, **kwargs):
    env = rummikub_v0.env(**({"overrides": MINI, "match": {"rounds": 3}} | kwargs))
    env.reset(seed=seed)
    return env


def random_action(env, rng):
    if env.terminations[env.agent_selection]:
        return None
    return int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))


def play(env, seed, steps=100_000):
    """So many random legal steps; what each of them showed."""
    rng, shown = np.random.default_rng(seed), []
    for agent in env.agent_iter(steps):
        shown.append((agent, env.last(), random_action(env, rng)))
        env.step(shown[-1][-1])
    return shown


def in_second_round(**kwargs):
    """A match in its second round, some actions on and within a turn."""
    for seed in range(100):
        env, rng = started(seed, **kwargs), np.random.default_rng(seed)
        while env.agents and (len(env.match.rounds) < 1 or not env.get_state()["actions"]):
            env.step(random_action(env, rng))
        if env.agents and len(env.match.rounds) == 1:
            return env
    raise AssertionError("no match came to a half-spelled turn in its second round")


# PettingZoo's own tests


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("players", [2, 3])
def test_api(match, players):
    with warnings.catch_warnings():  # as in test_aec
        warnings.filterwarnings("ignore", "Observation is not a NumPy array", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be", UserWarning)
        env = rummikub_v0.env(num_players=players, match=match, overrides=MINI, max_steps_per_turn=3)
        api_test(env, num_cycles=300)


@pytest.mark.parametrize("match", MATCHES)
def test_seeds(match):
    seed_test(lambda: rummikub_v0.env(match=match, overrides=MINI, max_steps_per_turn=3), num_cycles=200)


# The course of a match


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("match", MATCHES)
def test_an_episode_is_the_match_and_rewards_are_paid_round_by_round(match, players):
    env, rng = started(5, match=match, num_players=players, reward="score"), np.random.default_rng(1)
    total, infos = np.zeros(players), []
    while not env.terminations[env.agent_selection]:
        before = env.match
        env.step(random_action(env, rng))
        paid = np.array([env.rewards[agent] for agent in env.agents])
        if env.match == before:
            assert not paid.any()
        else:
            np.testing.assert_array_equal(paid, env.match.rounds[-1].scores)
            assert env.terminations[env.agents[0]] == env.match.is_over
        total += paid
        info = env.infos[env.agent_selection]
        assert info["round"] == len(env.match.rounds) + (not env.match.is_over)
        assert [env.infos[agent]["match_score"] for agent in env.agents] == [*env.match.totals] == total.tolist()
        infos.append(info)
    assert env.match.is_over
    assert len(env.match.rounds) >= 2
    assert env.game_state.outcome == env.match.rounds[-1]
    assert {tuple(info) for info in infos} == {tuple(infos[0])}


@pytest.mark.parametrize("name", REWARDS)
def test_what_a_reward_pays_over_a_match(name):
    env, rng = started(3, reward=name, num_players=3), np.random.default_rng(2)
    total = np.zeros(3)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, rng))
        total += [env.rewards[agent] for agent in env.agents]
    if name == "match":
        assert {*np.flatnonzero(total == total.max())} == {*env.match.winners}
        assert total.sum() == pytest.approx(0)
    if name == "win":
        won = np.array(env.match.rounds_won)
        np.testing.assert_allclose(total, won - (3 - won) / 2)
    if name == "score":
        np.testing.assert_array_equal(total, env.match.totals)


def test_the_reward_of_a_match_is_that_of_a_single_round():
    ends = []
    for name in ("win", "match"):
        env = started(1, match=None, reward=name)
        ends.append([reward for _, (_, reward, *_), _ in play(env, 1)])
    assert ends[0] == ends[1]
    assert any(ends[0])


def test_rules_that_end_a_match_make_the_same_episodes_as_the_option():
    option = started(4, match={"rounds": 2})
    rules = started(4, match=None, overrides={**MINI, "match_end": "rounds 2"})
    assert data_equivalence(play(option, 0), play(rules, 0))


def test_the_deal_passes_on_from_round_to_round():
    env = started(0, match={"rounds": 5}, overrides={**MINI, "starter_method": "left_of_dealer"})
    starters = []
    rng = np.random.default_rng(0)
    while not env.terminations[env.agent_selection]:
        if env.game_state.turn == 0 and len(starters) == len(env.match.rounds):
            starters.append(env.game_state.to_move)
        env.step(random_action(env, rng))
    first = (env.match.dealer + 1) % 2
    assert starters == [first, 1 - first, first, 1 - first, first]


def test_a_match_can_start_from_a_given_first_round():
    env = started()
    state = env.game_state
    env.reset(options={"state": state.text()})
    assert env.game_state == state
    assert env.match == Match(env.rules, 2)
    play(env, 0)
    with pytest.raises(ValueError, match="a round that is over"):
        env.reset(options={"state": env.game_state})


def test_an_illegal_action_ends_the_match():
    env = in_second_round()
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0]))
    assert all(env.truncations.values())
    assert len(env.match.rounds) == 1
    twin = started()
    twin.set_state(env.get_state())
    assert data_equivalence(play(twin, 0), play(env, 0))


# What a player sees


def test_a_single_round_is_observed_as_ever():
    assert "match" not in started(match=None).layout
    assert [*started().layout] == [*started(match=None).layout, "match"]


def test_points_are_relative_to_the_observer():
    env = in_second_round(num_players=3)
    where = env.layout["match"].where
    for seat, agent in enumerate(env.possible_agents):
        shown = env.observe(agent)["observation"][where]
        points = [env.match.totals[(seat + i) % 3] / 300 for i in range(3)]
        np.testing.assert_allclose(shown, [*points, 2 / 3], rtol=1e-6)


@pytest.mark.parametrize("match", MATCHES)
def test_every_observation_lies_in_the_space(match):
    env = started(7, match=match)
    for agent in env.agent_iter():
        assert all(env.observation_space(a).contains(env.observe(a)) for a in env.possible_agents)
        env.step(random_action(env, np.random.default_rng(1)))
        assert agent in env.possible_agents


def test_where_there_are_no_scores_rounds_won_are_shown():
    env = in_second_round(overrides={**MINI, "win_scoring": "none"})
    shown = env.last()[0]["observation"][env.layout["match"].where]
    assert sorted(shown[:2].tolist()) == pytest.approx([0, 1 / 3])


# Copies


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone()],
    ids=["deepcopy", "pickle", "clone"],
)
def test_a_copy_of_a_running_match_goes_on_alike_and_apart(copied):
    env = in_second_round(num_players=3)
    twin, untouched = copied(env), env.get_state()
    shown = play(twin, 9)
    assert env.get_state() == untouched
    assert data_equivalence(play(env, 9), shown)
    assert twin.match == env.match


@pytest.mark.parametrize("match", MATCHES)
def test_a_state_as_json_restores_a_running_match(match):
    env, twin = in_second_round(match=match), started(99, match=match)
    twin.set_state(json.loads(json.dumps(env.get_state())))
    assert data_equivalence(play(env, 9, 300), play(twin, 9, 300))
    assert twin.get_state() == env.get_state()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (None, "damaged"),
        ("sabra; players 2", "of another game than the state"),
        (lambda text: f"{text}; round out / 0 / 1 -1; round out / 0 / 1 -1", "the round of one is over, of the other"),
    ],
)
def test_a_damaged_match_changes_nothing(damage, told):
    env = in_second_round()
    before = env.get_state()
    text = damage(before["match"]) if callable(damage) else damage
    with pytest.raises(ValueError, match=told):
        env.set_state(before | {"match": text})
    assert env.get_state() == before
    with pytest.raises(ValueError, match="this env plays 2 by"):
        started(match=None).set_state(before)


# Side by side


@pytest.mark.parametrize("match", MATCHES)
def test_tables_play_matches_as_single_envs_do(match):
    arguments = {"num_players": 3, "overrides": MINI, "match": match, "max_steps_per_turn": 3, "reward": "score"}
    vector, rng = VectorEnv(2, seed=5, **arguments), np.random.default_rng(1)
    singles = [rummikub_v0.env(**arguments) for _ in range(2)]
    for env, seed in zip(singles, np.random.SeedSequence(5).spawn(2), strict=True):
        env.np_random = np.random.default_rng(seed)
        env.reset()
    batch, ended, turns = vector.observe(), 0, [0, 0]
    while ended < 4:
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks])
        twin = VectorEnv(2, seed=0, **arguments)
        twin.set_state(json.loads(json.dumps(vector.get_state())))
        batch = vector.step(actions)
        assert data_equivalence(vars(twin.step(actions)), vars(batch))
        for row, env in enumerate(singles):
            rounds = env.match.rounds
            before = env.game_state
            env.step(actions[row])
            turns[row] += before.turn + 1 if env.match.rounds != rounds else 0
            np.testing.assert_array_equal(batch.rewards[row], list(env.rewards.values()))
            assert batch.done[row] == env.terminations[env.agent_selection]
            if batch.done[row]:
                finished = next(game for game in batch.info if game.table == row)
                assert (finished.winners, finished.scores) == (env.match.winners, env.match.totals)
                assert finished.turns == turns[row]
                ended, turns[row] = ended + 1, 0
                env.reset()
            np.testing.assert_array_equal(batch.observations[row], env.last()[0]["observation"])


# Turns that end after so many actions

RUN = "sabra:timeout_valid_table={}; racks K1 K2 K3 K4 K5 K6 R9 / O1 O2; pool O13 O12 O11 O10; opened ++; move 0"


def after_three(valid_table, *actions):
    env = rummikub_v0.env(overrides={"timeout_valid_table": valid_table}, max_steps_per_turn=3)
    env.reset(seed=0, options={"state": RUN.format(valid_table)})
    for action in actions:
        env.step(action)
    return env


def test_a_turn_that_takes_too_long_is_rolled_back_and_fined():
    for env in (after_three("rollback", 0, 1, 2), after_three("accept", 0, 1, 4)):
        assert env.game_state.turn == 1
        assert env.game_state.table == ()
        assert env.game_state.last[0] == LastMove("timeout", 3)
        assert env.agent_selection == "player_1"
        assert env.game_state.racks[0].sum() == 10


def test_what_lies_validly_when_the_time_is_over_counts_where_the_rules_say_so():
    env = after_three("accept", 0, 1, 2)
    assert env.game_state.table == ((0, 1, 2),)
    assert env.game_state.last[0] == LastMove("play", 3)


def test_the_end_of_the_turn_may_be_the_last_action():
    env = after_three("rollback", 53, 53)
    assert [last.kind for last in env.game_state.last] == ["draw", "draw"]
    env = after_three("rollback", 0, 1)
    assert env.game_state.turn == 0
    twin = after_three("rollback")
    twin.set_state(env.get_state())
    twin.step(2)
    assert twin.game_state.last[0].kind == "timeout"


# Wrong arguments


@pytest.mark.parametrize("make", [rummikub_v0.env, lambda **kwargs: VectorEnv(1, seed=0, num_players=2, **kwargs)])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"match": {}}, r"allowed are \{'rounds': N\} and \{'target': N\}"),
        ({"match": {"rounds": 0}}, "from 1 on"),
        ({"match": {"rounds": 2, "target": 3}}, "allowed are"),
        ({"match": {"games": 3}}, "allowed are"),
        ({"match": {"rounds": "3"}}, "allowed are"),
        ({"match": {"target": 3}, "rules": "vatikan"}, "with win_scoring=none; allowed are: open, rounds N"),
        ({"max_steps_per_turn": 1}, "it must be 2 or more"),
        ({"max_steps_per_turn": 9, "rules": "mso_tournament"}, "its turns have no clock"),
    ],
)
def test_a_wrong_argument_says_what_is_allowed(make, arguments, told):
    with pytest.raises(ValueError, match=told):
        make(**arguments)


def test_an_argument_of_a_wrong_type_says_what_it_must_be():
    with pytest.raises(TypeError, match="match=3 must be"):
        rummikub_v0.env(match=3)
    with pytest.raises(TypeError, match="max_steps_per_turn='3' must be an integer"):
        rummikub_v0.env(max_steps_per_turn="3")
    assert rummikub_v0.env(rules=rules_of("sabra"), max_steps_per_turn=np.int8(3))
