"""Players that choose action by action: so a policy of any codec can sit at any table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummikub_env.actions.base import ActionCodec, Draft, Mask
from rummikub_env.game import Move
from rummikub_env.state import View

Choose = Callable[[Any, Mask, np.random.Generator], int]
"""From what is spelled so far (``draft.view``: what the player sees) and the mask, (n,) bool, to an action."""


@dataclass(frozen=True)
class CodecPlayer:
    """A `Player` that spells its moves with `codec`, as `choose` says."""

    name: str
    codec: ActionCodec[Any]
    choose: Choose

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """The move that is spelled; raises `IllegalAction` for an action that the mask forbids."""
        step: Draft | Move = self.codec.begin(view)
        while not isinstance(step, Move):
            step = self.codec.step(step, int(self.choose(step, self.codec.mask(step), rng)))
        return step
