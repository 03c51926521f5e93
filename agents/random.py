"""Players that choose at random: each action, or whole turns."""

from dataclasses import dataclass

import numpy as np

from rummikub_env.actions.tiles import TilesCodec, TilesDraft
from rummikub_env.game import Move, may_decline
from rummikub_env.policy import move_of
from rummikub_env.solver import plays
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


@dataclass(frozen=True)
class RandomTurn:
    """Uniform over whole turns: to draw, where that is allowed, and each different multiset of tiles that can be laid.

    Where there are too many to list them all, it spells its turn tile by tile as `random` does.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "random_turn"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make one of the moves, each with the same chance."""
        options, are_all = plays(view.rules, view.table, view.rack, view.opened[view.seat])
        if not are_all:
            return Random().move(view, rng)
        draws = int(not len(options) or may_decline(view.rules, view.pool_size))
        chosen = int(rng.integers(draws + len(options)))
        return move_of(view, None if chosen < draws else options[chosen - draws])
