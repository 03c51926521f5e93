"""The `counts` observation: everything a seat may know of the position, as counts.

Seats are relative: entry 0 is the observer, entry 1 the next to play, and so on. Values are scaled so
that they usually lie between 0 and 1; the layout says how high a piece can go. Nothing is below 0 but the points of
a match.
"""

from functools import lru_cache
from typing import get_args

import numpy as np

from rummikub_env.observations.base import Piece, Spelling
from rummikub_env.observations.facts import step_of
from rummikub_env.rules import RuleSet
from rummikub_env.state import MoveKind, Standing, View


def rack(rules: RuleSet, players: int) -> Piece:
    """Own rack."""
    return _kinds(rules, "rack", "tiles on the own rack, those spelled this turn among them")


def spelled(rules: RuleSet, players: int) -> Piece:
    """The half-spelled turn."""
    return _kinds(rules, "spelled", "tiles of the own rack that are spelled so far this turn")


def table(rules: RuleSet, players: int) -> Piece:
    """The table as counts."""
    return _kinds(rules, "table", "tiles on the table")


def unseen(rules: RuleSet, players: int) -> Piece:
    """The pool and the other racks together."""
    return _kinds(rules, "unseen", "tiles in the pool or on another rack")


def jokers(rules: RuleSet, players: int) -> Piece:
    """What the jokers on the table stand for."""
    return Piece(
        name="jokers",
        meaning="for each kind of real tile: jokers on the table that stand, or may stand, for it / jokers",
        shape=(rules.tiles.joker,),
        most=max(rules.tiles.jokers, 1),
        unit=max(rules.tiles.jokers, 1),
    )


def opened(rules: RuleSet, players: int) -> Piece:
    """Who has made the opening play."""
    return Piece(
        name="opened",
        meaning="for each seat, own first: 1 when it has made its opening play",
        shape=(players,),
        most=1,
        unit=1,
    )


def rack_sizes(rules: RuleSet, players: int) -> Piece:
    """How many tiles each seat holds."""
    return Piece(
        name="rack_sizes",
        meaning="for each seat, own first: tiles on its rack / tiles on a rack at the start",
        shape=(players,),
        most=rules.tiles.total,
        unit=rules.rack_size,
    )


def pool(rules: RuleSet, players: int) -> Piece:
    """How many tiles are left to draw."""
    return Piece(
        name="pool",
        meaning="tiles in the pool / all tiles",
        shape=(1,),
        most=rules.tiles.total,
        unit=rules.tiles.total,
    )


def last(rules: RuleSet, players: int) -> Piece:
    """What each seat did in its last turn: drawing or passing says that it did not, or could not, play."""
    width = len(get_args(MoveKind)) + 1
    most, unit = np.ones(width), np.ones(width)
    most[-1], unit[-1] = rules.tiles.total, rules.rack_size
    return Piece(
        name="last",
        meaning="for each seat, own first, its last turn (all 0 before its first): drew, passed, played, ran"
        " out of time; how many tiles it drew or played / tiles on a rack at the start",
        shape=(players, width),
        most=most,
        unit=unit,
    )


def phase(rules: RuleSet, players: int) -> Piece:
    """Where the game stands."""
    most = np.ones(players + 4)
    unit = np.ones(players + 4)
    most[players] = unit[players] = players
    most[players + 1], unit[players + 1] = 4 * rules.tiles.total, rules.tiles.total
    return Piece(
        name="phase",
        meaning="seat on turn (one-hot, own first); passes in a row / seats; turns made / all tiles (at most"
        " 4); 1 when the pool is empty; 1 when the game is over",
        shape=(players + 4,),
        most=most,
        unit=unit,
    )


def match(rules: RuleSet, players: int) -> Piece:
    """How the match stands; only where it has several rounds."""
    kind, number = rules.match_limit
    rounds = number if kind == "rounds" else 0
    scored = rules.win_scoring != "none"
    unit = np.full(players + 1, (number if kind == "target" else 100 * rounds) if scored else rounds)
    most = np.full(players + 1, _MOST_POINTS * unit[0])
    unit[-1] = most[-1] = max(rounds, 1)
    least = np.append(-most[:-1], 0)
    nothing = Standing((0,) * players, 0)

    def read(view: View, _: Spelling | None) -> list[int]:
        points, played = view.match or nothing
        own = [max(-most[0], min(most[0], points[seat])) for seat in turn_order(view)]
        return [*own, max(rounds - played, 0)]

    what = "points" if scored else "rounds won"
    return Piece(
        name="match",
        meaning=f"for each seat, own first: {what} so far / {unit[0]} (at most {_MOST_POINTS}, with either sign);"
        " then rounds that are not over yet / all rounds (0 where the match has no number of rounds)",
        shape=(players + 1,),
        most=most,
        unit=unit,
        read=read,
        least=least,
    )


_MOST_POINTS = 10
"""Points of a match are shown up to so many units."""

SITUATION = (opened, rack_sizes, pool, last, phase)
"""The pieces that are no counts of tiles, in order."""
COUNTS = (rack, spelled, table, unseen, jokers, *SITUATION)
"""The pieces of the `counts` observation, in order."""


def _kinds(rules: RuleSet, name: str, meaning: str) -> Piece:
    """A piece of one count for each kind of tile."""
    full = np.maximum(rules.tiles.full, 1)
    return Piece(name, f"{meaning} / copies in the game", (rules.tiles.kinds,), full, full)


def turn_order(view: View) -> tuple[int, ...]:
    """The seats in the order in which they play, the observer first."""
    return _seats_from(view.seat, view.players, step_of(view.rules))


@lru_cache
def _seats_from(seat: int, players: int, step: int) -> tuple[int, ...]:
    return tuple((seat + step * i) % players for i in range(players))
