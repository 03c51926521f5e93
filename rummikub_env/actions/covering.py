"""Whether what is left of a turn can be laid, asked of the solver's sweep with jokers as wild tiles."""

from functools import lru_cache

import numpy as np

from rummikub_env.boards import board
from rummikub_env.questions import Grid, Question, best_way
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Table
from rummikub_env.terms import terms_of
from rummikub_env.tiles import Counts


def can_lay(
    rules: RuleSet, need: Counts, may: Counts, least: int = 0, points: int = 0, freed: int = 0, before: Table = ()
) -> bool:
    """Can all of `need` and `least` tiles or more of `may` be laid as sets, jokers standing for anything?

    need, may: (kinds,); points: what all of it must be worth as an opening, 0 or more; freed: so many jokers more must
    be laid, where the rules want it in sets that hold no set of `before`.
    """
    if least <= 0 and points <= 0 and not freed and not need.any():
        return True
    if not freed:
        before = ()
    return _can_lay(rules, need.tobytes(), may.tobytes(), max(least, 0), max(points, 0), freed, before)


@lru_cache(maxsize=1 << 16)
def _can_lay(rules: RuleSet, need: bytes, may: bytes, least: int, points: int, freed: int, before: Table) -> bool:
    terms, old = terms_of(rules), board(rules, before)
    must, more = np.frombuffer(need, np.uint8), np.frombuffer(may, np.uint8)
    in_new_sets = freed if terms.new_sets else 0
    n_must = int(must[-1]) + freed - in_new_sets
    n_may = n_must + int(more[-1])
    question = Question(
        terms.colours, _grid(rules, must), _grid(rules, more), np.zeros((0, 5), np.int64), n_must, n_may,
        in_new_sets, old.old_ends, old.old_groups, points, terms.joker_points if points else 0, terms.tables,
    )  # fmt: skip
    if not least:
        return best_way(question) is not None
    weights = np.ones((4, rules.max_value + 1), np.int64)
    way = best_way(question, weights=weights, at_least=least)
    if way is None:
        return False
    return sum(int((way.codes >> 3 * place & 7).sum()) for place in range(5)) - n_must >= least


def _grid(rules: RuleSet, counts: Counts) -> Grid:
    grid = np.zeros((4, rules.max_value), np.int64)
    grid[: len(rules.colours)] = counts[:-1].reshape(len(rules.colours), rules.max_value)
    return grid
