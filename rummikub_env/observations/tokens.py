"""The `tokens` observation: the tiles as a padded sequence with its mask, for attention.

First the tiles of the table, set by set as they lie, then the tiles of the own rack, then those of them that are
spelled. Unlike counts they tell how the table lies, and what each joker stands for.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rummikub_env.observations.base import Piece, Spelling
from rummikub_env.observations.counts import SITUATION
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, is_run
from rummikub_env.state import View

COLUMNS = ("place", "set", "form", "colour", "value", "joker")
"""What each number of a token is; all but the last are indices for an embedding, where 0 says "none"."""

RACK, SPELLED, TABLE = 1, 2, 3
"""Values of `place`."""
RUN, GROUP = 1, 2
"""Values of `form`."""

Tokens = NDArray[np.float32]


def tokens(rules: RuleSet, players: int) -> Piece:
    """All tiles that the seat sees, one by one."""
    tiles = rules.tiles
    most_sets = tiles.total // rules.min_set_size
    return Piece(
        name="tokens",
        meaning="tiles x numbers, as they are: place (1 own rack, 2 spelled, 3 table), number of its set on the table,"
        " form of that (1 run, 2 group), colour and value of what the tile is or stands for (0 where a joker leaves it"
        " open), 1 for a joker; all 0 behind the last tile",
        shape=(tiles.total, len(COLUMNS)),
        most=np.array([TABLE, most_sets, GROUP, len(tiles.colours), tiles.values, 1]),
        unit=1,
        read=lambda view, draft: _padded(_tokens(view, draft), tiles.total).ravel(),
    )


def tokens_mask(rules: RuleSet, players: int) -> Piece:
    """Which tokens are tiles."""
    total = rules.tiles.total

    def read(view: View, draft: Spelling | None) -> NDArray[np.bool_]:
        return np.arange(total) < int(view.rack.sum()) + sum(map(len, view.table))

    return Piece("tokens_mask", "for each token: 1 for a tile, 0 for padding", (total,), 1, 1, read)


def _tokens(view: View, draft: Spelling | None) -> Tokens:
    """(tiles, columns) float32."""
    spelled = np.zeros_like(view.rack) if draft is None else draft.spelled
    known = _loose_tokens(view.rules)
    own, laid = np.repeat(known, view.rack - spelled, axis=0), np.repeat(known, spelled, axis=0)
    own[:, 0], laid[:, 0] = RACK, SPELLED
    return np.concatenate([_table_tokens(view.rules, view.table), own, laid])


@lru_cache
def _loose_tokens(rules: RuleSet) -> Tokens:
    """A tile of each kind that lies nowhere, (kinds, columns)."""
    return np.array([_token(rules, 0, 0, 0, kind) for kind in range(rules.tiles.kinds)], np.float32)


@lru_cache(maxsize=4096)
def _table_tokens(rules: RuleSet, table: Table) -> Tokens:
    rows = [row for number, pieces in enumerate(table, 1) for row in _set_tokens(rules, number, pieces)]
    return np.array(rows, np.float32).reshape(-1, len(COLUMNS))


def _set_tokens(rules: RuleSet, number: int, pieces: Set) -> list[tuple[int, ...]]:
    form = RUN if is_run(rules, pieces) else GROUP
    return [_token(rules, TABLE, number, form, piece) for piece in pieces]


def _token(rules: RuleSet, place: int, number: int, form: int, piece: int) -> tuple[int, ...]:
    tiles = rules.tiles
    kind = tiles.stands_for(piece)
    colour, value = (0, tiles.joker_value(piece) or 0) if kind is None else (tiles.colour(kind) + 1, tiles.value(kind))
    return place, number, form, colour, value, int(tiles.is_joker(piece))


def _padded(rows: Tokens, total: int) -> Tokens:
    padded = np.zeros((total, len(COLUMNS)), np.float32)
    padded[: len(rows)] = rows
    return padded


TOKENS = (tokens, tokens_mask, *SITUATION)
"""The pieces of the `tokens` observation, in order."""
