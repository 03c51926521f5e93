"""One codec a seat, as one: agents with different action spaces meet at one table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rummikub_env.actions.base import ActionCodec, Draft, Mask
from rummikub_env.game import Move, TimeOut
from rummikub_env.state import View


class BySeatCodec:
    """Each seat spells its turns with its own codec; a mask is as long as that of the largest, 0 at its end."""

    def __init__(self, codecs: Sequence[ActionCodec[Any]]) -> None:
        self.rules = codecs[0].rules
        self.codecs = tuple(codecs)
        """For each seat."""
        self.name = " / ".join(codec.name for codec in codecs)
        self.n = max(codec.n for codec in codecs)

    def _of(self, draft: Draft) -> ActionCodec[Any]:
        return self.codecs[draft.view.seat]

    def begin(self, view: View) -> Draft:
        """The empty draft of the turn of ``view.seat``, by its codec."""
        begun: Draft = self.codecs[view.seat].begin(view)
        return begun

    def mask(self, draft: Draft) -> Mask:
        """Which actions may follow, (n,) bool, read-only."""
        own = self._of(draft).mask(draft)
        mask = np.zeros(self.n, np.bool_)
        mask[: len(own)] = own
        mask.flags.writeable = False
        return mask

    def step(self, draft: Draft, action: int) -> Draft | Move:
        """The draft with one more action, or the finished move; raises `IllegalAction`."""
        step: Draft | Move = self._of(draft).step(draft, action)
        return step

    def time_out(self, draft: Draft) -> TimeOut:
        """The move of a player whose time is over in this draft."""
        return self._of(draft).time_out(draft)

    def spell(self, view: View, move: Move) -> list[int]:
        """The actions that spell `move` for ``view.seat``."""
        return self.codecs[view.seat].spell(view, move)

    def text(self, action: int) -> str:
        """What the action means to each codec that has it."""
        return " or ".join(dict.fromkeys(codec.text(action) for codec in self.codecs if action < codec.n))
