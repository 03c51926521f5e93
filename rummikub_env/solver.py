"""Exact answers about one turn: what can be played, what is best, all plays, and how the table then lies.

The questions are put to the sweeps of `kernels` as *cases*: one for each fate that the jokers on the table can
have together. A joker is kept as one of the tiles it may stand for, or it is freed by a real tile of its
identity, from the table or played from the rack; then it must be laid in a new set. Where jokers move freely
there is one case, in which all of them are wild.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import accumulate, combinations, combinations_with_replacement, product
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.beginnings import Beginning, beginnings, is_meld_told
from rummikub_env.frozen import growths
from rummikub_env.kernels import graphs, masks, news, plain, traced
from rummikub_env.kernels.tables import Tables, old_bit
from rummikub_env.laying import Steps, lay_plain, lay_traced, tables_of
from rummikub_env.rules import ONLY_FOR_REPLACED_JOKERS, RuleSet, rules_of
from rummikub_env.sets import Set, Table, identities, is_run, readings, windows
from rummikub_env.solvable import check_solvable
from rummikub_env.tiles import Counts, TileSet
from rummikub_env.wrapping import place_of

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


@dataclass(frozen=True, eq=False)
class Board:
    """What the sweep needs to know of a table, before anything is played."""

    counts: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind."""
    supply: NDArray[np.int64]
    """(kinds - 1,): the real tiles of each kind that can free a joker."""
    jokers: tuple[frozenset[int], ...]
    """For each joker the kinds it may stand for."""
    identities: tuple[int, ...]
    """All kinds that some joker may stand for, ascending."""
    replacements: tuple[int, ...]
    """For each joker how many different tiles free it."""
    joker_sets: Table
    """The sets that hold jokers."""
    old_ends: Grid
    """(4, values + 5): the first end of the old runs of 3 or 4 tiles that start at a place or later, else 99."""
    old_groups: NDArray[np.int64]
    """(values,): bit c is set where all colours but c formed a group of three; where colours may be equal, `old_bit` of
    each group of three or four."""


class Case(NamedTuple):
    """One fate of all jokers on the table."""

    kept: tuple[frozenset[int], ...]
    """The jokers that stay locked, by the kinds each may stand for."""
    freed: int
    """How many jokers must be laid in a new set."""
    forced: tuple[int, ...]
    """The rack tiles that must be played, to free jokers or to lie in `whole`, ascending."""
    whole: Table = ()
    """Sets with jokers that lie whole and are not rearranged; they may have grown."""
    spent: tuple[int, ...] = ()
    """The tiles in `whole`, kinds; wild jokers among them, those that are kept not."""


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
    spelled = np.zeros(rack.shape, np.uint8) if spelled is None else np.array(spelled, np.uint8)
    left = rack - spelled if within is None else (rack - spelled) * within
    found = _playable_in_turn(rules, table, spelled, left, opened)
    lack = rules.min_tiles_per_turn - int(spelled.sum())
    if lack <= 0 or (lack == 1 and not found.complete):
        return found
    if lack == 1:
        return Playable(found.mask, False)
    mask, each = np.zeros(rack.shape, np.bool_), np.ones(rack.shape, np.int64)
    for kind in np.flatnonzero(found.mask).tolist():
        most = None if mask[kind] else _best_play(rules, table, spelled + left, opened, each, _and_one(spelled, kind))
        if most is not None and most.sum() >= rules.min_tiles_per_turn:
            mask |= most > spelled
    return Playable(mask, False)


def _and_one(spelled: Counts, kind: int) -> Counts:
    more = spelled.copy()
    more[kind] += 1
    return more


def _playable_in_turn(rules: RuleSet, table: Table, spelled: Counts, left: Counts, opened: bool) -> Playable:
    """`playable`, were one tile enough for a play."""
    begun = bool(spelled.any())
    if opened:
        return _playable(rules, board(rules, table), spelled, left, begun, _ANY_TURN)
    first, *others = _beginnings(rules, table, spelled + left, opened) or (None,)
    if first is None:
        return Playable(np.zeros(left.shape, np.bool_), False)
    if not others and not first.taken.any():
        return _playable(rules, board(rules, first.pool), spelled, left, begun, first)
    free = _with_free_jokers(rules)  # no turn lays more than one that may use all jokers and sets as it likes
    most = _playable(free, board(free, table), spelled, left, begun, _ANY_TURN)
    mask, complete = np.zeros(left.shape, np.bool_), False
    for beginning in (first, *others):
        if complete >= most.complete and np.array_equal(mask, most.mask):
            break
        laid = np.minimum(spelled, beginning.taken)
        more = beginning.taken - laid
        rest = _playable(rules, board(rules, beginning.pool), spelled - laid, left - more, True, beginning)
        if rest.complete or rest.mask.any():
            mask |= rest.mask | (more > 0)
        complete = complete or (rest.complete and begun and not more.any())
    return Playable(mask, complete)


def _playable(rules: RuleSet, old: Board, spelled: Counts, left: Counts, begun: bool, beginning: Beginning) -> Playable:
    cases, setting = _cases(rules, old, spelled, left, beginning.freed), _setting(rules)
    mask, complete, hard, is_hard = masks.playable(
        setting.colours,
        old.counts,
        spelled,
        left,
        begun,
        cases.arrays,
        _opening(rules, beginning),
        old.old_ends,
        old.old_groups,
        setting.tables,
    )
    for i in np.flatnonzero(hard).tolist() if is_hard else ():
        question = _question(rules, old, spelled, left, cases, i, beginning)
        if hard[i] & masks.HARD_MASK:
            mask |= _laid_by_best(rules, question, (left > 0) & ~mask, cases.each[i])
        complete = complete or bool(hard[i] & masks.HARD_END and _is_complete(question))
    return Playable(mask, complete)


@lru_cache(maxsize=256)
def _with_free_jokers(rules: RuleSet) -> RuleSet:
    return rules_of(rules, {"joker_release": "free", **ONLY_FOR_REPLACED_JOKERS})


def _beginnings(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> Sequence[Beginning]:
    """All ways to begin a turn. Sets that come first are looked for only among tiles that can be worth an opening."""
    if not opened and rules.initial_meld_required and is_meld_told(rules) and not rules.joker_retrieval_before_meld:
        worth = _playable(rules, board(rules, ()), np.zeros_like(rack), rack, False, _OPENING).mask
        if not worth.any():
            return ()
        rack = rack * worth
    return _all_beginnings(rules, table, rack.tobytes(), opened)


@lru_cache(maxsize=256)
def _all_beginnings(rules: RuleSet, table: Table, rack: bytes, opened: bool) -> Sequence[Beginning]:
    return beginnings(rules, table, np.frombuffer(rack, np.uint8), opened)


def can_play(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> bool:
    """Does the player have any legal play?"""
    return bool(playable(rules, table, rack, opened).mask.any())


def best_play(rules: RuleSet, table: Table, rack: Counts, opened: bool, weights: NDArray[np.int64]) -> Counts | None:
    """The legal play of most weight, (kinds,) uint8; None if there is no legal play.

    weights: (kinds,) int64, positive, for each tile played. Of equal plays a fixed one.
    """
    nothing = np.zeros(rack.shape, np.uint8)
    best = _best_play(rules, table, rack, opened, weights, nothing)
    if best is None or best.sum() >= rules.min_tiles_per_turn:
        return best
    begun = _spellings(rules, table, rack, opened, nothing)
    found = [_best_play(rules, table, rack, opened, weights, spelled) for spelled in begun]
    return max((play for play in found if play is not None), key=lambda play: int(play @ weights), default=None)


def _best_play(
    rules: RuleSet, table: Table, rack: Counts, opened: bool, weights: NDArray[np.int64], spelled: Counts
) -> Counts | None:
    """The play of most weight that holds what is `spelled`, were one tile enough."""
    grid = _weights_grid(rules, weights)
    best, most = None, 0
    for laid, case, question in _questions(rules, table, rack, opened, spelled):
        way = _best(question, weights=grid)
        if way is not None:
            play = laid + _played(rules, way.codes, case, question.wild_min)
            weight = int(play @ weights)
            if weight > most:
                best, most = play, weight
    return best


def _spellings(rules: RuleSet, table: Table, rack: Counts, opened: bool, spelled: Counts) -> Iterator[Counts]:
    """All ways to spell as many tiles as a play must have, in ascending order, beginning with `spelled`."""
    if spelled.sum() == rules.min_tiles_per_turn:
        yield spelled
        return
    last = max(np.flatnonzero(spelled).tolist(), default=0)
    for kind in np.flatnonzero(playable(rules, table, rack, opened, spelled).mask).tolist():
        if kind >= last:
            yield from _spellings(rules, table, rack, opened, _and_one(spelled, kind))


def plays(rules: RuleSet, table: Table, rack: Counts, opened: bool, limit: int = 10_000) -> Plays:
    """All different legal plays, at most `limit`."""
    found: set[bytes] = set()
    complete = True
    for laid, case, question in _questions(rules, table, rack, opened, np.zeros(rack.shape, np.uint8)):
        graph = _traced(question, follow_all=True)[0] if question.freed else _plain(question, follow_all=True)
        rows, all_rows = graphs.distinct_plays(graph, question.wild_min, limit)
        complete &= all_rows
        n_real = rules.tiles.joker
        counts = np.concatenate([rows[:, :n_real], rows[:, -1:]], axis=1)
        counts += laid + rules.tiles.count(case.forced)
        found.update(row.tobytes() for row in counts[counts.sum(axis=1) >= rules.min_tiles_per_turn])
    ordered = sorted(found)[:limit]
    counts = np.frombuffer(b"".join(ordered), np.uint8).reshape(-1, rack.shape[0])
    return Plays(counts, complete and len(found) <= limit)


def arrange(rules: RuleSet, table: Table, played: Counts, opened: bool) -> Table | None:
    """The resolved table after `played` is laid; None if that is not a legal play.

    If no or one old set need be changed, no other is. Else as few tiles as can be move between groups and runs.
    Old sets that lie as they lay keep their places, the others follow. The same question always has the same
    answer.
    """
    _setting(rules)  # refuses rules that it does not know
    return _arrange(rules, table, played, opened) if played.sum() >= rules.min_tiles_per_turn else None


def _arrange(rules: RuleSet, table: Table, played: Counts, opened: bool) -> Table | None:
    """`arrange`, were one tile enough for a play."""
    if not played.any():
        return None
    if not opened and rules.initial_meld_required:
        return _arrange_first_play(rules, table, played)
    joined = _joined(rules, table, played)
    if joined is not None:
        return joined
    broken = _few_broken(rules, table, played)
    sets = _lay(rules, table if broken is None else tuple(table[i] for i in broken), table, played)
    if sets is None:
        return None
    laid = list(sets) if broken is None else [*(s for i, s in enumerate(table) if i not in broken), *sets]
    stay = [s for s in table if _take(laid, s)]
    return (*stay, *laid)


def _arrange_first_play(rules: RuleSet, table: Table, played: Counts) -> Table | None:
    for beginning in _beginnings(rules, table, played, False):
        rest = played - beginning.taken
        if not rest.any() and not beginning.is_opening and not beginning.freed:
            return beginning.beside + beginning.pool
        if beginning.pool:
            after = _arrange(rules, beginning.pool, rest, True)
        else:
            sets = _lay(rules, (), (), rest, beginning)
            after = None if sets is None else beginning.beside + sets
        if after is not None:
            return after
    return None


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
    setting = _setting(rules)
    nothing, left = np.zeros_like(rack), np.array(rack, np.uint8)
    arrays = _case_arrays(rules, int(table[-1]), (Case((), 0, ()),))
    mask, complete, _, _ = masks.playable(
        setting.colours, table[:-1].astype(np.int64), nothing, left, True, arrays, _NO_OPENING, *_nothing_old(rules),
        setting.tables,
    )  # fmt: skip
    return mask, bool(complete or mask.any())


# Cases


@lru_cache(maxsize=4096)
def board(rules: RuleSet, table: Table) -> Board:
    """What the sweep needs to know of a resolved table."""
    joker = rules.tiles.joker
    facts = [_facts(rules, pieces) for pieces in table]
    counts = np.bincount([kind for fact in facts for kind in fact.real] or _EMPTY, minlength=joker)
    jokers = tuple(kinds for fact in facts for kinds in fact.jokers)
    every = tuple(sorted(frozenset[int]().union(*jokers)))
    replacements = tuple(number for fact in facts for number in fact.replacements)
    old = _old_sets(rules, facts) if jokers and rules.joker_reuse == "new_set" else _nothing_old(rules)
    joker_sets = tuple(pieces for pieces, fact in zip(table, facts, strict=True) if fact.jokers)
    return Board(counts, counts, jokers, every, replacements, joker_sets, *old)


_EMPTY = np.zeros(0, np.int64)


class _Facts(NamedTuple):
    """What the sweep needs to know of one set."""

    real: tuple[int, ...]
    group: bool
    jokers: tuple[frozenset[int], ...]
    replacements: tuple[int, ...]
    old_runs: tuple[tuple[int, int, int], ...]
    """Colour, first and last place (`place_of`) of the run of 3 or 4 that it is."""
    old_groups: tuple[tuple[int, int], ...]
    """Value and bit of the groups that it may be (see `Board`); several where jokers leave it open."""


@lru_cache(maxsize=1 << 16)
def _facts(rules: RuleSet, pieces: Set) -> _Facts:
    joker = rules.tiles.joker
    real = tuple(piece for piece in pieces if piece < joker)
    group, jokers = not is_run(rules, pieces), identities(rules, pieces)
    both = rules.joker_group3_release == "both_missing" and len(pieces) == 3 and group
    replacements = tuple(min(2, len(kinds)) if both else 1 for kinds in jokers)
    tiles = rules.tiles
    fixed = (*real, *(kind for kinds in jokers if len(kinds) == 1 for kind in kinds))
    open_kinds = sorted({kind for kinds in jokers if len(kinds) > 1 for kind in kinds})
    old_runs: list[tuple[int, int, int]] = []
    old_groups: list[tuple[int, int]] = []
    choose = combinations if rules.group_colours_distinct else combinations_with_replacement
    for chosen in choose(open_kinds, len(pieces) - len(fixed)):
        kinds = sorted((*fixed, *chosen))
        value, colours = tiles.value(kinds[0]) - 1, [tiles.colour(kind) for kind in kinds]
        if group and not rules.group_colours_distinct and len(kinds) <= 4:
            old_groups.append((value, 1 << old_bit(*(colours.count(colour) for colour in range(4)))))
        elif group and rules.group_colours_distinct and len(kinds) == 3:
            old_groups.append((value, 0b1111 & ~sum(1 << colour for colour in colours)))
        elif not group and len(kinds) <= 4:
            first = min(place_of(rules, tiles.value(kind) - 1) for kind in kinds)
            old_runs.append((tiles.colour(kinds[0]), first, first + len(kinds) - 1))
    return _Facts(real, group, jokers, replacements, tuple(old_runs), tuple(old_groups))


@lru_cache(maxsize=256)
def _nothing_old(rules: RuleSet) -> tuple[Grid, NDArray[np.int64]]:
    return np.full((4, rules.max_value + 5), 99), np.zeros(rules.max_value, np.int64)


def _old_sets(rules: RuleSet, facts: Sequence[_Facts]) -> tuple[Grid, NDArray[np.int64]]:
    """Only sets of three and four can be held by another set beside a freed joker."""
    ends, groups = (array.tolist() for array in _nothing_old(rules))
    for fact in facts:
        for colour, first, last in fact.old_runs:
            ends[colour][first] = min(ends[colour][first], last)
        for value, missing in fact.old_groups:
            groups[value] |= missing
    here_or_later = [list(accumulate(reversed(row), min))[::-1] for row in ends]
    return np.array(here_or_later, np.int64), np.array(groups, np.int64)


class _Cases(NamedTuple):
    """All fates that the jokers of a board can have together, those without a freed joker first."""

    each: tuple[Case, ...]
    arrays: tuple[NDArray[np.int64], ...]
    """The same for `masks.playable`."""


def _cases(rules: RuleSet, old: Board, spelled: Counts, left: Counts, wild: int = 0) -> _Cases:
    """The cases of a turn in which `spelled` is played, and perhaps some of what is `left`.

    A joker is freed by a tile that was spelled or lay on the table, or by one that is left and must be played.
    wild: retrieved jokers that must be laid though none is on the board.
    """
    if rules.joker_release == "free" or not old.jokers:
        return _without_fates(rules, len(old.jokers) + wild)
    if rules.joker_set_edits == "add_only":
        cases = tuple(_whole_cases(rules, old, spelled, left))
        return _Cases(cases, _case_arrays(rules, 0, cases))
    n = len(old.jokers)
    free = [min(n, int(spelled[kind])) for kind in old.identities]
    if rules.joker_replacement_source == "rack_or_table":
        free = [min(n, more + int(old.supply[kind])) for more, kind in zip(free, old.identities, strict=True)]
    spare = tuple(min(n, int(left[kind])) for kind in old.identities)
    return _all_cases(rules, old.jokers, old.replacements, old.identities, tuple(free), spare)


@lru_cache(maxsize=256)
def _without_fates(rules: RuleSet, wild: int) -> _Cases:
    """The one case where no joker is on the table, or all are wild."""
    cases = (Case((), 0, ()),)
    return _Cases(cases, _case_arrays(rules, wild, cases))


@lru_cache(maxsize=4096)
def _all_cases(
    rules: RuleSet,
    jokers: tuple[frozenset[int], ...],
    replacements: tuple[int, ...],
    identities: tuple[int, ...],
    supply: tuple[int, ...],
    spare: tuple[int, ...],
) -> _Cases:
    """The cases, given how many tiles of each of `identities` are at hand, and how many could be forced."""
    at_hand, could = (dict(zip(identities, counts, strict=True)) for counts in (supply, spare))
    ends = _fates(tuple(zip(jokers, replacements, strict=True)), at_hand, could, Case((), 0, ()))
    found = set(ends)
    most = [case for case in found if not any(_allows_more(other, case) for other in found)]
    cases = tuple(sorted(most, key=lambda case: (case.freed, case.forced, sorted(map(sorted, case.kept)))))
    return _Cases(cases, _case_arrays(rules, 0, cases))


def _whole_cases(rules: RuleSet, old: Board, spelled: Counts, left: Counts) -> Iterator[Case]:
    """The cases where sets with jokers stay whole, those that force no tile of the rack first."""
    tiles, anywhere = rules.tiles, rules.joker_reuse == "any_set"
    at_hand = spelled.astype(np.int64)
    at_hand[:-1] += old.counts
    supply = at_hand if rules.joker_replacement_source == "rack_or_table" else spelled.astype(np.int64)
    cases: list[Case] = []
    for growths_ in product(*(growths(rules, pieces) for pieces in old.joker_sets)):
        freed = sum(growth.freed for growth in growths_)
        spent = tuple(sorted(kind for growth in growths_ for kind in growth.spent))
        supplied = tiles.count([kind for growth in growths_ for kind in growth.supplied]).astype(np.int64)
        lack = np.maximum(tiles.count(spent) - at_hand, supplied - supply)
        lack[-1] -= freed * anywhere  # a freed joker may lie in a set that stays whole
        forced = np.maximum(lack, 0)
        if (forced <= left).all():
            whole = tuple(growth.laid for growth in growths_ if growth.laid is not None)
            cases.append(Case((), freed, tiles.listed(forced.astype(np.uint8)), whole, spent))
    return iter(sorted(cases, key=lambda case: (len(case.forced), case.freed)))


def _case_arrays(rules: RuleSet, wild: int, cases: Sequence[Case]) -> tuple[NDArray[np.int64], ...]:
    """What `masks.playable` wants to know of cases."""
    n, values, joker = len(cases), rules.max_value, rules.tiles.joker
    forced, kept = np.zeros((2, n, 4, values), np.int64)
    freed = np.array([case.freed for case in cases], np.int64)
    forced_wild = np.array([case.forced.count(joker) for case in cases], np.int64)
    spent_wild = np.array([case.spent.count(joker) for case in cases], np.int64)
    first_loose, loose = np.zeros(n + 1, np.int64), []
    for i, case in enumerate(cases):
        for kind in case.forced[: len(case.forced) - forced_wild[i]]:
            forced[i, kind // values, kind % values] += 1
        for kind in case.spent[: len(case.spent) - spent_wild[i]]:
            kept[i, kind // values, kind % values] -= 1
        for kinds in case.kept:
            if len(kinds) == 1:
                kept[i, min(kinds) // values, min(kinds) % values] += 1
            else:
                loose.append(_loose(kinds, values))
        first_loose[i + 1] = len(loose)
    anywhere = rules.joker_reuse == "any_set"  # then a freed joker is a wild one that must be laid
    return (
        forced,
        kept,
        wild + freed * anywhere - spent_wild + forced_wild,
        forced_wild,
        freed * (not anywhere),
        first_loose,
        np.array(loose, np.int64).reshape(-1, 5),
    )


def _loose(kinds: frozenset[int], values: int) -> list[int]:
    """A joker that may be one of several tiles of a value, as `plain.sweep` wants it."""
    colours = {kind // values for kind in kinds}
    return [min(kinds) % values, *(int(colour in colours) for colour in range(4))]


def _fates(
    jokers: tuple[tuple[frozenset[int], int], ...], supply: dict[int, int], spare: dict[int, int], case: Case
) -> Iterator[Case]:
    """What may become of the jokers, each with its number of replacements, given tiles at hand and to be forced."""
    if not jokers:
        yield Case(tuple(sorted(case.kept, key=sorted)), case.freed, tuple(sorted(case.forced)))
        return
    (kinds, replacements), *rest = jokers
    yield from _fates(tuple(rest), supply, spare, case._replace(kept=(*case.kept, kinds)))
    for chosen in combinations(sorted(kinds), replacements):
        at_hand = [kind for kind in chosen if supply[kind] > 0]
        forced = [kind for kind in chosen if supply[kind] == 0]
        if all(spare[kind] > 0 for kind in forced):
            yield from _fates(
                tuple(rest),
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


# Questions to the sweeps


class _Setting(NamedTuple):
    """What the sweeps need to know of the rules."""

    colours: int
    opening: tuple[int, int, bool]
    """The points that are needed, whether jokers count, whether they are forbidden."""
    tables: Tables


_NO_OPENING = (0, 0, False)
_ANY_TURN = Beginning(np.zeros(0, np.uint8), (), ())
"""A turn that begins with nothing; its table is known as a board."""
_OPENING = _ANY_TURN._replace(is_opening=True)


def _opening(rules: RuleSet, beginning: Beginning) -> tuple[int, int, bool]:
    """What the rest of a turn must be worth; where own sets lie already, their rule for jokers holds for it, too."""
    points, joker_points, no_jokers = _setting(rules).opening
    return (points, joker_points, no_jokers) if beginning.is_opening else (0, 0, no_jokers and bool(beginning.beside))


@lru_cache(maxsize=256)
def _setting(rules: RuleSet) -> _Setting:
    check_solvable(rules)
    jokers = rules.initial_meld_joker
    return _Setting(
        len(rules.colours),
        (max(1, rules.initial_meld_points), int(jokers == "face"), jokers == "forbidden"),
        tables_of(rules),
    )


class _Question(NamedTuple):
    """What can be laid in one case; the fields as in `traced.sweep`."""

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
    tables: Tables


def _questions(
    rules: RuleSet, table: Table, rack: Counts, opened: bool, spelled: Counts
) -> Iterator[tuple[Counts, Case, _Question]]:
    """One question for each case of a turn in which some of the rack is played, and what is laid in any case."""
    for beginning in _beginnings(rules, table, rack, opened):
        laid = np.maximum(spelled, beginning.taken)
        old, rest, left = board(rules, beginning.pool), laid - beginning.taken, rack - laid
        cases = _cases(rules, old, rest, left, beginning.freed)
        for i, case in enumerate(cases.each):
            yield laid, case, _question(rules, old, rest, left, cases, i, beginning)


def _question(
    rules: RuleSet, old: Board, spelled: Counts, left: Counts, cases: _Cases, i: int, beginning: Beginning
) -> _Question:
    """The question for the i-th case: `spelled` must be laid, and perhaps some of what is `left`."""
    setting = _setting(rules)
    points, joker_points, no_jokers = _opening(rules, beginning)
    forced, kept, more_wild, forced_wild, freed, first_loose, loose = cases.arrays
    need, may = np.zeros((2, 4, rules.max_value), np.int64)
    masks.fill_question(old.counts, spelled, left, forced[i], kept[i], need, may)
    wild_min = int(spelled[-1]) + int(more_wild[i])
    wild_max = wild_min + int(left[-1] - forced_wild[i])
    if no_jokers:
        wild_max = wild_min if wild_min == 0 else -1
    return _Question(
        setting.colours, need, may, loose[first_loose[i] : first_loose[i + 1]], wild_min, wild_max, int(freed[i]),
        old.old_ends, old.old_groups, points, joker_points, setting.tables,
    )  # fmt: skip


def _plain(
    q: _Question, follow_all: bool = False, weights: Grid | None = None, steady: Grid | None = None, bonus: int = 0
) -> Any:
    """The graph of a question without freed jokers."""
    return plain.sweep(
        q.colours, q.need, q.may, q.loose, q.wild_min, q.wild_max, q.points, q.joker_points, 0, int(follow_all),
        _NOTHING if weights is None else weights, _NOTHING if steady is None else steady, bonus, q.tables,
    )  # fmt: skip


def _traced(
    q: _Question,
    follow_all: bool = False,
    weights: Grid | None = None,
    steady: Grid | None = None,
    fixed: NDArray[np.int64] | None = None,
) -> Any:
    """The graph of a question with freed jokers, and the steps of its edges."""
    return traced.sweep(
        q.colours, q.need, q.may, q.loose, q.wild_min, q.wild_max, q.freed, q.old_ends, q.old_groups, follow_all,
        _NOTHING if weights is None else weights, _NOTHING if steady is None else steady,
        _NOTHING if fixed is None else fixed, q.tables,
    )  # fmt: skip


_NOTHING = np.zeros((0, 0), np.int64)


class _Way(NamedTuple):
    """A way to lay the tiles."""

    codes: NDArray[np.int64]
    """(values,): what each step lays beyond what it must, in bits 0-14, as `plain.sweep` codes it."""
    steps: Steps | None
    """How it is laid; None where the codes say that, too, or it was not asked for."""


def _best(
    question: _Question, weights: Grid | None = None, steady: Grid | None = None, laying: bool = False
) -> _Way | None:
    """The way to lay the tiles that weighs most; None if there is none. laying: must it say how it is laid?

    With freed jokers the question is first asked as if they were wild: no way can weigh more than the best of these.
    If its tiles and groups can be laid so that all its jokers lie in new sets, it is the answer.
    """
    if not question.freed:
        return _best_plain(question, weights, steady)
    n = question.freed
    eased = question._replace(wild_min=question.wild_min + n, wild_max=question.wild_max + n, freed=0)
    way = _best_plain(eased, weights, steady, bonus=1)
    if way is None:
        return None
    wild = int((way.codes >> 12 & 7).sum())
    codes = way.codes & 0xFFF
    codes[0] |= wild - n << 12
    if not laying and news.lie_in_new_sets(way.codes, question.old_ends, question.old_groups, question.tables):
        return _Way(codes, None)
    if news.groups_are_new(way.codes, question.old_groups, question.tables[6]):
        laid = question.need + (way.codes >> 3 * np.arange(4)[:, None] & 7)
        exactly = question._replace(need=laid, may=np.zeros_like(laid), wild_min=0, wild_max=0, freed=wild)
        exact = _best_traced(exactly, None, steady, news.groups_of(way.codes))
        if exact is not None:
            return _Way(codes, exact.steps)
    return _best_traced(question, weights, steady)


def _best_plain(question: _Question, weights: Grid | None, steady: Grid | None, bonus: int = 0) -> _Way | None:
    graph = _plain(question, weights=weights, steady=steady, bonus=bonus)
    path = graphs.best_path(graph)
    if path[0] < 0:
        return None
    return _Way(graph[4][path], None)


def _best_traced(
    question: _Question, weights: Grid | None, steady: Grid | None, fixed: NDArray[np.int64] | None = None
) -> _Way | None:
    graph, steps = _traced(question, weights=weights, steady=steady, fixed=fixed)
    path = graphs.best_path(graph)
    if path[0] < 0:
        return None
    freed_left = question.freed - traced.freed_used(graph[0][graph[2][path]])
    return _Way(graph[4][path], Steps(steps[path], freed_left))


def _laid_by_best(rules: RuleSet, question: _Question, wanted: NDArray[np.bool_], case: Case) -> NDArray[np.bool_]:
    """A mask of what can be laid: the play with the most `wanted` tiles not yet found, until it has none."""
    mask = np.zeros_like(wanted)
    while True:
        way = _best(question, weights=_weights_grid(rules, wanted & ~mask))
        if way is None:
            return mask
        found = _played(rules, way.codes, case, question.wild_min) > 0
        new = found & wanted & ~mask
        mask |= found
        if not new.any():
            return mask


def _is_complete(question: _Question) -> bool:
    """Can what must be laid be laid without anything more?"""
    return _best(question._replace(may=np.zeros_like(question.may), wild_max=question.wild_min)) is not None


def _weights_grid(rules: RuleSet, weights: NDArray[Any]) -> Grid:
    """Weights of kinds as the sweeps want them: a row a colour, the joker at the end of the first."""
    grid = np.zeros((4, rules.max_value + 1), np.int64)
    grid[: len(rules.colours), :-1] = weights[:-1].reshape(len(rules.colours), rules.max_value)
    grid[0, -1] = weights[-1]
    return grid


def _played(rules: RuleSet, codes: NDArray[np.int64], case: Case, wild_min: int) -> Counts:
    """The tiles that a path plays beyond what it must."""
    extra = codes[None, :] >> 3 * np.arange(len(rules.colours))[:, None] & 7
    play = np.append(extra.reshape(-1), (codes >> 12 & 7).sum() - wild_min)
    np.add.at(play, list(case.forced), 1)
    return play.astype(np.uint8)


# Arranging


def _lay(rules: RuleSet, pool: Table, table: Table, played: Counts, beginning: Beginning = _ANY_TURN) -> Table | None:
    """The sets into which the tiles of the sets `pool` and `played` can be laid; None if they cannot."""
    old, nothing = _part(rules, pool, table), np.zeros_like(played)
    in_groups = [kind for pieces in pool if (fact := _facts(rules, pieces)).group for kind in fact.real]
    steady = np.bincount(in_groups or _EMPTY, minlength=4 * rules.max_value).reshape(4, -1)
    cases = _cases(rules, old, played, nothing, beginning.freed)
    for i, case in enumerate(cases.each):
        way = _best(_question(rules, old, played, nothing, cases, i, beginning), steady=steady, laying=True)
        if way is not None:
            ends = (old.old_ends, old.old_groups)
            need = old.counts + played[:-1] - rules.tiles.count(case.spent)[:-1]
            if way.steps is None:
                return case.whole + lay_plain(rules, way.codes, need, case.kept, pool)
            return case.whole + lay_traced(rules, way.steps, need, case.kept, ends, pool)
    return None


def _can_lay(rules: RuleSet, pool: Table, table: Table, played: Counts) -> bool:
    return _playable(rules, _part(rules, pool, table), played, np.zeros_like(played), True, _ANY_TURN).complete


def _part(rules: RuleSet, pool: Table, table: Table) -> Board:
    """The board of some sets of a table: what frees jokers, and which sets are old, is up to the whole table."""
    part = board(rules, pool)
    if not part.jokers:
        return part
    whole = board(rules, table)
    return replace(part, supply=whole.supply, old_ends=whole.old_ends, old_groups=whole.old_groups)


def _joined(rules: RuleSet, table: Table, played: Counts) -> Table | None:
    """The table with `played` as one new set, or joined to one old set as it lies; None where neither can be.

    This only saves time, and so jokers are left to the sweep.
    """
    near, loose = _near(rules), rules.tiles.listed(played)
    if loose[-1] == rules.tiles.joker:
        return None
    if len(loose) >= 3 and (new := readings(rules, loose)):
        return (*table, new[0])
    if len(loose) > 1 and near.needy(_kinds_of(rules.tiles.joker, loose) | near.others[loose[0]]):
        return None
    helpful = near.others[loose[0]]
    for i, pieces in enumerate(table):
        if _kinds_of(rules.tiles.joker, pieces) & helpful:
            for longer in readings(rules, pieces + loose):
                if is_run(rules, longer) == is_run(rules, pieces):  # its jokers still mean what they meant
                    return (*table[:i], *table[i + 1 :], longer)
    return None


def _few_broken(rules: RuleSet, table: Table, played: Counts) -> tuple[int, ...] | None:
    """The index of the one old set to break up so that `played` can be laid, none if none need be; else None.

    A loose tile that no other loose tiles give company must find it in the set that is broken.
    """
    near = _near(rules)
    loose = _kinds_of(rules.tiles.joker, rules.tiles.listed(played))
    if not near.needy(loose) and _can_lay(rules, (), table, played):
        return ()
    helpful = near.reach(near.needy(loose) or loose)
    for i, pieces in enumerate(table):
        tiles = _kinds_of(rules.tiles.joker, pieces)
        if tiles & helpful and not near.needy(loose | tiles) and _can_lay(rules, (pieces,), table, played):
            return (i,)
    return None


@lru_cache(maxsize=1 << 16)
def _kinds_of(joker: int, pieces: tuple[int, ...]) -> int:
    """The kinds of the pieces as a bit set: bit k for kind k, the joker too."""
    bits = 0
    for piece in pieces:
        bits |= 1 << min(piece, joker)
    return bits


@dataclass(frozen=True)
class _Near:
    """Which tiles can lie in a set together; sets of kinds are bit sets, bit k for kind k, the joker too."""

    tiles: TileSet
    others: tuple[int, ...]
    """For each kind the kinds that can lie in a set of three with it."""
    pairs: tuple[tuple[int, ...], ...]
    """For each kind the pairs that make it a set."""

    def needy(self, loose: int) -> int:
        """A loose tile that cannot be laid with the other loose ones only; 0 if there may be none."""
        if loose >> self.tiles.joker:
            return 0
        left = loose
        while left:
            kind = left.bit_length() - 1
            for pair in self.pairs[kind]:
                if loose & pair == pair:
                    break
            else:
                return 1 << kind
            left ^= 1 << kind
        return 0

    def reach(self, kinds: int) -> int:
        """All kinds that can lie in a set with one of `kinds`; every kind and the joker for the joker."""
        reach = 1 << self.tiles.joker
        while kinds:
            kind = kinds.bit_length() - 1
            reach |= self.others[kind]
            kinds ^= 1 << kind
        return reach


@lru_cache(maxsize=16)
def _near(rules: RuleSet) -> _Near:
    tiles = rules.tiles
    everything = (1 << tiles.kinds) - 1
    pairs = [set() for _ in range(tiles.joker)]  # type: list[set[int]]
    for triple in _triples(rules):
        for i, kind in enumerate(triple):
            pairs[kind].add(_kinds_of(tiles.joker, triple[:i] + triple[i + 1 :]))
    others = [reduce(or_, p, 0) for p in pairs]
    return _Near(tiles, (*others, everything), tuple(map(tuple, pairs)))


def _triples(rules: RuleSet) -> Iterator[tuple[int, ...]]:
    """All sets of three real tiles."""
    tiles, colours = rules.tiles, range(len(rules.colours))
    yield from windows(rules, 3)
    choose = combinations if rules.group_colours_distinct else combinations_with_replacement
    for value in range(1, tiles.values + 1):
        yield from choose([tiles.kind(colour, value) for colour in colours], 3)
