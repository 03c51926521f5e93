"""Results that are kept while an evaluation goes on, so that it can be cut at any time and go on later.

A file of JSON lines: the first says what is played, each other one holds a deal of a row. A line is written at once;
one that was cut off in the middle is dropped when the file is read.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.evaluation.arena import DealResult, GameResult
from agents.files import write_whole

Kept = dict[int, list[DealResult]]
"""For each row the deals that are done, from the first one on."""


def kept(path: Path, facts: Mapping[str, Any]) -> Kept:
    """What the file holds; it is begun if it is not there. `facts`: all that decides the results, as JSON knows it.

    ValueError where the file holds results of other facts, or something else.
    """
    if not path.exists():
        write_whole(path, _line(facts))
        return {}
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    try:
        told, *lines = [json.loads(line) for line in whole.splitlines()]
        found: Kept = {}
        for row, games in lines:
            found.setdefault(row, []).append(tuple(map(_game, games)))
    except (ValueError, TypeError):
        raise ValueError(f"{path} does not hold results of evaluate.py: delete it, or give another --out") from None
    _check(path, told, dict(facts))
    if whole != text:
        write_whole(path, whole)
    return found


def keep(path: Path, row: int, games: DealResult) -> None:
    """Add the next deal of a row to the file."""
    with path.open("ab", buffering=0) as file:  # the line is one write
        file.write(_line([row, [_figures(game) for game in games]]))


def _check(path: Path, told: Any, facts: dict[str, Any]) -> None:
    """ValueError names the first difference between what was played and what is to be played."""
    if not isinstance(told, dict):
        raise ValueError(f"{path} does not hold results of evaluate.py: delete it, or give another --out")
    for key in facts | told:
        if told.get(key) != facts.get(key):
            raise ValueError(
                f"{path} holds unfinished results of another evaluation ({key}: {json.dumps(told.get(key))} there, "
                f"{json.dumps(facts.get(key))} now): delete it, or give another --out"
            )


def _line(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def _figures(game: GameResult) -> list[float]:
    seconds = (round(second, 6) for second in game.seconds)
    return [game.win, game.score, game.turns, game.stalemate, *game.decisions, *seconds]


def _game(figures: list[Any]) -> GameResult:
    win, score, turns, stalemate, own, others, own_seconds, other_seconds = figures
    return GameResult(win, score, turns, stalemate, (own, others), (own_seconds, other_seconds))
