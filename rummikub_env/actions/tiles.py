"""The `tiles` codec: play one tile after the other, then end the turn.

=============  =========================================================================
action         meaning
=============  =========================================================================
``0 .. J - 1`` play a tile of this kind (``colour * values + value - 1``) from the rack
``J``          play a joker
``J + 1``      END: lay what is spelled; with nothing spelled, draw (or pass on an empty pool)
=============  =========================================================================

The player says which rack tiles go to the table; the solver lays them out. The order of the tiles
means nothing: any order of the same tiles spells the same move.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rummikub_env.actions.base import Mask, check, refuse_time_out
from rummikub_env.game import Move, Play, TimeOut, idle, may_decline
from rummikub_env.rules import RuleSet
from rummikub_env.state import View
from rummikub_env.tiles import Counts

if TYPE_CHECKING:
    from rummikub_env.solver import Playable


@dataclass(frozen=True, eq=False)
class TilesDraft:
    """The tiles spelled so far in the turn of ``view.seat``."""

    view: View
    spelled: Counts  # (kinds,) uint8
    size: int
    """The number of tiles spelled."""
    rack: Counts
    """(kinds,) uint8: the spelled tiles and those that may still follow.

    As tiles are spelled the mask only shrinks: what it forbids once need not be asked for again.
    """

    @cached_property
    def mask(self) -> Mask:
        """(kinds + 1,) bool, read-only; computed once, when first asked for."""
        mask = np.zeros(len(self.rack) + 1, np.bool_)
        if self.size and not (self.rack > self.spelled).any():
            mask[-1] = True  # nothing can follow, so the end must
        else:
            playable = self._playable()
            mask[:-1] = playable.mask
            mask[-1] = (
                playable.complete
                if self.size
                else may_decline(self.view.rules, self.view.pool_size) or not playable.mask.any()
            )
        mask.flags.writeable = False
        return mask

    def _playable(self) -> "Playable":
        from rummikub_env import solver  # here, since it brings numba: a third of a second, when first asked

        view = self.view
        spelled = self.spelled if self.size else None
        return solver.playable(view.rules, view.table, self.rack, view.opened[view.seat], spelled)

    def add(self, kind: int) -> "TilesDraft":
        """The draft with one more tile of `kind`."""
        spelled = self.spelled.copy()
        spelled[kind] += 1
        return TilesDraft(self.view, spelled, self.size + 1, np.where(self.mask[:-1], self.rack, self.spelled))


class TilesCodec:
    """Tile kinds to play, and END: ``kinds + 1`` actions (54 in the standard game)."""

    name = "tiles"

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.end = rules.tiles.kinds
        self.n = rules.tiles.kinds + 1

    def begin(self, view: View) -> TilesDraft:
        """The empty draft of the turn of ``view.seat``."""
        return TilesDraft(view, np.zeros(len(view.rack), np.uint8), 0, view.rack)

    def mask(self, draft: TilesDraft) -> Mask:
        """Which actions may follow, (n,) bool, read-only."""
        return draft.mask

    def step(self, draft: TilesDraft, action: int) -> TilesDraft | Move:
        """The draft with one more tile, or the move that END makes; raises `IllegalAction`."""
        check(self, draft, action)
        return draft.add(action) if action < self.end else self._move(draft)

    def _move(self, draft: TilesDraft) -> Move:
        from rummikub_env import solver

        view, spelled = draft.view, draft.spelled
        if not draft.size:
            return idle(view.pool_size)
        table = solver.arrange(view.rules, view.table, spelled, view.opened[view.seat])
        if table is None:
            raise AssertionError(f"the mask allowed a play that cannot be laid: {view!r}, {spelled!r}")
        return Play(table, view.rules.tiles.listed(spelled))

    def time_out(self, draft: TilesDraft) -> TimeOut:
        """With the table that END would lay; where END is not allowed the tiles lie in no sets, and go back."""
        move = self._move(draft) if draft.size and draft.mask[self.end] else None
        return TimeOut(move.table, move.played) if isinstance(move, Play) else TimeOut()

    def spell(self, view: View, move: Move) -> list[int]:
        """The tiles of a play in ascending order, then END; a draw or a pass is END alone."""
        refuse_time_out(move)
        if isinstance(move, Play):
            return [*sorted(map(self.rules.tiles.physical, move.played)), self.end]
        return [self.end]

    def text(self, action: int) -> str:
        """``play R7``, ``play J`` or ``end the turn``."""
        return "end the turn" if action == self.end else f"play {self.rules.tiles.text(action)}"
