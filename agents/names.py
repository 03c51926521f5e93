"""The names of players that have parameters."""

from dataclasses import fields
from typing import Any


def named(name: str, player: Any) -> str:
    """``patient:p=2``: the name, and the parameters of the player (a dataclass) that differ from their defaults."""
    values = ((field, getattr(player, field.name)) for field in fields(player))
    changed = ",".join(f"{field.name}={value}" for field, value in values if value != field.default)
    return f"{name}:{changed}" if changed else name


def check_numbers(name: str, player: Any) -> None:
    """ValueError when one of the player's parameters, all of them whole numbers, is negative."""
    values = [(field.name, getattr(player, field.name)) for field in fields(player)]
    if min(value for _, value in values) < 0:
        raise ValueError(
            f"{name}: {' and '.join(key for key, _ in values)} must be 0 or more, "
            f"not {' and '.join(str(value) for _, value in values)}"
        )
