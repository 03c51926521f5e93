"""Do the jokers of a way to lay the tiles lie in new sets?"""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.tables import ACE_HIGH, can_be_groups


@njit(cache=True)
def lie_in_new_sets(codes, old_ends, old_groups, tables):
    """Can the tiles be laid in these steps so that no set with a wild joker holds an old set beside its jokers?

    codes: (values,) int64, steps as `plain.sweep` codes them; old_ends, (4, values + 5): where the first ends of the
    old runs that start here or later (99: none), in the order of the sweep; old_groups, (values,): the
    old groups, see `can_be_groups`; tables: `tables.tables`. True is certain; False says only that the first way that
    was tried does not.
    """
    if not groups_are_new(codes, old_groups, tables[6]):
        return False
    for colour in range(4):
        n_wild = 0
        for value in range(codes.shape[0]):
            n_wild += codes[value] >> 27 + 3 * colour & 7
        if n_wild and not _runs_are_new(codes, colour, old_ends, np.int64(tables[5] == ACE_HIGH)):
            return False
    return True


@leaf
def groups_are_new(codes, old_groups, groups):
    """`lie_in_new_sets` for the groups alone; here False is certain, too."""
    for value in range(codes.shape[0]):
        n_wild = codes[value] >> 51 & 7
        if n_wild:
            in_groups = codes[value] >> 39
            a, b, c, d = in_groups & 7, in_groups >> 3 & 7, in_groups >> 6 & 7, in_groups >> 9 & 7
            if not can_be_groups(groups, n_wild, 0, old_groups[value], a, b, c, d):
                return False
    return True


@njit(cache=True)
def _runs_are_new(codes, colour, old_ends, turn):
    """`lie_in_new_sets` for the runs of a colour, lengthened in the order in which they began, at the value `turn`."""
    values = codes.shape[0]
    start, wilds = np.zeros(16, np.int64), np.zeros(16, np.int64)  # of the open runs: first value, bits of wild jokers
    n = 0
    for value in range(values + 1):
        tiles, n_wild = np.int64(0), np.int64(0)
        if value < values:
            code = codes[(value + turn) % values]
            tiles, n_wild = code >> 15 + 3 * colour & 7, code >> 27 + 3 * colour & 7
        room, kept = tiles + n_wild, 0
        short = 0
        for i in range(n):
            short += value - start[i] < 3
        long_on = room - short
        for i in range(n):
            goes_on = value - start[i] < 3
            if not goes_on and long_on > 0:
                goes_on, long_on = True, long_on - 1
            if goes_on:
                start[kept], wilds[kept] = start[i], wilds[i]
                kept += 1
            elif wilds[i] and cut_out(start[i], value - 1, wilds[i], old_ends[colour])[1] < 0:
                return False
        n = kept
        while n < room:
            start[n], wilds[n] = value, 0
            n += 1
        for i in range(n - n_wild, n):
            wilds[i] |= 1 << value
    return True


@leaf
def cut_out(first, last, wilds, old_ends):
    """The first and last value of a part with all wild jokers of a run that holds no old run; -1 where there is none.

    first, last: the values of the run; wilds: those of its wild jokers, as bits; old_ends: (values + 5,).
    """
    least, most = last, first
    for value in range(first, last + 1):
        if wilds >> value & 1:
            least, most = min(least, value), max(most, value)
    for start in range(first, least + 1):
        for end in range(last, most - 1, -1):
            short = end - start < 2 or start - first in (1, 2) or last - end in (1, 2)
            if not short and not _holds_old_run(start, end, wilds, old_ends):
                return start, end
    return -1, -1


@leaf
def _holds_old_run(start, end, wilds, old_ends):
    stretch = start
    for value in range(start, end + 2):
        if value > end or wilds >> value & 1:
            if stretch < value and old_ends[stretch] < value:
                return True
            stretch = value + 1
    return False


@njit(cache=True)
def groups_of(codes):
    """What lies in groups on a path, its wild jokers taken as freed: (values, 6) as `traced.sweep` wants it fixed."""
    fixed = np.zeros((codes.shape[0], 6), np.int64)
    for value in range(codes.shape[0]):
        for colour in range(4):
            fixed[value, colour] = codes[value] >> 39 + 3 * colour & 7
        fixed[value, 5] = codes[value] >> 51 & 7
    return fixed
