"""A table read for the sweeps: its real tiles, what its jokers may stand for, which sets are old.

The sets of a table are *rows*, (sets, n) int16: the pieces of each set as `rummikub_env.tiles` numbers them, -1 behind
the last one, for which there is always room.
"""

import numpy as np

from rummikub_env.kernels.compiling import leaf
from rummikub_env.kernels.tables import ACE_HIGH, old_bit

NEVER = 99
"""An end that no old run has."""
MOST_JOKERS = 4


@leaf
def stands_for(piece, joker):
    """The real kind that a piece is or stands for, -1 where that is open."""
    if piece < joker:
        return np.int64(piece)
    kind = np.int64(piece) - joker - 1
    return kind if 0 <= kind < joker else np.int64(-1)


@leaf
def is_run(terms, row):
    """Is the set a run? Else it is a group."""
    first, second = stands_for(row[0], terms.joker), stands_for(row[1], terms.joker)
    return first >= 0 and second >= 0 and first % terms.values != second % terms.values


@leaf
def length_of(row):
    """The number of pieces in a row."""
    n = 0
    while n < row.shape[0] and row[n] >= 0:
        n += 1
    return n


@leaf
def group_of(terms, row, size):
    """Of a group: its value (0-based), and the colours that its jokers do not stand for, as bits."""
    value, fixed = np.int64(0), np.int64(0)
    for i in range(size):
        kind = stands_for(row[i], terms.joker)
        if kind >= 0:
            value = kind % terms.values
            fixed |= 1 << kind // terms.values
        elif row[i] > 2 * terms.joker:
            value = np.int64(row[i]) - 2 * terms.joker - 1
    return value, fixed


@leaf
def read_sets(terms, rows, n, counts, jokers):
    """Reads the first `n` rows; returns the number of jokers in them.

    Written: counts, (joker,) int64, the real tiles of each kind; jokers, (4, 3) int64, for each joker the value that
    it stands for (0-based), the colours that it may be, as bits, and how many different tiles replace it.
    """
    counts[:] = 0
    n_jokers = 0
    for s in range(n):
        row, size, has_jokers = rows[s], 0, False
        while size < row.shape[0] and row[size] >= 0:
            if row[size] < terms.joker:
                counts[row[size]] += 1
            else:
                has_jokers = True
            size += 1
        if not has_jokers:
            continue
        run = is_run(terms, row)
        value, fixed = group_of(terms, row, size)
        missing = (1 << terms.colours) - 1
        if terms.distinct:
            missing &= ~fixed
        for i in range(size):
            if row[i] >= terms.joker:
                kind = stands_for(row[i], terms.joker)
                jokers[n_jokers, 0] = value if kind < 0 else kind % terms.values
                jokers[n_jokers, 1] = missing if kind < 0 else 1 << kind // terms.values
                jokers[n_jokers, 2] = 1
                if terms.both_missing and size == 3 and not run and kind < 0:
                    jokers[n_jokers, 2] = min(2, bits_set(missing))
                n_jokers += 1
    return n_jokers


@leaf
def bits_set(bits):
    """How many of the lowest four bits are set."""
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1)


@leaf
def read_old_sets(terms, rows, n, old_ends, old_groups):
    """Writes which runs and groups lie on the table that can be held beside a freed joker.

    old_ends, (4, values + 5) int64: the first end of the old runs of each colour that start here or later, in the order
    in which values follow each other in runs; old_groups, (values,) int64: bit c is set where all colours but c formed
    a group, for each colour that its jokers leave open; where colours may be equal, `tables.old_bit` of groups of up to
    4.
    """
    old_ends[:] = NEVER
    old_groups[:] = 0
    for s in range(n):
        row, size = rows[s], length_of(rows[s])
        if is_run(terms, row):
            first, last = stands_for(row[0], terms.joker), stands_for(row[size - 1], terms.joker)
            turn = np.int64(terms.tables[5] == ACE_HIGH)
            colour, start = first // terms.values, (first - turn) % terms.values
            old_ends[colour, start] = min(old_ends[colour, start], (last - turn) % terms.values)
        elif not terms.distinct and size <= 4:
            _note_alike(terms, row, size, old_groups)
        elif size == 3:
            value, fixed = group_of(terms, row, size)
            for missing in range(4 if terms.colours == 4 else 0):
                if fixed >> missing & 1 == 0:
                    old_groups[value] |= 1 << missing
            if terms.colours < 4:
                old_groups[value] |= 8
    for colour in range(4):
        for start in range(old_ends.shape[1] - 2, -1, -1):
            old_ends[colour, start] = min(old_ends[colour, start], old_ends[colour, start + 1])


@leaf
def _note_alike(terms, row, size, old_groups):
    """Notes a group of up to 4 tiles whose colours may be equal: its jokers may stand for any."""
    value, _ = group_of(terms, row, size)
    for code in range(4**size):
        numbers, possible = np.int64(0), True  # of each colour, 3 bits each
        for i in range(size):
            colour, kind = code >> 2 * i & 3, stands_for(row[i], terms.joker)
            numbers += 1 << 3 * colour
            possible = possible and colour < terms.colours and (kind < 0 or kind // terms.values == colour)
        if possible:
            old_groups[value] |= np.int64(1) << old_bit(
                numbers & 7, numbers >> 3 & 7, numbers >> 6 & 7, numbers >> 9 & 7
            )
