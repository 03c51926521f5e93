"""Learning from search: what the student sees, what it learns from, and that it plays what it has learned."""

import json
import os
import pickle
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
import torch

import train
from agents import make
from agents.evaluation import compare
from agents.learning import stages
from agents.learning.config import Config
from agents.learning.fitting import batch_of, fit, losses
from agents.learning.log import read_log
from agents.learning.measuring import measure_gains
from agents.search import LATE, candidates, is_open
from agents.student.config import FitConfig, StudentConfig
from agents.student.features import FACTS, NUMBERS, PLANES, POOL, SEATS, SIZES, Choice, choice_of, inputs_of
from agents.student.games import make_part
from agents.student.labels import SHARE, label_of, load, save
from agents.student.network import Shape, answers, new_weights
from agents.student.player import SHIPPED, Learned, Student, preferred, save_student
from agents.student.searched import Searched
from rummikub_env.game import advance, apply
from rummikub_env.policy import TEMPO, Policy, move_of
from rummikub_env.rules import rules_of
from rummikub_env.state import State, deal, view
from rummikub_env.tiles import TileSet

MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
SMOKE = "--config=configs/student_smoke.yaml"
SOURCE = Searched(
    rules=rules_of(MINI),
    players=2,
    student=None,
    partners=("greedy_tiles",),
    partner=0.5,
    stray=0.2,
    taken=0.5,
    taken_late=0.5,
    worlds=6,
    most=6,
    base="greedy_tiles",
    seed=3,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def weights(seed=0, sign=-1):
    """Weights whose scores differ enough to make plays that are not the first."""
    made = new_weights(Shape(8, 1, (16,)), rng(seed))
    return made | {"last": 10 * sign * made["last"]}


def student_of(folder, made, guard=Student.guard, base="greedy_tiles"):
    """The student of these weights."""
    save_student(folder / "student.npz", Learned(made, base, "student"))
    return Student(str(folder / "student.npz"), guard)


@pytest.fixture(scope="module")
def labels():
    return make_part(SOURCE, 0, 60)


def same(one, other):
    """Are these lists of labels equal, in types as well?"""
    if [label.wins.shape for label in one] != [label.wins.shape for label in other]:
        return False
    here, there = ([array for label in made for array in (*label.choice, label.wins)] for made in (one, other))
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(here, there, strict=True))


# Features


def position(line):
    seen = view(State.from_text(line), 0)
    return seen, candidates(seen, Policy(), 8, rng())


LINE = "sabra; racks K1 K2 K3 R9 J / O1 O2; table R3 R4 R5; opened +-; pool O13 B1; move 0; turn 4; last - / draw 1"


def test_planes_say_what_lies_where_before_and_after_each_candidate():
    seen, counts = position(LINE)
    planes = inputs_of(seen.rules.tiles, [choice_of(seen, counts)]).planes
    assert planes.shape == (len(counts), 4, 13, PLANES)
    rack, table, left, laid = (planes[..., i].reshape(len(counts), 52) for i in (0, 2, 4, 6))
    unseen, played, greedy = (planes[..., i].reshape(len(counts), 52) for i in (8, 9, 10))
    for i, row in enumerate(counts):
        assert np.array_equal(rack[i], seen.rack[:-1] > 0)
        assert np.array_equal(left[i], (seen.rack - row)[:-1] > 0)
        assert np.array_equal(played[i], row[:-1])
        assert np.array_equal(greedy[i], counts[0, :-1])
        assert np.array_equal(laid[i] - table[i], row[:-1])
        assert np.array_equal(2 * unseen[i], seen.unseen[:-1])


def test_facts_tell_the_other_seats_in_the_order_of_their_turns():
    line = "sabra; racks K1 / O1 O2 / B5 B6 B7; table ; opened -+-; pool O13 B1; move 1; last draw 1 / - / play 4"
    state = State.from_text(line)
    facts = choice_of(view(state, 1), np.zeros((1, 53), np.uint8)).facts
    after, then, nobody = (facts[i * (SIZES + 8) : (i + 1) * (SIZES + 8)] for i in range(3))
    assert after[0] == then[0] == 1
    assert not nobody.any()
    assert after[4 + 3] == then[4 + 1] == 1  # three tiles on the next rack, one on the other
    assert after[4 + SIZES + 2] == then[4 + SIZES] == 1  # who played, who drew
    pool = facts[-SEATS - POOL :]
    assert facts[-SEATS - POOL - 3] == 1  # opened
    assert pool[2] == pool[SEATS + 2] == 1  # two tiles in the pool, for three seats
    assert pool.sum() == 2
    assert len(facts) == FACTS


def permuted(choice, order):
    """The choice with other names for the colours."""
    tiles = TileSet()
    kinds = np.append(np.arange(52).reshape(4, 13)[list(order)].reshape(-1), tiles.joker)
    return Choice(choice.rack[kinds], choice.table[kinds], choice.facts, choice.counts[:, kinds])


def test_other_names_for_the_colours_change_no_answer():
    seen, counts = position(LINE)
    choice, tiles = choice_of(seen, counts), seen.rules.tiles
    plain = inputs_of(tiles, [choice])
    scores = answers(np, weights(), *plain).scores
    assert np.ptp(scores) > 0.01
    for order in permutations(range(4)):
        inputs = inputs_of(tiles, [permuted(choice, order)])
        assert np.array_equal(inputs.planes, plain.planes[:, list(order)])
        assert np.array_equal(inputs.numbers, plain.numbers)
        np.testing.assert_allclose(answers(np, weights(), *inputs).scores, scores, atol=1e-5)


def test_many_choices_are_seen_as_each_alone(labels):
    tiles, choices = SOURCE.rules.tiles, [label.choice for label in labels[:8]]
    together = inputs_of(tiles, choices)
    alone = [inputs_of(tiles, [choice]) for choice in choices]
    assert np.array_equal(together.planes, np.concatenate([inputs.planes for inputs in alone]))
    assert np.array_equal(together.numbers, np.concatenate([inputs.numbers for inputs in alone]))
    assert together.numbers.shape[1] == NUMBERS + FACTS


# The network


def test_numpy_and_torch_give_the_same_answers(labels):
    inputs = inputs_of(SOURCE.rules.tiles, [label.choice for label in labels])
    made = new_weights(Shape(), rng(1))
    tensors = {name: torch.from_numpy(array) for name, array in made.items()}
    here, there = answers(np, made, *inputs), answers(torch, tensors, *map(torch.from_numpy, inputs))
    np.testing.assert_allclose(here.scores, there.scores.numpy(), atol=1e-5)
    np.testing.assert_allclose(here.logits, there.logits.numpy(), atol=1e-5)
    assert np.ptp(here.scores) > 0.01


def test_a_tile_sees_its_neighbours_and_its_value_in_the_other_colours():
    made = weights() | {"first.bias": np.ones(8, np.float32)}

    def scores(*places):
        planes = np.zeros((1, 4, 13, PLANES), np.float32)
        for colour, value in places:
            planes[0, colour, value, 0] = 1
        return answers(np, made, planes, np.zeros((1, NUMBERS + FACTS), np.float32)).scores[0]

    apart = scores((0, 3), (2, 8))
    assert scores((1, 3), (3, 8)) == pytest.approx(apart, abs=1e-5)
    assert scores((0, 3), (0, 4)) != pytest.approx(apart, abs=1e-3)
    assert scores((0, 3), (2, 3)) != pytest.approx(apart, abs=1e-3)


# Labels


def test_a_part_is_decided_by_its_source_and_number(labels):
    assert same(make_part(SOURCE, 0, 60), labels)
    assert not same(make_part(SOURCE, 1, 60), labels)
    assert not same(make_part(replace(SOURCE, seed=4), 0, 60), labels)


def test_labels_are_open_decisions_with_the_wins_of_all_candidates(labels):
    for label in labels:
        counts = label.choice.counts
        assert 2 <= len(counts) <= 6
        assert label.wins.shape == (len(counts), 6)
        assert set(np.unique(label.wins)) <= {0, SHARE // 2, SHARE}
        assert counts[0].any()
        assert counts[0].sum() < label.choice.rack.sum()
        assert label.gains[0] == 0
        assert label.gains == pytest.approx((label.wins.mean(axis=1) - label.wins[0].mean()) / SHARE)
    assert len({label.choice.rack.tobytes() for label in labels}) > 40


def test_only_decisions_of_the_student_are_labelled_in_games_with_a_partner(tmp_path):
    student, source = student_of(tmp_path, weights()), replace(SOURCE, players=3, stray=0.0, taken=1.0, taken_late=1.0)
    told = [replace(source, student=who, partner=share) for who in (None, student) for share in (1.0, 0.0)]
    made = [make_part(each, 0, 12) for each in told]
    assert not any(same(one, other) for one, other in combinations(made, 2))


def test_decisions_are_taken_where_it_is_told():
    def pools(**shares):
        made = make_part(replace(SOURCE, **shares), 0, 20)
        return [round(float(label.choice.facts[-SEATS - POOL - 2]) * 100) for label in made]

    late = LATE * SOURCE.players
    assert max(pools(taken=0.0)) == late
    assert min(pools(taken_late=0.0)) == late + 1


def test_a_label_file_is_read_as_it_was_written_and_small(labels, tmp_path):
    path = tmp_path / "labels" / "0-00000.npz"
    save(path, labels)
    assert same(load(path), labels)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat().st_size < 180 * len(labels)


# Learning


def test_losses_are_of_the_gains_and_the_wins(labels):
    batch = batch_of(SOURCE.rules.tiles, labels)
    tensors = {name: torch.from_numpy(array) for name, array in new_weights(Shape(), rng()).items()}
    tensors["last"], tensors["last.bias"] = torch.zeros_like(tensors["last"]), torch.tensor([5.0, 0.0])
    of_gains, of_wins = losses(tensors, batch)  # all scores are alike, all chances even
    gains = np.concatenate([label.gains[1:] for label in labels])
    assert float(of_gains) == pytest.approx((gains**2).mean(), rel=1e-5)
    assert float(of_wins) == pytest.approx(np.log(2), rel=1e-5)
    assert batch.weight.sum() == len(gains)


def taught(size=300, seed=0):
    """Labels without a search, in which drawing wins more where a rack has many tiles, and less where it has few."""
    source, made, state = rng(seed), [], None
    while len(made) < size:
        if state is None or state.outcome is not None:
            state = deal(SOURCE.rules, 2, source)
        seen = view(state, state.to_move)
        counts = candidates(seen, Policy(), 6, source)
        if is_open(seen, counts):
            chances = np.where(counts.any(axis=1), 0.5, 0.9 if seen.rack.sum() > 5 else 0.1)
            wins = chances[:, None] > source.random((8, len(counts))).T
            made.append(label_of(choice_of(seen, counts), wins))
        state = advance(state, move_of(seen, counts[0]))
    return made


def test_it_learns_what_the_labels_say():
    tiles, made = SOURCE.rules.tiles, taught()
    config = FitConfig(epochs=12, batch=32, learning_rate=3e-3, ema=0.9, channels=8, blocks=1, hidden=(16,))
    first, *_, last = fit(tiles, made[:220], config, 0)
    before, after = (measure_gains(tiles, made[220:], each, 0.05) for each in (first, last))
    assert after["explained"] > max(0.1, before["explained"])
    assert after["advantage"] > 0.1
    assert after["advantage"] < after["teacher"] + 4 * after["advantage_error"]
    for label in made[220:]:
        inputs = inputs_of(tiles, [label.choice])
        row = preferred(answers(np, last, *inputs).scores, 0.05)
        if label.choice.rack.sum() < 5:
            assert label.choice.counts[row].any()


def test_equal_seeds_learn_alike():
    made, config = taught(60), FitConfig(epochs=2, batch=32, channels=4, blocks=1, hidden=(8,))
    runs = [list(fit(SOURCE.rules.tiles, made, config, seed))[-1] for seed in (0, 0, 1)]
    assert all(np.array_equal(runs[0][name], runs[1][name]) for name in runs[0])
    assert not np.array_equal(runs[0]["first"], runs[2]["first"])


def test_figures_are_of_what_the_student_would_choose(labels):
    tiles = SOURCE.rules.tiles
    figures = measure_gains(tiles, labels, weights(), 1e9)
    assert figures["advantage"] == figures["deviations"] == figures["draws"] == 0
    drawn = weights() | {"last": np.zeros((16, 2), np.float32)}
    assert measure_gains(tiles, labels, drawn, -1.0)["deviations"] == 0  # equal scores: the first one
    free = measure_gains(tiles, labels, weights(), 0.0)
    assert free["deviations"] >= free["draws"] > 0


# The player


@pytest.mark.parametrize(
    ("preset", "players"), [("sabra", 2), ("sabra", 4), ("rummy_games_50", 3), ("six_player_160", 6), (MINI, 3)]
)
def test_any_weights_make_only_legal_moves_by_any_rules(preset, players, tmp_path):
    source, tables = rng(1), []
    for sign in (1, -1):
        player = student_of(tmp_path, weights(sign=sign), guard=0.0)
        state = deal(rules_of(preset), players, 1)
        for _ in range(40):
            state = apply(state, player.move(view(state, state.to_move), source))
            if state.outcome is not None:
                break
        tables.append(state.table)
    assert any(tables)


def test_a_student_is_its_file(tmp_path):
    player = student_of(tmp_path, weights())
    assert make(player.file, rules_of("sabra")) == player
    assert make(player.name, rules_of("sabra")) == player
    assert {name: array.tolist() for name, array in player.weights.items()} == {
        name: array.tolist() for name, array in weights().items()
    }
    seen, _ = position(LINE)
    assert pickle.loads(pickle.dumps(player)).move(seen, rng()) == player.move(seen, rng())


def test_a_file_that_is_written_anew_is_read_anew(tmp_path):
    player = student_of(tmp_path, weights())
    assert np.array_equal(player.weights["last"], weights()["last"])
    student_of(tmp_path, weights(1))
    os.utime(player.file, (1, 1))
    assert np.array_equal(player.weights["last"], weights(1)["last"])


def test_the_student_that_comes_with_the_package_deviates_and_does_not():
    player, source, did = Student(), rng(2), set()
    assert player.file == str(SHIPPED)
    assert player.base == "tempo"
    for seed in range(4):
        state = deal(rules_of("sabra"), 2 + seed % 3, seed)
        while state.outcome is None:
            seen = view(state, state.to_move)
            counts = candidates(seen, TEMPO, 16, source)
            if is_open(seen, counts):
                did.add(player.choose(seen, counts) > 0)
            state = apply(state, player.move(seen, source))
    assert did == {True, False}


def test_a_file_that_is_no_student_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "old.npz", format=np.array("rummikub-env student 0"))
    (tmp_path / "torn.npz").write_bytes(b"PK\x03\x04 and no more")
    learned = Learned(weights(), "nobody", "student")
    save_student(tmp_path / "base.npz", learned)
    np.savez(tmp_path / "objects.npz", format=np.array([{}], dtype=object))
    for name in ("other", "old", "torn", "base", "objects"):
        with pytest.raises(ValueError, match="holds no student of this version"):
            make(str(tmp_path / f"{name}.npz"), rules_of("sabra"))


def test_it_wins_at_once_where_it_can(tmp_path):
    line = "sabra; racks K1 K2 K3 / O1 O2; table R3 R4 R5; opened ++; pool O13 B1; move 0"
    seen, counts = position(line)
    assert all(student_of(tmp_path, weights(0, sign), 0.0).choose(seen, counts) == 0 for sign in (1, -1))


@pytest.mark.parametrize(
    ("scores", "guard", "row"), [([0, 0.1], 0.05, 1), ([0, 0.1], 0.2, 0), ([0, -1, 0.3, 0.2], 0, 2), ([1.0], 0, 0)]
)
def test_a_play_must_be_better_than_the_first_by_the_guard(scores, guard, row):
    assert preferred(np.array(scores, np.float32), guard) == row


# Whole runs


def run_main(*arguments):
    return train.main([str(argument) for argument in arguments])


FAST = ("--student.labels=[40,20]", "--student.part=10", "--student.held_out=2", "--student.worlds=2")
QUIET = "--evaluation.opponents=[]"


def test_a_run_makes_labels_students_figures_and_a_table(tmp_path, capsys):
    assert run_main(SMOKE, *FAST, f"--run={tmp_path}", "--evaluation.games=20") == 0
    assert sorted(path.name for path in (tmp_path / "labels").iterdir()) == [
        *(f"0-0000{part}.npz" for part in range(4)),
        *(f"1-0000{part}.npz" for part in range(2)),
    ]
    lines = read_log(tmp_path)
    assert [line["updates"] for line in lines] == [*range(1, 9)]
    assert [line["decisions"] for line in lines] == 4 * [20] + 4 * [30]
    assert {"advantage", "teacher", "draws", "explained"} <= lines[0].keys()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert table["rows"][0]["challenger"] == f"student:file={tmp_path / 'student-1.npz'}"
    assert f"checkpoint: {tmp_path / 'student-1.npz'}" in capsys.readouterr().out


def contents(run):
    return {path.name: path.read_bytes() for path in [*run.glob("labels/*"), *run.glob("student-*")]}


def test_a_run_goes_on_where_it_was_killed_with_the_same_end(tmp_path, monkeypatch):
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    options = (SMOKE, *FAST, QUIET)
    assert run_main(*options, f"--run={straight}") == 0
    made = stages.save
    left = [5]

    def save_some(path, labels):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        made(path, labels)

    monkeypatch.setattr(stages, "save", save_some)
    assert run_main(*options, f"--run={killed}") == 130
    monkeypatch.undo()
    assert len(list((killed / "labels").iterdir())) == 4
    (killed / "student-0.npz").unlink()  # as if it had been killed a little earlier
    settings = killed / "config.yaml"
    settings.write_text(settings.read_text().replace("workers: 1", "workers: 2"))  # which changes nothing
    assert run_main("--resume", killed) == 0
    assert contents(killed) == contents(straight)
    assert [line["updates"] for line in read_log(killed)] == [*range(1, 9)]


def test_a_run_is_not_begun_twice_and_keeps_its_settings(tmp_path, capsys):
    assert run_main(SMOKE, *FAST, QUIET, f"--run={tmp_path}") == 0
    assert run_main(SMOKE, f"--run={tmp_path}") == 2
    assert "holds a run already" in capsys.readouterr().err
    assert run_main("--resume", tmp_path, "--student.worlds=5") == 2
    assert "student.worlds" in capsys.readouterr().err


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="labels of one round or more"):
        StudentConfig(labels=())
    with pytest.raises(ValueError, match="none would be held out"):
        StudentConfig(labels=(900,))
    for name, least in (("candidates", 2), ("worlds", 2), ("held_out", 2)):
        with pytest.raises(ValueError, match=f"student.{name} must be {least} or more, not 1"):
            StudentConfig(**{name: 1})
    for name in ("players", "partners"):
        with pytest.raises(ValueError, match=f"student.{name} must name one or more"):
            StudentConfig(**{name: ()})
    with pytest.raises(ValueError, match="no decision would be labelled"):
        StudentConfig(taken=0.0, taken_late=0.0)
    with pytest.raises(ValueError, match="9 players"):
        Config(method="student", student=StudentConfig(players=(2, 9)))
    assert Config(method="student", workers=64).workers == 64  # what PPO needs does not matter


def test_a_small_run_plays_better_than_the_greedy_player(tmp_path):
    """In the mini game who waits wins far more, which some hundred labels tell."""
    labels = ("--student.labels=[300]", "--student.part=30", "--student.taken=0.5")
    assert run_main(SMOKE, *labels, QUIET, f"--run={tmp_path}", "--student.fit.epochs=20") == 0
    rules = rules_of(MINI)
    student = make(str(tmp_path / "student-0.npz"), rules)
    assert compare(student, make("greedy_tiles", rules), rules, deals=250, seed=5).win_rate.low > 0.5
