"""Sets: runs and groups, what their jokers stand for, their value, their text, why tiles are no set.

A set is a tuple of pieces (`tiles`). In a *resolved* set nothing about its kind is open: a run is
ascending and each joker in it is declared (``R3 J=R4 R5``); a group is in colour order, followed by the
jokers that leave their colour open (``R7 B7 J``; ``J=7`` where only the jokers tell that it is a group:
beside no other tile, and where jokers must be declared beside one). The order in which tiles were laid means nothing
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


@lru_cache(maxsize=1 << 16)
def readings(rules: RuleSet, pieces: Set) -> tuple[Set, ...]:
    """All resolved sets that `pieces` can be, the most valuable first, a group before a run; () if none.

    The pieces may lie in any order; a declared joker (J=R7, J=7) keeps its declaration.
    """
    if len(pieces) < rules.min_set_size or too_many_jokers(rules, pieces):
        return ()
    found = _groups(rules, pieces) + _runs(rules, pieces)
    return tuple(sorted(found, key=lambda resolved: -value(rules, resolved)))


def too_many_jokers(rules: RuleSet, pieces: Set) -> bool:
    """Are there more jokers than a set may hold?"""
    most = rules.max_jokers_per_set
    return most is not None and sum(map(rules.tiles.is_joker, pieces)) > most


def _groups(rules: RuleSet, pieces: Set) -> list[Set]:
    """A group: tiles of one value, no colour twice unless that is allowed; jokers take the colours that may follow."""
    tiles = rules.tiles
    fixed = sorted((kind, piece) for piece in pieces if (kind := tiles.stands_for(piece)) is not None)
    jokers = [piece for piece in pieces if tiles.stands_for(piece) is None]
    values = {tiles.value(kind) for kind, _ in fixed}
    values |= {value for piece in jokers if (value := tiles.joker_value(piece))}
    if len(values) > 1 or not _is_group_size(rules, len(pieces), [kind for kind, _ in fixed]):
        return []
    if len(fixed) > 1 or (fixed and rules.joker_declaration == "auto"):
        return [tuple(piece for _, piece in fixed) + (tiles.joker,) * len(jokers)]
    known = tuple(piece for _, piece in fixed)  # jokers that lie beside one tile or none say what they are
    return [known + (2 * tiles.joker + value,) * len(jokers) for value in values or range(1, tiles.values + 1)]


def _is_group_size(rules: RuleSet, size: int, kinds: list[int]) -> bool:
    """May a group that holds these kinds of one value have `size` tiles?"""
    if not rules.group_colours_distinct:
        return size <= rules.max_group_size
    return size <= min(rules.max_group_size, len(rules.colours)) and len(set(kinds)) == len(kinds)


def _runs(rules: RuleSet, pieces: Set) -> list[Set]:
    """A run: consecutive values of one colour, none of them twice; jokers fill the gaps and the ends."""
    tiles = rules.tiles
    fixed = {kind: piece for piece in pieces if (kind := tiles.stands_for(piece)) is not None}
    if len(fixed) + pieces.count(tiles.joker) < len(pieces) or len({tiles.colour(kind) for kind in fixed}) > 1:
        return []
    found: dict[frozenset[int], Set] = {}
    for window in windows(rules, len(pieces)):
        if fixed.keys() <= set(window):
            run = tuple(fixed.get(kind, tiles.joker_as(kind)) for kind in window)
            found.setdefault(frozenset(window), run)  # a run of all values is the same wherever it begins
    return [*found.values()]


@lru_cache(maxsize=1 << 12)
def windows(rules: RuleSet, length: int) -> tuple[Set, ...]:
    """The kinds of all runs of `length` tiles, each in ascending order."""
    tiles = rules.tiles
    if not rules.min_set_size <= length <= min(rules.max_run_length, tiles.values):
        return ()
    order = _order(rules)
    places = [order[start : start + length] for start in range(len(order) - length + 1)]
    return tuple(
        tuple(tiles.kind(colour, value) for value in values)
        for colour in range(len(tiles.colours))
        for values in places
        if len(set(values)) == length
    )


def _order(rules: RuleSet) -> tuple[int, ...]:
    """The values as they follow each other in runs; what may follow the highest stands behind it again."""
    values = tuple(range(1, rules.max_value + 1))
    if rules.run_wrap == "ace_high":
        return (*values[1:], 1)
    return {"none": values, "ace_both": (*values, 1), "circular": values + values[:-1]}[rules.run_wrap]


def is_run(rules: RuleSet, resolved: Set) -> bool:
    """Whether the resolved set is a run; else it is a group."""
    tiles = rules.tiles
    first, second = tiles.stands_for(resolved[0]), tiles.stands_for(resolved[1])
    return first is not None and second is not None and tiles.value(first) != tiles.value(second)


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

    A declared joker stands for one tile; an open one of a group for each colour that it may be there.
    """
    tiles = rules.tiles
    fixed = [kind for piece in resolved if (kind := tiles.stands_for(piece)) is not None]
    group = tiles.value(fixed[0]) if fixed else tiles.joker_value(resolved[0]) or 0
    missing = frozenset(tiles.kind(colour, group) for colour in range(len(tiles.colours)))
    if rules.group_colours_distinct:
        missing -= set(fixed)
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
        if not readings(rules, pieces):
            raise ValueError(" ".join(map(str, refusals(rules, pieces))))
        resolved.append(resolved_first(rules, pieces)[0])
    return tuple(resolved)


# Why tiles are no set


def refusals(rules: RuleSet, pieces: Set, ordered: bool = False) -> tuple[Refusal, ...]:
    """Why `pieces` are no set; () if they are one. `ordered`: the order is that in which they lie."""
    if readings(rules, pieces) and not (ordered and _is_out_of_order(rules, pieces)):
        ambiguous = Refusal(Reason.E_JOKER_DECL_REQUIRED, rules.tiles.join(pieces))
        return (ambiguous,) if is_ambiguous(rules, pieces) else ()
    return (Refusal(_reason(rules, pieces), rules.tiles.join(pieces)),)


def is_ambiguous(rules: RuleSet, pieces: Set) -> bool:
    """Must the jokers of the set be declared, as it could mean several things?"""
    return rules.joker_declaration == "required" and len(readings(rules, pieces)) > 1


def _is_out_of_order(rules: RuleSet, pieces: Set) -> bool:
    """Do the pieces, in the order given, not lie as a run lies? The order of a group means nothing."""
    tiles = rules.tiles
    if not all(is_run(rules, option) for option in readings(rules, pieces)):
        return False
    return not any(
        all(piece == tiles.joker or tiles.stands_for(piece) == kind for piece, kind in zip(pieces, window, strict=True))
        for window in windows(rules, len(pieces))
    )


def _reason(rules: RuleSet, pieces: Set) -> Reason:
    tiles = rules.tiles
    if readings(rules, pieces):
        return Reason.E_JOKER_OUT_OF_RANGE
    if len(pieces) < rules.min_set_size:
        return Reason.E_SET_TOO_SHORT
    if too_many_jokers(rules, pieces):
        return Reason.E_TOO_MANY_JOKERS
    if readings(rules, tuple(map(tiles.physical, pieces))):
        return Reason.E_JOKER_DECL_MISMATCH
    real = [piece for piece in pieces if not tiles.is_joker(piece)]
    if len({tiles.value(kind) for kind in real}) == 1:
        doubled = rules.group_colours_distinct and len(set(real)) < len(real)
        return Reason.E_GROUP_DUP_COLOUR if doubled else Reason.E_GROUP_TOO_LARGE
    if len({tiles.colour(kind) for kind in real}) == 1:
        return _run_reason(rules, [tiles.value(kind) for kind in real], len(pieces))
    return Reason.E_NOT_A_SET


def _run_reason(rules: RuleSet, values: list[int], length: int) -> Reason:
    """Why tiles of one colour and of these values, with jokers up to `length`, are no run."""
    if len(set(values)) < len(values):
        return Reason.E_RUN_DUPLICATE
    if length > min(rules.max_run_length, rules.max_value):
        return Reason.E_RUN_TOO_LONG
    return Reason.E_RUN_WRAP if _wraps(rules.tiles, values, length) else Reason.E_RUN_GAP


def _wraps(tiles: TileSet, values: list[int], length: int) -> bool:
    """Whether the values would be consecutive if the 1 followed the highest and the run went on."""
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
