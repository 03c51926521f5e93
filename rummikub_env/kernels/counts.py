"""The pieces of the `counts` observation, written into a vector: for one seat of one table, on plain arrays."""

import numpy as np
from numba import njit, types

from rummikub_env.kernels.compiling import leaf

RACK, SPELLED, TABLE, UNSEEN, JOKERS, OPENED, RACK_SIZES, POOL, LAST, PHASE = range(10)
"""The pieces, in the order of `starts`."""
NUMBERS = 5
"""How many numbers of `public` are of the table; those of the seats follow."""
KINDS = 4
"""Kinds of a last move."""

_UINT8, _INT32, _INT64, _FLOAT32 = (
    types.Array(of, 1, "C", readonly=True) for of in (types.uint8, types.int32, types.int64, types.float32)
)


@leaf
def _write(values, start, factor, out):
    """One piece; a `start` below 0 leaves it out."""
    if start >= 0:
        if start + len(values) > len(out):
            raise ValueError("a piece does not fit into the vector")
        for i in range(len(values)):
            out[start + i] = np.float32(values[i]) * factor[start + i]


# one signature, which writable arrays fit as well, so that there is only one specialization
@njit(
    types.void(
        *[_UINT8] * 4, _INT32, types.int64, types.int64, _UINT8, _FLOAT32, _INT64, types.Array(types.float32, 1, "C")
    ),
    cache=True,
)
def encode(rack, spelled, table, standing, public, seat, step, full, factor, starts, out):
    """Write what `seat` may know into `out`, (d,) float32: each raw value times its `factor`, (d,) float32.

    rack, spelled, table, full: (kinds,) uint8, tiles on the own rack, those spelled this turn, on the table, in the
    game. standing: (kinds - 1,) uint8, jokers on the table that stand, or may stand, for each real kind.
    public: (5 + 4 players,) int32, what everybody sees: the seat to move, passes in a row, turns made, tiles in the
    pool, is the round over; of each seat, has it opened; of each, tiles on its rack; of each, its last move as two
    numbers, the kind (-1: none yet) and the tiles. step: 1 or -1, from the number of a seat to that of the next.
    starts: (10,) int64, where each piece begins in `out`, -1 for one that is left out. Nothing else of `out` is
    written. ValueError for arrays of other sizes.
    """
    kinds, players = len(full), (len(public) - NUMBERS) // 4
    fit = len(rack) == len(spelled) == len(table) == len(standing) + 1 == kinds
    if not fit or len(public) != NUMBERS + 4 * players or len(out) != len(factor) or len(starts) != PHASE + 1:
        raise ValueError("arrays of these sizes do not go together")
    _write(rack, starts[RACK], factor, out)
    _write(spelled, starts[SPELLED], factor, out)
    _write(table, starts[TABLE], factor, out)
    _write(full - rack - table, starts[UNSEEN], factor, out)
    _write(standing, starts[JOKERS], factor, out)
    on_turn, passes, turn, pool, over = public[0], public[1], public[2], public[3], public[4]
    opened, sizes = np.empty(players, np.int32), np.empty(players, np.int32)
    last, phase = np.zeros(players * (KINDS + 1), np.int32), np.empty(players + 4, np.int32)
    for i in range(players):
        other = (seat + step * i) % players
        opened[i] = public[NUMBERS + other]
        sizes[i] = public[NUMBERS + players + other]
        kind, tiles = public[NUMBERS + 2 * (players + other)], public[NUMBERS + 2 * (players + other) + 1]
        if kind >= 0:
            last[i * (KINDS + 1) + kind] = 1
            last[i * (KINDS + 1) + KINDS] = tiles
        phase[i] = other == on_turn and not over
    phase[players] = passes
    phase[players + 1] = min(np.int64(turn), 4 * np.int64(full.sum()))
    phase[players + 2] = pool == 0
    phase[players + 3] = over
    _write(opened, starts[OPENED], factor, out)
    _write(sizes, starts[RACK_SIZES], factor, out)
    _write(public[3:4], starts[POOL], factor, out)
    _write(last, starts[LAST], factor, out)
    _write(phase, starts[PHASE], factor, out)
