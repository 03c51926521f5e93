"""The cases of a turn: every fate that the jokers on the table can have together.

A joker is kept as one of the tiles it may stand for, or it is freed by a real tile of its identity (two where the
rules want both): one that is at hand, or one of the rack that must then be played. Where jokers move freely there is
one case, in which all of them are wild.
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.boards import bits_set
from rummikub_env.kernels.compiling import leaf


@njit(cache=True)
def cases_of(terms, supply, jokers, n_jokers, spelled, left, more_wild):
    """All cases of a turn in which `spelled` is played, and perhaps some of what is `left`.

    supply: (joker,) int64, the real tiles of the table; jokers: see `boards.read_sets`; spelled, left: (kinds,) of the
    rack; more_wild: jokers that must be laid though none is on the table. Those that free the fewest jokers come
    first, of these those that force the fewest tiles.

    Returns what `masks.playable` calls cases: forced, kept, wild, forced_wild, freed, first_loose, loose.
    """
    values = terms.values
    if n_jokers == 0 or not terms.stay:
        wild = np.full(1, more_wild + n_jokers, np.int64)
        grids, nothing = np.zeros((2, 1, 4, values), np.int64), np.zeros(1, np.int64)
        return grids[0], grids[1], wild, nothing, nothing, np.zeros(2, np.int64), np.zeros((0, 5), np.int64)
    fates, forced_kinds = _possible_fates(terms, supply, jokers, n_jokers, spelled, left)
    return _as_arrays(terms, jokers, n_jokers, fates, forced_kinds)


@njit(cache=True)
def _possible_fates(terms, supply, jokers, n_jokers, spelled, left):
    """The cases that may come true.

    Returns fates, (n, 4): for each joker the colours that free it, as bits, 0 where it is kept; and forced_kinds,
    (n, 8): the kinds that must be played to free them, ascending, behind them the kind of the joker.
    """
    options = np.zeros((4, 16), np.int64)
    n_options = np.ones(4, np.int64)  # the first option of each joker: it is kept
    total = 1
    for i in range(n_jokers):
        for bits in range(1, 16):
            if bits & ~jokers[i, 1] == 0 and bits_set(bits) == jokers[i, 2]:
                options[i, n_options[i]] = bits
                n_options[i] += 1
        total *= n_options[i]
    fates, forced_kinds = np.zeros((total, 4), np.int64), np.full((total, 8), terms.joker, np.int64)
    n, chosen = 0, np.zeros(4, np.int64)
    for number in range(total):
        rest = number
        for i in range(n_jokers):
            chosen[i] = rest % n_options[i]
            rest //= n_options[i]
        if _is_repeated(jokers, n_jokers, chosen):
            continue
        for i in range(n_jokers):
            fates[n, i] = options[i, chosen[i]]
        if _force(terms, supply, jokers, n_jokers, spelled, left, fates[n], forced_kinds[n]):
            n += 1
    return _worth_asking(fates[:n], forced_kinds[:n], terms.joker)


@leaf
def _is_repeated(jokers, n_jokers, chosen):
    """Have two like jokers changed their parts in a case that is told already?"""
    for i in range(n_jokers):
        for j in range(i):
            if chosen[j] < chosen[i] and _are_alike(jokers[i], jokers[j]):
                return True
    return False


@leaf
def _are_alike(one, other):
    return one[0] == other[0] and one[1] == other[1] and one[2] == other[2]


@leaf
def _force(terms, supply, jokers, n_jokers, spelled, left, fates, forced_kinds):
    """Writes the tiles that must be played so that these fates come true; False if they cannot."""
    n_forced = 0
    forced_kinds[:] = terms.joker
    for i in range(n_jokers):
        for colour in range(4):
            if fates[i] >> colour & 1:
                kind, earlier = colour * terms.values + jokers[i, 0], 0
                for j in range(i):
                    earlier += jokers[j, 0] == jokers[i, 0] and fates[j] >> colour & 1
                at_hand = np.int64(spelled[kind]) + (supply[kind] if terms.from_table else 0)
                if earlier >= at_hand:
                    if earlier - at_hand >= left[kind]:
                        return False
                    place = n_forced
                    while place and forced_kinds[place - 1] > kind:
                        forced_kinds[place] = forced_kinds[place - 1]
                        place -= 1
                    forced_kinds[place] = kind
                    n_forced += 1
    return True


@njit(cache=True)
def _worth_asking(fates, forced_kinds, joker):
    """The cases in the order in which they are asked, without those that only force more than another one."""
    n = fates.shape[0]
    rank, order, n_worth = np.zeros(n, np.int64), np.empty(n, np.int64), 0
    for case in range(n):
        for i in range(4):
            rank[case] += 16 * (fates[case, i] > 0)
        for kind in forced_kinds[case]:
            rank[case] += kind < joker
        if _is_spare(fates, forced_kinds, case, joker):
            continue
        place = n_worth
        while place and rank[order[place - 1]] > rank[case]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = case
        n_worth += 1
    return fates[order[:n_worth]], forced_kinds[order[:n_worth]]


@leaf
def _is_spare(fates, forced_kinds, case, joker):
    """Does another case keep the same jokers and force a part of its tiles, or the same and stands before it?"""
    for other in range(fates.shape[0]):
        same = other != case
        for i in range(4):
            same = same and (fates[other, i] > 0) == (fates[case, i] > 0)
        if not same or not _is_part(forced_kinds[other], forced_kinds[case], joker):
            continue
        if other < case or not _is_part(forced_kinds[case], forced_kinds[other], joker):
            return True
    return False


@leaf
def _is_part(few, many, joker):
    """Are all of the ascending kinds `few` among the ascending kinds `many`?"""
    at = 0
    for kind in few:
        if kind == joker:
            break
        while at < many.shape[0] and many[at] < kind:
            at += 1
        if at == many.shape[0] or many[at] != kind:
            return False
        at += 1
    return True


@njit(cache=True)
def _as_arrays(terms, jokers, n_jokers, fates, forced_kinds):
    """The cases as `masks.playable` wants them; freed jokers that may lie anywhere are wild."""
    n, values = fates.shape[0], terms.values
    forced, kept = np.zeros((n, 4, values), np.int64), np.zeros((n, 4, values), np.int64)
    freed, first_loose = np.zeros(n, np.int64), np.zeros(n + 1, np.int64)
    loose, n_loose = np.zeros((n * n_jokers, 5), np.int64), 0
    for case in range(n):
        for kind in forced_kinds[case]:
            if kind < terms.joker:
                forced[case, kind // values, kind % values] += 1
        for i in range(n_jokers):
            value, colours = jokers[i, 0], jokers[i, 1]
            if fates[case, i]:
                freed[case] += 1
            elif bits_set(colours) == 1:
                for colour in range(4):
                    kept[case, colour, value] += colours >> colour & 1
            else:
                loose[n_loose, 0] = value
                for colour in range(4):
                    loose[n_loose, 1 + colour] = colours >> colour & 1
                n_loose += 1
        first_loose[case + 1] = n_loose
    nothing = np.zeros(n, np.int64)
    if terms.new_sets:
        return forced, kept, nothing, nothing, freed, first_loose, loose[:n_loose]
    return forced, kept, freed, nothing, nothing, first_loose, loose[:n_loose]
