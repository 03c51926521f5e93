"""What a layered graph of a sweep says: its best path, what its paths lay, and all different plays.

A graph is what `plain.sweep` returns: keys, layer, source, target, code, edge_layer, complete, follow, weight, came,
turn. What is told of values is told in their own order, wherever the sweep began.
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.states import WILD, grown


@njit(cache=True)
def best_path(graph):
    """The edges of the complete path of most weight, (values,) int64; all -1 where there is none.

    Of equal paths the first in the order of the sweep.
    """
    layer, source, edge_layer, complete = graph[1], graph[2], graph[5], graph[6]
    weight, came, turn = graph[8], graph[9], graph[10]
    values = edge_layer.shape[0] - 1
    path = np.full(values, -1, np.int64)
    end = -1
    for i in range(complete.shape[0]):
        at = layer[values] + i
        if complete[i] and (end < 0 or weight[at] > weight[end]):
            end = at
    if end >= 0:
        for value in range(values - 1, -1, -1):
            path[(value + turn) % values] = came[end]
            end = source[came[end]]
    return path


@njit(cache=True)
def best_codes(graph):
    """The codes of the steps of the best path, (values,) int64; all -1 where there is none."""
    codes = best_path(graph)
    if codes[0] >= 0:
        for value in range(codes.shape[0]):
            codes[value] = graph[4][codes[value]]
    return codes


@leaf
def write_play(codes, forced, more_wild, play):
    """Writes the tiles of a way to `play`, (kinds,): what its codes lay beyond what must be, and `forced`, (4, values).

    more_wild: the jokers that are played beside those that the way lays.
    """
    n_wild = more_wild
    for value in range(codes.shape[0]):
        n_wild += _write_step(codes[value], value, forced, play)
    play[-1] = n_wild


@leaf
def _write_step(code, value, forced, play):
    """Writes the real tiles that one step plays; returns how many wild jokers it lays."""
    values, joker = forced.shape[1], play.shape[0] - 1
    for colour in range(4):
        if colour * values < joker:
            play[colour * values + value] = (code >> 3 * colour & 7) + forced[colour, value]
    return code >> 12 & 7


@leaf
def write_plays(layer, source, code, complete, came, turn, forced, more_wild, plays):
    """Writes the plays of the best paths to all last states of a graph, each once, as `write_play` does.

    Returns how many there are; -1 where there is no room for them.
    """
    values, n = layer.shape[0] - 2, 0
    for i in range(complete.shape[0]):
        if not complete[i]:
            continue
        if n == plays.shape[0]:
            return -1
        state, some, n_wild = layer[values] + i, False, more_wild
        for value in range(values - 1, -1, -1):
            n_wild += _write_step(code[came[state]], (value + turn) % values, forced, plays[n])
            state = source[came[state]]
        plays[n, -1] = n_wild
        for kind in range(plays.shape[1]):
            some = some or plays[n, kind] > 0
        if some and not _is_among(plays, n):
            n += 1
    return n


@leaf
def _is_among(plays, n):
    """Is the n-th play one of those before it?"""
    for i in range(n):
        same = True
        for kind in range(plays.shape[1]):
            same = same and plays[i, kind] == plays[n, kind]
        if same:
            return True
    return False


@njit(cache=True)
def laid_in(graph, wild_min):
    """What the complete paths of a graph lay beyond what they must.

    Returns a mask, (4, values + 1) bool, [0, values] a wild joker beyond `wild_min`; whether there is a complete path;
    and whether there is one that lays no more than it must.
    """
    keys, layer, source, target, code, edge_layer = graph[0], graph[1], graph[2], graph[3], graph[4], graph[5]
    complete, turn, values = graph[6], graph[10], graph[5].shape[0] - 1
    mask = np.zeros((4, values + 1), np.bool_)
    lives = _alive(graph)
    bare = np.zeros(lives.shape[0], np.bool_)
    bare[: layer[1]] = True
    for value in range(values):
        at = (value + turn) % values
        for edge in range(edge_layer[value], edge_layer[value + 1]):
            if lives[target[edge]]:
                if code[edge] & 0xFFF == 0:
                    bare[target[edge]] |= bare[source[edge]]
                for colour in range(4):
                    if code[edge] >> 3 * colour & 7:
                        mask[colour, at] = True
    done = False
    for i in range(complete.shape[0]):
        more = keys[layer[values] + i] >> WILD & 7 > wild_min
        mask[0, values] |= complete[i] and more
        done = done or (complete[i] and not more and bare[layer[values] + i])
    return mask, complete.any(), done


@njit(cache=True)
def _alive(graph):
    """Which states lie on a complete path, (states,) bool."""
    layer, source, target, edge_layer, complete = graph[1], graph[2], graph[3], graph[5], graph[6]
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

    Returns (n, 4 * values + 1) uint8, the wild jokers beyond `wild_min` last; the codes of the steps of a path that
    lays each, (n, values) int64; and whether these are all. Walks the choices of extra tiles value by value with the
    set of all states that they may lead to, so that no multiset is met twice and no walk ends in vain.
    """
    keys, layer, code, edge_layer, complete, turn = graph[0], graph[1], graph[4], graph[5], graph[6], graph[10]
    values = edge_layer.shape[0] - 1
    found, ways = np.zeros((16, 4 * values + 1), np.uint8), np.zeros((16, values), np.int64)
    n = 0
    lives = _alive(graph)
    if not lives[: layer[1]].any():
        return found[:0], ways[:0], True
    start, order = _by_source(graph, lives)
    # depth-first over the values; the states reached, how they were, and the choices that are left are stacks
    room = max(256, layer[1])
    members, came, parent = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    first = np.zeros(values + 2, np.int64)
    for state in range(layer[1]):
        if lives[state]:
            members[first[1]] = state
            first[1] += 1
    extras = np.empty(256, np.int64)
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
                wild = keys[members[i]] >> WILD & 7
                if not complete[members[i] - layer[values]] or seen >> wild & 1:
                    continue
                seen |= 1 << wild
                if n == limit:
                    return found[:n], ways[:n], False
                if n == found.shape[0]:
                    found, ways = grown(found), grown(ways)
                found[n] = 0
                at = i
                for value in range(values - 1, -1, -1):
                    for colour in range(4):
                        found[n, colour * values + (value + turn) % values] = chosen[value] >> 3 * colour & 7
                    ways[n, (value + turn) % values] = code[came[at]]
                    at = parent[at]
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
                            extras = grown(extras)
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
                to = graph[3][edge]
                if code[edge] & 0xFFF == chosen[depth] and mark[to] != stamp:
                    mark[to] = stamp
                    if end == members.shape[0]:
                        members, came, parent = grown(members), grown(came), grown(parent)
                    members[end], came[end], parent[end] = to, edge, i
                    end += 1
        first[depth + 2] = end
        depth += 1
        fresh = True
    return found[:n], ways[:n], True


@njit(cache=True)
def _by_source(graph, lives):
    """The edges that live in the order of their sources, and the first of each state, (states + 1,)."""
    source, target = graph[2], graph[3]
    start = np.zeros(lives.shape[0] + 1, np.int64)
    n = 0
    for edge in range(source.shape[0]):
        if lives[target[edge]] and lives[source[edge]]:
            start[source[edge] + 1] += 1
            n += 1
    for state in range(lives.shape[0]):
        start[state + 1] += start[state]
    order, place = np.empty(n, np.int64), start.copy()
    for edge in range(source.shape[0]):
        if lives[target[edge]] and lives[source[edge]]:
            order[place[source[edge]]] = edge
            place[source[edge]] += 1
    return start, order
