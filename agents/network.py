"""The actor-critic: one network for every seat, over an observation vector and an action mask.

Masking follows three rules that published masked-PPO code got wrong at least once: logits stay
float32, illegal ones become -1e9 *before* the log-softmax (minus infinity breeds NaN), and entropy is
summed over legal actions only.

A network can diverge: then its outputs are no numbers, or its logits are so low that illegal actions would be
likelier. Logits are therefore kept within bounds that no useful policy comes near.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

ILLEGAL = -1e9
"""The logit of an illegal action: its probability underflows to exactly 0 in float32."""

MOST = 1e8
"""Bound of a legal action's logit, up and down: always above `ILLEGAL` by far."""


class DivergenceError(ArithmeticError):
    """The network gives something else than numbers."""


class Actor(nn.Sequential):
    """A policy: an MLP over the observation and the mask."""

    def log_probs(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Log-probabilities of the actions, (..., num_actions), about -1e9 where illegal.

        observations (..., observation_size) float32, masks (..., num_actions) bool with a legal action in each row.
        """
        return masked_log_softmax(self(torch.cat((observations, masks.float()), -1)), masks)


class ActorCritic(nn.Module):
    """A policy and a value, each an MLP of its own over what it sees and the mask.

    The mask is an input too: what can be played now says much that counts of tiles do not. The two share
    no layer: the value's targets are almost all luck (nobody can explain more than a few per cent of a
    Rummikub result from one rack), and its gradient would drown the policy's.

    A *state* is an observation, and what else the value sees behind it: nothing, or the racks of the others.
    """

    def __init__(
        self,
        observation_size: int,
        num_actions: int,
        hidden: Sequence[int] = (256, 256),
        end_logit: float = 0.0,
        state_size: int | None = None,
    ) -> None:
        """`end_logit`: initial logit of the last action, which ends a turn; below 0 = rather play on.

        `state_size`: the length of a state; None = the value sees the observation.
        """
        super().__init__()
        self.observation_size, self.state_size = observation_size, state_size or observation_size
        self.policy = actor(observation_size, num_actions, hidden)
        self.value = nn.Sequential(*layers(self.state_size + num_actions, hidden, 1, output_gain=0.1))
        with torch.no_grad():
            _output_bias(self.policy)[-1] = end_logit

    def forward(self, states: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions and the value of the position, for the seat that observes.

        states (..., state_size) float32, masks (..., num_actions) bool with a legal action
        in each row -> log-probabilities (..., num_actions), about -1e9 where illegal; values (...).
        """
        log_probs = self.policy.log_probs(states[..., : self.observation_size], masks)
        return log_probs, self.value(torch.cat((states, masks.float()), -1)).squeeze(-1)


def masked_log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities (..., n) of a policy that never takes an illegal action."""
    return torch.where(masks, logits.float().clamp(-MOST, MOST), ILLEGAL).log_softmax(-1)


def entropy(log_probs: Tensor, masks: Tensor) -> Tensor:
    """Entropy (...) in nats over the legal actions; at most the logarithm of their number."""
    return -torch.where(masks, log_probs.exp() * log_probs, 0.0).sum(-1)


def divergence(log_probs: Tensor, others: Tensor, masks: Tensor) -> Tensor:
    """KL(p || q) (...) in nats over the legal actions, of two tables of log-probabilities; 0 where they are equal."""
    return torch.where(masks, log_probs.exp() * (log_probs - others), 0.0).sum(-1)


def actor(observation_size: int, num_actions: int, hidden: Sequence[int]) -> Actor:
    """An untrained policy, nearly uniform."""
    return Actor(*layers(observation_size + num_actions, hidden, num_actions, output_gain=0.01))


def layers(inputs: int, hidden: Sequence[int], outputs: int, output_gain: float) -> list[nn.Module]:
    """Linear layers with ReLU between them, orthogonal weights and zero biases."""
    sizes = [inputs, *hidden]
    made: list[nn.Module] = []
    for width_in, width_out in pairwise(sizes):
        made += [_orthogonal(nn.Linear(width_in, width_out), math.sqrt(2.0)), nn.ReLU()]
    return [*made, _orthogonal(nn.Linear(sizes[-1], outputs), output_gain)]


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _output_bias(network: nn.Sequential) -> Tensor:
    layer = network[-1]
    assert isinstance(layer, nn.Linear)
    return layer.bias
