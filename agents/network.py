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


class ActorCritic(nn.Module):
    """A policy and a value, each an MLP of its own over the observation and the mask.

    The mask is an input too: what can be played now says much that counts of tiles do not. The two share
    no layer: the value's targets are almost all luck (nobody can explain more than a few per cent of a
    Rummikub result from one rack), and its gradient would drown the policy's.
    """

    def __init__(
        self,
        observation_size: int,
        num_actions: int,
        hidden: Sequence[int] = (256, 256),
        end_logit: float = 0.0,
    ) -> None:
        """`end_logit`: initial logit of the last action, which ends a turn; below 0 = rather play on."""
        super().__init__()
        self.policy = mlp(observation_size + num_actions, hidden, num_actions, output_gain=0.01)
        self.value = mlp(observation_size + num_actions, hidden, 1, output_gain=0.1)
        with torch.no_grad():
            _output_bias(self.policy)[-1] = end_logit

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the actions and the value of the position, for the seat that observes.

        observations (..., observation_size) float32, masks (..., num_actions) bool with a legal action
        in each row -> log-probabilities (..., num_actions), about -1e9 where illegal; values (...).
        """
        inputs = torch.cat((observations, masks.float()), -1)
        return masked_log_softmax(self.policy(inputs), masks), self.value(inputs).squeeze(-1)

    def log_probs(self, observations: Tensor, masks: Tensor) -> Tensor:
        """The first half of `forward`: all that playing needs."""
        return masked_log_softmax(self.policy(torch.cat((observations, masks.float()), -1)), masks)


def masked_log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities (..., n) of a policy that never takes an illegal action."""
    return torch.where(masks, logits.float().clamp(-MOST, MOST), ILLEGAL).log_softmax(-1)


def entropy(log_probs: Tensor, masks: Tensor) -> Tensor:
    """Entropy (...) in nats over the legal actions; at most the logarithm of their number."""
    return -torch.where(masks, log_probs.exp() * log_probs, 0.0).sum(-1)


def mlp(inputs: int, hidden: Sequence[int], outputs: int, output_gain: float) -> nn.Sequential:
    """Linear layers with ReLU between them, orthogonal weights and zero biases."""
    sizes = [inputs, *hidden]
    layers: list[nn.Module] = []
    for width_in, width_out in pairwise(sizes):
        layers += [_orthogonal(nn.Linear(width_in, width_out), math.sqrt(2.0)), nn.ReLU()]
    return nn.Sequential(*layers, _orthogonal(nn.Linear(sizes[-1], outputs), output_gain))


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def _output_bias(network: nn.Sequential) -> Tensor:
    layer = network[-1]
    assert isinstance(layer, nn.Linear)
    return layer.bias
