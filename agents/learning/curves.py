"""The curves of a run as a picture."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from agents.files import write_whole

PANELS = {
    "entropy": "entropy of the policy (nats)",
    "explained_variance": "explained variance of the returns",
    "approx_kl": "KL divergence of an update (nats)",
    "clip_fraction": "share of clipped decisions",
    "turns": "turns in a game",
    "winner_score": "points of the winner",
}
"""What the curves show: a name in the log, and what it means."""


def draw_curves(lines: Sequence[Mapping[str, Any]], path: Path, title: str) -> None:
    """Write the curves of a log as a PNG: a small panel for each of `PANELS`, over decisions."""
    figure = Figure(figsize=(12, 6), layout="constrained")  # a bare Figure draws without a screen
    axes = figure.subplots(2, 3, sharex=True)
    for axis, (name, label) in zip(axes.flat, PANELS.items(), strict=True):
        points = [(line["decisions"], line[name]) for line in lines if name in line]
        axis.plot(*zip(*points, strict=True) if points else ([], []), linewidth=1)
        axis.set_title(label, fontsize=10)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("decisions")
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    figure.suptitle(title)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    write_whole(path, picture.getvalue())
