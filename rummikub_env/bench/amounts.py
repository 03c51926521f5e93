"""How much is measured."""

from typing import NamedTuple


class Amounts(NamedTuple):
    """How much is measured."""

    games: int
    """Greedy games, and as many random ones, for each number of players, whose turns are put to the solver."""
    every: int
    """Which positions of the case files are put to HiGHS and to C: every so many-th."""
    seconds: float
    """How long a loop goes on whose rate is measured."""
    starts: int
    """Fresh processes for each time of a start."""
    points: int
    """Positions for each point of a curve."""


FULL, QUICK = Amounts(12, 1, 5, 7, 60), Amounts(2, 4, 1, 2, 10)
