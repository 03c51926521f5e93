"""The vocabulary of the `sets` codec: every set that can lie on a table, jokers with what they stand for.

Runs come before groups. In a run each joker says which tile it is; in a group jokers leave their colour open, as the
solver lays them (``R7 B7 J``): to name it would only bind the one who does.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, is_run, readings, windows


class Vocabulary(NamedTuple):
    """m sets, each by its number."""

    sets: tuple[Set, ...]
    counts: NDArray[np.uint8]
    """(m, kinds): the physical tiles of each."""
    numbers: dict[Set, int]
    """The number of a set by its pieces in ascending order."""
    alike: NDArray[np.intp]
    """(m,): all numbers, so that those of sets with much the same tiles are near each other."""


MOST_SETS = 1 << 16


@lru_cache(maxsize=16)
def vocabulary(rules: RuleSet) -> Vocabulary:
    """All sets of the game, in a fixed order; ValueError where they are more than `MOST_SETS`."""
    tiles = rules.tiles
    most = tiles.jokers if rules.max_jokers_per_set is None else min(tiles.jokers, rules.max_jokers_per_set)
    number = _number_of_runs(rules, most)
    if number > MOST_SETS:
        raise ValueError(
            f"{rules.name} has {number:,} runs, too many for a vocabulary, which has {MOST_SETS:,} sets at most; "
            "fewer jokers or a smaller max_run_length make them fewer"
        )
    found = {tuple(sorted(pieces)): pieces for pieces in (*_runs(rules, most), *_groups(rules, most))}
    counts = {pieces: tiles.count(pieces) for pieces in found.values()}
    sets = tuple(pieces for pieces, of_each in counts.items() if (of_each <= tiles.full).all())
    numbers = {tuple(sorted(pieces)): number for number, pieces in enumerate(sets)}
    matrix = np.array([counts[pieces] for pieces in sets], np.uint8).reshape(-1, tiles.kinds)
    alike = np.lexsort((*matrix[:, -2::-1].T, matrix[:, -1], [is_run(rules, pieces) for pieces in sets]))
    matrix.flags.writeable = alike.flags.writeable = False
    return Vocabulary(sets, matrix, numbers, alike)


def _number_of_runs(rules: RuleSet, most: int) -> int:
    lengths = range(rules.min_set_size, rules.max_run_length + 1)
    return sum(len(windows(rules, length)) * comb(length, jokers) for length in lengths for jokers in range(most + 1))


def _runs(rules: RuleSet, most: int) -> Iterator[Set]:
    for length in range(rules.min_set_size, rules.max_run_length + 1):
        for window in windows(rules, length):
            for number in range(min(most, length) + 1):
                for places in combinations(range(length), number):
                    told = (rules.tiles.joker_as(k) if i in places else k for i, k in enumerate(window))
                    yield from (run for run in readings(rules, tuple(told)) if is_run(rules, run))


def _groups(rules: RuleSet, most: int) -> Iterator[Set]:
    tiles, choose = rules.tiles, combinations if rules.group_colours_distinct else combinations_with_replacement
    for value in range(1, rules.max_value + 1):
        kinds, joker = [tiles.kind(colour, value) for colour in range(len(tiles.colours))], 2 * tiles.joker + value
        for length in range(rules.min_set_size, rules.max_group_size + 1):
            for number in range(min(most, length) + 1):
                for real in choose(kinds, length - number):
                    laid = (*real, *[tiles.joker if real else joker] * number)
                    yield from (group for group in readings(rules, laid) if not is_run(rules, group))
