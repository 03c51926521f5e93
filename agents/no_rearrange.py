"""The player that leaves the table as it lies: what beginners do, and many programs call greedy."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from agents.turns import move_with
from rummikub_env.game import Move, Play
from rummikub_env.objectives import weights
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, is_run, readings
from rummikub_env.solver import best_play
from rummikub_env.state import View
from rummikub_env.tiles import Counts


@dataclass(frozen=True)
class NoRearrange:
    """Lays new sets from the rack and adds tiles to sets as they lie: of all such plays the most tiles, then value.

    Where the rules force a play and there is none of this kind, it plays the most tiles.
    """

    @property
    def name(self) -> str:
        """The name in tables."""
        return "no_rearrange"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the best play without rearranging; `rng` is not used."""
        if not view.opened[view.seat]:  # with no table there is nothing to rearrange
            worth = weights(view.rules, "tiles")
            return move_with(view, best_play(view.rules, (), view.rack, False, worth))
        laid = best_layings(view.rules, view.table, view.rack)
        played = tuple(sorted(kind for laying in laid for kind in laying.played))
        if len(played) < view.rules.min_tiles_per_turn:
            return move_with(view, None)
        grown = {laying.place: laying.after for laying in laid if laying.place is not None}
        old = tuple(grown.get(place, pieces) for place, pieces in enumerate(view.table))
        return Play(old + tuple(laying.after for laying in laid if laying.place is None), played)


class Laying(NamedTuple):
    """A new set, or an old one that grows."""

    played: tuple[int, ...]
    """The kinds of the tiles from the rack, ascending."""
    after: Set
    """The resolved set."""
    place: int | None
    """Which set of the table grows; None: a new one."""


def best_layings(rules: RuleSet, table: Table, rack: Counts) -> tuple[Laying, ...]:
    """The new and grown sets that together use the most tiles of the rack, (kinds,) uint8, ties by value.

    The kinds of the rack are dealt with one after the other, by value: each tile is kept or is the first one of a
    new or grown set. Situations that leave the same tiles are looked at once.
    """
    worth = weights(rules, "tiles").tolist()
    order = sorted(np.flatnonzero(rack).tolist(), key=lambda kind: (kind == rules.tiles.joker, kind % rules.max_value))
    choices: dict[int, list[Laying]] = {kind: [] for kind in order}
    for laying in [*grown_sets(rules, table, rack), *new_sets(rules, rack)]:
        choices[min(laying.played, key=order.index)].append(laying)

    @cache
    def best(step: int, left: tuple[int, ...], full: frozenset[int]) -> tuple[int, tuple[Laying, ...]]:
        """What is made of the tiles `left` of the kinds from `step` on, and its worth; `full` sets have grown."""
        if step == len(order):
            return 0, ()
        kind = order[step]
        most, laid = best(step + 1, _less(left, {kind: left[kind]}), full)
        for laying in choices[kind] if left[kind] else ():
            needs = Counter(laying.played)
            if laying.place not in full and all(left[tile] >= needs[tile] for tile in needs):
                taken = full if laying.place is None else full | {laying.place}
                more, others = best(step, _less(left, needs), taken)
                more += sum(worth[tile] for tile in laying.played)
                if more > most:
                    most, laid = more, (laying, *others)
        return most, laid

    return best(0, tuple(rack.tolist()), frozenset())[1]


def _less(left: tuple[int, ...], needs: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(number - needs.get(kind, 0) for kind, number in enumerate(left))


def grown_sets(rules: RuleSet, table: Table, rack: Counts) -> list[Laying]:
    """All ways in which tiles of the rack can be added to sets of the table."""
    return [
        Laying(played, after, place)
        for place, pieces in enumerate(table)
        for played, after in _grown(rules, pieces, {(): pieces}, rack, rules.tiles.total).items()
        if played
    ]


def new_sets(rules: RuleSet, rack: Counts) -> list[Laying]:
    """All sets that the rack holds, but for long ones: they are two sets just as well."""
    tiles = rules.tiles
    held = [kind for kind in tiles.listed(rack) if kind < tiles.joker]
    jokers = [tiles.joker] * int(rack[-1])
    like = [[kind for kind in held if tiles.colour(kind) == colour] for colour in range(len(tiles.colours))]
    like += [[kind for kind in held if tiles.value(kind) == value] for value in range(1, tiles.values + 1)]
    threes: set[tuple[int, ...]] = {three for alike in like for three in combinations(alike + jokers, 3)}
    starts: dict[tuple[int, ...], Set] = {three: found[0] for three in threes if (found := readings(rules, three))}
    return [Laying(played, after, None) for played, after in _grown(rules, (), starts, rack, 5).items()]


def _grown(
    rules: RuleSet, old: Set, starts: Mapping[tuple[int, ...], Set], rack: Counts, longest: int
) -> dict[tuple[int, ...], Set]:
    """`starts` and what tile after tile makes of them: for the tiles added to `old`, ascending, the resolved set."""
    found, reached = dict(starts), [*starts]
    for added in reached:
        for kind in np.flatnonzero(rack).tolist():
            more = tuple(sorted((*added, kind)))
            if more not in found and more.count(kind) <= rack[kind] and len(old) + len(more) <= longest:
                kept = [s for s in readings(rules, old + more) if not old or is_run(rules, s) == is_run(rules, old)]
                if kept:
                    found[more] = kept[0]
                    reached.append(more)
    return found
