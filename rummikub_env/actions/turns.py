"""The `turns` codec: one action is a whole turn, one of the k best plays.

=============  =========================================================================
action         meaning
=============  =========================================================================
``0 .. k - 1`` lay the tiles of the play of this rank
``k``          END: draw (or pass on an empty pool)
=============  =========================================================================

A play is a multiset of rack tiles; the solver lays them out. Plays rank by the number of their tiles, then by the
points that leave the rack, then by their counts, fewest of the lowest kinds first. Where there are more than
`LISTED` plays, or too much to look at, those that are found first are ranked, one of the most tiles always among them:
it may be the only one (`Features.complete`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.actions.base import Mask, check, refuse_time_out
from rummikub_env.game import Move, Play, TimeOut, idle, may_decline, tile_points
from rummikub_env.rules import RuleSet
from rummikub_env.state import View
from rummikub_env.tiles import Counts

LISTED = 1000
"""So many plays are looked for at most; `solver.plays` may find fewer of them."""


class Features(NamedTuple):
    """What each of n actions does, as raw numbers; rows of actions that are not allowed are 0."""

    played: NDArray[np.uint8]
    """(n, kinds): the tiles played. Table counts after the turn are those before and these."""
    tiles: NDArray[np.int64]
    """(n,): their number."""
    left: NDArray[np.int64]
    """(n,): tiles left on the rack; a tile that END draws is not counted."""
    points: NDArray[np.int64]
    """(n,): what the tiles played would count on the rack at the end of the round."""
    jokers: NDArray[np.int64]
    """(n,): jokers played."""
    complete: bool
    """Are all plays of the turn among the actions?"""


@dataclass(frozen=True, eq=False)
class TurnsDraft:
    """A turn of ``view.seat`` of which nothing is spelled, as its first action is also its last."""

    view: View
    k: int

    @property
    def spelled(self) -> Counts:
        """Nothing, (kinds,) uint8."""
        return np.zeros_like(self.view.rack)

    @cached_property
    def _ranked(self) -> tuple[Counts, bool]:
        """The plays, (m, kinds), the best first, and whether these are all."""
        from rummikub_env import solver  # here, since it brings numba: a third of a second, when first asked

        view = self.view
        turn = (view.rules, view.table, view.rack, view.opened[view.seat])
        plays, complete = solver.plays(*turn, limit=LISTED)
        points = tile_points(view.rules)
        if not complete:
            best = solver.best_play(*turn, points + int(points @ view.rack) + 1)
            if best is not None:
                plays = np.unique(np.vstack([plays, best]), axis=0)
        order = np.lexsort((*plays.T[::-1], -(plays @ points), -plays.sum(axis=1, dtype=np.int64)))
        return plays[order], complete

    @property
    def plays(self) -> Counts:
        """(m, kinds) uint8, m <= k: the tiles of each play."""
        return self._ranked[0][: self.k]

    @property
    def complete(self) -> bool:
        """Are these all plays of the turn?"""
        plays, complete = self._ranked
        return complete and len(plays) <= self.k

    @cached_property
    def mask(self) -> Mask:
        """(k + 1,) bool, read-only."""
        n = len(self.plays)
        mask = np.arange(self.k + 1) < n
        mask[-1] = not n or may_decline(self.view.rules, self.view.pool_size)
        mask.flags.writeable = False
        return mask


class TurnsCodec:
    """The `k` best plays of a turn, and END: ``k + 1`` actions."""

    def __init__(self, rules: RuleSet, k: int = 64) -> None:
        if not 1 <= k <= LISTED:
            raise ValueError(f"k={k} is not allowed; it must be 1 to {LISTED}: more plays are not looked for")
        self.rules = rules
        self.name = f"turns:k={k}"
        self.end = k
        self.n = k + 1

    def begin(self, view: View) -> TurnsDraft:
        """The draft of the turn of ``view.seat``."""
        return TurnsDraft(view, self.end)

    def mask(self, draft: TurnsDraft) -> Mask:
        """Which actions make a legal move, (n,) bool, read-only."""
        return draft.mask

    def step(self, draft: TurnsDraft, action: int) -> TurnsDraft | Move:
        """The move of the action; raises `IllegalAction`."""
        check(self, draft, action)
        view = draft.view
        if action == self.end:
            return idle(view.pool_size)
        from rummikub_env import solver

        played = draft.plays[action]
        table = solver.arrange(view.rules, view.table, played, view.opened[view.seat])
        if table is None:
            raise AssertionError(f"a play was listed that cannot be laid: {view!r}, {played!r}")
        return Play(table, view.rules.tiles.listed(played))

    def time_out(self, draft: TurnsDraft) -> TimeOut:
        """Nothing lies there before the turn is over."""
        return TimeOut()

    def spell(self, view: View, move: Move) -> list[int]:
        """The one action of a move; ValueError for a play that is not listed."""
        refuse_time_out(move)
        if not isinstance(move, Play):
            return [self.end]
        played = self.rules.tiles.count(move.played)
        listed = self.begin(view).plays
        places = np.flatnonzero((listed == played).all(axis=1)).tolist()
        if not places:
            text = self.rules.tiles.join(self.rules.tiles.listed(played))
            may_help = len(listed) == self.end < LISTED
            hint = "take a larger k" if may_help else "there was too much to look at, and no larger k lists it"
            raise ValueError(f"{text} is not among the {len(listed)} plays that are listed: {hint}")
        return places

    def text(self, action: int) -> str:
        """``lay the play of rank 3`` or ``end the turn``."""
        return "end the turn" if action == self.end else f"lay the play of rank {action + 1}"

    def features(self, draft: TurnsDraft) -> Features:
        """What each action does: for learners that judge a move by what it leaves."""
        rack, points = draft.view.rack, tile_points(self.rules)
        played = np.zeros((self.n, len(rack)), np.uint8)
        played[: len(draft.plays)] = draft.plays
        tiles = played.sum(axis=1, dtype=np.int64)
        left = np.where(draft.mask, int(rack.sum()) - tiles, 0)
        return Features(played, tiles, left, played @ points, played[:, -1].astype(np.int64), draft.complete)
