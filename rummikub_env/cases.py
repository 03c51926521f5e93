"""Run files of conformance cases: positions with the verdict that the rules demand.

Three formats, told apart by content: rule cases (JSON with ``cases``, each of a kind), positions with
their best play (JSON with ``positions``), and positions with their playable tiles (lines of digits).
The last two are about free jokers; their rules are ``sabra`` but for that.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummikub_env import solver
from rummikub_env.casetext import Json, Seats, read_move, read_pieces, read_state
from rummikub_env.casetext import tiles_drawn as tiles_drawn
from rummikub_env.dealing import highest, may_redeal
from rummikub_env.game import apply, check, score, tile_points
from rummikub_env.reasons import IllegalMove, Refusal
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.sets import is_run, readings, refusals, resolve_table, table_text, value
from rummikub_env.state import State, deal, redraw
from rummikub_env.tiles import Counts, TileSet

Facts = dict[str, object]
PathText = str | PathLike[str]


class AnyOf(frozenset[str]):
    """An expected fact with several right answers."""


@dataclass(frozen=True)
class Result:
    """One case and what came of it."""

    id: str
    passed: bool
    position: str
    expected: str
    found: str


@dataclass(frozen=True)
class Case:
    """A case that can be run: `find` tells what is true here of what is `expected`."""

    id: str
    preset: str
    position: str
    expected: Facts
    find: Callable[[], Facts] = field(repr=False)

    def run(self) -> Result:
        """Compare what is expected with what is found; that the rules are not known is a finding, too."""
        try:
            found = {key: fact for key, fact in self.find().items() if key in self.expected}
            passed = all(_agree(wanted, found.get(key)) for key, wanted in self.expected.items())
        except (ValueError, NotImplementedError) as error:
            found, passed = {"error": error}, False
        return Result(self.id, passed, self.position, _told(self.expected), _told(found))


def _agree(wanted: object, found: object) -> bool:
    return found in wanted if isinstance(wanted, AnyOf) else found == wanted


def _told(facts: Facts) -> str:
    def told(fact: object) -> object:
        return " or ".join(sorted(fact)) if isinstance(fact, AnyOf) else fact

    return ", ".join(f"{key}: {told(fact)}" for key, fact in facts.items())


def run_files(paths: Iterable[PathText], preset: str | None = None) -> Iterator[Result]:
    """Run the cases of files; `preset` keeps those of one preset. ValueError for what is no case file."""
    for path in paths:
        for case in read_cases(path):
            if preset in (None, case.preset):
                yield case.run()


def read_cases(path: PathText) -> Iterator[Case]:
    """The cases in a file of any format; ValueError names a file that cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        yield from _json_cases(json.loads(text)) if text.lstrip()[:1] in "{[" else _playable_cases(text)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"{path}: not a file of cases: {why}; {_FORMATS}") from error


_FORMATS = "it should be JSON with 'cases' or with 'positions', or lines of a table, a rack and two answers"


def _json_cases(content: Json) -> Iterator[Case]:
    if "positions" in content:
        yield from map(_best_play_case, content["positions"])
    else:
        yield from map(_rule_case, content["cases"])


# Rule cases: one finder for each kind


def _rule_case(case: Json) -> Case:
    expected = {key: fact for key, fact in case["expect"].items() if key != "reason_alt"}
    if "reason" in expected:
        expected["reason"] = AnyOf({expected["reason"], *case["expect"].get("reason_alt", ())})
    if "plays" in expected:
        expected["plays"] = sorted(" ".join(sorted(play)) for play in expected["plays"])
    find = partial(_find, _FINDERS[case["kind"]], case)
    return Case(case["id"], case["preset"], _position_text(case), expected, find)


def _find(finder: Callable[[RuleSet, Json], Facts], case: Json) -> Facts:
    return finder(rules_of(case["preset"], case.get("params")), case)


def _position_text(case: Json) -> str:
    """The position and what is done in it, in one line."""
    about = ("params", "set", "position", "turn", "steps", "racks", "players", "draws", "hand", "ended_by", "opened")
    return "; ".join(f"{key} {_plain(case[key])}" for key in about if key in case)


def _plain(json_value: Any) -> str:
    if isinstance(json_value, Mapping):
        return "; ".join(f"{key} {_plain(inner)}".strip() for key, inner in json_value.items())
    if isinstance(json_value, list):
        nested = any(isinstance(inner, list | Mapping) for inner in json_value)
        return (" | " if nested else " ").join(map(_plain, json_value))
    return str(json_value)


def _find_set(rules: RuleSet, case: Json) -> Facts:
    pieces = read_pieces(rules.tiles, case["set"])
    options = readings(rules, pieces)
    facts = _verdict(refusals(rules, pieces, case.get("ordered", False)))
    if options:
        facts["value"] = value(rules, options[0])
        facts["types"] = sorted({"run" if is_run(rules, option) else "group" for option in options})
        facts["readings"] = len(options)
    return facts


def _find_turn(rules: RuleSet, case: Json) -> Facts:
    return _make(Seats.of(case["position"]), read_state(rules, case["position"]), case["turn"])[1]


def _find_sequence(rules: RuleSet, case: Json) -> Facts:
    """Each step is checked against its own expectation; the first that fails ends the sequence."""
    seats, state = Seats.of(case["position"]), read_state(rules, case["position"])
    for number, step in enumerate(case["steps"], 1):
        state, facts = _make(seats, state, step)
        result = _rule_case({**step, "id": "", "kind": "set", "preset": ""}).expected
        wrong = [key for key, wanted in result.items() if not _agree(wanted, facts.get(key))]
        if wrong:
            return {"steps": f"step {number}: " + ", ".join(f"{key} is {facts.get(key)}" for key in wrong)}
    return {"steps": len(case["steps"])}


def _find_score(rules: RuleSet, case: Json) -> Facts:
    seats = Seats(tuple(case["racks"]))
    racks = np.stack([rules.tiles.count(read_pieces(rules.tiles, rack)) for rack in case["racks"].values()])
    opened, declined = (
        tuple(case.get(key, {}).get(name, key == "opened") for name in seats.names) for key in ("opened", "could_meld")
    )
    outcome = score(rules, racks, case["ended_by"], opened, declined)
    return {"winners": seats.named(outcome.winners), "scores": seats.by_name(outcome.scores)}


def _find_setup(rules: RuleSet, case: Json) -> Facts:
    state, tiles = deal(rules, case["players"], 0), rules.tiles
    facts: Facts = {"tiles_total": tiles.total, "pool": state.pool_size}
    facts["rack_after_deal"] = int(state.racks[0].sum())
    facts["tile_kept"] = rules.starter_tile_kept
    if "hand" in case:
        facts["redeal_allowed"] = may_redeal(rules, tiles.count(read_pieces(tiles, case["hand"])))
    if "draws" in case:
        seats = Seats(tuple(case["draws"]))
        drawn = dict(enumerate(read_pieces(tiles, case["draws"].values())))
        again = redraw(tiles, drawn, rules.starter_joker)
        facts["redraw"] = seats.named(again)
        if not again:
            (starter,) = highest(tiles, drawn)
            facts["starter"] = seats.names[starter]
            facts["joker_counts"] = tiles.is_joker(drawn[starter])
    return facts


def _find_plays(rules: RuleSet, case: Json) -> Facts:
    state, tiles = read_state(rules, case["position"]), rules.tiles
    seat = state.to_move
    plays = solver.plays(rules, state.table, state.racks[seat], state.opened[seat])
    if not plays.complete:
        return {"plays": f"more than {len(plays.counts)}"}
    return {"plays": sorted(" ".join(sorted(map(tiles.text, tiles.listed(play)))) for play in plays.counts)}


_FINDERS: Mapping[str, Callable[[RuleSet, Json], Facts]] = {
    "set": _find_set,
    "turn": _find_turn,
    "action": _find_turn,
    "sequence": _find_sequence,
    "score": _find_score,
    "setup": _find_setup,
    "plays": _find_plays,
}


def _make(seats: Seats, state: State, turn: Json) -> tuple[State, Facts]:
    """Make the move of a case; the state after it, and what can be said of it."""
    seat = seats.names.index(turn["player"]) if "player" in turn else state.to_move
    move, elapsed = read_move(state.rules.tiles, turn), turn.get("elapsed_s", 0)
    facts = _verdict(check(state, move, seat, elapsed))
    try:
        after = apply(state, move, seat, elapsed)
    except IllegalMove:
        return state, facts
    return after, facts | _changes(seats, seat, state, after)


def _verdict(refused: tuple[Refusal, ...]) -> Facts:
    return {"verdict": "illegal", "reason": str(refused[0].reason)} if refused else {"verdict": "legal"}


def _changes(seats: Seats, seat: int, before: State, after: State) -> Facts:
    """What a turn changed; nobody else's rack does."""
    tiles, outcome = before.rules.tiles, after.outcome
    rack, drawn = after.racks[seat], tiles_drawn(before, after)
    return {
        "rack_after": int(rack.sum()),
        "goes_out": not rack.any(),
        "pool_after": after.pool_size,
        "drawn": len(drawn),
        "drawn_tiles": [tiles.text(kind) for kind in drawn],
        "table_after": [[tiles.text(piece) for piece in pieces] for pieces in after.table],
        "opened": after.opened[seat],
        "turn_ends": after.turn > before.turn,
        "next_player": seats.names[after.to_move],
        "round_over": outcome is not None,
        "winners": seats.named(outcome.winners) if outcome else [],
        "scores": seats.by_name(outcome.scores) if outcome else {},
    }


# Positions for the solver, jokers free


def _free_jokers() -> RuleSet:
    return rules_of("sabra", {"joker_release": "free"})


_BEST_PLAY_FACTS = (
    "max_tiles",
    "max_value_joker30",
    "max_value_joker0",
    "value_joker30_at_max_tiles",
    "opening_max_tiles",
)


def _best_play_case(position: Json) -> Case:
    tiles = _free_jokers().tiles
    table = tuple(map(tuple, position["table_sets"]))
    text = f"rack {tiles.join(position['rack'])}; table {table_text(tiles, table)}"
    expected: Facts = {key: position[key] for key in _BEST_PLAY_FACTS}
    return Case(f"best_play {position['id']}", "sabra", text, expected, partial(_find_best, position))


def _find_best(position: Json) -> Facts:
    rules = _free_jokers()
    table = resolve_table(rules, map(tuple, position["table_sets"]))
    rack = rules.tiles.count(position["rack"])
    ones, points = np.ones(rules.tiles.kinds, np.int64), tile_points(rules)
    bare = points * (np.arange(rules.tiles.kinds) < rules.tiles.joker)

    def best(weights: NDArray[np.int64], worth: NDArray[np.int64], opened: bool = True) -> int | None:
        """What the play with the greatest `weights` is worth; None when there is no play."""
        play = solver.best_play(rules, table, rack, opened, weights)
        return None if play is None else int(play @ worth)

    return {
        "max_tiles": best(ones, ones) or 0,
        "max_value_joker30": best(points, points) or 0,
        "max_value_joker0": best(bare, bare) or 0,
        "value_joker30_at_max_tiles": best(1000 * ones + points, points) or 0,
        "opening_max_tiles": best(ones, ones, opened=False),
    }


def _playable_cases(text: str) -> Iterator[Case]:
    tiles = _free_jokers().tiles
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            table, rack, playable, feasible = line.split()
            on_table, on_rack, mask = (_digits(tiles, digits, number) for digits in (table, rack, playable))
            shown = f"rack {_shown(tiles, on_rack)}; table holds {_shown(tiles, on_table)}"
            expected: Facts = {"playable": _shown(tiles, mask), "feasible": feasible == "1"}
            find = partial(_find_playable, on_table, on_rack)
            yield Case(f"playable {number}", "sabra", shown, expected, find)


def _digits(tiles: TileSet, digits: str, number: int) -> Counts:
    if len(digits) != tiles.kinds or not digits.isdecimal():
        raise ValueError(f"line {number}: {digits!r} should be {tiles.kinds} digits")
    return np.array(list(digits), np.uint8)


def _shown(tiles: TileSet, counts: Counts) -> str:
    return tiles.join(tiles.listed(counts))


def _find_playable(table: Counts, rack: Counts) -> Facts:
    rules = _free_jokers()
    mask, feasible = solver.playable_counts(rules, table, rack)
    return {"playable": _shown(rules.tiles, mask.astype(np.uint8)), "feasible": bool(feasible)}
