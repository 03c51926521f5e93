"""Comparisons and ladders as pictures."""

from collections.abc import Sequence
from io import BytesIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.evaluation.arena import Comparison
from agents.evaluation.ladder import Ladder
from agents.evaluation.stats import Interval
from agents.evaluation.wording import elo, headline, intervals_of, unit


def rows_png(comparisons: Sequence[Comparison]) -> bytes:
    """Win rates and scores as bars with their intervals; the line is where equal players stand."""
    figure = Figure(figsize=(11, 1.6 + 0.5 * len(comparisons)), layout="constrained")
    wins, scores = figure.subplots(1, 2, sharey=True)
    _bars(wins, [row.win_rate for row in comparisons], comparisons[0].even)
    _bars(scores, [row.score for row in comparisons], 0)
    wins.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    game = unit(comparisons[0].match.rules)
    wins.set_xlabel(f"{'games' if game == 'game' else 'matches'} won by the challenger")
    scores.set_xlabel(f"points of the challenger a {game}")
    labels = [f"{row.match.challenger.name}\nvs {row.match.opponent.name}" for row in comparisons]
    wins.set_yticks(range(len(labels)), labels, fontsize=8)
    wins.invert_yaxis()
    return _png(figure, comparisons)


def ladder_png(found: Ladder) -> bytes:
    """The matrix of all pairs, the strongest on top, and the ratings with their intervals."""
    n = len(found.ratings)
    figure = Figure(figsize=(6 + 0.9 * n, 2.2 + 0.42 * n), layout="constrained")
    matrix, points = figure.subplots(1, 2, width_ratios=(2.2, 1))
    _matrix(matrix, found)
    _points(points, found)
    return _png(figure, found.comparisons)


def _png(figure: Figure, comparisons: Sequence[Comparison]) -> bytes:
    figure.suptitle(f"{headline(comparisons)}; {intervals_of(comparisons)}", fontsize=10, wrap=True)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120)  # a bare Figure draws with Agg: no screen needed
    return picture.getvalue()


def _bars(axes: Axes, intervals: Sequence[Interval], even: float) -> None:
    """Horizontal bars from `even` to the means, first on top."""
    means, places = [interval.mean for interval in intervals], range(len(intervals))
    axes.barh(places, [mean - even for mean in means], left=even, height=0.6, color="tab:blue", alpha=0.5)
    axes.errorbar(means, places, xerr=_errors(intervals), fmt="o", color="black", markersize=3, capsize=4)
    axes.axvline(even, color="black", linewidth=1, linestyle="--")
    axes.grid(axis="x", alpha=0.3)


def _matrix(axes: Axes, found: Ladder) -> None:
    """The share of games that the player of a row won against that of a column; bold where the interval is not even."""
    names, shares = [rating.name for rating in found.ratings], found.shares
    means = [[shares[own, other].mean if own != other else 0.5 for other in names] for own in names]
    axes.imshow(means, cmap="RdBu", vmin=0.2, vmax=0.8, aspect="auto")
    for row, own in enumerate(names):
        for column, other in enumerate(names):
            if own != other:
                share = shares[own, other]
                weight = "normal" if share.low <= 0.5 <= share.high else "bold"
                colour = "white" if abs(share.mean - 0.5) > 0.22 else "black"
                text = f"{100 * share.mean:.1f}"
                axes.text(column, row, text, ha="center", va="center", fontsize=8, weight=weight, color=colour)
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_title("games won by the row against the column, %; bold: not even", fontsize=9)


def _points(axes: Axes, found: Ladder) -> None:
    """The ratings, the strongest on top."""
    intervals, places = [rating.points for rating in found.ratings], range(len(found.ratings))
    means = [interval.mean for interval in intervals]
    axes.errorbar(means, places, xerr=_errors(intervals), fmt="o", color="tab:blue", markersize=4, capsize=4)
    axes.axvline(0, color="black", linewidth=1, linestyle="--")
    labels = [f"{rating.name}  {elo(rating.points.mean)}" for rating in found.ratings]
    axes.set_yticks(places, labels, fontsize=8)
    axes.set_ylim(len(found.ratings) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    axes.set_title(f"rating (Elo scale, {found.anchor} = 0)", fontsize=9)


def _errors(intervals: Sequence[Interval]) -> list[list[float]]:
    """How far the intervals reach below and above their means; 0 where a mean lies outside by rounding."""
    below = [max(0.0, interval.mean - interval.low) for interval in intervals]
    return [below, [max(0.0, interval.high - interval.mean) for interval in intervals]]
