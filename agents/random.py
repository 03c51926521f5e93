"""A player that chooses each action at random."""

from dataclasses import dataclass

import numpy as np

from rummikub_env.actions.tiles import TilesCodec, TilesDraft
from rummikub_env.game import Move
from rummikub_env.state import View


@dataclass(frozen=True)
class Random:
    """Uniform over the mask of the `tiles` codec, action by action.

    At the start of a turn that is: draw, or one of the kinds of tile that some legal play contains. It
    never makes an illegal move and never misses that a play exists, so it is far from helpless.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "random"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Spell a move, each action uniform over the legal ones."""
        codec = TilesCodec(view.rules)
        step: TilesDraft | Move = codec.begin(view)
        while isinstance(step, TilesDraft):
            legal = np.flatnonzero(codec.mask(step))
            step = codec.step(step, int(legal[rng.integers(legal.size)]))
        return step
