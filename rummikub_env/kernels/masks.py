"""The exact mask in one call: which tiles some legal play holds beyond those that are spelled.

The mask is read off one graph: of the states that another one surpasses, only those are followed that alone have laid
a tile of which it is not yet known that it can be played.

*Freed* jokers, replaced on the table by the tile they stood for, must lie in a new set: one whose tiles and locked
jokers do not hold a whole set of the old table. They are laid as if they were wild, and the way that lays the most
tiles not yet known to be playable is looked at: where its freed jokers can lie in new sets, all its tiles are
playable. Where that is not plain to see, the question is hard, one for the traced sweep; it is hard, too, where a graph
would be too large.
"""

import numpy as np
from numba import njit

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.graphs import best_codes, laid_in, write_plays
from rummikub_env.kernels.hands import relevant
from rummikub_env.kernels.news import lie_in_new_sets
from rummikub_env.kernels.plain import ANY_WEIGHT, EVERY, sign_and_guess_at, signs_of, sweep
from rummikub_env.kernels.states import SCALE

HARD_MASK, HARD_END = 1, 2
"""What is not known of a case: its mask, or whether the spelled tiles are a play."""


@leaf
def fill_question(counts, spelled, left, forced, kept, need, may):
    """Writes the tiles that must and may be laid in a case, both (4, values), from counts by kind."""
    values = need.shape[1]
    for colour in range(4):
        for value in range(values):
            kind = colour * values + value
            if kind < counts.shape[0]:
                must = forced[colour, value]
                need[colour, value] = counts[kind] + spelled[kind] + kept[colour, value] + must
                may[colour, value] = np.int64(left[kind]) - must


@leaf
def most_wild(least, more, forbidden):
    """How many wild jokers may be laid where so many must be and so many more are at hand; -1: not even those."""
    if forbidden:
        return least if least == 0 else np.int64(-1)
    return least + more


@njit(cache=True)
def playable(colours, counts, spelled, left, begun, cases, opening, old_ends, old_groups, tables):
    """The mask of a turn, and what is not known of it.

    counts: (kinds - 1,) real tiles of the table; spelled, left: (kinds,) of the rack; begun: is something spelled?
    cases: arrays with one row a case: forced, kept, (n, 4, values): tiles that must be played, and jokers that are
    tiles, less the tiles that lie in sets that stay whole; wild, forced_wild, freed, (n,): jokers beside those of the
    rack that must be laid, jokers of the rack that must be played, and jokers of the table that must lie in a new set;
    first_loose, (n + 1,): where a case's rows of loose begin; loose, (m, 5): as `plain.sweep` has
    it. opening: the points that are needed; 1 if jokers count; are jokers forbidden?

    Returns mask, (kinds,) bool; is what is spelled a play; hard, (n,): `HARD_MASK` and `HARD_END` of each case; and
    is any of these set?
    """
    forced, _, _, forced_wild, freed, _, _ = cases
    points, joker_points, _ = opening
    joker = left.shape[0] - 1
    mask, complete = np.zeros(joker + 1, np.bool_), not begun
    hard = np.zeros(freed.shape[0], np.int64)
    nothing = np.zeros((0, 0), np.int64)
    question = (colours, points, joker_points, np.int64(0), np.int64(1), nothing, tables)
    for case in range(freed.shape[0]):
        if complete and _holds_all(mask, left):
            break
        need, may, its_loose, wild_min, wild_max, is_forced = _asked(
            counts, spelled, left, cases, case, opening, tables
        )
        if wild_max < wild_min or (not begun and not is_forced and wild_max == wild_min and not may.any()):
            continue
        jokers = (wild_min, wild_max)
        if freed[case]:
            jokers = (wild_min + freed[case], wild_max + freed[case])
            hard[case] = _note_retrieving(
                question,
                need,
                may,
                its_loose,
                jokers,
                freed[case],
                left,
                forced[case],
                forced_wild[case],
                old_ends,
                old_groups,
                mask,
            )
            if not complete and not is_forced:
                codes = _best(
                    question, need, np.zeros_like(may), its_loose, (jokers[0], jokers[0]), nothing, np.int64(ANY_WEIGHT)
                )
                if codes[0] >= 0:
                    if lie_in_new_sets(codes, old_ends, old_groups, tables):
                        complete = True
                    else:
                        hard[case] |= HARD_END
        else:
            possible, bare, is_whole = _note_laid(question, need, may, its_loose, jokers, mask)
            if not is_whole:
                hard[case] = HARD_MASK if complete or is_forced else HARD_MASK | HARD_END
            if possible:
                _note(forced[case] > 0, mask)
                mask[joker] |= forced_wild[case] > 0
            complete |= bare and not is_forced
    return mask, complete and begun, hard, hard.any()


@njit(cache=True)
def _asked(counts, spelled, left, cases, case, opening, tables):
    """What a case asks of a sweep: need, may, loose, the least and most wild jokers; must it play more than spelled?"""
    forced, kept, wild, forced_wild, freed, first_loose, loose = cases
    need, may, joker = np.zeros_like(forced[case]), np.zeros_like(forced[case]), left.shape[0] - 1
    fill_question(counts, spelled, left, forced[case], kept[case], need, may)
    its_loose = loose[first_loose[case] : first_loose[case + 1]].copy()
    wild_min = np.int64(spelled[joker]) + wild[case]
    wild_max = most_wild(wild_min, np.int64(left[joker]) - forced_wild[case], opening[2])
    may = relevant(need, may, its_loose, wild_max + freed[case], tables)
    return need, may, its_loose, wild_min, wild_max, forced_wild[case] > 0 or forced[case].any()


MOST_EDGES = 500
"""Plays are listed where the graph has no more edges."""
MOST_FOR_MASK = 1 << 21
"""A mask is read off a graph that has no more edges: else the case is hard."""


@njit(cache=True, inline="always")
def list_plays(colours, counts, left, cases, opening, tables, plays):
    """Writes all plays of a turn in which nothing is spelled yet to `plays`, (most, kinds); returns their number.

    -1 where there are more of them, or too much to look at: where jokers of the table may be freed, or runs wrap. Other
    arguments as in `playable`.
    """
    forced, _, _, forced_wild, freed, _, _ = cases
    points, joker_points, _ = opening
    if freed.shape[0] > 1 or freed[0] or tables[5]:
        return -1
    need, may, loose, wild_min, wild_max, _ = _asked(counts, np.zeros_like(left), left, cases, 0, opening, tables)
    signs, sign_bits = signs_of(may)
    if sign_and_guess_at(points, sign_bits, 1, tables)[0] == 63:
        return -1
    nothing, no = np.zeros((0, 0), np.int64), np.int64(0)
    graph = sweep(
        colours, need, may, loose, wild_min, wild_max, points, joker_points, nothing, nothing, no,
        np.int64(ANY_WEIGHT), nothing, signs, sign_bits, np.int64(MOST_EDGES), tables,
    )  # fmt: skip
    if graph[2].shape[0] > MOST_EDGES:
        return -1
    return write_plays(
        graph[1], graph[2], graph[4], graph[6], graph[9], graph[10], forced[0], forced_wild[0] - wild_min, plays
    )


@leaf
def playable_of(plays, spelled, mask):
    """Writes the mask of a turn whose plays are all known, (kinds,) bool; is what is spelled a play?"""
    mask[:] = False
    complete = False
    for play in plays:
        holds = True
        for kind in range(spelled.shape[0]):
            holds = holds and play[kind] >= spelled[kind]
        if holds:
            more = False
            for kind in range(spelled.shape[0]):
                if play[kind] > spelled[kind]:
                    mask[kind] = more = True
            complete = complete or not more
    return complete


# What calls the sweep is inlined, and its arrays are made here, of one type: else it would be compiled again and again.


@leaf
def _holds_all(mask, left):
    holds = True
    for kind in range(left.shape[0]):
        holds = holds and (mask[kind] or left[kind] == 0)
    return holds


@leaf
def _note(found, mask):
    """Adds the tiles of a grid, (4, values) bool, to a mask by kind."""
    values = found.shape[1]
    for kind in range(mask.shape[0] - 1):
        mask[kind] |= found[kind // values, kind % values]


@njit(cache=True, inline="always")
def _note_laid(question, need, may, loose, jokers, mask):
    """Adds what can be laid; is there a way, and one that lays no more than it must? Was the graph small enough?"""
    colours, points, joker_points, no, _, nothing, tables = question
    values, wanted = need.shape[1], np.zeros_like(may)
    for colour in range(4):
        for value in range(values):
            wanted[colour, value] = may[colour, value] > 0 and not mask[colour * values + value]
    graph = sweep(
        colours, need, may, loose, jokers[0], jokers[1], points, joker_points, nothing, nothing, no,
        np.int64(ANY_WEIGHT), wanted, nothing, no, np.int64(MOST_FOR_MASK), tables,
    )  # fmt: skip
    found, possible, bare = laid_in(graph, jokers[0])
    _note(found[:, :-1], mask)
    mask[-1] |= found[0, values]
    return possible, bare, graph[2].shape[0] <= MOST_FOR_MASK


@njit(cache=True, inline="always")
def _best(question, need, may, loose, jokers, weights, at_least):
    """The codes of the steps of the way that weighs most, wild jokers rather in groups; all -1: there is none."""
    colours, points, joker_points, no, yes, nothing, tables = question
    graph = sweep(
        colours, need, may, loose, jokers[0], jokers[1], points, joker_points, weights, nothing, yes, at_least,
        nothing, nothing, no, np.int64(EVERY), tables,
    )  # fmt: skip
    return best_codes(graph)


@njit(cache=True, inline="always")
def _note_retrieving(question, need, may, loose, jokers, freed, left, forced, forced_wild, old_ends, old_groups, mask):
    """Adds what can be laid, as far as the best plays show it; `HARD_MASK` if that is not all.

    The wild `jokers` hold the `freed` ones, which must lie in new sets. No more can be laid than if they need not: the
    best way to lay what is left of that is looked for, until nothing is.
    """
    colours, points, joker_points, no, yes, nothing, tables = question
    values, joker = need.shape[1], mask.shape[0] - 1
    open_yet = np.zeros((4, values + 1), np.bool_)  # the last column as in `laid_in`
    open_yet[:, :values] = may > 0
    open_yet[0, values] = left[joker] > 0
    while True:
        unknown = forced_wild > 0 and not mask[joker]
        weights = np.zeros((4, values + 1), np.int64)
        for kind in range(joker):
            colour, value = kind // values, kind % values
            weights[colour, value] = open_yet[colour, value] and not mask[kind]
            unknown |= forced[colour, value] > 0 and not mask[kind]
        weights[0, values] = open_yet[0, values] and not mask[joker]
        if not unknown and not weights.any():
            return 0
        graph = sweep(
            colours, need, may, loose, jokers[0], jokers[1], points, joker_points, weights, nothing, yes,
            np.int64(ANY_WEIGHT if unknown else SCALE), weights[:, :values].copy(), nothing, no,
            np.int64(MOST_FOR_MASK), tables,
        )  # fmt: skip
        if graph[2].shape[0] > MOST_FOR_MASK:
            return HARD_MASK
        codes = best_codes(graph)
        if codes[0] < 0:
            return 0
        laid, n_wild, new = np.zeros((4, values + 1), np.bool_), np.int64(0), unknown
        for value in range(values):
            n_wild += codes[value] >> 12 & 7
            for colour in range(4):
                laid[colour, value] = codes[value] >> 3 * colour & 7 > 0
                new |= laid[colour, value] and weights[colour, value] > 0
        laid[0, values] = n_wild > jokers[0]
        new |= laid[0, values] and weights[0, values] > 0
        if not new:
            return 0
        if freed and not lie_in_new_sets(codes, old_ends, old_groups, tables):
            return HARD_MASK
        open_yet = laid_in(graph, jokers[0])[0]
        for colour in range(4):
            for value in range(values):
                laid[colour, value] |= forced[colour, value] > 0
        _note(laid[:, :values], mask)
        mask[joker] |= laid[0, values] or forced_wild > 0
