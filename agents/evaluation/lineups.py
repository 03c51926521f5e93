"""Who sits where when two players meet at a table of two or more."""

from itertools import product

Lineup = tuple[bool, ...]
"""For each seat: does the challenger sit there? Else a copy of the opponent does."""


def alone(seats: int) -> tuple[Lineup, ...]:
    """The challenger in each seat in turn, copies of the opponent in all the others."""
    return tuple(tuple(seat == own for seat in range(seats)) for own in range(seats))


def mixed(seats: int) -> tuple[Lineup, ...]:
    """All ways to fill the seats with copies of both: each player has each seat in half of them."""
    return tuple(lineup for lineup in product((True, False), repeat=seats) if any(lineup) and not all(lineup))
