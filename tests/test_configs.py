from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from agents.learning.config import Config, config_of, config_parser, config_text, flat, read_config
from agents.learning.learner import begin

CONFIGS = sorted(Path(__file__).parent.parent.glob("configs/*.yaml"))


def read(*arguments):
    return read_config(config_parser("train.py"), arguments)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_config_loads_and_begins_a_run(path):
    config = read(f"--config={path}", "--workers=1", "--tables=2")
    learner = begin(config)
    assert learner.count["updates"] == 0
    learner.crew.close()


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


def test_an_update_must_be_large_enough_for_its_tables():
    with pytest.raises(ValueError, match="1024 or more"):
        Config(tables=128, workers=2, decisions=1000)


def test_every_field_has_help():
    help_text = config_parser("train.py").format_help()
    for name in flat(asdict(Config())):
        line = help_text.split(f"--{name} ", 1)[1].split("(type", 1)[0]
        assert len(line.split()) > 4, name
