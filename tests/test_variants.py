"""The judge against exhaustive search, on small games under the rules of every preset and under house rules."""

import json
from collections import Counter
from functools import cache
from itertools import combinations, islice, product
from operator import le, sub
from pathlib import Path

import numpy as np
import pytest
from oracle import Oracle

from rummikub_env import rummikub_v0, solvable, solver
from rummikub_env.casetext import read_pieces, read_state
from rummikub_env.judge import settle
from rummikub_env.kernels import states
from rummikub_env.kernels.tables import can_be_groups, old_bit, tables
from rummikub_env.rules import PRESETS, rules_of
from rummikub_env.sets import identities, resolve_table, table_text

MINI = {"colours": "KRB", "max_value": 5, "copies_per_tile": 1, "players_min": 2, "players_max": 2, "rack_size": 5}
HOUSE_RULES = [
    *(
        "sabra:group_colours_distinct=false" + others
        for others in (
            "",
            ",max_group_size=3",
            ",max_group_size=5",
            ",max_group_size=5,joker_set_edits=add_only",
            ",max_group_size=5,joker_reuse_min_rack_tiles=2",
            ",joker_reuse=any_set,joker_replacement_source=rack",
            ",joker_release=free",
            ",joker_group3_release=both_missing",
            ",joker_set_edits=add_only,joker_declaration=required",
            ",joker_set_edits=add_only,joker_group3_release=both_missing,joker_reuse=any_set",
            ",initial_meld_table_play=after_meld,initial_meld_scope=single_set",
        )
    ),
    "sabra:max_group_size=3",
    "vatikan:joker_set_edits=add_only",
    "machiavelli_it:joker_set_edits=add_only",
    "sabra:max_run_length=5",
    "sabra:max_run_length=5,joker_set_edits=add_only",
    "sabra:max_run_length=5,run_wrap=circular,joker_reuse=any_set",
    "sabra:max_run_length=3,max_jokers_per_set=1",
    "sabra:run_wrap=ace_high",
    "sabra:joker_group3_release=both_missing,joker_set_edits=add_only",
    "sabra:joker_retrieval_before_meld=true",
    "sabra:joker_retrieval_before_meld=true,initial_meld_table_play=after_meld",
    "sabra:initial_meld_type=run,initial_meld_joker=zero",
    "sabra:initial_meld_scope=single_set,initial_meld_table_play=after_meld,initial_meld_joker=forbidden",
    "sabra:min_tiles_per_turn=2,initial_meld_table_play=after_meld,joker_declaration=required",
]


def mini(name):
    rules = rules_of(name)
    points, jokers = min(rules.initial_meld_points, 10), min(rules.joker_count, 2)
    small = MINI | {"initial_meld_points": points, "joker_count": jokers}
    if not rules.group_colours_distinct:  # many more sets
        small |= {"colours": "KR", "max_value": 3, "copies_per_tile": 2, "initial_meld_points": 6}
    if rules.max_run_length == 5:
        small |= {"colours": "KR", "max_value": 6}
    return rules_of(rules, small)


def lax(rules):
    """Rules under which more tiles are sets: the judge must refuse them."""
    return rules_of(rules, {"max_jokers_per_set": None, "run_wrap": "circular", "max_run_length": 13})


def random_position(oracle, rng):
    """Up to two sets with jokers in some of them; a rack of a third set, what replaces a joker, and another tile."""
    rules = oracle.rules
    left = Counter(dict(enumerate(rules.tiles.full.tolist())))
    *table, rack = (random_set(oracle, rng, left) for _ in range(3))
    rack = [rules.tiles.physical(piece) for piece in rack]
    table = resolve_table(rules, filter(None, table))
    replacing = [
        kind for pieces in table for means in identities(rules, pieces) for kind in sorted(means & left.keys())
    ]
    rack += [kind for kind in replacing[:1] if left[kind]]
    rack += rng.permutation(sorted((left - Counter(rack)).elements()))[:1].tolist()
    return table, sorted(rack)


def random_set(oracle, rng, left):
    """A set of tiles that are left, which are taken away; () if none is found at once."""
    tiles = oracle.rules.tiles
    for _ in range(20):
        chosen = oracle.vocabulary[rng.integers(len(oracle.vocabulary))]
        jokers = rng.random(len(chosen)) < 0.2
        laid = oracle._as_laid(tuple(zip(chosen, jokers.tolist(), strict=True)))
        used = Counter(map(tiles.physical, laid))
        if used <= left and jokers.sum() <= (oracle.rules.max_jokers_per_set or 9):
            left -= used
            return laid
    return ()


def layings(oracle, table, played):
    """Every table that holds these tiles, with its jokers told, as the judge gets it."""
    tiles = oracle.rules.tiles
    before = Counter(tiles.physical(piece) for pieces in table for piece in pieces)
    for laying in oracle.layings(before + Counter(played)):
        yield tuple(tuple(tiles.joker_as(k) if j else k for k, j in laid) for laid in laying)


def with_open_jokers(tiles, table, rng):
    """The table with some of its jokers undeclared."""
    return tuple(tuple(p if p < tiles.joker or rng.random() < 0.5 else tiles.joker for p in s) for s in table)


@pytest.mark.parametrize("preset", ["sabra_timed", "machiavelli", "vatikan", "six_player_160"])
def test_exhaustive_search_finds_the_plays_of_the_conformance_cases(preset):
    """Positions of the full game whose plays somebody else's search has listed; every tenth of a preset."""
    cases = json.loads((Path(__file__).parent / "cases" / "plays.json").read_text())["cases"]
    rules = PRESETS[preset]
    oracle = Oracle(rules)
    for case in [case for case in cases if case["preset"] == preset][::10]:
        state = read_state(rules, case["position"])
        found = oracle.plays(state.table, rules.tiles.listed(state.racks[0]), state.opened[0])
        assert found == {tuple(sorted(read_pieces(rules.tiles, play))) for play in case["expect"]["plays"]}, case["id"]


@pytest.mark.parametrize("name", [*PRESETS, *HOUSE_RULES])
def test_the_judge_accepts_what_exhaustive_search_finds(name):
    rules, rng, found = mini(name), np.random.default_rng(3), Counter()
    oracle, generous = Oracle(rules), Oracle(lax(rules))
    for _ in range(2):
        table, rack = random_position(oracle, rng)
        for opened in (True, False) if rules.initial_meld_required else (True,):
            judged = set()
            for size in range(rules.min_tiles_per_turn, len(rack) + 1):
                for played in sorted(set(combinations(rack, size))):
                    tables = list(layings(oracle, table, played))
                    if any(not settle(rules, table, after, played, opened).refusals for after in tables):
                        judged.add(played)
                    for after in [*tables[:2], *islice(layings(generous, table, played), 3)]:
                        after = with_open_jokers(rules.tiles, after, rng)
                        verdict = settle(rules, table, after, played, opened)
                        told = (name, table_text(rules.tiles, table), rack, table_text(rules.tiles, after), opened)
                        assert (not verdict.refusals) == oracle.accepts(table, after, played, opened), told
            assert judged == oracle.plays(table, rack, opened), (name, table, rack, opened)
            found[opened] += len(judged)
    assert found[True]


REFUSED = {
    "sabra:group_colours_distinct=false,max_group_size=5,joker_reuse_min_rack_tiles=2": "_rack_tiles=2; allowed is 0",
    "sabra:max_run_length=3,max_jokers_per_set=1": "max_run_length=3; allowed is 5 or more",
    "sabra:run_wrap=ace_both": "new set; allowed is joker_reuse=any_set, joker_release=free or run_wrap=ace_high",
    "sabra:max_jokers_per_set=1": "max_jokers_per_set=1 with 2 jokers; allowed is 2 or more, or none",
    "sabra:joker_count=5": "2 copies and 5 jokers; allowed is at most 4 jokers, and 7 copies and jokers together",
    "machiavelli:max_value=4": "max_value=4; allowed is max_value=5 or more, run_wrap=ace_high or run_wrap=none",
    "vatikan:max_value=130,copies_per_tile=1,players_max=2,colours=K,initial_meld_points=4096": "4095 or less",
}
"""House rules for the judge that the solver does not answer, and what it says."""


@pytest.mark.parametrize("name", REFUSED)
def test_the_solver_says_which_rules_it_does_not_know(name):
    rules = rules_of(name)
    with pytest.raises(ValueError, match=f"the solver does not support .*{REFUSED[name]}"):
        solver.can_play(rules, (), rules.tiles.full, True)
    with pytest.raises(ValueError, match="the solver does not support"):
        rummikub_v0.env(rules=name)


def test_a_state_holds_as_many_points_as_the_solver_takes():
    assert solvable.MOST_POINTS + 1 == 1 << states.GUESS - states.FIELD


@pytest.mark.parametrize(
    "name",
    [*PRESETS, *sorted({*HOUSE_RULES} - {*REFUSED}), "sabra:initial_meld_type=run,initial_meld_joker=forbidden"],
)
def test_the_solver_finds_what_exhaustive_search_finds(name):
    rules, found = mini(name), 0
    oracle, tiles = Oracle(rules), rules.tiles
    weights = np.arange(1, tiles.kinds + 1) * 7 % 11 + 1
    for seed in range(25):
        table, rack = random_position(oracle, np.random.default_rng(seed))
        counts = tiles.count(rack)
        for opened in (True, False) if rules.initial_meld_required else (True,):
            told = (name, table_text(tiles, table), tiles.join(rack), opened)
            plays = oracle.plays(table, tuple(rack), opened)
            assert {tiles.listed(row) for row in solver.plays(rules, table, counts, opened).counts} == plays, told
            for begun in ([], rack[::3]):
                rest = [Counter(play) - Counter(begun) for play in plays if not Counter(begun) - Counter(play)]
                mask, complete = solver.playable(rules, table, counts, opened, tiles.count(begun))
                assert set(np.flatnonzero(mask).tolist()) == {kind for more in rest for kind in more}, (told, begun)
                assert complete == (tuple(begun) in plays), (told, begun)
            best = solver.best_play(rules, table, counts, opened, weights)
            heaviest = max((weights[list(play)].sum() for play in plays), default=None)
            assert (None if best is None else best @ weights) == heaviest, told
            found += len(plays)
            for play in sorted(plays)[:3]:
                after = solver.arrange(rules, table, tiles.count(play), opened)
                assert after is not None, (told, play)
                assert settle(rules, table, after, play, opened) == (after, ()), (told, play)
    assert found


@pytest.mark.parametrize("largest", [3, 4, 5, 8])
def test_groups_of_equal_colours_are_those_that_can_be_split_into_groups(largest):
    """Jokers and tiles of one value, and old groups that may lie beside no freed joker."""
    rng = np.random.default_rng(largest)
    groups = tables(4, 2, 3, 0, largest, True)[6]
    n_new = 0
    for _ in range(300):
        freed, wild = (int(number) for number in rng.multinomial(rng.integers(1, 4), (0.7, 0.3)))
        tiles = rng.multinomial(rng.integers(0, 11 - freed), (0.4, 0.3, 0.2, 0.1)).clip(max=5)
        tiles = tuple(tiles.tolist())
        olds = [np.bincount(rng.integers(0, 4, rng.integers(3, 5)), minlength=4) for _ in range(rng.integers(12))]
        olds = frozenset(tuple(old.tolist()) for old in olds)
        possible = _can_be_split(freed, wild, tiles, olds, largest)
        bits = sum(1 << old_bit(*old) for old in olds)
        assert can_be_groups(groups, freed, wild, bits, *tiles) == possible, (freed, wild, tiles, olds)
        n_new += possible != _can_be_split(freed, wild, tiles, frozenset(), largest)
    assert n_new or largest == 3


@cache
def _can_be_split(freed, wild, tiles, olds, largest):
    """Is there a first group, and can the rest be split? By trying all."""
    if freed + wild + sum(tiles) == 0:
        return True
    return any(
        3 <= n_freed + n_wild + sum(some) <= largest
        and not (n_freed and any(all(map(le, old, some)) for old in olds))
        and _can_be_split(freed - n_freed, wild - n_wild, tuple(map(sub, tiles, some)), olds, largest)
        for n_freed, n_wild, *some in product(range(freed + 1), range(wild + 1), *(range(n + 1) for n in tiles))
    )
