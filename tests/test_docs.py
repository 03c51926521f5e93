"""What is written for readers is true: code runs, output is what is printed, tables agree."""

import doctest
import importlib
import pkgutil
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

import evaluate
import rummikub_env
from agents import PLAYERS
from evaluate import settings_of
from rummikub_env import observations, rummikub_v0
from rummikub_env.__main__ import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODULES = ["rummikub_env", *(m.name for m in pkgutil.walk_packages(rummikub_env.__path__, "rummikub_env."))]


COMMANDS = ("solve", "cases", "bench", "replay", "rules")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def rows(header):
    """The rows of a table, each a list of its cells."""
    table = README.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_the_python_blocks_of_the_readme_run(monkeypatch, capsys):
    monkeypatch.setattr(observations, "OBSERVATIONS", dict(observations.OBSERVATIONS))
    readme = ModuleType("readme")
    monkeypatch.setitem(sys.modules, "readme", readme)  # where its dataclass looks for its own names
    assert len(blocks("python")) == 7
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), readme.__dict__)
    output = capsys.readouterr().out
    assert "game over" in output
    assert "These tiles are neither a run" in output or "The values of a run" in output
    assert re.search(r"wins \d+% \(\d+% to \d+%\)", output)
    assert "1 for each kind held twice" in output


def test_the_table_of_players_names_them_all():
    named = [name.strip(" `") for row in rows("player | what it does") for name in row[0].split(",")]
    assert named == [*sorted(PLAYERS, key=named.index), "a file"]


def test_the_recorded_game_of_the_readme_is_there_to_be_replayed(tmp_path, monkeypatch, capsys):
    record, show = next(block for block in blocks("sh") if "--records" in block).splitlines()
    monkeypatch.chdir(tmp_path)
    assert evaluate.main([*shlex.split(record)[2:], "--games=2", "--workers=1", "--out=results"]) == 0
    capsys.readouterr()
    assert main(shlex.split(show)[1:]) == 0
    assert "greedy_value" in capsys.readouterr().out


@pytest.mark.parametrize("block", blocks("console"))
def test_the_commands_of_the_readme_print_what_it_shows(block, capsys):
    command, _, output = block.partition("\n")
    assert command.startswith("$ rummikub ")
    assert main(shlex.split(command)[2:]) == 0
    assert capsys.readouterr().out == output


def test_the_scripts_of_the_readme_take_these_options():
    lines = [line.partition("#")[0].split() for block in blocks("sh") for line in block.splitlines()]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for program, *arguments in lines:
        if program == "source":
            assert arguments == [".venv/bin/activate"]
        elif program == "make":
            assert arguments[0] in targets
        elif program == "rummikub":
            assert arguments[0] in COMMANDS
        else:
            assert (program, arguments[0]) == ("python", "evaluate.py")
            assert settings_of(arguments[1:])


def test_the_table_of_actions_is_that_of_the_codec():
    env = rummikub_v0.env()
    played, joker, end = (row[0] for row in rows("action | meaning"))
    assert (played, joker, end) == ("0-51", "52", "53")
    assert env.action_space("player_0").n == 54
    assert env.codec.text(51) == "play O13"
    assert env.codec.text(52) == "play J"
    assert env.codec.text(53) == "end the turn"


@pytest.mark.parametrize("players", [2, 4])
def test_the_table_of_the_observation_is_its_layout(players):
    layout = rummikub_v0.env(num_players=players).layout
    table = {name: eval(shape, {"players": players}) for name, shape, _ in rows("piece | shape | meaning")}
    assert table == {name: field.shape for name, field in layout.items()}


def test_the_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\((?!https:)([^)]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_the_examples_in_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_environment_shows_an_example():
    assert doctest.testmod(rummikub_v0).attempted > 0
