"""What libraries check, and the PettingZoo env in the wrappers that they have for it."""

import warnings

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env as check_gymnasium
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv as RllibEnv
from stable_baselines3.common.env_checker import check_env as check_sb3
from stable_baselines3.common.vec_env import DummyVecEnv
from tianshou.env import PettingZooEnv as TianshouEnv
from torchrl.envs import GymWrapper, PettingZooWrapper
from torchrl.envs.utils import check_env_specs

from rummikub_env import rummikub_v0
from rummikub_env.envs.adapters import InfosWithoutMasks

MINI = {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10}


def make(**arguments):
    return gymnasium.make("Rummikub-v0", overrides=MINI, **arguments)


@pytest.mark.parametrize("mask_in_observation", [True, False])
@pytest.mark.parametrize("check", [check_gymnasium, check_sb3])
def test_checkers_find_nothing(check, mask_in_observation):
    env = make(mask_in_observation=mask_in_observation).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(env)


def test_sb3_finds_the_masks_behind_its_wrappers():
    envs = DummyVecEnv([make, make])
    envs.reset()
    masks = np.stack(envs.env_method("action_masks"))
    assert masks.shape == (2, envs.action_space.n)
    assert masks.any(axis=1).all()


def test_the_specs_of_torchrl():
    check_env_specs(GymWrapper(make(), categorical_action_encoding=True))


def test_a_game_at_the_table_in_tianshou():
    env, rng = TianshouEnv(rummikub_v0.env(num_players=3, overrides=MINI)), np.random.default_rng(0)
    seen, _ = env.reset(seed=0)
    over = False
    while not over:
        seen, rewards, over, _, info = env.step(rng.choice(np.flatnonzero(seen["mask"])))
        assert info["illegal"] == 0
    assert sorted(rewards) == [-0.5, -0.5, 1]


def test_a_game_at_the_table_in_torchrl():
    torch.manual_seed(0)
    table = rummikub_v0.env(num_players=3, overrides=MINI)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of any PettingZoo but 1.24.3
        env = PettingZooWrapper(InfosWithoutMasks(table), use_mask=True)
    shown = env.rollout(500)
    assert shown["next", "done"][-1].all()
    assert not any(info["illegal"] for info in table.infos.values())
    assert sorted(shown["next", agent, "reward"].sum().item() for agent in table.possible_agents) == [-0.5, -0.5, 1]


def test_a_game_at_the_table_in_rllib():
    env, rng = RllibEnv(rummikub_v0.env(num_players=3, overrides=MINI)), np.random.default_rng(0)
    seen, _ = env.reset(seed=0)
    total, over = dict.fromkeys(env.possible_agents, 0.0), False
    while not over:
        ((agent, shown),) = seen.items()
        action = rng.choice(np.flatnonzero(shown["action_mask"]))
        seen, rewards, ended, _, _ = env.step({agent: action})
        over = ended["__all__"]
        for agent, reward in rewards.items():
            total[agent] += reward
    assert sorted(total.values()) == [-0.5, -0.5, 1]
