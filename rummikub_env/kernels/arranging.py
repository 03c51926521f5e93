"""How the table lies after a play: which old sets are broken up, and how their tiles and the new ones are laid.

If no or one old set need be changed, no other is. Else as few tiles as can be move between groups and runs. Old sets
that lie as they lay keep their places, the others follow. Rows are sets as in `boards`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from rummikub_env.kernels.boards import (
    MOST_JOKERS,
    group_of,
    is_run,
    length_of,
    read_old_sets,
    read_sets,
    stands_for,
)
from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.fates import cases_of
from rummikub_env.kernels.graphs import best_codes
from rummikub_env.kernels.laid import lay_plainly
from rummikub_env.kernels.news import cut_out, lie_in_new_sets
from rummikub_env.kernels.plain import ANY_WEIGHT, EVERY, sweep

NONE, LAID, HARD = 0, 1, 2
"""It is no legal play; it is laid; how a case must be laid is not for the plain sweep to say."""


class Demand(NamedTuple):
    """What is asked of the tiles that are laid, beside that they lie in sets."""

    points: int
    """What they must be worth; 0: nothing."""
    no_jokers: int
    """Are jokers forbidden?"""
    more_wild: int
    """Jokers that must be laid though they are neither on the table nor on the rack."""


@njit(cache=True)
def arrange(terms, rows, n, played, demand, stage, case, new_rows):
    """Lays `played`, (kinds,) uint8, on the first `n` rows, and writes all sets to `new_rows`.

    stage, case: where to begin: stage 0 breaks up no set, stage s the s-th alone, stage n + 1 all; the cases are those
    of `fates`. Returns `NONE`, `LAID` or `HARD`, the stage and the case of the answer, and the number of new rows.
    """
    n_wild = demand.more_wild + np.int64(played[terms.joker])
    if demand.points == 0 and n_wild == 0 and stage == 0 and case == 0:
        n_new = _joined(terms, rows, n, played, new_rows)
        if n_new:
            return LAID, stage, case, n_new
    counts, part_counts = np.zeros(terms.joker, np.int64), np.zeros(terms.joker, np.int64)
    jokers = np.zeros((MOST_JOKERS, 3), np.int64)
    read_sets(terms, rows, n, counts, jokers)
    near = np.zeros((4, terms.values), np.int64)
    for kind in range(terms.joker):
        near[kind // terms.values, kind % terms.values] = played[kind]
    lone = np.int64(-1) if n_wild else _lone_tile(terms, near)
    old_ends, old_groups = np.empty((4, terms.values + 5), np.int64), np.zeros(terms.values, np.int64)
    part, nothing = np.empty_like(rows), np.zeros_like(played)
    last = n + 1 if n else 0
    while stage <= last:
        n_part = _part_of(rows, n, stage, part)
        if stage > n or _may_suffice(terms, part, n_part, played, n_wild, lone, near):
            n_jokers = read_sets(terms, part, n_part, part_counts, jokers)
            if terms.frozen and n_jokers:
                return HARD, stage, 0, 0
            cases = cases_of(terms, counts, jokers, n_jokers, played, nothing, demand.more_wild)
            while case < cases[4].shape[0]:
                codes = _way(terms, part, n_part, part_counts, played, demand, cases, case)
                if codes[0] >= 0:
                    if cases[4][case]:
                        read_old_sets(terms, rows, n, old_ends, old_groups)
                    is_new = cases[4][case] == 0 or lie_in_new_sets(codes, old_ends, old_groups, terms.tables)
                    if terms.tables[5] or not is_new:
                        return HARD, stage, case, 0
                    sets = _lay(terms, part, n_part, part_counts, played, cases, case, codes, old_ends, old_groups)
                    return LAID, stage, case, _assemble(rows, n, stage, sets, new_rows)
                case += 1
        stage, case = stage + 1, 0
    return NONE, stage, case, 0


@njit(cache=True)
def _part_of(rows, n, stage, part):
    """Writes the rows that a stage breaks up, and returns their number."""
    if stage == 0:
        return 0
    if stage <= n:
        part[0] = rows[stage - 1]
        return 1
    part[:n] = rows[:n]
    return n


# One set more, or one that grows


@njit(cache=True)
def _joined(terms, rows, n, played, new_rows):
    """The table with `played` as one new set, or joined to one old set as it lies; 0 rows where neither can be.

    This only saves time, and so `played` may hold no jokers: they are left to the sweep.
    """
    row = np.full(rows.shape[1], -1, rows.dtype)
    size = _listed(played, row)
    if size == 0 or size > terms.values:
        return 0
    if size >= 3 and (_is_group(terms, row, size) or _is_run_of(terms, row, size)):
        new_rows[:n] = rows[:n]
        new_rows[n] = row
        return n + 1
    longer = np.empty_like(row)
    for s in range(n):
        if _grow(terms, rows[s], row, size, longer):
            new_rows[:s] = rows[:s]
            new_rows[s : n - 1] = rows[s + 1 : n]
            new_rows[n - 1] = longer
            return n
    return 0


@leaf
def _listed(played, row):
    """Writes the kinds of a multiset, ascending, and returns how many they are; more than fit: how many fit, and 1."""
    size = 0
    for kind in range(played.shape[0]):
        for _ in range(played[kind]):
            if size == row.shape[0]:
                return size + 1
            row[size] = kind
            size += 1
    return size


@leaf
def _is_group(terms, row, size):
    """Are the ascending pieces, each of which stands for a tile, a group?"""
    if size > terms.largest_group:
        return False
    for i in range(1, size):
        one, other = stands_for(row[i - 1], terms.joker), stands_for(row[i], terms.joker)
        if one % terms.values != other % terms.values or (terms.distinct and one == other):
            return False
    return True


@leaf
def _is_run_of(terms, row, size):
    """Are the ascending pieces, each of which stands for a tile, a run that does not wrap?"""
    first = stands_for(row[0], terms.joker)
    if size > terms.longest_run or (terms.tables[5] and first % terms.values == 0):
        return False
    for i in range(1, size):
        if stands_for(row[i], terms.joker) != first + i:
            return False
    return first // terms.values == (first + size - 1) // terms.values


@leaf
def _grow(terms, old, more, size, row):
    """Writes the old set with `size` ascending tiles more; False where that is no set of the same sort."""
    n = length_of(old)
    if n + size > row.shape[0]:
        return False
    run, jokers, at = is_run(terms, old), 0, 0
    row[:] = -1
    n_old, n_more = 0, 0
    while n_old < n or n_more < size:  # merge by what the pieces stand for, open jokers last
        kind = stands_for(old[n_old], terms.joker) if n_old < n else np.int64(-1)
        if n_old < n and kind < 0:
            jokers, n_old = jokers + 1, n_old + 1
        elif n_old < n and (n_more == size or kind <= more[n_more]):
            row[at], at, n_old = old[n_old], at + 1, n_old + 1
        else:
            row[at], at, n_more = more[n_more], at + 1, n_more + 1
    if run:
        return jokers == 0 and _is_run_of(terms, row, at)
    value, _ = group_of(terms, old, n)
    if at + jokers > terms.largest_group or row[0] % terms.values != value or not _is_group(terms, row, at):
        return False
    for i in range(jokers):
        row[at + i] = terms.joker if at >= terms.told else 2 * terms.joker + value + 1
    return True


# Which sets to break up


@leaf
def _lone_tile(terms, near):
    """A tile that cannot lie in a set with two others, the highest; -1 where each can. near: (4, values) counts."""
    values = terms.values
    for kind in range(terms.joker - 1, -1, -1):
        colour, value = kind // values, kind % values
        if near[colour, value] == 0:
            continue
        beside = 0
        for other in range(4):
            beside += near[other, value] > 0 if terms.distinct else near[other, value]
        if beside >= 3:
            continue
        left = _there(terms, near, colour, value - 1), _there(terms, near, colour, value - 2)
        right = _there(terms, near, colour, value + 1), _there(terms, near, colour, value + 2)
        if not ((left[0] and (left[1] or right[0])) or (right[0] and right[1])):
            return np.int64(kind)
    return np.int64(-1)


@leaf
def _there(terms, near, colour, value):
    """Is there a tile of this colour and value? Where runs wrap the first value follows the last."""
    if terms.tables[5]:
        return near[colour, value % terms.values] > 0
    return 0 <= value < terms.values and near[colour, value] > 0


@leaf
def _may_suffice(terms, part, n_part, played, n_wild, lone, near):
    """Might it suffice to break up these rows, at most one? False is certain.

    A tile that no other one of the rack gives company must find it in the set.
    """
    if n_part == 0:
        return lone < 0
    row, n = part[0], length_of(part[0])
    has_joker, helps = n_wild > 0, False
    for i in range(n):
        has_joker |= row[i] >= terms.joker
    if not has_joker and lone >= 0:
        for i in range(n):
            helps |= _are_near(terms, row[i], lone)
    elif not has_joker:
        for kind in range(terms.joker):
            for i in range(n if played[kind] else 0):
                helps |= _are_near(terms, row[i], kind)
    if has_joker or not helps:
        return has_joker
    for i in range(n):
        near[row[i] // terms.values, row[i] % terms.values] += 1
    suffices = _lone_tile(terms, near) < 0
    for i in range(n):
        near[row[i] // terms.values, row[i] % terms.values] -= 1
    return suffices


@leaf
def _are_near(terms, one, other):
    """Can two real tiles lie in a set of three?"""
    values = terms.values
    steps = abs(one % values - other % values)
    if one // values != other // values:
        return steps == 0
    if terms.tables[5]:
        steps = min(steps, values - steps)
    return 1 <= steps <= 2 or (steps == 0 and not terms.distinct)


# Laying


@njit(cache=True, inline="always")  # else the sweep would be compiled once more
def _way(terms, part, n_part, part_counts, played, demand, cases, case):
    """The codes of the steps that lay the tiles, freed jokers as wild ones; all -1: they cannot be laid."""
    forced, kept, wild, _, freed, first_loose, loose = cases
    need, steady = kept[case] + forced[case], np.zeros((4, terms.values), np.int64)
    for kind in range(terms.joker):
        need[kind // terms.values, kind % terms.values] += part_counts[kind] + np.int64(played[kind])
    for s in range(n_part):
        if not is_run(terms, part[s]):
            for i in range(length_of(part[s])):
                if part[s, i] < terms.joker:
                    steady[part[s, i] // terms.values, part[s, i] % terms.values] += 1
    n_wild = np.int64(played[terms.joker]) + wild[case] + freed[case]
    if demand.no_jokers and n_wild:
        return np.full(terms.values, -1, np.int64)
    its_loose = loose[first_loose[case] : first_loose[case + 1]].copy()
    no, nothing = np.int64(0), np.zeros((0, 0), np.int64)
    graph = sweep(
        terms.colours, need, np.zeros_like(need), its_loose, n_wild, n_wild, demand.points, terms.joker_points,
        nothing, steady, np.int64(freed[case] > 0), np.int64(ANY_WEIGHT), nothing, nothing, no,
        np.int64(EVERY), terms.tables,
    )  # fmt: skip
    return best_codes(graph)


@njit(cache=True)
def _lay(terms, part, n_part, part_counts, played, cases, case, codes, old_ends, old_groups):
    """The sets of these steps as rows, groups before runs; freed jokers lie in new sets."""
    real, locked, are_freed = np.zeros((4, terms.values), np.int64), cases[1][case].copy(), cases[4][case] > 0
    for kind in range(terms.joker):
        real[kind // terms.values, kind % terms.values] = part_counts[kind] + np.int64(played[kind])
    lock_loose(codes >> 54, cases, case, locked)
    most = real.sum() + locked.sum() + 8  # more than there are sets
    laid, lengths, wilds, n_groups = lay_plainly(
        terms.colours, codes, locked, real, terms.joker, terms.told, terms.tables[6], are_freed, old_groups
    )
    fresh, n = np.full((most, part.shape[1]), -1, part.dtype), 0
    for s in range(n_groups):
        for i in range(lengths[s]):
            fresh[n, i] = laid[s, i]
        n += 1
    for s in range(n_groups, lengths.shape[0]):
        start, end = np.int64(0), np.int64(0)
        if are_freed and wilds[s]:
            first = stands_for(laid[s, 0], terms.joker)
            colour, value = first // terms.values, first % terms.values
            start, end = cut_out(value, value + lengths[s] - 1, wilds[s], old_ends[colour])
            start, end = start - value, end - value + 1
            n = _add(terms, laid[s], start, end, fresh, n)
        n = _recut(terms, laid[s], 0, start, part, n_part, fresh, n)
        n = _recut(terms, laid[s], end, lengths[s], part, n_part, fresh, n)
    _sort(fresh[n_groups:n])
    return fresh[:n]


@njit(cache=True)
def lock_loose(ways, cases, case, locked):
    """Adds to `locked`, (4, values), the tiles that the loose jokers of a case are, as `ways`, (values,), tell it."""
    first_loose, loose = cases[5], cases[6]
    taken = np.zeros(ways.shape[0], np.int64)
    for i in range(first_loose[case], first_loose[case + 1]):
        value = loose[i, 0]
        locked[ways[value] >> 2 * taken[value] & 3, value] += 1
        taken[value] += 1


@leaf
def _recut(terms, run, begin, length, part, n_part, fresh, n_fresh):
    """Adds run[begin:length], or parts of it of which some are rows of the part; the new number of sets."""
    while begin < length:
        start, end = _old_in(run, begin, length, part, n_part)
        n_fresh = _add(terms, run, begin, start, fresh, n_fresh)
        n_fresh = _add(terms, run, start, end, fresh, n_fresh)
        begin = end
    return n_fresh


@leaf
def _add(terms, run, begin, end, fresh, n_fresh):
    """Adds run[begin:end], cut where it is too long; the new number of sets."""
    while begin < end:
        length = end - begin
        if length > terms.longest_run:
            length = min(terms.longest_run, length - 3)
        for i in range(length):
            fresh[n_fresh, i] = run[begin + i]
        begin, n_fresh = begin + length, n_fresh + 1
    return n_fresh


@leaf
def _old_in(run, begin, length, part, n_part):
    """Where a row of the part lies in run[begin:length] so that it can be cut out; all of it where none does."""
    for start in range(begin, length - 2):
        for end in range(length, start + 2, -1):
            if start - begin in (1, 2) or length - end in (1, 2):
                continue
            for s in range(n_part):
                if _lies_in(part[s], run, start, end):
                    return start, end
    return begin, length


@leaf
def _lies_in(row, run, start, end):
    """Is the row run[start:end]?"""
    if end - start < row.shape[0] and row[end - start] >= 0:
        return False
    same = True
    for i in range(start, end):
        same = same and row[i - start] == run[i]
    return same


@njit(cache=True)
def _sort(rows):
    """Sorts the rows, by their first pieces first."""
    for i in range(1, rows.shape[0]):
        row, place = rows[i].copy(), i
        while place and _comes_before(row, rows[place - 1]):
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row


@leaf
def _comes_before(one, other):
    for i in range(one.shape[0]):
        if one[i] != other[i]:
            return one[i] < other[i]
    return False


@njit(cache=True)
def _assemble(rows, n, stage, fresh, new_rows):
    """Writes the table: first the old sets that lie as they lay, in their order, then the other fresh ones."""
    n_new, n_fresh = 0, fresh.shape[0]
    used = np.zeros(n_fresh, np.bool_)
    for s in range(n):
        stays = stage <= n and s != stage - 1
        for i in range(0 if stays else n_fresh):
            if not used[i] and not (_comes_before(fresh[i], rows[s]) or _comes_before(rows[s], fresh[i])):
                used[i], stays = True, True
                break
        if stays:
            new_rows[n_new] = rows[s]
            n_new += 1
    for i in range(n_fresh):
        if not used[i]:
            new_rows[n_new] = fresh[i]
            n_new += 1
    return n_new
