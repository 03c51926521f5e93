"""The student learns from labels: the differences to the first candidate, and how often each candidate wins."""

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
from agents.student.player import preferred
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
    """The weighted mean squared error of the gains, and the cross entropy of the wins in nats."""
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


def measure(
    tiles: TileSet, labels: Sequence[Label], weights: dict[str, NDArray[np.float32]], guard: float
) -> dict[str, float]:
    """What the student would make of labels that it has not learned from, and what the labels themselves would.

    explained: share of the variance of the gains that the scores explain; most of the rest is luck. advantage, and its
    error: wins a decision beyond the first candidate. draws: share of the decisions in which it does not play.
    teacher: the advantage of who chooses by one half of the worlds, judged by the other.
    """
    batch = batch_of(tiles, labels)
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    with torch.no_grad():
        of_gains, of_wins = map(float, losses(tensors, batch))
        scores = answers(torch, tensors, batch.planes, batch.numbers).scores.numpy()
    cuts = np.cumsum([len(label.wins) for label in labels])[:-1]
    picks = [preferred(part, guard) for part in np.split(scores, cuts)]
    advantages = np.array([label.gains[pick] for label, pick in zip(labels, picks, strict=True)])
    draws = [not label.choice.counts[pick].any() for label, pick in zip(labels, picks, strict=True)]
    variance = float((batch.weight * batch.gains**2).sum() / batch.weight.sum())
    return {
        "explained": 1 - of_gains / variance,
        "value_loss": of_wins,
        "advantage": float(advantages.mean()),
        "advantage_error": float(advantages.std() / len(labels) ** 0.5),
        "deviations": float(np.mean(np.array(picks) > 0)),
        "draws": float(np.mean(draws)),
        "teacher": float(np.mean([_crossed(label) for label in labels])),
    }


def _crossed(label: Label) -> float:
    """The gain of the candidate that wins most in one half of the worlds, in the other half; the mean of both ways."""
    halves = [part.mean(axis=1) / SHARE for part in np.array_split(label.wins, 2, axis=1)]
    return float(np.mean([there[here.argmax()] - there[0] for here, there in (halves, halves[::-1])]))
