"""Rummikub for reinforcement learning: exact rules, exact action masks, environments.

The game is here: states, moves, rules. What needs more than NumPy is imported by its own name, so that
importing the package stays cheap: ``from rummikub_env import rummikub_v0`` (the PettingZoo environment),
``from rummikub_env import solver``, ``from rummikub_env.envs.vector import VectorEnv``.
"""

from rummikub_env.game import Draw, Move, Pass, Play, TimeOut, advance, apply, check
from rummikub_env.match import Match
from rummikub_env.player import Player
from rummikub_env.reasons import IllegalMove, Reason, Refusal
from rummikub_env.rules import PRESETS, RuleSet, rules_of
from rummikub_env.state import LastMove, Outcome, State, View, deal, view
from rummikub_env.tiles import TileSet

__all__ = [
    "PRESETS",
    "Draw",
    "IllegalMove",
    "LastMove",
    "Match",
    "Move",
    "Outcome",
    "Pass",
    "Play",
    "Player",
    "Reason",
    "Refusal",
    "RuleSet",
    "State",
    "TileSet",
    "TimeOut",
    "View",
    "advance",
    "apply",
    "check",
    "deal",
    "rules_of",
    "view",
]
