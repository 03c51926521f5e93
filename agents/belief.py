"""Search that draws conclusions from what the others did.

Who waits until all its tiles go out, and draws, tells that they did not go out; who lays the first tile that fits tells
what it does not hold. So not every deal of the unseen tiles is possible: worlds are dealt at random, and those are kept
in which each of the others, as it is taken to play, would have done in its last turn what it did. If the others do play
so, the kept ones are as likely as Bayes' rule says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.names import named
from agents.search import POLICIES, Pimc
from rummikub_env.game import Move
from rummikub_env.policy import Policy
from rummikub_env.rollouts import determinise
from rummikub_env.sets import Table
from rummikub_env.solver import arrange
from rummikub_env.state import View, table_counts
from rummikub_env.tiles import Counts

TRIES = 10
"""Worlds that are dealt for each one that is asked for."""


@dataclass(frozen=True)
class PimcBelief(Pimc):
    """Searches as `pimc` does, but only in worlds in which the others would have made their last turns as they did.

    That is, if they play as `others` says: turns back to the last play of one of them. Where the turns of the round are
    not known, or no world that is tried goes with them, it is `pimc`.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("pimc_belief", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Search the turn; `rng` deals the worlds."""
        return self.search(view, rng, partial(believed, view, POLICIES[self.others]))


def believed(view: View, policy: Policy, worlds: int, seed: int) -> NDArray[np.uint8] | None:
    """Racks of so many worlds, (worlds, players, kinds) uint8, in which `policy` makes the others do what they did.

    At most `TRIES` times as many are dealt; where too few of them go with it, those that do are repeated. None: there
    is nothing to go by, or no world goes with it.
    """
    turns = list(turns_since(view))
    if not turns:
        return None
    rng = np.random.default_rng(seed)
    kept: list[NDArray[np.uint8]] = []
    for racks in determinise(view, TRIES * worlds, seed).racks:
        if all(turn.would_be_made(racks[turn.before.seat], policy, rng) for turn in turns):
            kept.append(racks)
        if len(kept) == worlds:
            break
    return np.stack(kept)[np.arange(worlds) % len(kept)] if kept else None


class Turn(NamedTuple):
    """A turn that another seat made."""

    before: View
    """What that seat saw; its rack is not known."""
    played: Counts
    """(kinds,) uint8"""
    drawn: int

    def would_be_made(self, rack: Counts, policy: Policy, rng: np.random.Generator) -> bool:
        """Would `policy` have made it, if `rack` is what the seat holds since? What of that it drew is drawn by lot."""
        held = rack - rng.multivariate_hypergeometric(rack, self.drawn).astype(np.uint8) + self.played
        play = policy.choose(replace(self.before, rack=held))
        return np.array_equal(self.played, np.zeros_like(held) if play is None else play)


def turns_since(view: View) -> Iterator[Turn]:
    """The turns of the others since the own one, back to the last play among them, the latest first."""
    history, tiles = view.history or (), view.rules.tiles
    for place in reversed(range(len(history))):
        seat, move, kinds = history[place]
        if seat == view.seat or move.kind == "timeout":
            return
        played, drawn = tiles.count(kinds), move.tiles if move.kind == "draw" else 0
        sizes = [size + (len(kinds) - drawn) * (other == seat) for other, size in enumerate(view.rack_sizes)]
        view = replace(view, rack_sizes=tuple(sizes), pool_size=view.pool_size + drawn)
        before = replace(view, seat=seat, to_move=seat)
        if move.kind != "play":
            yield Turn(before, played, drawn)
            continue
        table, opens = _without(view, played), _is_opening(view, place)
        if table is not None:
            opened = tuple(mark and (other != seat or not opens) for other, mark in enumerate(view.opened))
            yield Turn(replace(before, table=table, opened=opened), played, drawn)
        return


def _is_opening(view: View, place: int) -> bool:
    """Is the play at this place of the history the first one of its seat in the round?"""
    history = view.history or ()
    knows_all, seat = len(history) == view.turn, history[place].seat
    earlier = any(past.seat == seat and past.played for past in history[:place])
    return view.rules.initial_meld_required and knows_all and not earlier


def _without(view: View, played: Counts) -> Table | None:
    """A table of what lay there before these tiles; None if a joker did, which may have stood for anything."""
    left = table_counts(view.rules.tiles, view.table) - played
    if left[-1]:
        return None
    return arrange(view.rules, (), left, opened=True) if left.any() else ()
