"""Observations: named pieces of a `View`, written into one flat float32 buffer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummikub_env.observations.facts import FACTS, encoder, public, step_of, table_counts
from rummikub_env.rules import RuleSet
from rummikub_env.state import View
from rummikub_env.tiles import Counts

Vector = NDArray[np.float32]


class Spelling(Protocol):
    """What an encoder may see of a half-spelled turn."""

    @property
    def spelled(self) -> Counts:
        """Counts of the rack tiles that are spelled so far, (kinds,) uint8."""


Read = Callable[[View, Spelling | None], ArrayLike]
"""The raw values of a piece in one dimension: an array, or a list, which is cheap for a few numbers."""


@dataclass(frozen=True)
class Piece:
    """One named part of an observation: raw numbers, then divided by `unit`."""

    name: str
    meaning: str
    shape: tuple[int, ...]
    most: ArrayLike
    """The highest raw value (a number, or one for each element)."""
    unit: ArrayLike
    """What raw values are divided by, so that usual values lie between 0 and 1."""
    read: Read | None = None
    """Where the raw values come from; None for one of `FACTS`, which are compiled."""
    least: ArrayLike = 0
    """The lowest raw value."""
    needs_history: bool = False
    """Is it read from `View.history`?"""


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
    """An encoder: from what a seat may know to a vector of `size` float32.

    ValueError for no piece, for two of one name, and for a piece that nothing tells how to read.
    """

    def __init__(self, rules: RuleSet, players: int, pieces: Sequence[PieceOf]) -> None:
        self.rules = rules
        self.players = players
        self._step = step_of(rules)
        self._full = rules.tiles.full
        self._made_of = tuple(pieces)
        self._pieces = tuple(piece(rules, players) for piece in pieces)
        if not self._pieces:
            raise ValueError("an observation needs a piece")
        self.needs_history = any(piece.needs_history for piece in self._pieces)
        """Does it tell of turns before the last ones? Only then need anybody remember them."""
        self.factor: Vector = np.reciprocal(np.concatenate([_spread(p.unit, p) for p in self._pieces]))
        """(size,) float32: what raw values are multiplied by."""
        self.low: Vector = np.concatenate([_spread(p.least, p) for p in self._pieces]) * self.factor
        self.high: Vector = np.concatenate([_spread(p.most, p) for p in self._pieces]) * self.factor
        self.layout: Mapping[str, Field] = MappingProxyType(dict(self._fields()))
        """Name of a piece -> its slice, shape, meaning and range."""
        if len(self.layout) < len(self._pieces):
            raise ValueError(f"two pieces have the same name: {', '.join(p.name for p in self._pieces)}")
        self._read = [(p.read, self.layout[p.name].where) for p in self._pieces if p.read is not None]
        facts = {p.name: self.layout[p.name].where.start for p in self._pieces if p.read is None}
        if unknown := facts.keys() - set(FACTS):
            raise ValueError(f"{', '.join(unknown)}: a piece needs `read` unless it is one of {', '.join(FACTS)}")
        self.starts: NDArray[np.int64] = np.array([facts.get(name, -1) for name in FACTS], np.int64)
        """(facts,) int64: where each of `FACTS` begins, -1 for those that are no piece."""

    def __reduce__(self) -> tuple[Any, ...]:  # what pieces read with cannot be pickled, what makes them can
        return Observation, (self.rules, self.players, self._made_of)

    @property
    def size(self) -> int:
        """The number of elements: the sum of the pieces."""
        return len(self.low)

    def encode(self, view: View, draft: Spelling | None = None, out: Vector | None = None) -> Vector:
        """The vector of `view` and of what its seat has spelled so far, (size,) float32.

        A new array, or `out` when one is given, which must be contiguous. TypeError for anything but a `View`: what is
        not in a view cannot be in an observation. ValueError for a view of another game.
        """
        if not isinstance(view, View):
            raise TypeError(f"an observation is made from a View, not from a {type(view).__name__}")
        if not len(view.rack_sizes) == len(view.opened) == len(view.last) == self.players:
            raise ValueError(f"this observation is of {self.players} players, the view of {len(view.rack_sizes)}")
        if out is None:
            out = np.empty(len(self.factor), np.float32)
        spelled = np.zeros_like(view.rack) if draft is None else draft.spelled
        table, standing = table_counts(self.rules, view.table)
        encoder()(
            view.rack,
            spelled,
            table,
            standing,
            public(view),
            view.seat,
            self._step,
            self._full,
            self.factor,
            self.starts,
            out,
        )
        self.read(view, draft, out)
        return out

    @property
    def is_compiled(self) -> bool:
        """Is nothing left to `read`?"""
        return not self._read

    def read(self, view: View, draft: Spelling | None, out: Vector) -> None:
        """Write the pieces that have a `read` into `out`, (size,) float32."""
        for read, where in self._read:
            part, values = out[where], np.asarray(read(view, draft))
            if values.shape != part.shape:
                raise ValueError(f"a piece of shape {part.shape} was read as {values.shape}")
            part[:] = values
            part *= self.factor[where]

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
