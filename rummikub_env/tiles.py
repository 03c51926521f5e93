"""Tiles as small integers, and their text form.

A tile *kind* is ``colour * values + value - 1``; the last kind is the joker. A *piece* is what can
lie in a set: a kind, or a joker that is said to stand for a tile::

    0 .. joker - 1                 a real tile
    joker                          a joker that may stand for whatever its set allows
    joker + 1 + kind               a joker that stands for `kind`            (text ``J=R7``)
    joker + 1 + joker + value - 1  a joker that stands for `value`, any colour (text ``J=7``)

Text: a colour letter (K black, R red, B blue, O orange) and a value, ``J`` for a joker.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.uint8]
"""(kinds,) uint8: how many tiles of each kind, joker last."""

COLOURS = "KRBO"


@dataclass(frozen=True)
class TileSet:
    """All tiles of a game: `copies` of each value in each colour, and the jokers."""

    colours: str = COLOURS
    values: int = 13
    copies: int = 2
    jokers: int = 2

    @cached_property
    def joker(self) -> int:
        """The kind of the joker, and the number of kinds of real tiles."""
        return len(self.colours) * self.values

    @cached_property
    def kinds(self) -> int:
        """The number of kinds, the joker among them."""
        return self.joker + 1

    @cached_property
    def total(self) -> int:
        """The number of tiles."""
        return self.joker * self.copies + self.jokers

    @cached_property
    def full(self) -> Counts:
        """Counts of the whole tile set, (kinds,) uint8, read-only."""
        counts = np.full(self.kinds, self.copies, np.uint8)
        counts[self.joker] = self.jokers
        counts.flags.writeable = False
        return counts

    def kind(self, colour: int, value: int) -> int:
        """The kind of the tile of `colour` (0-based) and `value` (1-based)."""
        return colour * self.values + value - 1

    def colour(self, kind: int) -> int:
        """The 0-based colour of a real tile."""
        return kind // self.values

    def value(self, kind: int) -> int:
        """The 1-based value of a real tile."""
        return kind % self.values + 1

    def is_joker(self, piece: int) -> bool:
        """Is the piece a joker, whatever it stands for?"""
        return piece >= self.joker

    def joker_as(self, kind: int) -> int:
        """The piece "a joker that stands for `kind`"."""
        return self.joker + 1 + kind

    def stands_for(self, piece: int) -> int | None:
        """The real kind that the piece is or stands for; None for a joker that leaves it open."""
        if piece < self.joker:
            return piece
        declared = piece - self.joker - 1
        return declared if 0 <= declared < self.joker else None

    def joker_value(self, piece: int) -> int | None:
        """The value of a ``J=7`` joker (any colour); None for every other piece."""
        value = piece - 2 * self.joker
        return value if value >= 1 else None

    def physical(self, piece: int) -> int:
        """The kind of the tile itself: a joker is a joker, whatever it stands for."""
        return min(piece, self.joker)

    def count(self, pieces: "tuple[int, ...] | list[int]") -> Counts:
        """Counts of the physical tiles among `pieces`, (kinds,) uint8."""
        physical = np.minimum(np.asarray(pieces, np.intp), self.joker)
        return np.bincount(physical, minlength=self.kinds).astype(np.uint8)

    def listed(self, counts: Counts) -> tuple[int, ...]:
        """The kinds of a multiset, ascending, each as often as it occurs."""
        return tuple(np.repeat(np.arange(self.kinds), counts).tolist())

    def text(self, piece: int) -> str:
        """``R7``, ``J``, ``J=R7`` or ``J=7``."""
        if piece == self.joker:
            return "J"
        value = self.joker_value(piece)
        if value is not None:
            return f"J={value}"
        if piece > self.joker:
            return f"J={self.text(piece - self.joker - 1)}"
        return f"{self.colours[self.colour(piece)]}{self.value(piece)}"

    def parse(self, text: str) -> int:
        """The piece that `text` names; ValueError says what is allowed."""
        head, equals, tail = text.strip().upper().partition("=")
        if head == "J" and not equals:
            return self.joker
        if head == "J" and tail.isdecimal() and 1 <= int(tail) <= self.values:
            return 2 * self.joker + int(tail)
        if head == "J":
            return self.joker_as(self._parse_tile(tail, text))
        return self._parse_tile(text.strip().upper(), text)

    def _parse_tile(self, tile: str, text: str) -> int:
        colour, value = tile[:1], tile[1:]
        if colour and colour in self.colours and value.isdecimal() and 1 <= int(value) <= self.values:
            return self.kind(self.colours.index(colour), int(value))
        raise ValueError(
            f"{text!r} is not a tile: write one of the colours {' '.join(self.colours)} and a value "
            f"1-{self.values} (R7), J for a joker, or J=R7 for a joker that stands for a tile"
        )

    def parse_all(self, text: str) -> tuple[int, ...]:
        """The pieces named in `text`, separated by blanks or commas."""
        return tuple(self.parse(word) for word in text.replace(",", " ").split())

    def join(self, pieces: "tuple[int, ...] | list[int]") -> str:
        """The text of several pieces, separated by blanks; `parse_all` is its inverse."""
        return " ".join(self.text(piece) for piece in pieces)
