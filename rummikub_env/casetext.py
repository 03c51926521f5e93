"""Positions and moves as the rule cases write them: JSON with players by name and tiles as text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummikub_env.game import Draw, Move, Pass, Play, TimeOut
from rummikub_env.pool import stack
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, resolve_table
from rummikub_env.state import State, table_counts
from rummikub_env.tiles import TileSet

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Seats:
    """The players of a case by name; their seats are in the same order."""

    names: tuple[str, ...]

    @staticmethod
    def of(position: Json) -> "Seats":
        """The players of a position; A and B if it names none."""
        return Seats(tuple(position.get("players", "AB")))

    def named(self, seats: Iterable[int]) -> list[str]:
        """The names of seats."""
        return [self.names[seat] for seat in seats]

    def by_name(self, facts: Sequence[object]) -> dict[str, object]:
        """What there is for each seat, by name."""
        return dict(zip(self.names, facts, strict=True))


def read_pieces(tiles: TileSet, texts: Iterable[str]) -> Set:
    """The pieces of a list of texts."""
    return tuple(map(tiles.parse, texts))


def read_table(tiles: TileSet, rows: Iterable[Iterable[str]]) -> Table:
    """The sets of a list of lists, as they are written."""
    return tuple(read_pieces(tiles, row) for row in rows)


def read_state(rules: RuleSet, position: Json) -> State:
    """The position; tiles it does not mention fill the pool, the rest of them lies on the next rack."""
    tiles, names = rules.tiles, Seats.of(position).names
    to_move = names.index(position.get("to_move", names[0]))
    racks = np.zeros((len(names), tiles.kinds), np.uint8)
    for name, rack in position.get("racks", {names[to_move]: position["rack"]}).items():
        racks[names.index(name)] = tiles.count(read_pieces(tiles, rack))
    table = resolve_table(rules, read_table(tiles, position["table"]))
    pool = _pool(tiles, position, racks, table)
    racks.flags.writeable = False
    opened = position["opened"]
    return State(
        rules,
        racks,
        table,
        stack(tiles, pool),
        tuple(opened[name] if isinstance(opened, Mapping) else opened for name in names),
        to_move,
        last=(None,) * len(names),
    )


def _pool(tiles: TileSet, position: Json, racks: NDArray[np.uint8], table: Table) -> Set:
    """The pool of the position; unless `racks` tells all, the seat after the first gets what is left over."""
    if "pool_order" in position:
        return read_pieces(tiles, position["pool_order"])
    used = racks.sum(axis=0, dtype=np.intp) + table_counts(tiles, table)
    unseen = tiles.listed((tiles.full - np.minimum(used, tiles.full)).astype(np.uint8))
    pool, rest = unseen[: position["pool"]], unseen[position["pool"] :]
    if "racks" not in position:
        racks[np.flatnonzero(~racks.any(axis=1))[0]] = tiles.count(rest)
    return pool


def read_move(tiles: TileSet, turn: Json) -> Move:
    """The move of a turn or a step; ValueError for an action that there is not."""
    match turn["action"]:
        case "draw":
            return Draw()
        case "pass":
            return Pass()
        case "timeout":
            table = read_table(tiles, turn["table_at_timeout"])
            return TimeOut(table, read_pieces(tiles, turn["played_at_timeout"]))
        case "play":
            played, taken = (read_pieces(tiles, turn.get(key, ())) for key in ("played", "taken_to_rack"))
            opening = read_table(tiles, turn["opening"]) if "opening" in turn else None
            return Play(read_table(tiles, turn["table_after"]), played, taken, opening)
    raise ValueError(f"turns like {turn['action']} are not known")


def tiles_drawn(before: State, after: State) -> tuple[int, ...]:
    """The kinds that the seat to move in `before` drew."""
    gained = after.racks[before.to_move].astype(np.intp) - before.racks[before.to_move]
    return before.rules.tiles.listed(np.maximum(gained, 0).astype(np.uint8))
