"""The `planes` observation: the tiles as images, channels x colours x values, for convolutions.

The planes tell of tiles only; the other pieces are those of `counts` that are no counts of tiles.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rummikub_env.observations.base import Piece, Spelling
from rummikub_env.observations.counts import SITUATION
from rummikub_env.observations.facts import table_counts
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table, is_run
from rummikub_env.state import View
from rummikub_env.tiles import Counts

CHANNELS = (
    "rack",
    "spelled",
    "in runs",
    "in groups",
    "unseen",
    "standing",
    "jokers on the rack",
    "jokers spelled",
    "jokers on the table",
    "jokers unseen",
)
"""What each channel of `planes` shows."""


def planes(rules: RuleSet, players: int) -> Piece:
    """The tiles as images."""
    tiles, joker = rules.tiles, rules.tiles.joker
    shape = (len(CHANNELS), len(tiles.colours), tiles.values)
    copies, jokers = np.full((5, joker), max(tiles.copies, 1)), np.full((5, joker), max(tiles.jokers, 1))
    most = np.concatenate([copies, jokers]).reshape(shape)

    def read(view: View, draft: Spelling | None) -> NDArray[np.float32]:
        spelled = np.zeros_like(view.rack) if draft is None else draft.spelled
        on_table, standing, in_groups = _on_table(rules, view.table)
        unseen = tiles.full - view.rack - on_table
        drawn = np.empty((len(CHANNELS), joker), np.float32)
        in_runs = on_table[:joker] - in_groups
        drawn[:6] = view.rack[:joker], spelled[:joker], in_runs, in_groups, unseen[:joker], standing
        drawn[6:] = np.array([view.rack[joker], spelled[joker], on_table[joker], unseen[joker]])[:, None]
        return drawn.ravel()

    return Piece(
        name="planes",
        meaning="channels x colours x values: tiles on the own rack, those of them spelled, tiles in runs on the table,"
        " in groups, in the pool or on another rack / copies; jokers on the table that stand, or may stand, for a tile,"
        " then the same everywhere: jokers on the own rack, spelled, on the table, not seen / jokers",
        shape=shape,
        most=most,
        unit=most,
        read=read,
    )


@lru_cache(maxsize=4096)
def _on_table(rules: RuleSet, table: Table) -> tuple[Counts, Counts, Counts]:
    """Tiles on the table (kinds,), what its jokers may stand for, and real tiles in groups (joker,)."""
    groups = [piece for pieces in table if not is_run(rules, pieces) for piece in pieces]
    return *table_counts(rules, table), rules.tiles.count(groups)[:-1]


PLANES = (planes, *SITUATION)
"""The pieces of the `planes` observation, in order."""
