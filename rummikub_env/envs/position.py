"""A game together with the half-spelled turn of the seat on turn: what every env steps through."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummikub_env import game
from rummikub_env.actions import ActionCodec
from rummikub_env.state import State, view


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Immutable: a step makes a new one, so a copy of a running game costs nothing."""

    state: State
    draft: Any
    """The turn being spelled, a `Draft` of the env's codec; None when the game is over."""
    actions: tuple[int, ...] = ()
    """The actions that spelled the draft."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self

    def to_json(self) -> dict[str, Any]:
        """``{"state": one line of text, "actions": [...]}``; `from_json` is the inverse."""
        return {"state": self.state.text(), "actions": list(self.actions)}


def begin(codec: ActionCodec[Any], state: State) -> Position:
    """The beginning of the turn that is on in `state`."""
    over = state.outcome is not None
    return Position(state, None if over else codec.begin(view(state, state.to_move)))


def act(codec: ActionCodec[Any], position: Position, action: int) -> Position:
    """The position after one action of the seat on turn; raises `IllegalAction`."""
    spelled = codec.step(position.draft, action)
    if isinstance(spelled, game.Move):
        return begin(codec, game.advance(position.state, spelled))
    return Position(position.state, spelled, (*position.actions, action))


def from_json(codec: ActionCodec[Any], players: int, data: Mapping[str, Any]) -> Position:
    """The position that `to_json` described; ValueError if it is of another game than this env plays."""
    text, actions = data["state"], tuple(data["actions"])
    if not isinstance(text, str) or not all(type(action) is int for action in actions):
        raise ValueError("a position is the text of a state and a list of whole numbers, the actions")
    position = begin(codec, owned(codec, players, State.from_text(text)))
    if actions and position.draft is None:
        raise ValueError("there are actions, but the game is over")
    for number, action in enumerate(actions, 1):
        position = act(codec, position, action)
        if len(position.actions) != number:
            raise ValueError(f"the actions {actions} go beyond the turn")
    return position


def owned(codec: ActionCodec[Any], players: int, state: State) -> State:
    """`state`, which must be of a game of `players` by the codec's rules."""
    if (state.rules, state.players) != (codec.rules, players):
        raise ValueError(
            f"the state is of a game of {state.players} by {state.rules.name}, "
            f"this env plays {players} by {codec.rules.name}"
        )
    return state


def restored(state: Mapping[str, Any]) -> np.random.Generator:
    """A generator that goes on from ``bit_generator.state`` of another one (PCG64, as Gymnasium has it)."""
    generator = np.random.default_rng(0)
    generator.bit_generator.state = state
    return generator
