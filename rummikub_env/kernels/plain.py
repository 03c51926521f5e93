"""The plain sweep: every way to lay tiles and wild jokers as runs and groups, value by value, on plain arrays.

Between two values a colour is described by its open runs: how many have length 1, 2, and 3 or more. Runs of
length 1 and 2 must go on. At each value the sweep chooses how many tiles of each colour lie in groups and how
many in runs; lengthening a long run before starting a new one is never worse. Every complete path through the
layered graph of such states is a legal table, every legal table a path.

Locked jokers are tiles. *Wild* ones (from the rack, or every joker where the rules let them move freely) stand
for anything. A bound on the jokers that each colour still needs cuts off what cannot be completed.

A state of open runs that is at least as good as another in every colour can do all that the other can: a run of
3 or more is better than one of 2, that better than one of 1, and one more of 3 or more does no harm. Where a
question is about the best play, a state that another one surpasses is not followed.

Where runs wrap, the sweep begins with a *guess*: for each colour the open runs that come from beyond the first value
and go on there. A path is complete if what is open at its end is at least as good as what it guessed. With `ace_both`
they end at the 1; with `circular` they go on, and the sweep may begin at any value: it does where it has least to
guess. With `ace_high` there is nothing to guess, only the 1 comes last. A run that got too long can be cut, as there
are five values or more.

A state is one int64::

    bits  0-27  a row of the table of open runs, 7 bits for each of 4 colours
    bits 28-30  wild jokers used so far
    bits 34-62  the points of an opening so far; where runs wrap, in bits 34-45, and from bit 46 on (from bit 34 on
                where no points are needed) the number of the first state of its path, which says what was guessed

and so is a step over a value, its code, 3 bits for each colour::

    bits  0-11  tiles laid beyond what must be laid       bits 39-50  tiles in groups
    bits 12-14  wild jokers laid                          bits 51-53  wild jokers in groups
    bits 15-26  tiles in runs                             bits 54-61  which tiles the loose jokers are
    bits 27-38  wild jokers in runs
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.tables import can_be_groups

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
    if tables[8] > 1:
        for colour in range(4):
            open_first = max(open_first, min(limit, min(top[colour, 0], top[colour, values - 1]) + jokers))
    guesses = first[open_first + 1]
    least = np.full((guesses, 4, values + 1, triples.shape[0]), 99, np.uint8)
    for guess in range(guesses):
        for at in range(triples.shape[0]):
            if surpasses[0, at, guess]:
                least[guess, :, values, at] = 0
    for value in range(values - 1, -1, -1):
        at_hand = jokers
        for colour in range(4):
            at_hand += top[colour, value] if alike else top[colour, value] > 0
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
def tiles_at_hand(need, may, loose):
    """How many tiles of each kind there may be, (4, values)."""
    top = need + may
    for i in range(loose.shape[0]):
        for colour in range(4):
            top[colour, loose[i, 0]] += loose[i, 1 + colour]
    return top


@njit(cache=True)
def first_value(need, may, loose, jokers, tables):
    """The value, 0-based, with which a sweep begins: where runs are circular, that with the least to guess."""
    first, wrap, values = tables[2], tables[8], need.shape[1]
    if wrap < 3:
        return int(wrap == 1)
    top = tiles_at_hand(need, may, loose)
    best, fewest = 0, np.inf
    for value in range(values):
        guesses = 1.0
        for colour in range(4):
            n_open = min(top[colour, value], top[colour, value - 1])
            guesses *= first[min(first.shape[0] - 2, n_open + jokers) + 1]
        if guesses < fewest:
            best, fewest = value, guesses
    return best


@njit(cache=True)
def turned(grid, turn, values):
    """The grid with its first `values` columns in the order in which a sweep goes that begins with column `turn`."""
    new = grid.copy()
    if grid.shape[0]:
        for value in range(values):
            new[:, value] = grid[:, (value + turn) % values]
    return new


@njit(cache=True)
def guess_bit(points, tables):
    """The first bit of the number of a guess in a state; 63 where nothing is guessed."""
    if tables[8] == 0:
        return 63
    return GUESS if points else FIELD


@njit(cache=True)
def first_states(least, jokers, guess_at):
    """The states with which a sweep begins, one for each guess that `jokers` can make true, and their number."""
    keys, n = np.zeros(128, np.int64), 1
    guesses = least.shape[0]
    for a in range(guesses if guesses > 1 else 0):
        need_a = np.int64(least[a, 0, 0, a])
        for b in range(guesses if need_a <= jokers else 0):
            need_b = need_a + least[b, 1, 0, b]
            for c in range(guesses if need_b <= jokers else 0):
                need_c = need_b + least[c, 2, 0, c]
                for d in range(guesses if need_c <= jokers else 0):
                    if need_c + least[d, 3, 0, d] <= jokers and a + b + c + d > 0:
                        if n == keys.shape[0]:
                            keys = grown(keys)
                        if n >> 63 - guess_at:
                            raise ValueError("more runs could wrap than the solver can tell apart")
                        keys[n] = a | b << 7 | c << 14 | d << 21 | n << guess_at
                        n += 1
    return keys, n


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def loose_ways(loose, value):
    """The number of ways to say which tiles the loose jokers of a value are."""
    ways = 1
    for i in range(loose.shape[0]):
        ways *= 4 if loose[i, 0] == value else 1
    return ways


@njit(cache=True)
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
def surpassed(keys, weight, first, last, points, freed, surpasses, follow):
    """Marks in `follow` which of the states keys[first:last] no other one surpasses.

    A state surpasses another with the same jokers used and runs traced if its open runs are at least as good, it
    has at least as many points, and its weight is at least as great. While some of the `freed` jokers are left,
    which only short runs may take, their short runs must be the same.
    """
    for i in range(first, last):
        follow[i] = True
    for i in range(first, last):
        if not follow[i]:
            continue
        key, heavy = keys[i], weight[i]
        level = 0 if key >> 31 & 7 == freed else 1
        for j in range(first, last):
            other = keys[j]
            if heavy < weight[j] or (key ^ other) >> WILD & 63 or not follow[j] or i == j:
                continue
            if key >> FIELD < other >> FIELD or (key >> FIELD > other >> FIELD and not points):
                continue
            if (
                surpasses[level, key & SLOT, other & SLOT]
                and surpasses[level, key >> 7 & SLOT, other >> 7 & SLOT]
                and surpasses[level, key >> 14 & SLOT, other >> 14 & SLOT]
                and surpasses[level, key >> 21 & SLOT, other >> 21 & SLOT]
            ):
                follow[j] = False


@njit(cache=True)
def _options(key, guess, value, colours, limit, wild, low, top, triples, after, least, start, options):
    """What each colour can do with its runs at a value: rows of (tiles, wild jokers, open runs after, jokers needed).

    The rows of a colour are in the order of its tiles; start[colour, n]: the first with n tiles or more. Returns for
    each colour a bit set: bit g if it can lay in runs what g tiles in groups leave.
    """
    all_fits = 0
    for colour in range(4):
        at = key >> 7 * colour & SLOT
        own_wild = wild if colour < colours else 0
        must = triples[at, 0] + triples[at, 1]
        if value == 0:
            must += triples[at, 2]
        ends = guess >> 7 * colour & SLOT
        n = 0
        for tiles in range(top[colour] + 1):
            start[colour, tiles] = n
            for n_wild in range(max(0, must - tiles), min(own_wild, limit - tiles) + 1):
                then = after[at, tiles + n_wild]
                still = least[ends, colour, value + 1, then]
                if n_wild + still <= wild:
                    options[colour, n, 0], options[colour, n, 1] = tiles, n_wild
                    options[colour, n, 2], options[colour, n, 3] = then, still
                    n += 1
        start[colour, top[colour] + 1] = n
        if n == 0:
            return 0
        for in_groups in range(top[colour] + 1):
            if start[colour, max(0, low[colour] - in_groups)] < start[colour, top[colour] - in_groups + 1]:
                all_fits |= 1 << 8 * colour + in_groups
    return all_fits


@njit(cache=True)
def _cross(
    value,
    guess_at,
    colours,
    may,
    low,
    choices,
    n_choices,
    way,
    wild_max,
    points,
    worth,
    weights,
    steady,
    bonus,
    least,
    tables,
    states,
    n,
    n_edges,
    keys,
    follow,
    weight,
    came,
    source,
    target,
    code,
    table,
    start,
    options,
):
    """Every step over a value from the states[0] to states[1], in one way to read its loose jokers.

    New states follow from `states[1]` on, the n-th is the next; so are edges. Returns the numbers of both after it, 0
    and 0 where the arrays are too short.
    """
    triples, after = tables[0], tables[3] if value else tables[7]
    limit = after.shape[1] - 1
    top = low + may[:, value]
    weighs, steadies = weights.shape[0] > 0, steady.shape[0] > 0
    room, edge_room = keys.shape[0], source.shape[0]
    for state in range(states[0], states[1]):
        if not follow[state]:
            continue
        key = keys[state]
        used = key >> WILD & 7
        wild = wild_max - used
        guess = key >> guess_at
        fits = _options(
            key, keys[guess], value, colours, limit, wild, low, top, triples, after, least, start, options
        )  # fmt: skip
        if fits == 0:
            continue
        used |= guess << guess_at - WILD
        had = key >> FIELD & (1 << guess_at - FIELD) - 1
        for choice in range(n_choices):
            g0, g1, g2, g3 = choices[choice, 0], choices[choice, 1], choices[choice, 2], choices[choice, 3]
            n_wild = choices[choice, 4]
            if n_wild > wild or fits >> g0 & fits >> 8 + g1 & fits >> 16 + g2 & fits >> 24 + g3 & 1 == 0:
                continue
            grouped = g0 | g1 << 3 | g2 << 6 | g3 << 9
            a0, a1 = start[0, max(0, low[0] - g0)], start[0, top[0] - g0 + 1]
            b0, b1 = start[1, max(0, low[1] - g1)], start[1, top[1] - g1 + 1]
            c0, c1 = start[2, max(0, low[2] - g2)], start[2, top[2] - g2 + 1]
            d0, d1 = start[3, max(0, low[3] - g3)], start[3, top[3] - g3 + 1]
            base = weight[state] + bonus * n_wild
            if steadies:
                for colour in range(4):
                    base -= SCALE * abs(choices[choice, colour] - steady[colour, value])
            for a in range(a0, a1):
                wild_a = n_wild + options[0, a, 1]
                still_a = options[0, a, 3]
                if wild_a + still_a > wild:
                    continue
                for b in range(b0, b1):
                    wild_b = wild_a + options[1, b, 1]
                    still_b = still_a + options[1, b, 3]
                    if wild_b + still_b > wild:
                        continue
                    for c in range(c0, c1):
                        wild_c = wild_b + options[2, c, 1]
                        still_c = still_b + options[2, c, 3]
                        if wild_c + still_c > wild:
                            continue
                        for d in range(d0, d1):
                            wild_d = wild_c + options[3, d, 1]
                            if wild_d + still_c + options[3, d, 3] > wild:
                                continue
                            if n == room or n_edges == edge_room:
                                return 0, 0
                            r0, r1, r2, r3 = options[0, a, 0], options[1, b, 0], options[2, c, 0], options[3, d, 0]
                            e0, e1, e2, e3 = r0 + g0 - low[0], r1 + g1 - low[1], r2 + g2 - low[2], r3 + g3 - low[3]
                            then = options[0, a, 2] | options[1, b, 2] << 7
                            then |= options[2, c, 2] << 14 | options[3, d, 2] << 21 | used + wild_d << WILD
                            if points:
                                n_tiles = r0 + r1 + r2 + r3 + g0 + g1 + g2 + g3 + worth[1] * wild_d
                                then |= min(points, had + n_tiles * worth[0]) << FIELD
                            total = base
                            if weighs:
                                more = weights[0, value] * e0 + weights[1, value] * e1
                                more += weights[2, value] * e2 + weights[3, value] * e3
                                total += SCALE * (more + weights[0, may.shape[1]] * wild_d)
                            known = n
                            to, n = find_or_add(then, table, states[1], keys, n)
                            source[n_edges], target[n_edges] = state, to
                            step = e0 | e1 << 3 | e2 << 6 | e3 << 9 | wild_d << 12
                            step |= (r0 | r1 << 3 | r2 << 6 | r3 << 9) << 15
                            in_runs = options[0, a, 1] | options[1, b, 1] << 3
                            in_runs |= options[2, c, 1] << 6 | options[3, d, 1] << 9
                            code[n_edges] = step | in_runs << 27 | grouped << 39 | n_wild << 51 | way << 54
                            if to == known or total > weight[to]:
                                weight[to], came[to] = total, n_edges
                            n_edges += 1
    return n, n_edges


@njit(cache=True)
def sweep(
    colours,
    need,
    may,
    loose,
    wild_min,
    wild_max,
    points,
    joker_points,
    mirrored,
    follow_all,
    weights,
    steady,
    bonus,
    tables,
):
    """The layered graph of all ways to lay the tiles.

    need, may: (4, values) int64, tiles and locked jokers that must, and tiles that may, be laid.
    loose: (n, 5) int64, locked jokers that may be one of several tiles of a value: the value (0-based), and
    for each colour whether it may be that one.
    wild_min, wild_max: how many wild jokers must and may be laid.
    points: the least value of an opening (0: no opening); joker_points: 1 if its jokers count, else 0.
    mirrored: 1 if the arrays run from the highest value to the lowest, else 0.
    follow_all: 1 if states are followed that another one surpasses, else 0.
    weights: (4, values + 1) int64, of each tile laid beyond need; weights[0, values] of each wild joker; empty: 0.
    steady: (4, values) int64, how many of each tile lay in groups; each tile more or less costs 1; empty: none.
    bonus: what a wild joker in a group weighs, where 16 is a unit of weight.
    tables: `tables.tables`.

    Returns keys, layer, source, target, code, edge_layer, complete, follow, weight, came, turn. The
    v-th to come is value (v + turn) % values; the states before it are keys[layer[v]:layer[v + 1]], the edges over it
    edge_layer[v]:edge_layer[v + 1]; complete: (states after the last value,) bool; follow, weight, came: of each state
    whether it was followed, the greatest weight of a path to it, and its last edge.
    """
    groups, limit = tables[6], tables[3].shape[1] - 1
    values, jokers = need.shape[1], max(0, wild_max)
    turn = first_value(need, may, loose, jokers, tables)
    if turn:
        need, may, loose = turned(need, turn, values), turned(may, turn, values), loose.copy()
        weights, steady = turned(weights, turn, values), turned(steady, turn, values)
        loose[:, 0] = (loose[:, 0] - turn) % values
    least = jokers_needed(need, may, loose, jokers, 0, tables)
    guess_at = guess_bit(points, tables)
    keys, n_first = first_states(least, jokers, guess_at)
    room, layer = keys.shape[0], np.zeros(values + 2, np.int64)
    follow, weight, came = np.ones(room, np.bool_), np.zeros(room, np.int64), np.full(room, -1, np.int64)
    source, target, code = np.empty(2 * room, np.int64), np.empty(2 * room, np.int64), np.empty(2 * room, np.int64)
    edge_layer = np.zeros(values + 1, np.int64)
    table = np.full(2 * room, -1, np.int64)
    low = np.zeros(4, np.int64)
    start = np.empty((4, limit + 2), np.int64)
    options = np.empty((4, (limit + 1) * (jokers + 1), 4), np.int64)
    choices = np.empty((room_for_choices(need, may, loose, jokers, 0), 6), np.int64)
    layer[1] = n_first
    value = np.int64(0)
    while value < values:
        worth = (values - value if mirrored else (value + turn) % values + 1, joker_points)
        first, n_keys, n_edges = layer[value + 1], layer[value + 1], edge_layer[value]
        for way in range(loose_ways(loose, value)):
            if n_keys and with_loose(loose, value, way, need, low):
                n_choices = group_choices(low + may[:, value], wild_max, 0, 0, groups, choices)
                n_keys, n_edges = _cross(
                    value, guess_at, colours, may, low, choices, n_choices, way, wild_max, points, worth, weights,
                    steady, bonus, least, tables, (layer[value], first), n_keys, n_edges, keys, follow, weight, came,
                    source, target, code, table, start, options,
                )  # fmt: skip
        if n_keys == 0:  # no room left: this value again with twice as much
            keys, follow, weight, came = grown(keys), grown(follow), grown(weight), grown(came)
            source, target, code = grown(source), grown(target), grown(code)
            table = np.full(2 * table.shape[0], -1, np.int64)
            continue
        layer[value + 2], edge_layer[value + 1] = n_keys, n_edges
        follow[first:n_keys] = True
        if not follow_all:  # those of one guess stand together
            for end in range(first + 1, n_keys + 1):
                if end == n_keys or (keys[end] ^ keys[first]) >> guess_at:
                    surpassed(keys, weight, first, end, points, 0, tables[4], follow)
                    first = end
        value += 1
    first, n_keys = layer[values], layer[values + 1]
    complete = np.zeros(n_keys - first, np.bool_)
    for i in range(complete.shape[0]):
        key = keys[first + i]
        complete[i] = (key >> WILD & 7) >= wild_min and (key >> FIELD & (1 << guess_at - FIELD) - 1) >= points
    return (
        keys[:n_keys],
        layer,
        source[:n_edges],
        target[:n_edges],
        code[:n_edges],
        edge_layer,
        complete,
        follow[:n_keys],
        weight[:n_keys],
        came[:n_keys],
        turn,
    )
