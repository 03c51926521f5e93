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
def lay_plainly(colours, codes, locked, real, joker, told, groups, are_freed, old_groups):
    """The sets of a path through a plain sweep that lays exactly `locked` and `real`, (4, values) int64.

    told: see `lay_groups`. Both are used up. are_freed: must the wild jokers lie in new groups? Then old_groups,
    (values,), says what these are. Returns rows, (n, 5 or more) int64: the pieces of each set; lengths, (n,) int64;
    wilds, (n,) int64: of runs the values of their wild jokers, as bits; and how many of the sets are groups, which come
    before runs.
    """
    values = codes.shape[0]
    most = locked.sum() + real.sum() + 8  # more than there are sets, also while runs are short
    rows, lengths = np.empty((most, max(values, 4) + 1), np.int64), np.empty(most, np.int64)
    wilds = np.zeros(most, np.int64)
    left = np.zeros(4, np.int64)
    n = 0
    for value in range(values):
        for colour in range(4):
            left[colour] = codes[value] >> 39 + 3 * colour & 7
        n_wild = codes[value] >> 51 & 7
        freed, old = (n_wild, old_groups[value]) if are_freed else (np.int64(0), np.int64(0))
        n = lay_groups(
            colours, value, n_wild - freed, freed, left, old, locked, real, joker, told, groups, rows, lengths, n
        )
    n_groups = n
    for colour in range(4):
        n = _lay_runs(colour, codes, locked, real, joker, rows, lengths, wilds, n)
    return rows[:n], lengths[:n], wilds[:n], n_groups


@njit(cache=True)
def _lay_runs(colour, codes, locked, real, joker, rows, lengths, wilds, n):
    """Adds the runs of a colour, lengthened in the order in which they began, wild jokers last: as `news` has it."""
    values, first = codes.shape[0], n
    last = np.empty(rows.shape[0], np.int64)  # of each run: the value of its last piece
    goes_on, pieces = np.empty(16, np.int64), np.empty(16, np.int64)
    for value in range(values):
        kind = colour * values + value
        n_jokers, n_wild = locked[colour, value], codes[value] >> 27 + 3 * colour & 7
        room = n_jokers + real[colour, value] + n_wild
        for i in range(room):
            is_real = n_jokers <= i < n_jokers + real[colour, value]
            pieces[i] = kind if is_real else joker + 1 + kind
        long_on = room
        for at in range(first, n):
            long_on -= last[at] == value - 1 and lengths[at] < 3
        n_on = 0
        for at in range(first, n):
            if last[at] == value - 1 and (lengths[at] < 3 or long_on > 0):
                long_on -= lengths[at] >= 3
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
            wilds[at] |= np.int64(i >= room - n_wild) << value
    return n
