"""The best play of a full-size position as an integer programme: independent of the solver, and slow.

For turns of a player who has opened, where a replaced joker may join any set (or all jokers move freely).
"""

from collections import Counter
from itertools import product

import numpy as np
from positions import vocabulary
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack, vstack

from rummikub_env.sets import identities


def best_weight(rules, table, rack, weights):
    """What the play with the greatest `weights` weighs; None where nothing can be played."""
    fates = _fates(rules, table)
    found = [_solve(rules, table, rack, weights, kept, freed, wild) for kept, freed, wild in fates]
    return max((weight for weight in found if weight is not None), default=None)


def _fates(rules, table):
    """What may become of the old jokers: the tiles that some stay, that free others, how many are wild."""
    jokers = [kinds for pieces in table for kinds in identities(rules, pieces)]
    if rules.joker_release == "free":
        return [((), (), len(jokers))]
    assert (rules.joker_reuse, rules.joker_replacement_source, rules.joker_group3_release) == (
        "any_set",
        "rack_or_table",
        "either_missing",
    )
    choices = product(*([(kind, freed) for kind in kinds for freed in (False, True)] for kinds in jokers))
    return [
        ([k for k, freed in fate if not freed], [k for k, freed in fate if freed], sum(f for _, f in fate))
        for fate in choices
    ]


def _solve(rules, table, rack, weights, kept, freed, wild):
    """Unknown are how often each set is laid, what is played, and which tiles the wild jokers stand for."""
    tiles = rules.tiles
    n = tiles.joker
    words = vocabulary(rules)
    real = np.bincount([p for pieces in table for p in pieces if p < n], minlength=n)
    needed = real + np.bincount(np.array(kept, np.intp), minlength=n)
    column = np.repeat(np.arange(len(words)), [len(word) for word in words])
    laid = csr_array((np.ones(len(column)), (np.concatenate(words), column)), shape=(n, len(words)))
    no_sets, nothing = csr_array((1, len(words))), csr_array((1, n))
    tile_sums = hstack([laid, -eye_array(n), csr_array((n, 1)), -eye_array(n)])
    joker_sum = hstack([no_sets, nothing, csr_array([[-1.0]]), csr_array(np.ones((1, n)))])
    something = hstack([no_sets, csr_array(np.ones((1, n + 1))), nothing])
    fixed = np.append(needed, wild)
    rows = vstack([tile_sums, joker_sum, something], format="csr")
    least = np.zeros(n)
    for kind, number in Counter(freed).items():  # a tile serves one joker
        least[kind] = max(0, number - real[kind])
    if (least > rack[:-1]).any():
        return None
    lower = np.concatenate([np.zeros(len(words)), least, [0], np.zeros(n)])
    upper = np.concatenate([np.full(len(words), 9), rack, np.full(n, 9)])
    worth = np.concatenate([np.zeros(len(words)), weights, np.zeros(n)])
    answer = milp(
        -worth,
        integrality=np.ones(len(worth)),
        bounds=Bounds(lower, upper),
        constraints=LinearConstraint(rows, np.append(fixed, 1), np.append(fixed, np.inf)),
        options={"mip_rel_gap": 0},
    )
    return None if answer.x is None else round(-answer.fun)
