"""Arguments of the environments, checked: what is wrong, and what is allowed."""

import operator
from collections.abc import Mapping
from typing import Any, get_args

from rummikub_env.rules import RuleSet, rules_of


def game_of(rules: str | RuleSet, overrides: Mapping[str, Any] | None, num_players: int) -> tuple[RuleSet, int]:
    """The rules and the number of players; TypeError or ValueError when there is no such game."""
    if not isinstance(rules, str | RuleSet):
        raise TypeError(f"rules={rules!r} must be the name of a preset or a RuleSet")
    if not isinstance(overrides, Mapping | None):
        raise TypeError(f"overrides={overrides!r} must be a mapping such as {{'max_value': 6}}, or None")
    game, players = rules_of(rules, overrides), whole("num_players", num_players)
    game.check_players(players)
    return game, players


def whole(name: str, value: int) -> int:
    """`value` as an int; TypeError when it is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}={value!r} must be an integer") from None


def one_of(name: str, value: Any, literal: Any) -> Any:
    """`value`, which must be one of a Literal of strings; ValueError says which there are."""
    allowed = get_args(literal)
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is not allowed; allowed: {', '.join(allowed)}")
    return value
