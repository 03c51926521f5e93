"""The exact solver where runs wrap, against exhaustive search in mini games."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from oracle import Oracle
from positions import Position, weights_of

from rummikub_env import solver
from rummikub_env.judge import settle
from rummikub_env.rules import rules_of
from rummikub_env.sets import identities, readings, table_text

WRAPS = ("ace_high", "ace_both", "circular")
oracle_of = cache(Oracle)


def mini_game(rng, wrap):
    """Rules for a small game in which runs wrap."""
    copies = int(rng.integers(1, 3))
    jokers = int(rng.integers(0, 3))
    opening = int(rng.choice((0, 0, 6, 12)))
    told = {
        "run_wrap": wrap,
        "colours": "KRBO"[: rng.integers(1, 5 - copies)],
        "max_value": int(rng.integers(5, 7)),
        "copies_per_tile": copies,
        "joker_count": jokers,
        "rack_size": 1,
        "initial_meld_required": opening > 0,
        "initial_meld_points": opening,
        "initial_meld_table_play": "never_this_turn" if opening else "after_meld",
        "initial_meld_joker": str(rng.choice(("face", "zero", "forbidden"))) if opening else "face",
        "joker_release": str(rng.choice(("replace", "replace", "free"))) if jokers else "replace",
        "joker_replacement_source": str(rng.choice(("rack_or_table", "rack"))),
        "joker_group3_release": str(rng.choice(("either_missing", "both_missing"))),
        "joker_reuse": "any_set",
    }
    if told["joker_release"] == "free":
        told |= {"joker_replacement_source": "rack_or_table", "joker_group3_release": "either_missing"}
    return rules_of("sabra", told)


def mini_position(rng, rules, most=5):
    """Up to three sets, most of them with the 1 or the highest value; a rack of tiles near them."""
    oracle, tiles = oracle_of(rules), rules.tiles
    ends = {kind for kind in range(tiles.joker) if tiles.value(kind) in (1, rules.max_value)}
    left, table = Counter(dict(enumerate(tiles.full.tolist()))), []
    near = [s for s in oracle.vocabulary if len(s) <= 5 and ends & set(s)]
    for _ in range(rng.integers(0, 4)):
        words = near if rng.random() < 0.7 else oracle.vocabulary
        chosen = words[rng.integers(len(words))]
        jokers = rng.random(len(chosen)) < 0.15
        laid = tuple(tiles.joker if j else k for k, j in zip(chosen, jokers.tolist(), strict=True))
        options = readings(rules, laid)
        if options and Counter(laid) <= left:
            left -= Counter(laid)
            table.append(options[rng.integers(len(options))])
    left = +left
    likely = [tiles.joker] if left[tiles.joker] else []
    likely += [k for pieces in table for means in identities(rules, pieces) for k in means if left[k]]
    likely += [k for k in ends if left[k]]
    rack = Counter()
    for _ in range(rng.integers(1, most + 1)):
        pool = likely if likely and rng.random() < 0.6 else sorted(left)
        kind = pool[rng.integers(len(pool))] if pool else None
        if kind is not None and rack[kind] < left[kind]:
            rack[kind] += 1
    opened = not rules.initial_meld_required or rng.random() < 0.7
    return Position(rules, tuple(table), tuple(sorted(rack.elements())), bool(opened))


def kinds(mask):
    return set(np.flatnonzero(mask).tolist())


def check(p, rng):
    """Everything that the solver says about a position; the number of plays."""
    tiles, asked = p.rules.tiles, (p.rules, p.table, p.counts, p.opened)
    expected = oracle_of(p.rules).plays(p.table, p.rack, p.opened)
    plays = solver.plays(*asked)
    assert {tiles.listed(row) for row in plays.counts} == expected, p
    assert (len(plays.counts), plays.complete) == (len(expected), True), p
    assert kinds(solver.playable(*asked).mask) == {kind for play in expected for kind in play}, p
    spelled = tuple(sorted(rng.permutation(p.rack)[: rng.integers(0, 4)].tolist()))
    for begun in {spelled, *sorted(expected)[:2]}:
        playable = solver.playable(*asked, tiles.count(begun))
        longer = [Counter(play) - Counter(begun) for play in expected if Counter(begun) <= Counter(play)]
        assert kinds(playable.mask) == {kind for more in longer for kind in more}, (p, begun)
        assert playable.complete == (begun in expected), (p, begun)
        assert (solver.arrange(p.rules, p.table, tiles.count(begun), p.opened) is not None) == (begun in expected)
    for weights in (*weights_of(p.rules).values(), rng.integers(1, 99, tiles.kinds)):
        best = solver.best_play(*asked, weights)
        most = max((int(weights[list(play)].sum()) for play in expected), default=None)
        assert (None if best is None else int(best @ weights)) == most, p
        assert best is None or tiles.listed(best) in expected, p
    old = Counter(tiles.physical(piece) for pieces in p.table for piece in pieces)
    for play in sorted(expected):
        table = solver.arrange(p.rules, p.table, tiles.count(play), p.opened)
        assert table is not None, (p, play)
        assert Counter(tiles.physical(piece) for pieces in table for piece in pieces) == old + Counter(play), (p, play)
        assert all(pieces in readings(p.rules, pieces) for pieces in table), (p, play, table_text(tiles, table))
        assert settle(p.rules, p.table, table, play, p.opened) == (table, ()), (p, play, table_text(tiles, table))
    return len(expected)


@pytest.mark.parametrize("wrap", WRAPS)
def test_the_solver_agrees_with_exhaustive_search(wrap):
    rng = np.random.default_rng(7)
    assert sum(check(mini_position(rng, mini_game(rng, wrap)), rng) for _ in range(25))


@pytest.mark.parametrize("wrap", ["none", *WRAPS])
def test_a_joker_that_an_opening_forbids_completes_none(wrap):
    told = {"run_wrap": wrap, "joker_reuse": "any_set", "initial_meld_joker": "forbidden", "initial_meld_points": 6}
    rules = rules_of("sabra", told)
    rack = np.zeros(rules.tiles.joker + 1, np.uint8)
    rack[[4, 5, rules.tiles.joker]] = 1
    answer = solver.playable(rules, (), rack, False, rack)
    assert not answer.complete
    assert not answer.mask.any()
    assert solver.arrange(rules, (), rack, False) is None
