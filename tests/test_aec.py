"""The PettingZoo environment: its own tests, masks, copies, rewards, illegal actions."""

import copy
import doctest
import importlib
import json
import warnings

import numpy as np
import pettingzoo
import pytest
from copies import copies
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import wrappers

from rummikub_env import rummikub_v0
from rummikub_env.actions import IllegalAction
from rummikub_env.envs.rewards import REWARDS, reward_of
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.game import Draw, IllegalMove, Pass, check
from rummikub_env.policy import Policy, move_of
from rummikub_env.rules import rules_of
from rummikub_env.state import view

PLAYERS = [2, 3, 4]
MINI = {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10}


def stock(**kwargs):
    """`raw_env` in PettingZoo's own wrappers."""
    env = wrappers.TerminateIllegalWrapper(rummikub_v0.raw_env(**kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


MAKERS = {"env": rummikub_v0.env, "raw_env": rummikub_v0.raw_env, "stock": stock}


def random_action(env, rng):
    """A legal action of the agent on turn, None when its game is over."""
    if env.terminations[env.agent_selection]:
        return None
    return int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))


def play(env, seed, steps=100_000):
    """Up to so many random legal steps of a running game; what each of them showed."""
    rng = np.random.default_rng(seed)
    shown = []
    for agent in env.agent_iter(steps):
        action = random_action(env, rng)
        shown.append((agent, env.last(), action))
        env.step(action)
    return shown


def started(seed=0, steps=0, **kwargs):
    env = rummikub_v0.env(**kwargs)
    env.reset(seed=seed)
    play(env, seed, steps)
    return env


def half_spelled(**kwargs):
    """A running game in which the agent on turn has played a tile but not ended its turn."""
    for seed in range(1000):
        env = started(seed, steps=40, **kwargs)
        if env.agents and env.get_state()["actions"]:
            return env
    raise AssertionError("no game came to a half-spelled turn")


# PettingZoo's own tests


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("make", MAKERS)
def test_api(make, players):
    with warnings.catch_warnings():  # PettingZoo gives these to every Dict observation it does not know by name
        warnings.filterwarnings("ignore", "Observation is not a NumPy array", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be", UserWarning)
        api_test(MAKERS[make](num_players=players), num_cycles=300)


@pytest.mark.parametrize("players", PLAYERS)
def test_seeds(players):
    seed_test(lambda: rummikub_v0.env(num_players=players), num_cycles=200)


@pytest.mark.parametrize("players", PLAYERS)
def test_rendering(players, capsys):
    render_test(lambda render_mode: rummikub_v0.env(num_players=players, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no registry")
def test_it_is_registered():
    assert pettingzoo.make("aec", "rummikub_v0", num_players=3).max_num_agents == 3


def test_it_can_be_registered_again():
    assert importlib.reload(rummikub_v0).env(num_players=3).max_num_agents == 3  # a warning would be an error here


# Observations and infos


@pytest.mark.parametrize("players", PLAYERS)
def test_every_agent_can_be_observed_at_every_moment(players):
    env = started(num_players=players)
    for _ in env.agent_iter():
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            on_turn = agent == env.agent_selection and not env.terminations[agent]
            assert seen["action_mask"].any() == on_turn
            if agent in env.agents:
                np.testing.assert_array_equal(env.infos[agent]["action_mask"], seen["action_mask"])
        env.step(random_action(env, np.random.default_rng(0)))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


@pytest.mark.parametrize("players", PLAYERS)
def test_hidden_tiles_make_no_difference(players):
    """An agent is shown the same by two games that differ only in what it cannot know."""
    env, other = started(num_players=players), rummikub_v0.env(num_players=players)
    rng = np.random.default_rng(players)
    for _ in range(12):
        play(env, 0, steps=7)
        if not env.agents or env.get_state()["actions"]:
            continue
        agent = env.agent_selection
        seen = view(env.game_state, env.possible_agents.index(agent))
        other.reset(options={"state": seen.sample(rng)})
        assert data_equivalence(other.last(), (env.observe(agent), 0.0, *env.last()[2:]))


def test_arrays_are_fresh():
    """Whatever a caller does to what it was given, the game does not notice."""
    env, twin = started(num_players=2), started(num_players=2)
    rng = np.random.default_rng(1)
    for _ in env.agent_iter(60):
        seen, again, info = env.last()[0], env.observe(env.agent_selection), env.infos[env.agent_selection]
        action = random_action(env, rng)
        arrays = [*seen.values(), *again.values(), info["action_mask"]]
        assert not any(np.shares_memory(a, b) for a in arrays for b in arrays if a is not b)
        for array in arrays:
            array.fill(1)
        env.step(action)
        twin.step(action)
        assert data_equivalence(env.last(), twin.last())


def test_infos_hold_numbers_under_the_same_keys():
    for _, (_, _, _, _, info), _ in play(started(num_players=3), 1):
        assert set(info) == {"action_mask", "turn", "score", "round", "match_score", "illegal"}
        assert all(isinstance(value, int | np.ndarray) for value in info.values())


def test_spaces_are_the_same_objects_each_time():
    env = rummikub_v0.env()
    assert env.action_space("player_0") is env.action_space("player_0")
    assert env.observation_space("player_1") is env.observation_space("player_1")
    assert env.observation_space("player_0") is not env.observation_space("player_1")


# The course of a game


@pytest.mark.parametrize("players", PLAYERS)
def test_all_agents_end_together(players):
    env = started(num_players=players)
    for _ in env.agent_iter():
        assert len(set(env.terminations.values())) == 1
        assert not any(env.truncations.values())
        env.step(random_action(env, np.random.default_rng(0)))
    assert env.agents == []


def test_a_turn_of_several_actions_belongs_to_one_agent():
    env = half_spelled(num_players=2)
    agent, turn = env.agent_selection, env.infos[env.agent_selection]["turn"]
    while env.agents and env.infos[agent]["turn"] == turn:
        assert env.agent_selection == agent
        env.step(random_action(env, np.random.default_rng(0)))


def test_the_mask_is_what_the_rules_allow():
    """End of turn alone: a draw while there are tiles, a pass exactly when `check` allows it."""
    env = started(overrides=MINI)
    for seed in range(20):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            if not env.terminations[agent] and not env.get_state()["actions"] and not env.game_state.pool_size:
                may_pass = check(env.game_state, Pass()) == ()
                assert env.infos[agent]["action_mask"][env.codec.end] == may_pass
            env.step(random_action(env, np.random.default_rng(seed)))


@pytest.mark.parametrize(("actions", "reward"), [("tiles", "win"), ("tiles", "tiles"), ("turns", "score")])
def test_a_whole_turn_in_one_step_is_that_of_its_actions(actions, reward):
    by_turns, by_actions = (started(3, actions=actions, reward=reward, match={"rounds": 2}) for _ in range(2))
    while by_turns.draft is not None:
        agent, move = by_turns.agent_selection, Policy().choose(by_turns.draft.view)
        move = move_of(by_turns.draft.view, move)
        by_turns.play(move)
        paid = 0.0
        for action in by_actions.codec.spell(by_actions.draft.view, move):
            by_actions.step(action)
            paid += by_actions.rewards[agent]
        assert by_turns.get_state() | {"rewards": 0, "_cumulative_rewards": 0} == by_actions.get_state() | {
            "rewards": 0,
            "_cumulative_rewards": 0,
        }
        assert by_turns.rewards[agent] == pytest.approx(paid)
        assert data_equivalence(by_turns.observe(agent), by_actions.observe(agent))
    assert all(by_turns.terminations.values())
    with pytest.raises(ValueError, match="only where one begins"):
        by_turns.play(Draw())


def test_a_whole_turn_is_not_played_in_the_middle_of_one_nor_against_the_rules():
    env = half_spelled()
    before = env.get_state()
    with pytest.raises(ValueError, match="only where one begins"):
        env.play(Draw())
    assert env.get_state() == before
    fresh = started(3)
    before = fresh.get_state()
    with pytest.raises(IllegalMove):
        fresh.play(Pass())
    with pytest.raises(TypeError, match="not None"):
        fresh.play(None)
    assert fresh.get_state() == before


def test_the_same_seed_gives_the_same_game_and_no_seed_the_next_one():
    env = rummikub_v0.env()
    env.reset(seed=3)
    first = env.game_state
    env.reset()
    second = env.game_state
    env.reset(seed=3)
    assert env.game_state == first
    env.reset()
    assert env.game_state == second != first


@pytest.mark.parametrize("draws", ["shared", "private"])
def test_draws_reach_the_deal(draws):
    env = started(num_players=3, draws=draws)
    assert len(env.game_state.orders) == (1 if draws == "shared" else 3)


def test_rules_by_name_as_rule_set_and_with_overrides():
    by_name = rummikub_v0.env(rules="sabra", overrides=MINI)
    by_value = rummikub_v0.env(rules=rules_of("sabra", MINI))
    assert by_name.rules == by_value.rules
    assert by_name.action_space("player_0").n == 3 * 6 + 2


# Rewards


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", REWARDS)
def test_rewards_add_up_over_a_game(name, players):
    env = started(players, num_players=players, reward=name)
    total = dict.fromkeys(env.agents, 0.0)
    start = env.game_state
    for _ in env.agent_iter():
        env.step(random_action(env, np.random.default_rng(1)))
        for agent, reward in env.rewards.items():
            total[agent] += reward
    after = env.game_state
    if name == "tiles":
        expected = 1 - after.racks.sum(axis=1) / 14
    else:
        expected = reward_of(name)(start, after)
        assert sum(total.values()) == pytest.approx(0)
    assert list(total.values()) == pytest.approx(list(expected))


def test_the_winner_gets_one_and_the_best_rank():
    env = started(num_players=3)
    play(env, 2)
    after = env.game_state
    for name in ("win", "rank"):
        reward = REWARDS[name](after, after)
        assert set(np.flatnonzero(reward == 1)) == set(after.outcome.winners)
    np.testing.assert_array_equal(REWARDS["score"](after, after), after.outcome.scores)


def test_a_loser_is_paid_though_it_does_not_move_last():
    env = started(num_players=2)
    paid = {}
    for agent in env.agent_iter():
        _, reward, over, _, _ = env.last()
        if over:
            paid[agent] = reward
        env.step(random_action(env, np.random.default_rng(4)))
    assert sorted(paid.values()) == [-1, 1]


# Copies


def from_data(env):
    twin = rummikub_v0.env(num_players=len(env.possible_agents))
    twin.set_state(json.loads(json.dumps(env.get_state())))
    return twin


COPIES = copies(from_data)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_copy_of_a_running_game_goes_on_alike_and_apart(copied, players):
    env = half_spelled(num_players=players)
    twin, untouched = copied(env), env.get_state()
    shown = play(twin, 9)
    assert env.get_state() == untouched
    assert data_equivalence(play(env, 9), shown)
    env.reset()
    twin.reset()
    assert env.game_state == twin.game_state


@pytest.mark.parametrize("first", COPIES)
@pytest.mark.parametrize("second", COPIES)
def test_the_generators_of_copies_of_copies_go_on_alike_and_apart(first, second):
    """Whoever draws first: the others do not notice, and draw the same."""
    env = started(steps=10)
    held, expected = env.np_random, copy.deepcopy(env.np_random).random(9).tolist()
    assert held.random(3).tolist() == expected[:3]
    copied = COPIES[first](env)
    again, late = COPIES[second](copied), COPIES[second](COPIES[first](env))
    assert copied.np_random.random(6).tolist() == expected[3:]
    assert held.random(6).tolist() == expected[3:]
    assert again.np_random.random(6).tolist() == expected[3:]
    assert COPIES[second](late).get_state()["generator"] == late.get_state()["generator"]
    assert late.np_random.random(6).tolist() == expected[3:]
    games = []
    for one in (env, copied, again, late):
        assert one.np_random is one.np_random
        one.reset()
        games.append(one.game_state)
    assert games == games[:1] * 4


def test_a_generator_can_be_given():
    env = rummikub_v0.env()
    assert env.np_random is None
    assert env.clone().np_random is None
    env.np_random = np.random.default_rng(5)
    twin = env.clone()
    env.reset()
    twin.reset()
    assert env.game_state == twin.game_state
    assert env.np_random.random() == twin.np_random.random()


def test_a_clone_shares_no_array_that_can_be_changed():
    env = half_spelled(num_players=3)
    twin = env.clone()
    expected = copy.deepcopy(twin.last())
    for agent, info in env.infos.items():
        assert not np.shares_memory(info["action_mask"], twin.infos[agent]["action_mask"])
        info["action_mask"].fill(1)
        info["turn"] = -1
    env.rewards[env.agent_selection] = env._cumulative_rewards[env.agent_selection] = 5
    assert data_equivalence(twin.last(), expected)
    assert not any(twin.rewards.values())


def test_a_finished_game_can_be_restored_while_agents_leave():
    env = started(num_players=3)
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, np.random.default_rng(0)))
    env.step(None)
    twin = rummikub_v0.env(num_players=3)
    twin.set_state(env.get_state())
    assert len(twin.agents) == 2
    assert data_equivalence(play(twin, 0), play(env, 0))


def test_a_game_can_start_from_a_line_of_text():
    env = started(steps=30, num_players=3)
    twin = rummikub_v0.env(num_players=3)
    twin.reset(options={"state": env.game_state.text()})
    assert twin.game_state == env.game_state


def test_a_state_of_another_game_is_refused():
    env = started(num_players=3)
    with pytest.raises(ValueError, match="3 by sabra"):
        rummikub_v0.env(num_players=2).set_state(env.get_state())
    with pytest.raises(ValueError, match="of the codec 'turns:k=64', those of this env of 'tiles'"):
        rummikub_v0.env(num_players=3).set_state(started(num_players=3, actions="turns").get_state())
    with pytest.raises(ValueError, match="this env plays 3 by sabra:"):
        rummikub_v0.env(num_players=3, overrides=MINI).reset(options={"state": env.game_state})


DAMAGE = [
    ({"agents": ["a"]}, "agents"),
    ({"agents": ["player_1", "player_0", "player_2"]}, "agents"),
    ({"agents": ["player_0"]}, "agents"),
    ({"agents": None}, "damaged"),
    ({"agent_selection": "player_9"}, "agent_selection"),
    ({"agent_selection": None}, "agent_selection"),
    ({"offender": "me"}, "offender"),
    ({"rewards": {}}, "rewards"),
    ({"rewards": {"player_0": "x", "player_1": 0, "player_2": 0}}, "rewards"),
    ({"_cumulative_rewards": None}, "damaged"),
    ({"terminations": {"player_0": True, "player_1": True, "player_2": True}}, "terminations"),
    ({"truncations": {"player_0": True, "player_1": True, "player_2": True}}, "truncations"),
    ({"generator": {}}, "PCG64"),
    ({"generator": None}, "damaged"),
    ({"state": None}, "text"),
    ({"state": "sabra"}, "sabra|players"),
    ({"actions": ["x"]}, "whole numbers"),
    ({"actions": [53, 53]}, "beyond the turn|not allowed"),
    ({"actions": 5}, "damaged"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGE)
def test_a_damaged_state_changes_nothing(damage, told):
    env = half_spelled(num_players=3)
    before = env.get_state()
    with pytest.raises(ValueError, match=told):
        env.set_state(before | damage)
    assert env.get_state() == before


def test_a_state_that_lacks_something_changes_nothing():
    env = half_spelled(num_players=3)
    before = env.get_state()
    for name in before:
        with pytest.raises(ValueError, match=name):
            env.set_state({key: value for key, value in before.items() if key != name})
    for wrong in (None, [], "state"):
        with pytest.raises(ValueError, match="damaged"):
            env.set_state(wrong)
    assert env.get_state() == before


def test_only_the_agent_on_turn_can_be_selected():
    env = started(num_players=3)
    before = env.get_state()
    for agent in set(env.agents) - {env.agent_selection}:
        with pytest.raises(ValueError, match="agent_selection"):
            env.set_state(before | {"agent_selection": agent})


# Illegal actions and wrong calls


def forbidden(env):
    return int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])


def test_an_illegal_action_ends_the_game_for_all():
    env = half_spelled(num_players=3)
    agent = env.agent_selection
    env.step(forbidden(env))
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    assert env.rewards == {other: -1.0 if other == agent else 0.0 for other in env.agents}
    assert [info["illegal"] for info in env.infos.values()] == [int(a == agent) for a in env.agents]
    twin = rummikub_v0.env(num_players=3)
    twin.set_state(env.get_state())
    assert data_equivalence(play(twin, 0), play(env, 0))
    env.reset()
    assert not any(info["illegal"] for info in env.infos.values())


def test_an_illegal_action_can_be_an_error_that_changes_nothing():
    env = half_spelled(num_players=2, illegal="raise")
    before = env.get_state()
    with pytest.raises(IllegalAction, match="allowed: "):
        env.step(forbidden(env))
    assert env.get_state() == before


@pytest.mark.parametrize("action", [-1, 54, None, 1.5, "5", np.nan])
def test_an_action_outside_the_space_is_an_error(action):
    env = started()
    before = env.get_state()
    with pytest.raises(ValueError, match="53"):
        env.step(action)
    assert env.get_state() == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.array])
def test_any_integer_is_an_action(kind):
    env = started()
    env.step(kind(53))
    assert env.infos["player_0"]["turn"] == 1


@pytest.mark.parametrize("call", ["observe", "state", "action_space", "observation_space"])
def test_who_is_no_agent_is_told_who_is(call):
    with pytest.raises(ValueError, match="'nobody' is not an agent: player_0, player_1"):
        getattr(started(), call)("nobody")


def test_a_dead_agent_can_only_step_with_none():
    env = started()
    env.step(forbidden(env))
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_order_of_calls():
    env = rummikub_v0.env(render_mode="ansi")
    for call in (lambda: env.step(53), lambda: env.observe("player_0"), env.render, env.get_state):
        with pytest.raises(RuntimeError, match="reset"):
            call()
    with pytest.raises(RuntimeError, match="reset"):
        _ = env.game_state
    with pytest.raises(AttributeError, match="reset"):
        _ = env.agents
    env.reset(seed=0)
    play(env, 0)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(None)
    env.close()
    env.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 1}, "2 to 4 players"),
        ({"num_players": 5}, "2 to 4 players"),
        ({"rules": "poker"}, "sabra"),
        ({"overrides": {"colors": "KR"}}, "colours"),
        ({"actions": "x"}, "tiles"),
        ({"actions": "turns:k=1001"}, "1 to 1000"),
        ({"observation": "x"}, "counts"),
        ({"observation": "perfect"}, r"env\.state\(\)"),
        ({"reward": "x"}, "win, score, rank, tiles"),
        ({"reward": ["win"]}, "win, score, rank, tiles"),
        ({"illegal_reward": float("nan")}, "illegal_reward=nan must be a finite number"),
        ({"illegal_reward": None}, "illegal_reward=None must be a finite number"),
        ({"draws": "x"}, "shared, private"),
        ({"illegal": "x"}, "terminate, raise"),
        ({"render_mode": "rgb_array"}, "ansi, human"),
    ],
)
def test_a_wrong_argument_says_what_is_allowed(arguments, message):
    with pytest.raises(ValueError, match=message):
        rummikub_v0.env(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": "2"}, "num_players='2' must be an integer"),
        ({"num_players": 2.0}, "num_players=2.0 must be an integer"),
        ({"num_players": None}, "num_players=None must be an integer"),
        ({"rules": None}, "rules=None must be the name of a preset or a RuleSet"),
        ({"overrides": 3}, "overrides=3 must be a mapping"),
        ({"actions": 5}, "actions=5 must be the name of a codec; there is: tiles, sets, turns"),
        ({"actions": ["tiles", "sets"]}, "must be the name of a codec"),
        ({"observation": None}, "observation=None must be a name, names joined by"),
        ({"observation": {"counts": 1}}, "must be a name, names joined by"),
    ],
)
@pytest.mark.parametrize("make", [rummikub_v0.env, lambda **arguments: VectorEnv(1, seed=0, **arguments)])
def test_an_argument_of_a_wrong_type_says_what_it_must_be(make, arguments, message):
    with pytest.raises(TypeError, match=message):
        make(**({"num_players": 2} | arguments))


def test_numpy_integers_are_numbers_of_players():
    assert rummikub_v0.env(num_players=np.int8(3)).possible_agents == ["player_0", "player_1", "player_2"]


def test_a_start_that_is_no_state_changes_nothing():
    env = started()
    before = env.get_state()
    with pytest.raises(TypeError, match=r"options\['state'\] must be a State or its text, not 5"):
        env.reset(seed=1, options={"state": 5})
    with pytest.raises(TypeError, match="options=5 must be a mapping"):
        env.reset(seed=1, options=5)
    assert env.get_state() == before


def test_rendering_without_a_mode_is_a_warning():
    env = started()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


# The specification


def test_the_example_of_the_specification_runs():
    result = doctest.testmod(rummikub_v0)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_table_of_the_observation_is_true():
    env = started(num_players=3)
    for name, field in env.layout.items():
        row = next(line for line in rummikub_v0.__doc__.splitlines() if line.startswith(f"{name} "))
        shape = row.split("(")[1].split(")")[0]
        sizes = [int(eval(size, {"players": 3})) for size in shape.split(",") if size.strip()]
        assert tuple(sizes) == field.shape
    assert view(env.game_state, 0).players == 3
