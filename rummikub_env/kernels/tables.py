"""Tables that depend on the tile set alone: open runs of a colour, and groups of a value."""

from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rummikub_env.kernels.compiling import leaf

WRAPS = {"none": 0, "ace_high": 1, "ace_both": 2, "circular": 3}
"""How the kernels number the rules for runs that wrap."""
ACE_HIGH, ACE_BOTH, CIRCULAR = 1, 2, 3

Tables = tuple[Any, ...]


@njit(cache=True)
def open_runs(limit):
    """The open runs that a colour with at most `limit` of each tile can have, those with the fewest runs first.

    Returns triples, (n, 3) int64: how many runs have length 1, 2, 3+; index, (limit + 1, limit + 1, limit + 1)
    int64: the row of each triple; first, (limit + 2,) int64: the first row with so many runs; after,
    (n, limit + 1) int64: the row after so many tiles are laid in runs at the next value, -1 where too few;
    surpasses, (n, n) bool: is the first at least as good as the second.
    """
    index = np.full((limit + 1, limit + 1, limit + 1), -1, np.int64)
    triples = np.empty(((limit + 1) * (limit + 2) * (limit + 3) // 6, 3), np.int64)
    first = np.zeros(limit + 2, np.int64)
    n = 0
    for total in range(limit + 1):
        first[total] = n
        for one in range(total + 1):
            for two in range(total + 1 - one):
                triples[n, 0], triples[n, 1], triples[n, 2] = one, two, total - one - two
                index[one, two, total - one - two] = n
                n += 1
    first[limit + 1] = n
    after = np.full((n, limit + 1), -1, np.int64)
    surpasses = np.zeros((n, n), np.bool_)
    for i in range(n):
        one, two, long = triples[i]
        for tiles in range(one + two, limit + 1):
            longer = min(tiles - one - two, long)  # lengthening a long run is never worse than starting one
            after[i, tiles] = index[tiles - one - two - longer, one, two + longer]
        for j in range(n):
            a, b = triples[i], triples[j]
            surpasses[i, j] = a[0] <= b[0] and a[0] + a[1] <= b[0] + b[1] and a.sum() >= b.sum()
    return triples, index, first, after, surpasses


@njit(cache=True)
def worth_of_runs(triples):
    """For each row of open runs a number whose 3 digits to base 16 are at least those of what it surpasses."""
    worth = np.empty(triples.shape[0], np.int64)
    for row in range(triples.shape[0]):
        one, two, long = triples[row, 0], triples[row, 1], triples[row, 2]
        worth[row] = 7 - one | 7 - one - two << 4 | one + two + long << 8
    return worth


@njit(cache=True)
def group_table(colours, limit, freed_limit, wild_limit, largest, alike):
    """Which tiles and jokers of one value can be laid as groups of 3 to `largest`; alike: may colours be equal?

    Returns uint8 of shape (freed + 1, wild + 1, old, limit + 1, limit + 1, limit + 1, limit + 1): 1 where so
    many freed and wild jokers and tiles of each colour form groups. Where colours differ, old is 16, a row for each set
    of old groups of three (bit c: the one without colour c) that no group may hold beside a freed joker. Where they
    may be equal, there are too many of these: it is 1, and `can_be_groups` looks at them.
    """
    shape = (freed_limit + 1, wild_limit + 1, 1 if alike else 16, limit + 1, limit + 1, limit + 1, limit + 1)
    table = np.zeros(shape, np.uint8)
    groups = (table, largest, alike)
    n = limit + 1
    for freed in range(freed_limit + 1):
        for wild in range(wild_limit + 1):
            for old in range(shape[2] if freed else 1):
                for code in range(n**4):
                    a, b, c, d = code % n, code // n % n, code // n**2 % n, code // n**3
                    total = freed + wild + a + b + c + d
                    if alike:
                        table[freed, wild, 0, a, b, c, d] = 3 * -(-total // largest) <= total
                    elif total == 0 or next_group(groups, colours, freed, wild, old, a, b, c, d) >= 0:
                        table[freed, wild, old, a, b, c, d] = 1
    return table


@leaf
def can_be_groups(groups, freed, wild, old, a, b, c, d):
    """Can so many jokers and tiles of each colour be laid as groups, no `old` one beside a freed joker?

    groups: `group_table` and its last two arguments. old: as there, or where colours may be equal `old_bit` for each
    old group.
    """
    table, largest, alike = groups
    if not alike:
        return table[freed, wild, old if freed else 0, a, b, c, d] != 0
    possible = table[freed, wild, 0, a, b, c, d] != 0
    return possible and (freed == 0 or old == 0 or _some_are_new(largest, freed + wild, old, a, b, c, d))


@leaf
def _some_are_new(largest, jokers, old, a, b, c, d):
    """Can up to 4 jokers lie beside tiles that hold no old group? Where there can be a group of three, beside two."""
    total, size = jokers + a + b + c + d, 3
    if total < 6:
        size = total
    elif total == 8 and largest == 4:
        size = 4
    beside = size - jokers
    if beside < 3:
        return True
    for p in range(min(a, beside) + 1):
        for q in range(min(b, beside - p) + 1):
            for r in range(min(c, beside - p - q) + 1):
                s = beside - p - q - r
                if s <= d and not _holds_old(old, p, q, r, s):
                    return True
    return False


@leaf
def _holds_old(old, a, b, c, d):
    """Do these tiles of one value hold an old group? There are four at most."""
    total = a + b + c + d
    if total < 3:
        return False
    if old >> old_bit(a, b, c, d) & 1:
        return True
    return total == 4 and (
        (a > 0 and old >> old_bit(a - 1, b, c, d) & 1 == 1)
        or (b > 0 and old >> old_bit(a, b - 1, c, d) & 1 == 1)
        or (c > 0 and old >> old_bit(a, b, c - 1, d) & 1 == 1)
        or (d > 0 and old >> old_bit(a, b, c, d - 1) & 1 == 1)
    )


@leaf
def old_bit(a, b, c, d):
    """The bit for an old group of so many tiles of each colour: 0-19 for three tiles, 20-54 for four."""
    size, rank = 0, 0
    for colour, number in enumerate((a, b, c, d)):
        for _ in range(number):
            size += 1
            ways = 1  # the number of groups of `size` tiles of the colours before this one
            for i in range(size):
                ways = ways * (colour + i) // (i + 1)
            rank += ways
    return rank if size == 3 else rank + 20


@leaf
def next_group(groups, colours, freed, wild, old, a, b, c, d):
    """A group to lay first so that the rest can be laid too; -1 where there is none.

    It is told as a number, 3 bits each: tiles of each of 4 colours, wild, freed jokers. groups, old: see
    `can_be_groups`, filled for what is left after any group.
    """
    if groups[2]:
        return _next_alike(groups, freed, wild, old, a, b, c, d)
    have = (a, b, c, d)
    for roles in range(1, 256):  # of each colour: 0 absent, 1 a tile, 2 a wild, 3 a freed joker
        size, n_wild, n_freed, possible, beside_old = 0, 0, 0, True, False
        for colour in range(4):
            role = roles >> 2 * colour & 3
            possible = possible and (role == 0 or colour < colours) and (role != 1 or have[colour] > 0)
            size += role > 0
            n_wild += role == 2
            n_freed += role == 3
            beside_old = beside_old or (role == 3 and (old >> colour & 1) == 1)
        beside_old = beside_old and size == 4 and n_wild + n_freed == 1
        if not possible or size < 3 or size > groups[1] or n_wild > wild or n_freed > freed or beside_old:
            continue
        p, q, r, s = roles & 3 == 1, roles >> 2 & 3 == 1, roles >> 4 & 3 == 1, roles >> 6 & 3 == 1
        if can_be_groups(groups, freed - n_freed, wild - n_wild, old, a - p, b - q, c - r, d - s):
            return p | q << 3 | r << 6 | s << 9 | n_wild << 12 | n_freed << 15
    return -1


@leaf
def _next_alike(groups, freed, wild, old, a, b, c, d):
    """`next_group` where colours may be equal: one of different colours if there is any."""
    largest = groups[1]
    for most in range(1, largest + 1):
        for n_freed in range(freed + 1):
            for n_wild in range(wild + 1):
                for p in range(min(a, most) + 1):
                    for q in range(min(b, most) + 1):
                        for r in range(min(c, most) + 1):
                            for s in range(min(d, most) + 1):
                                size = n_freed + n_wild + p + q + r + s
                                if size < 3 or size > largest or (n_freed and _holds_old(old, p, q, r, s)):
                                    continue
                                left = (a - p, b - q, c - r, d - s)
                                if can_be_groups(groups, freed - n_freed, wild - n_wild, old, *left):
                                    return p | q << 3 | r << 6 | s << 9 | n_wild << 12 | n_freed << 15
    return -1


def beginnings(triples: NDArray[np.int64], index: NDArray[np.int64], wrap: int) -> NDArray[np.int64]:
    """The open runs after the first value, given those that come from beyond it, which all go on there.

    (n, limit + 1) int64: the row after so many tiles are laid in runs; -1 where too few, and for open runs that need
    not be guessed. With `ace_both` the runs end there, and all that is guessed of them is that they have 2 or more.
    """
    limit = index.shape[0] - 1
    begin = np.full((triples.shape[0], limit + 1), -1, np.int64)
    for at, (one, two, long) in enumerate(triples.tolist()):
        come = one + two + long
        if come and (wrap < ACE_BOTH or (wrap == ACE_BOTH and two < come)):
            continue
        for tiles in range(come, limit + 1):
            begin[at, tiles] = index[tiles - come, one, two + long] if wrap == CIRCULAR else index[tiles - come, 0, 0]
    return begin


@cache
def tables(colours: int, copies: int, jokers: int, wrap: int = 0, largest: int = 4, alike: bool = False) -> Tables:
    """`open_runs`, how runs wrap, what `can_be_groups` asks for, `beginnings`, and `worth_of_runs`; made once."""
    limit = copies + jokers
    largest = min(largest, 5)  # a larger group can be cut
    runs = open_runs(limit)
    groups = (group_table(colours, limit, jokers, jokers, largest, alike), largest, alike)
    return *runs, wrap, groups, beginnings(runs[0], runs[1], wrap), worth_of_runs(runs[0])
