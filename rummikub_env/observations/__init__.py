"""Observations: what a network sees of a `View`.

An observation is chosen by name, or by names that are joined: ``"counts"``, ``"counts+history"``,
``["counts", "history"]``, ``["rack", "table"]``. A new one is a tuple of pieces and an entry in `OBSERVATIONS`; an
ablation is a shorter tuple.

==========  =========================================================================================
name        for
==========  =========================================================================================
`counts`    the default: everything as counts, but not how the table lies
`planes`    convolutions: tiles as images, channels x colours x values
`tokens`    attention: tiles one by one, set by set, and what each joker stands for
`history`   the last turns, and what each seat let by; to be read beside another one
==========  =========================================================================================

The pieces of `counts` are compiled together (`facts`); any other says itself how it is read (`Piece.read`).
What no player may see, the racks of all, is not among them: see `perfect`.
"""

from collections.abc import Sequence

from rummikub_env.observations.base import Field, Observation, Piece, PieceOf, Spelling
from rummikub_env.observations.counts import COUNTS, match
from rummikub_env.observations.history import HISTORY
from rummikub_env.observations.perfect import Perfect
from rummikub_env.observations.planes import PLANES
from rummikub_env.observations.tokens import TOKENS
from rummikub_env.rules import RuleSet, rules_of

__all__ = [
    "COUNTS",
    "OBSERVATIONS",
    "PIECES",
    "Field",
    "Observation",
    "Perfect",
    "Piece",
    "PieceOf",
    "Spelling",
    "observation_of",
]

OBSERVATIONS: dict[str, tuple[PieceOf, ...]] = {
    "counts": COUNTS,
    "planes": PLANES,
    "tokens": TOKENS,
    "history": HISTORY,
}
PIECES: dict[str, PieceOf] = {piece.__name__: piece for pieces in OBSERVATIONS.values() for piece in pieces}
"""The pieces of which these are made, by name."""


def observation_of(names: str | Sequence[str], rules: str | RuleSet, players: int) -> Observation:
    """The encoder of these observations and pieces, each piece once; ValueError says which there are.

    rules: a rule set, or the name of a preset; where they end a match, `match` comes last.
    """
    game = rules_of(rules)
    chosen = names.split("+") if isinstance(names, str) else names
    if not isinstance(chosen, Sequence) or not all(isinstance(name, str) for name in chosen):
        raise TypeError(f"observation={names!r} must be a name, names joined by +, or a list of names")
    pieces = dict.fromkeys(piece for name in chosen for piece in _pieces_of(name))
    several = game.match_limit[0] != "open"
    return Observation(game, players, (*pieces, *[match] * several))


def _pieces_of(name: str) -> tuple[PieceOf, ...]:
    if name in OBSERVATIONS:
        return OBSERVATIONS[name]
    if name in PIECES:
        return (PIECES[name],)
    alone = ", ".join(piece for piece in PIECES if piece not in OBSERVATIONS)
    raise ValueError(
        f"unknown observation {name!r}; there is: {', '.join(OBSERVATIONS)}; and of pieces: {alone}. "
        "What no player may know, the racks of all, is in env.state()"
    )
