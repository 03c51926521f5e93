"""The Gymnasium environment: its checker, who sits where, rewards, whole turns of players, copies."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from copies import copies
from gymnasium.utils.env_checker import check_env, data_equivalence

from agents import Greedy, Random, RandomTurn
from agents.student.player import SHIPPED
from rummikub_env import Draw, IllegalMove, Play, rummikub_v0
from rummikub_env.actions import IllegalAction
from rummikub_env.envs import players
from rummikub_env.envs.adapters import InfosWithoutMasks, Renamed
from rummikub_env.envs.single import SingleSeatEnv
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table
from rummikub_env.state import View, deal, view

ROOT = Path(__file__).parent.parent
MINI = {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10}
TINY = {"colours": "KRB", "max_value": 3, "copies_per_tile": 1, "rack_size": 3, "initial_meld_points": 3}
"""Here whoever begins often goes out in its first turn."""


def make(opponents="greedy_tiles", **kwargs):
    return gymnasium.make("Rummikub-v0", opponents=opponents, **kwargs).unwrapped


def random_action(env, rng):
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def play(env, seed, steps=1000):
    """Up to so many random legal steps of a running game; what each of them showed."""
    rng, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        shown.append(env.step(random_action(env, rng)))
        if shown[-1][2]:
            break
    return shown


@dataclass(frozen=True)
class Scripted:
    """Makes one move, whatever it sees."""

    turn: Play
    name: str = "scripted"

    def move(self, view, rng):
        return self.turn


# Gymnasium


@pytest.mark.parametrize("mask_in_observation", [True, False])
@pytest.mark.parametrize("reward", ["win", "tiles"])
def test_the_checker_of_gymnasium(mask_in_observation, reward, capsys):
    env = make(["greedy_tiles", "random"], mask_in_observation=mask_in_observation, reward=reward, overrides=MINI)
    check_env(env)  # a warning is an error
    assert "player_0" in capsys.readouterr().out  # it renders in each mode


@pytest.mark.parametrize(
    "imports",
    ["import gymnasium, rummikub_env", "import gymnasium; from rummikub_env import rummikub_v0", "import gymnasium"],
)
def test_it_is_registered(imports):
    name = "Rummikub-v0" if "rummikub_env" in imports else "rummikub_env:Rummikub-v0"
    code = f"{imports}; gymnasium.make({name!r}, opponents='random').reset(seed=0)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_several_side_by_side(mode):
    envs = gymnasium.make_vec("Rummikub-v0", 3, vectorization_mode=mode, opponents="random", overrides=MINI)
    rng = np.random.default_rng(0)
    seen, infos = envs.reset(seed=1)
    masks, ended = infos["action_mask"], 0
    for _ in range(50):
        np.testing.assert_array_equal(masks, seen["action_mask"])
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        seen, rewards, over, cut, infos = envs.step(actions)
        masks = infos["action_mask"]
        assert rewards.shape == (3,)
        assert not cut.any()
        assert (np.abs(rewards) == over).all()
        ended += over.sum()
    assert ended > 3
    envs.close()


def test_rendering():
    env = make(render_mode="ansi")
    env.reset(seed=0)
    assert "player_1" in env.render()


# The game


@pytest.mark.parametrize("reward", ["win", "score", "tiles"])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_it_is_the_game_at_the_table_seen_from_a_seat(reward, seat):
    """The AEC env, on which the others' turns are spelled, deals and shows the same; rewards add up to its own."""
    env = make("greedy_tiles", num_players=3, seat=seat, reward=reward, overrides=MINI)
    table = rummikub_v0.env(num_players=3, reward=reward, overrides=MINI)
    learner, greedy, games = table.possible_agents[seat], Greedy(), 0
    for seed in range(12):
        rng, paid, expected = np.random.default_rng(seed), [], []
        seen, info = env.reset(seed=seed)
        table.reset(seed=seed)
        while True:
            while not table.terminations[learner] and table.agent_selection != learner:
                watched = view(table.game_state, table.game_state.to_move)
                for action in table.codec.spell(watched, greedy.move(watched, rng)):
                    table.step(action)
                    if expected:
                        expected[-1] += table.rewards[learner]
            if table.terminations[learner] and not expected:
                break  # the learner had no turn: another game was dealt in its place
            assert data_equivalence(seen, table.observe(learner))
            assert data_equivalence(info, table.infos[learner] | {"seat": seat})
            if table.terminations[learner]:
                break
            action = random_action(env, rng)
            table.step(action)
            expected.append(table.rewards[learner])
            seen, reward_of_step, *_, info = env.step(action)
            paid.append(reward_of_step)
        assert paid == pytest.approx(expected)
        games += bool(paid)
    assert games > 8


@pytest.mark.parametrize(
    "options",
    [
        {"reward": "tiles"},
        {"actions": "sets", "observation": "tokens"},
        {"actions": "turns", "observation": "counts+history", "reward": "score", "match": {"rounds": 3}},
        {"observation": "counts+history", "match": {"rounds": 3}},
    ],
)
def test_turns_played_in_one_go_are_those_played_one_by_one(options):
    in_one_go, one_by_one = (rummikub_v0.env(3, overrides=MINI, **options) for _ in range(2))
    learner, rng, steps = "player_1", np.random.default_rng(0), 0
    for seed in range(3):
        in_one_go.reset(seed=seed)
        one_by_one.reset(seed=seed)
        while not one_by_one.terminations[learner]:
            in_one_go.play_on(learner, lambda seen: RandomTurn().move(seen, in_one_go.np_random))
            while not one_by_one.terminations[learner] and one_by_one.agent_selection != learner:
                one_by_one.play(RandomTurn().move(one_by_one.draft.view, one_by_one.np_random))
            assert in_one_go.get_state() == one_by_one.get_state()
            assert data_equivalence(in_one_go.infos, one_by_one.infos)
            for agent in one_by_one.possible_agents:
                assert data_equivalence(in_one_go.observe(agent), one_by_one.observe(agent))
            if not one_by_one.terminations[learner]:
                action = rng.choice(np.flatnonzero(one_by_one.observe(learner)["action_mask"]))
                in_one_go.step(action)
                one_by_one.step(action)
                steps += 1
    assert steps > 20


@pytest.mark.parametrize("actions", ["sets", "turns"])
def test_masks_are_made_for_the_learner_alone(actions, monkeypatch):
    env, seats = make(["random", "random"], actions=actions, overrides=MINI), []
    mask = type(env.table.codec).mask
    monkeypatch.setattr(type(env.table.codec), "mask", lambda self, d: seats.append(d.view.seat) or mask(self, d))
    env.reset(seed=0)
    play(env, 0)
    assert set(seats) == {env.seat}


def test_an_error_leaves_the_game_where_it_was_raised():
    env = rummikub_v0.env(3)
    env.reset(seed=0)
    twin = env.clone()
    twin.play(Draw())
    (last,) = {*env.agents} - {env.agent_selection, twin.agent_selection}
    with pytest.raises(IllegalMove):
        env.play_on(last, lambda seen: Play((), ()) if env.agents[seen.seat] == twin.agent_selection else Draw())
    assert env.get_state() == twin.get_state()
    assert data_equivalence(env.last(), twin.last())


def test_games_that_others_end_are_paid():
    env, paid = make(overrides=MINI), []
    for seed in range(20):
        env.reset(seed=seed)
        _, reward, over, _, _ = play(env, seed)[-1]
        assert over
        won = env.seat in env.table.game_state.outcome.winners
        assert reward == (1 if won else -1)
        paid.append(reward)
    assert {-1, 1} == set(paid)


def test_a_game_without_a_turn_of_the_learner_is_not_shown(monkeypatch):
    env = make(overrides=TINY, seat=1)
    deals, reset = [], env.table.reset
    monkeypatch.setattr(env.table, "reset", lambda *args, **kwargs: deals.append(reset(*args, **kwargs)))
    for seed in range(60):
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert env.table.agent_selection == "player_1"
    assert len(deals) > 60


def test_a_round_without_a_turn_of_the_learner_is_paid_in_a_match():
    env, early = make(overrides=TINY, seat=1, match={"rounds": 3}, reward="score"), 0
    for seed in range(40):
        _, info = env.reset(seed=seed)
        early += info["round"] > 1
        assert sum(step[1] for step in play(env, seed)) == env.table.match.totals[1]
    assert early


def test_a_given_position_is_played_from_there():
    env = make("greedy_tiles", seat=0)
    line = "sabra; racks R6 K9 / O1 O2; table R3 R4 R5; opened ++; pool O13 K2 B1 B2; move 1; turn 4"
    _, info = env.reset(seed=0, options={"state": line})
    assert info["turn"] == 5
    with pytest.raises(ValueError, match="over before the learner's turn"):
        env.reset(options={"state": "sabra; racks R6 K9 / R2; table R3 R4 R5; opened ++; pool O13; move 1; turn 4"})


# Who plays


def test_seats_are_fixed_rotated_or_drawn():
    def seats(seat):
        env = make("random", num_players=3, seat=seat, overrides=MINI)
        env.reset(seed=4)
        return [env.reset()[1]["seat"] for _ in range(30)]

    assert seats(2) == [2] * 30
    assert seats("rotated") == [1, 2, 0] * 10
    assert set(seats("drawn")) == {0, 1, 2}
    assert seats("drawn") == seats("drawn")


def test_a_seed_gives_the_deal_of_the_table_whoever_plays():
    table = rummikub_v0.env(num_players=3)
    for seed in range(5):
        table.reset(seed=seed)
        for opponents in (["random", "greedy_tiles"], ["greedy_value", ["greedy_tiles", "random"]]):
            env = make(opponents, seat=table.game_state.to_move)
            env.reset(seed=seed)
            assert env.table.game_state == table.game_state


def test_opponents_are_drawn_for_each_game_by_the_generator():
    env = make(["greedy_tiles", ["random", "greedy_value", Greedy("tiles_low")]], overrides=MINI)

    def names(games):
        return [[player.name for player in env.opponents] for _ in range(games) if env.reset()]

    env.reset(seed=0)
    first = names(20)
    assert {name for name, _ in first} == {"greedy_tiles"}
    assert {name for _, name in first} == {"random", "greedy_value", "greedy_tiles_low"}
    env.reset(seed=0)
    assert names(20) == first


@dataclass(frozen=True)
class Watched:
    """Notes on which seat it plays."""

    name: str
    seats: list

    def move(self, view: View, rng):
        self.seats.append(view.seat)
        return Random().move(view, rng)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_first_opponent_plays_after_the_learner(seat):
    first, second = Watched("first", []), Watched("second", [])
    env = SingleSeatEnv([first, second], seat=seat)
    env.reset(seed=0)
    play(env, 0, 20)
    assert set(first.seats) == {(seat + 1) % 3}
    assert set(second.seats) == {(seat + 2) % 3}


def test_a_checkpoint_is_named_by_its_path():
    env = make(str(SHIPPED))
    env.reset(seed=0)
    play(env, 0, 10)
    assert env.opponents[0].file == str(SHIPPED)


def test_where_no_players_are_installed_it_says_so(monkeypatch):
    monkeypatch.setattr(players, "entry_points", lambda **_: ())
    with pytest.raises(ImportError, match=r"no players are installed: .* or give objects that have a `move`"):
        players._finder.__wrapped__()


@pytest.mark.parametrize("laid", ["K1 K2 K3 | R1 R2 R3 | B1 B2 B3", "K1 R1 B1 | K2 R2 B2 | K3 R3 B3"])
def test_a_player_lays_its_tiles_as_it_likes(laid):
    """A codec may have the solver lay the table: that is for the learner's turns alone."""
    rules = rules_of("sabra")
    table = parse_table(rules.tiles, laid)
    played = rules.tiles.parse_all("K1 K2 K3 R1 R2 R3 B1 B2 B3")
    env = SingleSeatEnv(Scripted(Play(table, played)), seat=1)
    env.reset(
        options={"state": "sabra; racks K1 K2 K3 R1 R2 R3 B1 B2 B3 O9 / O1; opened +-; pool O13 K9; move 0; turn 4"}
    )
    assert env.table.game_state.table == table


def test_an_illegal_move_of_a_player_names_it():
    env = SingleSeatEnv(Scripted(Play((), ())), seat=1)
    with pytest.raises(IllegalMove) as error:
        env.reset(options={"state": "sabra; racks R6 / O1; opened +-; pool O13 K9; move 0; turn 4"})
    assert "scripted on seat 0" in error.value.__notes__[0]


# Illegal actions and wrong calls


def test_an_illegal_action_terminates_the_game():
    env = make(overrides=MINI, illegal_reward=-5)
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert (reward, terminated, truncated, info["illegal"]) == (-5, True, False, 1)
    assert not env.action_masks().any()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    assert env.reset()[1]["illegal"] == 0


def test_an_illegal_action_can_be_an_error_that_changes_nothing():
    env = make(overrides=MINI, illegal="raise")
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(IllegalAction, match="allowed: "):
        env.step(int(np.flatnonzero(~env.action_masks())[0]))
    with pytest.raises(ValueError, match="action space"):
        env.step(99)
    assert env.get_state() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": "x"}, "neither a player"),
        ({"opponents": []}, "an entry for each other seat"),
        ({"opponents": 5}, "an entry for each other seat"),
        ({"opponents": ["random", []]}, "nor a list of players"),
        ({"opponents": ["random", 5]}, "nor a list of players"),
        ({"opponents": ["random"], "num_players": 3}, "num_players=3 leaves 2"),
        ({"opponents": ["random"] * 4}, "2 to 4 players"),
        ({"num_players": 1}, "2 to 4 players"),
        ({"seat": 2}, "drawn, rotated, 0 to 1"),
        ({"seat": "first"}, "drawn, rotated, 0 to 1"),
        ({"actions": "x"}, "tiles"),
        ({"reward": "x"}, "win, score"),
        ({"render_mode": "rgb_array"}, "ansi, human"),
    ],
)
def test_a_wrong_argument_says_what_is_allowed(arguments, message):
    with pytest.raises(ValueError, match=message):
        SingleSeatEnv(**arguments)


def test_a_mask_is_in_the_observation_or_not():
    with pytest.raises(TypeError, match="mask_in_observation='no' must be True or False"):
        SingleSeatEnv("random", mask_in_observation="no")
    with pytest.raises(TypeError, match="speed: no argument of this env"):
        SingleSeatEnv("random", speed=2)
    with pytest.raises(TypeError, match="seat=True must be an integer"):
        SingleSeatEnv("random", seat=True)


# Copies


def from_data(env):
    twin = SingleSeatEnv(["greedy_tiles", ["random", "greedy_value"]], overrides=MINI)
    twin.set_state(json.loads(json.dumps(env.get_state())))
    return twin


COPIES = copies(from_data)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("steps", range(4))
def test_a_copy_of_a_running_game_goes_on_alike_and_apart(copied, steps):
    env = SingleSeatEnv(["greedy_tiles", ["random", "greedy_value"]], overrides=MINI)
    env.reset(seed=steps)
    play(env, 0, steps)
    twin, untouched = copied(env), env.get_state()
    shown = play(twin, 9)
    assert env.get_state() == untouched
    assert data_equivalence(play(env, 9), shown)
    for _ in range(3):
        assert data_equivalence(env.reset(), twin.reset())
        assert [player.name for player in env.opponents] == [player.name for player in twin.opponents]
        assert data_equivalence(play(env, 5), play(twin, 5))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"seat": 3}, "seat 3"),
        ({"seat": None}, "damaged"),
        ({"seat": 1}, "not on turn"),
        ({"drawn": [0]}, "drawn"),
        ({"drawn": [0, 2]}, "drawn"),
        ({"games": "x"}, "damaged"),
        ({"unpaid": None}, "damaged"),
        ({"state": "sabra"}, "sabra|players"),
    ],
)
def test_a_damaged_state_changes_nothing(damage, told):
    env = SingleSeatEnv(["greedy_tiles", ["random", "greedy_value"]], overrides=MINI, seat=0)
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ValueError, match=told):
        env.set_state(before | damage)
    assert env.get_state() == before


def test_a_state_that_lacks_something_changes_nothing():
    env = make(overrides=MINI)
    env.reset(seed=0)
    before = env.get_state()
    for name in before:
        with pytest.raises(ValueError, match=name):
            env.set_state({key: value for key, value in before.items() if key != name})
    assert env.get_state() == before


def test_the_deal_is_that_of_the_rules():
    env = make("random", num_players=3, draws="private", overrides=MINI)
    env.reset(seed=0)
    assert len(env.table.game_state.orders) == len(deal(env.table.rules, 3, 0, "private").orders) == 3


# Adapters


def test_an_observation_under_other_names():
    env = Renamed(make(overrides=MINI), observation="obs", action_mask="mask")
    seen, info = env.reset(seed=0)
    assert list(seen) == ["obs", "mask"]
    assert env.observation_space.contains(seen)
    np.testing.assert_array_equal(seen["mask"], info["action_mask"])
    assert list(env.step(random_action(env.unwrapped, np.random.default_rng(0)))[0]) == ["obs", "mask"]
    with pytest.raises(KeyError, match="no obs; it has action_mask, observation"):
        Renamed(env.unwrapped, obs="observation")
    with pytest.raises(TypeError, match="mask_in_observation=True"):
        Renamed(make(mask_in_observation=False), observation="obs")


def test_infos_without_masks():
    table = rummikub_v0.env(overrides=MINI)
    env = InfosWithoutMasks(table)
    env.reset(seed=0)
    assert env.infos["player_0"] == {k: v for k, v in table.infos["player_0"].items() if k != "action_mask"}
    assert "action_mask" not in env.last()[-1]


# The page on libraries


def test_the_page_on_libraries_is_true(capsys):
    page = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "libraries.md", "exec"), {})
    assert "greedy_tiles" in capsys.readouterr().out
    for target in re.findall(r"\]\((?!https:)([^)]+)\)", page):
        assert (ROOT / "docs" / target).exists(), target
    pinned = (ROOT / "tests" / "ecosystem" / "requirements.txt").read_text()
    for name, version in [("sb3_contrib", "2.9.2"), ("tianshou", "2.0.1"), ("torchrl", "0.14.1"), ("ray", "2.60.0")]:
        assert f"| {version} |" in page
        assert f"{name}=={version}" in pinned


def test_the_learner_has_one_codec_wherever_it_sits():
    with pytest.raises(ValueError, match="one codec"):
        SingleSeatEnv(actions={"player_0": "tiles", "player_1": "turns"})


def test_before_the_first_game_it_says_so():
    env = SingleSeatEnv()
    assert [player.name for player in env.opponents] == ["greedy_tiles"]
    for use in (env.action_masks, lambda: env.step(0), lambda: env.clone().action_masks()):
        with pytest.raises(RuntimeError, match="reset"):
            use()


def test_a_copy_has_a_generator_of_its_own_before_the_first_game():
    env = SingleSeatEnv()
    twin = env.clone()
    first, again = env.np_random.integers(1 << 60), twin.np_random.integers(1 << 60)
    assert first == again
    assert env.np_random is not twin.np_random


def test_nobody_plays_on_to_who_is_not_there():
    env = rummikub_v0.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="'nobody' is not an agent: player_0, player_1"):
        env.play_on("nobody", lambda view: pytest.fail("nobody is asked"))
