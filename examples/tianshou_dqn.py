"""Double DQN of Tianshou, which reads a mask where the observation is ``{"obs": ..., "mask": ...}``.

``python examples/tianshou_dqn.py``
"""

import gymnasium
import numpy as np
import torch
from mini import Act, Curve, arguments, make
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from rummikub_env.envs.adapters import Renamed

LIBRARY = "tianshou"
ENVS, COLLECT = 8, 200
EXPLORING = 0.6
"""The part of the steps in which the share of random actions goes from all to few."""


def adapted() -> gymnasium.Env:
    """The env under Tianshou's names."""
    return Renamed(make(), observation="obs", action_mask="mask")


def acting(policy: DiscreteQLearningPolicy) -> Act:
    """The legal action of the highest value."""

    def act(seen: np.ndarray, mask: np.ndarray) -> int:
        batch = Batch(obs=Batch(obs=seen[None], mask=mask[None]), info=Batch())
        with torch.inference_mode():
            return int(policy(batch).act[0])

    return act


def main() -> None:
    """Train, and write the curve."""
    told = arguments(LIBRARY, 10_000)
    np.random.seed(told.seed)  # noqa: NPY002 - Tianshou explores by it
    torch.manual_seed(told.seed)
    space, actions = adapted().observation_space["obs"], adapted().action_space
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[128, 128]), action_space=actions
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=8,
        target_update_freq=100,
    )
    envs = DummyVectorEnv([adapted for _ in range(ENVS)])
    envs.seed(told.seed)
    collector = Collector(algorithm, envs, VectorReplayBuffer(50_000, ENVS), exploration_noise=True)
    collector.reset()
    curve, steps = Curve(LIBRARY, told), 0
    while curve.goes_on(steps, acting(policy)):
        policy.set_eps_training(max(0.05, 1 - steps / (EXPLORING * told.steps)))
        with policy_within_training_step(policy):
            steps += collector.collect(n_step=COLLECT).n_collected_steps
            for _ in range(COLLECT // 10):
                algorithm.update(collector.buffer, sample_size=128)


if __name__ == "__main__":
    main()
