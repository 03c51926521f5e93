"""Comparisons and ladders as tables on the screen and as JSON."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Column, Table

from agents.evaluation.arena import Comparison
from agents.evaluation.ladder import Ladder
from agents.evaluation.stats import CONFIDENCE, Interval
from agents.evaluation.wording import cheats, decided, elo, headline, intervals_of, unit
from agents.files import write_whole

_PACKAGES = ("rummikub-env", "numpy", "numba", "scipy", "torch")


def table(comparisons: Sequence[Comparison]) -> Table:
    """A row a comparison; green or red where the whole interval lies above or below even."""
    even = comparisons[0].even
    game = unit(comparisons[0].match.rules)
    names, figures = ("challenger", "opponent"), ("wins", f"score a {game}", "ms a turn")
    stops = comparisons[0].error > 0
    result = Table(
        *(Column(name, overflow="fold") for name in names),
        *(Column(figure, justify="right", no_wrap=True) for figure in figures),
        *[Column("after deals")] * stops,
        title=headline(comparisons),
        caption=f"a win is a {game}; {intervals_of(comparisons)}; equal players win {even:.1%}",
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
            *[decided(row)] * stops,
        )
        before = challenger
    return result


def ladder_table(found: Ladder) -> Table:
    """A row a player, the strongest first."""
    result = Table(
        Column("player", overflow="fold"),
        *(Column(figure, justify="right", no_wrap=True) for figure in ("rating", "95% interval", "ms a turn")),
        title=headline(found.comparisons),
        caption=f"Elo scale, {found.anchor} = 0; intervals by a bootstrap over deals",
        box=SIMPLE,
    )
    for name, points in ((rating.name, rating.points) for rating in found.ratings):
        interval = "" if name == found.anchor else f"{elo(points.low)} to {elo(points.high)}"
        shown = _coloured(elo(points.mean), points, 0)
        result.add_row(escape(name), shown, interval, f"{found.milliseconds[name]:.2f}")
    return result


def write_json(
    path: Path, comparisons: Sequence[Comparison], facts: Mapping[str, Any], found: Ladder | None = None
) -> None:
    """All results and what is needed to reproduce them; `facts` come first. One line a key."""
    first = comparisons[0]
    document = {
        **facts,
        "versions": versions(),
        "rules": {"name": first.match.rules.name} | first.match.rules.to_dict(),
        "seats": first.match.seats,
        "draws": first.match.draws,
        "seed": first.match.seed,
        "deals": max(len(row.deals) for row in comparisons),
        "games_a_row": max(row.games for row in comparisons),
        "lineups": ["".join("+-"[not own] for own in lineup) for lineup in first.match.lineups],
        "a_game_is": f"a {unit(first.match.rules)}",
        "confidence": CONFIDENCE,
        "cheats": cheats(comparisons),
        **({} if found is None else {"ladder": _ladder(found)}),
        "rows": [_summary(comparison) for comparison in comparisons],
        "per_deal": [_per_deal(comparison) for comparison in comparisons],
    }
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
    write_whole(path, f"{{\n{lines}\n}}\n".encode())


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
        "deals": len(comparison.deals),
        **({"error": comparison.error, "decided": decided(comparison)} if comparison.error else {}),
    }


def _ladder(found: Ladder) -> dict[str, Any]:
    milliseconds, shares = found.milliseconds, found.shares
    return {
        "anchor": found.anchor,
        "ratings": [
            {"player": rating.name, "points": asdict(rating.points), "ms_a_turn": milliseconds[rating.name]}
            for rating in found.ratings
        ],
        "pairs": [
            {"players": [*pair], "games_won_by_the_first": asdict(shares[pair]), "beyond_the_ratings": beyond}
            for pair, beyond in found.unexplained.items()
        ],
    }


def _per_deal(comparison: Comparison) -> dict[str, list[list[float]]]:
    """Wins and scores of the challenger: a list a deal, in the order of the line-ups."""
    return {
        "wins": [[game.win for game in games] for games in comparison.deals],
        "scores": [[game.score for game in games] for games in comparison.deals],
    }


def versions() -> dict[str, str | None]:
    """The versions of Python and of the packages that the results may depend on; None = not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
