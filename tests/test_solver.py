"""The exact solver: against exhaustive search in mini games, an integer programme in the full one, and in corners."""

from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import Oracle
from positions import FREE_JOKERS, Position, position, positions, random_position, weights_of

from rummikub_env import objectives, questions, solver
from rummikub_env.beginnings import beginnings
from rummikub_env.boards import board
from rummikub_env.judge import settle
from rummikub_env.kernels import masks
from rummikub_env.rules import rules_of
from rummikub_env.sets import readings, table_text

generated = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
oracle_of = cache(Oracle)


def expected(p: Position):
    """Every legal play by exhaustive search."""
    return oracle_of(p.rules).plays(p.table, p.rack, p.opened)


def found(p: Position, **limits):
    """Every legal play by the solver."""
    plays = solver.plays(*asked(p), **limits)
    listed = [p.rules.tiles.listed(row) for row in plays.counts]
    assert len(set(listed)) == len(listed)
    return set(listed), plays.complete


def asked(p: Position):
    return p.rules, p.table, p.counts, p.opened


def kinds(mask):
    return set(np.flatnonzero(mask).tolist())


def text(p: Position, plays):
    return {p.rules.tiles.join(play) for play in plays}


@st.composite
def positions_in_a_turn(draw):
    """A position and some tiles of the rack that were spelled."""
    p = draw(positions())
    return p, tuple(sorted(draw(st.lists(st.sampled_from(p.rack), max_size=4, unique=True))))


# Mini games, against exhaustive search


@given(positions())
@generated
def test_all_plays_are_those_of_the_oracle(p):
    assert found(p) == (expected(p), True)


@given(positions())
@generated
def test_a_tile_is_playable_if_a_legal_play_holds_it(p):
    playable = solver.playable(*asked(p))
    assert kinds(playable.mask) == {kind for play in expected(p) for kind in play}
    assert not playable.complete
    assert solver.can_play(*asked(p)) == bool(expected(p))


@given(positions())
@generated
def test_single_tiles_are_the_plays_of_one_tile(p):
    assert kinds(solver.single_tiles(*asked(p))) == {play[0] for play in expected(p) if len(play) == 1}


@given(positions_in_a_turn())
@generated
def test_a_further_tile_is_playable_if_a_legal_play_holds_it_and_what_is_spelled(asked_here):
    p, spelled = asked_here
    first = solver.playable(*asked(p))
    playable = solver.playable(*asked(p), p.rules.tiles.count(spelled))
    longer = [Counter(play) - Counter(spelled) for play in expected(p) if Counter(spelled) <= Counter(play)]
    assert kinds(playable.mask) == {kind for more in longer for kind in more}
    assert playable.complete == (spelled in expected(p))
    within = solver.playable(*asked(p), p.rules.tiles.count(spelled), first.mask)
    assert (kinds(within.mask), within.complete) == (kinds(playable.mask), playable.complete)


@given(positions_in_a_turn())
@generated
def test_where_no_graph_is_small_enough_for_a_mask_it_is_the_same(asked_here):
    p, spelled = asked_here

    def all_too_large(colours, counts, spelled, left, begun, cases, *others):
        forces = cases[0].any(axis=(1, 2)) | (cases[3] > 0)
        hard = np.where(forces | (not begun), masks.HARD_MASK, masks.HARD_MASK | masks.HARD_END)
        return np.zeros(left.shape, np.bool_), False, hard, True

    playable = solver.playable(*asked(p), p.rules.tiles.count(spelled))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masks, "playable", all_too_large)
        by_best = solver.playable(*asked(p), p.rules.tiles.count(spelled))
    assert (kinds(by_best.mask), by_best.complete) == (kinds(playable.mask), playable.complete)


@given(positions(), st.data())
@generated
def test_the_best_play_is_the_heaviest_of_the_oracle(p, data):
    n = p.rules.tiles.kinds
    drawn = np.array(data.draw(st.lists(st.integers(1, 99), min_size=n, max_size=n)), np.int64)
    for weights, much in product((*weights_of(p.rules).values(), drawn), (questions._MUCH, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(questions, "_MUCH", much)
            play = solver.best_play(*asked(p), weights)
        most = max((int(weights[list(play)].sum()) for play in expected(p)), default=None)
        assert (None if play is None else int(play @ weights)) == most
        assert play is None or p.rules.tiles.listed(play) in expected(p)


@given(positions())
@generated
def test_a_play_is_arranged_as_the_judge_accepts_it(p):
    tiles = p.rules.tiles
    old = Counter(tiles.physical(piece) for pieces in p.table for piece in pieces)
    for play in expected(p):
        table = solver.arrange(p.rules, p.table, tiles.count(play), p.opened)
        assert table is not None, play
        assert Counter(tiles.physical(piece) for pieces in table for piece in pieces) == old + Counter(play)
        assert all(pieces in readings(p.rules, pieces) for pieces in table), table_text(tiles, table)
        assert settle(p.rules, p.table, table, play, p.opened) == (table, ())


@given(positions_in_a_turn())
@generated
def test_what_is_no_play_is_not_arranged(asked_here):
    p, spelled = asked_here
    table = solver.arrange(p.rules, p.table, p.rules.tiles.count(spelled), p.opened)
    assert (table is not None) == (spelled in expected(p))


@given(positions())
@generated
def test_no_second_old_set_is_changed_where_one_is_enough(p):
    for play in expected(p):
        table = solver.arrange(p.rules, p.table, p.rules.tiles.count(play), p.opened)
        changed = (Counter(p.table) - Counter(table)).total()
        for fewer in range(min(2, changed)):
            assert not can_lay_changing(p, play, fewer)
        stay = [pieces for pieces in p.table if pieces in table]
        assert list(table[: len(stay)]) == stay or changed + len(stay) != len(p.table)


def can_lay_changing(p, play, number):
    """Can the oracle lay the play and change no old set, or one?"""
    oracle, joker = oracle_of(p.rules), p.rules.tiles.joker
    for i in range(len(p.table)) if number else [None]:
        kept = tuple(pieces for j, pieces in enumerate(p.table) if j != i)
        broken = Counter() if i is None else Counter(min(piece, joker) for piece in p.table[i])
        for laying in oracle.layings(broken + Counter(play)):
            laid = tuple(tuple(joker + 1 + k if j else k for k, j in pieces) for pieces in laying)
            if oracle.accepts(p.table, kept + laid, play, p.opened):
                return True
    return False


@given(positions())
@generated
def test_stricter_rules_allow_no_more(p):
    ladder = ({}, {"joker_reuse": "any_set"}, FREE_JOKERS)
    plays = [found(p._replace(rules=rules_of(p.rules, eased)))[0] for eased in ladder]
    assert plays[0] <= plays[1] <= plays[2]


@given(positions())
@generated
def test_the_same_question_has_the_same_answer(p):
    def answers():
        playable, best = solver.playable(*asked(p)), solver.best_play(*asked(p), weights_of(p.rules)["value"])
        plays = solver.plays(*asked(p)).counts
        tables = [solver.arrange(p.rules, p.table, play, p.opened) for play in plays]
        return playable.mask.tobytes(), None if best is None else best.tobytes(), plays.tobytes(), tables

    before = answers()
    board.cache_clear()
    assert answers() == before


@given(positions())
@generated
def test_with_free_jokers_only_the_tiles_of_the_table_matter(p):
    p = p._replace(rules=rules_of(p.rules, FREE_JOKERS), opened=True)
    tiles = p.rules.tiles
    table = tiles.count([piece for pieces in p.table for piece in pieces])
    mask, can_complete = solver.playable_counts(p.rules, table, p.counts)
    assert kinds(mask) == kinds(solver.playable(*asked(p)).mask)
    assert can_complete


# Numbers of plays that exhaustive search has confirmed once


# The full game, against an integer programme


@pytest.mark.parametrize("rules", ["sabra:joker_release=free", "sabra:joker_reuse=any_set"])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_play_of_the_full_game_is_that_of_an_integer_programme(rules, seed):
    pytest.importorskip("scipy", reason="the integer programme needs SciPy")
    from rummikub_env.bench.programme import best_weight

    rng = np.random.default_rng(seed)
    p = random_position(rules_of(rules), rng, rng.integers(70), rng.integers(5, 25), seed % 3)
    for weights in weights_of(p.rules).values():
        play = solver.best_play(*asked(p), weights)
        assert (None if play is None else int(play @ weights)) == best_weight(p.rules, p.table, p.counts, weights), p


# Corners


@pytest.mark.parametrize("rules", ["sabra", "pagat_sabra", "wikipedia_no", "vatikan", "rummy_games_50"])
@pytest.mark.parametrize("seed", range(12))
def test_single_tiles_of_the_full_game_are_those_that_complete_a_play(rules, seed):
    p = random_position(rules_of(rules), np.random.default_rng(seed), 40, 14, n_jokers=seed % 3)
    p = p._replace(rack=(*p.rack, p.rules.tiles.joker)) if seed % 3 == 0 else p
    ones = np.eye(len(p.counts), dtype=np.uint8)[p.counts > 0]
    complete = [one for one in ones if solver.playable(p.rules, p.table, one, p.opened, one).complete]
    assert complete
    assert kinds(solver.single_tiles(*asked(p))) == {kind for one in complete for kind in kinds(one)}


def test_two_copies_of_a_set_lie_side_by_side():
    p = position("sabra", "K7 R7 B7 | R3 R4 R5", "K7 R7 B7 R3 R4 R5")
    assert text(p, found(p)[0]) == {"K7 R7 B7", "R3 R4 R5", "K7 R3 R4 R5 R7 B7"}
    table = solver.arrange(p.rules, p.table, p.counts, True)
    assert Counter(table) == Counter([*p.table, *p.table])


RICH = position("sabra", "K1 K2 J | R5 R6 R7 R8 | B9 O9 J | O10 O11 O12 O13", "K3 K4 R4 R9 K9 R1 B1 O1 K1 B2 B3 B4")
WRAPS = position(
    "machiavelli_it", "K12 K13 K1 | R5 R6 J | B9 O9 K9 | O10 O11 O12 O13", "K2 K3 R4 O1 B13 R9 O2 R7 J K11"
)
WILD = position("six_player_160", "K1 J K3 | R5 R6 J | B9 O9 K9 J | O10 O11 O12", "K2 K3 K4 R4 O1 R9 O2 R7 O13 K11 J")


def test_a_list_of_all_plays_ends_at_its_limits_and_says_so(monkeypatch):
    every = solver.plays(*asked(RICH))
    assert every.complete
    assert len(every.counts) > 100
    some = solver.plays(*asked(RICH), limit=20)
    assert not some.complete
    assert len(some.counts) == 20
    monkeypatch.setattr(solver, "MOST_EFFORT", 0)
    fewer = solver.plays(*asked(RICH))
    assert not fewer.complete
    assert len(fewer.counts) < len(every.counts)
    for cut in (some, fewer):
        assert {row.tobytes() for row in cut.counts} <= {row.tobytes() for row in every.counts}


@pytest.mark.parametrize(("limit", "value"), [("MOST_EDGES", 0), ("MOST_EDGES", 300), ("MOST_LISTED", 5)])
@pytest.mark.parametrize("p", [RICH, WRAPS, WILD], ids=["sabra", "machiavelli_it", "six_player_160"])
def test_in_parts_the_same_plays_are_found(p, limit, value, monkeypatch):
    whole = solver.plays(*asked(p))
    assert whole.complete
    monkeypatch.setattr(questions, limit, value)
    in_parts = solver.plays(*asked(p))
    assert in_parts.complete
    np.testing.assert_array_equal(in_parts.counts, whole.counts)


@pytest.mark.parametrize("p", [RICH, WRAPS, WILD], ids=["sabra", "machiavelli_it", "six_player_160"])
def test_one_by_one_the_same_plays_are_found(p, monkeypatch):
    whole, asked_one_by_one = solver.plays(*asked(p)), solver._other_plays
    monkeypatch.setattr(solver, "MOST_EDGES", 0)
    monkeypatch.setattr(solver, "_FEW", 1 << 20)
    others = []
    monkeypatch.setattr(solver, "_other_plays", lambda *args: others.extend(one := [*asked_one_by_one(*args)]) or one)
    np.testing.assert_array_equal(solver.plays(*asked(p)).counts, whole.counts)
    assert others


def test_of_many_plays_some_are_found_soon():
    """Not in one graph: that has more than three million edges."""
    p = position(
        "sabra",
        "K11 R11 B11 | B13 O13 J | R7 R8 R9 | R4 B4 O4 | K1 R1 B1 | K3 R3 B3 | K5 R5 O5 | R6 B6 O6 | K7 R7 B7"
        " | K8 R8 O8 | K9 R9 B9 | K12 R12 O12 | K9 K10 K11 K12 | R1 R2 R3 R4 | B8 B9 B10 | B10 B11 B12"
        " | O1 O2 O3 | O7 O8 O9",
        "K3 K4 K4 K6 K6 K13 R5 R12 R13 R13 B1 B2 B5 B5 B7 B12 O1 O4 O7 O10 O11",
    )
    some = solver.plays(*asked(p), limit=300)
    assert (len(some.counts), some.complete) == (300, False)
    for row in some.counts[::30]:
        table = solver.arrange(p.rules, p.table, row, True)
        assert settle(p.rules, p.table, table, p.rules.tiles.listed(row), True) == (table, ())


CROWDED = position(
    "machiavelli_it",
    "B1 O1 J | R1 R2 R3 R4 | K5 R5 O5 | B4 B5 B6 B7 B8 B9 B10 B11 B12 B13 | B11 B12 B13 | R1 R2 R3 R4 R5 | K11 K12 K13"
    " | R6 B6 O6 | B7 B8 B9 | O1 O2 O3 O4 O5 | K1 K2 K3 | K5 K6 K7 K8 K9 | K12 R12 O12 | K10 R10 O10 | O10 O11 O12 O13",
    "K1 K2 K3 K4 K4 K6 K8 K9 K11 K13 R7 R8 R8 R9 R9 R11 R12 R13 R13 B2 B2 B3 B5 B10 O3 O4 O6 O7 O7 O9 O13 J J J",
)
"""Its graph takes more memory than a machine has."""


def test_in_a_crowded_game_the_mask_and_the_best_play_are_found_in_small_graphs(monkeypatch):
    monkeypatch.setattr(questions, "MOST_SEARCHED", 1 << 17)
    assert kinds(solver.playable(*asked(CROWDED)).mask) == set(CROWDED.rack)
    best = solver.best_play(*asked(CROWDED), weights_of(CROWDED.rules)["tiles"])
    np.testing.assert_array_equal(best, CROWDED.counts)


def test_what_would_take_too_much_memory_is_an_error_or_a_short_list(monkeypatch):
    monkeypatch.setattr(questions, "MOST_SEARCHED", 20)
    with pytest.raises(MemoryError, match="more than 20 steps were looked at"):
        solver.best_play(*asked(RICH), weights_of(RICH.rules)["tiles"])
    monkeypatch.setattr(questions, "MOST_EDGES", 0)
    some = solver.plays(*asked(RICH))
    assert not some.complete


def test_in_the_place_of_a_joker_may_lie_another_tile_than_the_one_that_replaced_it():
    """The K4 replaces a joker and lies in a run with it; the R4 lies in its place, in a set that stays whole."""
    p = position("sabra_timed", "B4 J=4 J=4 | R1 R2 R3 R4", "K4 K5")
    assert p.rules.joker_set_edits == "add_only"
    assert text(p, found(p)[0]) == {"K4", "K4 K5"}
    table = solver.arrange(p.rules, p.table, p.counts, True)
    assert table_text(p.rules.tiles, table) == "R4 B4 J | K4 K5 J=K6 | R1 R2 R3"
    assert settle(p.rules, p.table, table, p.rack, True) == (table, ())


MANY_BEGINNINGS = position(
    "sabra_timed",
    "B4 B5 B6 | O7 O8 J",
    "K1 K2 K3 K4 K5 K6 R1 R2 R3 R4 R7 R8 R9 B7 B8 B9 B10 B11 O10 O11 O12 K10 R10 J",
    False,
)


def test_many_ways_to_begin_are_not_all_looked_at(monkeypatch):
    p, ones = MANY_BEGINNINGS, np.ones(MANY_BEGINNINGS.rules.tiles.kinds, np.int64)
    asked_here = []

    def counted(ask):
        def answer(question, *args, **named):
            asked_here.append(question)
            return ask(question, *args, **named)

        return answer

    begun = len(list(beginnings(p.rules, p.table, p.counts, False)))
    monkeypatch.setattr(solver, "all_plays", counted(solver.all_plays))
    plays = solver.plays(*asked(p), limit=1000)
    assert (len(plays.counts), plays.complete) == (1000, False)
    assert len(asked_here) < begun / 10
    asked_here.clear()
    monkeypatch.setattr(solver, "MOST_EFFORT", -1)
    assert not solver.plays(*asked(p)).complete
    assert len(asked_here) == 1
    asked_here.clear()
    monkeypatch.setattr(solver, "best_way", counted(solver.best_way))
    best = solver.best_play(*asked(p), ones)
    assert best.sum() >= plays.counts.sum(axis=1).max()
    assert len(asked_here) < begun / 10


def test_no_play_is_better_than_to_go_out(monkeypatch):
    p, answer, asked_here = position("sabra_timed", "", "K10 K11 K12 R10 R11 R12", False), solver.best_way, []
    monkeypatch.setattr(solver, "best_way", lambda *args, **named: asked_here.append(args) or answer(*args, **named))
    assert len(list(beginnings(p.rules, p.table, p.counts, False))) > 1
    assert (solver.best_play(*asked(p), np.ones(p.rules.tiles.kinds, np.int64)) == p.counts).all()
    assert len(asked_here) == 1


@pytest.mark.parametrize("preset", ["sabra", "pressman_1998_single_set", "german_club", "mso_tournament"])
def test_the_opening_of_fewest_tiles_is_the_heaviest_of_all_openings(preset):
    rules, opened = rules_of(preset), 0
    aims, source = objectives.weights(rules, "fewest"), np.random.default_rng(1)
    for _ in range(25):
        rack = source.multivariate_hypergeometric(rules.tiles.full, 20).astype(np.uint8)
        listed, best = solver.plays(rules, (), rack, False), solver.best_play(rules, (), rack, False, aims)
        assert listed.complete
        assert (best is None) == (len(listed.counts) == 0)
        if best is not None:
            assert best @ aims == (listed.counts @ aims).max()
            assert best.sum() == listed.counts.sum(axis=1).min()
            opened += 1
    assert opened > 4
