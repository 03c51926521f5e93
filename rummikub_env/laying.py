"""From a path of the sweep to sets: which tile lies where, and what each joker stands for."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.kernels import laid
from rummikub_env.kernels.traced import TURNS, WILD_SHIFT, settle_trace
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table
from rummikub_env.terms import terms_of
from rummikub_env.wrapping import fitting, place_of, value_at, wrapped_runs


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


class Steps(NamedTuple):
    """How a path through a sweep lays the tiles."""

    rows: NDArray[np.int64]
    """(values, 5): see `traced.sweep`."""
    freed_left: NDArray[np.int64]
    """(values,): how many freed jokers are not yet laid before each value."""


def lay_plain(
    rules: RuleSet, codes: NDArray[np.int64], real: NDArray[np.int64], locked: NDArray[np.int64], before: Table
) -> Table:
    """The resolved sets of a path through a plain sweep in which exactly the tiles `real` and jokers `locked` are laid.

    Both are (4, values), and are used up; a locked joker is counted as the tile that it is.
    Runs are cut where old runs of `before` come out as they lay. Groups come before runs, both from low to high.
    """
    if rules.run_wrap != "none":
        return _lay_wrapped(rules, codes, real, locked, before)
    rows, lengths, _, n_groups = laid.lay_plainly(
        len(rules.colours), codes, locked, real, rules.tiles.joker, _told(rules), terms_of(rules).tables[6], False,
        np.zeros(rules.max_value, np.int64),
    )  # fmt: skip
    sets = [tuple(row[:length]) for row, length in zip(rows.tolist(), lengths.tolist(), strict=True)]
    return (*sets[:n_groups], *sorted(_as_runs(rules, sets[n_groups:], before)))


def _lay_wrapped(
    rules: RuleSet, codes: NDArray[np.int64], real: NDArray[np.int64], locked: NDArray[np.int64], before: Table
) -> Table:
    """The sets of a path through a plain sweep where runs wrap; groups come before runs."""
    in_groups = (codes >> 39 & 0xFFF) << 6 | codes >> 51 & 7
    groups = _lay_groups(rules, in_groups, np.zeros(rules.max_value, np.int64), locked, real)
    runs: list[Set] = []
    for colour in range(len(rules.colours)):
        wild, pieces = (codes >> 27 + 3 * colour & 7).tolist(), []
        for value in range(rules.max_value):
            kind = rules.tiles.kind(colour, value + 1)
            joker = rules.tiles.joker_as(kind)
            pieces.append([joker] * locked[colour, value] + [kind] * real[colour, value] + [joker] * wild[value])
        runs += _as_runs(rules, wrapped_runs(rules, pieces), before)
    return (*groups, *sorted(runs))


def lay_traced(
    rules: RuleSet,
    steps: Steps,
    real: NDArray[np.int64],
    locked: NDArray[np.int64],
    old: tuple[NDArray[np.int64], NDArray[np.int64]],
    before: Table,
) -> Table:
    """`lay_plain` for a path through a traced sweep. Runs are cut where else a freed joker's set held an old run."""
    groups = _lay_groups(rules, steps.rows[:, 4] >> 8, old[1], locked, real)
    runs: list[Set] = []
    for colour in range(len(rules.colours)):
        for run in _traced_runs(rules, colour, steps, locked[colour].tolist(), real[colour].tolist(), old[0]):
            parts = _cut(rules, run, old[0])
            runs += _as_runs(rules, [tuple(p.piece for p in part) for part in parts], before)
    return (*groups, *sorted(runs))


def _told(rules: RuleSet) -> int:
    """Beside fewer real tiles than this the jokers of a group say their value (`sets`)."""
    return 2 if rules.joker_declaration == "required" else 1


def _lay_groups(
    rules: RuleSet,
    codes: NDArray[np.int64],
    old_groups: NDArray[np.int64],
    locked: NDArray[np.int64],
    real: NDArray[np.int64],
) -> list[Set]:
    """The groups of a path through a traced sweep, taken off what there is to lay."""
    room = int(locked.sum() + real.sum()) + 8
    rows, lengths = np.empty((room, 5), np.int64), np.empty(room, np.int64)
    n = 0
    for value, code in enumerate(codes.tolist()):
        left = np.array([code >> 6 + 3 * colour & 7 for colour in range(4)], np.int64)
        n = laid.lay_groups(
            len(rules.colours), value, code & 7, code >> 3 & 7, left, int(old_groups[value]), locked, real,
            rules.tiles.joker, _told(rules), terms_of(rules).tables[6], rows, lengths, n,
        )  # fmt: skip
    return [tuple(row[:length]) for row, length in zip(rows[:n].tolist(), lengths.tolist(), strict=False)]


def _traced_runs(
    rules: RuleSet, colour: int, steps: Steps, locked: list[int], real: list[int], old_ends: NDArray[np.int64]
) -> list[Run]:
    """The runs of one colour, some of which may hold freed jokers."""
    open_runs = _Open()
    runs: list[Run] = []
    choices = steps.rows[:, colour].tolist()
    for place in range(rules.max_value):
        value = value_at(rules, place)
        kind, choice = colour * rules.max_value + value, choices[value]
        joker = rules.tiles.joker_as(kind)
        pieces, at = [joker] * locked[value] + [kind] * real[value], (old_ends, colour, place)
        if not pieces and not choice and open_runs == _Open():
            continue
        open_runs, ended = _lengthen(open_runs, choice, pieces, joker, int(steps.freed_left[value]), at)
        runs += ended
    return [*runs, *open_runs.long, *(traced.run for traced in open_runs.traced)]


def _as_runs(rules: RuleSet, runs: Iterable[Set], before: Table) -> list[Set]:
    """The runs as they may lie: cut where old runs come out as they lay, and where they are too long."""
    known = frozenset(before)
    return [whole for run in runs for part in _recut(run, known) for whole in fitting(rules, part)]


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


def _lengthen(
    runs: _Open,
    choice: int,
    tiles: list[int],
    joker: int,
    n_freed: int,
    at: tuple[NDArray[np.int64], int, int],
) -> tuple[_Open, Sequence[Run]]:
    """The open runs of one colour after a value, and those that ended before it.

    `choice`: the code of `traced._colour_options`, which does the same with numbers; `tiles`: what the groups
    left for the runs.
    """
    freed, wild = _Piece(joker, freed=True), _Piece(joker, wild=True)
    by_freed, one_freed, two_freed, two_tile, by_tile, by_wild, _ = TURNS[choice >> 8 & 0x1FF].tolist()
    longer, n_wild = choice >> 17 & 7, choice >> WILD_SHIFT & 7
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
        if settle_trace(*at, t.has_freed, t.length, t.ending, more) == 0:
            still.append(t)
        else:
            (one, two, long)[min(t.length, 3) - 1].append(t.run)
    still.sort(key=lambda t: t[:3], reverse=True)
    return _Open(tuple(one), tuple(two), tuple(long), tuple(still)), [*ended, *runs.long[longer:]]


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
    colour, first = tiles.colour(kind), place_of(rules, tiles.value(kind) - 1)
    loose = [-1, *(i for i, piece in enumerate(run) if piece.freed or piece.wild), len(run)]
    return len(run) <= 5 and all(old_ends[colour, first + a + 1] > first + b - 1 for a, b in pairwise(loose))
