"""How the table lies after a play (`kernels.arranging`), where the plain sweep alone cannot say it as well."""

from collections import Counter

import numpy as np

from rummikub_env.beginnings import Beginning
from rummikub_env.boards import Board, board, table_of
from rummikub_env.fates import fates_of
from rummikub_env.kernels import arranging
from rummikub_env.kernels.arranging import HARD, NONE, lock_loose
from rummikub_env.laying import lay_plain, lay_traced
from rummikub_env.questions import ANY_TURN, best_way, demand_of, question_of
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table, is_run
from rummikub_env.terms import terms_of
from rummikub_env.tiles import Counts


def lay(rules: RuleSet, table: Table, played: Counts, beginning: Beginning = ANY_TURN) -> Table | None:
    """The resolved table after `played` is laid in the rest of a turn that began so; None if it cannot be laid."""
    terms, old = terms_of(rules), board(rules, table)
    demand, rows = demand_of(terms, beginning), np.full_like(old.rows, -1)
    stage = case = 0
    while True:
        answer, stage, case, n = arranging.arrange(terms, old.rows, old.n, played, demand, stage, case, rows)
        if answer == NONE:
            return None
        if answer != HARD:
            return table_of(rows[:n])
        sets = _lay_hard(rules, old, table, stage, case, played, beginning)
        if sets is not None:
            return _assembled(table, stage, sets)
        stage, case = stage + 1, 0


def _lay_hard(
    rules: RuleSet, old: Board, table: Table, stage: int, case: int, played: Counts, beginning: Beginning
) -> Table | None:
    """The sets into which the tiles of a stage and `played` can be laid, asked from a case on."""
    terms, pool, nothing = terms_of(rules), _pool(table, stage), np.zeros_like(played)
    part, demand = board(rules, pool), demand_of(terms, beginning)
    cases, whole = fates_of(rules, part, old.counts, played, nothing, beginning.freed)
    in_groups = [kind for pieces in pool if not is_run(rules, pieces) for kind in pieces if kind < terms.joker]
    steady = np.bincount(in_groups or _NONE, minlength=4 * terms.values).reshape(4, -1)
    for i in range(case, len(whole)):
        question = question_of(rules, part, played, nothing, cases, i, demand)
        way = best_way(question._replace(old_ends=old.old_ends, old_groups=old.old_groups), steady=steady, laying=True)
        if way is not None:
            locked = np.maximum(cases.kept[i], 0)
            real = question.need - locked
            lock_loose(way.codes >> 54 if way.steps is None else way.steps.rows[:, 4] & 0xFF, cases, i, locked)
            if way.steps is None:
                return whole[i] + lay_plain(rules, way.codes, real, locked, pool)
            return whole[i] + lay_traced(rules, way.steps, real, locked, (old.old_ends, old.old_groups), pool)
    return None


_NONE = np.zeros(0, np.int64)


def _pool(table: Table, stage: int) -> Table:
    """The sets that a stage of `kernels.arranging` breaks up."""
    return () if stage == 0 else table[stage - 1 : stage] if stage <= len(table) else table


def _assembled(table: Table, stage: int, sets: Table) -> Table:
    """The table with the sets of a stage laid anew; as the kernel puts it together."""
    fresh = Counter(sets)
    stay = []
    for i, pieces in enumerate(table):
        if stage <= len(table) and i != stage - 1:
            stay.append(pieces)
        elif fresh[pieces]:
            fresh[pieces] -= 1
            stay.append(pieces)
    for pieces in sets:
        if fresh[pieces]:
            fresh[pieces] -= 1
            stay.append(pieces)
    return tuple(stay)
