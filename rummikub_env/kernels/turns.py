"""Many tables at once, on plain arrays: what may be played, what a seat sees, and how a turn ends.

What is rare or long to tell is not done here but handed back to the caller. What calls the sweeps is inlined, since
they are compiled again for each function on the way to them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rummikub_env.kernels.arranging import LAID, Demand, arrange
from rummikub_env.kernels.boards import MOST_JOKERS, read_old_sets, read_sets
from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.counts import NUMBERS, encode
from rummikub_env.kernels.fates import cases_of
from rummikub_env.kernels.masks import list_plays, playable, playable_of

TO_MOVE, PASSES, TURN, POOL, OVER = range(NUMBERS)
"""The first numbers of `Games.public`, as in `kernels.counts`."""
DRAW, PASS, PLAY = range(3)
"""Kinds of a last move."""
DONE, MOVE, MASK = range(3)
"""What is left to the caller: nothing; the move that the action makes; the mask of the seat to move."""


class Games(NamedTuple):
    """B games of P players."""

    racks: NDArray[np.uint8]
    """(B, P, kinds)"""
    rows: NDArray[np.int16]
    """(B, sets, values + 1): the sets on the table, see `kernels.boards`."""
    n_rows: NDArray[np.int64]
    """(B,)"""
    orders: NDArray[np.int16]
    """(B, P, tiles): the order in which each seat draws, -1 behind the last tile; tiles that were drawn still stand."""
    drawn: NDArray[np.int64]
    """(B, P): how many of the first tiles of an order are surely drawn."""
    gone: NDArray[np.bool_]
    """(B, tiles): which tile ids are drawn."""
    public: NDArray[np.int32]
    """(B, 5 + 4 P): see `kernels.counts.encode`."""
    spelled: NDArray[np.uint8]
    """(B, kinds): the tiles spelled so far this turn."""
    within: NDArray[np.uint8]
    """(B, kinds): these, and those that may still follow."""
    table: NDArray[np.uint8]
    """(B, kinds): the tiles on the table."""
    standing: NDArray[np.uint8]
    """(B, kinds - 1): the jokers that stand, or may stand, for each real kind."""
    masks: NDArray[np.bool_]
    """(B, kinds + 1): which actions of the `tiles` codec are allowed."""
    plays: NDArray[np.uint8]
    """(B, most, kinds): the plays of the turn, where they are listed."""
    n_plays: NDArray[np.int64]
    """(B,): their number; -1 where they are not listed."""


class Turns(NamedTuple):
    """What the rules say of turns, beside `Terms`; flags are 0 or 1."""

    opening: int
    """Is there a first play, which leaves the old sets alone?"""
    told: int
    """Is a first play not for the kernels to answer?"""
    draw_freely: int
    """May who could play draw instead?"""
    pass_freely: int
    """May who could play pass where the pool is empty?"""
    draw_one: int
    """Is a tile drawn, and no more, by who does not play?"""
    one_tile: int
    """Is a play of one tile enough? Else masks are not for the kernels to make."""
    copies: int
    """The copies of a tile, as its ids count them."""
    direction: int
    """1 or -1: from the number of a seat to that of the next."""


@leaf
def has_opened(games, b):
    """Has the seat to move made its first play?"""
    return games.public[b, NUMBERS + games.public[b, TO_MOVE]] != 0


# The end of a turn


@njit(cache=True, inline="always")
def act(terms, turns, games, b, action):
    """One action of the `tiles` codec that the mask allows, which is not made anew; False: the caller must make it."""
    joker = terms.joker
    if action <= joker:
        for kind in range(joker + 1):
            if not games.masks[b, kind]:
                games.within[b, kind] = games.spelled[b, kind]
        games.spelled[b, action] += 1
        return True
    if games.spelled[b].any():
        return _play(terms, turns, games, b)
    if not turns.draw_one:
        return False
    if games.public[b, POOL]:
        _draw(terms, turns, games, b)
        _end_turn(turns, games, b, DRAW, 1, 0)
    else:
        _end_turn(turns, games, b, PASS, 0, games.public[b, PASSES] + 1)
    return True


@njit(cache=True, inline="always")
def _play(terms, turns, games, b):
    """Lays what is spelled."""
    rows, n = games.rows[b], games.n_rows[b]
    new_rows, beside, demand = np.full_like(rows, -1), 0, Demand(0, 0, 0)
    if turns.opening and not has_opened(games, b):
        if turns.told:
            return False
        demand, beside = Demand(terms.points, terms.no_jokers, 0), n
        new_rows[:n] = rows[:n]
    answer, _, _, n_new = arrange(terms, rows, n - beside, games.spelled[b], demand, 0, 0, new_rows[beside:])
    if answer != LAID:
        return False
    rows[:] = new_rows
    games.n_rows[b] = n_new + beside
    played(terms, turns, games, b)
    return True


@njit(cache=True)
def played(terms, turns, games, b):
    """The end of a turn in which what is spelled was laid; its sets lie on the table already."""
    seat, n = games.public[b, TO_MOVE], 0
    for kind in range(terms.joker + 1):
        games.racks[b, seat, kind] -= games.spelled[b, kind]
        n += games.spelled[b, kind]
    games.public[b, NUMBERS + seat] = 1
    _end_turn(turns, games, b, PLAY, n, 0)
    read_table(terms, games, b)


@leaf
def _draw(terms, turns, games, b):
    """The seat to move draws the first tile of its order that is left."""
    seat = games.public[b, TO_MOVE]
    while games.gone[b, games.orders[b, seat, games.drawn[b, seat]]]:
        games.drawn[b, seat] += 1
    tile = games.orders[b, seat, games.drawn[b, seat]]
    games.gone[b, tile] = True
    games.drawn[b, seat] += 1
    games.public[b, POOL] -= 1
    games.racks[b, seat, min(tile // turns.copies, terms.joker)] += 1


@njit(cache=True)
def _end_turn(turns, games, b, kind, tiles, passes):
    """The next seat is to move; the round is over when a play empties the rack, or when all passed in a row."""
    public = games.public[b]
    seat, players = public[TO_MOVE], games.racks.shape[1]
    size, last = NUMBERS + players + seat, NUMBERS + 2 * (players + seat)
    public[size] += tiles if kind == DRAW else -tiles
    public[last], public[last + 1] = kind, tiles
    public[PASSES] = passes
    public[TURN] += 1
    public[TO_MOVE] = (seat + turns.direction) % players
    public[OVER] = (kind == PLAY and public[size] == 0) or passes == players
    begin_turn(games, b)


@njit(cache=True)
def begin_turn(games, b):
    """Nothing is spelled yet."""
    games.spelled[b] = 0
    games.within[b] = games.racks[b, games.public[b, TO_MOVE]]


@njit(cache=True)
def read_table(terms, games, b):
    """Counts the tiles on the table, and what its jokers stand for."""
    counts, jokers = np.zeros(terms.joker, np.int64), np.zeros((MOST_JOKERS, 3), np.int64)
    n_jokers = read_sets(terms, games.rows[b], games.n_rows[b], counts, jokers)
    for kind in range(terms.joker):
        games.table[b, kind] = counts[kind]
    games.table[b, terms.joker] = n_jokers
    games.standing[b] = 0
    for i in range(n_jokers):
        for colour in range(4):
            if jokers[i, 1] >> colour & 1:
                games.standing[b, colour * terms.values + jokers[i, 0]] += 1


# What may be played


@njit(cache=True)
def question_of(terms, turns, games, b, spelled, left):
    """What the seat to move asks that has spelled these tiles and may lay some of what is left, both (kinds,).

    Returns whether it is for the kernels to answer, its `Demand`, the real tiles of the table, (joker,), the cases
    (`fates.cases_of`), and the old sets (`boards.read_old_sets`).
    """
    n, demand, known = games.n_rows[b], Demand(0, 0, 0), turns.one_tile != 0
    if turns.opening and not has_opened(games, b):
        n, demand, known = 0, Demand(terms.points, terms.no_jokers, 0), known and not turns.told
    counts, jokers = np.zeros(terms.joker, np.int64), np.zeros((MOST_JOKERS, 3), np.int64)
    old_ends, old_groups = np.empty((4, terms.values + 5), np.int64), np.empty(terms.values, np.int64)
    n_jokers = read_sets(terms, games.rows[b], n, counts, jokers)
    known = known and not (terms.frozen and n_jokers)
    read_old_sets(terms, games.rows[b], n if n_jokers and terms.new_sets else 0, old_ends, old_groups)
    return known, demand, counts, cases_of(terms, counts, jokers, n_jokers, spelled, left, 0), old_ends, old_groups


@njit(cache=True, inline="always")
def allow(terms, turns, games, b):
    """Makes the mask of the seat to move anew; False: the caller must."""
    spelled, begun, mask = games.spelled[b], games.spelled[b].any(), games.masks[b, : terms.joker + 1]
    left = games.within[b] - spelled
    complete, is_known = True, True
    if begun and not left.any():
        mask[:] = False  # nothing can follow, so the end must
    else:
        if not begun or games.n_plays[b] < 0:
            known, demand, counts, cases, old_ends, old_groups = question_of(terms, turns, games, b, spelled, left)
            games.n_plays[b] = -1
            if not known:
                return False
            opening = (demand.points, terms.joker_points, demand.no_jokers)
            if not begun:
                games.n_plays[b] = list_plays(terms.colours, counts, left, cases, opening, terms.tables, games.plays[b])
            if games.n_plays[b] < 0:
                mask[:], complete, _, hard = playable(
                    terms.colours, counts, spelled, left, begun, cases, opening, old_ends, old_groups, terms.tables
                )
                is_known = not hard
        if games.n_plays[b] >= 0:
            complete = playable_of(games.plays[b, : games.n_plays[b]], spelled, mask)
    games.masks[b, terms.joker + 1] = complete if begun else _may_end(turns, games, b)
    return is_known


@njit(cache=True)
def _may_end(turns, games, b):
    """May the seat to move end its turn without a play?"""
    if turns.draw_freely if games.public[b, POOL] else turns.pass_freely:
        return True
    return not games.masks[b, :-1].any()


# All tables


@njit(cache=True, nogil=True)
def go(terms, turns, games, tables, actions, full, factor, starts, observations, answers):
    """One action at each of some tables, and what the seat that is then to move may do and sees.

    tables: (n,) int64, which ones; actions: (n,) int64, of the `tiles` codec, which the masks allow; -1 for none.
    full, factor, starts: see `kernels.counts.encode`; observations: (B, d) float32, written where a turn goes on.
    answers: (n,) int64, written: `DONE`, `MOVE` or `MASK`. Returns at how many tables the caller has something to do:
    what is not `DONE`, or a round that is over.
    """
    left = 0
    for i in range(tables.shape[0]):
        b = tables[i]
        answers[i] = DONE
        if games.public[b, OVER]:
            left += 1
            continue
        if actions[i] >= 0 and not act(terms, turns, games, b, actions[i]):
            answers[i], left = MOVE, left + 1
            continue
        if games.public[b, OVER]:
            left += 1
            continue
        if not allow(terms, turns, games, b):
            answers[i], left = MASK, left + 1
        seat = np.int64(games.public[b, TO_MOVE])
        encode(
            games.racks[b, seat], games.spelled[b], games.table[b], games.standing[b], games.public[b], seat,
            turns.direction, full, factor, starts, observations[b],
        )  # fmt: skip
    return left
