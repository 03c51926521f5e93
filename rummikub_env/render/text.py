"""The table as text: pure functions of a `State` (all racks open) or a `View` (one rack open).

Both take the counts of the tiles that the seat on turn has `spelled` so far, to be told with the rest.
"""

import os
import sys

from rummikub_env.sets import Table
from rummikub_env.state import LastMove, State, View, view
from rummikub_env.tiles import Counts, TileSet

WIDTH = 100
"""Columns, unless the caller says otherwise."""

_COLOURS = {"K": "\033[1m", "R": "\033[91m", "B": "\033[94m", "O": "\033[93m", "J": "\033[95m"}
_RESET = "\033[0m"
_GAP = "   "
_DID = {"draw": "drew", "pass": "passed", "play": "played", "timeout": "ran out of time and drew"}


def terminal_has_colour() -> bool:
    """Does standard output understand ANSI colours? The variable NO_COLOR switches them off."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def render_state(state: State, spelled: Counts | None = None, *, colour: bool = False, width: int = WIDTH) -> str:
    """The whole game as a spectator sees it: the table, the seats, all racks."""
    seats = [view(state, seat) for seat in range(state.players)]
    return "\n".join(_lines(seats[0], seats, spelled, colour, width))


def render_view(seen: View, spelled: Counts | None = None, *, colour: bool = False, width: int = WIDTH) -> str:
    """The game as one seat sees it: the table, the seats, its own rack."""
    return "\n".join(_lines(seen, [seen], spelled, colour, width))


def render_table(tiles: TileSet, table: Table, *, colour: bool = False) -> str:
    """The sets of a table in lines, ``(empty)`` when there are none."""
    return "\n".join(_sets(tiles, table, colour, WIDTH))


def render_rack(tiles: TileSet, rack: Counts, *, colour: bool = False) -> str:
    """Tiles as on a rack, a block for each colour, the jokers last; ``(none)`` when there are none."""
    return "\n".join(_sorted(tiles, rack, colour, WIDTH)) if rack.any() else "  (none)"


def _lines(seen: View, racks: list[View], spelled: Counts | None, colour: bool, width: int) -> list[str]:
    tiles = seen.rules.tiles
    lines = [_headline(seen), "", *_sets(tiles, seen.table, colour, width), ""]
    lines += [_seat(seen, seat) for seat in range(seen.players)]
    if spelled is not None and spelled.any():
        lines += ["", f"player_{seen.to_move} plays", *_sorted(tiles, spelled, colour, width)]
    for owner in racks:
        lines += ["", f"rack of player_{owner.seat}", *_sorted(tiles, owner.rack, colour, width)]
    return lines


def _headline(seen: View) -> str:
    """Who is on turn, or how the game ended."""
    if seen.outcome is None:
        passes = f", {seen.passes} passed in a row" if seen.passes else ""
        return f"turn {seen.turn + 1}, player_{seen.to_move} to move, {seen.pool_size} in the pool{passes}"
    winners = " and ".join(f"player_{seat}" for seat in seen.outcome.winners)
    how = "rack empty" if seen.outcome.reason == "out" else "nobody can play"
    return f"game over after {seen.turn} turns, {how}: {winners} won"


def _seat(seen: View, seat: int) -> str:
    """One seat in a line: on turn or not, tiles, opened or not, what it did last; its score at the end."""
    mark = ">" if seen.outcome is None and seat == seen.to_move else " "
    size = seen.rack_sizes[seat]
    opened = "opened" if seen.opened[seat] else "not opened"
    end = "" if seen.outcome is None else f", score {seen.outcome.scores[seat]:+d}"
    return f"{mark} player_{seat}: {_tiles(size)}, {opened}{_did(seen.last[seat])}{end}"


def _did(last: LastMove | None) -> str:
    if last is None:
        return ""
    return f", last {_DID[last.kind]}" + ("" if last.kind == "pass" else f" {last.tiles}")


def _tiles(count: int) -> str:
    return f"{count} tile" if count == 1 else f"{count} tiles"


def _sets(tiles: TileSet, table: Table, colour: bool, width: int) -> list[str]:
    if not table:
        return ["  (the table is empty)"]
    return _wrap([[tiles.text(piece) for piece in laid] for laid in table], colour, width)


def _sorted(tiles: TileSet, counts: Counts, colour: bool, width: int) -> list[str]:
    """Tiles as on a rack: a block for each colour, the jokers last."""
    blocks: dict[str, list[str]] = {}
    for kind in tiles.listed(counts):
        text = tiles.text(kind)
        blocks.setdefault(text[0], []).append(text)
    return _wrap(list(blocks.values()), colour, width)


def _wrap(blocks: list[list[str]], colour: bool, width: int) -> list[str]:
    """Blocks of tiles side by side, as many in a line as fit; colour codes take no room."""
    lines, free = [""], width
    for block in blocks:
        room = len(_GAP) + len(" ".join(block))
        if room > free and lines[-1]:
            lines.append("")
            free = width
        lines[-1] += _GAP + " ".join(_paint(text, colour) for text in block)
        free -= room
    return lines


def _paint(text: str, colour: bool) -> str:
    return f"{_COLOURS[text[0]]}{text}{_RESET}" if colour else text
