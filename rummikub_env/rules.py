"""The rules of a game as data: `RuleSet`, one documented field a rule, and the table of presets.

A rule set has a name that is also its text form: ``sabra``, or ``sabra:joker_release=free,max_value=6``
for a preset with overrides. `rules_of` reads it, `RuleSet.name` writes it.

To add a rule: add a field here (with its type as the list of what is allowed) and honour it where its
sentence is judged. To add a preset: add an entry to `PRESETS`, only what differs from ``sabra``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints

from rummikub_env.tiles import COLOURS, TileSet

Value = str | int | None


@dataclass(frozen=True, kw_only=True, repr=False)
class RuleSet:
    """The rules of one game, in rulebook order; the defaults are the current official rules.

    ValueError says which value is wrong and what is allowed. Equal rules are equal and hash alike,
    however they were made.
    """

    # The tiles
    colours: str = COLOURS
    """Colour letters, a beginning of ``KRBO``."""
    max_value: int = 13
    """The highest value; the lowest is 1."""
    copies_per_tile: int = 2
    """How often each value of each colour exists."""
    joker_count: int = 2
    """How many jokers exist."""

    # The setup
    players_min: int = 2
    """The fewest players."""
    players_max: int = 4
    """The most players."""
    rack_size: int = 14
    """Tiles each player starts with."""
    direction: Literal["clockwise", "counterclockwise"] = "clockwise"
    """clockwise: the next seat is the next number."""

    # The opening
    initial_meld_points: int = 30
    """What the sets of a player's first play must be worth; all from the rack, the table untouched."""
    initial_meld_scope: Literal["sum_of_sets", "single_set"] = "sum_of_sets"
    """sum_of_sets: all sets together; single_set: one of them alone must be worth it."""
    initial_meld_joker: Literal["face", "zero", "forbidden"] = "face"
    """What a joker counts in the opening: the tile it stands for, nothing, or it may not be used."""

    # The turn
    turn_seconds: int | None = 60
    """The time for a turn in seconds; None: no clock."""
    timeout_valid_table: Literal["accept", "rollback"] = "accept"
    """accept: a legal play that lies on the table when the time is out counts."""
    timeout_penalty_tiles: int = 3
    """Tiles to draw after a roll-back at time-out; fewer if the pool is short."""
    invalid_table_action: Literal["reject", "rollback", "rollback_penalty"] = "reject"
    """reject: an illegal play changes nothing; rollback: it also ends the turn; rollback_penalty:
    and draws `invalid_table_penalty_tiles`."""
    invalid_table_penalty_tiles: int = 0
    """What rollback_penalty draws; fewer if the pool is short."""

    # Jokers on the table
    joker_release: Literal["replace", "free"] = "replace"
    """replace: a joker keeps its meaning until a real tile of that meaning is supplied."""
    joker_replacement_source: Literal["rack_or_table", "rack"] = "rack_or_table"
    """Where the real tile may come from."""
    joker_group3_release: Literal["either_missing", "both_missing"] = "either_missing"
    """Must one or both missing colours be supplied for a joker in a group of three?"""
    joker_reuse: Literal["new_set", "any_set"] = "new_set"
    """new_set: a replaced joker may not be laid to a set that lay on the table."""
    joker_reuse_min_rack_tiles: int = 0
    """Tiles from the rack that must lie in the set of a replaced joker."""

    # The end of the round
    joker_rack_penalty: int = 30
    """What a joker counts that is left on a rack."""
    pool_empty_pass: Literal["only_if_unable", "allowed"] = "only_if_unable"
    """May a player who could play pass when the pool is empty?"""
    stalemate_winner: Literal["lowest_value", "fewest_tiles"] = "lowest_value"
    """The first criterion; the other one breaks ties, a complete tie shares the pot."""
    stalemate_scoring: Literal["difference", "normal"] = "difference"
    """difference: losers pay what they hold more than the winner; normal: all that they hold."""

    def __post_init__(self) -> None:
        for field, allowed in _ALLOWED.items():
            _check_value(field, getattr(self, field), allowed)
        _check_tiles(self)
        _check_seats(self)

    @cached_property
    def tiles(self) -> TileSet:
        """The tile set."""
        return TileSet(self.colours, self.max_value, self.copies_per_tile, self.joker_count)

    @cached_property
    def name(self) -> str:
        """``sabra``, or the nearest preset with its overrides: ``sabra:max_value=6``."""
        overrides = {name: _differences(preset, self) for name, preset in PRESETS.items()}
        nearest = min(overrides, key=lambda name: len(overrides[name]))
        changed = ",".join(f"{field}={_spelled(value)}" for field, value in overrides[nearest].items())
        return f"{nearest}:{changed}" if changed else nearest

    def to_dict(self) -> dict[str, Value]:
        """All fields by name; ``RuleSet(**rules.to_dict())`` is the inverse."""
        return {field: getattr(self, field) for field in FIELDS}

    def check_players(self, players: int) -> None:
        """ValueError when that many players cannot play by these rules."""
        if not self.players_min <= players <= self.players_max:
            raise ValueError(f"{players} players: {self.name} is for {self.players_min} to {self.players_max} players")
        if players * self.rack_size > self.tiles.total:
            raise ValueError(
                f"{players} players with {self.rack_size} tiles each need {players * self.rack_size} tiles, "
                f"the game has {self.tiles.total}"
            )

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field) for field in FIELDS))

    def __hash__(self) -> int:  # rule sets are keys of caches: computed once
        return self._hash

    def __repr__(self) -> str:
        return f"rules_of({self.name!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "RuleSet":
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # not the cached hash: it differs between processes
        return rules_of, (self.name,)


def rules_of(rules: "str | RuleSet", overrides: Mapping[str, Any] | None = None) -> RuleSet:
    """The rule set of a name (``sabra``, ``sabra:max_value=6``), or `rules` itself; with `overrides`.

    ValueError for an unknown preset, an unknown field or a value that is not allowed.
    """
    if isinstance(rules, str):
        rules = _named(rules)
    return _overridden(rules, overrides or {})


@lru_cache(maxsize=1024)
def _named(name: str) -> RuleSet:
    preset, _, changes = name.partition(":")
    if preset not in PRESETS:
        raise ValueError(f"unknown rules {preset!r}; there are: {', '.join(PRESETS)}")
    overrides: dict[str, Value] = {}
    for change in filter(None, changes.split(",")):
        field, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"{change!r} in {name!r}: write overrides as field=value, separated by commas")
        overrides[field.strip()] = _parsed(value.strip())
    return _overridden(PRESETS[preset], overrides)


def _overridden(rules: RuleSet, overrides: Mapping[str, Any]) -> RuleSet:
    for field in overrides:
        if field not in FIELDS:
            raise ValueError(f"unknown rule {field!r}; there are: {', '.join(FIELDS)}")
    if not overrides:
        return rules
    changed = dict(overrides)
    if isinstance(changed.get("colours"), list | tuple):
        changed["colours"] = "".join(map(str, changed["colours"]))
    return replace(rules, **changed)


def _spelled(value: Value) -> str:
    return "none" if value is None else str(value)


def _parsed(text: str) -> Value:
    if text.lower() == "none":
        return None
    return int(text) if text.lstrip("-").isdecimal() else text


def _differences(preset: RuleSet, rules: RuleSet) -> dict[str, Value]:
    return {field: getattr(rules, field) for field in FIELDS if getattr(preset, field) != getattr(rules, field)}


def _check_value(field: str, value: object, allowed: Any) -> None:
    """`allowed` is the field's type: a Literal lists its values, a number has a least value."""
    choices = get_args(allowed)
    if choices and type(None) not in choices:
        if value not in choices:
            raise ValueError(f"{field}={value!r} is not allowed; allowed are: {', '.join(choices)}")
        return
    if value is None and choices:
        return
    if allowed is not str:
        least = _AT_LEAST.get(field, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{field}={value!r} is not allowed; it must be a whole number, {least} or more")


def _check_tiles(rules: RuleSet) -> None:
    if not rules.colours or rules.colours != COLOURS[: len(rules.colours)]:
        raise ValueError(
            f"colours={rules.colours!r} is not allowed; allowed are: "
            f"{', '.join(COLOURS[:n] for n in range(1, len(COLOURS) + 1))}"
        )
    if rules.tiles.total > MAX_TILES:
        raise ValueError(f"{rules.tiles.total} tiles are too many; the engine takes up to {MAX_TILES}")


def _check_seats(rules: RuleSet) -> None:
    if rules.players_max < rules.players_min:
        raise ValueError(f"players_max={rules.players_max} is less than players_min={rules.players_min}")
    if rules.rack_size * rules.players_min > rules.tiles.total:
        raise ValueError(
            f"rack_size={rules.rack_size} is too large: {rules.players_min} players need "
            f"{rules.rack_size * rules.players_min} tiles and the game has {rules.tiles.total}, "
            f"so it may be {rules.tiles.total // rules.players_min} at most"
        )


MAX_TILES = 255
"""The most tiles of a game: what the counts of a game hold."""

_AT_LEAST = {
    "max_value": 3,
    "copies_per_tile": 1,
    "players_min": 2,
    "players_max": 2,
    "rack_size": 1,
    "turn_seconds": 1,
}
_ALLOWED = get_type_hints(RuleSet)

FIELDS: tuple[str, ...] = tuple(field.name for field in fields(RuleSet))
"""The names of all rules, in rulebook order."""

PRESETS: Mapping[str, RuleSet] = MappingProxyType({"sabra": RuleSet()})
"""The published rule sets, by name. ``sabra`` is the current official manual."""
