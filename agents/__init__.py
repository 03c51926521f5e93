"""Players by name: ``make("keep_joker:k=3", rules)``, ``make("runs/x/best.pt", rules)``.

A player is a frozen dataclass; its fields are its parameters. A new one is a file with a `move` and a
line in `PLAYERS`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from agents.belief import PimcBelief
from agents.greedy import Greedy
from agents.holding import AllOut, DelayOpen, Drip, Hold, Patient, Tempo
from agents.keep_joker import KeepJoker
from agents.no_rearrange import NoRearrange
from agents.oracle import OracleRack
from agents.random import Random, RandomTurn
from agents.search import Pimc
from agents.sprint import Sprint
from agents.student.player import Student
from agents.ties import Deny, Flex
from rummikub_env.player import Player
from rummikub_env.rules import RuleSet
from rummikub_env.startup import missing

__all__ = [
    "OPPONENTS",
    "PLAYERS",
    "AllOut",
    "DelayOpen",
    "Deny",
    "Drip",
    "Flex",
    "Greedy",
    "Hold",
    "KeepJoker",
    "NoRearrange",
    "OracleRack",
    "Patient",
    "Pimc",
    "PimcBelief",
    "Random",
    "RandomTurn",
    "Sprint",
    "Student",
    "Tempo",
    "make",
]

PLAYERS: Mapping[str, partial[Any]] = {
    "random": partial(Random),
    "random_turn": partial(RandomTurn),
    "no_rearrange": partial(NoRearrange),
    "greedy": partial(Greedy),
    "greedy_tiles": partial(Greedy, objective="tiles"),
    "greedy_value": partial(Greedy, objective="value"),
    "greedy_tiles_low": partial(Greedy, objective="tiles_low"),
    "keep_joker": partial(KeepJoker),
    "patient": partial(Patient),
    "hold": partial(Hold),
    "all_out": partial(AllOut),
    "tempo": partial(Tempo),
    "drip": partial(Drip),
    "delay_open": partial(DelayOpen),
    "flex": partial(Flex),
    "deny": partial(Deny),
    "sprint": partial(Sprint),
    "pimc": partial(Pimc),
    "pimc_belief": partial(PimcBelief),
    "oracle_rack": partial(OracleRack),  # cheats: to compare with only
    "student": partial(Student),
}
"""The players by name; what an entry fixes is not a parameter of that name."""

OPPONENTS = ("random", "greedy_tiles", "tempo", "student")
"""Whom a player meets if nobody else is named: chance, the best single turn, waiting, and what search has taught."""


def make(spec: str, rules: RuleSet) -> Player:
    """The player that `spec` names, for games under `rules`.

    `spec`: a name of `PLAYERS`, if need be with parameters (``name:key=value,key=value``), or the path of
    a checkpoint file. ValueError says what is allowed; ImportError if a checkpoint needs PyTorch and it
    is not installed.
    """
    name, _, parameters = spec.partition(":")
    if name in PLAYERS:
        player: Player = PLAYERS[name](**_parameters(name, parameters))
        return player
    if Path(spec).is_file():
        return Student(spec) if spec.endswith(".npz") else _learned(Path(spec), rules)
    raise ValueError(f"{spec!r} is neither a player ({', '.join(PLAYERS)}) nor a checkpoint file")


def _learned(path: Path, rules: RuleSet) -> Player:
    try:
        from agents.learned import LearnedPlayer  # here, so that only checkpoints need torch
    except ModuleNotFoundError as error:
        raise ImportError(f"{path} is a checkpoint and {missing(error)}") from error
    return LearnedPlayer.load(path, rules)


def _parameters(name: str, text: str) -> dict[str, Any]:
    """``k=3,danger=2`` as keyword arguments of the player `name`."""
    allowed = _allowed(PLAYERS[name])
    values: dict[str, Any] = {}
    for item in text.split(",") if text else ():
        key, _, value = item.partition("=")
        if key not in allowed:
            known = f"has only {', '.join(allowed)}" if allowed else "has no parameters"
            raise ValueError(f"{name} has no parameter {key!r}: it {known}")
        values[key] = _value(f"{name}:{key}", allowed[key], value)
    return values


def _allowed(entry: partial[Any]) -> dict[str, Any]:
    """The parameters that an entry of `PLAYERS` leaves open, with their types."""
    player: Any = entry.func
    hints = get_type_hints(player)
    return {field.name: hints[field.name] for field in fields(player) if field.name not in entry.keywords}


def _value(what: str, kind: Any, text: str) -> Any:
    """The text of a parameter as a value of type `kind`: int, float, str or a Literal of strings."""
    if get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
        raise ValueError(f"{what} must be one of {', '.join(get_args(kind))}, not {text!r}")
    convert: Callable[[str], Any] = kind
    try:
        return convert(text)
    except ValueError:
        raise ValueError(f"{what} must be of type {kind.__name__}, not {text!r}") from None
