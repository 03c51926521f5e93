"""The rules of a game as data: `RuleSet`, one documented field a rule, and the table of presets.

A rule set has a name that is also its text form: ``sabra``, or ``sabra:joker_release=free,max_value=6``
for a preset with overrides. `rules_of` reads it, `RuleSet.name` writes it.

To add a rule: add a field here (with its type as the list of what is allowed) and honour it where its
sentence is judged. To add a preset: add an entry to `PRESETS`, only what differs from ``sabra``. `sources` tells
where both come from.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rummikub_env.tiles import COLOURS, TileSet

Value = str | int | bool | None


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
    dealt_jokers: int = 0
    """How many of them are jokers given to every player; the others are drawn."""
    starter_method: Literal["highest_tile", "left_of_dealer", "random"] = "highest_tile"
    """Who begins: who draws the highest tile, the seat after the dealer, or a seat drawn by lot."""
    starter_tie: Literal["redraw_tied"] = "redraw_tied"
    """Those who tie for the highest tile draw again."""
    starter_joker: Literal["redraw", "ignore"] = "redraw"
    """redraw: a joker drawn for the start is exchanged; ignore: it counts as no tile."""
    starter_tile_kept: bool = False
    """Does the tile drawn for the start stay on the rack, as one of `rack_size`?"""
    direction: Literal["clockwise", "counterclockwise"] = "clockwise"
    """clockwise: the next seat is the next number."""
    redeal: Literal["none", "three_pairs_on_request"] = "none"
    """three_pairs_on_request: who is dealt three pairs of equal tiles may ask for a new deal."""

    # The sets
    min_set_size: Literal[3] = 3
    """The fewest tiles of a set."""
    max_group_size: int = 4
    """The most tiles of a group; where its colours are distinct, a group is no larger than their number."""
    group_colours_distinct: bool = True
    """true: no colour twice in a group; false: tiles of one value, whatever their colours."""
    max_run_length: int = 13
    """The most tiles of a run; in no run does a value occur twice."""
    run_wrap: Literal["none", "ace_high", "ace_both", "circular"] = "none"
    """none: the 1 lies below the 2; ace_high: above the highest value; ace_both: at either end of a run;
    circular: a run goes on past it."""
    max_jokers_per_set: int | None = None
    """The most jokers in a set; None: as many as there are."""
    joker_declaration: Literal["auto", "required"] = "auto"
    """auto: jokers that are laid undeclared take the meaning that helps; required: a set that could mean
    several things must be declared."""

    # The opening
    initial_meld_required: bool = True
    """Must a player's first play be sets of its own? false: the table may be used from the first turn on."""
    initial_meld_points: int = 30
    """What the sets of a player's first play must be worth; all of them from the rack."""
    initial_meld_scope: Literal["sum_of_sets", "single_set"] = "sum_of_sets"
    """sum_of_sets: all sets together; single_set: one of them alone must be worth it."""
    initial_meld_type: Literal["any", "run"] = "any"
    """run: one of these sets must be a run."""
    initial_meld_joker: Literal["face", "zero", "forbidden"] = "face"
    """What a joker counts in the opening: the tile it stands for, nothing, or it may not be used."""
    initial_meld_table_play: Literal["never_this_turn", "after_meld"] = "never_this_turn"
    """never_this_turn: the other sets stay as they are in that turn; after_meld: once the own sets are laid
    the turn goes on as any other."""
    joker_retrieval_before_meld: bool = False
    """true: tiles of the rack may be swapped for jokers on the table that are then laid in the opening sets;
    the swapped tiles count nothing."""

    # The turn
    min_tiles_per_turn: int = 1
    """The fewest tiles of the rack in a play."""
    voluntary_draw: bool = True
    """May a player who could play draw instead?"""
    draw_rule: Literal["one", "until_playable"] = "one"
    """one: draw one tile; until_playable: draw until a play is possible. Either way the turn is over."""
    play_drawn_tile: Literal[False] = False
    """A tile may not be played in the turn in which it was drawn."""
    must_play_if_able: bool = False
    """true: a player who could play must; if `missed_play_penalty_tiles` is not 0 he may draw these instead."""
    missed_play_penalty_tiles: int = 0
    """What a player who could play draws instead of one tile, with `must_play_if_able`."""
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
    """replace: a joker keeps its meaning until a real tile of that meaning is supplied, as the next rules say;
    free: it may be moved like a tile, and anew stand for any."""
    joker_replacement_source: Literal["rack_or_table", "rack"] = "rack_or_table"
    """Where the real tile may come from."""
    joker_group3_release: Literal["either_missing", "both_missing"] = "either_missing"
    """Must one or both missing colours be supplied for a joker in a group of three?"""
    joker_reuse: Literal["new_set", "any_set"] = "new_set"
    """new_set: a replaced joker may not be laid to a set that lay on the table."""
    joker_reuse_min_rack_tiles: int = 0
    """Tiles from the rack that must lie in the set of a replaced joker."""
    joker_set_edits: Literal["full", "add_only"] = "full"
    """add_only: a set stays whole as long as it holds a joker that was not replaced."""

    # The end of the round
    joker_rack_penalty: int = 30
    """What a joker counts that is left on a rack."""
    tile_scores: Literal["face", "cards_ace11"] = "face"
    """What the tiles left on a rack count: their value, or 11 for a 1 and 10 for what is above 10."""
    pool_empty_pass: Literal["only_if_unable", "allowed"] = "only_if_unable"
    """May a player who could play pass when the pool is empty?"""
    stalemate_trigger: Literal["no_legal_play", "all_pass"] = "no_legal_play"
    """The round ends when all have passed in a row on an empty pool. A time-out counts as a pass of who could
    not play (no_legal_play), or always (all_pass: unable or unwilling)."""
    stalemate_winner: Literal["lowest_value", "fewest_tiles"] = "lowest_value"
    """The first criterion; the other one breaks ties."""
    stalemate_tie: Literal["secondary_then_shared"] = "secondary_then_shared"
    """Who ties by both criteria shares the pot."""
    win_scoring: Literal["sum_of_losers", "none"] = "sum_of_losers"
    """sum_of_losers: losers pay what they hold, the winner takes it; none: rounds are won, not scored."""
    stalemate_scoring: Literal["difference", "normal", "sum_minus_own"] = "difference"
    """difference: losers pay what they hold more than the winner; normal: all that they hold; sum_minus_own:
    all that they hold, and the winner loses what it holds itself."""
    unmelded_scoring: Literal["none", "credit_all_others", "flat_100_200"] = "none"
    """For losers who never opened. credit_all_others: every other player, not the winner alone, is given what they
    hold; flat_100_200: they pay 100 if they could not have opened, 200 if they would not."""

    # The match
    match_end: str = "open"
    """``open``: the players agree; ``rounds 4``: after so many rounds; ``target 200``: when a player has that score."""

    def __post_init__(self) -> None:
        for field, allowed in _ALLOWED.items():
            _check_value(field, getattr(self, field), allowed)
        for check in _CHECKS:
            check(self)

    @cached_property
    def tiles(self) -> TileSet:
        """The tile set."""
        return TileSet(self.colours, self.max_value, self.copies_per_tile, self.joker_count)

    @cached_property
    def name(self) -> str:
        """``sabra``, or the nearest preset with its overrides: ``sabra:max_value=6``."""
        overrides = {name: differences(preset, self) for name, preset in PRESETS.items()}
        nearest = min(overrides, key=lambda name: len(overrides[name]))
        changed = ",".join(f"{field}={spelled(value)}" for field, value in overrides[nearest].items())
        return f"{nearest}:{changed}" if changed else nearest

    def to_dict(self) -> dict[str, Value]:
        """All fields by name; ``RuleSet(**rules.to_dict())`` is the inverse."""
        return {field: getattr(self, field) for field in FIELDS}

    def check_players(self, players: int) -> None:
        """ValueError when that many players cannot play by these rules."""
        if not self.players_min <= players <= self.players_max:
            others = [name for name, preset in PRESETS.items() if preset.players_min <= players <= preset.players_max]
            hint = f"; {players} can play {', '.join(others)}" if others else ""
            seats = (
                f"{self.players_min} to {self.players_max}"
                if self.players_min < self.players_max
                else str(self.players_min)
            )
            raise ValueError(f"{players} players: {self.name} is for {seats} players{hint}")
        if players * self.rack_size > self.tiles.total:
            raise ValueError(
                f"{players} players with {self.rack_size} tiles each need {players * self.rack_size} tiles, "
                f"the game has {self.tiles.total}"
            )
        if players * self.dealt_jokers > self.joker_count:
            raise ValueError(
                f"{players} players with {self.dealt_jokers} dealt jokers each need {players * self.dealt_jokers} "
                f"jokers, the game has {self.joker_count}"
            )

    @property
    def match_limit(self) -> tuple[str, int]:
        """How a match ends: ``("open", 0)``, ``("rounds", 4)``, ``("target", 200)``."""
        kind, _, number = self.match_end.partition(" ")
        return kind, int(number or 0)

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
    if preset in UNPLAYABLE:
        raise ValueError(f"the rules {preset!r} cannot be played here: {UNPLAYABLE[preset]}")
    if preset not in PRESETS:
        raise ValueError(f"unknown rules {preset!r}; there are: {', '.join(PRESETS)}")
    overrides: dict[str, Value] = {}
    for change in filter(None, changes.split(",")):
        field, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"{change!r} in {name!r}: write overrides as field=value, separated by commas")
        overrides[field.strip()] = _parsed(value.strip(), field.strip())
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
    if isinstance(changed.get("match_end"), Mapping):  # {"type": "rounds", "n": 4}
        changed["match_end"] = " ".join(str(part) for part in changed["match_end"].values() if part is not None)
    return replace(rules, **changed)


def spelled(value: Value) -> str:
    """A value of a rule as it stands in names: ``none``, ``true``, ``30``."""
    return _WORDS.get(str(value), str(value))


_WORDS = {"None": "none", "True": "true", "False": "false"}
_VALUES: dict[str, Value] = {"none": None, "true": True, "false": False}


def _parsed(text: str, field: str) -> Value:
    if text.lower() in _VALUES and text.lower() not in get_args(_ALLOWED.get(field)):
        return _VALUES[text.lower()]
    return int(text) if text.lstrip("-").isdecimal() else text


def differences(preset: RuleSet, rules: RuleSet) -> dict[str, Value]:
    """The rules in which `rules` differs from `preset`, as they are in `rules`."""
    return {field: getattr(rules, field) for field in FIELDS if getattr(preset, field) != getattr(rules, field)}


# What is allowed: each value by itself, then what does not go together


def _check_value(field: str, value: object, allowed: Any) -> None:
    """`allowed` is the field's type: a Literal lists its values, a number has a least value."""
    if get_origin(allowed) is Literal or allowed is bool:
        choices = get_args(allowed) or (False, True)
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            told = ", ".join(map(spelled, choices))
            raise ValueError(f"{field}={_told(value)} is not allowed; allowed are: {told}")
    elif allowed is not str and not (value is None and allowed is not int):
        least = _AT_LEAST.get(field, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{field}={_told(value)} is not allowed; it must be a whole number, {least} or more")


def _told(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _refuse(field: str, rules: RuleSet, why: str) -> None:
    raise ValueError(f"{field}={_told(getattr(rules, field))} is not allowed {why}")


def _refuse_others(rules: RuleSet, allowed: Mapping[str, Value], where: str) -> None:
    """Rules that mean nothing there must have the one value that says so."""
    for field, value in allowed.items():
        if getattr(rules, field) != value:
            _refuse(field, rules, f"with {where}; allowed is: {spelled(value)}")


def _check_tiles(rules: RuleSet) -> None:
    if not rules.colours or rules.colours != COLOURS[: len(rules.colours)]:
        raise ValueError(
            f"colours={rules.colours!r} is not allowed; allowed are: "
            f"{', '.join(COLOURS[:n] for n in range(1, len(COLOURS) + 1))}"
        )
    if rules.tiles.total > MAX_TILES:
        raise ValueError(f"{rules.tiles.total} tiles are too many; the engine takes up to {MAX_TILES}")


def _check_seats(rules: RuleSet) -> None:
    fewest, total = rules.players_min, rules.tiles.total
    if rules.players_max < fewest:
        raise ValueError(f"players_max={rules.players_max} is less than players_min={fewest}")
    if rules.rack_size * fewest > total:
        raise ValueError(
            f"rack_size={rules.rack_size} is too large: {fewest} players need {rules.rack_size * fewest} tiles and the "
            f"game has {total}, so it may be {total // fewest} at most"
        )
    most = min(rules.joker_count // fewest, rules.rack_size - rules.starter_tile_kept)
    if rules.dealt_jokers > most:
        _refuse("dealt_jokers", rules, f"for {fewest} players and {rules.joker_count} jokers; it may be {most} at most")
    if rules.dealt_jokers and rules.starter_tile_kept and rules.starter_joker == "ignore":
        _refuse("dealt_jokers", rules, "where a joker drawn for the start is kept; starter_joker=redraw allows it")
    if rules.starter_method != "highest_tile":
        _refuse_others(rules, _ONLY_FOR_DRAWN_STARTERS, f"starter_method={rules.starter_method}")


def _check_sets(rules: RuleSet) -> None:
    if rules.max_run_length > max(13, rules.max_value):
        _refuse("max_run_length", rules, "as a value occurs only once in a run; it may be 13 or `max_value` at most")
    if rules.max_group_size > len(COLOURS) and rules.group_colours_distinct:
        _refuse("max_group_size", rules, "with group_colours_distinct=true; it may be 4 at most")


def _check_opening(rules: RuleSet) -> None:
    if not rules.initial_meld_required:
        _refuse_others(rules, _ONLY_FOR_OPENINGS, "initial_meld_required=false")
    if rules.joker_retrieval_before_meld and rules.initial_meld_joker == "forbidden":
        _refuse("joker_retrieval_before_meld", rules, "with initial_meld_joker=forbidden; allowed is: false")
    most = _greatest_set(rules) if rules.initial_meld_scope == "single_set" else _all_tiles(rules)
    if rules.initial_meld_points > most:
        _refuse("initial_meld_points", rules, f"as no opening can be worth it; it may be {most} at most")


def _greatest_set(rules: RuleSet) -> int:
    """An upper bound for the value of a set: the longest high run, the largest high group."""
    length = min(rules.max_run_length, rules.max_value)
    size = min(rules.max_group_size, len(rules.colours)) if rules.group_colours_distinct else rules.max_group_size
    return max(sum(range(rules.max_value - length + 1, rules.max_value + 1)), size * rules.max_value)


def _all_tiles(rules: RuleSet) -> int:
    """What all tiles of the game are worth together, the jokers as the highest value."""
    copies = len(rules.colours) * rules.copies_per_tile
    return copies * sum(range(1, rules.max_value + 1)) + rules.joker_count * rules.max_value


def _check_turn(rules: RuleSet) -> None:
    if rules.missed_play_penalty_tiles and not (rules.must_play_if_able and rules.voluntary_draw):
        _refuse("missed_play_penalty_tiles", rules, "unless must_play_if_able=true and voluntary_draw=true")
    if rules.invalid_table_penalty_tiles and rules.invalid_table_action != "rollback_penalty":
        _refuse("invalid_table_penalty_tiles", rules, "unless invalid_table_action=rollback_penalty")


def _check_jokers(rules: RuleSet) -> None:
    if rules.joker_release == "free":
        needed = dict(ONLY_FOR_REPLACED_JOKERS)
        if rules.joker_retrieval_before_meld:  # there jokers are replaced all the same
            del needed["joker_group3_release"]
        _refuse_others(rules, needed, "joker_release=free, where jokers need not be replaced")


def _check_scores(rules: RuleSet) -> None:
    if rules.win_scoring == "none":
        _refuse_others(rules, {"unmelded_scoring": "none", "stalemate_scoring": "difference"}, "win_scoring=none")
    if not re.fullmatch(r"open|(rounds|target) [1-9]\d*", str(rules.match_end)):
        _refuse("match_end", rules, "(allowed are: open, rounds N, target N)")
    if rules.win_scoring == "none" and rules.match_limit[0] == "target":
        _refuse("match_end", rules, "with win_scoring=none; allowed are: open, rounds N")


_CHECKS = (_check_tiles, _check_seats, _check_sets, _check_opening, _check_turn, _check_jokers, _check_scores)

MAX_TILES = 255
"""The most tiles of a game: what the counts of a game hold."""

_AT_LEAST = {
    "max_value": 3,
    "copies_per_tile": 1,
    "players_min": 2,
    "players_max": 2,
    "rack_size": 1,
    "max_group_size": 3,
    "max_run_length": 3,
    "max_jokers_per_set": 1,
    "min_tiles_per_turn": 1,
    "turn_seconds": 1,
}
_ONLY_FOR_OPENINGS: dict[str, Value] = {
    "initial_meld_points": 0,
    "initial_meld_scope": "sum_of_sets",
    "initial_meld_type": "any",
    "initial_meld_joker": "face",
    "initial_meld_table_play": "after_meld",
    "joker_retrieval_before_meld": False,
    "unmelded_scoring": "none",
}
_ONLY_FOR_DRAWN_STARTERS: dict[str, Value] = {"starter_joker": "redraw", "starter_tile_kept": False}
ONLY_FOR_REPLACED_JOKERS: Mapping[str, Value] = {
    "joker_replacement_source": "rack_or_table",
    "joker_group3_release": "either_missing",
    "joker_reuse_min_rack_tiles": 0,
    "joker_set_edits": "full",
}
"""What `joker_release` ``free`` goes together with."""
_ALLOWED = get_type_hints(RuleSet)

FIELDS: tuple[str, ...] = tuple(field.name for field in fields(RuleSet))
"""The names of all rules, in rulebook order."""


# The presets


_NO_CLOCK: Mapping[str, Any] = {"turn_seconds": None, "timeout_penalty_tiles": 0}
_PRESSMAN = RuleSet(
    initial_meld_points=50,
    pool_empty_pass="allowed",
    stalemate_winner="fewest_tiles",
    stalemate_scoring="normal",
    **_NO_CLOCK,
)
_SABRA_TIMED = RuleSet(
    starter_tile_kept=True,
    max_jokers_per_set=2,
    joker_declaration="required",
    initial_meld_table_play="after_meld",
    turn_seconds=120,
    joker_replacement_source="rack",
    joker_reuse="any_set",
    joker_set_edits="add_only",
    pool_empty_pass="allowed",
    stalemate_trigger="all_pass",
)
_WIKIPEDIA_NO = RuleSet(
    joker_retrieval_before_meld=True,
    joker_release="free",
    pool_empty_pass="allowed",
    stalemate_winner="fewest_tiles",
    stalemate_scoring="normal",
    unmelded_scoring="credit_all_others",
    **_NO_CLOCK,
)
_MACHIAVELLI = RuleSet(
    joker_count=0,
    players_max=5,
    rack_size=15,
    starter_method="left_of_dealer",
    run_wrap="ace_both",
    initial_meld_required=False,
    initial_meld_points=0,
    initial_meld_table_play="after_meld",
    joker_rack_penalty=25,
    tile_scores="cards_ace11",
    pool_empty_pass="allowed",
    stalemate_trigger="all_pass",
    **_NO_CLOCK,
)

PRESETS: Mapping[str, RuleSet] = MappingProxyType(
    {
        "sabra": RuleSet(),
        "pressman_1998": _PRESSMAN,
        "pressman_1998_single_set": replace(_PRESSMAN, initial_meld_scope="single_set"),
        "sabra_timed": _SABRA_TIMED,
        "sabra_timed_draw_until": replace(_SABRA_TIMED, draw_rule="until_playable"),
        "pagat_sabra": replace(_SABRA_TIMED, starter_tile_kept=False),
        "rummy_games_50": RuleSet(
            direction="counterclockwise",
            initial_meld_points=50,
            must_play_if_able=True,
            missed_play_penalty_tiles=7,
            pool_empty_pass="allowed",
            stalemate_trigger="all_pass",
            **_NO_CLOCK,
        ),
        "wikipedia_no": _WIKIPEDIA_NO,
        "wikipedia_no_strict": replace(_WIKIPEDIA_NO, joker_retrieval_before_meld=False),
        "six_player_160": RuleSet(
            copies_per_tile=3, joker_count=4, players_min=5, players_max=6, starter_joker="ignore"
        ),
        "german_club": RuleSet(redeal="three_pairs_on_request"),
        "mso_tournament": RuleSet(
            players_max=2,
            dealt_jokers=1,
            redeal="three_pairs_on_request",
            joker_rack_penalty=50,
            unmelded_scoring="flat_100_200",
            **_NO_CLOCK,
        ),
        "machiavelli": _MACHIAVELLI,
        "machiavelli_it": replace(
            _MACHIAVELLI,
            joker_count=4,
            players_max=6,
            rack_size=13,
            run_wrap="circular",
            joker_replacement_source="rack",
            joker_reuse="any_set",
        ),
        "vatikan": RuleSet(
            players_max=5,
            rack_size=13,
            starter_method="left_of_dealer",
            run_wrap="ace_both",
            initial_meld_points=0,
            initial_meld_type="run",
            initial_meld_table_play="after_meld",
            joker_reuse="any_set",
            joker_rack_penalty=0,
            pool_empty_pass="allowed",
            stalemate_trigger="all_pass",
            win_scoring="none",
            **_NO_CLOCK,
        ),
    }
)
"""The published rule sets, by name. ``sabra`` is the current official manual; `sources` tells of all."""

UNPLAYABLE: Mapping[str, str] = MappingProxyType(
    {
        "american": (
            "of the American version of the inventor's book of 1978 only the outline is known: draw, meld, then "
            "discard to the neighbour, who may take the discard; 14 tiles, stacks of 7 with a face-up bonus tile under "
            "the last; sets are laid off, not rearranged; play goes to the right; the opening has a point minimum. "
            "This engine plays turns of draw or meld, without discards, and the exact values are not known"
        ),
        "international": (
            "of the International version of the inventor's book of 1978 only the outline is known: draw and discard "
            "with 15 stacks of 7, complete concealed hands out of a table of about forty scored ones, wins 'open' and "
            "'foot' (100, 200), doubled when going out on a joker, 1 high in some hands, 100 for the unopened. This "
            "engine plays turns of draw or meld, without discards, and the exact values are not known"
        ),
    }
)
"""Rules that the sources only name, with what is known of them."""
