"""Each example learns with its library, and never makes an illegal move: shorter than by default, and seen to less."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = {"sb3_ppo": 4_000, "cleanrl_ppo": 4_000, "tianshou_dqn": 6_000, "torchrl_ppo": 4_000, "rllib_ppo": 4_000}
"""Actions to learn from, two to five times fewer than by default. The seeds are the same each time."""


@pytest.fixture(scope="module")
def level():
    """What acting at random wins of the games that the curves are made of."""
    code = "from mini import at_random, win_rate; print(win_rate(at_random()))"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=EXAMPLES).stdout)


def test_all_are_tested():
    assert set(STEPS) == {path.stem for path in EXAMPLES.glob("*.py")} - {"mini", "curves"}


@pytest.mark.parametrize("script", STEPS)
def test_it_learns_and_makes_no_illegal_move(script, level, tmp_path):
    out = tmp_path / "curve.json"
    told = ["--steps", str(STEPS[script]), "--every", str(STEPS[script]), "--out", out]
    subprocess.run([sys.executable, EXAMPLES / f"{script}.py", *told], check=True, cwd=tmp_path)
    curve = json.loads(out.read_text())
    first, last = curve["points"]
    assert first["steps"] == 0
    assert last["steps"] >= STEPS[script]
    assert curve["illegal"] == 0
    assert curve["actions"] > last["steps"]  # those of the games between are counted too
    by_chance = math.sqrt(2 * level * (1 - level) / curve["games"])  # or less, as the deals are the same
    assert last["win_rate"] > max(level, first["win_rate"]) + 1.65 * by_chance
