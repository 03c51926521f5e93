"""From the steps of a plain sweep to sets: rows of pieces, as `rummikub_env.tiles` numbers them."""

import numpy as np
from numba import njit

from rummikub_env.kernels.tables import next_group


@njit(cache=True)
def lay_groups(colours, value, wild, freed, left, old, locked, real, joker, told, groups, rows, lengths, n):
    """Adds the groups of a value to rows, (sets, 5 or more), and lengths, (sets,); the new number of sets.

    wild, freed, left: the jokers and the tiles of each colour to lay; old: see `next_group`. locked, real: (4, values),
    what there is; what is laid is taken off, real tiles before locked jokers. Jokers in groups lie open, but
    say their value beside fewer than `told` real tiles.
    """
    values = real.shape[1]
    while wild + freed + left.sum() > 0:
        group = next_group(groups, colours, freed, wild, old, left[0], left[1], left[2], left[3])
        size, tiles = 0, 0
        for colour in range(4):
            for _ in range(group >> 3 * colour & 7):
                left[colour] -= 1
                if real[colour, value] > 0:
                    real[colour, value] -= 1
                    rows[n, size] = colour * values + value
                    tiles += 1
                else:
                    locked[colour, value] -= 1
                    rows[n, size] = joker
                size += 1
        wild -= group >> 12 & 7
        freed -= group >> 15
        for _ in range((group >> 12 & 7) + (group >> 15)):
            rows[n, size] = joker
            size += 1
        if tiles < told:
            for i in range(size):
                rows[n, i] = 2 * joker + value + 1 if rows[n, i] == joker else rows[n, i]
        rows[n, :size].sort()
        lengths[n] = size
        n += 1
    return n


@njit(cache=True)
def lay_plainly(colours, codes, locked, real, joker, told, groups):
    """The sets of a path through a plain sweep that lays exactly `locked` and `real`, (4, values) int64.

    told: see `lay_groups`. Both are used up. Returns rows, (n, 5 or more) int64: the pieces of each set; lengths,
    (n,) int64; and how many of the sets are groups. Groups come before runs.
    """
    values = codes.shape[0]
    most = locked.sum() + real.sum() + 8  # more than there are sets, also while runs are short
    rows, lengths = np.empty((most, max(values, 4) + 1), np.int64), np.empty(most, np.int64)
    left = np.zeros(4, np.int64)
    n = 0
    for value in range(values):
        for colour in range(4):
            left[colour] = codes[value] >> 39 + 3 * colour & 7
        n = lay_groups(
            colours, value, codes[value] >> 51 & 7, 0, left, 0, locked, real, joker, told, groups, rows, lengths, n
        )
    n_groups = n
    for colour in range(4):
        n = _lay_runs(colour, codes, locked, real, joker, rows, lengths, n)
    return rows[:n], lengths[:n], n_groups


@njit(cache=True)
def _lay_runs(colour, codes, locked, real, joker, rows, lengths, n):
    """Adds the runs of a colour: those of 1 or 2 go on first, then long ones, before new ones begin."""
    values, first = codes.shape[0], n
    last = np.empty(rows.shape[0], np.int64)  # of each run: the value of its last piece
    goes_on, pieces = np.empty(16, np.int64), np.empty(16, np.int64)
    for value in range(values):
        kind = colour * values + value
        n_jokers = locked[colour, value]
        room = n_jokers + real[colour, value] + (codes[value] >> 27 + 3 * colour & 7)
        for i in range(room):
            is_real = n_jokers <= i < n_jokers + real[colour, value]
            pieces[i] = kind if is_real else joker + 1 + kind
        n_on = 0
        for length in (1, 2, 3):
            for at in range(first, n):
                if last[at] == value - 1 and min(lengths[at], 3) == length and n_on < room:
                    goes_on[n_on] = at
                    n_on += 1
        for i in range(room):
            if i < n_on:
                at = goes_on[i]
            else:
                at, n = n, n + 1
                lengths[at] = 0
            rows[at, lengths[at]] = pieces[i]
            lengths[at] += 1
            last[at] = value
    return n
