"""Imitation: the policy learns what a teacher did, the value what came of it."""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from agents.learning.config import Config
from agents.learning.ppo import Samples, descend, loss_of_values
from agents.network import ActorCritic


def loss(network: ActorCritic, batch: Samples, value_coef: float) -> tuple[Tensor, dict[str, float]]:
    """Cross entropy of the actions (nats) + value loss (a scalar to minimise), and what to log about it.

    The cross entropy is over legal actions only, as the policy is.
    """
    log_probs, values = network(batch.observations, batch.masks)
    cross_entropy = -log_probs.gather(1, batch.actions[:, None]).mean()
    value_loss = loss_of_values(values, batch)
    stats = {
        "cross_entropy": cross_entropy.item(),
        "agreement": (log_probs.argmax(1) == batch.actions).float().mean().item(),
        "value_loss": value_loss.item(),
    }
    return cross_entropy + value_coef * value_loss, stats


def imitate(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    data: Samples,
    config: Config,
    rng: np.random.Generator,
) -> dict[str, float]:
    """An update from the decisions of a teacher: `descend` on the loss."""
    return descend(
        network,
        optimizer,
        data,
        partial(loss, value_coef=config.ppo.value_coef),
        rng,
        epochs=config.teacher.epochs,
        minibatch=config.teacher.minibatch,
        max_grad_norm=config.ppo.max_grad_norm,
    )
