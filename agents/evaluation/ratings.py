"""Strengths of players from all their games, on the scale of Elo.

Bradley and Terry: a seat wins with a chance in proportion to the strength of its player, so k seats of strength a
among n - k of strength b win with k a / (k a + (n - k) b). The strengths are those that make the results most likely;
each cell of results counts one more game, shared as by equal players, so that who never wins has a rating, too. 400
points are a factor of ten: 100 points more win 64% of the games of two.

The intervals are a bootstrap over *deals*: all pairs play the same ones, so a deal is drawn for all of them at once.
The model says that one number tells all of a player; what it leaves unexplained stands beside it (`unexplained`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from agents.evaluation.stats import CONFIDENCE, Interval

ELO = 400 / math.log(10)
"""Points that make a factor of e."""


@dataclass(frozen=True, eq=False)
class Cell:
    """All games of two players in which they have so many seats."""

    first: str
    second: str
    seats: tuple[int, int]
    """Seats of the first and of the second player."""
    wins: NDArray[np.float64]
    """(deals,): games of each deal that the first player won."""
    games: int
    """Games of a deal."""


@dataclass(frozen=True)
class Rating:
    """How strong a player is."""

    name: str
    points: Interval
    """Points above the anchor, with the interval of the bootstrap."""


def ratings(cells: Sequence[Cell], anchor: str, samples: int = 1000, seed: int = 0) -> list[Rating]:
    """The players of these cells, the strongest first; `anchor` has 0 points by definition.

    The cells are over the same deals. samples: of the bootstrap, drawn from `seed`. ValueError where the anchor does
    not play.
    """
    names = players_of(cells)
    if anchor not in names:
        raise ValueError(f"the anchor {anchor!r} does not play; there are: {', '.join(names)}")
    deals = cells[0].wins.size
    drawn = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), samples)
    times = np.concatenate([np.ones((1, deals)), drawn])  # how often each deal counts: once, then as drawn
    best, *others = strengths(cells, times @ np.array([cell.wins for cell in cells]).T, names.index(anchor)) * ELO
    tails = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(others, [tails, 100 - tails], axis=0)
    found = [Rating(name, Interval(*map(float, row))) for name, *row in zip(names, best, low, high, strict=True)]
    return sorted(found, key=lambda rating: -rating.points.mean)


def strengths(cells: Sequence[Cell], wins: NDArray[np.float64], anchor: int) -> NDArray[np.float64]:
    """(samples, players): the logarithms of the most likely strengths, that of `anchor` 0.

    wins: (samples, cells), games won by the first player in all deals together. Newton's method; the likelihood has
    one peak.
    """
    names, prior = players_of(cells), np.array([cell.seats[0] / sum(cell.seats) for cell in cells])
    signs, odds = _signs(cells, names), np.array([math.log(cell.seats[0] / cell.seats[1]) for cell in cells])
    free = np.delete(signs, anchor, axis=1)
    games = np.array([cell.games * cell.wins.size + 1 for cell in cells])
    theta = np.zeros((len(wins), len(names) - 1))
    for _ in range(100):
        chances = expit(theta @ free.T + odds)
        slope = (wins + prior - games * chances) @ free
        bend = free.T @ ((games * chances * (1 - chances))[:, :, None] * free)
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        theta += np.clip(step, -1, 1)  # far from the peak Newton's steps are too long
        if np.abs(step).max(initial=0) < 1e-9:
            break
    return np.insert(theta, anchor, 0, axis=1)


def unexplained(cells: Sequence[Cell], found: Sequence[Rating]) -> dict[tuple[str, str], float]:
    """For each pair the share of games that the first player won beyond what the ratings say."""
    theta = {rating.name: rating.points.mean / ELO for rating in found}
    more: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for cell in cells:
        own, other = cell.seats
        chance = expit(theta[cell.first] - theta[cell.second] + math.log(own / other))
        beyond = float(cell.wins.mean()) - cell.games * float(chance)
        more.setdefault((cell.first, cell.second), []).append((beyond, cell.games))
    return {pair: sum(b for b, _ in parts) / sum(n for _, n in parts) for pair, parts in more.items()}


def players_of(cells: Sequence[Cell]) -> list[str]:
    """The players, in the order in which they appear."""
    return [*dict.fromkeys(name for cell in cells for name in (cell.first, cell.second))]


def _signs(cells: Sequence[Cell], names: Sequence[str]) -> NDArray[np.float64]:
    """(cells, players): 1 for the first player of a cell, -1 for the second."""
    signs = np.zeros((len(cells), len(names)))
    for row, cell in zip(signs, cells, strict=True):
        row[names.index(cell.first)], row[names.index(cell.second)] = 1, -1
    return signs
