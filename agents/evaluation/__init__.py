"""Honest comparison of players: the same deals, rotated seats, intervals over deals.

`arena` plays, in the line-ups of `lineups`; `stats` and `sequential` say how sure a figure is, `ratings` and `ladder`
what all pairs together show. `journal` keeps what is played. `report`, `pictures` and `html` show it, in the same
`wording`.
"""

from agents.evaluation.arena import Comparison, GameResult, Match, compare, compare_all, record_rounds
from agents.evaluation.stats import Interval, mean_interval

__all__ = [
    "Comparison",
    "GameResult",
    "Interval",
    "Match",
    "compare",
    "compare_all",
    "mean_interval",
    "record_rounds",
]
