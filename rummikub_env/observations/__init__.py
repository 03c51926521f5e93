"""Observations: what a network sees of a `View`.

A new observation is a tuple of pieces and an entry in `OBSERVATIONS`; an ablation is a shorter tuple.
The pieces of `counts` are compiled together (`facts`); any other says itself how it is read (`Piece.read`).
"""

from rummikub_env.observations.base import Field, Observation, Piece, PieceOf, Spelling
from rummikub_env.observations.counts import COUNTS, match
from rummikub_env.rules import RuleSet

__all__ = ["COUNTS", "OBSERVATIONS", "Field", "Observation", "Piece", "PieceOf", "Spelling", "observation_of"]

OBSERVATIONS: dict[str, tuple[PieceOf, ...]] = {"counts": COUNTS}


def observation_of(name: str, rules: RuleSet, players: int) -> Observation:
    """The encoder called `name`; ValueError says which there are. Where the rules end a match, `match` comes last."""
    if name not in OBSERVATIONS:
        raise ValueError(f"unknown observation {name!r}; there is: {', '.join(OBSERVATIONS)}")
    several = rules.match_limit[0] != "open"
    return Observation(rules, players, (*OBSERVATIONS[name], *[match] * several))
