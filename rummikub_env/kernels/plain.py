"""The plain sweep: every way to lay tiles and wild jokers as runs and groups, value by value, on plain arrays.

Between two values a colour is described by its open runs: how many have length 1, 2, and 3 or more. Runs of
length 1 and 2 must go on. At each value the sweep chooses how many tiles of each colour lie in groups and how
many in runs; lengthening a long run before starting a new one is never worse. Every complete path through the
layered graph of such states is a legal table, every legal table a path.

Locked jokers are tiles. *Wild* ones (from the rack, or every joker where the rules let them move freely) stand
for anything. A bound on the jokers that each colour still needs cuts off what cannot be completed.

Where runs wrap, the sweep begins with a *guess*: for each colour the open runs that come from beyond the first value
and go on there. A path is complete if what is open at its end is at least as good as what it guessed. With `ace_both`
they end at the 1; with `circular` they go on, and the sweep may begin at any value: it does where it has least to
guess. With `ace_high` there is nothing to guess, only the 1 comes last. A run that got too long can be cut, as there
are five values or more.

States are told in `states`, steps in `layers`.
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.hands import (
    jokers_needed,
    points_at_most,
    relevant,
    room_for_choices,
    tiles_at_hand,
)
from rummikub_env.kernels.layers import Asked, Graph, Known, Work, layers
from rummikub_env.kernels.states import BARE, FIELD, GUESS, SCALE, WILD, grown

ANY_WEIGHT = -(1 << 62)
"""Less than any path weighs."""
EVERY = 1 << 62
"""More edges than any graph has."""


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
    weights,
    steady,
    bonus,
    at_least,
    wanted,
    signs,
    sign_bits,
    most_edges,
    tables,
):
    """The layered graph of all ways to lay the tiles.

    need, may: (4, values) int64, tiles and locked jokers that must, and tiles that may, be laid.
    loose: (n, 5) int64, locked jokers that may be one of several tiles of a value: the value (0-based), and
    for each colour whether it may be that one.
    wild_min, wild_max: how many wild jokers must and may be laid.
    points: the least value of an opening (0: no opening); joker_points: 1 if its jokers count, else 0.
    weights: (4, values + 1) int64, of each tile laid beyond need; weights[0, values] of each wild joker; empty: 0.
    steady: (4, values) int64, how many of each tile lay in groups; each tile more or less costs 1; empty: none.
    bonus: what a wild joker in a group weighs, where 16 is a unit of weight.
    at_least: no path that weighs less, in 16ths, is complete, and most of them are left out.
    wanted: (4, values) int64, 1 for each tile of which it is asked whether any path lays it beyond need: some complete
    path of the states that are followed does so if any does, and lays no tile beyond need if any does; empty: none.
    signs, sign_bits: `signs_of`, to list all plays: states of different signs are kept apart. Where there is no room
    for them, states are followed that another one surpasses. empty, 0: none.
    most_edges: if there are more edges, the sweep breaks off and says that no path is complete.
    tables: `tables.tables`.

    Returns keys, layer, source, target, code, edge_layer, complete, follow, weight, came, turn. The
    v-th to come is value (v + turn) % values; the states before it are keys[layer[v]:layer[v + 1]], the edges over it
    edge_layer[v]:edge_layer[v + 1]; complete: (states after the last value,) bool; follow, weight, came: of each state
    whether it was followed, the greatest weight of a path to it, and its last edge.
    """
    values, jokers = need.shape[1], max(0, wild_max)
    turn = first_value(need, may, loose, jokers, tables)
    if turn:
        need, may, loose = turned(need, turn, values), turned(may, turn, values), loose.copy()
        weights, steady = turned(weights, turn, values), turned(steady, turn, values)
        wanted, signs = turned(wanted, turn, values), turned(signs, turn, values)
        loose[:, 0] = (loose[:, 0] - turn) % values
    may = relevant(need, may, loose, jokers, tables)
    zeros = np.zeros((4, values + 1), np.int64)
    weigh = SCALE * weights if weights.shape[0] else zeros
    left, left_by_joker = what_is_left(may, weigh), max(0, weigh[0, values]) + bonus
    at_hand, least = tiles_at_hand(need, may, loose), np.zeros((0, 4, 1, 1), np.uint8)
    if tables[5] > 1:
        least = jokers_needed(need, may, loose, jokers, 0, tables)
    keys, n_first = first_states(least, jokers)
    sign_at, guess_at = sign_and_guess_at(points, sign_bits, n_first, tables)
    for guess in range(1, n_first):
        keys[guess] |= guess << guess_at
    signs = signs << sign_at if sign_at < 63 else zeros
    is_wanted = wanted.shape[0] > 0
    if not is_wanted:
        wanted = zeros
    asked = Asked(
        colours, need, may, loose, wild_max, points, joker_points, weigh, steady, bonus, at_least, wanted, signs,
        most_edges,
    )  # fmt: skip
    follow_all = sign_bits > 0 and sign_at == 63
    known = Known(turn, guess_at, sign_at, follow_all, left, left_by_joker, at_hand, least)
    work, graph = _room_to_work(need, may, loose, jokers, tables), _begun(keys, n_first, values)
    graph.past[:n_first] = np.int64(is_wanted) << BARE
    if points and points_at_most(need, may, loose, jokers * joker_points, turn) < points:
        graph.follow[:] = False
    value = np.int64(0)
    while True:
        value = layers(value, asked, known, tables, work, graph)
        if value == values:
            break
        graph = _with_more_room(graph)
    layer, edge_layer, keys, follow, weight, came, _, source, target, code, _, _, _ = graph
    first, n_keys, n_edges = layer[values], layer[values + 1], edge_layer[values]
    complete = np.zeros(n_keys - first, np.bool_)
    for i in range(complete.shape[0]):
        key = keys[first + i]
        had = key >> FIELD & (1 << min(guess_at, sign_at) - FIELD) - 1
        complete[i] = (key >> WILD & 7) >= wild_min and had >= points and weight[first + i] >= at_least
    if n_edges > most_edges:
        complete[:] = False
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
def _room_to_work(need, may, loose, jokers, tables):
    n_rows, limit = tables[0].shape[0], tables[3].shape[1] - 1
    options = np.empty((4 * n_rows * (limit + 1) * (jokers + 1) + 1, 5), np.int64)
    start, fits = np.empty((4, n_rows, limit + 2), np.int64), np.empty((4, n_rows), np.int64)
    known, fours = np.empty((4, n_rows), np.bool_), np.zeros((3, 4), np.int64)
    rows = np.empty((2, room_for_choices(need, may, loose, jokers, 0), 6), np.int64)
    return Work(options, start, fits, known, fours[0], fours[1], fours[2], rows[0], rows[1])


@njit(cache=True)
def _begun(keys, n, values):
    """A graph of n states before the first value, and no edges."""
    room, layers_at = keys.shape[0], np.zeros((2, values + 2), np.int64)
    layers_at[0, 1] = n
    follow, of_states, of_edges = (
        np.ones(room, np.bool_),
        np.empty((5, room), np.int64),
        np.empty((4, 2 * room), np.int64),
    )
    weight, came, past, best, worths = of_states[0], of_states[1], of_states[2], of_states[3], of_states[4]
    source, target, code, table = of_edges[0], of_edges[1], of_edges[2], of_edges[3]
    weight[:n], came[:n], past[:n] = 0, -1, 0
    table[:] = -1
    layer, edge_layer = layers_at[0], layers_at[1, :-1]
    return Graph(layer, edge_layer, keys, follow, weight, came, past, source, target, code, table, best, worths)


@njit(cache=True)
def _with_more_room(graph):
    """The same graph in arrays of twice the length."""
    layer, edge_layer, keys, follow, weight, came, past, source, target, code, table, best, worths = graph
    return Graph(
        layer, edge_layer, grown(keys), grown(follow), grown(weight), grown(came), grown(past), grown(source),
        grown(target), grown(code), np.full(2 * table.shape[0], -1, np.int64), grown(best), grown(worths),
    )  # fmt: skip


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
def sign_and_guess_at(points, sign_bits, guesses, tables):
    """The first bits of the sign and of the number of a guess in a state; 63 where there is none, or no room."""
    at, most = GUESS if points else FIELD, 0
    while guesses - 1 >> most:
        most += 1
    sign_at = at if 0 < sign_bits <= 63 - at - most else 63
    if sign_at < 63:
        at += sign_bits
    if most > 63 - at:
        raise ValueError("more runs could wrap than the solver can tell apart")
    return sign_at, at if tables[5] else 63


@njit(cache=True)
def first_states(least, jokers):
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
                        keys[n] = a | b << 7 | c << 14 | d << 21
                        n += 1
    return keys, n


@njit(cache=True)
def signs_of(may):
    """What each tile adds to the sign of a state, (4, values) int64, so that no two plays have the same sign.

    And how many bits a sign takes; where it takes more than 62, the signs are not told.
    """
    signs, bits = np.zeros_like(may), np.int64(0)
    for colour in range(4):
        for value in range(may.shape[1]):
            most = may[colour, value]
            if most and bits < 63:
                signs[colour, value] = 1 << bits
            while most:
                most >>= 1
                bits += 1
    return signs, bits


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
