"""What a play is worth, for the solver and for players that look no further than this turn."""

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import tile_points
from rummikub_env.rules import RuleSet

Objective = Literal["tiles", "value", "tiles_low"]
"""`tiles`: most tiles, ties by value. `value`: most value, ties by tiles. `tiles_low`: most tiles, ties by least
value."""
Opening = Literal["tiles", "value", "tiles_low", "fewest"]
"""The same for an opening that must have points, which may be of few tiles: `fewest`, ties by value."""


@lru_cache(maxsize=64)
def weights(rules: RuleSet, objective: Opening) -> NDArray[np.int64]:
    """What each kind of tile is worth to the solver, (kinds,) int64, read-only.

    The value of a tile is what it would cost on the rack at the end. The second criterion is scaled
    down, not added as a fraction, so that the solver counts in integers and a tie is a tie.
    """
    value, tiles = tile_points(rules), rules.tiles
    a_tile = 1 + int(value @ tiles.full)
    by_objective = {
        "tiles": a_tile + value,
        "value": value * (1 + tiles.total) + 1,
        "tiles_low": a_tile - value,
        "fewest": value - a_tile,
    }
    result: NDArray[np.int64] = by_objective[objective]
    result.flags.writeable = False
    return result
