"""Comparisons as a table on the screen, a JSON file and a picture."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Column, Table

from agents.evaluation.arena import Comparison
from agents.evaluation.stats import CONFIDENCE, Interval
from agents.files import write_whole
from rummikub_env.rules import RuleSet

_PACKAGES = ("rummikub-env", "numpy", "numba", "scipy", "torch")


def unit(rules: RuleSet) -> str:
    """What is won or lost: ``game``, or ``match`` where the rules end one."""
    return "game" if rules.match_limit[0] == "open" else "match"


def played(rules: RuleSet) -> str:
    """What a row is made of: ``games``, ``matches of 4 rounds``, ``matches to 200 points``."""
    kind, number = rules.match_limit
    return {"open": "games", "rounds": f"matches of {number} rounds", "target": f"matches to {number} points"}[kind]


def headline(comparisons: Sequence[Comparison]) -> str:
    """What was played, in one line; it is the same for all rows of a table."""
    first, match = comparisons[0], comparisons[0].match
    return (
        f"{match.rules.name}: {len(first.deals):,} deals x {match.seats} seats = {first.games:,} "
        f"{played(match.rules)} a row, {match.draws} draws, seed {match.seed}"
    )


def table(comparisons: Sequence[Comparison]) -> Table:
    """A row a comparison; green or red where the whole interval lies above or below even."""
    even = comparisons[0].even
    game = unit(comparisons[0].match.rules)
    names, figures = ("challenger", "opponent"), ("wins", f"score a {game}", "ms a turn")
    result = Table(
        *(Column(name, overflow="fold") for name in names),
        *(Column(figure, justify="right", no_wrap=True) for figure in figures),
        title=headline(comparisons),
        caption=f"a win is a {game}; {CONFIDENCE:.0%} intervals over deals; equal players win {even:.1%}",
        box=SIMPLE,
    )
    before = ""
    for row in comparisons:
        wins, score, challenger = row.win_rate, row.score, row.match.challenger.name
        result.add_row(
            "" if challenger == before else escape(challenger),  # a path may be long: said once
            escape(row.match.opponent.name),
            _coloured(f"{wins.mean:.1%} ({100 * wins.low:.1f}-{100 * wins.high:.1f})", wins, even),
            _coloured(f"{score.mean:+.1f} ± {score.high - score.mean:.1f}", score, 0),
            " / ".join(f"{milliseconds:.2f}" for milliseconds in row.milliseconds),
        )
        before = challenger
    return result


def write_json(path: Path, comparisons: Sequence[Comparison], facts: Mapping[str, Any]) -> None:
    """All results and what is needed to reproduce them; `facts` come first. One line a key."""
    first = comparisons[0]
    document = {
        **facts,
        "versions": {"python": platform.python_version()} | _versions(),
        "rules": {"name": first.match.rules.name} | first.match.rules.to_dict(),
        "seats": first.match.seats,
        "draws": first.match.draws,
        "seed": first.match.seed,
        "deals": len(first.deals),
        "games_a_row": first.games,
        "a_game_is": f"a {unit(first.match.rules)}",
        "confidence": CONFIDENCE,
        "rows": [_summary(comparison) for comparison in comparisons],
        "per_deal": [_per_deal(comparison) for comparison in comparisons],
    }
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
    write_whole(path, f"{{\n{lines}\n}}\n".encode())


def write_png(path: Path, comparisons: Sequence[Comparison]) -> None:
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
    figure.suptitle(f"{headline(comparisons)}; {CONFIDENCE:.0%} intervals over deals", fontsize=10, wrap=True)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120)  # a bare Figure draws with Agg: no screen needed
    write_whole(path, picture.getvalue())


def _coloured(text: str, interval: Interval, even: float) -> str:
    if interval.low > even:
        return f"[green]{text}[/]"
    return f"[red]{text}[/]" if interval.high < even else text


def _summary(comparison: Comparison) -> dict[str, Any]:
    own, other = comparison.milliseconds
    return {
        "challenger": comparison.match.challenger.name,
        "opponent": comparison.match.opponent.name,
        "win_rate": asdict(comparison.win_rate),
        "score": asdict(comparison.score),
        "turns": comparison.turns,
        "stalemates": comparison.stalemates,
        "ms_a_turn": {"challenger": own, "opponent": other},
    }


def _per_deal(comparison: Comparison) -> dict[str, list[list[float]]]:
    """Wins and scores of the challenger: a list a deal, in the order of the challenger's seat."""
    return {
        "wins": [[game.win for game in games] for games in comparison.deals],
        "scores": [[game.score for game in games] for games in comparison.deals],
    }


def _versions() -> dict[str, str | None]:
    """The versions of the packages that the results may depend on; None = not installed."""
    found: dict[str, str | None] = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def _bars(axes: Axes, intervals: Sequence[Interval], even: float) -> None:
    """Horizontal bars from `even` to the means, first on top."""
    means = [interval.mean for interval in intervals]
    errors = [
        [interval.mean - interval.low for interval in intervals],
        [interval.high - interval.mean for interval in intervals],
    ]
    places = range(len(intervals))
    axes.barh(places, [mean - even for mean in means], left=even, height=0.6, color="tab:blue", alpha=0.5)
    axes.errorbar(means, places, xerr=errors, fmt="o", color="black", markersize=3, capsize=4)
    axes.axvline(even, color="black", linewidth=1, linestyle="--")
    axes.grid(axis="x", alpha=0.3)
