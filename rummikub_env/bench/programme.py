"""The best play as an integer programme, solved by HiGHS: independent of the solver, exact, and slow.

For turns of a player who has opened, where a replaced joker may join any set (or all jokers move freely).
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack, vstack

from rummikub_env.bench.positions import sets_of
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table, identities
from rummikub_env.tiles import Counts


class _Fate(NamedTuple):
    """What may become of the jokers on the table."""

    kept: tuple[int, ...]
    """The tiles that some of them stay."""
    freed: tuple[int, ...]
    """The tiles that free the others."""
    wild: int
    """How many may stand for anything."""


def best_weight(rules: RuleSet, table: Table, rack: Counts, weights: NDArray[np.int64]) -> int | None:
    """What the play with the greatest `weights` weighs; None where nothing can be played."""
    found = [_solve(rules, table, rack, weights, fate) for fate in _fates(rules, table)]
    return max((weight for weight in found if weight is not None), default=None)


def _fates(rules: RuleSet, table: Table) -> Iterator[_Fate]:
    """All fates of the old jokers."""
    jokers = [kinds for pieces in table for kinds in identities(rules, pieces)]
    if rules.joker_release == "free":
        yield _Fate((), (), len(jokers))
        return
    if (rules.joker_reuse, rules.joker_replacement_source, rules.joker_group3_release) != (
        "any_set",
        "rack_or_table",
        "either_missing",
    ):
        raise ValueError("the programme is of free jokers, or of joker_reuse=any_set with tiles from anywhere")
    for fate in product(*([(kind, freed) for kind in kinds for freed in (False, True)] for kinds in jokers)):
        freed = tuple(kind for kind, is_freed in fate if is_freed)
        yield _Fate(tuple(kind for kind, is_freed in fate if not is_freed), freed, len(freed))


@cache
def _rows(rules: RuleSet) -> csr_array[Any]:
    """(n + 2, unknowns): what is laid of each tile less what is played of it, the same of jokers, what is played.

    Unknown are how often each set is laid, what is played, and which tiles the wild jokers stand for.
    """
    n, words = rules.tiles.joker, sets_of(rules)
    column = np.repeat(np.arange(len(words)), [len(word) for word in words])
    laid = csr_array((np.ones(len(column)), (np.concatenate(words), column)), shape=(n, len(words)))
    no_sets, nothing = csr_array((1, len(words))), csr_array((1, n))
    tile_sums = hstack([laid, -eye_array(n), csr_array((n, 1)), -eye_array(n)])
    joker_sum = hstack([no_sets, nothing, csr_array([[-1.0]]), csr_array(np.ones((1, n)))])
    something = hstack([no_sets, csr_array(np.ones((1, n + 1))), nothing])
    return csr_array(vstack([tile_sums, joker_sum, something]))


def _solve(rules: RuleSet, table: Table, rack: Counts, weights: NDArray[np.int64], fate: _Fate) -> int | None:
    n, n_sets = rules.tiles.joker, len(sets_of(rules))
    real = np.bincount([p for pieces in table for p in pieces if p < n], minlength=n)
    fixed = [*(real + np.bincount(np.array(fate.kept, np.intp), minlength=n)), fate.wild]
    least = np.zeros(n)
    for kind, number in Counter(fate.freed).items():  # a tile serves one joker
        least[kind] = max(0, number - real[kind])
    if (least > rack[:-1]).any():
        return None
    answer = milp(
        -np.concatenate([np.zeros(n_sets), weights, np.zeros(n)]),
        integrality=np.ones(n_sets + 2 * n + 1, np.int64),
        bounds=Bounds(
            np.concatenate([np.zeros(n_sets), least, np.zeros(n + 1)]),
            np.concatenate([np.full(n_sets, 9), rack, np.full(n, 9)]),
        ),
        constraints=LinearConstraint(_rows(rules), [*fixed, 1], [*fixed, np.inf]),
        options={"mip_rel_gap": 0},
    )
    return None if answer.x is None else round(-answer.fun)
