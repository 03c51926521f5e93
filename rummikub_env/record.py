"""Games as text files: who played, from which deal, by which moves; and their replay.

::

    rummikub game 1
    players greedy_value / random
    start sabra; racks K1 K4 ... / R3 ...; table; opened --; pool R9 ...; move 0; turn 0
    draw
    play K7 R7 J; table K7 R7 J
    pass
    timeout
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rummikub_env.game import Draw, Move, Pass, Play, TimeOut, apply
from rummikub_env.reasons import IllegalMove
from rummikub_env.sets import Table, parse_table, table_text
from rummikub_env.state import State
from rummikub_env.tiles import TileSet

T = TypeVar("T")

HEADER = "rummikub game 1"


@dataclass(frozen=True)
class Record:
    """A game, finished or not."""

    players: tuple[str, ...]
    """The name of the player on each seat."""
    start: State
    moves: tuple[Move, ...]

    def text(self) -> str:
        """The record as the text of a file; `from_text` is its inverse."""
        tiles = self.start.rules.tiles
        lines = [HEADER, f"players {' / '.join(self.players)}", f"start {self.start.text()}"]
        return "\n".join([*lines, *(move_text(tiles, move) for move in self.moves)]) + "\n"

    @staticmethod
    def from_text(text: str) -> "Record":
        """The record of a text; ValueError names the line that cannot be read, and what may stand there."""
        lines = text.splitlines()
        if not lines or lines[0].strip() != HEADER:
            raise ValueError(f"line 1: not a game record; its first line is {HEADER!r}")
        players = tuple(name.strip() for name in _field(lines, 2, "players").split("/"))
        start = _at_line(3, State.from_text, _field(lines, 3, "start"))
        if len(players) != start.players:
            raise ValueError(f"line 2: {len(players)} players, but the start has {start.players} racks")
        tiles = start.rules.tiles
        moves = (
            _at_line(number, lambda line: parse_move(tiles, line), line)
            for number, line in enumerate(lines[3:], 4)
            if line.strip()
        )
        return Record(players, start, tuple(moves))


def replay(record: Record) -> Iterator[State]:
    """The states of the game, the start first; ValueError names the first move that is illegal."""
    state = record.start
    yield state
    for number, move in enumerate(record.moves, 1):
        try:
            state = apply(state, move)
        except IllegalMove as error:
            raise ValueError(f"move {number} (line {number + 3}) is illegal: {error}") from error
        yield state


def write(path: str | os.PathLike[str], record: Record) -> None:
    """Write the record to `path`, whole or not at all."""
    write_whole(path, record.text())


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file such that whoever looks finds the old content or the new."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Record:
    """The record in a file; ValueError names file, line and what may stand there."""
    try:
        return Record.from_text(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error


# The text of a move


def move_text(tiles: TileSet, move: Move) -> str:
    """``draw``, ``pass``, ``play R3 J; table R3 R4 J=R5 | ...``, ``timeout``."""
    if isinstance(move, Draw):
        return "draw"
    if isinstance(move, Pass):
        return "pass"
    if isinstance(move, TimeOut):
        return "timeout" if move.table is None else f"timeout {_laid(tiles, move.table, move.played)}"
    taken = f"; taken {tiles.join(move.taken)}" if move.taken else ""
    opening = "" if move.opening is None else f"; opening {table_text(tiles, move.opening)}"
    return f"play {_laid(tiles, move.table, move.played)}{taken}{opening}"


def _laid(tiles: TileSet, table: Table, played: tuple[int, ...]) -> str:
    return f"{tiles.join(played)}; table {table_text(tiles, table)}".strip()


def parse_move(tiles: TileSet, text: str) -> Move:
    """The move of a text; `move_text` is its inverse. ValueError says what may stand there."""
    word, _, rest = text.strip().partition(" ")
    if text.strip() in ("draw", "pass"):
        return Draw() if word == "draw" else Pass()
    if word == "timeout" and not rest:
        return TimeOut()
    if word not in ("play", "timeout"):
        raise ValueError(f"{text!r} is not a move: write draw, pass, timeout, or play TILES; table SETS")
    told = _parts(rest)
    table, played = parse_table(tiles, told["table"]), tiles.parse_all(told["played"])
    if word == "timeout":
        return TimeOut(table, played)
    opening = parse_table(tiles, told["opening"]) if "opening" in told else None
    return Play(table, played, tiles.parse_all(told["taken"]), opening)


def _parts(text: str) -> dict[str, str]:
    """``TILES; table SETS; taken TILES; opening SETS`` by name."""
    played, *rest = text.split(";")
    told = {"played": played, "taken": ""}
    for part in rest:
        word, _, value = part.strip().partition(" ")
        if word not in ("table", "taken", "opening"):
            raise ValueError(f"{word!r} in {text!r}: after the tiles may follow: table SETS, taken TILES, opening SETS")
        told[word] = value
    if "table" not in told:
        raise ValueError(f"{text!r}: the new table is missing: write TILES; table SETS")
    return told


def _field(lines: list[str], number: int, word: str) -> str:
    line = lines[number - 1] if number <= len(lines) else ""
    head, _, rest = line.strip().partition(" ")
    if head != word:
        raise ValueError(f"line {number}: {line!r} should begin with {word!r}")
    return rest


def _at_line(number: int, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
