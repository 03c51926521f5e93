import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

import train
from agents.learning.config import Config, config_of, config_parser, config_text, flat, read_config
from agents.learning.learner import begin
from agents.settings import check_settings
from rummikub_env.rules import rules_of

CONFIGS = sorted(Path(__file__).parent.parent.glob("configs/*.yaml"))


def read(*arguments):
    return read_config(config_parser("train.py"), arguments)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_config_loads_and_begins_a_run(path):
    config = read(f"--config={path}", "--workers=1", "--tables=2")
    learner = begin(config)
    assert learner.count["updates"] == 0
    learner.crew.close()


@pytest.mark.parametrize("name", ["ppo_2p", "ppo_4p"])
def test_a_long_config_trains_resumes_and_is_evaluated(name, tmp_path):
    small = ["--tables=2", "--workers=1", "--decisions=64", "--network.hidden=[32]", "--evaluation.games=2"]
    opponents = "--evaluation.opponents=[random]"
    run = [f"--config=configs/{name}.yaml", f"--run={tmp_path}", *small, opponents]
    assert train.main([*run, "--updates=2", "--evaluation.opponents=[]"]) == 0
    assert train.main(["--resume", str(tmp_path), "--updates=3", opponents]) == 0
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert table["seats"] == int(name[4])


MATCH = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10,match_end=rounds 2"


@pytest.mark.parametrize(("rules", "players"), [("rummy_games_50", 3), ("six_player_160", 5), (MATCH, 2)])
def test_any_rules_and_players_are_trained_and_evaluated_by_settings_alone(rules, players, tmp_path, capsys):
    game = [f"--game.rules={rules}", f"--game.players={players}", "--game.reward=match"]
    small = ["--tables=1", "--workers=1", "--decisions=12", "--network.hidden=[16]", "--updates=1"]
    assert train.main([*game, *small, f"--run={tmp_path}", "--evaluation.opponents=[]"]) == 0
    trained = ["--checkpoint", f"{tmp_path / train.CHECKPOINT}", f"--out={tmp_path}", "--opponents", "random"]
    wanted = [f"--rules={rules}", f"--players={players}", "--games=2", "--workers=1"]
    assert train.evaluate.main([*trained, *wanted]) == 0
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert (table["rules"]["name"], table["seats"]) == (rules_of(rules).name, players)
    capsys.readouterr()
    assert train.evaluate.main(trained) == 2
    assert f"has learned {rules} and cannot play sabra: give --rules {rules}" in capsys.readouterr().err


def test_another_codec_and_a_history_are_trained_and_evaluated_by_settings_alone(tmp_path):
    game = ["--config=configs/smoke.yaml", "--game.codec=turns:k=16", "--game.observation=counts+history"]
    small = ["--updates=1", "--tables=2", "--decisions=64", "--network.hidden=[16]", "--evaluation.games=4"]
    assert train.main([*game, *small, f"--run={tmp_path}"]) == 0
    assert json.loads((tmp_path / "evaluation.json").read_text())["games_a_row"] == 4


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_states_only_what_differs_from_the_defaults(path):
    defaults = flat(asdict(Config()))
    for name, value in flat(yaml.safe_load(path.read_text())).items():
        assert defaults[name] != (tuple(value) if isinstance(value, list) else value), name


def test_there_are_configs():
    assert {"quick", "smoke", "ppo_2p", "ppo_4p"} <= {path.stem for path in CONFIGS}


def test_options_override_the_file():
    config = read("--config=configs/smoke.yaml", "--ppo.clip=0.3", "--network.hidden=[5,6]")
    assert (config.ppo.clip, config.network.hidden) == (0.3, (5, 6))
    assert config.ppo.minibatch == 256


def test_a_resolved_config_reads_back_the_same():
    config = read("--config=configs/smoke.yaml", "--seed=3")
    assert config_of(yaml.safe_load(config_text(config))) == config


@pytest.mark.parametrize(
    "settings",
    [
        {"sed": 1},
        {"ppo": {"lr": 1e-3}},
        {"seed": "one"},
        {"ppo": {"clip": -1}},
        {"updates": 1.5},
        {"game": 3},
    ],
    ids=str,
)
def test_unknown_keys_and_wrong_values_are_errors(settings):
    with pytest.raises(ValueError, match=r"\w"):
        config_of(settings)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "the file must hold settings such as method: ..., not nothing"),
        (b"hello", "not 'hello'"),
        (b"sed: 1", "unknown setting sed; there are: method, run, seed, updates, "),
        (b"ppo:\n  lr: 1", "unknown setting ppo.lr; there are: ppo.learning_rate, "),
        (b"ppo:", "ppo must hold settings such as learning_rate: ..., not nothing"),
        (b"ppo: [1\n", "is not a YAML file: line 2: "),
        (b"\x80\x81", "is not a text file"),
        (b"a: \x01", "is not a YAML file"),
    ],
)
def test_a_file_that_holds_no_settings_is_named(tmp_path, text, told):
    path = tmp_path / "config.yaml"
    path.write_bytes(text)
    for arguments in ([f"--config={path}"], ["--seed=1", "--config", str(path)]):
        with pytest.raises(ValueError, match=re.escape(f"{path}")) as error:
            check_settings(Config, arguments)
        assert told in str(error.value)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--ppo.lr=1", "unknown setting --ppo.lr; there are: ppo.learning_rate, "),
        ("--lr", "unknown setting --lr; there are: method, run, seed, "),
        ("--ppo.config=1", "unknown setting --ppo.config; "),
    ],
)
def test_an_unknown_option_is_answered_with_those_there_are(option, told):
    with pytest.raises(ValueError, match=told):
        check_settings(Config, [option, "1"])
    check_settings(Config, ["--ppo.clip=1", "--seed", "-1", "--resume", "--help"], ["resume"])


def test_an_update_must_be_large_enough_for_its_tables():
    with pytest.raises(ValueError, match="1024 or more"):
        Config(tables=128, workers=2, decisions=1000)


def test_every_field_has_help():
    help_text = config_parser("train.py").format_help()
    for name in flat(asdict(Config())):
        line = help_text.split(f"--{name} ", 1)[1].split("(type", 1)[0]
        assert len(line.split()) > 4, name
