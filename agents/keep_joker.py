"""The greedy player that does not give its jokers away."""

from dataclasses import dataclass, fields

import numpy as np

from rummikub_env.game import Move
from rummikub_env.policy import Policy, move_of
from rummikub_env.state import View


@dataclass(frozen=True)
class KeepJoker:
    """Plays the most tiles, but a joker only if it frees `k` more of them, or when time is short.

    Time is short when the play wins, when an opponent has `danger` tiles or less, and when the pool is
    empty (nobody can wait for better tiles then, and the rules may force a play).
    """

    k: int = 2
    """Other tiles that a joker has to free."""

    danger: int = 3
    """Opponents with so few tiles make saving pointless."""

    def __post_init__(self) -> None:
        if self.k < 0 or self.danger < 0:
            raise ValueError(f"keep_joker: k and danger must be 0 or more, not {self.k} and {self.danger}")

    @property
    def name(self) -> str:
        """The name in tables; it says only what differs from the default."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        changed = ",".join(f"{field.name}={value}" for field, value in values if value != field.default)
        return f"keep_joker:{changed}" if changed else "keep_joker"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play that is worth its jokers; `rng` is not used."""
        return move_of(view, Policy("tiles", self.k, self.danger).choose(view))
