"""Questions to the sweeps: what can be laid in one case of a turn, and the way that is best."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.beginnings import Beginning
from rummikub_env.boards import Board
from rummikub_env.fates import Cases
from rummikub_env.kernels import graphs, masks, news, plain, traced
from rummikub_env.kernels.arranging import Demand
from rummikub_env.kernels.tables import Tables
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


def question_of(
    rules: RuleSet, old: Board, spelled: Counts, left: Counts, cases: Cases, i: int, demand: Demand
) -> Question:
    """The question for the i-th case: `spelled` must be laid, and perhaps some of what is `left`."""
    terms = terms_of(rules)
    need, may = np.zeros((2, 4, terms.values), np.int64)
    masks.fill_question(old.counts, spelled, left, cases.forced[i], cases.kept[i], need, may)
    wild_min = int(spelled[-1]) + int(cases.wild[i])
    wild_max = wild_min + int(left[-1]) - int(cases.forced_wild[i])
    if demand.no_jokers:
        wild_max = wild_min if wild_min == 0 else -1
    loose = cases.loose[cases.first_loose[i] : cases.first_loose[i + 1]]
    return Question(
        terms.colours, need, may, loose, wild_min, wild_max, int(cases.freed[i]), old.old_ends, old.old_groups,
        demand.points, terms.joker_points if demand.points else 0, terms.tables,
    )  # fmt: skip


def plain_graph(
    q: Question,
    follow_all: bool = False,
    weights: Grid | None = None,
    steady: Grid | None = None,
    bonus: int = 0,
    at_least: int = plain.ANY_WEIGHT,
) -> Any:
    """The graph of a question without freed jokers."""
    return plain.sweep(
        q.colours, q.need, q.may, q.loose, q.wild_min, q.wild_max, q.points, q.joker_points, int(follow_all),
        _NOTHING if weights is None else weights, _NOTHING if steady is None else steady, bonus, at_least, _NOTHING,
        plain.EVERY, q.tables,
    )  # fmt: skip


def traced_graph(
    q: Question,
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


class Way(NamedTuple):
    """A way to lay the tiles."""

    codes: NDArray[np.int64]
    """(values,): what each step lays beyond what it must, in bits 0-14, as `plain.sweep` codes it."""
    steps: Steps | None
    """How it is laid; None where the codes say that, too, or it was not asked for."""


def best_way(
    question: Question,
    weights: Grid | None = None,
    steady: Grid | None = None,
    laying: bool = False,
    at_least: int = 0,
) -> Way | None:
    """The way to lay the tiles that weighs most; None if there is none. laying: must it say how it is laid?

    weights: 0 or more, of what is laid beyond what must be; at_least: less than this is not asked for, and may be None.

    With freed jokers the question is first asked as if they were wild: no way can weigh more than the best of these.
    If its tiles and groups can be laid so that all its jokers lie in new sets, it is the answer.
    """
    if not question.freed:
        return _best_plain(question, weights, steady, at_least)
    n = question.freed
    eased = question._replace(wild_min=question.wild_min + n, wild_max=question.wild_max + n, freed=0)
    way = _best_plain(eased, weights, steady, at_least, bonus=1)
    if way is None:
        return None
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
    least = plain.ANY_WEIGHT
    if weights is not None:
        least = plain.SCALE * (at_least + int(weights[0, -1]) * question.wild_min)
    graph = plain_graph(question, weights=weights, steady=steady, bonus=bonus, at_least=least)
    codes = graphs.best_codes(graph)
    if codes[0] < 0:
        return None
    return Way(codes, None)


def _best_traced(
    question: Question, weights: Grid | None, steady: Grid | None, fixed: NDArray[np.int64] | None = None
) -> Way | None:
    graph, steps = traced_graph(question, weights=weights, steady=steady, fixed=fixed)
    path = graphs.best_path(graph)
    if path[0] < 0:
        return None
    freed_left = question.freed - traced.freed_used(graph[0][graph[2][path]])
    return Way(graph[4][path], Steps(steps[path], freed_left))
