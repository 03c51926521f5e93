"""Action codecs: ways to spell a move as discrete actions. The rules do not know that they exist.

A new codec is one file with the methods of `ActionCodec` and an entry in `CODECS`.
"""

from rummikub_env.actions.base import ActionCodec, Draft, IllegalAction, Mask, check
from rummikub_env.actions.tiles import TilesCodec, TilesDraft
from rummikub_env.rules import RuleSet

__all__ = [
    "CODECS",
    "ActionCodec",
    "Draft",
    "IllegalAction",
    "Mask",
    "TilesCodec",
    "TilesDraft",
    "check",
    "codec_of",
]

CODECS = {"tiles": TilesCodec}


def codec_of(name: str, rules: RuleSet) -> TilesCodec:
    """The codec called `name`; ValueError says which there are."""
    if name not in CODECS:
        raise ValueError(f"unknown action codec {name!r}; there is: {', '.join(CODECS)}")
    return CODECS[name](rules)
