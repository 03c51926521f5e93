"""Arguments of the environments, checked: what is wrong, and what is allowed."""

import operator
from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any, SupportsIndex, get_args

from rummikub_env.actions import ActionCodec, BySeatCodec, codec_of
from rummikub_env.match import match_end
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.solvable import check_solvable


def game_of(
    rules: str | RuleSet,
    overrides: Mapping[str, Any] | None,
    num_players: int,
    match: Mapping[str, int] | None = None,
) -> tuple[RuleSet, int]:
    """The rules and the number of players; TypeError or ValueError when there is no such game.

    match: ``{"rounds": 4}`` or ``{"target": 200}`` in place of the rules' own `match_end`.
    """
    if not isinstance(rules, str | RuleSet):
        raise TypeError(f"rules={rules!r} must be the name of a preset or a RuleSet")
    if not isinstance(overrides, Mapping | None):
        raise TypeError(f"overrides={overrides!r} must be a mapping such as {{'max_value': 6}}, or None")
    if not isinstance(match, Mapping | None):
        raise TypeError(f"match={match!r} must be {{'rounds': N}}, {{'target': N}} or None")
    ends = {} if match is None else {"match_end": match_end(match)}
    game, players = rules_of(rules, {**(overrides or {}), **ends}), whole("num_players", num_players)
    game.check_players(players)
    check_solvable(game)
    return game, players


def codecs_of(
    actions: str | Mapping[str, str], agents: Sequence[str], rules: RuleSet
) -> tuple[ActionCodec[Any], list[ActionCodec[Any]]]:
    """The codec of an env, and that of each agent: the same, or each its own where `actions` names them by agent."""
    if not isinstance(actions, Mapping):
        codec = codec_of(actions, rules)
        return codec, [codec] * len(agents)
    if set(actions) != set(agents):
        raise ValueError(f"actions={dict(actions)} must name a codec for each of {', '.join(agents)}, and no others")
    codecs = [codec_of(actions[agent], rules) for agent in agents]
    return BySeatCodec(codecs), codecs


def most_steps(rules: RuleSet, max_steps_per_turn: int | None) -> int | None:
    """After how many actions the time of a turn is over; ValueError where the rules know no time-out."""
    if max_steps_per_turn is None:
        return None
    most = whole("max_steps_per_turn", max_steps_per_turn)
    if most < 2:
        raise ValueError(f"max_steps_per_turn={most} is not allowed; it must be 2 or more: a tile, and the end")
    if rules.turn_seconds is None:
        raise ValueError(
            f"max_steps_per_turn={most} is not allowed by {rules.name}: its turns have no clock, so nothing says what "
            "a time-out is; give the rules turn_seconds and timeout_penalty_tiles"
        )
    return most


def finite(name: str, value: Any) -> float:
    """`value` as a float; ValueError when it is no number, or none that can be reckoned with."""
    if not isinstance(value, Real) or not isfinite(value):
        raise ValueError(f"{name}={value!r} must be a finite number")
    return float(value)


def whole(name: str, value: int) -> int:
    """`value` as an int; TypeError when it is none, or True or False."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name}={value!r} must be an integer")
    return operator.index(value)


def one_of(name: str, value: Any, literal: Any) -> Any:
    """`value`, which must be one of a Literal of strings; ValueError says which there are."""
    allowed = get_args(literal)
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is not allowed; allowed: {', '.join(allowed)}")
    return value
