"""Players that look no further than the best play of their turn, told by a few numbers.

They are what compiled games are played by (`rollouts`), and so written twice: here for one view, in `kernels.rollouts`
for many tables. That both play alike is tested.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import Move, Play, idle, may_decline
from rummikub_env.objectives import Objective, Opening, weights
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
from rummikub_env.solver import arrange, best_play, playable, single_tiles
from rummikub_env.state import View
from rummikub_env.tiles import Counts


@dataclass(frozen=True)
class Policy:
    """A player that makes the best play of its turn."""

    objective: Objective = "tiles"
    price: int | None = None
    """How many other tiles a joker of the rack has to free; None: jokers are laid like tiles."""
    danger: int = 3
    """With so few tiles on another rack there is no point in saving jokers; nor in a play that wins, or on an empty
    pool, where nobody can wait for better tiles."""
    patience: tuple[int, int, int] = (0, 0, 0)
    """Once it has opened, draws though it could play, if the play has so many tiles or fewer, leaves so many or fewer
    but not none, and all others hold so many or more; never where the rules force a play, nor on an empty pool."""
    opening: Opening | None = None
    """The objective of an opening that must have points, `fewest` unless all goes out; None: the same."""
    tempo: bool = False
    """Where it would wait and the pool has a tile for each seat, so that it would be the first to find it empty, and
    must then play, it lays a single tile instead; so it does on an empty pool if it cannot go out."""

    def choose(self, view: View) -> Counts | None:
        """The tiles to play, (kinds,) uint8; None: no play, or it is better to keep the jokers."""
        few, left, _ = self.patience
        size, may_wait = view.rack_sizes[view.seat], self._may_wait(view)
        if may_wait and min(few, left) >= size:
            best = self._all(view)
        else:
            best = self._saving(view)
            if best is not None and self.aim(view.rules, view.opened[view.seat]) == "fewest":
                best = self._all(view, best)
        laid = 0 if best is None else int(best.sum())
        waits = may_wait and laid <= few and 0 < size - laid <= left
        otherwise = None if waits else best
        if not self.tempo or not view.opened[view.seat] or laid == size:
            return otherwise
        slow = view.pool_size == 0 or (waits and view.pool_size == view.players)
        return self._one(view, otherwise) if slow else otherwise

    def _all(self, view: View, otherwise: Counts | None = None) -> Counts | None:
        """The whole rack, if it goes out."""
        goes = playable(view.rules, view.table, view.rack, view.opened[view.seat], view.rack).complete
        return view.rack if goes else otherwise

    def _one(self, view: View, otherwise: Counts | None) -> Counts | None:
        """The first single tile, no joker, that can be laid."""
        return next((one for one in ones_of(view) if not one[-1]), otherwise)

    def _saving(self, view: View) -> Counts | None:
        """The best play that is worth its jokers."""
        jokers = int(view.rack[-1])
        best = self._best(view, jokers)
        if best is None or not jokers or self.price is None or self._hurries(view, best):
            return best
        for most in range(jokers - 1, -1, -1):
            fewer = self._best(view, most)
            if fewer is not None and self._worth(fewer) > self._worth(best):
                best = fewer
        return best if self._worth(best) >= 0 or not may_decline(view.rules, view.pool_size) else None

    def _best(self, view: View, jokers: int) -> Counts | None:
        """The best play that lays up to so many jokers of the rack."""
        rack = view.rack.copy()
        rack[-1] = jokers
        opened = view.opened[view.seat]
        return _best_of(view.rules, view.table, rack.tobytes(), opened, self.aim(view.rules, opened))

    def aim(self, rules: RuleSet, opened: bool) -> Opening:
        """What the best play is measured by."""
        return self.opening if self.opening and not opened and rules.initial_meld_points else self.objective

    def _hurries(self, view: View, best: Counts) -> bool:
        return bool(nearest(view) <= self.danger or view.pool_size == 0 or best.sum() == view.rack.sum())

    def _may_wait(self, view: View) -> bool:
        """Has it opened, is there a tile to draw, and nobody else near the end?"""
        return view.opened[view.seat] and nearest(view) >= self.patience[2] and may_wait(view)

    def _worth(self, counts: Counts) -> int:
        return int(counts[:-1].sum()) - (self.price or 0) * int(counts[-1])


PRICE = 2
"""How many other tiles a joker has to free for who saves jokers."""
SAVING = Policy(price=PRICE)
"""It lays the most tiles, but saves its jokers."""
WAIT_FOR_ALL = Policy(patience=(1000, 1000, 0))
"""Once it has opened, it draws until all its tiles go out at once."""
TEMPO = Policy(patience=(1000, 1000, 0), opening="fewest", tempo=True)
"""The same, but it opens with few tiles, and takes care that another is the first to find the pool empty."""


@lru_cache(maxsize=16)
def _best_of(rules: RuleSet, table: Table, rack: bytes, opened: bool, aim: Opening) -> Counts | None:
    """The best play, not to be written to; who compares policies asks for it more than once."""
    best = best_play(rules, table, np.frombuffer(rack, np.uint8).copy(), opened, weights(rules, aim))
    if best is not None:
        best.setflags(write=False)
    return best


def ones_of(view: View) -> NDArray[np.uint8]:
    """The plays of one tile, (n, kinds) uint8, in ascending order."""
    mask = single_tiles(view.rules, view.table, view.rack, view.opened[view.seat])
    return np.eye(len(mask), dtype=np.uint8)[mask]


def may_wait(view: View) -> bool:
    """May the player draw although it can play? Where the pool is empty there is nothing to wait for."""
    return view.pool_size > 0 and may_decline(view.rules, view.pool_size)


def nearest(view: View) -> int:
    """The fewest tiles on the rack of an opponent."""
    return min(size for seat, size in enumerate(view.rack_sizes) if seat != view.seat)


def move_of(view: View, counts: Counts | None) -> Move:
    """The move that lays these tiles, or none; ValueError if that is no legal play."""
    if counts is None or not counts.any():
        return idle(view.pool_size)
    table = arrange(view.rules, view.table, counts, view.opened[view.seat])
    if table is None or (counts > view.rack).any():
        raise ValueError(f"{view.rules.tiles.join(view.rules.tiles.listed(counts))} is no legal play here")
    return Play(table, view.rules.tiles.listed(counts))
