"""The greedy player that does not give its jokers away."""

from dataclasses import dataclass, fields

import numpy as np

from agents.greedy import idle, play
from rummikub_env.game import Move
from rummikub_env.objectives import weights
from rummikub_env.solver import best_play
from rummikub_env.state import View
from rummikub_env.tiles import Counts


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
        jokers = int(view.rack[view.rules.tiles.joker])
        best = _most_tiles(view, jokers)
        if best is not None and jokers and not self._hurry(view, best):
            best = self._saving(view, jokers)
        return idle(view) if best is None else play(view, best)

    def _hurry(self, view: View, best: Counts) -> bool:
        """Whether there is no point in saving a joker."""
        nearest = min(size for seat, size in enumerate(view.rack_sizes) if seat != view.seat)
        return bool(nearest <= self.danger or view.pool_size == 0 or best.sum() == view.rack.sum())

    def _saving(self, view: View, jokers: int) -> Counts | None:
        """The play with the most tiles after paying `k` for each joker; None = better keep them all."""
        plays = [best for most in range(jokers + 1) if (best := _most_tiles(view, most)) is not None]
        best = max(plays, key=lambda counts: (self._worth(counts), counts[-1]))
        return best if self._worth(best) >= 0 else None

    def _worth(self, counts: Counts) -> int:
        return int(counts[:-1].sum()) - self.k * int(counts[-1])


def _most_tiles(view: View, jokers: int) -> Counts | None:
    """The play with the most tiles that uses up to so many jokers of the rack."""
    rack = view.rack.copy()
    rack[view.rules.tiles.joker] = jokers
    return best_play(view.rules, view.table, rack, view.opened[view.seat], weights(view.rules, "tiles"))
