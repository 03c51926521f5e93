"""PPO of RLlib, with the module of its action-masking example, which wants the key ``observations``.

``python examples/rllib_ppo.py``
"""

from typing import Any

import gymnasium
import numpy as np
import torch
from mini import Act, Curve, arguments, make
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from rummikub_env.envs.adapters import Renamed

LIBRARY = "ray"


def adapted(config: Any = None) -> gymnasium.Env:
    """The env under the names of that module."""
    return Renamed(make(), observation="observations")


def acting(module: RLModule) -> Act:
    """The likeliest action."""

    @torch.inference_mode()
    def act(seen: np.ndarray, mask: np.ndarray) -> int:
        shown = {"observations": torch.from_numpy(seen)[None], "action_mask": torch.from_numpy(mask)[None]}
        return int(module.forward_inference({"obs": shown})["action_dist_inputs"].argmax())

    return act


def main() -> None:
    """Train, and write the curve."""
    told = arguments(LIBRARY, 20_000)
    register_env("mini", adapted)
    config = (
        PPOConfig()
        .environment("mini", disable_env_checking=True)  # its check plays without the mask
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4)
        .learners(num_learners=0)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        .training(gamma=1.0, lr=3e-4, train_batch_size=2_000, minibatch_size=250, num_epochs=6)
        .debugging(seed=told.seed)
    )
    algorithm = config.build_algo()
    curve, steps = Curve(LIBRARY, told), 0
    while curve.goes_on(steps, acting(algorithm.get_module())):
        steps = int(algorithm.train()["num_env_steps_sampled_lifetime"])
    algorithm.stop()


if __name__ == "__main__":
    main()
