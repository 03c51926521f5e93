"""Players that play the most tiles, and look further where several plays have as many (the 24 of most value)."""

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import Move
from rummikub_env.objectives import weights
from rummikub_env.policy import move_of
from rummikub_env.rules import RuleSet
from rummikub_env.sets import windows
from rummikub_env.solver import arrange, best_play, playable
from rummikub_env.state import View
from rummikub_env.tiles import Counts


@dataclass(frozen=True)
class Flex:
    """Of the plays with the most tiles, the one after which most unseen tiles make a set with two of the rack.

    Jokers of the rack are not counted in; ties go to the most value.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "flex"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the play; `rng` is not used."""
        options = longest_plays(view)
        return move_of(view, max(options, key=lambda play: outs(view, view.rack - play), default=None))


@dataclass(frozen=True)
class Deny:
    """Of the plays with the most tiles, the one after which the fewest kinds of unseen tiles can be laid alone.

    Ties go to the most value.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "deny"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the play; `rng` is not used."""
        options = longest_plays(view)
        if len(options) < 2:
            return move_of(view, options[0] if options else None)
        return move_of(view, min(options, key=lambda play: len(openings(view, play))))


def longest_plays(view: View, most: int = 24) -> list[Counts]:
    """Up to so many plays with as many tiles as the longest one, (kinds,) uint8 each, those of most value first.

    Who does not make the best play of a rack keeps at least one tile of some kind that it plays: the best plays of
    these smaller racks come next.
    """
    worth, opened = weights(view.rules, "tiles"), view.opened[view.seat]
    found: dict[bytes, Counts] = {}
    racks, asked = [view.rack], {view.rack.tobytes()}
    waiting: list[tuple[int, bytes, Counts]] = []
    while len(found) < most:
        for rack in racks:
            play = best_play(view.rules, view.table, rack, opened, worth)
            if play is not None:
                heappush(waiting, (-int(play @ worth), rack.tobytes(), play))
        if not waiting:
            break
        _, allowed, play = heappop(waiting)
        if found and play.sum() < next(iter(found.values())).sum():
            break
        found[play.tobytes()] = play
        racks = []
        for kind in np.flatnonzero(play).tolist():
            fewer = np.frombuffer(allowed, np.uint8).copy()
            fewer[kind] = play[kind] - 1
            if fewer.tobytes() not in asked:
                asked.add(fewer.tobytes())
                racks.append(fewer)
    return [*found.values()]


def outs(view: View, rack: Counts) -> int:
    """How many unseen tiles make a set of three with two real tiles of the rack."""
    triples = _triples(view.rules)
    held = (rack[triples] > 0).sum(axis=1) == 2
    missing = np.unique(triples[held][rack[triples[held]] == 0])
    return int(view.unseen[missing].sum())


def openings(view: View, play: Counts) -> list[int]:
    """The kinds of unseen tiles that can be laid alone once the play is laid."""
    table = arrange(view.rules, view.table, play, view.opened[view.seat])
    assert table is not None
    unseen = view.unseen
    alone = np.eye(unseen.size, dtype=np.uint8)
    return [
        kind for kind in np.flatnonzero(unseen).tolist() if playable(view.rules, table, alone[kind], True).mask[kind]
    ]


@lru_cache(maxsize=64)
def _triples(rules: RuleSet) -> NDArray[np.intp]:
    """(n, 3): the kinds of all sets of three different real tiles."""
    tiles = rules.tiles
    groups = [
        tuple(tiles.kind(colour, value) for colour in colours)
        for value in range(1, tiles.values + 1)
        for colours in combinations(range(len(tiles.colours)), 3)
    ]
    return np.array([*windows(rules, 3), *groups], np.intp)
