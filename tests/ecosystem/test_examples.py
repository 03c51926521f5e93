"""Each example learns the small game with its library, and never makes an illegal move."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = ["sb3_ppo", "cleanrl_ppo", "tianshou_dqn", "torchrl_ppo", "rllib_ppo"]


@pytest.fixture(scope="module")
def level():
    """What acting at random wins of the games that the curves are made of."""
    code = "from mini import at_random, win_rate; print(win_rate(at_random()))"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=EXAMPLES).stdout)


def test_all_are_tested():
    assert set(SCRIPTS) == {path.stem for path in EXAMPLES.glob("*.py")} - {"mini", "curves"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_learns_and_makes_no_illegal_move(script, level, tmp_path):
    out = tmp_path / "curve.json"
    subprocess.run([sys.executable, EXAMPLES / f"{script}.py", "--out", out], check=True, cwd=tmp_path)
    curve = json.loads(out.read_text())
    last = curve["points"][-1]
    assert curve["illegal"] == 0
    assert curve["actions"] > last["steps"]  # those of the games between are counted too
    by_chance = math.sqrt(2 * level * (1 - level) / curve["games"])
    assert last["win_rate"] > level + 2.5 * by_chance
