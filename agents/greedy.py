"""The exact best play of the turn, and nothing beyond the turn."""

from dataclasses import dataclass

import numpy as np

from rummikub_env.game import Move
from rummikub_env.objectives import Objective
from rummikub_env.policy import Policy, move_of
from rummikub_env.state import View


@dataclass(frozen=True)
class Greedy:
    """Plays whenever it can: the most tiles, or the most value, that any legal play gets rid of."""

    objective: Objective = "tiles"
    """`tiles`: most tiles, ties by value. `value`: most value, ties by tiles. `tiles_low`: most tiles, ties by least
    value."""

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"greedy_{self.objective}"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play; `rng` is not used."""
        return move_of(view, Policy(self.objective).choose(view))
