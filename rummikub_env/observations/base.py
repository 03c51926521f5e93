"""Observations: named pieces of a `View`, written into one flat float32 buffer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummikub_env.rules import RuleSet
from rummikub_env.state import View
from rummikub_env.tiles import Counts

Vector = NDArray[np.float32]


class Spelling(Protocol):
    """What an encoder may see of a half-spelled turn."""

    @property
    def spelled(self) -> Counts:
        """Counts of the rack tiles that are spelled so far, (kinds,) uint8."""


Read = Callable[[View, Spelling | None], "NDArray[np.uint8] | list[int]"]
"""The raw values of a piece in one dimension: an array, or a list, which is cheap for a few numbers."""


@dataclass(frozen=True)
class Piece:
    """One named part of an observation: raw numbers read from a view, then divided by `unit`."""

    name: str
    meaning: str
    shape: tuple[int, ...]
    most: ArrayLike
    """The highest raw value (a number, or one for each element)."""
    unit: ArrayLike
    """What raw values are divided by, so that usual values lie between 0 and 1."""
    read: Read
    least: ArrayLike = 0
    """The lowest raw value."""


PieceOf = Callable[[RuleSet, int], Piece]
"""A piece for a rule set and a number of players."""


@dataclass(frozen=True)
class Field:
    """Where a piece lies in the vector, and what its values mean."""

    where: slice
    shape: tuple[int, ...]
    meaning: str
    low: float
    high: float


class Observation:
    """An encoder: from what a seat may know to a vector of `size` float32."""

    def __init__(self, rules: RuleSet, players: int, pieces: Sequence[PieceOf]) -> None:
        self.rules = rules
        self.players = players
        self._made_of = tuple(pieces)
        self._pieces = tuple(piece(rules, players) for piece in pieces)
        self._factor: Vector = np.reciprocal(np.concatenate([_spread(p.unit, p) for p in self._pieces]))
        self.low: Vector = np.concatenate([_spread(p.least, p) for p in self._pieces]) * self._factor
        self.high: Vector = np.concatenate([_spread(p.most, p) for p in self._pieces]) * self._factor
        self.layout: Mapping[str, Field] = MappingProxyType(dict(self._fields()))
        """Name of a piece -> its slice, shape, meaning and range."""

    def __reduce__(self) -> tuple[Any, ...]:  # what pieces read with cannot be pickled, what makes them can
        return Observation, (self.rules, self.players, self._made_of)

    @property
    def size(self) -> int:
        """The number of elements: the sum of the pieces."""
        return len(self.low)

    def encode(self, view: View, draft: Spelling | None = None, out: Vector | None = None) -> Vector:
        """The vector of `view` and of what its seat has spelled so far, (size,) float32.

        A new array, or `out` when one is given. TypeError for anything but a `View`: what is not in a view
        cannot be in an observation.
        """
        if not isinstance(view, View):
            raise TypeError(f"an observation is made from a View, not from a {type(view).__name__}")
        if out is None:
            out = np.empty_like(self.low)
        raw: list[NDArray[np.uint8] | list[int]] = []
        numbers: list[int] = []  # few arrays are joined faster than many
        for piece in self._pieces:
            values = piece.read(view, draft)
            if type(values) is list:
                numbers += values
                continue
            if numbers:
                raw.append(numbers)
                numbers = []
            raw.append(values)
        np.concatenate([*raw, numbers], out=out, casting="unsafe")
        out *= self._factor
        return out

    def as_dict(self, vector: Vector) -> dict[str, Vector]:
        """The pieces of a vector (or of a batch, last axis) by name, as views in their own shapes."""
        lead = vector.shape[:-1]
        return {name: vector[..., f.where].reshape(lead + f.shape) for name, f in self.layout.items()}

    def _fields(self) -> list[tuple[str, Field]]:
        fields = []
        start = 0
        for piece in self._pieces:
            where = slice(start, start + int(np.prod(piece.shape)))
            low, high = float(self.low[where].min()), float(self.high[where].max())
            fields.append((piece.name, Field(where, piece.shape, piece.meaning, low, high)))
            start = where.stop
        return fields


def _spread(value: ArrayLike, piece: Piece) -> Vector:
    return np.broadcast_to(np.asarray(value, np.float32), piece.shape).ravel()
