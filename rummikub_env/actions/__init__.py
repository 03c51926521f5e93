"""Action codecs: ways to spell a move as discrete actions. The rules do not know that they exist.

A new codec is one file with the methods of `ActionCodec` and an entry in `CODECS`. A name may carry options:
``"turns:k=128"``.

=========  =================  ============================================================================
codec      actions (sabra)    an action is
=========  =================  ============================================================================
`tiles`    54                 a rack tile to play, or the end of the turn; the solver lays the tiles
`sets`     7,674              a set of the new table, or the end of the turn
`turns`    ``k + 1`` (65)     a whole turn: one of the k best plays, or none; each comes with features
=========  =================  ============================================================================
"""

import inspect
from collections.abc import Callable
from typing import Any

from rummikub_env.actions.base import ActionCodec, Draft, IllegalAction, Mask, check
from rummikub_env.actions.by_seat import BySeatCodec
from rummikub_env.actions.playing import CodecPlayer
from rummikub_env.actions.sets import SetsCodec, SetsDraft
from rummikub_env.actions.tiles import TilesCodec, TilesDraft
from rummikub_env.actions.turns import Features, TurnsCodec, TurnsDraft
from rummikub_env.rules import RuleSet, rules_of

__all__ = [
    "CODECS",
    "ActionCodec",
    "BySeatCodec",
    "CodecPlayer",
    "Draft",
    "Features",
    "IllegalAction",
    "Mask",
    "SetsCodec",
    "SetsDraft",
    "TilesCodec",
    "TilesDraft",
    "TurnsCodec",
    "TurnsDraft",
    "check",
    "codec_of",
]

CODECS: dict[str, Callable[..., ActionCodec[Any]]] = {"tiles": TilesCodec, "sets": SetsCodec, "turns": TurnsCodec}


def codec_of(name: str, rules: str | RuleSet) -> ActionCodec[Any]:
    """The codec called `name`, with whole numbers as options if it takes any; ValueError says which there are.

    rules: a rule set, or the name of a preset.
    """
    if not isinstance(name, str):
        raise TypeError(f"actions={name!r} must be the name of a codec; there is: {', '.join(CODECS)}")
    known, _, told = name.partition(":")
    if known not in CODECS:
        raise ValueError(f"unknown action codec {known!r}; there is: {', '.join(CODECS)}")
    allowed = [option for option in inspect.signature(CODECS[known]).parameters if option != "rules"]
    options = [_option(name, part, allowed) for part in told.split(",") if told]
    if len(dict(options)) < len(options):
        raise ValueError(f"action codec {name!r} tells an option twice")
    return CODECS[known](rules_of(rules), **dict(options))


def _option(name: str, text: str, allowed: list[str]) -> tuple[str, int]:
    option, _, number = text.partition("=")
    if option not in allowed or not number.isdecimal():
        there_is = ", ".join(f"{known}=NUMBER" for known in allowed) or "none"
        raise ValueError(f"option {text!r} of action codec {name!r} is not allowed; there is: {there_is}")
    return option, int(number)
