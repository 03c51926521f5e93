"""The exact best play of the turn, and nothing beyond the turn."""

from dataclasses import dataclass

import numpy as np

from rummikub_env.game import Draw, Move, Pass, Play
from rummikub_env.objectives import Objective, weights
from rummikub_env.solver import arrange, best_play
from rummikub_env.state import View
from rummikub_env.tiles import Counts


@dataclass(frozen=True)
class Greedy:
    """Plays whenever it can: the most tiles, or the most value, that any legal play gets rid of."""

    objective: Objective = "tiles"
    """`tiles`: most tiles, ties by value. `value`: most value, ties by tiles."""

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"greedy_{self.objective}"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play; `rng` is not used."""
        worth = weights(view.rules, self.objective)
        best = best_play(view.rules, view.table, view.rack, view.opened[view.seat], worth)
        return idle(view) if best is None else play(view, best)


def play(view: View, counts: Counts) -> Play:
    """The move that puts the tiles `counts` down, arranged by the solver."""
    table = arrange(view.rules, view.table, counts, view.opened[view.seat])
    assert table is not None, "the solver found this play"
    return Play(table, view.rules.tiles.listed(counts))


def idle(view: View) -> Draw | Pass:
    """The move of a player who plays nothing."""
    return Draw() if view.pool_size else Pass()
