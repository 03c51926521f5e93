"""Questions to the sweeps: what can be laid in one case of a turn, and the way that is best."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.beginnings import Beginning
from rummikub_env.boards import Board
from rummikub_env.fates import Cases
from rummikub_env.kernels import graphs, hands, masks, news, plain, states, traced
from rummikub_env.kernels.arranging import Demand
from rummikub_env.kernels.tables import ACE_HIGH, Tables
from rummikub_env.kernels.terms import Terms
from rummikub_env.laying import Steps
from rummikub_env.rules import RuleSet
from rummikub_env.terms import terms_of
from rummikub_env.tiles import Counts

Grid = NDArray[np.int64]
"""(4, values) int64: a number for each tile; rows beyond the colours of the game are 0."""

ANY_TURN = Beginning(np.zeros(0, np.uint8), (), ())
"""A turn that begins with nothing; its table is known as a board."""


def demand_of(terms: Terms, beginning: Beginning) -> Demand:
    """What is asked of the rest of a turn; where own sets lie already, their rule for jokers holds for it, too."""
    forbidden = terms.no_jokers and (beginning.is_opening or bool(beginning.beside))
    return Demand(terms.points if beginning.is_opening else 0, int(forbidden), beginning.freed)


class Question(NamedTuple):
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


class Way(NamedTuple):
    """A way to lay the tiles."""

    codes: NDArray[np.int64]
    """(values,): what each step lays beyond what it must, in bits 0-14, as `plain.sweep` codes it."""
    steps: Steps | None
    """How it is laid; None where the codes say that, too, or it was not asked for."""


def question_of(
    rules: RuleSet, old: Board, spelled: Counts, left: Counts, cases: Cases, i: int, demand: Demand
) -> Question:
    """The question for the i-th case: `spelled` must be laid, and perhaps some of what is `left`."""
    terms = terms_of(rules)
    need, may = np.zeros((2, 4, terms.values), np.int64)
    masks.fill_question(old.counts, spelled, left, cases.forced[i], cases.kept[i], need, may)
    wild_min = int(spelled[-1]) + int(cases.wild[i])
    wild_max = masks.most_wild(wild_min, int(left[-1]) - int(cases.forced_wild[i]), demand.no_jokers)
    loose = cases.loose[cases.first_loose[i] : cases.first_loose[i + 1]]
    return Question(
        terms.colours, need, may, loose, wild_min, wild_max, int(cases.freed[i]), old.old_ends, old.old_groups,
        demand.points, terms.joker_points if demand.points else 0, terms.tables,
    )  # fmt: skip


class TooLargeError(MemoryError):
    """There are so many ways to lay the tiles that not all can be looked at."""


MOST_SEARCHED = 1 << 25
"""So many edges a graph may have where a best way is looked for; with its states it takes some 4 GB."""


def plain_graph(
    q: Question,
    weights: Grid | None = None,
    steady: Grid | None = None,
    bonus: int = 0,
    at_least: int = plain.ANY_WEIGHT,
) -> Any:
    """The graph of the best states of a question without freed jokers; raises `TooLargeError`."""
    graph = plain.sweep(
        q.colours, q.need, q.may, q.loose, q.wild_min, q.wild_max, q.points, q.joker_points,
        _NOTHING if weights is None else weights, _NOTHING if steady is None else steady, bonus, at_least, _NOTHING,
        _NOTHING, 0, MOST_SEARCHED, q.tables,
    )  # fmt: skip
    if len(graph[2]) > MOST_SEARCHED:
        raise TooLargeError(
            f"there are too many ways to lay the tiles: more than {MOST_SEARCHED:,} steps were looked at"
        )
    return graph


def traced_graph(
    q: Question,
    weights: Grid | None = None,
    steady: Grid | None = None,
    fixed: NDArray[np.int64] | None = None,
) -> Any:
    """The graph of a question with freed jokers, and the steps of its edges."""
    return traced.sweep(
        q.colours, q.need, q.may, q.loose, q.wild_min, q.wild_max, q.freed, q.old_ends, q.old_groups,
        _NOTHING if weights is None else weights, _NOTHING if steady is None else steady,
        _NOTHING if fixed is None else fixed, q.tables,
    )  # fmt: skip


_NOTHING = np.zeros((0, 0), np.int64)


class Listing(NamedTuple):
    """What may be laid beyond what must be; `is_play` says whether it can."""

    plays: NDArray[np.int64]
    """(n, 4 * values + 1): how many of each tile, the wild jokers last."""
    ways: NDArray[np.int64]
    """(n, values): the codes of a way to lay each, as `Way` has them."""
    edges: int
    """How many edges of graphs were looked at for them."""


def all_plays(question: Question) -> Iterator[Listing]:
    """What may be laid beyond what must be, nothing twice, as much at a time as is found together: perhaps nothing.

    Freed jokers are laid as if they were wild: no other plays are possible.

    Where the graph of a question is too large, its parts are looked at, those with different numbers of one tile: first
    the part with a way of most tiles. So some plays come soon, however many there are.
    """
    eased = _eased(question)
    may = hands.relevant(eased.need, eased.may, eased.loose, eased.wild_max, eased.tables)
    parts: list[tuple[Question, Way | None]] = [(eased._replace(may=may), None)]
    while parts:
        part, best = parts.pop()
        listing, is_all = _listing(part)
        if is_all:
            more = np.append(part.need - eased.need, part.wild_min - eased.wild_min)
            yield listing._replace(plays=listing.plays + more)
        else:
            yield listing._replace(plays=listing.plays[:0], ways=listing.ways[:0])
            parts += _parts(part, best)


MOST_EDGES = 1 << 18
"""So many edges a graph may have where plays are listed; its arrays take some 45 MB."""
MOST_LISTED = 1 << 13
"""So many plays are listed of one graph; where it has more, it is too large, too."""


def _listing(part: Question) -> tuple[Listing, bool]:
    """The plays of one graph; and are these all?"""
    if not part.may.any() and part.wild_min == part.wild_max:  # one play or none, and no smaller part
        edges = 0
        for asked in (*_straight(part), part):
            graph = plain_graph(asked, bonus=1)
            codes, edges = graphs.best_codes(graph)[None], edges + len(graph[2])
            codes = codes[codes[:, 0] >= 0]
            if len(codes):
                break
        return Listing(np.zeros((len(codes), part.may.size + 1), np.int64), codes, edges), True
    signs, sign_bits = plain.signs_of(part.may)
    graph = plain.sweep(
        part.colours, part.need, part.may, part.loose, part.wild_min, part.wild_max, part.points, part.joker_points,
        _NOTHING, _NOTHING, 1, plain.ANY_WEIGHT, _NOTHING, signs, sign_bits, MOST_EDGES, part.tables,
    )  # fmt: skip
    rows, ways, are_all = graphs.distinct_plays(graph, part.wild_min, MOST_LISTED)
    return Listing(rows.astype(np.int64), ways, len(graph[2])), are_all and len(graph[2]) <= MOST_EDGES


def _parts(question: Question, best: Way | None) -> list[tuple[Question, Way | None]]:
    """The question with each number of one tile that may be laid, that of a way of most tiles last, with this way.

    best: such a way, if it is known. No parts if there is no way.
    """
    best = best or _best_plain(question, np.ones((4, question.may.shape[1] + 1), np.int64), None, 0)
    if best is None:
        return []
    if not question.may.any():
        numbers = range(question.wild_min, question.wild_max + 1)
        return [(question._replace(wild_min=n, wild_max=n), None) for n in numbers]
    value, colour = np.argwhere(question.may.T)[0]
    most, its = int(question.may[colour, value]), int(best.codes[value] >> 3 * colour & 7)
    parts: list[tuple[Question, Way | None]] = []
    for n in sorted(range(most + 1), key=lambda n: (n == its, n)):
        need, may = question.need.copy(), question.may.copy()
        need[colour, value] += n
        may[colour, value] = 0
        parts.append((question._replace(need=need, may=may), best if n == its else None))
    return parts


def laid_alone(question: Question) -> NDArray[np.bool_]:
    """Which tiles can each be laid alone beyond what must be, (4 * values + 1,), a wild joker last."""
    eased = _eased(question)
    signs = 1 + np.arange(eased.may.size).reshape(eased.may.shape)
    each = np.full((4, eased.may.shape[1] + 1), -1)
    graph = plain.sweep(
        eased.colours, eased.need, eased.may, eased.loose, eased.wild_min, min(eased.wild_max, eased.wild_min + 1),
        eased.points, eased.joker_points, each, _NOTHING, 1,
        -states.SCALE * (1 + eased.wild_min), _NOTHING, signs, eased.may.size.bit_length(), plain.EVERY, eased.tables,
    )  # fmt: skip
    rows, ways, _ = graphs.distinct_plays(graph, eased.wild_min, eased.may.size + 2)  # all ones, and nothing
    alone = rows.sum(axis=1) == 1
    laid = np.zeros(rows.shape[1], np.bool_)
    for one, way in zip(rows[alone].astype(np.int64), ways[alone], strict=True):
        laid |= (one > 0) & is_play(question, one, way)
    return laid


def is_play(question: Question, play: NDArray[np.int64], way: NDArray[np.int64]) -> bool:
    """Can the freed jokers lie in new sets, in this way to lay what `all_plays` says or in another one?"""
    if not question.freed:
        return True
    is_new = news.lie_in_new_sets(way, question.old_ends, question.old_groups, question.tables)
    return is_new or _can_lay(question, play)


def _can_lay(question: Question, play: NDArray[np.int64]) -> bool:
    """Can these tiles be laid beyond what must be, (4 * values + 1,), and no more?"""
    wild = question.wild_min + int(play[-1])
    need = question.need + play[:-1].reshape(question.need.shape)
    exactly = question._replace(need=need, may=np.zeros_like(need), wild_min=wild, wild_max=wild)
    return best_way(exactly) is not None


def _eased(question: Question) -> Question:
    """The same as if the freed jokers were wild, which allows more."""
    n = question.freed
    return question._replace(wild_min=question.wild_min + n, wild_max=question.wild_max + n, freed=0)


def best_way(
    question: Question,
    weights: Grid | None = None,
    steady: Grid | None = None,
    laying: bool = False,
    at_least: int = 0,
) -> Way | None:
    """The way to lay the tiles that weighs most; None if there is none. laying: must it say how it is laid?

    weights: of what is laid beyond what must be; at_least: what weighs less is None, or may be with freed jokers.

    With freed jokers the question is first asked as if they were wild: no way can weigh more than the best of these.
    If its tiles and groups can be laid so that all its jokers lie in new sets, it is the answer.
    """
    if not question.freed:
        return _best_plain(question, weights, steady, at_least)
    way = _best_plain(_eased(question), weights, steady, at_least, bonus=1)
    if way is None:
        return None
    n = question.freed
    wild = int((way.codes >> 12 & 7).sum())
    codes = way.codes & 0xFFF
    codes[0] |= wild - n << 12
    if not laying and news.lie_in_new_sets(way.codes, question.old_ends, question.old_groups, question.tables):
        return Way(codes, None)
    if news.groups_are_new(way.codes, question.old_groups, question.tables[6]):
        laid = question.need + (way.codes >> 3 * np.arange(4)[:, None] & 7)
        exactly = question._replace(need=laid, may=np.zeros_like(laid), wild_min=0, wild_max=0, freed=wild)
        exact = _best_traced(exactly, None, steady, news.groups_of(way.codes))
        if exact is not None:
            return Way(codes, exact.steps)
    return _best_traced(question, weights, steady)


def _best_plain(
    question: Question, weights: Grid | None, steady: Grid | None, at_least: int, bonus: int = 0
) -> Way | None:
    for asked, least in _asked_for(question, weights, at_least):
        codes = graphs.best_codes(plain_graph(asked, weights, steady, bonus, least))
        if codes[0] >= 0:
            return Way(codes, None)
    return None


def _asked_for(question: Question, weights: Grid | None, at_least: int) -> Iterator[tuple[Question, int]]:
    """What is asked one after the other, until there is a way: the question, and what a path must weigh, in 16ths.

    Where runs wrap, first whether all that may be laid can be in runs that do not; where much may be laid, then for
    nearly all of it, which rules out most paths.
    """
    if weights is None:
        yield question, plain.ANY_WEIGHT
        return
    by_jokers = int(weights[0, -1])
    much, straight = question.may.sum() > _MUCH, _straight(question)
    if (much or straight) and weights.min() >= 0:
        may = hands.relevant(question.need, question.may, question.loose, question.wild_max, question.tables)
        most = int((may * weights[:, :-1]).sum()) + by_jokers * (question.wild_max - question.wild_min)
        for asked in straight if most > at_least else ():
            yield asked, states.SCALE * (most + by_jokers * question.wild_min)
        for share in _LEFT_OUT if much else ():
            if most - int(share * most) > at_least:
                yield question, states.SCALE * (most - int(share * most) + by_jokers * question.wild_min)
    yield question, states.SCALE * (at_least + by_jokers * question.wild_min)


def _straight(question: Question) -> tuple[Question, ...]:
    """The question as if runs did not wrap, where they do at both ends: a smaller one, all of whose ways are legal."""
    if question.tables[5] <= ACE_HIGH:
        return ()
    return (question._replace(tables=(*question.tables[:5], 0, *question.tables[6:])),)


_MUCH = 16
"""Tiles that may be laid, from which on it is worth while to ask more than once."""
_LEFT_OUT = 0, 1 / 16, 1 / 8, 1 / 4, 1 / 2
"""Shares of the weight that a way may leave out when it is asked for again and again."""


def _best_traced(
    question: Question, weights: Grid | None, steady: Grid | None, fixed: NDArray[np.int64] | None = None
) -> Way | None:
    graph, steps = traced_graph(question, weights=weights, steady=steady, fixed=fixed)
    path = graphs.best_path(graph)
    if path[0] < 0:
        return None
    freed_left = question.freed - traced.freed_used(graph[0][graph[2][path]])
    return Way(graph[4][path], Steps(steps[path], freed_left))
