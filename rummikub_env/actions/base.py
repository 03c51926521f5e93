"""What an action codec is: it spells a move as one or several discrete actions."""

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import Move, TimeOut
from rummikub_env.rules import RuleSet
from rummikub_env.state import View
from rummikub_env.tiles import Counts

Mask = NDArray[np.bool_]
"""(n,) bool, read-only: which actions some legal move goes on with."""


class IllegalAction(ValueError):  # noqa: N818 - named like IllegalMove
    """An action that no legal move goes on with; the message lists those that one does."""


class Draft(Protocol):
    """A half-spelled turn: immutable, made by a codec's `begin` and `step`."""

    @property
    def view(self) -> View:
        """What the player on turn sees, from the start of the turn to its end."""

    @property
    def spelled(self) -> Counts:
        """Counts of the rack tiles that are spelled so far, (kinds,) uint8."""


D = TypeVar("D", bound=Draft)


class ActionCodec(Protocol[D]):
    """An action space: `n` actions, an exact mask, and the way from actions to a move and back.

    Exact means: ``mask(draft)[a]`` is true if and only if some legal move begins with the actions
    spelled so far followed by `a`. So a player that follows the mask always ends in a legal move, and
    every legal move can be spelled.
    """

    rules: RuleSet
    name: str
    """What `codec_of` knows it by, options and all."""
    n: int

    def begin(self, view: View) -> D:
        """The empty draft of the turn of ``view.seat``, who must be on turn."""

    def mask(self, draft: D) -> Mask:
        """Which actions may follow, (n,) bool; at least one of them is true."""

    def step(self, draft: D, action: int) -> D | Move:
        """The draft with one more action, or the finished move; raises `IllegalAction`."""

    def time_out(self, draft: D) -> TimeOut:
        """The move of a player whose time is over in this draft: what is spelled lies there, if it may lie so."""

    def spell(self, view: View, move: Move) -> list[int]:
        """The actions that spell `move`, which must be legal; ValueError for a `TimeOut`."""

    def text(self, action: int) -> str:
        """The action in words a player understands."""


def refuse_time_out(move: Move) -> None:
    """ValueError for a `TimeOut`, which no actions spell."""
    if isinstance(move, TimeOut):
        raise ValueError("a time-out is not a move that a player chooses: it has no actions")


def check(codec: ActionCodec[D], draft: D, action: int) -> None:
    """Raise `IllegalAction`, which says what is allowed, when the mask forbids `action`."""
    mask = codec.mask(draft)
    if 0 <= action < codec.n and mask[action]:
        return
    allowed = ", ".join(f"{a} ({codec.text(a)})" for a in np.flatnonzero(mask).tolist())
    name = f"{action} ({codec.text(action)})" if 0 <= action < codec.n else f"{action}"
    raise IllegalAction(f"action {name} is not allowed here; allowed: {allowed}")
