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
                where no points are needed) the number of the first state of its path, which says what was guessed;
                where plays are listed and runs do not wrap, there its *sign*: which tiles it has laid so far

and so is a step over a value, its code, 3 bits for each colour::

    bits  0-11  tiles laid beyond what must be laid       bits 39-50  tiles in groups
    bits 12-14  wild jokers laid                          bits 51-53  wild jokers in groups
    bits 15-26  tiles in runs                             bits 54-61  which tiles the loose jokers are
    bits 27-38  wild jokers in runs
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.tables import can_be_groups

SLOT = 0x7F
WILD, FIELD, GUESS = 28, 34, 46
SCALE = 16
"""What a unit of weight counts against a wild joker in a group, which breaks ties: such sets are new."""
ANY_WEIGHT = -(1 << 62)
"""Less than any path weighs."""
EVERY = 1 << 62
"""More edges than any graph has."""
MOST_COMPARED = 2000
"""Where plays are listed, and few states surpass others, no more than these are compared with each other."""
EDGE_BYTES = 2 * (3 * 8 + 7 * 8)
"""What an edge of a graph and a state take at most, twice, as arrays grow."""


@njit(cache=True)
def grown(array):
    """The same array with twice the room."""
    bigger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    bigger[: array.shape[0]] = array
    return bigger


@njit(cache=True)
def relevant(need, may, loose, jokers, tables):
    """`may` without the tiles that no set can hold, whatever else is laid, as they have no company at hand.

    Tiles that are company only for such tiles fall with them.
    """
    may, top, values = may.copy(), tiles_at_hand(need, may, loose), need.shape[1]
    again = jokers < 2  # two make a set with any tile
    while again:
        again = False
        for colour in range(4):
            for value in range(values):
                if may[colour, value] and not has_company(top, colour, value, jokers, tables[6][2], tables[5]):
                    top[colour, value] -= may[colour, value]
                    may[colour, value] = 0
                    again = again or top[colour, value] == 0
    return may


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
    first, wrap, values = tables[2], tables[5], need.shape[1]
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
    if tables[5] == 0:
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
def worth_of_runs(triples):
    """For each row of open runs a number whose 3 digits to base 16 are at least those of what it surpasses."""
    worth = np.empty(triples.shape[0], np.int64)
    for row in range(triples.shape[0]):
        one, two, long = triples[row, 0], triples[row, 1], triples[row, 2]
        worth[row] = 7 - one | 7 - one - two << 4 | one + two + long << 8
    return worth


_GUARDS, _SHORT = 0x888888888888, 0x077077077077
"""Of the digits of four colours the bits that are never set, and those that tell of the short runs."""


@leaf
def surpassed(keys, weight, first, last, points, freed, worth, follow, best, worths):
    """Marks in `follow` which of the states keys[first:last] no other one surpasses.

    A state surpasses another with the same jokers used and runs traced if its open runs are at least as good, it
    has at least as many points, and its weight is at least as great. While some of the `freed` jokers are left,
    which only short runs may take, their short runs must be the same. best, worths: room for as many numbers as there
    are states.
    """
    n = 0  # of the states that none surpasses so far
    for i in range(first, last):
        key, heavy = keys[i], weight[i]
        own = worth[key & SLOT] | worth[key >> 7 & SLOT] << 12 | worth[key >> 14 & SLOT] << 24
        own |= worth[key >> 21 & SLOT] << 36
        same = 0 if key >> 31 & 7 == freed else _SHORT
        follow[i] = True
        at = 0
        while at < n:
            j, its = best[at], worths[at]
            differs = key ^ keys[j]
            if differs >> WILD & 7 == 0 and (own ^ its) & same == 0 and (points or differs >> 31 == 0):
                more = keys[j] >> 31 >= key >> 31
                if more and weight[j] >= heavy and (its | _GUARDS) - own & _GUARDS == _GUARDS:
                    follow[i] = False
                    break
                more = key >> 31 >= keys[j] >> 31
                if more and heavy >= weight[j] and (own | _GUARDS) - its & _GUARDS == _GUARDS:
                    follow[j] = False
                    n -= 1
                    best[at], worths[at] = best[n], worths[n]
                    continue
            at += 1
        if follow[i]:
            best[n], worths[n] = i, own
            n += 1


# What a colour can do with its runs at a value, and what can lie in groups there: columns of their rows. What these
# add to the key and the code of a step, to its weight, and to the tiles that count in an opening; the jokers that a
# colour uses and will need; the jokers in groups, and a bit for what each colour lays in them.
_KEY, _CODE, _WEIGHT, _TILES, _COST, _FITS = range(6)


@leaf
def _still_needed(one, two, colour, value, top):
    """How many jokers a colour needs at least to end runs of 1 and 2 that are open before a value; 99: it cannot."""
    values = top.shape[1]
    jokers = 0
    if one + two > 0:
        if value == values or (one > 0 and value == values - 1):
            return 99
        jokers = max(0, one + two - top[colour, value])
        if one > 0:
            jokers += max(0, one - top[colour, value + 1])
    return jokers


@leaf
def _list_options(
    colour,
    at,
    ends,
    value,
    wild,
    budget,
    low,
    top,
    at_hand,
    least,
    weigh,
    signs,
    joker_points,
    triples,
    after,
    begin,
    options,
    n,
    start,
):
    """Adds to `options`, from row n on, what a colour can do with its runs; the number of rows, and bits.

    at: its open runs; ends: the guess for them. All its jokers must be within the `budget`. The rows are in the order
    of its tiles; start[colour, at, n]: the first with n tiles or more. Bit g: it can lay what g tiles in groups leave.
    """
    limit, joker_weight = after.shape[1] - 1, weigh[0, weigh.shape[1] - 1]
    must = triples[at, 0] + triples[at, 1] + (0 if value else triples[at, 2])
    for tiles in range(top[colour] + 1):
        start[colour, at, tiles] = n
        for n_wild in range(max(0, must - tiles), min(wild, limit - tiles) + 1):
            then = after[at, tiles + n_wild] if value else begin[at, tiles + n_wild]
            if least.shape[0]:
                cost = n_wild + np.int64(least[ends, colour, value + 1, then])
            else:
                cost = n_wild + _still_needed(triples[then, 0], triples[then, 1], colour, value + 1, at_hand)
            if cost <= budget:
                options[n, _KEY] = (then << 7 * colour | n_wild << WILD) + tiles * signs[colour, value]
                options[n, _CODE] = tiles << 3 * colour | n_wild << 12 | (tiles << 15 | n_wild << 27) << 3 * colour
                options[n, _WEIGHT] = weigh[colour, value] * tiles + joker_weight * n_wild
                options[n, _TILES] = tiles + joker_points * n_wild
                options[n, _COST] = cost
                n += 1
    start[colour, at, top[colour] + 1] = n
    fits = np.int64(0)
    for in_groups in range(top[colour] + 1):
        if start[colour, at, max(0, low[colour] - in_groups)] < start[colour, at, top[colour] - in_groups + 1]:
            fits |= 1 << in_groups
    return n, fits


@leaf
def _list_choices(choices, n_choices, value, low, way, weigh, signs, steady, bonus, joker_points, listed):
    """Writes to `listed` what the choices of tiles and jokers in groups add to a step."""
    for i in range(n_choices):
        n_wild, code, weight, tiles, fits = choices[i, 4], way << 54, np.int64(0), np.int64(0), np.int64(0)
        sign = np.int64(0)
        for colour in range(4):
            n = choices[i, colour]
            code += (n - low[colour] << 3 * colour) + (n << 39 + 3 * colour)
            weight += weigh[colour, value] * (n - low[colour])
            sign += signs[colour, value] * (n - low[colour])
            if steady.shape[0]:
                weight -= SCALE * abs(n - steady[colour, value])
            tiles += n
            fits |= 1 << 8 * colour + n
        listed[i, _KEY] = (n_wild << WILD) + sign
        listed[i, _CODE] = code + (n_wild << 12) + (n_wild << 51)
        listed[i, _WEIGHT] = weight + (weigh[0, weigh.shape[1] - 1] + bonus) * n_wild
        listed[i, _TILES] = tiles + joker_points * n_wild
        listed[i, _COST], listed[i, _FITS] = n_wild, fits


@leaf
def _cross(
    value,
    first,
    last,
    guess_at,
    colours,
    low,
    top,
    choices,
    listed,
    n_choices,
    worth,
    wild_max,
    points,
    joker_points,
    weigh,
    signs,
    sign_at,
    most_edges,
    at_least,
    left,
    left_by_joker,
    at_hand,
    least,
    triples,
    after,
    begin,
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
    options,
    start,
    fits,
    known,
    ends,
):
    """Every step over a value from the states first:last, in one way to read its loose jokers.

    New states follow from `last` on, the n-th is the next; so are edges. left, left_by_joker: what a path can still
    gain after the value by tiles and by each joker. It breaks off where there are more than most_edges. Returns the
    numbers of both after it, -1 and -1 where the arrays are too short.
    """
    room, edge_room = keys.shape[0], source.shape[0]
    guess, n_options = np.int64(-1), np.int64(1)
    options[0] = 0
    for state in range(first, last):
        if not follow[state]:
            continue
        key = keys[state]
        if key >> guess_at != guess:
            guess = key >> guess_at
            known[:] = False
            n_options = np.int64(1)
            for colour in range(4):
                ends[colour] = keys[guess] >> 7 * colour & SLOT
        wild = wild_max - (key >> WILD & 7)
        all_fits = np.int64(0)
        for colour in range(4):
            at = key >> 7 * colour & SLOT
            if at == 0 and top[colour] == 0 and wild_max <= 0 and least.shape[0] == 0:
                start[colour, 0, 0], start[colour, 0, 1], fits[colour, 0] = 0, 1, 1
            elif not known[colour, at]:
                known[colour, at] = True
                n_options, fits[colour, at] = _list_options(
                    colour,
                    at,
                    ends[colour],
                    value,
                    wild_max if colour < colours else 0,
                    wild_max,
                    low,
                    top,
                    at_hand,
                    least,
                    weigh,
                    signs,
                    joker_points,
                    triples,
                    after,
                    begin,
                    options,
                    n_options,
                    start,
                )
            all_fits |= fits[colour, at] << 8 * colour
        had = key >> FIELD & (1 << min(guess_at, sign_at) - FIELD) - 1
        base = (key & 7 << WILD) + (guess << guess_at) + (key >> sign_at << sign_at)
        at0, at1, at2, at3 = key & SLOT, key >> 7 & SLOT, key >> 14 & SLOT, key >> 21 & SLOT
        for i in range(n_choices):
            if listed[i, _FITS] & ~all_fits or listed[i, _COST] > wild:
                continue
            g0, g1, g2, g3 = choices[i, 0], choices[i, 1], choices[i, 2], choices[i, 3]
            for a in range(start[0, at0, max(0, low[0] - g0)], start[0, at0, top[0] - g0 + 1]):
                cost_a = listed[i, _COST] + options[a, _COST]
                if cost_a > wild:
                    continue
                for b in range(start[1, at1, max(0, low[1] - g1)], start[1, at1, top[1] - g1 + 1]):
                    cost_b = cost_a + options[b, _COST]
                    if cost_b > wild:
                        continue
                    for c in range(start[2, at2, max(0, low[2] - g2)], start[2, at2, top[2] - g2 + 1]):
                        cost_c = cost_b + options[c, _COST]
                        if cost_c > wild:
                            continue
                        for d in range(start[3, at3, max(0, low[3] - g3)], start[3, at3, top[3] - g3 + 1]):
                            if cost_c + options[d, _COST] > wild:
                                continue
                            total = weight[state] + listed[i, _WEIGHT] + options[a, _WEIGHT] + options[b, _WEIGHT]
                            total += options[c, _WEIGHT] + options[d, _WEIGHT]
                            then = base + listed[i, _KEY] + options[a, _KEY] + options[b, _KEY] + options[c, _KEY]
                            then += options[d, _KEY]
                            if total + left + left_by_joker * (wild_max - (then >> WILD & 7)) < at_least:
                                continue
                            if n_edges > most_edges:
                                return n, n_edges
                            if n == room or n_edges == edge_room:
                                return -1, -1
                            if points:
                                tiles = listed[i, _TILES] + options[a, _TILES] + options[b, _TILES]
                                tiles += options[c, _TILES] + options[d, _TILES]
                                then |= min(points, had + tiles * worth) << FIELD
                            new = n
                            to, n = find_or_add(then, table, last, keys, n)
                            source[n_edges], target[n_edges] = state, to
                            step_code = listed[i, _CODE] + options[a, _CODE] + options[b, _CODE]
                            code[n_edges] = step_code + options[c, _CODE] + options[d, _CODE]
                            if to == new or total > weight[to]:
                                weight[to], came[to] = total, n_edges
                            n_edges += 1
    return n, n_edges


@leaf
def _layers(
    value, problem, bounds, tables, work, layer, edge_layer, keys, follow, weight, came, source, target, code, table,
    best, worths,
):  # fmt: skip
    """All steps over `value` and those that follow; returns the value for which there is no room, else their number."""
    colours, need, may, loose, wild_max, points, joker_points, weigh, steady, bonus, at_least, signs = problem
    follow_all, most_edges, guess_at, sign_at, turn, left, left_by_joker, at_hand, least, runs_worth = bounds
    options, start, fits, known, ends, choices, listed = work
    triples, after, groups, begin = tables[0], tables[3], tables[6], tables[7]
    values, (low, top, guessed) = need.shape[1], (ends[0], ends[1], ends[2])
    while value < values:
        worth = (value + turn) % values + 1
        first, n_keys, n_edges = layer[value + 1], layer[value + 1], edge_layer[value]
        for way in range(loose_ways(loose, value)):
            if layer[value] < first and with_loose(loose, value, way, need, low):
                for colour in range(4):
                    top[colour] = low[colour] + may[colour, value]
                n_choices = group_choices(top, wild_max, 0, 0, groups, choices)
                _list_choices(choices, n_choices, value, low, way, weigh, signs, steady, bonus, joker_points, listed)
                n_keys, n_edges = _cross(
                    value, layer[value], first, guess_at, colours, low, top, choices, listed, n_choices, worth,
                    wild_max, points, joker_points, weigh, signs, sign_at, most_edges, at_least, left[value + 1],
                    left_by_joker, at_hand, least, triples, after, begin, n_keys, n_edges, keys, follow, weight, came,
                    source, target, code, table, options, start, fits, known, guessed,
                )  # fmt: skip
                if n_keys < 0:
                    return value
        layer[value + 2], edge_layer[value + 1] = n_keys, n_edges
        follow[first:n_keys] = n_edges <= most_edges
        compares = sign_at == 63 or n_keys - first <= MOST_COMPARED
        if not follow_all and compares and n_edges <= most_edges:  # those of one guess stand together
            for end in range(first + 1, n_keys + 1):
                if end == n_keys or (keys[end] ^ keys[first]) >> guess_at:
                    surpassed(keys, weight, first, end, points, 0, runs_worth, follow, best, worths)
                    first = end
        value += 1
    return value


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
    follow_all,
    weights,
    steady,
    bonus,
    at_least,
    signs,
    most_edges,
    tables,
):
    """The layered graph of all ways to lay the tiles.

    need, may: (4, values) int64, tiles and locked jokers that must, and tiles that may, be laid.
    loose: (n, 5) int64, locked jokers that may be one of several tiles of a value: the value (0-based), and
    for each colour whether it may be that one.
    wild_min, wild_max: how many wild jokers must and may be laid.
    points: the least value of an opening (0: no opening); joker_points: 1 if its jokers count, else 0.
    follow_all: 1 if states are followed that another one surpasses, else 0.
    weights: (4, values + 1) int64, of each tile laid beyond need; weights[0, values] of each wild joker; empty: 0.
    steady: (4, values) int64, how many of each tile lay in groups; each tile more or less costs 1; empty: none.
    bonus: what a wild joker in a group weighs, where 16 is a unit of weight.
    at_least: no path that weighs less, in 16ths, is asked for, and some are left out.
    signs: `signs_of`, to list all plays; empty: none.
    most_edges: if there are more edges, the sweep breaks off and says that no path is complete.
    tables: `tables.tables`.

    Returns keys, layer, source, target, code, edge_layer, complete, follow, weight, came, turn. The
    v-th to come is value (v + turn) % values; the states before it are keys[layer[v]:layer[v + 1]], the edges over it
    edge_layer[v]:edge_layer[v + 1]; complete: (states after the last value,) bool; follow, weight, came: of each state
    whether it was followed, the greatest weight of a path to it, and its last edge.
    """
    triples, after = tables[0], tables[3]
    limit, n_rows = after.shape[1] - 1, triples.shape[0]
    values, jokers = need.shape[1], max(0, wild_max)
    turn = first_value(need, may, loose, jokers, tables)
    if turn:
        need, may, loose = turned(need, turn, values), turned(may, turn, values), loose.copy()
        weights, steady = turned(weights, turn, values), turned(steady, turn, values)
        loose[:, 0] = (loose[:, 0] - turn) % values
    may = relevant(need, may, loose, jokers, tables)
    weigh = SCALE * weights if weights.shape[0] else np.zeros((4, values + 1), np.int64)
    left, left_by_joker = what_is_left(may, weigh), max(0, weigh[0, values]) + bonus
    at_hand, least = tiles_at_hand(need, may, loose), np.zeros((0, 4, 1, 1), np.uint8)
    if tables[5] > 1:
        least = jokers_needed(need, may, loose, jokers, 0, tables)
    guess_at, sign_at = guess_bit(points, tables), np.int64(63)
    if signs.shape[0]:
        sign_at = np.int64(GUESS if points else FIELD)
    else:
        signs = np.zeros((4, values), np.int64)
    keys, n_first = first_states(least, jokers, guess_at)
    room, layer, edge_layer = keys.shape[0], np.zeros(values + 2, np.int64), np.zeros(values + 1, np.int64)
    follow, weight, came = np.ones(room, np.bool_), np.zeros(room, np.int64), np.full(room, -1, np.int64)
    source, target, code = np.empty(2 * room, np.int64), np.empty(2 * room, np.int64), np.empty(2 * room, np.int64)
    best, worths = np.empty(room, np.int64), np.empty(room, np.int64)
    table = np.full(2 * room, -1, np.int64)
    options = np.empty((4 * n_rows * (limit + 1) * (jokers + 1) + 1, 5), np.int64)
    start, fits = np.empty((4, n_rows, limit + 2), np.int64), np.empty((4, n_rows), np.int64)
    known, ends = np.empty((4, n_rows), np.bool_), np.zeros((3, 4), np.int64)
    choices = np.empty((room_for_choices(need, may, loose, jokers, 0), 6), np.int64)
    listed = np.empty_like(choices)
    runs_worth = worth_of_runs(triples)
    if points and points_at_most(need, may, loose, jokers * joker_points, turn) < points:
        follow[:] = False
    layer[1] = n_first
    problem = (colours, need, may, loose, wild_max, points, joker_points, weigh, steady, bonus, at_least, signs)
    bounds = (follow_all, most_edges, guess_at, sign_at, turn, left, left_by_joker, at_hand, least, runs_worth)
    work = (options, start, fits, known, ends, choices, listed)
    value = np.int64(0)
    while True:
        value = _layers(
            value, problem, bounds, tables, work, layer, edge_layer, keys, follow, weight, came, source, target, code,
            table, best, worths,
        )  # fmt: skip
        if value == values:
            break
        # no room left: this value again with twice as much
        keys, follow, weight, came = grown(keys), grown(follow), grown(weight), grown(came)
        source, target, code = grown(source), grown(target), grown(code)
        best, worths = grown(best), grown(worths)
        table = np.full(2 * table.shape[0], -1, np.int64)
    first, n_keys, n_edges = layer[values], layer[values + 1], edge_layer[values]
    complete = np.zeros(n_keys - first, np.bool_)
    for i in range(complete.shape[0]):
        key = keys[first + i]
        had = key >> FIELD & (1 << min(guess_at, sign_at) - FIELD) - 1
        complete[i] = (key >> WILD & 7) >= wild_min and had >= points and n_edges <= most_edges
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


@njit(cache=True)
def signs_of(may, points):
    """What each tile adds to the sign of a state, (4, values) int64, so that no two plays have the same sign.

    Empty where the signs have no room in a state.
    """
    signs, at = np.zeros_like(may), GUESS if points else FIELD
    for colour in range(4):
        for value in range(may.shape[1]):
            most = may[colour, value]
            if most and at < 63:
                signs[colour, value] = 1 << at
            while most:
                most >>= 1
                at += 1
    return signs if at <= 63 else signs[:0]


@njit(cache=True)
def points_at_most(need, may, loose, jokers, turn):
    """What all tiles and so many jokers together can be worth in an opening."""
    values, top = need.shape[1], tiles_at_hand(need, may, loose)
    points = jokers * values
    for value in range(values):
        for colour in range(4):
            points += top[colour, value] * ((value + turn) % values + 1)
    return points


@njit(cache=True)
def what_is_left(may, weigh):
    """What all tiles from each value on weigh together, (values + 1,)."""
    values = may.shape[1]
    left = np.zeros(values + 1, np.int64)
    for value in range(values - 1, -1, -1):
        left[value] = left[value + 1]
        for colour in range(4):
            left[value] += max(0, weigh[colour, value]) * may[colour, value]
    return left
