"""The traced sweep: the plain one with *freed* jokers, which must lie in a new set.

A freed joker was replaced on the table by the tile it stood for. The tiles and locked jokers beside it in its set
must not be, or hold, a whole set of the old table. That is a question about single sets, which a count of open runs
cannot answer; so a run is *traced* while it has or awaits a freed joker and an old run lies near enough to be held by
it, and is an ordinary run as soon as it is safe. A run of six or more can be cut in two, so that only sets up to five
matter.

A state is as in the plain sweep, with the freed jokers used so far in bits 31-33, and up to 4 traced runs in bits
34-61, 7 bits each, in descending order. Of a step's code only the bits of what it lays are used (0-14); what runs and
groups do stands in a row of its own.
"""

from itertools import product

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.hands import group_choices, jokers_needed, loose_ways, room_for_choices, with_loose
from rummikub_env.kernels.plain import turned
from rummikub_env.kernels.states import FIELD, SCALE, SLOT, WILD, find_or_add, grown, surpassed
from rummikub_env.kernels.tables import ACE_HIGH

_FREED = 31

# A traced run is 1 + colour * 28 + shape. Its shape says whether it has a freed joker yet, its length (1-4), and
# how many tiles it ends with since its last wild or freed joker.


@leaf
def _shape(has_freed, length, ending):
    return 14 * has_freed + (length - 1) * (length + 2) // 2 + ending


@leaf
def _unpack_shape(shape):
    has_freed, rest, length = shape // 14, shape % 14, 1
    while rest > length:
        rest -= length + 1
        length += 1
    return has_freed, length, rest


@leaf
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
WILD_SHIFT = 20
"""Where the wild jokers of a choice stand."""
_INDEX, _N_WILD, _N_FREED, _N_TRACED, _SLOTS, _WAITING, _CHOICE = range(7)


@leaf
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
                row[_CHOICE] = acts | turn << 8 | longer << 17 | n_wild << WILD_SHIFT
                n += 1
    return n


@leaf
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
def _merged(slots, n, more, n_more):
    """Two lists of traced runs as one, in descending order."""
    values = np.zeros(8, np.int64)
    for i in range(n):
        values[i] = slots >> 7 * i & SLOT
    for i in range(n_more):
        values[n + i] = more >> 7 * i & SLOT
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


@leaf
def _is_complete(key, wild_min, freed):
    """May a path end in this state? Open runs of 1 or 2 never get so far."""
    if key >> WILD & 7 < wild_min or key >> _FREED & 7 != freed:
        return False
    field = key >> FIELD
    while field:
        has_freed, length, _ = _unpack_shape(((field & SLOT) - 1) % 28)
        if length < 3 or not has_freed:
            return False
        field >>= 7
    return True


@leaf
def _unpack_traced(field, traced, n_traced):
    """The shapes of the traced runs of each colour, in the order of their slots."""
    n_traced[:] = 0
    while field:
        slot = (field & SLOT) - 1
        traced[slot // 28, n_traced[slot // 28]] = slot % 28
        n_traced[slot // 28] += 1
        field >>= 7


@njit(cache=True, inline="always")
def _list_options(key, value, top, problem, tables, work, memo, pool, n_pool):
    """For each colour and number of real tiles in its runs, what it can do: a stretch of rows of `pool`.

    Writes `first` and `count`, (4, limit + 1), of the stretches; False where some colour can do nothing. Rows of
    a colour that has no traced run are the same for many states of a layer: `memo` knows where they are.
    """
    colours, wild_max, freed_max, old_ends, least = problem
    triples, index = tables[0], tables[1]
    first, count, traced, n_traced, _, _, now, used = work
    wild, freed = wild_max - (key >> WILD & 7), freed_max - (key >> _FREED & 7)
    _unpack_traced(key >> FIELD, traced, n_traced)
    for colour in range(4):
        at = key >> 7 * colour & SLOT
        own_wild, own_freed = (wild, freed) if colour < colours else (0, 0)
        any_option = False
        must = triples[at, 0] + triples[at, 1] - own_wild - own_freed
        count[colour, : top[colour] + 1] = 0
        for tiles in range(max(0, must), top[colour] + 1):
            known = np.int64(-1)
            if n_traced[colour] == 0:
                known = memo[colour, at, tiles, own_wild, own_freed]
            if known < 0:
                n = -1
                while n < 0:
                    n = _colour_options(
                        colour, value, triples[at], traced[colour], n_traced[colour], tiles, own_wild, own_freed,
                        old_ends, index, least[colour, value + 1], now, used, pool[n_pool:],
                    )  # fmt: skip
                    if n < 0:
                        pool = grown(pool)
                known = np.int64(n_pool << 16 | n)
                n_pool += n
                if n_traced[colour] == 0:
                    memo[colour, at, tiles, own_wild, own_freed] = known
            first[colour, tiles], count[colour, tiles] = known >> 16, known & 0xFFFF
            any_option = any_option or count[colour, tiles] > 0
        if not any_option:
            return False, pool, n_pool
    return True, pool, n_pool


@leaf
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
def _steps_from(key, value, way, low, top, choices, n_choices, problem, work, pool, rows):
    """Writes every step from the state `key` over `value` as rows of (n, 7) int64; returns rows and n.

    `choices`: what may lie in groups; with each the colours walk through their options one after the other.
    """
    _, wild_max, freed_max, _, least = problem
    first, count, _, _, pick, sums, _, used = work
    _note_fits(low, top, count, used)
    fits0, fits1, fits2, fits3 = used[0], used[1], used[2], used[3]
    had_wild, had_freed = key >> WILD & 7, key >> _FREED & 7
    wild, freed = wild_max - had_wild, freed_max - had_freed
    n = 0
    for choice in range(n_choices):
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
                rows = grown(rows)
            field, n_field, extra = np.int64(0), 0, np.int64(0)
            for c in range(4):
                at = first[c, pick[c, 0]] + pick[c, 1]
                extra |= (pick[c, 0] + choices[choice, c] - low[c]) << 3 * c
                if pool[at, _N_TRACED]:
                    field = _merged(field, n_field, pool[at, _SLOTS], pool[at, _N_TRACED])
                    n_field += pool[at, _N_TRACED]
                rows[n, _CHOICES + c] = pool[at, _CHOICE]
            rows[n, _STATE] = sums[4, 0] | had_wild + n_wild << WILD | had_freed + n_freed << _FREED
            rows[n, _STATE] |= field << FIELD
            rows[n, _CODE] = extra | n_wild << 12
            rows[n, _GROUPS] = way | choices[choice, 4] << 8 | choices[choice, 5] << 11
            for c in range(4):
                rows[n, _GROUPS] |= choices[choice, c] << 14 + 3 * c
            n += 1
            pick[colour, 1] += 1
    return rows, n


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
    weights,
    steady,
    fixed,
    tables,
):
    """The layered graph of all ways to lay the tiles, as `plain.sweep` has it, and the steps of its edges.

    What is not told here is as there; runs may not wrap, but for an ace that is high. freed: how many freed jokers must
    be laid. old_ends: (4, values + 5) int64, where the first ends of the old runs of 3 or 4 tiles that start here or
    later (99: none), in the order of the sweep; old_groups: (values,) int64, the old groups, see `can_be_groups`.
    fixed: (values, 6) int64, what lies in groups: tiles of 4 colours, wild and freed jokers; empty: not fixed.

    steps: (edges, 5) int64, the choice of each colour, see `_colour_options`; and in the last column which tiles
    the loose jokers are (bits 0-7), wild and freed jokers and tiles of each colour in groups (3 bits each).
    """
    values, limit, turn = need.shape[1], tables[3].shape[1] - 1, np.int64(tables[5] == ACE_HIGH)
    if turn:
        need, may, loose = turned(need, turn, values), turned(may, turn, values), loose.copy()
        weights, steady = turned(weights, turn, values), turned(steady, turn, values)
        loose[:, 0] = (loose[:, 0] - turn) % values
        old_groups = np.roll(old_groups, -turn)
        fixed = turned(fixed.T.copy(), turn, values).T.copy()
    keys, layer = np.zeros(64, np.int64), np.zeros(values + 2, np.int64)
    follow, weight, came = np.ones(64, np.bool_), np.zeros(64, np.int64), np.full(64, -1, np.int64)
    source, target, code = np.empty(128, np.int64), np.empty(128, np.int64), np.empty(128, np.int64)
    steps = np.empty((128, 5), np.int64)
    edge_layer = np.zeros(values + 1, np.int64)
    table = np.full(128, -1, np.int64)
    rows, pool = np.empty((64, 7), np.int64), np.empty((256, 7), np.int64)
    low, top = np.zeros(4, np.int64), np.zeros(4, np.int64)
    least = jokers_needed(need, may, loose, wild_max + freed, freed, tables)[0]
    problem = (colours, wild_max, freed, old_ends, least)
    memo = np.empty((4, tables[0].shape[0], limit + 1, wild_max + 1, freed + 1), np.int64)
    all_choices = np.empty((room_for_choices(need, may, loose, wild_max, freed), 6), np.int64)
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
    past = np.zeros(64, np.int64)  # of no state it is asked what its paths have laid
    layer[1] = n_keys = 1
    n_edges = 0
    for value in range(values):
        memo[:] = -1
        n_pool = 0
        first = n_keys
        for way in range(loose_ways(loose, value)):
            if not with_loose(loose, value, way, need, low):
                continue
            for colour in range(4):
                top[colour] = low[colour] + may[colour, value]
            if fixed.shape[0]:
                choices, n_choices = fixed[value : value + 1], 1
            else:
                choices = all_choices
                n_choices = group_choices(top, wild_max, freed, old_groups[value], tables[6], choices)
            for state in range(layer[value], layer[value + 1]):
                if not follow[state]:
                    continue
                possible, pool, n_pool = _list_options(
                    keys[state], value, top, problem, tables, work, memo, pool, n_pool
                )
                if not possible:
                    continue
                rows, n = _steps_from(keys[state], value, way, low, top, choices, n_choices, problem, work, pool, rows)
                for row in range(n):
                    if n_keys == keys.shape[0]:
                        keys, follow, weight, came = grown(keys), grown(follow), grown(weight), grown(came)
                        past = np.zeros(keys.shape[0], np.int64)
                        table = np.full(2 * keys.shape[0], -1, np.int64)
                        again = first
                        for i in range(first, n_keys):
                            _, again = find_or_add(keys[i], table, first, keys, again)
                    if n_edges == source.shape[0]:
                        source, target, code, steps = grown(source), grown(target), grown(code), grown(steps)
                    known = n_keys
                    at, n_keys = find_or_add(rows[row, _STATE], table, first, keys, n_keys)
                    source[n_edges], target[n_edges], code[n_edges] = state, at, rows[row, _CODE]
                    steps[n_edges] = rows[row, _CHOICES:]
                    total = weight[state] + _step_weight(rows, row, value, weights, steady)
                    if at == known or total > weight[at]:
                        weight[at], came[at] = total, n_edges
                    n_edges += 1
        layer[value + 2] = n_keys
        edge_layer[value + 1] = n_edges
        follow[first:n_keys] = True
        best, worths = np.empty(n_keys - first, np.int64), np.empty(n_keys - first, np.int64)
        surpassed(keys, weight, past, first, n_keys, 0, freed, tables[8], follow, best, worths)
    complete = np.zeros(n_keys - layer[values], np.bool_)
    for i in range(complete.shape[0]):
        complete[i] = _is_complete(keys[layer[values] + i], wild_min, freed)
    graph = (
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
    return graph, steps


@leaf
def _step_weight(rows, row, value, weights, steady):
    """What a step adds to the weight of a path."""
    code, in_groups, total = rows[row, _CODE], rows[row, _GROUPS] >> 14, np.int64(0)
    if weights.shape[0]:
        total += SCALE * weights[0, weights.shape[1] - 1] * (code >> 12 & 7)
    for colour in range(4):
        if weights.shape[0]:
            total += SCALE * weights[colour, value] * (code >> 3 * colour & 7)
        if steady.shape[0]:
            total -= SCALE * abs((in_groups >> 3 * colour & 7) - steady[colour, value])
    return total
