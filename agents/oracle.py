"""Players that cheat: they see what nobody at the table may see. To compare with only.

What they are shown is no part of a `View`, so no player gets it by accident: who lets a cheat play asks it by `asked`.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agents.names import named
from agents.search import Pimc
from rummikub_env.game import Move
from rummikub_env.player import Player
from rummikub_env.state import State, View


@runtime_checkable
class Cheat(Protocol):
    """A player that must be shown all racks."""

    def move_seeing(self, view: View, racks: NDArray[np.uint8], rng: np.random.Generator) -> Move:
        """A legal move of the seat `view.seat`; racks: (players, kinds) uint8, read-only, those of all seats."""
        ...


def asked(player: Player, state: State, seen: View, rng: np.random.Generator) -> Move:
    """The move of the player that sees `seen` of `state`; only a cheat sees the racks as well."""
    if isinstance(player, Cheat):
        return player.move_seeing(seen, state.racks, rng)
    return player.move(seen, rng)


@dataclass(frozen=True)
class OracleRack(Pimc):
    """Cheats: searches as `pimc` does, but sees the racks of all; it does not know in which order tiles are drawn.

    To compare with only: what knowing the other racks is worth to this search.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("oracle_rack", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """ValueError: what a view tells is not enough for a cheat."""
        raise ValueError("oracle_rack cheats: it plays only where it is shown all racks, as in evaluate.py")

    def move_seeing(self, view: View, racks: NDArray[np.uint8], rng: np.random.Generator) -> Move:
        """Search the turn where all hold these racks; `rng` orders the pool."""
        return self.search(view, rng, lambda worlds, seed: racks)
