"""Players by name, without knowing any: the installed package says who finds them."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import cast

from rummikub_env.player import Player
from rummikub_env.rules import RuleSet


def player_of(name: str, rules: RuleSet) -> Player:
    """The player of this name, for games under `rules`.

    It is found by the entry point ``players`` of the group ``rummikub_env``. ValueError for a name that is unknown
    there; ImportError where nothing of the kind is installed.
    """
    return _finder()(name, rules)


@cache
def _finder() -> Callable[[str, RuleSet], Player]:
    found = entry_points(group="rummikub_env", name="players")
    if not found:
        raise ImportError("no players are installed: install rummikub-env anew, or give objects that have a `move`")
    return cast(Callable[[str, RuleSet], Player], next(iter(found)).load())
