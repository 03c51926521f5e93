"""What the examples share: a game small enough to be learned in a minute, and the curve of how well it is played.

The game is `sabra` with 18 tiles and two jokers, against the player `random`: it never misses that a play exists, so
whoever acts at random wins half of the games. ``greedy_tiles`` wins two in three.
"""

import json
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray

from rummikub_env import rummikub_v0  # noqa: F401 - registers Rummikub-v0

GAME = {
    "opponents": "random",
    "overrides": {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10},
}
GAMES = 400
"""Games a point of a curve, of the same deals each time."""
TALLY: Counter[str] = Counter()
"""Actions made in this process, and how many of them were illegal."""

Act = Callable[[NDArray[np.float32], NDArray[np.bool_]], int]
"""From the observation, (d,), and the mask, (n,), to an action."""


class Counted(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts actions, and illegal ones."""

    def step(self, action: Any) -> Any:
        """The step of the env."""
        shown = self.env.step(action)
        TALLY["actions"] += 1
        TALLY["illegal"] += shown[-1]["illegal"]
        return shown


def make(**arguments: Any) -> gymnasium.Env[Any, Any]:
    """The game for one learner."""
    return Counted(gymnasium.make("Rummikub-v0", disable_env_checker=True, **(GAME | arguments)))


def win_rate(act: Act, games: int = GAMES) -> float:
    """The share of so many games that are won; the same deals each time."""
    env, wins = make(), 0
    for seed in range(games):
        seen, _ = env.reset(seed=seed)
        over = False
        while not over:
            seen, reward, over, _, _ = env.step(act(seen["observation"], seen["action_mask"].astype(np.bool_)))
        wins += reward > 0
    return wins / games


def at_random(seed: int = 0) -> Act:
    """Any legal action."""
    rng = np.random.default_rng(seed)
    return lambda seen, mask: int(rng.choice(np.flatnonzero(mask)))


class Curve:
    """How well is played in the course of training, and after how many seconds of it."""

    def __init__(self, library: str, told: Namespace) -> None:
        self._library, self._steps, self._every, self._out = library, told.steps, told.every, told.out
        self._points: list[dict[str, float]] = []
        self._seconds, self._since = 0.0, time.monotonic()

    def goes_on(self, steps: int, act: Act) -> bool:
        """Is training to go on after so many steps? From time to time, and at the end, plays and notes how well."""
        if steps >= min(len(self._points) * self._every, self._steps):
            self._seconds += time.monotonic() - self._since
            rate = win_rate(act)
            print(f"{self._library}: {steps:,} steps in {self._seconds:.0f} s, wins {rate:.1%}", flush=True)
            self._points.append({"steps": steps, "seconds": round(self._seconds, 1), "win_rate": rate})
            self._since = time.monotonic()
        if steps >= self._steps:
            self._write()
        return steps < self._steps

    def _write(self) -> None:
        """The curve as JSON."""
        packages = [name for name in (self._library, "torch", "gymnasium", "numpy") if name != "cleanrl"]
        versions = {name: version(name) for name in packages}
        told = {"library": self._library, "versions": versions, "games": GAMES, "points": self._points, **TALLY}
        self._out.parent.mkdir(parents=True, exist_ok=True)
        self._out.write_text(json.dumps(told, indent=1) + "\n")


def arguments(library: str, steps: int) -> Namespace:
    """What each example takes on its command line; sets what holds for all of them."""
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    parser = ArgumentParser(description=f"Learn a small game of Rummikub with {library}.")
    parser.add_argument("--steps", type=int, default=steps, help="actions to learn from; the default takes a minute")
    parser.add_argument("--every", type=int, default=2_000, help="actions between the points of the curve")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/examples") / f"{library}.json", help="the curve as JSON")
    return parser.parse_args()
