"""The game as pure functions: is a move legal, what state does it lead to, how is a round scored.

A move is a whole turn. `check` says why it is illegal, `apply` makes it or raises `IllegalMove`,
`advance` makes a move that is known to be legal.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rummikub_env.judge import settle
from rummikub_env.opening import Verdict
from rummikub_env.pool import tile_kinds
from rummikub_env.reasons import IllegalMove, Reason, Refusal
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
from rummikub_env.state import Ending, LastMove, MoveKind, Outcome, State
from rummikub_env.tiles import Counts


@dataclass(frozen=True, slots=True)
class Draw:
    """Take a tile from the pool."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing: the pool is empty."""


@dataclass(frozen=True, slots=True)
class Play:
    """Lay tiles of the rack and rearrange the table."""

    table: Table
    """The whole table afterwards; jokers may be declared (J=R7) or left open (J)."""
    played: tuple[int, ...]
    """The kinds of the tiles that come from the rack."""
    taken: tuple[int, ...] = ()
    """Kinds of tiles that the player would take from the table to the rack; never legal."""
    opening: Table | None = None
    """The sets that a first play lays before the turn goes on, where the rules let it (``after_meld``); None:
    any that would do."""


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The time is over while the turn is unfinished."""

    table: Table | None = None
    """The table as it lies at that moment; None: nothing was moved."""
    played: tuple[int, ...] = ()
    """The kinds of the tiles that come from the rack."""


Move = Draw | Pass | Play | TimeOut


# Legality


def check(state: State, move: Move, seat: int | None = None, elapsed: float = 0) -> tuple[Refusal, ...]:
    """Why the move is illegal, the most basic reasons first; () when it is legal.

    seat: who wants to move (default: whose turn it is); elapsed: seconds since the turn began.
    """
    return _turn_refusals(state, move, seat, elapsed) or _move_refusals(state, move)


def _turn_refusals(state: State, move: Move, seat: int | None, elapsed: float) -> tuple[Refusal, ...]:
    """A move is made in one's turn and in time."""
    if state.outcome is not None:
        return (Refusal(Reason.E_TURN_OVER),)
    if seat is not None and seat != state.to_move:
        return (Refusal(Reason.E_NOT_YOUR_TURN, f"it is the turn of seat {state.to_move}"),)
    limit = state.rules.turn_seconds
    if isinstance(move, TimeOut):
        return () if limit is not None else (Refusal(Reason.E_TIMEOUT, "these rules have no time limit"),)
    if limit is not None and elapsed >= limit:
        return (Refusal(Reason.E_TIMEOUT, f"a turn takes {limit} seconds at most"),)
    return ()


def _move_refusals(state: State, move: Move) -> tuple[Refusal, ...]:
    if isinstance(move, Play):
        return _tile_refusals(state, move) or _settle(state, move).refusals
    if isinstance(move, Draw):
        return _draw_refusals(state)
    if isinstance(move, Pass):
        return _pass_refusals(state)
    return ()


def idle(pool_size: int) -> Draw | Pass:
    """The turn of who lays nothing: a draw, or a pass where the pool is empty."""
    return Draw() if pool_size else Pass()


def may_decline(rules: RuleSet, pool_size: int) -> bool:
    """May who could play draw all the same, or pass where the pool is empty?

    Passing is for those who cannot play unless the rules are lenient. Who pays for it with tiles may always draw.
    """
    if rules.must_play_if_able and not rules.missed_play_penalty_tiles:
        return False
    return rules.voluntary_draw if pool_size else rules.pool_empty_pass == "allowed"


def _draw_refusals(state: State) -> tuple[Refusal, ...]:
    if not state.pool_size:
        return (Refusal(Reason.E_POOL_EMPTY),)
    return () if may_decline(state.rules, state.pool_size) or not can_play(state) else (Refusal(Reason.E_MUST_PLAY),)


def _pass_refusals(state: State) -> tuple[Refusal, ...]:
    if state.pool_size:
        return (Refusal(Reason.E_PASS_NOT_ALLOWED, f"tiles left in the pool: {state.pool_size}"),)
    return () if may_decline(state.rules, 0) or not can_play(state) else (Refusal(Reason.E_MUST_PLAY),)


def can_play(state: State) -> bool:
    """Has the seat to move any legal play?"""
    return _could_play(state, state.racks[state.to_move])


def _could_play(state: State, rack: Counts) -> bool:
    from rummikub_env import solver  # only here: compiled code takes its time to import

    return bool(solver.can_play(state.rules, state.table, rack, state.opened[state.to_move]))


def _tile_refusals(state: State, move: Play) -> tuple[Refusal, ...]:
    """Enough tiles, all of them from the rack, none is lost, invented or taken back."""
    tiles = state.rules.tiles
    played = Counter(map(tiles.physical, move.played))
    missing = played - Counter(tiles.listed(state.racks[state.to_move]))
    if missing:
        return (Refusal(Reason.E_TILE_NOT_ON_RACK, tiles.join(sorted(missing.elements()))),)
    after = Counter(map(tiles.physical, chain(*move.table, move.taken)))
    before = Counter(map(tiles.physical, chain(*state.table))) + played
    if after != before:
        lost, found = (tiles.join(sorted(d.elements())) for d in (before - after, after - before))
        told = [f"missing: {lost}"] * bool(lost) + [f"too many: {found}"] * bool(found)
        return (Refusal(Reason.E_TILE_CONSERVATION, ", ".join(told)),)
    if any(map(tiles.is_joker, move.taken)):
        return (Refusal(Reason.E_JOKER_NOT_REUSED),)
    if move.taken:
        return (Refusal(Reason.E_TILE_TAKEN_TO_RACK, tiles.join(move.taken)),)
    least = state.rules.min_tiles_per_turn
    if played.total() < least:
        return (Refusal(Reason.E_NO_TILE_PLAYED, f"these rules want {least}" if least > 1 else ""),)
    return ()


def _settle(state: State, move: Play) -> Verdict:
    return settle(state.rules, state.table, move.table, move.played, state.opened[state.to_move], move.opening)


# Making a move


def apply(state: State, move: Move, seat: int | None = None, elapsed: float = 0) -> State:
    """The state after the move; IllegalMove with all reasons if it is not legal. Arguments as in `check`.

    Where the rules punish an illegal table (`invalid_table_action`), that play ends the turn instead.
    """
    refusals = check(state, move, seat, elapsed)
    if not refusals:
        return advance(state, _settled(state, move))
    if isinstance(move, Play) and not _turn_refusals(state, move, seat, elapsed):
        action = state.rules.invalid_table_action
        if action != "reject":
            return _roll_back(state, state.rules.invalid_table_penalty_tiles * (action == "rollback_penalty"))
    raise IllegalMove(refusals)


def _settled(state: State, move: Move) -> Move:
    """The move with every joker of the new table given its meaning."""
    return Play(_settle(state, move).table, move.played) if isinstance(move, Play) else move


def advance(state: State, move: Move) -> State:
    """The state after a legal move whose table is resolved, as the solver makes them; nothing is checked."""
    if isinstance(move, Play):
        return _lay(state, move)
    if isinstance(move, Draw):
        return _take(state, _number_to_draw(state), "draw")
    if isinstance(move, Pass):
        return _end_turn(state, state.racks, state.orders, LastMove("pass", 0), state.passes + 1)
    return _time_out(state, move)


def _lay(state: State, move: Play) -> State:
    """The tiles leave the rack; an empty rack wins."""
    seat, joker = state.to_move, state.rules.tiles.joker
    racks = state.racks.copy()
    rack = racks[seat]
    for piece in move.played:
        rack[piece if piece < joker else joker] -= 1
    racks.flags.writeable = False
    opened = state.opened
    if not opened[seat]:
        opened = opened[:seat] + (True,) + opened[seat + 1 :]
    return State(
        state.rules,
        racks,
        move.table,
        state.orders,
        opened,
        next_seat(state),
        0,
        state.turn + 1,
        _noted(state, LastMove("play", len(move.played))),
        None if rack.any() else score(state.rules, racks, "out", opened, state.declined),
        state.declined,
    )


def _number_to_draw(state: State) -> int:
    """One tile; the fine for a missed play; or as many as it takes to be able to play."""
    rules = state.rules
    if rules.must_play_if_able and can_play(state):
        return rules.missed_play_penalty_tiles
    if rules.draw_rule == "one":
        return 1
    rack = state.racks[state.to_move].copy()
    for number, kind in enumerate(tile_kinds(rules.tiles, state.orders[_row(state)]).tolist(), 1):
        rack[kind] += 1
        if _could_play(state, rack):
            return number
    return state.pool_size


def _row(state: State) -> int:
    """The row of the pool from which the seat to move draws."""
    return state.to_move if len(state.orders) > 1 else 0


def _take(state: State, number: int, kind: MoveKind) -> State:
    """The seat draws so many tiles, or what is left; the table stays as it was."""
    orders, drawn = state.orders, min(number, state.orders.shape[1])
    racks = state.racks.copy() if drawn else state.racks
    tiles = state.rules.tiles
    for _ in range(drawn):
        tile = orders[_row(state), 0]
        racks[state.to_move, min(int(tile) // tiles.copies, tiles.joker)] += 1
        orders = _without(orders, tile)
    racks.flags.writeable = orders.flags.writeable = False
    return _end_turn(state, racks, orders, LastMove(kind, drawn), 0)


def _without(orders: NDArray[np.int16], tile: np.int16) -> NDArray[np.int16]:
    """The pool after a tile, the first of some row, was drawn."""
    return orders[:, 1:] if len(orders) == 1 else orders[orders != tile].reshape(len(orders), -1)


def _time_out(state: State, move: TimeOut) -> State:
    """A legal play that lies on the table may count; else the turn is rolled back and fined."""
    rules = state.rules
    if rules.timeout_valid_table == "accept" and move.table is not None:
        play = Play(move.table, move.played)
        if not _move_refusals(state, play):
            return advance(state, _settled(state, play))
    return _roll_back(state, rules.timeout_penalty_tiles)


def _roll_back(state: State, penalty: int) -> State:
    """The table and the rack as before the turn, and `penalty` tiles from the pool.

    Where nothing can be drawn any more the turn counts as a pass if no play was possible, or if all passes count.
    """
    if state.pool_size == 0 and (state.rules.stalemate_trigger == "all_pass" or not can_play(state)):
        return _end_turn(state, state.racks, state.orders, LastMove("timeout", 0), state.passes + 1)
    return _take(state, penalty, "timeout")


def _end_turn(state: State, racks: NDArray[np.uint8], orders: NDArray[np.int16], last: LastMove, passes: int) -> State:
    """The next seat is to move; the round is over when all passed in a row."""
    declined = _declined(state)
    return State(
        state.rules,
        racks,
        state.table,
        orders,
        state.opened,
        next_seat(state),
        passes,
        state.turn + 1,
        _noted(state, last),
        score(state.rules, racks, "stalemate", state.opened, declined) if passes == len(racks) else None,
        declined,
    )


def _declined(state: State) -> tuple[bool, ...]:
    """Which seats could have opened and did not, this turn among them; only where the rules ask."""
    if state.rules.unmelded_scoring != "flat_100_200" or state.opened[state.to_move] or not can_play(state):
        return state.declined
    before = state.declined or (False,) * state.players
    return tuple(was or seat == state.to_move for seat, was in enumerate(before))


def _noted(state: State, last: LastMove) -> tuple[LastMove | None, ...]:
    seat = state.to_move
    return state.last[:seat] + (last,) + state.last[seat + 1 :]


def next_seat(state: State) -> int:
    """The seat that moves after the one to move."""
    step = 1 if state.rules.direction == "clockwise" else -1
    return (state.to_move + step) % len(state.racks)


# Scoring


def rack_points(rules: RuleSet, counts: Counts) -> int:
    """What the tiles of a rack count when the round ends: values, jokers `joker_rack_penalty`."""
    return int(counts @ tile_points(rules))


@lru_cache
def tile_points(rules: RuleSet) -> NDArray[np.int64]:
    """(kinds,) int64, read-only: what each tile counts on a rack."""
    tiles = rules.tiles
    values = [tiles.value(kind) for kind in range(tiles.joker)]
    if rules.tile_scores == "cards_ace11":
        values = [11 if value == 1 else min(value, 10) for value in values]
    points = np.array([*values, rules.joker_rack_penalty], np.int64)
    points.flags.writeable = False
    return points


def score(
    rules: RuleSet,
    racks: NDArray[np.uint8],
    reason: Ending,
    opened: Sequence[bool] | None = None,
    declined: Sequence[bool] | None = None,
) -> Outcome:
    """Winners and scores of a round that ended with these racks, (players, kinds) uint8.

    Losers pay into a pot, the winner takes it; several share it, and of points that cannot be shared evenly the first
    seats get one more. opened, declined: who has opened (default: all), and who of the others could have.
    """
    points = [rack_points(rules, rack) for rack in racks]
    winners = _winners(rules, racks, points, reason)
    if rules.win_scoring == "none":
        return Outcome(winners, (0,) * len(racks), reason)
    losers = [seat for seat in range(len(racks)) if seat not in winners]
    unopened = [seat for seat in losers if opened is not None and not opened[seat]]
    own = points[winners[0]] if reason == "stalemate" else 0
    paid = {seat: points[seat] - own * (rules.stalemate_scoring == "difference") for seat in losers}
    if rules.unmelded_scoring == "flat_100_200":
        paid |= {seat: 200 if declined and declined[seat] else 100 for seat in unopened}
    share, odd = divmod(sum(paid.values()), len(winners))
    scores = [-paid.get(seat, 0) for seat in range(len(racks))]
    for place, seat in enumerate(winners):
        scores[seat] = share + (place < odd) - own * (rules.stalemate_scoring == "sum_minus_own")
    if rules.unmelded_scoring == "credit_all_others":
        for seat in losers:
            scores[seat] += sum(points[giver] for giver in unopened if giver != seat)
    return Outcome(winners, tuple(scores), reason)


def _winners(rules: RuleSet, racks: NDArray[np.uint8], points: list[int], reason: Ending) -> tuple[int, ...]:
    """Who went out; in a stalemate the lowest value, then the fewest tiles, or the reverse."""
    sizes = racks.sum(axis=1).tolist()
    if reason == "out":
        return (sizes.index(0),)
    by_value = rules.stalemate_winner == "lowest_value"
    ranks = list(zip(points, sizes, strict=True) if by_value else zip(sizes, points, strict=True))
    return tuple(seat for seat, rank in enumerate(ranks) if rank == min(ranks))
