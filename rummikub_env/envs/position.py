"""A game together with the half-spelled turn of the seat on turn: what every env steps through."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rummikub_env import game
from rummikub_env.actions import ActionCodec
from rummikub_env.match import Match
from rummikub_env.state import Draws, History, LastMove, MoveKind, PastTurn, Standing, State, deal, remember, view


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Immutable: a step makes a new one, so a copy of a running game costs nothing."""

    state: State
    draft: Any
    """The turn being spelled, a `Draft` of the env's codec; None when the round is over."""
    actions: tuple[int, ...] = ()
    """Actions that spell the draft."""
    match: Match | None = None
    """The rounds that are over, that of `state` among them if it is; None: a single round is played."""
    history: History | None = None
    """The turns of the round, for who remembers them; None: nobody does."""

    @property
    def standing(self) -> Standing | None:
        """How the match stands, for the players."""
        return None if self.match is None else self.match.standing

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self

    def to_json(self, codec: ActionCodec[Any]) -> dict[str, Any]:
        """``{"state": one line of text, "codec": name, "actions": [...]}``, `from_json` is the inverse.

        In a match its text too; where turns are remembered, ``[seat, kind of move, tiles, [kinds played]]`` of each.
        """
        match = {} if self.match is None else {"match": self.match.text()}
        turns = [[turn.seat, *turn.move, list(turn.played)] for turn in self.history or ()]
        history = {} if self.history is None else {"history": turns}
        spelled = {"codec": codec.name, "actions": list(self.actions)}
        return {"state": self.state.text(), **spelled, **match, **history}


# How an env goes from one to the next


def first(codec: ActionCodec[Any], players: int, rng: np.random.Generator, draws: Draws) -> Position:
    """The start of an episode: a round, or a match where the rules end one; a lot says who deals first in it."""
    if codec.rules.match_limit[0] == "open":
        return begin(codec, deal(codec.rules, players, rng, draws))
    match = Match(codec.rules, players, dealer=int(rng.integers(players)))
    return begin(codec, match.deal(rng, draws), match)


def given(codec: ActionCodec[Any], players: int, state: State) -> Position:
    """An episode that starts from `state`, the first round of a match where the rules end one."""
    owned(codec, players, state)
    if state.outcome is not None:
        raise ValueError("the state is of a round that is over: there is no turn to start from")
    several = codec.rules.match_limit[0] != "open"
    return begin(codec, state, Match(codec.rules, players) if several else None)


def begin(
    codec: ActionCodec[Any], state: State, match: Match | None = None, history: History | None = None
) -> Position:
    """The beginning of the turn that is on in `state`; a round that is over is added to the match."""
    if state.outcome is not None:
        return Position(state, None, (), match and match.add(state.outcome), history)
    standing = None if match is None else match.standing
    return Position(state, codec.begin(view(state, state.to_move, standing, history)), (), match, history)


def act(codec: ActionCodec[Any], position: Position, action: int, most: int | None = None) -> Position:
    """The position after one action of the seat on turn; raises `IllegalAction`.

    most: after so many actions in one turn its time is over, and the rules say what that means.
    """
    spelled = codec.step(position.draft, action)
    if not isinstance(spelled, game.Move):
        actions = (*position.actions, action)
        if len(actions) != most:
            return Position(position.state, spelled, actions, position.match, position.history)
        spelled = codec.time_out(spelled)
    return follow(codec, position, game.advance(position.state, spelled))


def turn(codec: ActionCodec[Any], position: Position, move: game.Move) -> Position:
    """The position after a whole turn, of which nothing is spelled yet; raises `IllegalMove`."""
    return follow(codec, position, game.apply(position.state, move))


def follow(codec: ActionCodec[Any], position: Position, after: State) -> Position:
    """The position in which a turn has led to the state `after`."""
    history = None if position.history is None else remember(position.history, position.state, after)
    return begin(codec, after, position.match, history)


def go_on(codec: ActionCodec[Any], position: Position, rng: np.random.Generator, draws: Draws) -> Position:
    """The position itself, or the start of the next round where the match has one."""
    match = position.match
    if position.draft is not None or match is None or match.is_over:
        return position
    return begin(codec, match.deal(rng, draws), match, None if position.history is None else ())


def from_json(codec: ActionCodec[Any], players: int, data: Mapping[str, Any], most: int | None = None) -> Position:
    """The position that `to_json` described; ValueError if it is of another game than this env plays."""
    text, actions = data["state"], tuple(data["actions"])
    if data["codec"] != codec.name:
        raise ValueError(f"the actions are of the codec {data['codec']!r}, those of this env of {codec.name!r}")
    if not isinstance(text, str) or not all(type(action) is int for action in actions):
        raise ValueError("a position is the text of a state and a list of whole numbers, the actions")
    state = owned(codec, players, State.from_text(text))
    match = None if codec.rules.match_limit[0] == "open" else _match(state, data["match"])
    history = _history(codec, players, data["history"]) if "history" in data else None
    over = Position(state, None, (), match, history)
    position = over if state.outcome else begin(codec, state, match, history)
    if actions and position.draft is None:
        raise ValueError("there are actions, but the game is over")
    for number, action in enumerate(actions, 1):
        position = act(codec, position, action, most)
        if len(position.actions) != number:
            raise ValueError(f"the actions {actions} go beyond the turn")
    return position


def _history(codec: ActionCodec[Any], players: int, turns: list[Any]) -> History:
    """The turns that `Position.to_json` wrote; ValueError for what is no turn of this game."""
    history = tuple(PastTurn(seat, LastMove(kind, tiles), tuple(played)) for seat, kind, tiles, played in turns)
    for turn in history:
        seats, kinds, tiles = range(players), range(codec.rules.tiles.kinds), range(codec.rules.tiles.total + 1)
        known = turn.seat in seats and turn.move.kind in get_args(MoveKind) and turn.move.tiles in tiles
        if not known or not all(kind in kinds for kind in turn.played):
            raise ValueError(f"{turn} is not a turn of this game")
    return history


def _match(state: State, text: str) -> Match:
    """The match of a text, which must be the one that `state` is a round of."""
    match = Match.from_text(text)
    if (match.rules, match.players) != (state.rules, state.players):
        raise ValueError(f"match {text!r} is of another game than the state")
    if match.is_over != (state.outcome is not None) or (match.is_over and match.rounds[-1] != state.outcome):
        raise ValueError(f"match {text!r} does not go with the state: the round of one is over, of the other not")
    return match


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
