"""Players that hold tiles back: in some turns they draw, or play less, although they could play more."""

from dataclasses import dataclass, replace

import numpy as np

from agents.names import check_numbers, named
from agents.turns import move_with
from rummikub_env.game import Move
from rummikub_env.objectives import weights
from rummikub_env.policy import SAVING, TEMPO, WAIT_FOR_ALL, Policy, may_wait, move_of, nearest
from rummikub_env.solver import playable
from rummikub_env.state import View
from rummikub_env.tiles import Counts


@dataclass(frozen=True)
class Patient:
    """Plays as `keep_joker` does, but draws where a small play would leave it a few tiles that may not go away.

    That is: it has opened, the play has up to `p` tiles and leaves 1 to `a`, and every opponent holds `o` or more.
    """

    p: int = 1
    """The most tiles of a play that is not made."""

    a: int = 3
    """The most tiles that it would leave."""

    o: int = 2
    """The fewest tiles of an opponent who lets one wait."""

    def __post_init__(self) -> None:
        check_numbers("patient", self)

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("patient", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the play or wait; `rng` is not used."""
        return move_of(view, replace(SAVING, patience=(self.p, self.a, self.o)).choose(view))


@dataclass(frozen=True)
class AllOut:
    """Once it has opened, draws until all its tiles go out in one turn; it plays before where no tile can be drawn.

    What it does not lay is missing on the table, and the last tiles of the others find no place there.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "all_out"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Go out or wait; `rng` is not used."""
        return move_of(view, WAIT_FOR_ALL.choose(view))


@dataclass(frozen=True)
class Tempo:
    """Waits as `all_out` does, but opens with few tiles and sees to it that another finds the pool empty first.

    Who finds it empty must play if it can, and what it lays is what the next one needs to go out. So where the pool
    has a tile for each seat, and all would draw, it lays a single tile instead of drawing; on an empty pool, too.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "tempo"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Go out, wait, or lay a tile; `rng` is not used."""
        return move_of(view, TEMPO.choose(view))


@dataclass(frozen=True)
class Hold:
    """Once it has opened, plays the most tiles only if that leaves up to `n`, or an opponent has up to `danger`."""

    n: int = 5
    """The most tiles that a play leaves."""

    danger: int = 3
    """Opponents with so few tiles make holding pointless."""

    def __post_init__(self) -> None:
        check_numbers("hold", self)

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("hold", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play or wait; `rng` is not used."""
        best = Policy().choose(view)
        return move_with(view, None if best is not None and self._waits(view, best) else best)

    def _waits(self, view: View, best: Counts) -> bool:
        left = int(view.rack.sum() - best.sum())
        return view.opened[view.seat] and left > self.n and nearest(view) > self.danger and may_wait(view)


@dataclass(frozen=True)
class Drip:
    """Goes out if it can; else plays as few tiles as a play can have, of equal ones the most value."""

    @property
    def name(self) -> str:
        """The name in tables."""
        return "drip"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the smallest play; `rng` is not used."""
        best = Policy().choose(view)
        if best is None or best.sum() == view.rack.sum():
            return move_of(view, best)
        smallest = smallest_plays(view)
        return move_of(view, max(smallest, key=lambda play: int(play @ weights(view.rules, "value"))))


@dataclass(frozen=True)
class DelayOpen:
    """Plays the most tiles, but draws in its first `t` turns of a round unless it has opened."""

    t: int = 3
    """Own turns without an opening."""

    def __post_init__(self) -> None:
        check_numbers("delay_open", self)

    @property
    def name(self) -> str:
        """The name in tables."""
        return named("delay_open", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play or wait; `rng` is not used."""
        early = view.turn // view.players < self.t  # all seats move in turn
        waits = early and not view.opened[view.seat] and may_wait(view)
        return move_with(view, None if waits else Policy().choose(view))


def smallest_plays(view: View) -> list[Counts]:
    """All plays with as few tiles as a play can have, (kinds,) uint8 each; some play must exist."""
    spelled = {bytes(view.rack.size)}  # parts of plays, larger by a tile in each round
    while True:
        smallest, more = [], set()
        for part in sorted(spelled):
            counts = np.frombuffer(part, np.uint8)
            found = playable(view.rules, view.table, view.rack, view.opened[view.seat], counts)
            if found.complete:
                smallest.append(counts)
            for kind in np.flatnonzero(found.mask).tolist():
                more.add(bytes(number + (place == kind) for place, number in enumerate(part)))
        if smallest:
            return smallest
        spelled = more
