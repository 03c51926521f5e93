"""Players that play the most tiles, and look further where several plays have as many."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import Move
from rummikub_env.objectives import weights
from rummikub_env.policy import Policy, move_of
from rummikub_env.rules import RuleSet
from rummikub_env.sets import windows
from rummikub_env.solver import arrange, playable, plays
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


def longest_plays(view: View) -> list[Counts]:
    """All plays with as many tiles as the longest one, the most value first."""
    best = Policy().choose(view)
    if best is None or best.sum() == view.rack.sum():
        return [] if best is None else [best]
    options = plays(view.rules, view.table, view.rack, view.opened[view.seat]).counts
    longest = options[options.sum(axis=1) == best.sum()]
    if not len(longest):  # only where the list of plays is cut
        return [best]
    return [*longest[np.argsort(-(longest @ weights(view.rules, "value")), kind="stable")]]


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
