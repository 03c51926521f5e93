"""PPO in one file, in the style of CleanRL: PyTorch and a vector env of Gymnasium, nothing else.

``python examples/cleanrl_ppo.py``
"""

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from mini import GAME, Act, Counted, Curve, arguments
from torch import nn
from torch.distributions import Categorical
from torch.nn.functional import mse_loss

LIBRARY = "cleanrl"
ENVS, STEPS, EPOCHS, MINIBATCH = 8, 256, 4, 256
LEARNING_RATE, LAMBDA, CLIP, ENTROPY = 3e-4, 0.95, 0.2, 0.0  # no discount: a game has an end


class Agent(nn.Module):
    """A policy over the legal actions, and a value."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)
        nn.init.zeros_(self.actor.weight)  # at first any legal action is as likely as any other

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """From (b, inputs) and (b, actions) bool to a distribution that gives illegal actions no chance, and (b,)."""
        hidden = self.body(seen)
        logits = self.actor(hidden).masked_fill(~mask, torch.finfo(torch.float32).min)
        return Categorical(logits=logits), self.critic(hidden).squeeze(-1)


def acting(agent: Agent) -> Act:
    """The likeliest action."""

    @torch.inference_mode()
    def act(seen: np.ndarray, mask: np.ndarray) -> int:
        return int(agent(torch.from_numpy(seen)[None], torch.from_numpy(mask)[None])[0].probs.argmax())

    return act


def advantages(rewards: torch.Tensor, values: torch.Tensor, dones: torch.Tensor) -> torch.Tensor:
    """Generalised advantages, (t, envs), of rewards and ends, (t, envs), and of values, (t + 1, envs)."""
    result, running = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
    for t in range(len(rewards) - 1, -1, -1):
        goes_on = 1 - dones[t]
        running = rewards[t] + goes_on * (values[t + 1] + LAMBDA * running) - values[t]
        result[t] = running
    return result


def main() -> None:
    """Train, and write the curve."""
    told = arguments(LIBRARY, 20_000)
    torch.manual_seed(told.seed)
    # in the same step: by Gymnasium's default a reset takes a step of its own, whose mask allows nothing
    envs = gymnasium.make_vec(
        "Rummikub-v0", ENVS, "sync", {"autoreset_mode": AutoresetMode.SAME_STEP}, (Counted,), **GAME
    )
    space = envs.single_observation_space
    agent = Agent(space["observation"].shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE, eps=1e-5)
    curve, steps = Curve(LIBRARY, told), 0

    seen, mask = (
        torch.zeros(STEPS, ENVS, *space["observation"].shape),
        torch.zeros(STEPS, ENVS, agent.actor.out_features),
    )
    actions, log_probs, rewards, dones = (torch.zeros(STEPS, ENVS) for _ in range(4))
    values = torch.zeros(STEPS + 1, ENVS)
    shown, _ = envs.reset(seed=told.seed)
    while curve.goes_on(steps, acting(agent)):
        for t in range(STEPS):
            seen[t], mask[t] = torch.from_numpy(shown["observation"]), torch.from_numpy(shown["action_mask"])
            with torch.no_grad():
                policy, values[t] = agent(seen[t], mask[t] > 0)
                actions[t] = policy.sample()
                log_probs[t] = policy.log_prob(actions[t])
            shown, reward, done, _, _ = envs.step(actions[t].numpy().astype(int))
            rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(done)
        with torch.no_grad():
            values[STEPS] = agent(torch.from_numpy(shown["observation"]), torch.from_numpy(shown["action_mask"]) > 0)[1]
        gained = advantages(rewards, values, dones)
        returns = gained + values[:-1]
        batch = [part.flatten(0, 1) for part in (seen, mask, actions, log_probs, gained, returns)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(STEPS * ENVS).split(MINIBATCH):
                s, m, a, old, gain, target = (part[rows] for part in batch)
                policy, value = agent(s, m > 0)
                ratio = (policy.log_prob(a) - old).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)
                loss = -clipped.mean() + 0.5 * mse_loss(value, target) - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        steps += STEPS * ENVS


if __name__ == "__main__":
    main()
