"""All pairs of several players put together: a matrix, ratings, speeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.evaluation.arena import Comparison
from agents.evaluation.ratings import Cell, Rating, ratings, unexplained
from agents.evaluation.stats import Interval
from rummikub_env.player import Player


@dataclass(frozen=True)
class Ladder:
    """What the comparisons of all pairs say of the players."""

    comparisons: Sequence[Comparison]
    anchor: str
    ratings: Sequence[Rating]
    """The strongest first."""
    unexplained: dict[tuple[str, str], float]
    """For each pair the share of games that the first player won beyond what the ratings say."""

    @property
    def shares(self) -> dict[tuple[str, str], Interval]:
        """For each pair, in both orders, the share of their games that the first player won."""
        found: dict[tuple[str, str], Interval] = {}
        for row in self.comparisons:
            own, other, share = row.match.challenger.name, row.match.opponent.name, row.share
            found[own, other] = share
            found[other, own] = Interval(1 - share.mean, 1 - share.high, 1 - share.low)
        return found

    @property
    def milliseconds(self) -> dict[str, float]:
        """Time of a turn of each player, over all its games."""
        seconds, decisions = dict.fromkeys(self.players, 0.0), dict.fromkeys(self.players, 0)
        for row in self.comparisons:
            games = [game for results in row.deals for game in results]
            for side, player in enumerate((row.match.challenger, row.match.opponent)):
                seconds[player.name] += sum(game.seconds[side] for game in games)
                decisions[player.name] += sum(game.decisions[side] for game in games)
        return {name: 1000 * seconds[name] / max(1, decisions[name]) for name in decisions}

    @property
    def players(self) -> dict[str, Player]:
        """The players by name."""
        both = [player for row in self.comparisons for player in (row.match.challenger, row.match.opponent)]
        return {player.name: player for player in both}


def ladder(comparisons: Sequence[Comparison], anchor: str) -> Ladder:
    """Put the comparisons of all pairs together; `anchor` is the player whose rating is 0."""
    cells = [cell for comparison in comparisons for cell in cells_of(comparison)]
    found = ratings(cells, anchor)
    return Ladder(comparisons, anchor, found, unexplained(cells, found))


def cells_of(comparison: Comparison) -> list[Cell]:
    """The games of a pair, apart by how many seats the challenger has."""
    match = comparison.match
    wins = np.array([[game.win for game in results] for results in comparison.deals])
    held = np.array([sum(lineup) for lineup in match.lineups])
    return [
        Cell(
            match.challenger.name,
            match.opponent.name,
            (seats, match.seats - seats),
            wins[:, held == seats].sum(axis=1),
            int((held == seats).sum()),
        )
        for seats in sorted(set(held.tolist()))
    ]
