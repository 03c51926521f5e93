"""What a user's script calls is typed as the documentation calls it: `mypy --strict` finds nothing in it."""

import subprocess
import sys

from test_docs import ROOT, blocks

SCRIPT = """
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import make
from rummikub_env import Draw, Move, Player, View, rules_of
from rummikub_env.envs.adapters import Renamed
from rummikub_env.envs.single import SingleSeatEnv
from rummikub_env.envs.vector import VectorEnv

turns = rummikub_v0.env(2, actions="turns:k=128", observation=["counts", "history"])
turns.reset()
print(turns.codec.features(turns.draft))
turns.step(np.int64(3))
turns.step(3)
turns.step("3")  # type: ignore[arg-type]
mask: NDArray[np.int8] = turns.observe("player_0")["action_mask"]


class Mine:
    name = "mine"

    def move(self, view: View, rng: np.random.Generator) -> Move:
        return Draw()


opponents: list[Player] = [Mine(), make("greedy_tiles", rules_of("sabra"))]
single = SingleSeatEnv(opponents)
seen, info = single.reset(seed=1)
print(single.reset()[0]["observation"], seen["action_mask"])
single.step(single.action_space.sample(info["action_mask"]))
renamed = Renamed(SingleSeatEnv("greedy_tiles"), observation="obs")
parts: dict[str, Any] = renamed.reset()[0]
batch = VectorEnv(4, num_players=2, seed=1).step(np.zeros(4, np.int64))
"""


def test_a_script_of_a_user_is_typed(tmp_path):
    """Of what it imports nothing is told, and no settings of this repository hold. An ignore in vain is an error."""
    script = tmp_path / "script.py"
    script.write_text(blocks("python")[0] + SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"]
    cache = f"--cache-dir={ROOT / '.cache' / 'mypy'}"  # the settings differ from those of the other one
    told = subprocess.run([*command, cache, script], capture_output=True, text=True, check=False, cwd=ROOT)
    assert told.returncode == 0, told.stdout + told.stderr
