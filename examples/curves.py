"""Draws the curves that the examples have written.

``python examples/curves.py runs/examples/*.json --out docs/libraries.png``
"""

import json
from argparse import ArgumentParser
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from mini import GAMES, at_random, make, win_rate

from agents import Greedy
from rummikub_env.state import view


def greedy(games: int = GAMES) -> float:
    """The share of the same games that ``greedy_tiles`` wins in the learner's seat."""
    env, wins, rng = make(), 0, np.random.default_rng(0)
    table = env.unwrapped.table
    for seed in range(games):
        env.reset(seed=seed)
        over = False
        while not over:
            seen = view(table.game_state, table.game_state.to_move)
            for action in table.codec.spell(seen, Greedy().move(seen, rng)):
                _, reward, over, _, _ = env.step(action)
        wins += reward > 0
    return wins / games


def draw(curves: list[dict], out: Path) -> None:
    """A line a library, over the steps it has learned from."""
    figure, axes = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    for level, name in ((win_rate(at_random()), "random"), (greedy(), "greedy_tiles")):
        axes.axhline(100 * level, color="0.6", linestyle=":", linewidth=1)
        axes.annotate(f" {name}", (1, 100 * level), xycoords=("axes fraction", "data"), color="0.4", va="center")
    for curve in curves:
        steps, rates = zip(*((point["steps"], 100 * point["win_rate"]) for point in curve["points"]), strict=True)
        minutes = curve["points"][-1]["seconds"] / 60
        name = f"{curve['library']} {curve['versions'].get(curve['library'], 'style')}"
        axes.plot(steps, rates, marker=".", label=f"{name} ({minutes:.1f} min)")
    axes.set(xlabel="actions learned from", ylabel="games won, %", ylim=(20, 80), xlim=(0, None))
    axes.set_title(f"A small game against random, {GAMES} games a point", loc="left", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(out, dpi=110)


def main() -> None:
    """Read the files and draw."""
    parser = ArgumentParser(description="Draw the learning curves of the examples.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("docs/libraries.png"))
    told = parser.parse_args()
    draw([json.loads(path.read_text()) for path in told.files], told.out)


if __name__ == "__main__":
    main()
