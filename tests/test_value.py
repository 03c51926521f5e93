"""Learning from whole games: what is labelled, what is learned of it, and who plays by it."""

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch

import train
from agents import make
from agents.learning import stages
from agents.learning.config import Config, PPOConfig
from agents.learning.fitting import batch_of, fit, losses
from agents.learning.log import read_log
from agents.learning.measuring import measure_wins
from agents.search import candidates
from agents.student.config import FitConfig, StudentConfig, ValueConfig
from agents.student.features import TURN, choice_of
from agents.student.finished import Finished
from agents.student.games import make_part
from agents.student.labels import SHARE
from agents.student.network import Shape, new_weights
from agents.student.player import Learned, Student, ratings, save_student
from rummikub_env.game import apply
from rummikub_env.policy import Policy
from rummikub_env.rules import rules_of
from rummikub_env.state import State, deal, view

MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
GAMES = Finished(
    rules=rules_of(MINI),
    players=2,
    student=None,
    partners=("greedy_tiles",),
    partner=0.0,
    stray=0.2,
    most=6,
    base="greedy_tiles",
    seed=3,
    turns=1000,
)
SMALL = FitConfig(epochs=6, batch=32, learning_rate=3e-3, ema=0.9, channels=8, blocks=1, hidden=(16,))
LINE = "sabra; racks K1 K2 K3 R9 J / O1 O2; table R3 R4 R5; opened +-; pool O13 B1; move 0; turn 4; last - / draw 1"


def rng(seed=0):
    return np.random.default_rng(seed)


def weights(seed=0, sign=1):
    """Weights whose answers differ enough to make plays that are not the first."""
    made = new_weights(Shape(8, 1, (16,)), rng(seed))
    return made | {"last": 10 * sign * made["last"]}


def value_of(folder, made, guard=0.0):
    """The player of these weights."""
    save_student(folder / "value.npz", Learned(made, "greedy_tiles", "value"))
    return Student(str(folder / "value.npz"), guard)


def position(line=LINE):
    seen = view(State.from_text(line), 0)
    return seen, candidates(seen, Policy(), 8, rng())


@pytest.fixture(scope="module")
def labels():
    return make_part(GAMES, 0, 3000)


def goes_out(label):
    return label.choice.counts[0].sum() == label.choice.rack.sum()


# Labels


def test_a_label_is_what_was_played_in_a_turn_and_who_won():
    source, ended = rng(1), 0
    for _ in range(20):
        game = list(GAMES.labels(source))
        assert {label.wins.shape for label in game} == {(1, 1)}
        numbers = [round(float(label.choice.facts[TURN]) * 16 * 2) for label in game]
        assert numbers == [*range(len(game))]
        if goes_out(game[-1]):
            ended += 1
            won = [int(label.wins[0, 0]) for label in reversed(game)]
            assert won == [SHARE * ((i + 1) % 2) for i in range(len(game))]
    assert ended > 10


def test_a_part_is_decided_by_its_games_and_its_number():
    def told(part):
        return [array.tobytes() for label in part for array in (*label.choice, label.wins)]

    part = told(make_part(GAMES, 0, 40))
    assert told(make_part(GAMES, 0, 40)) == part
    assert told(make_part(GAMES, 1, 40)) != part
    assert told(make_part(replace(GAMES, seed=4), 0, 40)) != part


def test_some_turns_of_a_game_are_taken_in_their_order():
    games = replace(GAMES, turns=3)
    taken = [[float(label.choice.facts[TURN]) for label in games.labels(rng(seed))] for seed in range(12)]
    assert {len(turns) for turns in taken} == {3}
    assert all(turns == sorted(turns) for turns in taken)
    assert len({tuple(turns) for turns in taken}) > 6


def test_only_turns_of_the_player_are_labelled_where_it_has_a_partner(tmp_path):
    lone = replace(GAMES, partner=1.0)
    turns = [round(float(label.choice.facts[TURN]) * 16 * 2) for label in lone.labels(rng())]
    assert {number % 2 for number in turns} == {turns[0] % 2}
    player = value_of(tmp_path, weights())
    made = [make_part(replace(GAMES, student=who, stray=0.0), 0, 60) for who in (None, player)]
    assert [label.choice.counts.sum() for label in made[0]] != [label.choice.counts.sum() for label in made[1]]


# Learning


def test_a_label_of_one_candidate_is_learned_by_its_wins_alone(labels):
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in weights().items()}
    of_gains, of_wins = losses(tensors, batch_of(GAMES.rules.tiles, labels[:20]))
    assert of_gains.item() == 0
    assert of_wins.item() > 0.1
    of_gains.backward()
    assert all(not weight.grad.any() for weight in tensors.values() if weight.grad is not None)


def test_figures_are_of_the_chances_that_the_network_tells(labels):
    made = new_weights(Shape(8, 1, (16,)), rng())
    even = made | {"last": np.zeros((16, 2), np.float32), "last.bias": np.array([7, np.log(3)], np.float32)}
    some = labels[:400]
    figures = measure_wins(GAMES.rules.tiles, some, some[:100], even)  # 75% for all
    wins = np.array([label.wins[0, 0] / SHARE for label in some])
    losts = 1 - wins

    def told(of):
        return 1 - ((0.75 - of) ** 2).mean() / of.var()

    assert figures["value_loss"] == pytest.approx(-(wins * np.log(0.75) + losts * np.log(0.25)).mean(), rel=1e-4)
    assert figures["told"] == pytest.approx(told(wins), rel=1e-4)
    assert figures["told_learned"] == pytest.approx(told(wins[:100]), rel=1e-4)
    turns = np.array([label.choice.facts[TURN] for label in some])
    assert figures["told_late"] == pytest.approx(told(wins[turns >= np.quantile(turns, 0.75)]), rel=1e-4)
    assert figures["told_early"] == pytest.approx(told(wins[turns <= np.quantile(turns, 0.25)]), rel=1e-4)


def test_it_learns_who_wins_and_late_in_a_game_more_of_it(labels):
    tiles, learned, held_out = GAMES.rules.tiles, labels[:2400], labels[2400:]
    first, *_, last = fit(tiles, learned, SMALL, 0)
    before, after = (measure_wins(tiles, held_out, learned[:600], each) for each in (first, last))
    assert after["value_loss"] < before["value_loss"]
    assert after["told"] > max(0.02, before["told"])
    assert after["told_late"] > after["told_early"]
    known = Learned(last, "greedy_tiles", "value")
    out = [float(ratings(known, tiles, label.choice)[0]) for label in held_out if goes_out(label)]
    others = [float(ratings(known, tiles, label.choice)[0]) for label in held_out if not goes_out(label)]
    assert np.mean(out) > 0.35  # of at most 0.5: nearly sure
    assert abs(np.mean(others)) < 0.1


# The player


def test_each_play_is_rated_alone_and_other_names_for_the_colours_change_nothing():
    seen, counts = position()
    tiles, learned = seen.rules.tiles, Learned(weights(), "greedy_tiles", "value")
    rated = ratings(learned, tiles, choice_of(seen, counts))
    assert np.ptp(rated) > 0.01
    assert np.abs(rated).max() <= 0.5
    np.testing.assert_allclose(ratings(learned, tiles, choice_of(seen, counts[::-1])), rated[::-1], atol=1e-6)
    for order in permutations(range(4)):
        kinds = np.append(np.arange(52).reshape(4, 13)[list(order)].reshape(-1), tiles.joker)
        choice = choice_of(seen, counts)
        other = choice._replace(rack=choice.rack[kinds], table=choice.table[kinds], counts=counts[:, kinds])
        np.testing.assert_allclose(ratings(learned, tiles, other), rated, atol=1e-5)


def test_it_plays_what_it_rates_highest_by_more_than_the_guard(tmp_path):
    seen, counts = position()
    for sign in (1, -1):
        player = value_of(tmp_path, weights(sign=sign))
        rated = ratings(Learned(player.weights, "greedy_tiles", "value"), seen.rules.tiles, choice_of(seen, counts))
        assert player.choose(seen, counts) == rated.argmax()
        assert value_of(tmp_path, weights(sign=sign), 1.0).choose(seen, counts) == 0


def test_it_wins_at_once_where_it_can(tmp_path):
    seen, counts = position("sabra; racks K1 K2 K3 / O1 O2; table R3 R4 R5; opened ++; pool O13 B1; move 0")
    assert len(counts) > 1
    assert all(value_of(tmp_path, weights(sign=sign)).choose(seen, counts) == 0 for sign in (1, -1))


@pytest.mark.parametrize(("preset", "players"), [("sabra", 2), ("rummy_games_50", 3), (MINI, 3)])
def test_any_weights_make_only_legal_moves_by_any_rules(preset, players, tmp_path):
    source, tables = rng(1), []
    for sign in (1, -1):
        player, state = value_of(tmp_path, weights(sign=sign)), deal(rules_of(preset), players, 1)
        for _ in range(30):
            state = apply(state, player.move(view(state, state.to_move), source))
            if state.outcome is not None:
                break
        tables.append(state.table)
    assert any(tables)


def test_a_file_says_what_its_network_has_learned(tmp_path):
    seen, counts = position()
    choice, tiles = choice_of(seen, counts), seen.rules.tiles
    for kind in ("student", "value"):
        save_student(tmp_path / f"{kind}.npz", Learned(weights(), "greedy_tiles", kind))
        player = make(str(tmp_path / f"{kind}.npz"), rules_of("sabra"))
        rated = ratings(Learned(weights(), "greedy_tiles", kind), tiles, choice)
        best = int(rated.argmax())
        assert player.choose(seen, counts) == (best if rated[best] - rated[0] > player.guard else 0)
    assert (tmp_path / "student.npz").read_bytes() != (tmp_path / "value.npz").read_bytes()


# Whole runs


def run_main(*arguments):
    return train.main([str(argument) for argument in arguments])


SMOKE = "--config=configs/value_smoke.yaml"
FAST = ("--value.labels=[60,30]", "--value.part=10", "--value.held_out=3")
QUIET = "--evaluation.opponents=[]"


def test_a_run_makes_labels_players_figures_and_a_table(tmp_path, capsys):
    assert run_main(SMOKE, *FAST, f"--run={tmp_path}", "--evaluation.games=20") == 0
    assert sorted(path.name for path in (tmp_path / "labels").iterdir()) == [
        *(f"0-0000{part}.npz" for part in range(6)),
        *(f"1-0000{part}.npz" for part in range(3)),
    ]
    lines = read_log(tmp_path)
    assert [line["updates"] for line in lines] == [*range(1, 9)]
    assert [line["decisions"] for line in lines] == 4 * [40] + 4 * [60]
    assert {"told", "told_late", "told_learned", "value_loss"} <= lines[0].keys()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert table["rows"][0]["challenger"] == f"student:file={tmp_path / 'value-1.npz'}"
    assert f"checkpoint: {tmp_path / 'value-1.npz'}" in capsys.readouterr().out


def contents(run):
    return {path.name: path.read_bytes() for path in [*run.glob("labels/*"), *run.glob("value-*")]}


def test_a_run_goes_on_where_it_was_killed_with_the_same_end(tmp_path, monkeypatch):
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    options = (SMOKE, *FAST, QUIET)
    assert run_main(*options, f"--run={straight}") == 0
    made, left = stages.save, [8]

    def save_some(path, labels):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        made(path, labels)

    monkeypatch.setattr(stages, "save", save_some)
    assert run_main(*options, f"--run={killed}") == 130
    monkeypatch.undo()
    assert len(list((killed / "labels").iterdir())) == 7
    assert run_main("--resume", killed) == 0
    assert contents(killed) == contents(straight)
    assert run_main("--resume", killed, "--value.stray=0.5") == 2


def test_the_second_round_is_played_by_what_was_learned_in_the_first(tmp_path):
    assert run_main(SMOKE, *FAST, QUIET, f"--run={tmp_path}") == 0
    before = contents(tmp_path)
    for name in ("labels/1-00000.npz", "value-1.npz"):
        (tmp_path / name).unlink()
    save_student(tmp_path / "value-0.npz", Learned(weights(), "greedy_tiles", "value"))
    assert run_main("--resume", tmp_path) == 0
    after = contents(tmp_path)
    assert after["1-00000.npz"] != before["1-00000.npz"]
    assert after["1-00001.npz"] == before["1-00001.npz"]


def test_settings_that_would_be_ignored_are_refused():
    for settings, told in (
        ({"method": "value", "student": StudentConfig(worlds=5)}, "student: the method value makes nothing"),
        ({"method": "student", "value": ValueConfig(turns=5)}, "value: the method student makes nothing"),
        ({"value": ValueConfig(turns=5)}, "value: the method ppo makes nothing"),
        ({"method": "value", "ppo": PPOConfig(clip=0.1)}, "ppo: the method value makes nothing"),
    ):
        with pytest.raises(ValueError, match=told):
            Config(**settings)
    with pytest.raises(ValueError, match="there is no other loss"):
        ValueConfig(fit=FitConfig(value_coef=0.5))
    with pytest.raises(ValueError, match="labels: 900 in files of 5000 are fewer"):
        ValueConfig(labels=(900,))
    with pytest.raises(ValueError, match="candidates must be 2 or more, not 1"):
        ValueConfig(candidates=1)
    with pytest.raises(ValueError, match="9 players"):
        Config(method="value", value=ValueConfig(players=(2, 9)))
