"""The student's network: what each candidate of a turn is worth, as one function for NumPy and PyTorch alike.

Every tile sees its neighbours in its colour, and the mean and the maximum of its value over the colours: all that runs
and groups are made of. The same weights serve all colours and values, so permuted colours change nothing, by
construction, and a rack learned in one place is known in the others.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.student.features import FACTS, NUMBERS, PLANES

Weights = Mapping[str, Any]
"""Arrays, or tensors, by name."""


class Shape(NamedTuple):
    """How large the network is."""

    channels: int = 32
    blocks: int = 2
    hidden: tuple[int, ...] = (128, 64)


class Answers(NamedTuple):
    """What the network says of n candidates, as arrays or tensors (n,)."""

    scores: Any
    """The difference of two is how much more often the one wins than the other."""
    logits: Any
    """Of the probability to win."""


def new_weights(shape: Shape, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Weights to begin with; all scores are small."""
    weights: dict[str, NDArray[np.float32]] = {}

    def layer(name: str, inputs: int, outputs: int, gain: float = 2**0.5) -> None:
        weights[name] = (gain / inputs**0.5 * rng.standard_normal((inputs, outputs))).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(outputs, np.float32)

    layer("first", 3 * PLANES, shape.channels)
    for block in range(shape.blocks):
        layer(f"block{block}", 5 * shape.channels, shape.channels)
    sizes = (2 * shape.channels + NUMBERS + FACTS, *shape.hidden)
    for i, (inputs, outputs) in enumerate(pairwise(sizes)):
        layer(f"hidden{i}", inputs, outputs)
    layer("last", sizes[-1], 2, gain=0.1)
    return weights


def answers(xp: Any, weights: Weights, planes: Any, numbers: Any) -> Answers:
    """What a network says of `Inputs`; `xp` is numpy or torch, of which the weights and the inputs are."""
    x = _relu(_layer(weights, "first", _near(xp, planes)))
    for block in _names(weights, "block"):
        same_value = xp.concatenate((x.mean(1, keepdims=True), xp.amax(x, 1, keepdims=True)), 3)
        same_value = xp.broadcast_to(same_value, (*x.shape[:3], same_value.shape[3]))
        x = x + _relu(_layer(weights, block, xp.concatenate((_near(xp, x), same_value), 3)))
    y = xp.concatenate((x.mean((1, 2)), xp.amax(x, (1, 2)), numbers), 1)
    for hidden in _names(weights, "hidden"):
        y = _relu(_layer(weights, hidden, y))
    y = _layer(weights, "last", y)
    return Answers(y[:, 0], y[:, 1])


def _near(xp: Any, x: Any) -> Any:
    """(n, colours, values, f) -> (n, colours, values, 3 f): each tile with those below and above; 0 beyond the ends."""
    nothing = xp.zeros_like(x[:, :, :1])
    below = xp.concatenate((nothing, x[:, :, :-1]), 2)
    above = xp.concatenate((x[:, :, 1:], nothing), 2)
    return xp.concatenate((below, x, above), 3)


def _layer(weights: Weights, name: str, x: Any) -> Any:
    return x @ weights[name] + weights[f"{name}.bias"]


def _relu(x: Any) -> Any:
    return x * (x > 0)


def _names(weights: Weights, kind: str) -> Sequence[str]:
    """The layers of a kind, in their order."""
    number = sum(name.startswith(kind) and not name.endswith(".bias") for name in weights)
    return [f"{kind}{i}" for i in range(number)]
