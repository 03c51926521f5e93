"""Rummikub for reinforcement learning: exact rules, exact action masks, environments.

The game is here: states, moves, rules. What needs more than NumPy is imported by its own name:
``from rummikub_env import rummikub_v0`` (the PettingZoo environment), ``from rummikub_env import solver``,
``from rummikub_env.envs.vector import VectorEnv``. Gymnasium knows ``Rummikub-v0`` when it was imported before this
package, or `rummikub_v0` is.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rummikub_env.game import Draw, Move, Pass, Play, TimeOut, advance, apply, check
    from rummikub_env.match import Match
    from rummikub_env.player import Player
    from rummikub_env.reasons import IllegalMove, Reason, Refusal
    from rummikub_env.rules import PRESETS, RuleSet, rules_of
    from rummikub_env.state import LastMove, Outcome, State, View, deal, view
    from rummikub_env.tiles import TileSet
else:

    def __getattr__(name):
        """A name comes when it is first asked for: importing the package alone needs no NumPy, so programs can start.

        They then say what is missing (`startup`) where an import here would be a traceback.
        """
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        homes = (vars(import_module(f"{__name__}.{home}")) for home in _HOMES)
        globals()[name] = value = next(home[name] for home in homes if name in home)
        return value


_HOMES = ("game", "match", "player", "reasons", "rules", "state", "tiles")

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

if "gymnasium" in sys.modules:  # a program that has not loaded it need not pay for it
    import_module(f"{__name__}.registration").register_with_gymnasium()
