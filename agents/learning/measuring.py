"""What was learned, measured on labels that were not learned from."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from agents.learning.fitting import batch_of, losses
from agents.student.features import TURN
from agents.student.labels import SHARE, Label
from agents.student.network import answers
from agents.student.player import preferred
from rummikub_env.tiles import TileSet

CHUNK = 1024
"""Labels that the network sees at once; more would fill the memory."""


def measure_gains(
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


def measure_wins(
    tiles: TileSet, labels: Sequence[Label], learned: Sequence[Label], weights: Mapping[str, NDArray[np.float32]]
) -> dict[str, float]:
    """How well the network tells who wins after turns that it has not learned from, and after some that it has.

    told: share of the variance of the wins that it explains; told_early, told_late: the same of the quarter of the
    turns with the lowest and with the highest number. value_loss: cross entropy in nats. told_learned,
    value_loss_learned: the same of labels that it learned from; what they are better by does not carry over.
    """
    logits, wins = _foretold(tiles, labels, weights)
    turns = np.array([label.choice.facts[TURN] for label in labels])
    first, last = np.quantile(turns, [0.25, 0.75])
    known_logits, known_wins = _foretold(tiles, learned, weights)
    return {
        "told": _explained(logits, wins),
        "told_early": _explained(logits[turns <= first], wins[turns <= first]),
        "told_late": _explained(logits[turns >= last], wins[turns >= last]),
        "told_learned": _explained(known_logits, known_wins),
        "value_loss": float(binary_cross_entropy_with_logits(logits, wins)),
        "value_loss_learned": float(binary_cross_entropy_with_logits(known_logits, known_wins)),
    }


def _foretold(
    tiles: TileSet, labels: Sequence[Label], weights: Mapping[str, NDArray[np.float32]]
) -> tuple[Tensor, Tensor]:
    """What the network says of the candidates of all labels, as logits, and what they won, both (n,) float32."""
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    logits, wins = [], []
    with torch.no_grad():
        for i in range(0, len(labels), CHUNK):
            batch = batch_of(tiles, labels[i : i + CHUNK])
            logits.append(answers(torch, tensors, batch.planes, batch.numbers).logits)
            wins.append(batch.wins)
    return torch.cat(logits), torch.cat(wins)


def _explained(logits: Tensor, wins: Tensor) -> float:
    """The share of the variance of wins that the logits explain; below 0 where their mean would be nearer."""
    return 1 - float(((logits.sigmoid() - wins) ** 2).mean() / wins.var(correction=0))
