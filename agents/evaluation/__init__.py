"""Honest comparison of players: the same deals, rotated seats, intervals over deals.

Tables, files and pictures of the results are made by `agents.evaluation.report`.
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
