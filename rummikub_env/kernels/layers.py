"""The layers of a plain sweep: all steps over a value, from the states before it to those after it.

Nothing here makes an array: it is where a sweep spends its time, and where references would be counted (`compiling`).

A step is told by its code, 3 bits for each colour::

    bits  0-11  tiles laid beyond what must be laid       bits 39-50  tiles in groups
    bits 12-14  wild jokers laid                          bits 51-53  wild jokers in groups
    bits 15-26  tiles in runs                             bits 54-61  which tiles the loose jokers are
    bits 27-38  wild jokers in runs
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.kernels.compiling import inlined, leaf
from rummikub_env.kernels.hands import group_choices, loose_ways, with_loose
from rummikub_env.kernels.states import FIELD, SCALE, SLOT, WILD, find_or_add, past_after, surpassed, surpassed_alike

Ints = NDArray[np.int64]


class Asked(NamedTuple):
    """What is asked, as `plain.sweep` has it; values stand in the order in which the sweep goes over them."""

    colours: int
    need: Ints
    may: Ints
    loose: Ints
    wild_max: int
    points: int
    joker_points: int
    weigh: Ints
    """(4, values + 1): weights in 16ths."""
    steady: Ints
    bonus: int
    at_least: int
    wanted: Ints
    """(4, values)"""
    signs: Ints
    """(4, values)"""
    most_edges: int


class Known(NamedTuple):
    """What is known before the first step."""

    turn: int
    """The first value, 0-based."""
    guess_at: int
    sign_at: int
    """The bits of a state where the number of its guess and its sign begin; 63: there is none."""
    follow_all: bool
    """Are states followed that another one surpasses?"""
    left: Ints
    """(values + 1,): what tiles from a value on can add to a weight."""
    left_by_joker: int
    at_hand: Ints
    """(4, values)"""
    least: NDArray[np.uint8]
    """`hands.jokers_needed`, where runs wrap; else empty."""


class Graph(NamedTuple):
    """The states and edges so far, in arrays that may be too short."""

    layer: Ints
    edge_layer: Ints
    keys: Ints
    follow: NDArray[np.bool_]
    weight: Ints
    came: Ints
    past: Ints
    """What the paths to each state lay of what is wanted, see `states.past_after`."""
    source: Ints
    target: Ints
    code: Ints
    table: Ints
    """Where a state stands, see `states.find_or_add`."""
    best: Ints
    worths: Ints
    """Room for `states.surpassed`."""


class Work(NamedTuple):
    """Room for what is told of one value."""

    options: Ints
    start: Ints
    fits: Ints
    known: NDArray[np.bool_]
    low: Ints
    top: Ints
    ends: Ints
    """(4,): how many tiles of each colour must and may be laid, and the guess for its runs."""
    choices: Ints
    listed: Ints


@leaf
def layers(value, asked, known, tables, work, graph):
    """All steps over `value` and those after it; returns the value for which there is no room, else their number."""
    values, layer = asked.need.shape[1], graph.layer
    while value < values:
        first, n_keys, n_edges = layer[value + 1], layer[value + 1], graph.edge_layer[value]
        for way in range(loose_ways(asked.loose, value)):
            if layer[value] < first and with_loose(asked.loose, value, way, asked.need, work.low):
                for colour in range(4):
                    work.top[colour] = work.low[colour] + asked.may[colour, value]
                n_choices = group_choices(work.top, asked.wild_max, 0, 0, tables[6], work.choices)
                _list_choices(value, way, n_choices, asked, work)
                n_keys, n_edges = _cross(value, n_choices, n_keys, n_edges, asked, known, tables, work, graph)
                if n_keys < 0:
                    return value
        layer[value + 2], graph.edge_layer[value + 1] = n_keys, n_edges
        graph.follow[first:n_keys] = n_edges <= asked.most_edges
        if not known.follow_all and n_keys - first > 1 and n_edges <= asked.most_edges:
            _compare(first, n_keys, asked, known, tables, graph)
        value += 1
    return value


@inlined
def _compare(first, last, asked, known, tables, graph):
    """Marks which of the states of a layer are followed; those of one guess stand together."""
    keys, weight, follow, best, worths = graph.keys, graph.weight, graph.follow, graph.best, graph.worths
    if known.sign_at < 63:
        surpassed_alike(keys, weight, first, last, known.sign_at, tables[8], follow, graph.table, best, worths)
    else:
        for end in range(first + 1, last + 1):
            if end == last or (keys[end] ^ keys[first]) >> known.guess_at:
                surpassed(
                    keys, weight, graph.past, first, end, asked.points, 0, tables[8], follow, best, worths
                )  # fmt: skip
                first = end


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


@inlined
def _list_options(colour, at, value, n, asked, known, tables, work):
    """Adds to `options`, from row n on, what a colour can do with its runs; the number of rows, and bits.

    at: its open runs. The rows are in the order of its tiles; start[colour, at, n]: the first with n tiles or more.
    Bit g: it can lay what g tiles in groups leave.
    """
    triples, after, begin = tables[0], tables[3], tables[7]
    options, start, low, top, weigh = work.options, work.start, work.low, work.top, asked.weigh
    limit, joker_weight = after.shape[1] - 1, weigh[0, weigh.shape[1] - 1]
    must = triples[at, 0] + triples[at, 1] + (0 if value else triples[at, 2])
    wild = asked.wild_max if colour < asked.colours else 0
    for tiles in range(top[colour] + 1):
        start[colour, at, tiles] = n
        for n_wild in range(max(0, must - tiles), min(wild, limit - tiles) + 1):
            then = after[at, tiles + n_wild] if value else begin[at, tiles + n_wild]
            if known.least.shape[0]:
                cost = n_wild + np.int64(known.least[work.ends[colour], colour, value + 1, then])
            else:
                cost = n_wild + _still_needed(triples[then, 0], triples[then, 1], colour, value + 1, known.at_hand)
            if cost <= asked.wild_max:
                options[n, _KEY] = (then << 7 * colour | n_wild << WILD) + tiles * asked.signs[colour, value]
                options[n, _CODE] = tiles << 3 * colour | n_wild << 12 | (tiles << 15 | n_wild << 27) << 3 * colour
                options[n, _WEIGHT] = weigh[colour, value] * tiles + joker_weight * n_wild
                options[n, _TILES] = tiles + asked.joker_points * n_wild
                options[n, _COST] = cost
                n += 1
    start[colour, at, top[colour] + 1] = n
    fits = np.int64(0)
    for in_groups in range(top[colour] + 1):
        if start[colour, at, max(0, low[colour] - in_groups)] < start[colour, at, top[colour] - in_groups + 1]:
            fits |= 1 << in_groups
    return n, fits


@inlined
def _list_choices(value, way, n_choices, asked, work):
    """Writes to `listed` what the choices of tiles and jokers in groups add to a step."""
    choices, listed, low, weigh = work.choices, work.listed, work.low, asked.weigh
    for i in range(n_choices):
        n_wild, code, weight, tiles, fits = choices[i, 4], way << 54, np.int64(0), np.int64(0), np.int64(0)
        sign = np.int64(0)
        for colour in range(4):
            n = choices[i, colour]
            code += (n - low[colour] << 3 * colour) + (n << 39 + 3 * colour)
            weight += weigh[colour, value] * (n - low[colour])
            sign += asked.signs[colour, value] * (n - low[colour])
            if asked.steady.shape[0]:
                weight -= SCALE * abs(n - asked.steady[colour, value])
            tiles += n
            fits |= 1 << 8 * colour + n
        listed[i, _KEY] = (n_wild << WILD) + sign
        listed[i, _CODE] = code + (n_wild << 12) + (n_wild << 51)
        listed[i, _WEIGHT] = weight + (weigh[0, weigh.shape[1] - 1] + asked.bonus) * n_wild
        listed[i, _TILES] = tiles + asked.joker_points * n_wild
        listed[i, _COST], listed[i, _FITS] = n_wild, fits


@inlined
def _cross(value, n_choices, n, n_edges, asked, known, tables, work, graph):
    """Every step over a value in one way to read its loose jokers.

    The n-th state is the next new one; so are edges. It breaks off where there are more than most_edges. Returns the
    numbers of both after it, -1 and -1 where the arrays are too short.
    """
    keys, weight, came, past = graph.keys, graph.weight, graph.came, graph.past
    source, target, code, table = graph.source, graph.target, graph.code, graph.table
    options, start, fits, is_listed, low, top, ends, choices, listed = work
    first, last, guess_at = graph.layer[value], graph.layer[value + 1], known.guess_at
    above = min(guess_at, known.sign_at)
    wild_max, points, worth = asked.wild_max, asked.points, (value + known.turn) % asked.need.shape[1] + 1
    left, left_by_joker, at_least = known.left[value + 1], known.left_by_joker, asked.at_least
    room, edge_room = keys.shape[0], source.shape[0]
    wanted = np.int64(0)
    for colour in range(4):
        wanted |= asked.wanted[colour, value] << colour
    guess, n_options = np.int64(-1), np.int64(1)
    options[0] = 0
    for state in range(first, last):
        if not graph.follow[state]:
            continue
        key = keys[state]
        if key >> guess_at != guess:
            guess = key >> guess_at
            is_listed[:] = False
            n_options = np.int64(1)
            for colour in range(4):
                ends[colour] = keys[guess] >> 7 * colour & SLOT
        wild = wild_max - (key >> WILD & 7)
        all_fits = np.int64(0)
        for colour in range(4):
            at = key >> 7 * colour & SLOT
            if at == 0 and top[colour] == 0 and wild_max <= 0 and known.least.shape[0] == 0:
                start[colour, 0, 0], start[colour, 0, 1], fits[colour, 0] = 0, 1, 1
            elif not is_listed[colour, at]:
                is_listed[colour, at] = True
                n_options, fits[colour, at] = _list_options(colour, at, value, n_options, asked, known, tables, work)
            all_fits |= fits[colour, at] << 8 * colour
        had = key >> FIELD & (1 << above - FIELD) - 1
        base = (key & 7 << WILD) + (key >> above << above)
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
                            if n_edges > asked.most_edges:
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
                            step_code += options[c, _CODE] + options[d, _CODE]
                            code[n_edges] = step_code
                            if to == new:
                                past[to] = 0
                            past[to] |= past_after(past[state], step_code, wanted, value)
                            if to == new or total > weight[to]:
                                weight[to], came[to] = total, n_edges
                            n_edges += 1
    return n, n_edges
