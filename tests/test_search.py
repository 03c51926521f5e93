"""The searching player: it compares candidates in the same worlds, and deviates from the greedy play with reason."""

import numpy as np
import pytest

from agents import make
from agents.search import POLICIES, Pimc, Round, candidates, chosen, gain, halving, trials, within
from rummikub_env.game import Draw, Pass, Play, advance, apply
from rummikub_env.policy import TEMPO, Policy, move_of
from rummikub_env.rollouts import rollout
from rummikub_env.rules import rules_of
from rummikub_env.solver import arrange, plays
from rummikub_env.state import State, deal, view

SMALL = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"


def rng(seed=0):
    return np.random.default_rng(seed)


def with_choices(preset, players, most=8, seeds=range(99)):
    """Views of greedy games in which there are two candidates or more, and the candidates."""
    for seed in seeds:
        state = deal(rules_of(preset), players, seed, "private")
        while state.outcome is None:
            seen = view(state, state.to_move)
            counts = candidates(seen, Policy(), most, rng(seed))
            if len(counts) > 1:
                yield seen, counts
            state = advance(state, move_of(seen, Policy().choose(seen)))


def position(rack, other="K8 K8 R8 R8 O8", table="", pool="B13 R5 O1"):
    line = f"sabra; racks {rack} / {other}; table {table}; opened ++; pool {pool}; move 0"
    return view(State.from_text(line), 0)


# Candidates


@pytest.mark.parametrize(("preset", "players"), [("sabra", 2), ("sabra", 4), ("machiavelli", 3)])
def test_candidates_are_different_legal_plays_the_greedy_one_and_the_draw_first(preset, players):
    views = with_choices(preset, players)
    for _ in range(12):
        seen, counts = next(views)
        assert np.array_equal(counts[0], Policy().choose(seen))
        assert not counts[1].any()
        assert 2 <= len(counts) <= 8
        assert len({row.tobytes() for row in counts}) == len(counts)
        for row in counts[2:]:
            assert arrange(seen.rules, seen.table, row, seen.opened[seen.seat]) is not None


def test_where_there_is_room_all_plays_are_candidates():
    for (seen, counts), _ in zip(with_choices(SMALL, 2, most=1000), range(20), strict=False):
        listed = plays(seen.rules, seen.table, seen.rack, seen.opened[seen.seat])
        assert {row.tobytes() for row in counts if row.any()} == {row.tobytes() for row in listed.counts}


def test_of_the_others_those_of_most_tiles_come_first():
    seen = position("K1 K2 K3 K4 K5 K6 K7 R1 R2 R3 B1 B2 B3 O9")
    counts = candidates(seen, Policy(), 8, rng())
    sizes = counts[:, :-1].sum(axis=1).tolist()
    every = sorted(plays(seen.rules, seen.table, seen.rack, True).counts.sum(axis=1).tolist(), reverse=True)
    assert sizes[0] == every[0]
    assert sizes[2:6] == every[1:5]


def test_what_is_deviated_from_comes_first():
    for seen, counts in (next(with_choices("sabra", players)) for players in (2, 4)):
        waiting = candidates(seen, TEMPO, 8, rng())
        first = TEMPO.choose(seen)
        assert np.array_equal(waiting[0], np.zeros_like(seen.rack) if first is None else first)
        assert {row.tobytes() for row in counts[:2]} <= {row.tobytes() for row in waiting}


LARGE = "K1 K3 K5 K7 K9 K11 R2 R4 R6 R10 R12 B1 B3 B5 B7 B9 B11 O2 O4 O6 O8"


@pytest.mark.parametrize(("pool", "late"), [("B13 R5 O1 R1", True), ("B13 R5 O1 R1 R3", False)])
def test_of_a_large_rack_single_tiles_are_candidates_where_the_pool_is_nearly_empty(pool, late):
    seen = position(LARGE, table="K2 K3 K4 | K4 K5 K6", pool=pool)
    listed = plays(seen.rules, seen.table, seen.rack, True).counts
    ones = {row.tobytes() for row in listed if row.sum() == 1}
    counts = candidates(seen, Policy(), 99, rng())
    assert len(ones) > 2
    assert counts[0].sum() == listed.sum(axis=1).max()
    assert not counts[1].any()
    assert {row.tobytes() for row in counts[2:]} == (ones if late else set())


def test_a_list_that_is_cut_is_made_up_for_by_solving(monkeypatch):
    seen = position("K1 K2 K3 K4 K5 K6 K7 R1 R2 R3 B1 B2 B3 O9")
    monkeypatch.setattr("agents.search.MOST_LISTED", 3)
    counts = candidates(seen, Policy(), 8, rng())
    assert len({row.tobytes() for row in counts}) == 8
    assert all(arrange(seen.rules, seen.table, row, True) is not None for row in counts if row.any())


def test_who_must_play_is_offered_no_draw():
    rules = rules_of(SMALL, {"must_play_if_able": True})
    for (_, counts), _ in zip(with_choices(rules.name, 2), range(10), strict=False):
        assert counts.any(axis=1).all()


# Trials

ALIKE = [Policy()] * 2


def test_all_candidates_meet_the_same_worlds():
    seen, counts = next(with_choices("sabra", 2))
    twice = np.stack([counts[0], counts[1], counts[0]])
    wins = trials(seen, twice, iter([Round(6, 3), Round(4, 3)]), ALIKE, rng(1))
    assert np.array_equal(wins[0], wins[2])
    assert gain(wins, 2).mean == 0
    assert len(wins[0]) == 10


def test_trials_are_the_rollouts_of_each_candidate():
    seen, counts = next(with_choices("sabra", 2))
    (of_greedy, of_draw), seed = (
        trials(seen, counts[:2], iter([Round(5, 2)]), ALIKE, rng(1)),
        rng(1).integers(1 << 62),
    )
    for found, first in ((of_greedy, counts[0]), (of_draw, counts[1])):
        ends = rollout(seen, first, [Policy()] * 2, int(seed), 5)
        assert np.array_equal(found, ends.wins[:, seen.seat])


def test_halving_gives_most_worlds_to_the_best_and_always_keeps_the_first():
    seen, counts = next(pair for pair in with_choices("sabra", 2) if len(pair[1]) >= 5)
    wins = trials(seen, counts, halving(4), ALIKE, rng(2))
    lengths = [len(won) for won in wins]
    assert lengths[0] == 28
    assert sorted(lengths[1:], reverse=True)[:3] == [28, 12, 4]
    ahead = [won[:4].sum() for won in wins[1:]]
    assert min(a for a, n in zip(ahead, lengths[1:], strict=True) if n > 4) >= max(
        a for a, n in zip(ahead, lengths[1:], strict=True) if n == 4
    )


def test_the_clock_ends_a_search():
    times = iter([0.0, 0.1, 0.3, 0.6, 1.2])
    assert [played.kept for played in within(1000, lambda: next(times))] == [1 << 30, 1 << 30, 3, 2]


@pytest.mark.parametrize(
    ("wins", "guard", "best"),
    [
        ([[0, 0, 1, 0], [1, 0, 1, 1]], 0.7, 1),
        ([[0, 0, 1, 0], [1, 0, 0, 1]], 0.7, 0),  # better, but not clearly
        ([[0, 0, 1, 0], [1, 0, 0, 1]], 0.0, 1),
        ([[0, 0, 1, 0], [1, 1], [0, 0, 0, 0]], 0.0, 0),  # the second was given up
        ([[1, 0]], 0.0, 0),
        ([[0, 0], [1, 1]], 1.5, 0),  # two worlds tell little, even if they agree
    ],
)
def test_a_deviation_must_be_clearly_better_in_the_worlds_that_it_shares(wins, guard, best):
    assert chosen([np.array(won, float) for won in wins], guard) == best


# The player


def test_the_same_seed_makes_the_same_moves():
    def game(seed):
        state, source, moves = deal(rules_of(SMALL), 2, seed), rng(seed), []
        while state.outcome is None:
            moves.append(Pimc(worlds=3).move(view(state, state.to_move), source))
            state = apply(state, moves[-1])
        return moves

    games = [game(seed) for seed in range(4)]
    assert games == [game(seed) for seed in range(4)]


def test_it_wins_where_it_can_and_moves_without_choice_unsearched(monkeypatch):
    monkeypatch.setattr("agents.search.trials", lambda *_: pytest.fail("it searches"))
    player = Pimc()
    assert len(player.move(position("K1 K2 K3"), rng()).played) == 3
    assert player.move(position("K1 R2 B3"), rng()) == Draw()
    assert player.move(position("K1 R2 B3", pool=""), rng()) == Pass()


def test_one_candidate_alone_is_played():
    for (seen, counts), _ in zip(with_choices(SMALL, 2), range(10), strict=False):
        assert Pimc(most=1, rollout="greedy_tiles").move(seen, rng()) == move_of(seen, counts[0])


def test_an_unreachable_guard_makes_it_play_its_policy_and_none_lets_it_deviate():
    differ = 0
    for (seen, counts), _ in zip(with_choices(SMALL, 2), range(30), strict=False):
        assert Pimc(worlds=2, guard=1e9, rollout="greedy_tiles").move(seen, rng()) == move_of(seen, counts[0])
        differ += Pimc(worlds=2, guard=0, rollout="greedy_tiles").move(seen, rng()) != move_of(seen, counts[0])
    assert differ > 3


@pytest.mark.parametrize(
    ("preset", "players"),
    [("sabra", 3), ("rummy_games_50", 2), ("pressman_1998_single_set", 2), ("machiavelli", 3), ("mso_tournament", 2)],
)
def test_it_makes_only_legal_moves_by_any_rules(preset, players):
    seen, _ = next(with_choices(preset, players))
    state, source, player = seen.sample(rng(5)), rng(5), Pimc(worlds=1, most=3, rollout="greedy_tiles")
    kinds = set()
    for _ in range(12):
        move = player.move(view(state, state.to_move), source)
        kinds.add(type(move))
        state = apply(state, move)  # which refuses what is not legal
        if state.outcome is not None:
            break
    assert Play in kinds


def test_what_it_chooses_wins_more_in_worlds_that_it_has_not_seen():
    gains = []
    for number, (seen, counts) in enumerate(with_choices(SMALL, 2)):
        wins = trials(seen, counts, halving(10), ALIKE, rng(number))
        if best := chosen(wins, 0.7):
            fresh = trials(seen, counts[[0, best]], iter([Round(60, 2)]), ALIKE, rng(1000 + number))
            gains.append(gain(fresh, 1).mean)
        if len(gains) == 12:
            break
    assert np.mean(gains) > 2 * np.std(gains) / np.sqrt(len(gains))
    assert np.mean(gains) > 0.02


def test_its_name_makes_it_again():
    for spec in ("pimc", "pimc:worlds=5,guard=0.5", "pimc:ms=30.0,rollout=keep_joker,others=all_out"):
        assert make(spec, rules_of("sabra")).name == spec
    assert set(POLICIES) == {"greedy_tiles", "greedy_value", "keep_joker", "all_out", "tempo"}
    with pytest.raises(ValueError, match="must be 1 or more"):
        make("pimc:worlds=0", rules_of("sabra"))
