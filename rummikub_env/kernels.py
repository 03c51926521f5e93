"""The exact sweep: every way to lay tiles as runs and groups, value by value, on plain arrays.

Between two values a colour is described by its open runs: how many have length 1, 2, and 3 or more. Runs of
length 1 and 2 must go on. At each value the sweep chooses how many tiles of each colour lie in groups and how
many in runs; lengthening a long run before starting a new one is never worse. Forward reachability builds a
layered graph of such states, backward reachability keeps the paths that can be completed. Every complete path
is a legal table, every legal table a path.

Jokers come in three sorts. *Locked* jokers are tiles. *Wild* ones (from the rack, or every joker where the
rules let them move freely) stand for anything. *Freed* ones, replaced on the table by the tile they stood for,
must lie in a new set: one whose tiles and locked jokers are not, or do not hold, a whole set of the old table.
That is a question about single sets, which a count of open runs cannot answer; so a run is *traced* while it
has or awaits a freed joker and an old run lies near enough to be held by it, and is an ordinary run as soon as
it is safe. A run of six or more can be cut in two, so that only sets up to five matter.

A state of open runs that is at least as good as another in every colour can do all that the other can: a run of
3 or more is better than one of 2, that better than one of 1, and one more of 3 or more does no harm. Where a
question is about the best play, a state that another one surpasses is not followed. The mask without jokers
reads the whole graph. With wild jokers it is found from both sides: a tile is playable if and only if a step over
its value that lays it leads from a best state on the left to one that fits a best state on the right. With freed
jokers it is found by asking again and again for the play that holds the most tiles not yet known to be playable.

A state is one int64::

    bits  0-27  an index into the table of open runs, 7 bits for each of 4 colours
    bits 28-30  wild jokers used so far
    bits 31-33  freed jokers used so far
    bits 34-61  up to 4 traced runs, 7 bits each, in descending order; or the points of an opening so far

Numba compiles these functions once and caches them; with ``NUMBA_DISABLE_JIT=1`` they run as Python.
"""

from functools import cache
from itertools import product

import numpy as np
from numba import njit

MAX_COPIES = 7
"""Tiles that may count as one kind: the copies of a tile and all jokers."""

_WILD, _FREED, _TRACED = 28, 31, 34
_SLOT = 0x7F

# A traced run is 1 + colour * 28 + shape. Its shape says whether it has a freed joker yet, its length (1-4), and
# how many tiles it ends with since its last wild or freed joker.


@njit(cache=True)
def _shape(has_freed, length, ending):
    return 14 * has_freed + (length - 1) * (length + 2) // 2 + ending


@njit(cache=True)
def _unpack_shape(shape):
    has_freed, rest, length = shape // 14, shape % 14, 1
    while rest > length:
        rest -= length + 1
        length += 1
    return has_freed, length, rest


@njit(cache=True)
def open_runs(limit):
    """The table of open runs of a colour with at most `limit` runs in all.

    Returns (n, 3) int64: how many have length 1, 2, 3+; the index of each such triple, (limit + 1, limit + 1,
    limit + 1) int64; surpasses, (2, n, n) bool: is the first at least as good as the second, and is it so with the
    same short runs; fits, (n, n) bool: can runs that are open to the right be joined with runs open to the left.
    """
    index = np.full((limit + 1, limit + 1, limit + 1), -1, np.int64)
    triples = np.empty(((limit + 1) * (limit + 2) * (limit + 3) // 6, 3), np.int64)
    n = 0
    for one in range(limit + 1):
        for two in range(limit + 1 - one):
            for long in range(limit + 1 - one - two):
                triples[n, 0], triples[n, 1], triples[n, 2] = one, two, long
                index[one, two, long] = n
                n += 1
    surpasses, fits = np.zeros((2, n, n), np.bool_), np.zeros((n, n), np.bool_)
    for i in range(n):
        for j in range(n):
            a, b = triples[i], triples[j]
            surpasses[0, i, j] = a[0] <= b[0] and a[0] + a[1] <= b[0] + b[1] and a.sum() >= b.sum()
            surpasses[1, i, j] = a[0] == b[0] and a[1] == b[1] and a[2] >= b[2]
            fits[i, j] = _fit(a, b)
    return triples, index, surpasses, fits


@njit(cache=True)
def _fit(left, right):
    """Can every run of 1 or 2 be joined with one from the other side to a length of 3 or more?"""
    for one_two in range(min(left[0], right[1]) + 1):  # left runs of 1 joined with right runs of 2
        for two_one in range(min(left[1], right[0]) + 1):
            left_two, right_two = left[1] - two_one, right[1] - one_two
            left_long, right_long = left[2] - (right[0] - two_one), right[2] - (left[0] - one_two)
            enough = left_two <= right_two + right_long and right_two <= left_two + left_long
            if left_long >= 0 and right_long >= 0 and enough:
                return True
    return False


@njit(cache=True)
def group_table(colours, limit, freed_limit, wild_limit):
    """Which tiles and jokers of one value can be laid as groups.

    Returns uint8 of shape (freed + 1, wild + 1, 16, limit + 1, limit + 1, limit + 1, limit + 1): 1 where so
    many freed and wild jokers and tiles of each colour form groups of 3 or 4 different colours, given the old
    groups of three (bit c of the third index: the one without colour c) that no group may hold beside a freed
    joker.
    """
    shape = (freed_limit + 1, wild_limit + 1, 16, limit + 1, limit + 1, limit + 1, limit + 1)
    table = np.zeros(shape, np.uint8)
    n = limit + 1
    for freed in range(freed_limit + 1):
        for wild in range(wild_limit + 1):
            for old in range(16 if freed else 1):
                for code in range(n**4):
                    a, b, c, d = code % n, code // n % n, code // n**2 % n, code // n**3
                    empty = freed + wild + code == 0
                    if empty or next_group(table, colours, freed, wild, old, a, b, c, d) >= 0:
                        table[freed, wild, old, a, b, c, d] = 1
    return table


@njit(cache=True)
def next_group(table, colours, freed, wild, old, a, b, c, d):
    """A group to lay first so that the rest can be laid too; -1 where there is none.

    Bits 2c and 2c + 1 of the answer are the role of colour c: 0 absent, 1 a tile, 2 a wild, 3 a freed joker.
    `table`: `group_table`, filled for what is left after any group.
    """
    have = (a, b, c, d)
    for roles in range(1, 256):
        size, n_wild, n_freed, possible, beside_old = 0, 0, 0, True, False
        for colour in range(4):
            role = roles >> 2 * colour & 3
            possible = possible and (role == 0 or colour < colours) and (role != 1 or have[colour] > 0)
            size += role > 0
            n_wild += role == 2
            n_freed += role == 3
            beside_old = beside_old or (role == 3 and (old >> colour & 1) == 1)
        beside_old = beside_old and size == 4 and n_wild + n_freed == 1
        if not possible or size < 3 or n_wild > wild or n_freed > freed or beside_old:
            continue
        if table[
            freed - n_freed,
            wild - n_wild,
            old if freed > n_freed else 0,
            a - (roles & 3 == 1),
            b - (roles >> 2 & 3 == 1),
            c - (roles >> 4 & 3 == 1),
            d - (roles >> 6 & 3 == 1),
        ]:
            return roles
    return -1


@njit(cache=True)
def settle_trace(old_ends, colour, value, has_freed, length, ending, more):
    """What a traced run is after its last piece at `value`: -1 forbidden, 0 still traced, 1 an ordinary run.

    It is forbidden when it holds an old run. It is ordinary when it has its freed joker, there are no `more`,
    and nothing that may follow, up to a length of 5, could make it hold one.
    """
    if ending >= 3 and old_ends[colour, value - ending + 1] <= value:
        return -1
    if length == 5:
        return 1 if has_freed else -1
    last = value - length + 5
    return 1 if has_freed and not more and old_ends[colour, value - ending + 1] > last else 0


TURNS = np.array(
    sorted(
        ((*turn, sum(turn)) for turn in product(range(5), repeat=6) if sum(turn) <= 4),
        key=lambda turn: (turn[-1], turn),
    )
)
"""What runs of a colour can do with freed jokers at a value, (n, 7): how many start with one, how many of length
1 and of 2 take one; how many of length 2 take a tile, start with a tile, start with a wild joker, and from now
on wait for one; and the sum, by which the rows are ordered."""
_AWAITING = np.array([1, 0, 8])
"""The shapes of runs that wait for a freed joker: one tile, one wild joker, three tiles."""

# What one colour does with its runs at a value: columns of an option row.
_INDEX, _N_WILD, _N_FREED, _N_TRACED, _SLOTS, _WAITING, _CHOICE = range(7)


@njit(cache=True)
def _plain_options(one, two, long, tiles, wild, index, least, colour, after, out, first):
    """`_colour_options` where no freed joker is at hand and no run is traced: long runs go on first.

    Writes the rows of `out` from `first` on; `after`: the value that follows.
    """
    n = first
    if first + wild >= out.shape[0]:
        return -1
    must = one + two
    for n_wild in range(max(0, must - tiles), wild + 1):
        room = tiles + n_wild - must
        longer = min(room, long)
        at = index[room - longer, one, two + longer]
        if least[colour, after, at] <= wild - n_wild:
            out[n, _INDEX] = at
            out[n, _N_WILD] = n_wild
            out[n, _N_FREED] = 0
            out[n, _N_TRACED] = 0
            out[n, _SLOTS] = 0
            out[n, _WAITING] = 0
            out[n, _CHOICE] = longer << 17 | n_wild << 20
            n += 1
    return n - first


@njit(cache=True)
def _colour_options(
    colour, value, triple, traced, n_traced, tiles, wild, freed, old_ends, index, least, now, used, out
):
    """All that one colour can do with its runs at `value`, given `tiles` real tiles for them.

    traced: (4,) the shapes of its traced runs; wild, freed: jokers at hand; least: (triples,) how many jokers
    the open runs after `value` need. Writes rows of `out`, (n, 7) int64; returns how many, -1 when `out` is
    too short. A choice says for each traced run (2 bits) whether it ends, takes a tile, a freed or a wild
    joker; then the row of `TURNS`; then (3 bits each) how many long runs go on, and how many wild jokers lie in
    ordinary runs.

    A run of 1 or 2 may take a freed joker at any time, for a set that holds at most two tiles on either side of
    it is new. A run that is to take it later waits for it, traced, with its third tile; or, where that matters
    (a wild joker breaks an old run; a long run would take the tile), from its first.
    """
    n = 0
    one, two, long = triple[0], triple[1], triple[2]
    may_await = old_ends[colour, max(0, value - 2)] > value
    for acts in range(4**n_traced):
        kept, waiting, new_two, new_long = _follow(colour, value, traced, n_traced, acts, freed, old_ends, now, used)
        if kept < 0 or used[1] > tiles or used[2] > freed or used[3] > wild:
            continue
        for turn in range(TURNS.shape[0]):
            by_freed, one_freed, two_freed, two_tile, by_tile, by_wild, total = TURNS[turn]
            if total > freed - used[2] - waiting:
                break
            real = tiles - used[1] - two_tile - by_tile
            must = one - one_freed + two - two_freed - two_tile
            fewest = max(0, must - real)
            if (
                one_freed > one
                or two_freed + two_tile > two
                or real < 0
                or by_wild + used[3] + fewest > wild
                or (two_tile and not may_await)
                or (by_tile and wild == 0 and real - must + by_tile > long)
            ):
                continue
            more = freed - used[2] - by_freed - one_freed - two_freed
            start = settle_trace(old_ends, colour, value, 1, 1, 0, more) if by_freed else 1
            second = settle_trace(old_ends, colour, value, 1, 2, 0, more) if one_freed else 1
            third = settle_trace(old_ends, colour, value, 1, 3, 0, more) if two_freed else 1
            n_now = kept
            for i in range(by_tile + by_wild + two_tile):
                shape = _AWAITING[0] if i < by_tile else _AWAITING[1]
                now[n_now] = 1 + 28 * colour + (shape if i < by_tile + by_wild else _AWAITING[2])
                n_now += 1
            for i in range(by_freed + one_freed + two_freed):
                length = 1 if i < by_freed else 2 if i < by_freed + one_freed else 3
                if (start, second, third)[length - 1] == 0:
                    now[n_now] = 1 + 28 * colour + _shape(1, length, 0)
                    n_now += 1
            if n_now > 4:
                continue  # more traced runs than there can be jokers for them
            slots = np.int64(0)
            for i in range(n_now):
                slots |= now[i] << 7 * i
            for n_wild in range(fewest, wild - used[3] - by_wild + 1):
                room = real + n_wild - must
                longer = min(room, long)
                ones = room - longer + by_freed * start
                twos = new_two + one - one_freed + one_freed * second
                longs = new_long + two - two_tile - two_freed + two_freed * third + longer
                at = index[ones, twos, longs]
                if least[at] > wild - used[3] - by_wild - n_wild + more:
                    continue
                if n == out.shape[0]:
                    return -1
                row = out[n]
                row[_INDEX] = at
                row[_N_WILD] = used[3] + by_wild + n_wild
                row[_N_FREED] = used[2] + by_freed + one_freed + two_freed
                row[_N_TRACED] = n_now
                row[_SLOTS] = slots
                row[_WAITING] = waiting + by_tile + by_wild + two_tile
                row[_CHOICE] = acts | turn << 8 | longer << 17 | n_wild << 20
                n += 1
    return n


@njit(cache=True)
def _follow(colour, value, traced, n_traced, acts, freed, old_ends, now, used):
    """What the acts (2 bits each: end, tile, freed, wild) make of the traced runs of a colour.

    Writes the slots of those that are still traced to `now`, and how many acts there are of each sort to
    `used`. Returns how many are still traced (-1: not allowed), how many of these have no freed joker yet, and
    how many are ordinary runs now, of length 2 and longer.
    """
    used[:] = 0
    for i in range(n_traced):
        used[acts >> 2 * i & 3] += 1
    kept, waiting, new_two, new_long = 0, 0, 0, 0
    for i in range(n_traced):
        act = acts >> 2 * i & 3
        has_freed, length, ending = _unpack_shape(traced[i])
        if act == 0:
            if length < 3 or has_freed == 0:
                return -1, waiting, new_two, new_long
            continue
        has_freed = 1 if act == 2 else has_freed
        ending = ending + 1 if act == 1 else 0
        state = settle_trace(old_ends, colour, value, has_freed, length + 1, ending, freed - used[2])
        if state < 0:
            return -1, waiting, new_two, new_long
        if state == 0:
            now[kept] = 1 + 28 * colour + _shape(has_freed, length + 1, ending)
            kept += 1
            waiting += 1 - has_freed
        elif length == 1:
            new_two += 1
        else:
            new_long += 1
    return kept, waiting, new_two, new_long


@njit(cache=True)
def _grown(array):
    """The same array with twice the room."""
    bigger = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    bigger[: array.shape[0]] = array
    return bigger


@njit(cache=True)
def _merged(slots, n, more, n_more):
    """Two lists of traced runs as one, in descending order."""
    values = np.zeros(8, np.int64)
    for i in range(n):
        values[i] = slots >> 7 * i & _SLOT
    for i in range(n_more):
        values[n + i] = more >> 7 * i & _SLOT
    total = n + n_more
    for i in range(1, total):
        j = i
        while j and values[j] > values[j - 1]:
            values[j], values[j - 1] = values[j - 1], values[j]
            j -= 1
    merged = np.int64(0)
    for i in range(total):
        merged |= values[i] << 7 * i
    return merged


def freed_used(keys):
    """How many freed jokers lie in these states."""
    return keys >> _FREED & 7


@njit(cache=True)
def _find_or_add(key, table, keys, n):
    """The place of `key` among keys[:n], and the number of keys after it was added where missing.

    `table`: open addressing, -1 where empty; its length is a power of two.
    """
    mask = table.shape[0] - 1
    mixed = key * np.int64(-7046029254386353131)
    slot = (mixed ^ mixed >> 29) & mask
    while table[slot] >= 0:
        if keys[table[slot]] == key:
            return table[slot], n
        slot = slot + 1 & mask
    table[slot] = n
    keys[n] = key
    return n, n + 1


@njit(cache=True)
def _is_complete(key, wild_min, freed, points_min):
    """May a path end in this state? Open runs of 1 or 2 never get so far."""
    if key >> _WILD & 7 < wild_min or key >> _FREED & 7 != freed:
        return False
    field = key >> _TRACED
    if points_min:
        return field >= points_min
    while field:
        has_freed, length, _ = _unpack_shape(((field & _SLOT) - 1) % 28)
        if length < 3 or not has_freed:
            return False
        field >>= 7
    return True


@njit(cache=True)
def _surpassed(keys, weight, first, last, freed, points, surpasses, follow):
    """Marks in `follow` which of the states keys[first:last] no other one surpasses.

    A state surpasses another with the same jokers used and runs traced if its open runs are at least as good, it
    has at least as many points, and its weight is at least as great. While freed jokers are left, which only
    short runs may take, their short runs must be the same.
    """
    for i in range(first, last):
        follow[i] = True
    for i in range(first, last):
        if not follow[i]:
            continue
        level = 0 if keys[i] >> _FREED & 7 == freed else 1
        for j in range(first, last):
            if i == j or not follow[j] or weight[i] < weight[j] or (keys[i] ^ keys[j]) >> _WILD & 63:
                continue
            a, b = keys[i] >> _TRACED, keys[j] >> _TRACED
            if a < b or (a > b and not points):
                continue
            better = True
            for colour in range(4):
                a, b = keys[i] >> 7 * colour & _SLOT, keys[j] >> 7 * colour & _SLOT
                better = better and surpasses[level, a, b]
            if better:
                follow[j] = False


@njit(cache=True)
def _group_choices(low, top, wild, freed, old, groups):
    """All tiles and jokers of a value that may lie in groups: rows of 4 colours, wild and freed jokers."""
    rows = np.empty((64, 6), np.int64)
    n = 0
    for a in range(top[0] + 1):
        for b in range(top[1] + 1):
            for c in range(top[2] + 1):
                for d in range(top[3] + 1):
                    for n_wild in range(wild + 1):
                        for n_freed in range(freed + 1):
                            if groups[n_freed, n_wild, old if n_freed else 0, a, b, c, d]:
                                if n == rows.shape[0]:
                                    rows = _grown(rows)
                                rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = a, b, c, d
                                rows[n, 4], rows[n, 5] = n_wild, n_freed
                                n += 1
    return rows[:n]


@njit(cache=True)
def _unpack_traced(field, traced, n_traced):
    """The shapes of the traced runs of each colour, in the order of their slots."""
    n_traced[:] = 0
    while field:
        slot = (field & _SLOT) - 1
        traced[slot // 28, n_traced[slot // 28]] = slot % 28
        n_traced[slot // 28] += 1
        field >>= 7


@njit(cache=True)
def _jokers_needed(need, may, loose, jokers, freed, triples, index):
    """How many jokers each colour by itself needs at least to end its open runs well.

    Returns (4, values + 1, triples) uint8, 99 where it cannot, for open runs before each value. What the groups
    take is free within what there is; runs that are traced (as many as there are freed jokers) may take tiles.
    """
    values = need.shape[1]
    least = np.full((4, values + 1, triples.shape[0]), 99, np.uint8)
    top = need + may
    for i in range(loose.shape[0]):
        for colour in range(4):
            top[colour, loose[i, 0]] += loose[i, 1 + colour]
    for long in range(index.shape[0]):
        least[:, values, index[0, 0, long]] = 0
    for value in range(values - 1, -1, -1):
        at_hand = 0
        for colour in range(4):
            at_hand += top[colour, value] > 0
        for colour in range(4):
            others = at_hand - (top[colour, value] > 0) + jokers
            most = top[colour, value]
            fewest = max(0, need[colour, value] - freed)
            if others >= 2:
                fewest = 0
            open_before = most + jokers if value == 0 else top[colour, value - 1] + jokers
            for at in range(triples.shape[0]):
                one, two, long = triples[at, 0], triples[at, 1], triples[at, 2]
                if one + two + long > open_before:
                    continue
                for tiles in range(max(fewest, one + two), most + jokers + 1):
                    room = tiles - one - two
                    longer = min(room, long)
                    if room - longer + one + two + longer < index.shape[0]:
                        after = least[colour, value + 1, index[room - longer, one, two + longer]]
                        cost = after + max(0, tiles - most)
                        if cost < least[colour, value, at]:
                            least[colour, value, at] = cost
    return least


@njit(cache=True, inline="always")
def _list_options(key, value, top, problem, tables, work, memo, pool, n_pool):
    """For each colour and number of real tiles in its runs, what it can do: a stretch of rows of `pool`.

    Writes `first` and `count`, (4, limit + 1), of the stretches; False where some colour can do nothing. Rows of
    a colour that has no traced run are the same for many states of a layer: `memo` knows where they are.
    """
    colours, wild_max, freed_max, old_ends, points, _, least, _ = problem
    triples, index = tables[0], tables[1]
    first, count, traced, n_traced, _, _, now, used = work
    wild, freed = wild_max - (key >> _WILD & 7), freed_max - (key >> _FREED & 7)
    n_traced[:] = 0
    if not points:
        _unpack_traced(key >> _TRACED, traced, n_traced)
    for colour in range(4):
        at = key >> 7 * colour & _SLOT
        own_wild, own_freed = (wild, freed) if colour < colours else (0, 0)
        any_option = False
        must = triples[at, 0] + triples[at, 1] - own_wild - own_freed
        count[colour, : top[colour] + 1] = 0
        for tiles in range(max(0, must), top[colour] + 1):
            known = np.int64(-1)
            if own_freed and n_traced[colour] == 0:
                known = memo[colour, at, tiles, own_wild, own_freed]
            if known < 0:
                n = -1
                while n < 0:
                    if own_freed == 0 and n_traced[colour] == 0:
                        n = _plain_options(
                            triples[at, 0], triples[at, 1], triples[at, 2], tiles, own_wild, index, least, colour,
                            value + 1, pool, n_pool,
                        )  # fmt: skip
                    else:
                        n = _colour_options(
                            colour, value, triples[at], traced[colour], n_traced[colour], tiles, own_wild,
                            own_freed, old_ends, index, least[colour, value + 1], now, used, pool[n_pool:],
                        )  # fmt: skip
                    if n < 0:
                        pool = _grown(pool)
                known = np.int64(n_pool << 16 | n)
                n_pool += n
                if own_freed and n_traced[colour] == 0:
                    memo[colour, at, tiles, own_wild, own_freed] = known
            first[colour, tiles], count[colour, tiles] = known >> 16, known & 0xFFFF
            any_option = any_option or count[colour, tiles] > 0
        if not any_option:
            return False, pool, n_pool
    return True, pool, n_pool


@njit(cache=True)
def _note_fits(low, top, count, fits):
    """For each colour a bit set: bit g if it can lay in runs what g tiles in groups leave."""
    for colour in range(4):
        bits = 0
        for in_groups in range(top[colour] + 1):
            for tiles in range(max(0, low[colour] - in_groups), top[colour] - in_groups + 1):
                if count[colour, tiles] > 0:
                    bits |= 1 << in_groups
                    break
        fits[colour] = bits


# A step from one state to the next: columns of its row.
_STATE, _CODE, _CHOICES, _GROUPS = 0, 1, 2, 6


@njit(cache=True, inline="always")
def _steps_from(key, value, way, low, top, choices, problem, work, pool, rows):
    """Writes every step from the state `key` over `value` as rows of (n, 7) int64; returns rows and n.

    `choices`: what may lie in groups; with each the colours walk through their options one after the other.
    """
    _, wild_max, freed_max, _, points, joker_points, least, mirrored = problem
    first, count, _, _, pick, sums, _, used = work
    _note_fits(low, top, count, used)
    fits0, fits1, fits2, fits3 = used[0], used[1], used[2], used[3]
    had_wild, had_freed = key >> _WILD & 7, key >> _FREED & 7
    wild, freed = wild_max - had_wild, freed_max - had_freed
    n = 0
    for choice in range(choices.shape[0]):
        if choices[choice, 4] > wild or choices[choice, 5] > freed:
            continue
        fit = fits0 >> choices[choice, 0] & fits1 >> choices[choice, 1]
        if fit & fits2 >> choices[choice, 2] & fits3 >> choices[choice, 3] & 1 == 0:
            continue
        sums[0, 1], sums[0, 2] = choices[choice, 4], choices[choice, 5]
        colour = 0
        pick[0, 0], pick[0, 1] = max(0, low[0] - choices[choice, 0]), 0
        while True:
            tiles = pick[colour, 0]
            if tiles + choices[choice, colour] > top[colour]:
                if colour == 0:
                    break
                colour -= 1
                pick[colour, 1] += 1
                continue
            if pick[colour, 1] >= count[colour, tiles]:
                pick[colour, 0] += 1
                pick[colour, 1] = 0
                continue
            at = first[colour, tiles] + pick[colour, 1]
            n_wild = sums[colour, 1] + pool[at, _N_WILD]
            n_freed = sums[colour, 2] + pool[at, _N_FREED]
            n_traced = sums[colour, 3] + pool[at, _N_TRACED]
            waiting = sums[colour, 4] + pool[at, _WAITING]
            if n_wild > wild or n_freed + waiting > freed or n_traced > 4:
                pick[colour, 1] += 1
                continue
            sums[colour + 1, 0] = sums[colour, 0] | pool[at, _INDEX] << 7 * colour
            sums[colour + 1, 1], sums[colour + 1, 2] = n_wild, n_freed
            sums[colour + 1, 3], sums[colour + 1, 4] = n_traced, waiting
            sums[colour + 1, 5] = sums[colour, 5] + least[colour, value + 1, pool[at, _INDEX]]
            if sums[colour + 1, 5] > wild - n_wild + freed - n_freed:
                pick[colour, 1] += 1
                continue
            if colour < 3:
                colour += 1
                pick[colour, 0], pick[colour, 1] = max(0, low[colour] - choices[choice, colour]), 0
                continue
            if n == rows.shape[0]:
                rows = _grown(rows)
            field, n_field, extra, n_tiles = np.int64(0), 0, np.int64(0), 0
            for c in range(4):
                at = first[c, pick[c, 0]] + pick[c, 1]
                n_tiles += pick[c, 0] + choices[choice, c]
                extra |= (pick[c, 0] + choices[choice, c] - low[c]) << 3 * c
                if pool[at, _N_TRACED]:
                    field = _merged(field, n_field, pool[at, _SLOTS], pool[at, _N_TRACED])
                    n_field += pool[at, _N_TRACED]
                rows[n, _CHOICES + c] = pool[at, _CHOICE]
            if points:
                face = least.shape[1] - 1 - value if mirrored else value + 1
                worth = (n_tiles + joker_points * n_wild) * face
                field = min(points, (key >> _TRACED) + worth)
            rows[n, _STATE] = sums[4, 0] | had_wild + n_wild << _WILD | had_freed + n_freed << _FREED
            rows[n, _STATE] |= field << _TRACED
            rows[n, _CODE] = extra | n_wild << 12
            rows[n, _GROUPS] = way | choices[choice, 4] << 8 | choices[choice, 5] << 11
            for c in range(4):
                rows[n, _GROUPS] |= choices[choice, c] << 14 + 3 * c
            n += 1
            pick[colour, 1] += 1
    return rows, n


@njit(cache=True)
def _loose_ways(loose, value):
    """The number of ways to say which tiles the loose jokers of a value are."""
    ways = 1
    for i in range(loose.shape[0]):
        ways *= 4 if loose[i, 0] == value else 1
    return ways


@njit(cache=True)
def _with_loose(loose, value, way, need, low):
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
def sweep(
    colours,
    need,
    may,
    loose,
    wild_min,
    wild_max,
    freed,
    old_ends,
    old_groups,
    points,
    joker_points,
    tables,
    follow_all,
    weights,
    steady,
    fixed,
    bonus,
    mirrored,
    trace,
):
    """The layered graph of all ways to lay the tiles.

    need, may: (4, values) int64, tiles and locked jokers that must, and tiles that may, be laid.
    loose: (n, 5) int64, locked jokers that may be one of several tiles of a value: the value (0-based), and
    for each colour whether it may be that one.
    wild_min, wild_max: how many wild jokers must and may be laid; freed: how many freed ones must.
    old_ends: (4, values + 5) int64, where the first ends of the old runs of 3 or 4 tiles that start here or
    later (99: none); old_groups: (values,) int64, bit c for an old group of all colours but c.
    points: the least value of an opening (0: no opening); joker_points: 1 if its jokers count, else 0.
    tables: `open_runs` and `group_table`; follow_all: are states followed that
    another one surpasses?
    weights: (4, values + 1) int64, of each tile laid beyond need; weights[0, values] of each wild joker.
    steady: (4, values) int64, how many of each tile lay in groups; each tile more or less costs 1; empty: none.
    fixed: (values, 6) int64, what lies in groups: tiles of 4 colours, wild and freed jokers; empty: not fixed.
    bonus: what a wild joker in a group weighs, where 16 is a unit of weight.
    mirrored: do the arrays run from the highest value to the lowest?

    Returns keys, layer, source, target, code, edge_layer, steps, complete, follow, weight, came. The states
    before value v are keys[layer[v]:layer[v + 1]], the edges over it edge_layer[v]:edge_layer[v + 1]. A code
    holds how many more tiles than needed each colour laid (3 bits each) and the wild jokers (bits 12-14); steps,
    (edges, 5) where `trace`, what `laying` needs; complete: (states after the last value,) bool; follow, weight,
    came: of each state whether it was followed, the greatest weight of a path to it, and its last edge.
    """
    values = need.shape[1]
    limit = tables[1].shape[0] - 1
    keys, layer = np.zeros(64, np.int64), np.zeros(values + 2, np.int64)
    follow, weight, came = np.ones(64, np.bool_), np.zeros(64, np.int64), np.full(64, -1, np.int64)
    source, target, code = np.empty(128, np.int32), np.empty(128, np.int32), np.empty(128, np.int32)
    steps = np.empty((128 if trace else 1, 5), np.int64)
    edge_layer = np.zeros(values + 1, np.int64)
    table = np.full(64, -1, np.int64)
    rows, pool = np.empty((64, 7), np.int64), np.empty((256, 7), np.int64)
    low, top = np.zeros(4, np.int64), np.zeros(4, np.int64)
    least = _jokers_needed(need, may, loose, max(0, wild_max) + freed, freed, tables[0], tables[1])
    problem = (colours, wild_max, freed, old_ends, points, joker_points, least, mirrored)
    n_memo = tables[0].shape[0] if freed else 0
    memo = np.empty((4, n_memo, limit + 1, max(0, wild_max) + 1, freed + 1), np.int64)
    work = (
        np.zeros((4, limit + 1), np.int64),
        np.zeros((4, limit + 1), np.int64),
        np.zeros((4, 4), np.int64),
        np.zeros(4, np.int64),
        np.zeros((4, 2), np.int64),
        np.zeros((5, 6), np.int64),
        np.zeros(16, np.int64),
        np.zeros(4, np.int64),
    )
    layer[1] = n_keys = 1
    n_edges = 0
    for value in range(values):
        table[:] = -1
        memo[:] = -1
        n_pool = 0
        first = n_keys
        for way in range(_loose_ways(loose, value)):
            if not _with_loose(loose, value, way, need, low):
                continue
            for colour in range(4):
                top[colour] = low[colour] + may[colour, value]
            if fixed.shape[0]:
                choices = fixed[value : value + 1]
            else:
                choices = _group_choices(low, top, wild_max, freed, old_groups[value], tables[4])
            for state in range(layer[value], layer[value + 1]):
                if not follow[state]:
                    continue
                possible, pool, n_pool = _list_options(
                    keys[state], value, top, problem, tables, work, memo, pool, n_pool
                )
                if not possible:
                    continue
                rows, n = _steps_from(keys[state], value, way, low, top, choices, problem, work, pool, rows)
                for row in range(n):
                    if n_keys == keys.shape[0]:
                        keys, follow, weight, came = (
                            _grown(keys),
                            _grown(follow),
                            _grown(weight),
                            _grown(came),
                        )
                    if 2 * (n_keys - first) >= table.shape[0]:
                        table = np.full(2 * table.shape[0], -1, np.int64)
                        again = first
                        for i in range(first, n_keys):
                            _, again = _find_or_add(keys[i], table, keys, again)
                    if n_edges == source.shape[0]:
                        source, target, code = _grown(source), _grown(target), _grown(code)
                        if trace:
                            steps = _grown(steps)
                    known = n_keys
                    at, n_keys = _find_or_add(rows[row, _STATE], table, keys, n_keys)
                    source[n_edges], target[n_edges], code[n_edges] = state, at, rows[row, _CODE]
                    if trace:
                        steps[n_edges] = rows[row, _CHOICES:]
                    total = weight[state] + _step_weight(rows, row, value, weights, steady, bonus)
                    if at == known or total > weight[at]:
                        weight[at], came[at] = total, n_edges
                    n_edges += 1
        layer[value + 2] = n_keys
        edge_layer[value + 1] = n_edges
        follow[first:n_keys] = True
        if not follow_all:
            _surpassed(keys, weight, first, n_keys, freed, points, tables[2], follow)
    complete = np.zeros(n_keys - layer[values], np.bool_)
    for i in range(complete.shape[0]):
        complete[i] = _is_complete(keys[layer[values] + i], wild_min, freed, points)
    return (
        keys[:n_keys],
        layer,
        source[:n_edges],
        target[:n_edges],
        code[:n_edges],
        edge_layer,
        steps,
        complete,
        follow,
        weight,
        came,
    )


_SCALE = 16
"""What a unit of weight counts against a wild joker in a group, which breaks ties: such sets are new."""


@njit(cache=True)
def _step_weight(rows, row, value, weights, steady, bonus):
    """What a step adds to the weight of a path."""
    code, in_groups = rows[row, _CODE], rows[row, _GROUPS] >> 14
    total = _SCALE * weights[0, weights.shape[1] - 1] * (code >> 12 & 7)
    for colour in range(4):
        total += _SCALE * weights[colour, value] * (code >> 3 * colour & 7)
        if steady.shape[0]:
            total -= _SCALE * abs((in_groups >> 3 * colour & 7) - steady[colour, value])
    return total + bonus * (rows[row, _GROUPS] >> 8 & 7)


@njit(cache=True)
def best_path(graph):
    """The edges of the complete path of most weight, (values,) int64; all -1 where there is none.

    Of equal paths the first in the order of the sweep.
    """
    layer, source, edge_layer, complete, weight, came = (
        graph[1],
        graph[2],
        graph[5],
        graph[7],
        graph[9],
        graph[10],
    )
    values = edge_layer.shape[0] - 1
    path = np.full(values, -1, np.int64)
    end = -1
    for i in range(complete.shape[0]):
        at = layer[values] + i
        if complete[i] and (end < 0 or weight[at] > weight[end]):
            end = at
    if end >= 0:
        for value in range(values - 1, -1, -1):
            path[value] = came[end]
            end = source[came[end]]
    return path


@njit(cache=True)
def groups_of(steps, old_groups, groups):
    """What lies in groups on a path, its wild jokers taken as freed; and whether such groups would be new."""
    fixed = np.zeros((steps.shape[0], 6), np.int64)
    for value in range(steps.shape[0]):
        code = steps[value, 4]
        for colour in range(4):
            fixed[value, colour] = code >> 14 + 3 * colour & 7
        fixed[value, 5] = code >> 8 & 7
        a, b, c, d, _, freed = fixed[value]
        if not groups[freed, 0, old_groups[value] if freed else 0, a, b, c, d]:
            return fixed, False
    return fixed, True


@njit(cache=True)
def laid_in(graph):
    """What the complete paths of a graph of all states lay beyond what they must.

    Returns a mask, (4, values + 1) bool (the last column is not used), whether there is a complete path, and
    whether there is one that lays no more than it must.
    """
    layer, source, target, code, edge_layer, complete = graph[1], graph[2], graph[3], graph[4], graph[5], graph[7]
    values = edge_layer.shape[0] - 1
    mask = np.zeros((4, values + 1), np.bool_)
    lives = _alive(graph)
    bare = np.zeros(lives.shape[0], np.bool_)
    bare[0] = True
    for value in range(values):
        for edge in range(edge_layer[value], edge_layer[value + 1]):
            if lives[target[edge]] and lives[source[edge]]:
                if code[edge] & 0xFFF == 0:
                    bare[target[edge]] |= bare[source[edge]]
                for colour in range(4):
                    if code[edge] >> 3 * colour & 7:
                        mask[colour, value] = True
    done = False
    for i in range(complete.shape[0]):
        done = done or (complete[i] and bare[layer[values] + i])
    return mask, lives[0], done


@njit(cache=True)
def laid_between(left, right, wild_min, wild_max, points, fits):
    """What complete ways lay beyond what they must, given the best states from the left and from the right.

    right: the graph of the mirrored question. Returns a mask, (4, values + 1) bool, whose [0, values] says whether
    one wild joker more than `wild_min` can be laid; and whether there is a complete way.
    """
    keys, target, code, edge_layer = left[0], left[3], left[4], left[5]
    values = edge_layer.shape[0] - 1
    mask, possible = np.zeros((4, values + 1), np.bool_), False
    joins = np.full(keys.shape[0], -1, np.int64)
    for value in range(values):
        for edge in range(edge_layer[value], edge_layer[value + 1]):
            at = target[edge]
            if joins[at] < 0:
                joins[at] = _joins(keys[at], values - 1 - value, right, wild_min, wild_max, points, fits)
            if joins[at]:
                possible = True
                mask[0, values] |= joins[at] > 1
                for colour in range(4):
                    if code[edge] >> 3 * colour & 7:
                        mask[colour, value] = True
    return mask, possible


@njit(cache=True)
def _joins(key, boundary, right, wild_min, wild_max, points, fits):
    """Does the state fit one of the right side's best states at its boundary? 2: with a joker more than it must."""
    keys, layer, follow = right[0], right[1], right[8]
    found = 0
    for at in range(layer[boundary], layer[boundary + 1]):
        wild = (key >> _WILD & 7) + (keys[at] >> _WILD & 7)
        if not follow[at] or wild < wild_min or wild > wild_max:
            continue
        if points and (key >> _TRACED) + (keys[at] >> _TRACED) < points:
            continue
        fit = True
        for colour in range(4):
            fit = fit and fits[key >> 7 * colour & _SLOT, keys[at] >> 7 * colour & _SLOT]
        if fit:
            found = max(found, 2 if wild > wild_min else 1)
            if wild > wild_min:
                break
    return found


@njit(cache=True)
def _alive(graph):
    """Which states lie on a complete path, (states,) bool."""
    layer, source, target, edge_layer, complete = graph[1], graph[2], graph[3], graph[5], graph[7]
    values = edge_layer.shape[0] - 1
    lives = np.zeros(layer[values + 1], np.bool_)
    lives[layer[values] :] = complete
    for edge in range(edge_layer[values] - 1, -1, -1):
        if lives[target[edge]]:
            lives[source[edge]] = True
    return lives


@njit(cache=True)
def distinct_plays(graph, wild_min, limit):
    """All different multisets of extra tiles on complete paths, at most `limit` of them.

    Returns (n, 4 * values + 1) uint8, the wild jokers beyond `wild_min` last; and whether that is all. Walks
    the choices of extra tiles value by value with the set of all states that they may lead to, so that no
    multiset is met twice and no walk ends in vain.
    """
    keys, layer, source, target, code = graph[0], graph[1], graph[2], graph[3], graph[4]
    edge_layer, complete = graph[5], graph[7]
    values = edge_layer.shape[0] - 1
    lives = _alive(graph)
    found = np.zeros((16, 4 * values + 1), np.uint8)
    n = 0
    if not lives[0]:
        return found[:0], True
    # the edges that live, in the order of their sources; start[s]: the first edge of state s
    start = np.zeros(lives.shape[0] + 1, np.int64)
    n_live = 0
    for edge in range(source.shape[0]):
        if lives[target[edge]] and lives[source[edge]]:
            start[source[edge] + 1] += 1
            n_live += 1
    for state in range(lives.shape[0]):
        start[state + 1] += start[state]
    order = np.empty(n_live, np.int64)
    place = start.copy()
    for edge in range(source.shape[0]):
        if lives[target[edge]] and lives[source[edge]]:
            order[place[source[edge]]] = edge
            place[source[edge]] += 1
    # depth-first over the values; sets of states and the choices that are left are stacks
    members = np.empty(1024, np.int64)
    first = np.zeros(values + 2, np.int64)
    members[0] = 0
    first[1] = 1
    extras = np.empty(1024, np.int64)
    first_extra = np.zeros(values + 2, np.int64)
    chosen = np.zeros(values, np.int64)
    mark = np.full(lives.shape[0], -1, np.int64)
    stamp = 0
    depth = 0
    fresh = True
    while depth >= 0:
        if depth == values:
            seen = 0
            for i in range(first[depth], first[depth + 1]):
                if complete[members[i] - layer[values]]:
                    seen |= 1 << (keys[members[i]] >> _WILD & 7)
            for wild in range(8):
                if seen >> wild & 1:
                    if n == limit:
                        return found[:n], False
                    if n == found.shape[0]:
                        found = _grown(found)
                    found[n] = 0
                    for value in range(values):
                        for colour in range(4):
                            found[n, colour * values + value] = chosen[value] >> 3 * colour & 7
                    found[n, 4 * values] = wild - wild_min
                    n += 1
            depth -= 1
            fresh = False
            continue
        if fresh:  # the choices of extra tiles from this set of states
            n_extra = first_extra[depth]
            for i in range(first[depth], first[depth + 1]):
                for j in range(start[members[i]], start[members[i] + 1]):
                    extra = code[order[j]] & 0xFFF
                    known = False
                    for other in range(first_extra[depth], n_extra):
                        known = known or extras[other] == extra
                    if not known:
                        if n_extra == extras.shape[0]:
                            extras = _grown(extras)
                        extras[n_extra] = extra
                        n_extra += 1
            first_extra[depth + 1] = n_extra
        if first_extra[depth + 1] == first_extra[depth]:
            depth -= 1
            fresh = False
            continue
        first_extra[depth + 1] -= 1
        chosen[depth] = extras[first_extra[depth + 1]]
        stamp += 1
        end = first[depth + 1]
        for i in range(first[depth], first[depth + 1]):
            for j in range(start[members[i]], start[members[i] + 1]):
                edge = order[j]
                if code[edge] & 0xFFF == chosen[depth] and mark[target[edge]] != stamp:
                    mark[target[edge]] = stamp
                    if end == members.shape[0]:
                        members = _grown(members)
                    members[end] = target[edge]
                    end += 1
        first[depth + 2] = end
        depth += 1
        fresh = True
    return found[:n], True


@cache
def tables(colours: int, copies: int, jokers: int):  # type: ignore[no-untyped-def]
    """`open_runs` and `group_table` for a tile set, made once."""
    limit = copies + jokers
    return *open_runs(limit), group_table(colours, limit, jokers, jokers)
