"""An evaluation as one page that needs nothing else: the picture is part of it."""

import json
import shlex
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from agents.evaluation.arena import Comparison
from agents.evaluation.ladder import Ladder
from agents.evaluation.stats import Interval
from agents.evaluation.wording import decided, elo, headline, intervals_of, rule_of, unit
from rummikub_env.player import Player

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; margin: 1rem 0; }}
th, td {{ padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: right; }}
th:first-child, td:first-child, .words td, .words th {{ text-align: left; }}
img {{ max-width: 100%; }}
code {{ overflow-wrap: anywhere; }}
.above {{ color: #06703a; font-weight: 600; }}
.below {{ color: #a11; font-weight: 600; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{lead}</p>
<img alt="{title}" src="data:image/png;base64,{picture}">
{body}
</body>
</html>
"""


def page(comparisons: Sequence[Comparison], picture: bytes, facts: Mapping[str, Any], found: Ladder | None) -> bytes:
    """The page of an evaluation; `picture` is a PNG, `facts` are what the results are made from."""
    players = [p for row in comparisons for p in (row.match.challenger, row.match.opponent)]
    body = [
        *([] if found is None else [_section("Ratings", _ratings(found)), _section("Pairs", _pairs(found))]),
        *([_section("Results", _rows(comparisons))] if found is None else []),
        _section("Who plays", _players(players)),
        _section("How it was made", _facts(facts)),
    ]
    lead = f"{headline(comparisons)}; {intervals_of(comparisons)}."
    text = _PAGE.format(
        title="Evaluation" if found is None else "Ladder",
        lead=escape(lead),
        picture=b64encode(picture).decode(),
        body="\n".join(body),
    )
    return text.encode()


def _section(title: str, content: str) -> str:
    return f"<h2>{title}</h2>\n{content}"


def _ratings(found: Ladder) -> str:
    milliseconds = found.milliseconds
    rows = [
        [str(place), escape(rating.name), _marked(elo(points.mean), points, 0)]
        + [
            ("" if rating.name == found.anchor else f"{elo(points.low)} to {elo(points.high)}"),
            f"{milliseconds[rating.name]:.2f}",
        ]
        for place, rating in enumerate(found.ratings, 1)
        for points in [rating.points]
    ]
    note = (
        f"Bradley-Terry ratings on the Elo scale, {escape(found.anchor)} = 0 (100 points win 64% of the games of two); "
        "the intervals are a bootstrap over deals."
    )
    return f"<p>{note}</p>\n{_table(['', 'player', 'rating', '95% interval', 'ms a turn'], rows)}"


def _pairs(found: Ladder) -> str:
    shares = found.shares
    rows = [
        [escape(first), escape(second), _rate(shares[first, second], 0.5), f"{100 * beyond:+.1f}"]
        for (first, second), beyond in found.unexplained.items()
    ]
    note = "Games that the first player won, in all line-ups of both, and how much that is beyond what the ratings say."
    return f"<p>{note}</p>\n{_table(['first', 'second', 'games won', 'beyond, %'], rows)}"


def _rows(comparisons: Sequence[Comparison]) -> str:
    even, stops = comparisons[0].even, comparisons[0].error > 0
    rows = [
        [escape(row.match.challenger.name), escape(row.match.opponent.name), _rate(row.win_rate, even)]
        + [_marked(f"{row.score.mean:+.1f} ± {row.score.high - row.score.mean:.1f}", row.score, 0)]
        + [" / ".join(f"{milliseconds:.2f}" for milliseconds in row.milliseconds)]
        + [decided(row)] * stops
        for row in comparisons
    ]
    score = f"score a {unit(comparisons[0].match.rules)}"
    head = ["challenger", "opponent", "wins", score, "ms a turn", *["after deals"] * stops]
    return f"<p>Equal players win {even:.1%}.</p>\n{_table(head, rows)}"


def _players(players: Sequence[Player]) -> str:
    rules = {player.name: rule_of(player) for player in players}
    return _table(["player", "rule"], [[escape(name), escape(rule)] for name, rule in rules.items()], "words")


def _facts(facts: Mapping[str, Any]) -> str:
    """The command as one may type it, all else as JSON."""
    told = {key: shlex.join(value) if key == "command" else json.dumps(value) for key, value in facts.items()}
    return _table(["", ""], [[escape(key), f"<code>{escape(value)}</code>"] for key, value in told.items()], "words")


def _rate(share: Interval, even: float) -> str:
    return _marked(f"{share.mean:.1%} ({100 * share.low:.1f}-{100 * share.high:.1f})", share, even)


def _marked(text: str, interval: Interval, even: float) -> str:
    """Green or red where the whole interval lies above or below even."""
    side = "above" if interval.low > even else "below" if interval.high < even else ""
    return f'<span class="{side}">{text}</span>' if side else text


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are HTML already."""
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="{kind}">\n<tr>{top}</tr>\n{body}\n</table>'
