"""Clipped PPO on decisions that had a choice: loss, one update, learning-rate schedule."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.learning.config import PPOConfig
from agents.learning.gae import OPEN, advantages
from agents.learning.rollout import Decisions
from agents.network import Actor, ActorCritic, DivergenceError, divergence, entropy


@dataclass(frozen=True, slots=True)
class Samples:
    """What an update learns from; N decisions."""

    observations: Tensor  # (N, state_size) float32, see ActorCritic
    masks: Tensor  # (N, num_actions) bool
    actions: Tensor  # (N,) int64
    log_probs: Tensor  # (N,) float32: of the action, when it was taken
    values: Tensor  # (N,) float32: estimated when the action was taken
    advantages: Tensor  # (N,) float32
    returns: Tensor  # (N,) float32: the value's targets

    def __len__(self) -> int:
        """N."""
        return len(self.actions)

    def __getitem__(self, rows: Tensor) -> "Samples":
        """The samples at `rows`."""
        return Samples(*(getattr(self, field.name)[rows] for field in fields(self)))


def samples(parts: list[Decisions], config: PPOConfig) -> Samples:
    """The closed decisions of several collectors with their advantages and returns.

    A return is advantage + value, that is the TD(lambda) return.
    """
    gains = [
        advantages(p.rewards, p.values, p.successors, gamma=config.gamma, gae_lambda=config.gae_lambda) for p in parts
    ]
    closed = [p.successors != OPEN for p in parts]

    def joined(arrays: list[NDArray[np.generic]]) -> Tensor:
        return torch.from_numpy(np.concatenate([a[keep] for a, keep in zip(arrays, closed, strict=True)]))

    gain, value = joined([*gains]), joined([p.values for p in parts])
    return Samples(
        observations=joined([p.observations for p in parts]),
        masks=joined([p.masks for p in parts]),
        actions=joined([p.actions for p in parts]),
        log_probs=joined([p.log_probs for p in parts]),
        values=value,
        advantages=gain,
        returns=gain + value,
    )


@dataclass(frozen=True)
class Anchor:
    """A policy that learning does not go far from."""

    policy: Actor
    coef: float
    """Weight of the divergence from it."""


def loss(
    network: ActorCritic, batch: Samples, config: PPOConfig, anchor: Anchor | None = None
) -> tuple[Tensor, dict[str, float]]:
    """Policy loss + value loss - entropy bonus + divergence from the anchor (a scalar to minimise), and what to log.

    The divergence is KL(policy || anchor): it forbids what the anchor never does, and lets the policy choose among
    what it does. The other direction would keep all habits of the anchor alive.
    """
    log_probs, values = network(batch.observations, batch.masks)
    log_ratio = log_probs.gather(1, batch.actions[:, None]).squeeze(1) - batch.log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
    value_loss = loss_of_values(values, batch)
    mean_entropy = entropy(log_probs, batch.masks).mean()
    with torch.no_grad():
        stats = {
            "policy_loss": policy_loss.item(),
            "value_loss": value_loss.item(),
            "entropy": mean_entropy.item(),
            "approx_kl": (ratio - 1 - log_ratio).mean().item(),  # http://joschu.net/blog/kl-approx.html
            "clip_fraction": ((ratio - 1).abs() > config.clip).float().mean().item(),
        }
    total = policy_loss + config.value_coef * value_loss - config.entropy_coef * mean_entropy
    if anchor is not None:
        with torch.no_grad():
            others = anchor.policy.log_probs(batch.observations[:, : network.observation_size], batch.masks)
        far = divergence(log_probs, others, batch.masks).mean()
        total = total + anchor.coef * far
        stats |= {"anchor_kl": far.item(), "anchor_coef": anchor.coef}
    return total, stats


def loss_of_values(values: Tensor, batch: Samples) -> Tensor:
    """Half the mean squared error of the values, a scalar."""
    return 0.5 * (values - batch.returns).square().mean()


def update(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    data: Samples,
    config: PPOConfig,
    rng: np.random.Generator,
    anchor: Anchor | None = None,
) -> dict[str, float]:
    """An update of PPO: `descend` on its loss.

    Advantages are normalised over the whole update: a minibatch of one game's end would distort them.
    """
    spread = data.advantages.std().clamp_min(1e-8)
    normal = replace(data, advantages=(data.advantages - data.advantages.mean()) / spread)
    return descend(
        network,
        optimizer,
        normal,
        partial(loss, config=config, anchor=anchor),
        rng,
        epochs=config.epochs,
        minibatch=config.minibatch,
        max_grad_norm=config.max_grad_norm,
    )


def descend(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    data: Samples,
    loss_of: Callable[[ActorCritic, Samples], tuple[Tensor, dict[str, float]]],
    rng: np.random.Generator,
    *,
    epochs: int,
    minibatch: int,
    max_grad_norm: float,
) -> dict[str, float]:
    """Several epochs of minibatch steps on `data`; network and optimizer change. Returns mean statistics.

    `DivergenceError` when the network is of no use afterwards.
    """
    logged: list[dict[str, float]] = []
    for _ in range(epochs):
        order = torch.from_numpy(rng.permutation(len(data)))
        for start in range(0, len(data), minibatch):
            total, stats = loss_of(network, data[order[start : start + minibatch]])
            optimizer.zero_grad()
            total.backward()  # type: ignore[no-untyped-call]  # torch has no type for it
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), max_grad_norm)
            optimizer.step()
            logged.append({**stats, "grad_norm": norm.item()})
    _check_sound(network, data[torch.arange(min(len(data), minibatch))])
    means = {name: float(np.mean([entry[name] for entry in logged])) for name in logged[0]}
    return {**means, "explained_variance": explained_variance(data.values, data.returns)}


@torch.no_grad()
def _check_sound(network: ActorCritic, batch: Samples) -> None:
    """Raise `DivergenceError` unless weights and outputs are finite numbers."""
    outputs = network(batch.observations, batch.masks)
    if not all(numbers.isfinite().all() for numbers in (*network.parameters(), *outputs)):
        raise DivergenceError("the training has diverged: try a smaller --ppo.learning_rate")


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """The share of the returns' variance that the values explain: 1 perfect, 0 no better than the mean."""
    return 1 - float((returns - values).var() / returns.var().clamp_min(1e-8))


def learning_rate(config: PPOConfig, done: float) -> float:
    """The learning rate when a share `done` (0-1) of the updates has been made."""
    return _between(config.learning_rate, config.final_learning_rate, done)


def anchor_coef(config: PPOConfig, done: float) -> float:
    """The weight of the divergence from the anchor, as `learning_rate`."""
    return _between(config.kl_coef, config.final_kl_coef, done)


def _between(start: float, end: float, done: float) -> float:
    return float(start) + min(done, 1.0) * (float(end) - float(start))


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Let the optimizer's next steps use `rate`."""
    for group in optimizer.param_groups:
        group["lr"] = rate
