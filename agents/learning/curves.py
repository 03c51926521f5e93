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
    "agreement": "share of the teacher's actions that are the likeliest",
    "anchor_kl": "KL divergence from the imitated policy (nats)",
}
"""What the curves show: a name in the log, and what it means."""


STUDENT_PANELS = {
    "advantage": "held-out advantage of a decision (wins)",
    "teacher": "advantage of the labels themselves",
    "explained": "explained variance of the gains",
    "draws": "share of decisions without a play",
    "deviations": "share of decisions that deviate",
    "value_loss": "cross entropy of the wins (nats)",
}
"""The same for a run that learns from search."""


VALUE_PANELS = {
    "told": "held-out explained variance of the wins",
    "told_early": "the same early: a quarter of the turns",
    "told_late": "the same late: a quarter of the turns",
    "told_learned": "the same of labels that it learned from",
    "value_loss": "held-out cross entropy of the wins (nats)",
    "value_loss_learned": "the same of labels that it learned from",
}
"""The same for a run that learns from whole games."""


def draw_curves(
    lines: Sequence[Mapping[str, Any]],
    path: Path,
    title: str,
    panels: Mapping[str, str] = PANELS,
    across: str = "decisions",
) -> None:
    """Write the curves of a log as a PNG: a small panel for each of `panels` in the log, over the figure `across`."""
    shown = [name for name in panels if any(name in line for line in lines)]
    columns = max(3, -(-len(shown) // 2))
    figure = Figure(figsize=(4 * columns, 6), layout="constrained")  # a bare Figure draws without a screen
    axes = figure.subplots(2, columns, sharex=True)
    for axis in axes.flat[len(shown) :]:
        axis.set_axis_off()
    for axis, name in zip(axes.flat, shown, strict=False):
        label = panels[name]
        points = [(line[across], line[name]) for line in lines if name in line]
        axis.plot(*zip(*points, strict=True), linewidth=1)
        axis.set_title(label, fontsize=10)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel(across)
        axis.xaxis.set_major_locator(MaxNLocator(5))
        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    figure.suptitle(title)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120)
    write_whole(path, picture.getvalue())
