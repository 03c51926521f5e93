"""The `perfect` observation: what a seat sees, and the racks of all others. For critics, oracles and upper bounds.

No player may see it: it is no piece that can be chosen for `observe`, and it is not made from a `View`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummikub_env.observations.base import Field, Observation, Vector
from rummikub_env.observations.facts import step_of


class Perfect:
    """What `encoder` makes of a view, followed by the piece `racks`."""

    def __init__(self, encoder: Observation) -> None:
        self._encoder = encoder
        self._players, self._step = encoder.players, step_of(encoder.rules)
        full = encoder.rules.tiles.full
        self._factor: Vector = np.reciprocal(np.maximum(full, 1).astype(np.float32))
        start, shape = encoder.size, (encoder.players - 1, len(full))
        meaning = "for each other seat, the next to play first: tiles on its rack / copies in the game"
        racks = Field(slice(start, start + shape[0] * shape[1]), shape, meaning, 0, 1)
        self.layout: Mapping[str, Field] = MappingProxyType({**encoder.layout, "racks": racks})
        """Name of a piece -> its slice, shape, meaning and range."""
        self.low: Vector = np.append(encoder.low, np.zeros(shape, np.float32))
        self.high: Vector = np.append(encoder.high, np.ones(shape, np.float32))

    def __reduce__(self) -> tuple[Any, ...]:
        return Perfect, (self._encoder,)

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.low)

    def complete(self, seen: Vector, racks: NDArray[np.uint8], seats: ArrayLike) -> Vector:
        """(B, size) float32, new: what `seats`, (B,), see, (B, d), and the `racks` of all, (B, players, kinds)."""
        others = np.asarray(seats)[:, None] + self._step * np.arange(1, self._players)
        hidden = racks[np.arange(len(racks))[:, None], others % self._players] * self._factor
        return np.concatenate([seen, hidden.reshape(len(racks), -1)], axis=1, dtype=np.float32)
