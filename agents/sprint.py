"""The greedy player that sheds points when the round may soon be over."""

from dataclasses import dataclass

import numpy as np

from agents.names import check_numbers, named
from rummikub_env.game import Move
from rummikub_env.policy import Policy, move_of, nearest
from rummikub_env.state import View


@dataclass(frozen=True)
class Sprint:
    """Plays the most tiles; when the pool or an opponent's rack is small, the most value."""

    pool: int = 20
    """With so few tiles in the pool points come first."""

    danger: int = 3
    """With so few tiles on an opponent's rack too."""

    def __post_init__(self) -> None:
        check_numbers("sprint", self)

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("sprint", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play; `rng` is not used."""
        hurries = view.pool_size <= self.pool or nearest(view) <= self.danger
        return move_of(view, Policy("value" if hurries else "tiles").choose(view))
