"""The greedy player that does not give its jokers away."""

from dataclasses import dataclass

import numpy as np

from agents.names import check_numbers, named
from rummikub_env.game import Move
from rummikub_env.policy import PRICE, SAVING, Policy, move_of
from rummikub_env.state import View


@dataclass(frozen=True)
class KeepJoker:
    """Plays the most tiles, but a joker only if it frees `k` more of them, or when time is short.

    Time is short when the play wins, when an opponent has `danger` tiles or less, and when the pool is
    empty (nobody can wait for better tiles then, and the rules may force a play).
    """

    k: int = PRICE
    """Other tiles that a joker has to free."""

    danger: int = SAVING.danger
    """Opponents with so few tiles make saving pointless."""

    def __post_init__(self) -> None:
        check_numbers("keep_joker", self)

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("keep_joker", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play that is worth its jokers; `rng` is not used."""
        return move_of(view, Policy("tiles", self.k, self.danger).choose(view))
