"""How the kernels lay a table: the judge takes it, and old sets that need not change stay where they are."""

from collections import Counter

import numpy as np
import pytest
from positions import random_position

from rummikub_env import solver
from rummikub_env.boards import rows_of, table_of
from rummikub_env.game import Play, check
from rummikub_env.judge import settle
from rummikub_env.rules import rules_of
from rummikub_env.sets import table_text
from rummikub_env.state import State

SIX = "sabra:colours=KRB,max_value=6,rack_size=5,initial_meld_points=10"


def arranged(text, played):
    """The state of a text, and the table after `played` is laid."""
    state = State.from_text(text)
    tiles = state.rules.tiles
    table = solver.arrange(state.rules, state.table, tiles.count(tiles.parse_all(played)), True)
    assert check(state, Play(table, tiles.parse_all(played))) == ()
    return table_text(tiles, table)


def test_a_long_run_with_a_freed_joker_is_cut_where_it_would_hold_a_long_old_run():
    """The joker of a run of five is freed by the B2 of a group: it may not come back to the end of that run."""
    text = f"{SIX}; racks R4 / K5; table K2 R2 B2 | R3 R4 R5 R6 | B1 J=B2 B3 J=B4 B5 | K3 K4 K5; opened ++; pool B6"
    assert "J=B4 B5 J=B6" in arranged(text, "R4").split(" | ")


@pytest.mark.parametrize(
    ("played", "table"),
    [
        ("R10", "K1 K2 K3 | B7 B8 B9 | R7 R8 R9 R10"),
        ("K4", "R7 R8 R9 | B7 B8 B9 | K1 K2 K3 K4"),
        ("O7 O8 O9", "K1 K2 K3 | R7 R8 R9 | B7 B8 B9 | O7 O8 O9"),
    ],
)
def test_only_the_set_that_grows_moves(played, table):
    text = f"sabra; racks {played} K13 / K5; table K1 K2 K3 | R7 R8 R9 | B7 B8 B9; opened ++; pool"
    assert arranged(text, played) == table


def random_play(p, rng):
    """Some of the rack that can be laid, (kinds,) uint8; None where nothing can."""
    spelled = np.zeros_like(p.counts)
    while True:
        mask, complete = solver.playable(p.rules, p.table, p.counts, True, spelled)
        if complete and (not mask.any() or rng.random() < 0.5):
            return spelled
        if not mask.any():
            return None
        spelled[rng.choice(np.flatnonzero(mask))] += 1


@pytest.mark.parametrize("n_jokers", [0, 1, 2])
def test_the_judge_takes_what_is_laid_and_old_sets_come_first_in_their_order(n_jokers):
    laid, kept = 0, 0
    for seed in range(100):
        rng, rules = np.random.default_rng(seed), rules_of("sabra")
        p = random_position(rules, rng, 20, 6, n_jokers)
        play = random_play(p, rng)
        if play is not None:
            after = solver.arrange(rules, p.table, play, True)
            assert settle(rules, p.table, after, rules.tiles.listed(play), True).refusals == ()
            left = Counter(after)
            stayed = [pieces for pieces in p.table if left[pieces] > 0 and not left.subtract([pieces])]
            assert list(after[: len(stayed)]) == stayed
            laid, kept = laid + 1, kept + len(stayed)
    assert laid > 30
    assert kept > laid


def test_rows_are_a_table_in_another_form():
    for seed in range(20):
        p = random_position(rules_of("six_player_160"), np.random.default_rng(seed), 60, 0, seed % 5)
        rows = rows_of(p.rules, p.table)
        assert table_of(rows[: len(p.table)]) == p.table
        assert (rows[len(p.table) :] == -1).all()
