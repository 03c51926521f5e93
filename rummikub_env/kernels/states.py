"""The states of a sweep, each an int64: how they are found again, compared and kept.

A state of open runs that is at least as good as another in every colour can do all that the other can: a run of
3 or more is better than one of 2, that better than one of 1, and one more of 3 or more does no harm. A state that
another one surpasses is not followed: of its paths none is better, and where it is asked which tiles can be laid, the
*past* of the other, what the paths to it have laid, holds its own.

In a plain sweep a state is::

    bits  0-27  a row of the table of open runs, 7 bits for each of 4 colours
    bits 28-30  wild jokers used so far
    bits 34-62  the points of an opening so far, in bits 34-45 where more follows: from bit 46 on (from bit 34 on where
                no points are needed) its *sign* where plays are listed, which tiles it has laid so far; then, where
                runs wrap, the number of the first state of its path, which says what was guessed
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf

SLOT = 0x7F
WILD, FIELD, GUESS = 28, 34, 46
SCALE = 16
"""What a unit of weight counts against a wild joker in a group, which breaks ties: such sets are new."""


@njit(cache=True)
def grown(array):
    """The same array with twice the room."""
    bigger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    bigger[: array.shape[0]] = array
    return bigger


@leaf
def find_or_add(key, table, first, keys, n):
    """The place of `key` among keys[first:n], and the number of keys after it was added where missing.

    `table`: open addressing, its length a power of two; what is less than `first` counts as empty.
    """
    mask = table.shape[0] - 1
    mixed = (key & 0x3FFFFFFF) * 0x5E3779B1 + (key >> 30) * 0x45D9F3B
    slot = (mixed ^ mixed >> 29) & mask
    while table[slot] >= first:
        if keys[table[slot]] == key:
            return table[slot], n
        slot = slot + 1 & mask
    table[slot] = n
    keys[n] = key
    return n, n + 1


BARE = 62
"""The bit of a past that says that a path lays no more than it must."""


@leaf
def past_after(past, code, wanted, value):
    """The past of a path, a bit for each tile that was wanted and laid beyond what must be, after one more step.

    code: of the step, see `layers`; wanted: a bit for each colour; value: of the step, less than 15.
    """
    laid = (code | code >> 1 | code >> 2) & 0o1111
    if laid == 0:
        return past
    laid = laid & 1 | laid >> 2 & 2 | laid >> 4 & 4 | laid >> 6 & 8
    return past & ~(1 << BARE) | (laid & wanted) << 4 * value


_GUARDS, _SHORT = 0x888888888888, 0x077077077077
"""Of the digits of four colours the bits that are never set, and those that tell of the short runs."""


@leaf
def _worth_of(key, worth):
    """The open runs of a state, so that they can be compared with those of another one digit by digit."""
    own = worth[key & SLOT] | worth[key >> 7 & SLOT] << 12 | worth[key >> 14 & SLOT] << 24
    return own | worth[key >> 21 & SLOT] << 36


@leaf
def _holds(more, less):
    """Are open runs at least as good as others, both as `_worth_of` has them?"""
    return (more | _GUARDS) - less & _GUARDS == _GUARDS


@leaf
def surpassed(keys, weight, past, first, last, points, freed, worth, follow, best, worths):
    """Marks in `follow` which of the states keys[first:last] no other one surpasses.

    A state surpasses another with the same jokers used and runs traced if its open runs are at least as good, it
    has at least as many points, its weight is at least as great, and its past holds the past of the other. While some
    of the `freed` jokers are left, which only short runs may take, their short runs must be the same. best, worths:
    room for as many numbers as there are states.
    """
    n = 0  # of the states that none surpasses so far
    for i in range(first, last):
        key, heavy = keys[i], weight[i]
        own = _worth_of(key, worth)
        same = 0 if key >> 31 & 7 == freed else _SHORT
        follow[i] = True
        at = 0
        while at < n:
            j, its = best[at], worths[at]
            differs = key ^ keys[j]
            if differs >> WILD & 7 == 0 and (own ^ its) & same == 0 and (points or differs >> 31 == 0):
                more = keys[j] >> 31 >= key >> 31 and past[i] & ~past[j] == 0
                if more and weight[j] >= heavy and _holds(its, own):
                    follow[i] = False
                    break
                more = key >> 31 >= keys[j] >> 31 and past[j] & ~past[i] == 0
                if more and heavy >= weight[j] and _holds(own, its):
                    follow[j] = False
                    n -= 1
                    best[at], worths[at] = best[n], worths[n]
                    continue
            at += 1
        if follow[i]:
            best[n], worths[n] = i, own
            n += 1


@leaf
def surpassed_alike(keys, weight, first, last, sign_at, worth, follow, table, chain, worths):
    """`surpassed` where all plays are listed: a state surpasses only those of the same sign, bits from `sign_at` on.

    Those that can be compared are chained, each to the one before it: chain holds the one before, -1 for none. The last
    of a chain, i, stands in `table` as -2 - i, so that for `find_or_add` its place is empty. worths: room for as many
    numbers as there are states.
    """
    mask, points = table.shape[0] - 1, (1 << sign_at) - (1 << FIELD)
    for i in range(first, last):
        key, own = keys[i], _worth_of(keys[i], worth)
        alike = key >> WILD & ~(points >> WILD)
        slot = alike * 0x5E3779B1 ^ alike >> 17
        slot = (slot ^ slot >> 29) & mask
        newest = -2 - table[slot]
        while newest >= first and keys[newest] >> WILD & ~(points >> WILD) != alike:
            slot = slot + 1 & mask
            newest = -2 - table[slot]
        newest = newest if newest >= first else -1
        after, at, follow[i] = -1, newest, True
        while at >= 0:
            its, before = worths[at], chain[at]
            if weight[at] >= weight[i] and keys[at] & points >= key & points and _holds(its, own):
                follow[i] = False
                break
            if weight[i] >= weight[at] and key & points >= keys[at] & points and _holds(own, its):
                follow[at] = False
                if after < 0:
                    newest = before
                else:
                    chain[after] = before
            else:
                after = at
            at = before
        if follow[i]:
            chain[i], worths[i], table[slot] = newest, own, -2 - i
