"""Whole games of players that look for the best play of their turn.

As in `kernels.turns`, what cannot be told here is handed back to the caller.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.counts import NUMBERS
from rummikub_env.kernels.graphs import best_codes, write_play
from rummikub_env.kernels.hands import has_company
from rummikub_env.kernels.masks import fill_question, most_wild
from rummikub_env.kernels.news import lie_in_new_sets
from rummikub_env.kernels.plain import EVERY, sweep
from rummikub_env.kernels.states import SCALE
from rummikub_env.kernels.turns import DONE, MOVE, OVER, POOL, TO_MOVE, act, has_opened, question_of

LESS_THAN_ANY = -(1 << 40)
"""Less than any play weighs."""


class Seats(NamedTuple):
    """What the players look for, as arrays of P: see `rummikub_env.policy.Policy`."""

    weights: NDArray[np.int64]
    """(P, kinds)"""
    opening: NDArray[np.int64]
    """(P, kinds): the weights of an opening."""
    price: NDArray[np.int64]
    danger: NDArray[np.int64]
    patience: NDArray[np.int64]
    """(P, 3)"""
    tempo: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def play_on(terms, turns, games, tables, seats, most_turns, answers):
    """Plays the rounds of some tables on, at most so many turns each.

    tables: (n,) int64, which ones, each at the beginning of a turn. answers: (n,) int64, written: `DONE`, or `MOVE`
    where the caller must make a move before it calls again. Returns at how many tables that is.
    """
    kinds, left, players = terms.joker + 1, 0, games.racks.shape[1]
    best, play = np.zeros(kinds, np.uint8), np.zeros(kinds, np.uint8)
    rack, spelled = np.zeros(kinds, np.uint8), np.zeros(kinds, np.uint8)
    stuck, fresh = np.zeros(players, np.int64), np.zeros(players, np.int64)
    for i in range(tables.shape[0]):
        b, n_plays = tables[i], 0
        stuck[:] = -1  # after so many plays at the table a seat had nothing to play; -1: not known
        answers[i] = DONE
        for _ in range(most_turns):
            if games.public[b, OVER]:
                break
            seat, opened = np.int64(games.public[b, TO_MOVE]), has_opened(games, b) or not turns.opening
            held = games.racks[b, seat].copy()
            jokers, price = np.int64(held[terms.joker]), seats.price[seat]
            best[:] = 0
            most, saves, least = np.int64(0), False, jokers
            known = True
            is_stuck = stuck[seat] == n_plays or (stuck[seat] >= 0 and not opened)  # but for a fresh tile
            if is_stuck and not (fresh[seat] != NO_TILE and _has_company(terms, games, b, held, fresh[seat], opened)):
                least = np.int64(-1)
            waits = turns.draw_freely and _may_wait(games, b, seats.patience[seat])
            all_out = waits and min(seats.patience[seat, 0], seats.patience[seat, 1]) >= held.sum()  # or nothing
            if all_out and least >= 0 and _is_one_alone(terms, games, b, held):
                least = np.int64(-1)
            weights = seats.weights[seat] if opened else seats.opening[seat]
            while least >= 0 and known:  # with all jokers first; who saves them looks at fewer, too
                rack[:], spelled[:] = held, 0
                rack[terms.joker] = least
                if all_out:
                    rack[:], spelled[:] = 0, held
                known &= _best_play(terms, turns, games, b, spelled, rack, weights, play)
                worth = np.int64(play.sum()) - (price + 1) * np.int64(play[terms.joker])
                if least == jokers:
                    best[:], most = play, worth
                    hurries = _hurries(games, b, seats.danger[seat], play)
                    saves = bool(price >= 0 and play.any() and not hurries)
                    if not saves or all_out:
                        break
                elif play.any() and worth > most:
                    best[:], most = play, worth
                least -= 1
            if known and weights[0] < 0 and best.any():  # whose opening is small goes out where it can
                known &= _lay_exactly(terms, turns, games, b, held, weights, rack, play)
                if play.any():
                    best[:] = play
            could = best.any() or saves or all_out
            few, room = np.int64(best.sum()), np.int64(held.sum() - best.sum())
            waits &= few <= seats.patience[seat, 0] and 0 < room <= seats.patience[seat, 1]
            if waits or (turns.draw_freely and saves and most < 0):
                best[:] = 0
            slow = seats.tempo[seat] and opened and best.sum() < held.sum()
            if known and slow and (games.public[b, POOL] == 0 or (waits and games.public[b, POOL] == players)):
                known &= _lay_one(terms, turns, games, b, held, weights, spelled, rack, play)
                if play.any():
                    best[:] = play
            is_last = not slow and opened and games.table[b, terms.joker] == 0 and (price < 0 or jokers == 0)
            if known:
                games.spelled[b] = best
                known &= act(terms, turns, games, b, kinds)
            if not known:
                games.spelled[b] = 0
                answers[i], left = MOVE, left + 1
                break
            fresh[seat] = _first_more(games.racks[b, seat], held)
            if best.any():  # with no jokers to retrieve, the best play leaves nothing that could be added
                n_plays += 1
                stuck[seat] = n_plays if is_last else -1
            else:
                stuck[seat] = n_plays if not could else -1
    return left


@njit(cache=True)
def _lay_one(terms, turns, games, b, held, weights, spelled, rack, play):
    """Writes the first single tile of the rack that can be laid to `play`, none where there is none.

    Returns False where that is not known.
    """
    play[:] = 0
    for kind in range(terms.joker):
        spelled[:] = 0
        spelled[kind] = 1
        if held[kind] and _has_company(terms, games, b, spelled, kind, True):
            if not _lay_exactly(terms, turns, games, b, spelled, weights, rack, play):
                return False
            if play.any():
                break
    return True


@njit(cache=True)
def _lay_exactly(terms, turns, games, b, counts, weights, rack, play):
    """Writes just the tiles `counts` to `play`, none where they are no play.

    Returns False where that is not known.
    """
    rack[:] = 0
    return _best_play(terms, turns, games, b, counts, rack, weights, play)


NO_TILE = -1


@leaf
def _first_more(counts, fewer):
    """The first kind of which there are more, or `NO_TILE`."""
    for kind in range(counts.shape[0]):
        if counts[kind] > fewer[kind]:
            return kind
    return NO_TILE


@njit(cache=True)
def _has_company(terms, games, b, held, kind, opened):
    """Are tiles at hand with which this one of a rack can lie in a set? All jokers are as wild ones."""
    jokers, top = _at_hand(terms, games, b, held, opened)
    if kind == terms.joker or jokers > 1:
        return True
    return has_company(top, kind // terms.values, kind % terms.values, jokers, terms.tables[6][2], terms.tables[5])


@njit(cache=True)
def _is_one_alone(terms, games, b, held):
    """Does a tile of the rack find no others with which it can lie in a set? All jokers are as wild ones."""
    jokers, top = _at_hand(terms, games, b, held, True)
    if jokers > 1:
        return False
    for kind in range(terms.joker):
        colour, value = kind // terms.values, kind % terms.values
        if held[kind] and not has_company(top, colour, value, jokers, terms.tables[6][2], terms.tables[5]):
            return True
    return False


@njit(cache=True)
def _at_hand(terms, games, b, held, opened):
    """The jokers of a rack, with those of the table if it has opened; the other tiles, (4, values) int64."""
    jokers, top = np.int64(held[terms.joker]), np.zeros((4, terms.values), np.int64)
    if opened:
        jokers += games.table[b, terms.joker]
    for kind in range(terms.joker):
        top[kind // terms.values, kind % terms.values] = held[kind] + (games.table[b, kind] if opened else 0)
    return jokers, top


@leaf
def _may_wait(games, b, patience):
    """Has the seat to move opened, is there a tile to draw, and is nobody else near the end?"""
    public, players = games.public[b], games.racks.shape[1]
    may = has_opened(games, b) and public[POOL] > 0
    for seat in range(players):
        may &= seat == public[TO_MOVE] or public[NUMBERS + players + seat] >= patience[2]
    return may


@njit(cache=True)
def _hurries(games, b, danger, play):
    """Is there no point in saving a joker: the pool is empty, a rack has few tiles, or the play wins?"""
    public, players = games.public[b], games.racks.shape[1]
    hurries = public[POOL] == 0
    for seat in range(players):
        size = public[NUMBERS + players + seat]
        hurries |= size <= danger if seat != public[TO_MOVE] else size == play.sum()
    return hurries


@njit(cache=True, inline="always")
def _best_play(terms, turns, games, b, spelled, left, weights, play):
    """Writes the play of most weight that lays what is spelled and perhaps more, no tiles where there is none.

    spelled, left: (kinds,) uint8, of the rack. weights: (kinds,) int64, all above 0; or all below, where some tiles
    must be laid. Returns False where that is not known.
    """
    play[:] = 0
    known, demand, counts, cases, old_ends, old_groups = question_of(terms, turns, games, b, spelled, left)
    if not known:
        return False
    grid = np.zeros((4, terms.values + 1), np.int64)
    for kind in range(terms.joker):
        grid[kind // terms.values, kind % terms.values] = weights[kind]
    grid[0, terms.values] = weights[terms.joker]
    forced, kept, wild, forced_wild, freed, first_loose, loose = cases
    need, may = np.zeros((4, terms.values), np.int64), np.zeros((4, terms.values), np.int64)
    nothing_yet = np.int64(0) if weights[0] > 0 else np.int64(LESS_THAN_ANY)
    most, unknown, base = nothing_yet, nothing_yet, np.int64(0)
    for kind in range(terms.joker + 1):
        base += weights[kind] * spelled[kind]
    no, nothing, bare = np.int64(0), np.zeros((0, 0), np.int64), np.zeros(terms.values, np.int64)
    for case in range(freed.shape[0]):
        fill_question(counts, spelled, left, forced[case], kept[case], need, may)
        least = np.int64(spelled[terms.joker]) + wild[case] + freed[case]
        greatest = most_wild(least, np.int64(left[terms.joker]) - forced_wild[case], demand.no_jokers)
        enough = most + 1 - base - _weight(bare, forced[case], forced_wild[case], least, grid)
        graph = sweep(
            terms.colours, need, may, loose[first_loose[case] : first_loose[case + 1]].copy(), least, greatest,
            demand.points, terms.joker_points, grid, nothing, np.int64(freed[case] > 0), SCALE * enough,
            nothing, nothing, no, np.int64(EVERY), terms.tables,
        )  # fmt: skip
        codes = best_codes(graph)
        if codes[0] < 0:
            continue
        weight = base + _weight(codes, forced[case], forced_wild[case], least, grid)
        if weight > most and freed[case] and not lie_in_new_sets(codes, old_ends, old_groups, terms.tables):
            unknown = max(unknown, weight)
        elif weight > most:
            most = weight
            write_play(codes, forced[case], forced_wild[case] - least, play)
            play += spelled
    return unknown == nothing_yet or unknown < most


@leaf
def _weight(codes, forced, forced_wild, least, grid):
    """What a way weighs: the tiles that it lays beyond what it must, and those that are forced."""
    values = codes.shape[0]
    weight = grid[0, values] * (forced_wild - least)
    for value in range(values):
        weight += grid[0, values] * (codes[value] >> 12 & 7)
        for colour in range(4):
            weight += grid[colour, value] * ((codes[value] >> 3 * colour & 7) + forced[colour, value])
    return weight
