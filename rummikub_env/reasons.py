"""Why a move is refused: reason codes, the sentence of each, and the error that carries them."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """The code of a broken rule; its value is its name, `sentence` says it in words."""

    E_SET_TOO_SHORT = "E_SET_TOO_SHORT"
    E_NOT_A_SET = "E_NOT_A_SET"
    E_RUN_GAP = "E_RUN_GAP"
    E_RUN_WRAP = "E_RUN_WRAP"
    E_RUN_DUPLICATE = "E_RUN_DUPLICATE"
    E_RUN_TOO_LONG = "E_RUN_TOO_LONG"
    E_GROUP_DUP_COLOUR = "E_GROUP_DUP_COLOUR"
    E_GROUP_TOO_LARGE = "E_GROUP_TOO_LARGE"
    E_JOKER_OUT_OF_RANGE = "E_JOKER_OUT_OF_RANGE"
    E_JOKER_DECL_REQUIRED = "E_JOKER_DECL_REQUIRED"
    E_JOKER_DECL_MISMATCH = "E_JOKER_DECL_MISMATCH"
    E_TOO_MANY_JOKERS = "E_TOO_MANY_JOKERS"
    E_MELD_BELOW_MINIMUM = "E_MELD_BELOW_MINIMUM"
    E_MELD_USES_TABLE = "E_MELD_USES_TABLE"
    E_MELD_TABLE_PLAY_SAME_TURN = "E_MELD_TABLE_PLAY_SAME_TURN"
    E_MELD_NOT_RUN = "E_MELD_NOT_RUN"
    E_MELD_JOKER_FORBIDDEN = "E_MELD_JOKER_FORBIDDEN"
    E_JOKER_BEFORE_MELD = "E_JOKER_BEFORE_MELD"
    E_JOKER_NOT_REPLACED = "E_JOKER_NOT_REPLACED"
    E_JOKER_REPLACEMENT_SOURCE = "E_JOKER_REPLACEMENT_SOURCE"
    E_JOKER_GROUP_NEEDS_BOTH = "E_JOKER_GROUP_NEEDS_BOTH"
    E_JOKER_NOT_REUSED = "E_JOKER_NOT_REUSED"
    E_JOKER_REUSE_NOT_NEW_SET = "E_JOKER_REUSE_NOT_NEW_SET"
    E_JOKER_REUSE_RACK_TILES = "E_JOKER_REUSE_RACK_TILES"
    E_JOKER_SET_FROZEN = "E_JOKER_SET_FROZEN"
    E_TILE_TAKEN_TO_RACK = "E_TILE_TAKEN_TO_RACK"
    E_TILE_NOT_ON_RACK = "E_TILE_NOT_ON_RACK"
    E_TILE_CONSERVATION = "E_TILE_CONSERVATION"
    E_NO_TILE_PLAYED = "E_NO_TILE_PLAYED"
    E_POOL_EMPTY = "E_POOL_EMPTY"
    E_PASS_NOT_ALLOWED = "E_PASS_NOT_ALLOWED"
    E_MUST_PLAY = "E_MUST_PLAY"
    E_TURN_OVER = "E_TURN_OVER"
    E_NOT_YOUR_TURN = "E_NOT_YOUR_TURN"
    E_TIMEOUT = "E_TIMEOUT"

    @property
    def sentence(self) -> str:
        """The rule in words, as a player would say it."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.E_SET_TOO_SHORT: "A set needs at least three tiles.",
    Reason.E_NOT_A_SET: "These tiles are neither a run (one colour, consecutive) nor a group (one value).",
    Reason.E_RUN_GAP: "The values of a run must be consecutive.",
    Reason.E_RUN_WRAP: "The 1 may not lie there in a run.",
    Reason.E_RUN_DUPLICATE: "A value may occur only once in a run.",
    Reason.E_RUN_TOO_LONG: "There is no place for so many tiles in a run.",
    Reason.E_GROUP_DUP_COLOUR: "A colour may occur only once in a group.",
    Reason.E_GROUP_TOO_LARGE: "There is no place for another tile in this group.",
    Reason.E_JOKER_OUT_OF_RANGE: "A joker cannot stand beyond the ends of a run.",
    Reason.E_JOKER_DECL_REQUIRED: "Say which tile each joker stands for.",
    Reason.E_JOKER_DECL_MISMATCH: "A joker cannot stand in this set for the tile it was declared to be.",
    Reason.E_TOO_MANY_JOKERS: "There are too many jokers in this set.",
    Reason.E_MELD_BELOW_MINIMUM: "The sets of your first play are not worth enough.",
    Reason.E_MELD_USES_TABLE: "Your first play must come from your rack alone.",
    Reason.E_MELD_TABLE_PLAY_SAME_TURN: "In the turn of your first play the other sets stay as they are.",
    Reason.E_MELD_NOT_RUN: "Your first play must contain a run of its own.",
    Reason.E_MELD_JOKER_FORBIDDEN: "No joker may be used in your first play.",
    Reason.E_JOKER_BEFORE_MELD: "You may not retrieve a joker before your first play.",
    Reason.E_JOKER_NOT_REPLACED: "A joker keeps its meaning until a tile of that meaning replaces it.",
    Reason.E_JOKER_REPLACEMENT_SOURCE: "The tile that replaces a joker must come from your rack.",
    Reason.E_JOKER_GROUP_NEEDS_BOTH: "Both missing colours are needed to free a joker from a group of three.",
    Reason.E_JOKER_NOT_REUSED: "A retrieved joker must be played again in the same turn.",
    Reason.E_JOKER_REUSE_NOT_NEW_SET: "A retrieved joker must be played in a new set.",
    Reason.E_JOKER_REUSE_RACK_TILES: "Too few tiles of your rack lie beside the retrieved joker.",
    Reason.E_JOKER_SET_FROZEN: "A set that holds a joker may only be added to.",
    Reason.E_TILE_TAKEN_TO_RACK: "A tile of the table may not be taken to the rack.",
    Reason.E_TILE_NOT_ON_RACK: "You do not have these tiles.",
    Reason.E_TILE_CONSERVATION: "The new table must hold the old tiles and those you play, no more, no less.",
    Reason.E_NO_TILE_PLAYED: "Play at least one tile from your rack.",
    Reason.E_POOL_EMPTY: "The pool is empty: there is nothing to draw.",
    Reason.E_PASS_NOT_ALLOWED: "You may pass only when the pool is empty: play or draw.",
    Reason.E_MUST_PLAY: "You can play, so you must.",
    Reason.E_TURN_OVER: "The round is over.",
    Reason.E_NOT_YOUR_TURN: "It is another player's turn.",
    Reason.E_TIMEOUT: "The time for this turn is over.",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One broken rule of a refused move, with the tiles concerned."""

    reason: Reason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason.sentence} ({self.detail})" if self.detail else self.reason.sentence


class IllegalMove(ValueError):  # noqa: N818 - what it is called at the table
    """A move that the rules refuse; `refusals` says why, the text says it in words."""

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        super().__init__(" ".join(map(str, refusals)))
        self.refusals = refusals

    def __reduce__(self) -> tuple[type["IllegalMove"], tuple[tuple[Refusal, ...]]]:
        return IllegalMove, (self.refusals,)
