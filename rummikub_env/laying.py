"""From a path of the sweep to sets: which tile lies where, and what each joker stands for."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env import kernels
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table


class _Piece(NamedTuple):
    """A piece of a run: a tile, a locked joker, a `wild` one, or a `freed` one that must lie in a new set."""

    piece: int
    freed: bool = False
    wild: bool = False


Run = tuple[_Piece, ...]


class _Traced(NamedTuple):
    """A run that the sweep traces: as `kernels` counts it, and its pieces."""

    has_freed: int
    length: int
    ending: int
    run: Run


class _Open(NamedTuple):
    """The runs of one colour that are not yet ended, by length, and the traced ones."""

    one: tuple[Run, ...] = ()
    two: tuple[Run, ...] = ()
    long: tuple[Run, ...] = ()
    traced: tuple[_Traced, ...] = ()


_NO_RUNS = _Open()


def lay(
    rules: RuleSet,
    graph: Any,
    path: NDArray[np.int64],
    need: NDArray[np.int64],
    kept: Sequence[frozenset[int]],
    freed: int,
    old: tuple[NDArray[np.int64], NDArray[np.int64]],
    before: Table,
) -> Table:
    """The resolved sets of a path through a sweep with `trace`, in which exactly `need` and `kept` are laid.

    need: (kinds - 1,) tiles and forced tiles; kept: the locked jokers, each by the kinds it may stand for;
    freed: how many jokers are freed.
    Runs are cut where old runs of `before` come out as they lay. Groups come before runs, both from low to high.
    """
    tiles = rules.tiles
    colours = len(tiles.colours)
    open_runs = [_NO_RUNS] * colours
    runs: list[Run] = []
    groups: list[Set] = []
    n_tiles = need.tolist()
    freed_left = freed - kernels.freed_used(graph[0][graph[2][path]])
    for value, (*choices, in_groups) in enumerate(graph[6][path].tolist()):
        locked = _locked(rules, kept, value, in_groups & 0xFF)
        supply = []
        for colour in range(colours):
            kind = colour * tiles.values + value
            supply.append([tiles.joker_as(kind)] * locked.count(kind) + [kind] * n_tiles[kind])
        if in_groups >> 8:
            groups += _groups(rules, value, in_groups >> 8, supply, int(old[1][value]))
        for colour in range(colours):
            if open_runs[colour] is _NO_RUNS and not supply[colour] and not choices[colour]:
                continue
            joker = tiles.joker_as(colour * tiles.values + value)
            open_runs[colour], ended = _lengthen(
                open_runs[colour],
                choices[colour],
                supply[colour],
                joker,
                int(freed_left[value]),
                (old[0], colour, value),
            )
            runs += ended
    for last in open_runs:
        runs += last.long + tuple(traced.run for traced in last.traced)
    cut = [part for run in runs for part in _cut(rules, run, old[0])]
    known = frozenset(before)
    laid = [part for run in cut for part in _recut(tuple(p.piece for p in run), known)]
    return tuple(groups) + tuple(sorted(laid))


def _recut(run: Set, known: frozenset[Set]) -> tuple[Set, ...]:
    """The run, or the parts into which it can be cut so that known sets come out."""
    if run in known:
        return (run,)
    for start in range(len(run) - 2):
        for end in range(len(run), start + 2, -1):
            if run[start:end] in known and start not in (1, 2) and len(run) - end not in (1, 2):
                rest = _recut(run[end:], known) if end < len(run) else ()
                return (*((run[:start],) if start else ()), run[start:end], *rest)
    return (run,)


def _locked(rules: RuleSet, kept: Sequence[frozenset[int]], value: int, way: int) -> list[int]:
    """The kinds that the kept jokers of a value are, in the way that the path chose."""
    locked: list[int] = []
    for kinds in kept:
        first = min(kinds)
        if first % rules.max_value != value:
            continue
        if len(kinds) == 1:
            locked.append(first)
        else:
            locked.append(way % 4 * rules.max_value + value)
            way //= 4
    return locked


def _groups(rules: RuleSet, value: int, code: int, supply: list[list[int]], old: int) -> list[Set]:
    """The groups of a value; takes their tiles from `supply`, real ones before jokers."""
    tiles = rules.tiles
    wild, freed = code & 7, code >> 3 & 7
    left = [code >> 6 + 3 * colour & 7 for colour in range(4)]
    table = kernels.tables(len(tiles.colours), rules.copies_per_tile, rules.joker_count)[4]
    groups = []
    while wild + freed + sum(left):
        roles = kernels.next_group(table, len(tiles.colours), freed, wild, old, *left)
        pieces = []
        for colour in range(4):
            role = roles >> 2 * colour & 3
            if role == 1:
                left[colour] -= 1
                pieces.append(min(supply[colour].pop(), tiles.joker))
            elif role:
                wild, freed = wild - (role == 2), freed - (role == 3)
                pieces.append(tiles.joker)
        alone = all(piece == tiles.joker for piece in pieces)
        groups.append((2 * tiles.joker + value + 1,) * len(pieces) if alone else tuple(sorted(pieces)))
    return groups


def _lengthen(
    runs: _Open,
    choice: int,
    tiles: list[int],
    joker: int,
    n_freed: int,
    at: tuple[NDArray[np.int64], int, int],
) -> tuple[_Open, Sequence[Run]]:
    """The open runs of one colour after a value, and those that ended before it.

    `choice`: the code of `kernels._colour_options`, which does the same with numbers; `tiles`: what the groups
    left for the runs.
    """
    if choice & 0x1FFFF == 0 and not runs.traced:
        return _lengthen_plain(runs, choice, [_Piece(piece) for piece in tiles], joker)
    freed, wild = _Piece(joker, freed=True), _Piece(joker, wild=True)
    by_freed, one_freed, two_freed, two_tile, by_tile, by_wild, _ = kernels.TURNS[choice >> 8 & 0x1FF].tolist()
    longer, n_wild = choice >> 17 & 7, choice >> 20 & 7
    tile = iter([_Piece(piece) for piece in tiles] + [wild] * n_wild)
    acts = [choice >> 2 * i & 3 for i in range(len(runs.traced))]
    ended = [t.run for t, act in zip(runs.traced, acts, strict=True) if act == 0]
    followed = [_follow(t, act, tile, joker) for t, act in zip(runs.traced, acts, strict=True) if act]
    traced = [*followed, *[_Traced(1, 1, 0, (freed,))] * by_freed, *[_Traced(0, 1, 0, (wild,))] * by_wild]
    traced += [_Traced(0, 1, 1, (next(tile),)) for _ in range(by_tile)]
    traced += [_Traced(1, 2, 0, (*run, freed)) for run in runs.one[:one_freed]]
    traced += [_Traced(1, 3, 0, (*run, freed)) for run in runs.two[:two_freed]]
    two_done = two_freed + two_tile
    traced += [_Traced(0, 3, 3, (*run, next(tile))) for run in runs.two[two_freed:two_done]]
    two = [(*run, next(tile)) for run in runs.one[one_freed:]]
    long = [(*run, next(tile)) for run in (*runs.two[two_done:], *runs.long[:longer])]
    one: list[Run] = [(piece,) for piece in tile]
    still: list[_Traced] = []
    for i, t in enumerate(traced):
        more = n_freed - acts.count(2) - (0 if i < len(followed) else by_freed + one_freed + two_freed)
        if kernels.settle_trace(*at, t.has_freed, t.length, t.ending, more) == 0:
            still.append(t)
        else:
            (one, two, long)[min(t.length, 3) - 1].append(t.run)
    still.sort(key=lambda t: t[:3], reverse=True)
    return _Open(tuple(one), tuple(two), tuple(long), tuple(still)), [*ended, *runs.long[longer:]]


def _lengthen_plain(runs: _Open, choice: int, tiles: list[_Piece], joker: int) -> tuple[_Open, Sequence[Run]]:
    """`_lengthen` where no run is traced and no freed joker is laid."""
    longer, n_wild = choice >> 17 & 7, choice >> 20 & 7
    tile = iter(tiles + [_Piece(joker, wild=True)] * n_wild if n_wild else tiles)
    two = tuple([(*run, next(tile)) for run in runs.one])
    long = tuple([(*run, next(tile)) for run in (*runs.two, *runs.long[:longer])])
    one = tuple([(piece,) for piece in tile])
    return _Open(one, two, long) if one or two or long else _NO_RUNS, runs.long[longer:]


def _follow(traced: _Traced, act: int, tile: Iterator[_Piece], joker: int) -> _Traced:
    """A traced run after it took (1) a tile, (2) a freed or (3) a wild joker."""
    piece = next(tile) if act == 1 else _Piece(joker, freed=act == 2, wild=act == 3)
    ending = traced.ending + 1 if act == 1 else 0
    return _Traced(max(traced.has_freed, int(act == 2)), traced.length + 1, ending, (*traced.run, piece))


def _cut(rules: RuleSet, run: Run, old_ends: NDArray[np.int64]) -> tuple[Run, ...]:
    """A run as it may lie: cut where a freed joker's set would hold a whole old run."""
    if not any(piece.freed for piece in run):
        return (run,)
    for length in range(len(run), 2, -1):
        part, rest = run[:length], run[length:]
        if _may_lie(rules, part, old_ends):
            if not rest:
                return (part,)
            cut = _cut(rules, rest, old_ends) if len(rest) >= 3 else ()
            if cut:
                return (part, *cut)
    return ()


def _may_lie(rules: RuleSet, run: Run, old_ends: NDArray[np.int64]) -> bool:
    """Is it no run with a freed joker, or one of at most five that holds no old run?"""
    if not any(piece.freed for piece in run):
        return True
    tiles = rules.tiles
    kind = tiles.stands_for(run[0].piece)
    assert kind is not None
    colour, first = tiles.colour(kind), tiles.value(kind) - 1
    loose = [-1, *(i for i, piece in enumerate(run) if piece.freed or piece.wild), len(run)]
    return len(run) <= 5 and all(old_ends[colour, first + a + 1] > first + b - 1 for a, b in pairwise(loose))
