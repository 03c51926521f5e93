"""PPO of TorchRL: its wrapper finds ``observation`` and ``action_mask`` by name; the mask only has to become bool.

``python examples/torchrl_ppo.py``
"""

import numpy as np
import torch
from mini import Act, Curve, arguments, make
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

LIBRARY = "torchrl"
FRAMES, EPOCHS, MINIBATCH = 2_000, 6, 250


def network(inputs: int, outputs: int) -> nn.Module:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


def acting(actor: ProbabilisticActor) -> Act:
    """The likeliest action."""

    @torch.inference_mode()
    def act(seen: np.ndarray, mask: np.ndarray) -> int:
        shown = TensorDict({"observation": torch.from_numpy(seen), "action_mask": torch.from_numpy(mask)})
        return int(actor.get_dist(shown).mode)

    return act


def main() -> None:
    """Train, and write the curve."""
    told = arguments(LIBRARY, 10_000)
    torch.manual_seed(told.seed)
    as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    env = TransformedEnv(GymWrapper(make(), categorical_action_encoding=True), as_bool)
    env.set_seed(told.seed)
    inputs, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    actor = ProbabilisticActor(
        TensorDictModule(network(inputs, actions), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(inputs, 1), in_keys=["observation"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True)
    loss_of = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_bonus=False, critic_coeff=0.5)
    optimizer = torch.optim.Adam(loss_of.parameters(), 3e-4)
    curve, steps = Curve(LIBRARY, told), 0
    batches = iter(
        Collector(env, actor, frames_per_batch=FRAMES, total_frames=-1, auto_register_policy_transforms=True)
    )
    while curve.goes_on(steps, acting(actor)):
        batch = next(batches)
        with torch.no_grad():
            batch = advantage(batch)
        for _ in range(EPOCHS):
            for rows in torch.randperm(FRAMES).split(MINIBATCH):
                losses = loss_of(batch[rows])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"]).backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimizer.step()
        steps += FRAMES


if __name__ == "__main__":
    main()
