"""Sets: runs and groups, what their jokers stand for, their value, their text, why tiles are no set.

A set is a tuple of pieces (`tiles`). In a *resolved* set nothing about its kind is open: a run is
ascending and each joker in it is declared (``R3 J=R4 R5``); a group is in colour order, followed by the
jokers that leave their colour open (``R7 B7 J``). The order in which tiles were laid means nothing
unless a caller says so: R11 R12 J is a run of 10-12 or of 11-13.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rummikub_env.reasons import Reason, Refusal
from rummikub_env.rules import RuleSet
from rummikub_env.tiles import TileSet

Set = tuple[int, ...]
"""The pieces of a set."""
Table = tuple[Set, ...]
"""The sets on the table."""

MIN_SIZE = 3
"""The fewest tiles of a set."""


@lru_cache(maxsize=1 << 16)
def readings(rules: RuleSet, pieces: Set) -> tuple[Set, ...]:
    """All resolved sets that `pieces` can be, the most valuable first, a group before a run; () if none.

    The pieces may lie in any order; a declared joker (J=R7, J=7) keeps its declaration.
    """
    tiles = rules.tiles
    if len(pieces) < MIN_SIZE:
        return ()
    found = _groups(tiles, pieces) + _runs(tiles, pieces)
    return tuple(sorted(found, key=lambda resolved: -value(rules, resolved)))


def _groups(tiles: TileSet, pieces: Set) -> list[Set]:
    """A group: tiles of one value, no colour twice; jokers take the colours still missing."""
    fixed = _fixed(tiles, pieces)
    jokers = [piece for piece in pieces if tiles.stands_for(piece) is None]
    values = {tiles.value(kind) for kind in fixed}
    values |= {value for piece in jokers if (value := tiles.joker_value(piece))}
    colours = {tiles.colour(kind) for kind in fixed}
    if len(pieces) > len(tiles.colours) or len(values) > 1 or len(colours) + len(jokers) < len(pieces):
        return []
    if fixed:
        return [tuple(fixed[kind] for kind in sorted(fixed)) + (tiles.joker,) * len(jokers)]
    return [(2 * tiles.joker + value,) * len(jokers) for value in values or range(1, tiles.values + 1)]


def _runs(tiles: TileSet, pieces: Set) -> list[Set]:
    """A run: consecutive values of one colour, the 1 is the lowest; jokers fill the gaps and the ends."""
    fixed = _fixed(tiles, pieces)
    colours = {tiles.colour(kind) for kind in fixed} or set(range(len(tiles.colours)))
    if len(fixed) + pieces.count(tiles.joker) < len(pieces) or (fixed and len(colours) > 1):
        return []
    found = []
    for first in _first_kinds(tiles, colours, len(pieces)):
        window = range(first, first + len(pieces))
        if all(kind in window for kind in fixed):
            found.append(tuple(fixed.get(kind, tiles.joker_as(kind)) for kind in window))
    return found


def _fixed(tiles: TileSet, pieces: Set) -> dict[int, int]:
    """The pieces that are or stand for one tile, by its kind; one each if a kind occurs twice."""
    return {kind: piece for piece in pieces if (kind := tiles.stands_for(piece)) is not None}


def _first_kinds(tiles: TileSet, colours: Iterable[int], length: int) -> list[int]:
    """The kinds with which a run of `length` tiles can start."""
    starts = range(1, tiles.values - length + 2)
    return [tiles.kind(colour, start) for colour in sorted(colours) for start in starts]


def is_run(rules: RuleSet, resolved: Set) -> bool:
    """Whether the resolved set is a run; else it is a group."""
    tiles = rules.tiles
    first, second = tiles.stands_for(resolved[0]), tiles.stands_for(resolved[1])
    return first is not None and second == first + 1


@lru_cache(maxsize=1 << 16)
def value(rules: RuleSet, resolved: Set) -> int:
    """The sum of the values; a joker counts as the tile it stands for."""
    tiles = rules.tiles
    kinds = [tiles.stands_for(piece) for piece in resolved]
    known = [tiles.value(kind) for kind in kinds if kind is not None]
    group = known[0] if known else tiles.joker_value(resolved[0]) or 0
    return sum(known) + group * (len(resolved) - len(known))


@lru_cache(maxsize=1 << 16)
def identities(rules: RuleSet, resolved: Set) -> tuple[frozenset[int], ...]:
    """For each joker of the set, in order, the kinds that it may stand for.

    A declared joker stands for one tile; an open one of a group for each colour still missing.
    """
    tiles = rules.tiles
    fixed = [kind for piece in resolved if (kind := tiles.stands_for(piece)) is not None]
    group = tiles.value(fixed[0]) if fixed else tiles.joker_value(resolved[0]) or 0
    missing = frozenset(tiles.kind(colour, group) for colour in range(len(tiles.colours))) - set(fixed)
    return tuple(
        missing if (kind := tiles.stands_for(piece)) is None else frozenset((kind,))
        for piece in resolved
        if tiles.is_joker(piece)
    )


def resolved_first(rules: RuleSet, pieces: Set) -> tuple[Set, ...]:
    """The readings of a set, first the one that `pieces` already spell out if they are resolved."""
    options = readings(rules, pieces)
    return (pieces, *(option for option in options if option != pieces)) if pieces in options else options


def resolve_table(rules: RuleSet, table: Iterable[Set]) -> Table:
    """The table with each set that is not resolved in its most valuable reading.

    ValueError names the set that is none.
    """
    resolved = []
    for pieces in map(tuple, table):
        if broken := refusals(rules, pieces):
            raise ValueError(" ".join(map(str, broken)))
        resolved.append(resolved_first(rules, pieces)[0])
    return tuple(resolved)


# Why tiles are no set


def refusals(rules: RuleSet, pieces: Set, ordered: bool = False) -> tuple[Refusal, ...]:
    """Why `pieces` are no set; () if they are one. `ordered`: the order is that in which they lie."""
    options = readings(rules, pieces)
    if options and (not ordered or any(_lies_as(rules, pieces, option) for option in options)):
        return ()
    reason = Reason.E_JOKER_OUT_OF_RANGE if options else _reason(rules, pieces)
    return (Refusal(reason, rules.tiles.join(pieces)),)


def _lies_as(rules: RuleSet, pieces: Set, resolved: Set) -> bool:
    """Do the pieces, in the order given, lie as the run does? The order of a group means nothing."""
    physical = rules.tiles.physical
    return not is_run(rules, resolved) or [*map(physical, pieces)] == [*map(physical, resolved)]


def _reason(rules: RuleSet, pieces: Set) -> Reason:
    tiles = rules.tiles
    if len(pieces) < MIN_SIZE:
        return Reason.E_SET_TOO_SHORT
    if readings(rules, tuple(map(tiles.physical, pieces))):
        return Reason.E_JOKER_DECL_MISMATCH
    real = [piece for piece in pieces if not tiles.is_joker(piece)]
    if len({tiles.value(kind) for kind in real}) == 1:
        return Reason.E_GROUP_DUP_COLOUR if len(set(real)) < len(real) else Reason.E_GROUP_TOO_LARGE
    if len({tiles.colour(kind) for kind in real}) == 1:
        return _run_reason(tiles, [tiles.value(kind) for kind in real], len(pieces))
    return Reason.E_NOT_A_SET


def _run_reason(tiles: TileSet, values: list[int], length: int) -> Reason:
    """Why tiles of one colour and of these values, with jokers up to `length`, are no run."""
    if len(set(values)) < len(values):
        return Reason.E_RUN_DUPLICATE
    if length > tiles.values:
        return Reason.E_RUN_TOO_LONG
    return Reason.E_RUN_WRAP if _wraps(tiles, values, length) else Reason.E_RUN_GAP


def _wraps(tiles: TileSet, values: list[int], length: int) -> bool:
    """Whether the values would be consecutive if the 1 followed the highest."""
    for low in sorted(values):
        lifted = [value if value > low else value + tiles.values for value in values]
        if max(lifted) - min(lifted) < length:
            return True
    return False


# Text


def parse_set(tiles: TileSet, text: str) -> Set:
    """The pieces named in ``R3 J=R4 R5``, in the order given; ValueError for what is no tile."""
    return tiles.parse_all(text)


def set_text(tiles: TileSet, pieces: Sequence[int]) -> str:
    """``R3 J=R4 R5``."""
    return tiles.join(tuple(pieces))


def parse_table(tiles: TileSet, text: str) -> Table:
    """The sets of ``R3 R4 R5 | K7 B7 J`` as written (not resolved, not checked); blank: no set."""
    return tuple(parse_set(tiles, part) for part in text.split("|")) if text.strip() else ()


def table_text(tiles: TileSet, table: Iterable[Sequence[int]]) -> str:
    """``R3 R4 R5 | K7 B7 J``; `parse_table` is its inverse."""
    return " | ".join(set_text(tiles, pieces) for pieces in table)
