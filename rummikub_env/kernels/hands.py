"""What is at hand in a sweep, and what that rules out: tiles without company, jokers that are needed, groups."""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.tables import can_be_groups


@njit(cache=True)
def tiles_at_hand(need, may, loose):
    """How many tiles of each kind there may be, (4, values)."""
    top = need + may
    for i in range(loose.shape[0]):
        for colour in range(4):
            top[colour, loose[i, 0]] += loose[i, 1 + colour]
    return top


@njit(cache=True)
def relevant(need, may, loose, jokers, tables):
    """`may` without the tiles that no set can hold, whatever else is laid, as they have no company at hand.

    Tiles that are company only for such tiles fall with them.
    """
    may, top = may.copy(), tiles_at_hand(need, may, loose)
    _drop_alone(may, top, jokers, tables[6][2], tables[5])
    return may


@leaf
def _drop_alone(may, top, jokers, alike, wrap):
    """Takes tiles without company from `may` and from `top`, both (4, values)."""
    values = may.shape[1]
    again = jokers < 2  # two make a set with any tile
    while again:
        again = False
        for colour in range(4):
            for value in range(values):
                if may[colour, value] and not has_company(top, colour, value, jokers, alike, wrap):
                    top[colour, value] -= may[colour, value]
                    may[colour, value] = 0
                    again = again or top[colour, value] == 0


@leaf
def has_company(top, colour, value, jokers, alike, wrap):
    """Can a tile lie in a set of the tiles `top` and at most one joker?"""
    values = top.shape[1]
    if company_at_hand(top, value, alike) + jokers >= 3:
        return True
    near = np.int64(0)  # a bit for each of the five values around it that there is
    for i in range(5):
        other = value + i - 2
        if wrap:
            other %= values
        if 0 <= other < values and top[colour, other]:
            near |= 1 << i
    if jokers:
        return near & 0b11011 != 0
    return near & 0b00011 == 0b00011 or near & 0b01010 == 0b01010 or near & 0b11000 == 0b11000


@leaf
def company_at_hand(top, value, alike):
    """How many tiles of the value one group may hold: one of each colour; alike: all."""
    n = 0
    for colour in range(4):
        n += top[colour, value] if alike else top[colour, value] > 0
    return n


@njit(cache=True)
def jokers_needed(need, may, loose, jokers, freed, tables):
    """How many jokers each colour by itself needs at least to end its open runs well.

    Returns (guesses, 4, values + 1, rows) uint8, 99 where it cannot, for each guess of a colour and open runs before
    each value. What the groups take is free within what there is. Up to `freed` tiles may lie in runs that are not
    counted as open.
    """
    triples, first, after, surpasses, begin = tables[0], tables[2], tables[3], tables[4], tables[7]
    alike = tables[6][2]
    values, limit = need.shape[1], after.shape[1] - 1
    top = tiles_at_hand(need, may, loose)
    open_first = 0
    if tables[5] > 1:
        for colour in range(4):
            open_first = max(open_first, min(limit, min(top[colour, 0], top[colour, values - 1]) + jokers))
    guesses = first[open_first + 1]
    least = np.full((guesses, 4, values + 1, triples.shape[0]), 99, np.uint8)
    for guess in range(guesses):
        for at in range(triples.shape[0]):
            if surpasses[at, guess]:
                least[guess, :, values, at] = 0
    for value in range(values - 1, -1, -1):
        at_hand = jokers + company_at_hand(top, value, alike)
        for colour in range(4):
            most = top[colour, value]
            fewest = 0 if at_hand - (most > 0) >= 2 else max(0, need[colour, value] - freed)
            tiles_most = min(limit, most + jokers) + 1
            for guess in range(guesses):
                if begin[guess, limit] < 0:
                    continue
                if value == 0:
                    for tiles in range(max(fewest, triples[guess].sum()), tiles_most):
                        cost = least[guess, colour, 1, begin[guess, tiles]] + max(0, tiles - most)
                        least[guess, colour, 0, guess] = min(least[guess, colour, 0, guess], cost)
                    continue
                open_before = min(limit, top[colour, value - 1] + jokers)
                for at in range(first[open_before + 1]):
                    best = 99
                    for tiles in range(max(fewest, triples[at, 0] + triples[at, 1]), tiles_most):
                        cost = least[guess, colour, value + 1, after[at, tiles]] + max(0, tiles - most)
                        best = min(best, cost)
                    least[guess, colour, value, at] = best
    return least


@njit(cache=True)
def room_for_choices(need, may, loose, wild, freed):
    """The most rows that `group_choices` can need at a value."""
    room = 0
    for value in range(need.shape[1]):
        product = (wild + 1) * (freed + 1)
        for colour in range(4):
            top = 1 + need[colour, value] + may[colour, value]
            for i in range(loose.shape[0]):
                top += loose[i, 0] == value
            product *= top
        room = max(room, product)
    return room


@leaf
def group_choices(top, wild, freed, old, groups, rows):
    """All tiles and jokers of a value that may lie in groups: how many rows of 4 colours, wild and freed jokers."""
    n = 0
    for n_freed in range(freed + 1):
        for n_wild in range(wild + 1):
            for a in range(top[0] + 1):
                for b in range(top[1] + 1):
                    for c in range(top[2] + 1):
                        for d in range(top[3] + 1):
                            if can_be_groups(groups, n_freed, n_wild, old, a, b, c, d):
                                rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = a, b, c, d
                                rows[n, 4], rows[n, 5] = n_wild, n_freed
                                n += 1
    return n


@leaf
def loose_ways(loose, value):
    """The number of ways to say which tiles the loose jokers of a value are."""
    ways = 1
    for i in range(loose.shape[0]):
        ways *= 4 if loose[i, 0] == value else 1
    return ways


@leaf
def with_loose(loose, value, way, need, low):
    """The tiles that must lie at `value` in this way; False where a joker may not be that tile."""
    for colour in range(4):
        low[colour] = need[colour, value]
    possible = True
    for i in range(loose.shape[0]):
        if loose[i, 0] == value:
            possible = possible and loose[i, 1 + way % 4] != 0
            low[way % 4] += 1
            way //= 4
    return possible


@njit(cache=True)
def points_at_most(need, may, loose, jokers, turn):
    """What all tiles and so many jokers together can be worth in an opening."""
    values, top = need.shape[1], tiles_at_hand(need, may, loose)
    points = jokers * values
    for value in range(values):
        for colour in range(4):
            points += top[colour, value] * ((value + turn) % values + 1)
    return points
