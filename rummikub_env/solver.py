"""Exact answers about one turn: what can be played, what is best, all plays, and how the table then lies.

The questions are put to the sweeps of `kernels` as *cases* (`fates`): one for each fate that the jokers on the table
can have together. A joker is kept as one of the tiles it may stand for, or it is freed by a real tile of its identity,
from the table or played from the rack; then it must be laid in a new set. Where jokers move freely there is one case,
in which all of them are wild.
"""

import itertools
import math
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.arranging import lay
from rummikub_env.beginnings import Beginning, Listed, beginnings, begins_in_ways, is_meld_told
from rummikub_env.boards import board
from rummikub_env.fates import Cases, fates_of
from rummikub_env.kernels import masks
from rummikub_env.kernels.rollouts import LESS_THAN_ANY
from rummikub_env.questions import (
    ANY_TURN,
    MOST_EDGES,
    Grid,
    Listing,
    Question,
    TooLargeError,
    all_plays,
    best_way,
    demand_of,
    is_play,
    laid_alone,
    question_of,
)
from rummikub_env.rules import ONLY_FOR_REPLACED_JOKERS, RuleSet, rules_of
from rummikub_env.sets import Table
from rummikub_env.terms import terms_of
from rummikub_env.tiles import Counts


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
    """Are these all? False where a limit cut the list."""


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
    if opened or not rules.initial_meld_required:
        return _playable(rules, table, spelled, left, begun, ANY_TURN)
    if not begins_in_ways(rules):
        return _playable(rules, (), spelled, left, begun, _OPENING._replace(beside=table))
    mask, complete = np.zeros(left.shape, np.bool_), False
    most, is_eased = Playable(left > 0, begun), False
    for beginning in _beginnings(rules, table, spelled + left, opened):
        if not is_eased and mask.any() and not np.array_equal(mask, most.mask):
            eased, pool, its_beginning = _eased(rules, table)
            most, is_eased = _playable(eased, pool, spelled, left, begun, its_beginning), True
            left = left * most.mask
        more = beginning.taken - np.minimum(spelled, beginning.taken)
        if np.array_equal(mask, most.mask):  # no more to find than that this is a play
            if complete or not most.complete:
                break
            left = np.zeros_like(left)
        if (more > left).any() or (beginning.spares_joker and not spelled[-1] and (mask[-1] or not left[-1])):
            continue
        rest = _playable(rules, beginning.pool, spelled + more - beginning.taken, left - more, True, beginning)
        if rest.complete or rest.mask.any():
            mask |= rest.mask | (more > 0)
        complete = complete or (rest.complete and begun and not more.any())
    return Playable(mask, complete)


def _playable(
    rules: RuleSet, pool: Table, spelled: Counts, left: Counts, begun: bool, beginning: Beginning
) -> Playable:
    terms, old = terms_of(rules), board(rules, pool)
    demand, cases = demand_of(terms, beginning), fates_of(rules, old, old.counts, spelled, left, beginning.freed).cases
    mask, complete, hard, is_hard = masks.playable(
        terms.colours,
        old.counts,
        spelled,
        left,
        begun,
        tuple(cases),
        (demand.points, terms.joker_points, demand.no_jokers),
        old.old_ends,
        old.old_groups,
        terms.tables,
    )
    for i in np.flatnonzero(hard).tolist() if is_hard else ():
        question = question_of(rules, old, spelled, left, cases, i, demand)
        if hard[i] & masks.HARD_MASK:
            mask |= _laid_by_best(rules, question, (left > 0) & ~mask, _forced(rules, cases, i))
        complete = complete or bool(hard[i] & masks.HARD_END and _is_complete(question))
    return Playable(mask, complete)


_OPENING = ANY_TURN._replace(is_opening=True)


def _eased(rules: RuleSet, table: Table) -> tuple[RuleSet, Table, Beginning]:
    """A turn that can lay all that a first play can lay, as if it did not matter how it begins.

    Who has opened can lay what an opening and what follows it lay; own sets alone must be worth enough together.
    Returns its rules, the sets that it may rearrange, and its beginning.
    """
    if rules.joker_retrieval_before_meld:  # no turn lays more than one that may use all jokers and sets as it likes
        return _with_free_jokers(rules), table, ANY_TURN
    if rules.initial_meld_table_play == "after_meld":
        return rules, table, ANY_TURN
    return rules, (), _OPENING


@lru_cache(maxsize=256)
def _with_free_jokers(rules: RuleSet) -> RuleSet:
    return rules_of(rules, {"joker_release": "free", **ONLY_FOR_REPLACED_JOKERS})


def _beginnings(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> Iterable[Beginning]:
    """The ways to begin a turn. Sets that come first are looked for only among tiles that can be worth an opening."""
    if not opened and rules.initial_meld_required and is_meld_told(rules) and not rules.joker_retrieval_before_meld:
        worth = _playable(rules, (), np.zeros_like(rack), rack, False, _OPENING).mask
        if not worth.any():
            return ()
        rack = rack * worth
    return _all_beginnings(rules, table, rack.tobytes(), opened)


@lru_cache(maxsize=64)
def _all_beginnings(rules: RuleSet, table: Table, rack: bytes, opened: bool) -> Iterable[Beginning]:
    return Listed(beginnings(rules, table, np.frombuffer(rack, np.uint8), opened))


def can_play(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> bool:
    """Does the player have any legal play?"""
    return bool(playable(rules, table, rack, opened).mask.any())


def best_play(rules: RuleSet, table: Table, rack: Counts, opened: bool, weights: NDArray[np.int64]) -> Counts | None:
    """The legal play of most weight, (kinds,) uint8; None if there is no legal play.

    weights: (kinds,) int64, for each tile played: all above 0, or, for an opening that must have points, all below.
    Of equal plays a fixed one. Raises `TooLargeError`, a MemoryError, where it would take more than some 4 GB.
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
    best, most = None, 0 if weights[0] > 0 else LESS_THAN_ANY
    bound, may_be_eased = max(0, int(weights @ rack)), weights[0] > 0 and not opened and begins_in_ways(rules)
    for before, question in _questions(rules, table, rack, opened, spelled):
        if best is not None and most < bound and may_be_eased:
            bound, may_be_eased = _most_weight(rules, table, rack, weights, spelled), False
        if best is not None and most >= bound:
            break
        way = best_way(question, weights=grid, at_least=most + 1 - int(before @ weights))
        if way is not None:
            play = before + _played(rules, way.codes, question.wild_min)
            weight = int(play @ weights)
            if weight > most:
                best, most = play, weight
    return best


def _most_weight(rules: RuleSet, table: Table, rack: Counts, weights: NDArray[np.int64], spelled: Counts) -> int:
    """A weight that no first play exceeds; there must be such a play."""
    eased, pool, _ = _eased(rules, table)
    best = _best_play(eased, pool, rack, True, weights, spelled)
    assert best is not None, "what a first play lays can be laid where it does not matter how it begins"
    return int(best @ weights)


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
    """All different legal plays, at most `limit`; where there are more, those that are found first.

    The search ends after `MOST_EFFORT`, too, or where a question is too large: with many tiles where runs wrap.
    """
    found: dict[bytes, None] = {}
    try:
        complete = _find_plays(rules, table, rack, opened, limit, found)
    except TooLargeError:
        complete = False
    ordered = sorted(list(found)[:limit])
    return Plays(np.frombuffer(b"".join(ordered), np.uint8).reshape(-1, rack.shape[0]), complete)


def _find_plays(rules: RuleSet, table: Table, rack: Counts, opened: bool, limit: int, found: dict[bytes, None]) -> bool:
    """Adds the legal plays to those found, until there are more than `limit`; are these all?"""
    most, effort = _multisets(rack), 0
    for before, question, listing in _listings(rules, table, rack, opened):
        if effort <= MOST_EDGES < effort + listing.edges:
            rack = rack * playable(rules, table, rack, opened).mask
            most = _multisets(rack)
        effort += listing.edges
        for play in _new_plays(rules, before, question, listing, found):
            found[play] = None
            if len(found) > limit:
                return False
        if effort > MOST_EDGES and most - len(found) <= _FEW:
            found.update(dict.fromkeys(_other_plays(rules, table, rack, opened, found)))
            return len(found) <= limit
        if len(found) == most:
            return True
        if effort > MOST_EFFORT:
            return False
    return True


MOST_EFFORT = 1 << 25
"""So many edges of graphs are looked at, about, where all plays are listed: some seconds."""
_FEW = 128
"""Where no more plays than these can be missing, and one graph did not find them, each is asked for by itself."""


def _multisets(rack: Counts) -> int:
    """How many plays there would be if all were legal."""
    return int(math.prod((rack + 1).tolist())) - 1


def _other_plays(rules: RuleSet, table: Table, rack: Counts, opened: bool, found: Container[bytes]) -> Iterator[bytes]:
    """The legal plays that are not among those found, where few are missing."""
    for numbers in itertools.product(*map(range, (rack + 1).tolist())):
        play = np.array(numbers, np.uint8)
        if play.tobytes() not in found and playable(rules, table, play, opened, play).complete:
            yield play.tobytes()


def _listings(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> Iterator[tuple[Counts, Question, Listing]]:
    """What may be played: what is played in any case of a question, the question, and what it lists beyond that."""
    for before, question in _questions(rules, table, rack, opened, np.zeros(rack.shape, np.uint8)):
        for listing in all_plays(question):
            yield before, question, listing


def _new_plays(
    rules: RuleSet, before: Counts, question: Question, listing: Listing, found: Container[bytes]
) -> Iterator[bytes]:
    """The legal plays of a listing that are not yet among those found, each as the bytes of its counts."""
    counts = np.concatenate([listing.plays[:, : rules.tiles.joker], listing.plays[:, -1:]], axis=1) + before
    counts = counts.astype(np.uint8)
    for number, row, more, way in zip(counts.sum(axis=1).tolist(), counts, listing.plays, listing.ways, strict=True):
        play = row.tobytes()
        if number >= rules.min_tiles_per_turn and play not in found and is_play(question, more, way):
            yield play


def single_tiles(rules: RuleSet, table: Table, rack: Counts, opened: bool) -> NDArray[np.bool_]:
    """Which tiles of the rack are each a legal play by themselves, (kinds,) bool, read-only."""
    return _single_tiles(rules, table, rack.tobytes(), opened)


@lru_cache(maxsize=8)
def _single_tiles(rules: RuleSet, table: Table, its_rack: bytes, opened: bool) -> NDArray[np.bool_]:
    """Players ask it several times a turn."""
    rack = np.frombuffer(its_rack, np.uint8)
    mask, nothing = np.zeros(rack.shape, np.bool_), np.zeros(rack.shape, np.uint8)
    for before, question in _questions(rules, table, rack, opened, nothing) if rules.min_tiles_per_turn == 1 else ():
        if not before.any():
            alone = laid_alone(question)
            mask |= np.append(alone[: rules.tiles.joker], alone[-1])
        elif before.sum() == 1 and not mask[before > 0] and _is_complete(question):
            mask |= before > 0
    mask.flags.writeable = False
    return mask


def arrange(rules: RuleSet, table: Table, played: Counts, opened: bool) -> Table | None:
    """The resolved table after `played` is laid; None if that is not a legal play.

    If no or one old set need be changed, no other is. Else as few tiles as can be move between groups and runs.
    Old sets that lie as they lay keep their places, the others follow. The same question always has the same
    answer.
    """
    terms_of(rules)  # refuses rules that it does not know
    return _arrange(rules, table, played, opened) if played.sum() >= rules.min_tiles_per_turn else None


def _arrange(rules: RuleSet, table: Table, played: Counts, opened: bool) -> Table | None:
    """`arrange`, were one tile enough for a play."""
    if not played.any():
        return None
    if not opened and rules.initial_meld_required:
        return _arrange_first_play(rules, table, played)
    return lay(rules, table, played)


def _arrange_first_play(rules: RuleSet, table: Table, played: Counts) -> Table | None:
    for beginning in _beginnings(rules, table, played, False):
        rest = played - beginning.taken
        if not rest.any() and not beginning.is_opening and not beginning.freed:
            return beginning.beside + beginning.pool
        if beginning.pool:
            after = _arrange(rules, beginning.pool, rest, True)
        else:
            sets = lay(rules, (), rest, beginning)
            after = None if sets is None else beginning.beside + sets
        if after is not None:
            return after
    return None


def playable_counts(rules: RuleSet, table: Counts, rack: Counts) -> tuple[NDArray[np.bool_], bool]:
    """For freely movable jokers, where only the tiles of the table matter and not how they lie.

    `table` need not be complete: it may hold tiles laid earlier in the turn. Returns the mask, (kinds,) bool,
    and whether rack tiles can complete the table. ValueError unless ``joker_release`` is ``free``.
    """
    if rules.joker_release != "free":
        raise ValueError("playable_counts needs joker_release=free: else it matters how the table lies")
    terms, old = terms_of(rules), board(rules, ())
    nothing, left, counts = np.zeros_like(rack), np.array(rack, np.uint8), table[:-1].astype(np.int64)
    cases = fates_of(rules, old, counts, nothing, left, int(table[-1])).cases
    mask, complete, _, _ = masks.playable(
        terms.colours, counts, nothing, left, True, tuple(cases), (0, terms.joker_points, 0), old.old_ends,
        old.old_groups, terms.tables,
    )  # fmt: skip
    return mask, bool(complete or mask.any())


def _questions(
    rules: RuleSet, table: Table, rack: Counts, opened: bool, spelled: Counts
) -> Iterator[tuple[Counts, Question]]:
    """One question for each case of a turn in which some of the rack is played, and what is laid in any case."""
    for beginning in _beginnings(rules, table, rack, opened):
        laid = np.maximum(spelled, beginning.taken)
        old, rest, left = board(rules, beginning.pool), laid - beginning.taken, rack - laid
        cases, _ = fates_of(rules, old, old.counts, rest, left, beginning.freed)
        for i in range(len(cases.freed)):
            question = question_of(rules, old, rest, left, cases, i, demand_of(terms_of(rules), beginning))
            yield laid + _forced(rules, cases, i), question


def _forced(rules: RuleSet, cases: Cases, i: int) -> Counts:
    """The tiles of the rack that must be played in a case, (kinds,) uint8."""
    return np.append(cases.forced[i].reshape(-1)[: rules.tiles.joker], cases.forced_wild[i]).astype(np.uint8)


def _laid_by_best(rules: RuleSet, question: Question, wanted: NDArray[np.bool_], forced: Counts) -> NDArray[np.bool_]:
    """A mask of what can be laid: the play with the most `wanted` tiles not yet found, until it has none.

    Of these plays that of most tiles: where nearly everything must be laid there is less to look at.
    """
    mask, more = np.zeros_like(wanted), int(question.may.sum()) + question.wild_max + 1
    while True:
        unknown = wanted & ~mask
        at_least = 0 if forced[unknown].any() else more
        way = best_way(question, _weights_grid(rules, 1 + more * unknown), at_least=at_least)
        if way is None:
            return mask
        found = _played(rules, way.codes, question.wild_min) + forced > 0
        mask |= found
        if not (found & unknown).any():
            return mask


def _is_complete(question: Question) -> bool:
    """Can what must be laid be laid without anything more?"""
    return best_way(question._replace(may=np.zeros_like(question.may), wild_max=question.wild_min)) is not None


def _weights_grid(rules: RuleSet, weights: NDArray[Any]) -> Grid:
    """Weights of kinds as the sweeps want them: a row a colour, the joker at the end of the first."""
    grid = np.zeros((4, rules.max_value + 1), np.int64)
    grid[: len(rules.colours), :-1] = weights[:-1].reshape(len(rules.colours), rules.max_value)
    grid[0, -1] = weights[-1]
    return grid


def _played(rules: RuleSet, codes: NDArray[np.int64], wild_min: int) -> Counts:
    """The tiles that a path plays beyond what it must."""
    extra = codes[None, :] >> 3 * np.arange(len(rules.colours))[:, None] & 7
    return np.append(extra.reshape(-1), (codes >> 12 & 7).sum() - wild_min).astype(np.uint8)
