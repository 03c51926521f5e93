"""A network learns from labels: the differences to the first candidate, and how often each candidate wins."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.student.config import FitConfig
from agents.student.features import inputs_of
from agents.student.labels import SHARE, Label
from agents.student.network import Shape, answers, new_weights
from rummikub_env.tiles import TileSet


class Batch(NamedTuple):
    """Some labels, a row for each candidate."""

    planes: Tensor
    numbers: Tensor
    first: Tensor
    """(n,) int64: the row of the first candidate of the same decision."""
    gains: Tensor
    """(n,) float32: mean difference to the first one."""
    wins: Tensor
    """(n,) float32: share of the worlds that were won."""
    weight: Tensor
    """(n,) float32: worlds over those of the mean label, for rows that are not the first; else 0.

    The number of worlds says how sure a difference is. Its own standard error does so too, but worse: in a few worlds
    it is small where by chance nothing differed, which would draw all gains to 0.
    """


def batch_of(tiles: TileSet, labels: Sequence[Label]) -> Batch:
    """The labels as tensors."""
    inputs = inputs_of(tiles, [label.choice for label in labels])
    sizes = [len(label.wins) for label in labels]
    first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)
    worlds = np.repeat([label.wins.shape[1] for label in labels], sizes)
    wins = np.concatenate([label.wins.mean(axis=1) / SHARE for label in labels])
    weight = worlds / worlds.mean() * (first != np.arange(len(first)))
    rows = [wins - wins[first], wins, weight]
    return Batch(*map(torch.from_numpy, (*inputs, first)), *(torch.tensor(row, dtype=torch.float32) for row in rows))


def losses(weights: dict[str, Tensor], batch: Batch) -> tuple[Tensor, Tensor]:
    """The weighted mean squared error of the gains, and the cross entropy of the wins in nats.

    Labels of a single candidate have no gains, and are learned by their wins alone.
    """
    scores, logits = answers(torch, weights, batch.planes, batch.numbers)
    errors = scores - scores[batch.first] - batch.gains
    of_gains = (batch.weight * errors**2).sum() / batch.weight.sum().clamp(min=1e-9)
    return of_gains, torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.wins)


def fit(
    tiles: TileSet, labels: Sequence[Label], config: FitConfig, seed: int
) -> Iterator[dict[str, NDArray[np.float32]]]:
    """The averaged weights after each epoch of learning from scratch; equal for equal arguments."""
    rng = np.random.default_rng(seed)
    shape = Shape(config.channels, config.blocks, tuple(config.hidden))
    weights = {name: torch.tensor(array, requires_grad=True) for name, array in new_weights(shape, rng).items()}
    mean = {name: weight.detach().clone() for name, weight in weights.items()}
    steps = config.epochs * -(-len(labels) // config.batch)
    optimizer = torch.optim.AdamW(weights.values(), config.learning_rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    scale = 4 * np.mean([label.wins.shape[1] for label in labels])  # then an error of pure luck is about 1
    for _ in range(config.epochs):
        order = rng.permutation(len(labels))
        for part in np.array_split(order, -(-len(labels) // config.batch)):
            of_gains, of_wins = losses(weights, batch_of(tiles, [labels[i] for i in part]))
            optimizer.zero_grad()
            (scale * of_gains + config.value_coef * of_wins).backward()
            optimizer.step()
            schedule.step()
            for name, weight in weights.items():
                mean[name].lerp_(weight.detach(), 1 - config.ema)
        yield {name: weight.numpy().copy() for name, weight in mean.items()}
