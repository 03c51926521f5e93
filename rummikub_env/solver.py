"""Exact answers about one turn: what can be played, what is best, all plays, and how the table then lies.

The questions are put to the sweep of `kernels` as *cases*: one for each fate that the jokers on the table can
have together. A joker is kept as one of the tiles it may stand for, or it is freed by a real tile of its
identity, from the table or played from the rack; then it must be laid in a new set. Where jokers move freely
there is one case, in which all of them are wild.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env import kernels
from rummikub_env.laying import lay
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, identities, is_run
from rummikub_env.tiles import Counts, TileSet

Grid = NDArray[np.int64]
"""(4, values) int64: a number for each tile; rows beyond the colours of the game are 0."""


class Playable(NamedTuple):
    """What a player may do with the next tile of a turn."""

    mask: NDArray[np.bool_]
    """(kinds,) bool: some legal play holds all tiles spelled so far and one more of this kind."""
    complete: bool
    """Are the tiles spelled so far a legal play?"""


class Plays(NamedTuple):
    """The different multisets of tiles that a player can legally play."""

    counts: NDArray[np.uint8]
    """(n, kinds) uint8, one play a row, in ascending order."""
    complete: bool
    """Are these all? False where the limit cut the list."""


@dataclass(frozen=True)
class Board:
    """What the sweep needs to know of a table, before anything is played."""

    counts: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind."""
    supply: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind that can free a joker."""
    in_groups: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind that lie in groups."""
    jokers: tuple[frozenset[int], ...]
    """For each joker the kinds it may stand for."""
    replacements: tuple[int, ...]
    """For each joker how many different tiles free it."""
    old_ends: Grid
    """(4, values + 5): the first end of the old runs of 3 or 4 tiles that start here or later, else 99."""
    old_groups: NDArray[np.int64]
    """(values,): bit c is set where all colours but c formed a group of three."""


class Case(NamedTuple):
    """One fate of all jokers on the table."""

    kept: tuple[frozenset[int], ...]
    """The jokers that stay locked, by the kinds each may stand for."""
    freed: int
    """How many jokers must be laid in a new set."""
    forced: tuple[int, ...]
    """The rack tiles that must be played to free them, ascending."""


def playable(
    rules: RuleSet,
    table: Table,
    rack: Counts,
    opened: bool,
    spelled: Counts | None = None,
    within: NDArray[np.bool_] | None = None,
) -> Playable:
    """The exact mask for the next tile of a turn that has spelled `spelled` (part of `rack`) so far.

    `table` is the resolved table before the turn. `within`: the mask of an earlier step of the turn, if known;
    what could not be played then cannot be played now. ValueError where the rules are not supported.
    """
    begun = spelled is not None and bool(spelled.any())
    spelled = np.zeros_like(rack) if spelled is None else spelled
    left = rack - spelled if within is None else (rack - spelled) * within
    wanted = left > 0
    mask = np.zeros(rack.shape[0], np.bool_)
    complete = False
    for case, question in _questions(rules, table, left, opened, spelled):
        beyond = _laid_beyond(question, _mask_grid(rules, wanted & ~mask))
        if beyond.possible:
            mask |= _mask_kinds(rules, beyond.mask)
            mask[list(case.forced)] = True
            if begun and not complete and not case.forced:
                complete = _is_complete(question) if beyond.bare is None else beyond.bare
        if complete >= begun and np.array_equal(mask, wanted):
            break
    return Playable(mask, complete)


def can_play(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> bool:
    """Does the player have any legal play?"""
    return bool(playable(rules, table, rack, opened).mask.any())


def best_play(rules: RuleSet, table: Table, rack: Counts, opened: bool, weights: NDArray[np.int64]) -> Counts | None:
    """The legal play of most weight, (kinds,) uint8; None if there is no legal play.

    weights: (kinds,) int64, positive, for each tile played. Of equal plays a fixed one.
    """
    grid = np.zeros((4, rules.max_value + 1), np.int64)
    grid[:, :-1] = _grid(rules, weights[:-1])
    grid[0, -1] = weights[-1]
    best, most = None, 0
    for case, question in _questions(rules, table, rack, opened, np.zeros_like(rack)):
        codes = _best(question, weights=grid).codes
        if codes[0] >= 0:
            play = _played(rules, codes, case, question.wild_min)
            weight = int(play @ weights)
            if weight > most:
                best, most = play, weight
    return best


def plays(rules: RuleSet, table: Table, rack: Counts, opened: bool, limit: int = 10_000) -> Plays:
    """All different legal plays, at most `limit`."""
    found: set[bytes] = set()
    complete = True
    for case, question in _questions(rules, table, rack, opened, np.zeros_like(rack)):
        graph = _sweep(question, follow_all=True)
        rows, all_rows = kernels.distinct_plays(graph, question.wild_min, limit)
        complete &= all_rows
        n_real = rules.tiles.joker
        counts = np.concatenate([rows[:, :n_real], rows[:, -1:]], axis=1)
        counts += rules.tiles.count(case.forced)
        found.update(row.tobytes() for row in counts if row.any())
    ordered = sorted(found)[:limit]
    counts = np.frombuffer(b"".join(ordered), np.uint8).reshape(-1, rack.shape[0])
    return Plays(counts, complete and len(found) <= limit)


def arrange(rules: RuleSet, table: Table, played: Counts, opened: bool) -> Table | None:
    """The resolved table after `played` is laid; None if that is not a legal play.

    If no or one old set need be changed, no other is. Else as few tiles as can be move between groups and runs.
    Old sets that lie as they lay keep their places, the others follow. The same question always has the same
    answer.
    """
    if not played.any():
        return None
    if not opened:
        sets = _lay(rules, (), (), played, opened)
        return None if sets is None else table + sets
    broken = _few_broken(rules, table, played)
    sets = _lay(rules, table if broken is None else tuple(table[i] for i in broken), table, played, opened)
    if sets is None:
        return None
    laid = list(sets) if broken is None else [*(s for i, s in enumerate(table) if i not in broken), *sets]
    stay = [s for s in table if _take(laid, s)]
    return (*stay, *laid)


def _take(laid: list[Set], old: Set) -> bool:
    """Does the old set lie as it lay? Then it is taken out of `laid`."""
    if old in laid:
        laid.remove(old)
        return True
    return False


def playable_counts(rules: RuleSet, table: Counts, rack: Counts) -> tuple[NDArray[np.bool_], bool]:
    """For freely movable jokers, where only the tiles of the table matter and not how they lie.

    `table` need not be complete: it may hold tiles laid earlier in the turn. Returns the mask, (kinds,) bool,
    and whether rack tiles can complete the table. ValueError unless ``joker_release`` is ``free``.
    """
    if rules.joker_release != "free":
        raise ValueError("playable_counts needs joker_release=free: else it matters how the table lies")
    wild_min, wild_more = int(table[-1]), int(rack[-1])
    question = _question(
        rules, table[:-1], rack[:-1], Case((), 0, ()), wild_min, wild_more, _nothing_old(rules), opened=True
    )
    beyond = _laid_beyond(question, _mask_grid(rules, rack > 0))
    return _mask_kinds(rules, beyond.mask), beyond.possible


# Cases


@lru_cache(maxsize=4096)
def board(rules: RuleSet, table: Table) -> Board:
    """What the sweep needs to know of a resolved table."""
    tiles = rules.tiles
    counts, in_groups = np.zeros(tiles.joker, np.int64), np.zeros(tiles.joker, np.int64)
    jokers: list[frozenset[int]] = []
    replacements: list[int] = []
    old_ends, old_groups = _nothing_old(rules)
    for pieces in table:
        group = not is_run(rules, pieces)
        for piece in pieces:
            if piece < tiles.joker:
                counts[piece] += 1
                in_groups[piece] += group
        known = identities(rules, pieces)
        jokers += known
        both = rules.joker_group3_release == "both_missing" and len(pieces) == 3 and group
        replacements += [min(2, len(kinds)) if both else 1 for kinds in known]
        if rules.joker_reuse == "new_set":
            for kinds in _meanings(pieces, known, tiles.joker):
                _note_old_set(rules, kinds, old_ends, old_groups)
    return Board(counts, counts, in_groups, tuple(jokers), tuple(replacements), old_ends, old_groups)


def _nothing_old(rules: RuleSet) -> tuple[Grid, NDArray[np.int64]]:
    return np.full((4, rules.max_value + 5), 99), np.zeros(rules.max_value, np.int64)


def _meanings(pieces: Sequence[int], jokers: Sequence[frozenset[int]], joker: int) -> Iterator[frozenset[int]]:
    """The tiles that a set holds or stands for; several meanings where jokers leave it open."""
    fixed = frozenset(piece for piece in pieces if piece < joker)
    fixed |= frozenset(kind for kinds in jokers if len(kinds) == 1 for kind in kinds)
    open_kinds = sorted({kind for kinds in jokers if len(kinds) > 1 for kind in kinds})
    for chosen in combinations(open_kinds, len(pieces) - len(fixed)):
        yield fixed | frozenset(chosen)


def _note_old_set(rules: RuleSet, kinds: frozenset[int], old_ends: Grid, old_groups: NDArray[np.int64]) -> None:
    """Only sets of three and four can be held by another set beside a freed joker."""
    tiles = rules.tiles
    values = sorted(tiles.value(kind) - 1 for kind in kinds)
    colours = {tiles.colour(kind) for kind in kinds}
    if len(colours) == 1 and len(kinds) <= 4:
        ends = old_ends[colours.pop(), : values[0] + 1]
        np.minimum(ends, values[-1], out=ends)
    elif len(colours) == 3:
        old_groups[values[0]] |= 0b1111 & ~sum(1 << colour for colour in colours)


def _cases(rules: RuleSet, old: Board, spelled: Counts, left: Counts) -> Sequence[Case]:
    """The fates that the jokers of a board can have together, those without a freed joker first.

    A joker is freed by a tile that was spelled or lay on the table, or by one that is left and must be played.
    """
    if rules.joker_release == "free" or not old.jokers:
        return _NO_JOKERS
    kinds = sorted(frozenset().union(*old.jokers))
    supply = {kind: int(spelled[kind]) for kind in kinds}
    if rules.joker_replacement_source == "rack_or_table":
        supply = {kind: supply[kind] + int(old.supply[kind]) for kind in kinds}
    spare = {kind: int(left[kind]) for kind in kinds}
    found = set(_fates(old, 0, supply, spare, Case((), 0, ())))
    cases = [case for case in found if not any(_allows_more(other, case) for other in found)]
    return sorted(cases, key=lambda case: (case.freed, case.forced, sorted(map(sorted, case.kept))))


_NO_JOKERS = (Case((), 0, ()),)


def _fates(old: Board, i: int, supply: dict[int, int], spare: dict[int, int], case: Case) -> Iterator[Case]:
    """What may become of the jokers from the i-th on, given tiles at hand and tiles that may be forced."""
    if i == len(old.jokers):
        yield Case(tuple(sorted(case.kept, key=sorted)), case.freed, tuple(sorted(case.forced)))
        return
    yield from _fates(old, i + 1, supply, spare, case._replace(kept=(*case.kept, old.jokers[i])))
    for chosen in combinations(sorted(old.jokers[i]), old.replacements[i]):
        at_hand = [kind for kind in chosen if supply[kind] > 0]
        forced = [kind for kind in chosen if supply[kind] == 0]
        if all(spare[kind] > 0 for kind in forced):
            yield from _fates(
                old,
                i + 1,
                {kind: n - (kind in at_hand) for kind, n in supply.items()},
                {kind: n - (kind in forced) for kind, n in spare.items()},
                Case(case.kept, case.freed + 1, (*case.forced, *forced)),
            )


def _allows_more(other: Case, case: Case) -> bool:
    """Does `other` differ from `case` only in that it forces fewer tiles to be played?"""
    return (
        len(other.forced) < len(case.forced)
        and other.kept == case.kept
        and other.freed == case.freed
        and not Counter(other.forced) - Counter(case.forced)
    )


# Questions to the sweep


class _Question(NamedTuple):
    """What `kernels` asks for first."""

    colours: int
    need: Grid
    may: Grid
    loose: NDArray[np.int64]
    wild_min: int
    wild_max: int
    freed: int
    old_ends: Grid
    old_groups: NDArray[np.int64]
    points: int
    joker_points: int
    tables: Any


def _sweep(
    question: _Question,
    follow_all: bool = False,
    weights: Grid | None = None,
    steady: Grid | None = None,
    fixed: NDArray[np.int64] | None = None,
    bonus: int = 0,
    mirrored: bool = False,
    trace: bool = False,
) -> Any:
    """The graph of a question; see `kernels.sweep`."""
    return kernels.sweep(
        *question,
        follow_all,
        np.zeros((4, question.need.shape[1] + 1), np.int64) if weights is None else weights,
        _NOTHING if steady is None else steady,
        _NOTHING if fixed is None else fixed,
        bonus,
        mirrored,
        trace,
    )


_NOTHING = np.zeros((0, 6), np.int64)


class _Best(NamedTuple):
    """The way to lay the tiles that weighs most."""

    codes: NDArray[np.int64]
    """(values,): what each step lays beyond what it must, as `kernels.sweep` codes it; all -1: there is no way."""
    graph: Any
    path: NDArray[np.int64]
    """A path through `graph` that lays the tiles so."""


def _best(question: _Question, weights: Grid | None = None, steady: Grid | None = None, trace: bool = False) -> _Best:
    """The best answer to a question.

    With freed jokers alone the question is first asked as if they were wild: no way can weigh more than the best
    of these. If its tiles and groups can be laid so that the freed jokers lie in new sets, it is the answer.
    """
    if question.freed and question.wild_max == 0:
        n = question.freed
        eased = question._replace(wild_min=n, wild_max=n, freed=0)
        graph = _sweep(eased, weights=weights, steady=steady, bonus=1, trace=True)
        path = kernels.best_path(graph)
        if path[0] < 0:
            return _Best(path, graph, path)
        codes = graph[4][path].astype(np.int64) & 0xFFF
        fixed, is_new = kernels.groups_of(graph[6][path], question.old_groups, question.tables[4])
        if is_new:
            laid = question.need + (codes >> 3 * np.arange(4)[:, None] & 7)
            exactly = question._replace(need=laid, may=np.zeros_like(laid))
            graph = _sweep(exactly, fixed=fixed, trace=trace)
            path = kernels.best_path(graph)
            if path[0] >= 0:
                return _Best(codes, graph, path)
    graph = _sweep(question, weights=weights, steady=steady, trace=trace)
    path = kernels.best_path(graph)
    return _Best(graph[4][path].astype(np.int64) if path[0] >= 0 else path, graph, path)


class _Beyond(NamedTuple):
    """What the ways to lay all that must be laid lay beyond it."""

    mask: NDArray[np.bool_]
    """(4, values + 1): tiles that some way lays; [0, values]: a wild joker more than must be laid."""
    possible: bool
    """Is there a way?"""
    bare: bool | None
    """Is there one that lays nothing more? None: not known."""


def _laid_beyond(question: _Question, wanted: NDArray[np.bool_]) -> _Beyond:
    """What can be laid beyond what must be; with freed jokers only what is `wanted` is looked for."""
    if question.freed:
        return _laid_by_best(question, wanted)
    if question.wild_max == 0:
        mask, possible, bare = kernels.laid_in(_sweep(question, follow_all=True))
        return _Beyond(mask, bool(possible), bool(bare))
    loose = question.loose.copy()
    loose[:, 0] = question.need.shape[1] - 1 - loose[:, 0]
    back = question._replace(
        need=question.need[:, ::-1].copy(),
        may=question.may[:, ::-1].copy(),
        loose=loose,
        old_groups=question.old_groups[::-1].copy(),
    )
    left, right = _sweep(question), _sweep(back, mirrored=True)
    bounds = (question.wild_min, question.wild_max, question.points)
    mask, possible = kernels.laid_between(left, right, *bounds, question.tables[3])
    return _Beyond(mask, bool(possible), None)


def _laid_by_best(question: _Question, wanted: NDArray[np.bool_]) -> _Beyond:
    """`_laid_beyond`: the play with the most wanted tiles not yet found, again and again until it has none."""
    mask = np.zeros_like(wanted)
    possible = False
    while True:
        missing = wanted & ~mask
        codes = _best(question, weights=missing.astype(np.int64)).codes
        if codes[0] < 0:
            return _Beyond(mask, possible, None)
        possible = True
        found = np.zeros_like(wanted)
        found[:, :-1] = codes >> 3 * np.arange(4)[:, None] & 7
        found[0, -1] = (codes >> 12 & 7).sum() > question.wild_min
        mask |= found
        if not (found & missing).any():
            return _Beyond(mask, possible, None)


def _is_complete(question: _Question) -> bool:
    """Can what must be laid be laid without anything more?"""
    bare = question._replace(may=np.zeros_like(question.may), wild_max=question.wild_min)
    return bool(_best(bare).codes[0] >= 0)


def _questions(
    rules: RuleSet, table: Table, left: Counts, opened: bool, spelled: Counts
) -> Iterator[tuple[Case, _Question]]:
    """One question for each case in which `spelled` is played, and perhaps some of what is `left`."""
    old = board(rules, table if opened else ())
    wild_min, need = _wild_min(rules, old, spelled), old.counts + spelled[:-1]
    for case in _cases(rules, old, spelled, left):
        yield (
            case,
            _question(rules, need, left[:-1], case, wild_min, int(left[-1]), (old.old_ends, old.old_groups), opened),
        )


def _question(
    rules: RuleSet,
    need: NDArray[Any],
    may: NDArray[Any],
    case: Case,
    wild_min: int,
    wild_more: int,
    old: tuple[Grid, NDArray[np.int64]],
    opened: bool,
) -> _Question:
    """The question for one case; `need` and `may` are (kinds - 1,) before its jokers and forced tiles."""
    _refuse_unsupported(rules)
    must, could = _grid(rules, need), _grid(rules, may)
    loose = _NOT_LOOSE
    if case.kept or case.forced:
        values = rules.max_value
        for kind in case.forced:
            must[kind // values, kind % values] += 1
            could[kind // values, kind % values] -= 1
        for kinds in case.kept:
            if len(kinds) == 1:
                (kind,) = kinds
                must[kind // values, kind % values] += 1
        several = [kinds for kinds in case.kept if len(kinds) > 1]
        if several:
            loose = np.array([_loose(kinds, values) for kinds in several], np.int64)
    freed = case.freed
    if rules.joker_reuse == "any_set":  # then a freed joker is a wild one that must be laid
        wild_min, freed = wild_min + freed, 0
    wild_max = wild_min + wild_more
    if not opened and rules.initial_meld_joker == "forbidden":
        wild_max = wild_min if wild_min == 0 else -1
    return _Question(
        len(rules.colours),
        must,
        could,
        loose,
        wild_min,
        wild_max,
        freed,
        *old,
        0 if opened else max(1, rules.initial_meld_points),
        int(rules.initial_meld_joker == "face"),
        kernels.tables(len(rules.colours), rules.copies_per_tile, rules.joker_count),
    )


_NOT_LOOSE = np.zeros((0, 5), np.int64)


def _loose(kinds: frozenset[int], values: int) -> list[int]:
    """A joker that may be one of several tiles of a value, as `kernels.sweep` wants it."""
    colours = {kind // values for kind in kinds}
    return [min(kinds) % values, *(int(colour in colours) for colour in range(4))]


def _grid(rules: RuleSet, kinds: NDArray[Any]) -> Grid:
    grid = np.zeros((4, rules.max_value), np.int64)
    grid.reshape(-1)[: kinds.shape[0]] = kinds
    return grid


def _mask_grid(rules: RuleSet, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of kinds as `kernels.playable` wants it: a row a colour, the joker at the end of the first."""
    grid = np.zeros((4, rules.max_value + 1), np.bool_)
    grid[: len(rules.colours), :-1] = mask[:-1].reshape(len(rules.colours), rules.max_value)
    grid[0, -1] = mask[-1]
    return grid


def _mask_kinds(rules: RuleSet, grid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The inverse of `_mask_grid`."""
    return np.append(grid[: len(rules.colours), :-1].reshape(-1), grid[0, -1])


def _wild_min(rules: RuleSet, old: Board, spelled: Counts) -> int:
    """How many wild jokers must be laid: those spelled, and those on the table where they move freely."""
    return int(spelled[-1]) + (len(old.jokers) if rules.joker_release == "free" else 0)


@lru_cache(maxsize=256)
def _refuse_unsupported(rules: RuleSet) -> None:
    """The judge knows these variations, the solver does not: better no answer than a wrong one."""
    if rules.joker_count > 4 or rules.copies_per_tile + rules.joker_count > kernels.MAX_COPIES:
        raise ValueError(
            f"the solver does not support {rules.copies_per_tile} copies and {rules.joker_count} jokers; allowed are "
            f"at most 4 jokers, and {kernels.MAX_COPIES} copies and jokers together"
        )
    if rules.joker_reuse_min_rack_tiles and rules.joker_release == "replace":
        raise ValueError("the solver does not support joker_reuse_min_rack_tiles; allowed is 0")
    if rules.initial_meld_scope != "sum_of_sets":
        raise ValueError("the solver does not support initial_meld_scope=single_set; allowed is sum_of_sets")
    for field, value in _unsupported(rules):
        raise ValueError(f"the solver does not support {field}={value} yet")


def _unsupported(rules: RuleSet) -> Iterator[tuple[str, object]]:
    """The rules whose questions the sweep cannot answer exactly, with their values."""
    told = rules.to_dict()
    odd = {
        "max_group_size": rules.max_group_size < min(4, len(rules.colours)),
        "group_colours_distinct": not rules.group_colours_distinct,
        "max_run_length": rules.max_run_length < rules.max_value,
        "run_wrap": rules.run_wrap != "none",
        "max_jokers_per_set": (rules.max_jokers_per_set or rules.joker_count) < rules.joker_count,
        "joker_declaration": rules.joker_declaration == "required",
        "initial_meld_type": rules.initial_meld_type != "any",
        "initial_meld_table_play": rules.initial_meld_required and rules.initial_meld_table_play == "after_meld",
        "joker_retrieval_before_meld": rules.joker_retrieval_before_meld,
        "min_tiles_per_turn": rules.min_tiles_per_turn > 1,
        "joker_set_edits": rules.joker_set_edits == "add_only" and rules.joker_count > 0,
    }
    return ((field, told[field]) for field, is_odd in odd.items() if is_odd)


def _played(rules: RuleSet, codes: NDArray[np.int64], case: Case, wild_min: int) -> Counts:
    """The tiles that a path plays beyond what it must."""
    extra = codes[None, :] >> 3 * np.arange(len(rules.colours))[:, None] & 7
    play = np.append(extra.reshape(-1), (codes >> 12 & 7).sum() - wild_min)
    np.add.at(play, list(case.forced), 1)
    return play.astype(np.uint8)


# Arranging


def _lay(rules: RuleSet, pool: Table, table: Table, played: Counts, opened: bool) -> Table | None:
    """The sets into which the tiles of the sets `pool` and `played` can be laid; None if they cannot."""
    old = _part(rules, pool, table if opened else ())
    need, wild = old.counts + played[:-1], _wild_min(rules, old, played)
    nothing = np.zeros_like(need)
    for case in _cases(rules, old, played, np.zeros_like(played)):
        ends = (old.old_ends, old.old_groups)
        question = _question(rules, need, nothing, case, wild, 0, ends, opened)
        steady = _grid(rules, old.in_groups)
        best = _best(question, steady=steady, trace=True)
        if best.codes[0] >= 0:
            return lay(rules, best.graph, best.path, need, case.kept, case.freed, ends, pool)
    return None


def _part(rules: RuleSet, pool: Table, table: Table) -> Board:
    """The board of some sets of a table: what frees jokers, and which sets are old, is up to the whole table."""
    whole, part = board(rules, table), board(rules, pool)
    return replace(part, supply=whole.supply, old_ends=whole.old_ends, old_groups=whole.old_groups)


def _can_lay(rules: RuleSet, pool: Table, table: Table, played: Counts) -> bool:
    old = _part(rules, pool, table)
    need, wild = old.counts + played[:-1], _wild_min(rules, old, played)
    nothing = np.zeros_like(need)
    for case in _cases(rules, old, played, np.zeros_like(played)):
        ends = (old.old_ends, old.old_groups)
        if _best(_question(rules, need, nothing, case, wild, 0, ends, opened=True)).codes[0] >= 0:
            return True
    return False


def _few_broken(rules: RuleSet, table: Table, played: Counts) -> tuple[int, ...] | None:
    """The index of the one old set to break up so that `played` can be laid, none if none need be; else None.

    A loose tile that no other loose tiles give company must find it in the set that is broken.
    """
    near = _near(rules.tiles)
    loose = near.of(rules.tiles.listed(played))
    if not near.needy(loose) and _can_lay(rules, (), table, played):
        return ()
    helpful = near.reach(near.needy(loose) or loose)
    for i, pieces in enumerate(table):
        tiles = near.of(pieces)
        if tiles & helpful and not near.needy(loose | tiles) and _can_lay(rules, (pieces,), table, played):
            return (i,)
    return None


@dataclass(frozen=True)
class _Near:
    """Which tiles can lie in a set together; sets of kinds are bit sets, bit k for kind k, the joker too."""

    tiles: TileSet
    others: tuple[int, ...]
    """For each kind the kinds that can lie in a set of three with it."""
    pairs: tuple[tuple[int, ...], ...]
    """For each kind the pairs that make it a set."""

    def of(self, pieces: Sequence[int]) -> int:
        """The kinds of the pieces."""
        bits = 0
        for piece in pieces:
            bits |= 1 << min(piece, self.tiles.joker)
        return bits

    def needy(self, loose: int) -> int:
        """A loose tile that cannot be laid with the other loose ones only; 0 if there may be none."""
        if loose >> self.tiles.joker:
            return 0
        for kind, pairs in enumerate(self.pairs):
            if loose >> kind & 1 and not any(loose & pair == pair for pair in pairs):
                return 1 << kind
        return 0

    def reach(self, kinds: int) -> int:
        """All kinds that can lie in a set with one of `kinds`; every kind and the joker for the joker."""
        reach = 1 << self.tiles.joker
        for kind, others in enumerate(self.others):
            if kinds >> kind & 1:
                reach |= others
        return reach


@lru_cache(maxsize=16)
def _near(tiles: TileSet) -> _Near:
    everything = (1 << tiles.kinds) - 1
    pairs = [[] for _ in range(tiles.joker)]  # type: list[list[int]]
    for triple in _triples(tiles):
        bits = sum(1 << kind for kind in triple)
        for kind in triple:
            pairs[kind].append(bits & ~(1 << kind))
    others = [sum({1 << k for pair in p for k in range(tiles.joker) if pair >> k & 1}) for p in pairs]
    return _Near(tiles, (*others, everything), tuple(map(tuple, pairs)))


def _triples(tiles: TileSet) -> Iterator[tuple[int, ...]]:
    """All sets of three real tiles."""
    colours = range(len(tiles.colours))
    for value in range(1, tiles.values + 1):
        yield from combinations([tiles.kind(colour, value) for colour in colours], 3)
        if value + 2 <= tiles.values:
            yield from (tuple(tiles.kind(c, value + i) for i in range(3)) for c in colours)
