"""`State`: one moment of a round, complete and immutable; `View`: what one seat may know of it.

States are made by `deal`, by the moves of `game`, and from their one-line text. Two states are equal
when nothing in the game can tell them apart.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rummikub_env.dealing import Asks, always, deal_tiles
from rummikub_env.dealing import Draws as Draws
from rummikub_env.dealing import redraw as redraw
from rummikub_env.pool import count_ids, parse_pool, parse_pools, pool_text
from rummikub_env.pool import stack as stack
from rummikub_env.pool import tile_kinds as tile_kinds
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.sets import Table, parse_table, resolve_table, table_text
from rummikub_env.tiles import Counts, TileSet

MoveKind = Literal["draw", "pass", "play", "timeout"]
Ending = Literal["out", "stalemate"]


class LastMove(NamedTuple):
    """What everybody saw a seat do in its last turn."""

    kind: MoveKind
    """timeout: the turn was rolled back and tiles were drawn."""
    tiles: int
    """Tiles drawn or played."""


class PastTurn(NamedTuple):
    """A turn of this round as everybody saw it."""

    seat: int
    move: LastMove
    played: tuple[int, ...]
    """The kinds of the tiles that came from its rack, ascending."""


History = tuple[PastTurn, ...]
"""Turns of a round, the oldest first, without a gap up to now."""


class Outcome(NamedTuple):
    """How a round ended."""

    winners: tuple[int, ...]
    """Seats; several share a tie."""
    scores: tuple[int, ...]
    """Points of each seat. They sum to 0 unless the rules credit or charge somebody on top."""
    reason: Ending
    """out: the winner's rack is empty; stalemate: nobody can play and the pool is empty."""


class Standing(NamedTuple):
    """How a match of several rounds stands: everybody may know it."""

    points: tuple[int, ...]
    """The score of each seat so far; where the rules give no scores, the rounds that it has won."""
    rounds: int
    """Rounds that are over."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class State:
    """One moment between two turns. All arrays are read-only and may be shared between states."""

    rules: RuleSet
    racks: NDArray[np.uint8]
    """(players, kinds) uint8: tiles of each kind on each rack."""
    table: Table
    """Resolved sets."""
    orders: NDArray[np.int16]
    """The pool: (1, n) or (players, n) tile ids, each row a permutation of the n tiles that are left.

    A seat draws the first tile of its row; one row is a stack that all share. Copy c of a kind has the id
    ``kind * copies + c``, the joker's ids come last.
    """
    opened: tuple[bool, ...]
    """For each seat: has it made its first play?"""
    to_move: int
    """The seat whose turn it is."""
    passes: int = 0
    """Turns in a row, up to now, of players who could not play and had nothing to draw."""
    turn: int = 0
    """Turns made in this round."""
    last: tuple[LastMove | None, ...] = ()
    """For each seat its last turn; None before its first."""
    outcome: Outcome | None = None
    """None while the round goes on."""
    declined: tuple[bool, ...] = ()
    """For each seat: could it have opened in some turn, and did not? () where none did, or the rules do not ask."""

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.racks)

    @property
    def pool_size(self) -> int:
        """How many tiles are left in the pool."""
        return int(self.orders.shape[1])

    def key(self) -> tuple[object, ...]:
        """All that makes states equal, hashable."""
        pool = (len(self.orders), self.orders.tobytes())
        rest = (self.opened, self.to_move, self.passes, self.turn, self.last, self.outcome, self.declined)
        return (self.rules, self.racks.tobytes(), self.table, pool, *rest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"State.from_text({self.text()!r})"

    def __deepcopy__(self, memo: dict[int, object]) -> "State":
        return self

    def __reduce__(self) -> tuple[object, ...]:  # read-only arrays stay read-only
        return _restored, tuple(getattr(self, name) for name in self.__slots__)

    def text(self) -> str:
        """The state in one line; `from_text` is its inverse."""
        return _to_text(self)

    @staticmethod
    def from_text(line: str) -> "State":
        """The state of a line of `text`; ValueError says which part cannot be read, and why."""
        return _from_text(line)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What the player at `seat` may know: its own rack, all that lies open, and how much is hidden."""

    rules: RuleSet
    seat: int
    rack: Counts
    """(kinds,) uint8, read-only: the own rack."""
    table: Table
    """Resolved sets."""
    opened: tuple[bool, ...]
    rack_sizes: tuple[int, ...]
    """Tiles on each rack."""
    pool_size: int
    to_move: int
    passes: int
    turn: int
    last: tuple[LastMove | None, ...]
    outcome: Outcome | None
    declined: bool = False
    """Could this seat have opened in some turn, and did not? Only known where the rules ask."""
    match: Standing | None = None
    """How the match stands that this round belongs to; None for a single round."""
    history: History | None = None
    """The turns of this round as far as they are remembered; None: nobody keeps them."""

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.rack_sizes)

    def key(self) -> tuple[object, ...]:
        """All that makes views equal, hashable."""
        open_parts = (self.table, self.opened, self.rack_sizes, self.pool_size, self.to_move)
        return (
            self.rules,
            self.seat,
            self.rack.tobytes(),
            open_parts,
            self.passes,
            self.turn,
            self.last,
            self.outcome,
            self.declined,
            self.match,
            self.history,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    @property
    def unseen(self) -> Counts:
        """(kinds,) uint8: tiles in the pool and on the other racks."""
        tiles = self.rules.tiles
        return tiles.full - self.rack - table_counts(tiles, self.table)

    def sample(self, rng: np.random.Generator) -> State:
        """A state with this view: the unseen tiles dealt at random to the other racks and a shared pool.

        The others are taken to have opened as soon as they could.
        """
        tiles = self.rules.tiles
        hidden = rng.permutation(np.repeat(np.arange(tiles.kinds), self.unseen))
        racks = np.zeros((self.players, tiles.kinds), np.uint8)
        for seat, size in enumerate(self.rack_sizes):
            if seat == self.seat:
                racks[seat] = self.rack
            else:
                racks[seat] = np.bincount(hidden[:size], minlength=tiles.kinds)
                hidden = hidden[size:]
        racks.flags.writeable = False
        return State(
            self.rules,
            racks,
            self.table,
            stack(tiles, hidden.tolist()),
            self.opened,
            self.to_move,
            self.passes,
            self.turn,
            self.last,
            self.outcome,
            tuple(seat == self.seat for seat in range(self.players)) if self.declined else (),
        )


def _restored(
    rules: RuleSet, racks: NDArray[np.uint8], table: Table, orders: NDArray[np.int16], *rest: object
) -> State:
    racks.flags.writeable = orders.flags.writeable = False
    return State(rules, racks, table, orders, *rest)  # type: ignore[arg-type]


def view(state: State, seat: int, match: Standing | None = None, history: History | None = None) -> View:
    """What `seat` may know of `state`, a round of a match that stands so, after these turns."""
    return View(
        state.rules,
        seat,
        state.racks[seat],
        state.table,
        state.opened,
        tuple(np.add.reduce(state.racks, axis=1, dtype=np.intp).tolist()),
        state.orders.shape[1],
        state.to_move,
        state.passes,
        state.turn,
        state.last,
        state.outcome,
        bool(state.declined) and state.declined[seat],
        match,
        history,
    )


def remember(history: History, before: State, after: State) -> History:
    """The history with the turn that led from one state to the other."""
    seat = before.to_move
    move = after.last[seat]
    assert move is not None
    laid = before.racks[seat] - after.racks[seat] if move.kind == "play" else 0 * before.racks[seat]
    return (*history, PastTurn(seat, move, before.rules.tiles.listed(laid)))


def table_counts(tiles: TileSet, table: Table) -> Counts:
    """(kinds,) uint8: the physical tiles on the table."""
    return tiles.count([piece for pieces in table for piece in pieces])


# The deal


def deal(
    rules: RuleSet,
    players: int,
    seed: int | np.random.Generator,
    draws: Draws = "shared",
    dealer: int | None = None,
    asks: Asks = always,
) -> State:
    """The start of a round: the starter is found, every player takes `rules.rack_size` tiles.

    draws: "shared", all draw from one stack; "private", each seat has its own random order of the pool,
    so that what a seat draws does not depend on how often the others drew. `seed` decides everything;
    a generator is used up further. dealer: the seat that deals where the next one begins (default: drawn by lot).
    asks: who of those that may asks for a new deal (default: all). ValueError when so many players cannot play.
    """
    starter, racks, orders = deal_tiles(rules, players, np.random.default_rng(seed), draws, dealer, asks)
    opened = (not rules.initial_meld_required,) * players
    return State(rules, racks, (), orders, opened, starter, last=(None,) * players)


# Text: ``sabra; racks K1 J / R3 R4; table R7 B7 J | K1 K2 K3; opened +-; pool R9 K2; move 0; turn 7``


def _to_text(state: State) -> str:
    tiles = state.rules.tiles
    parts = [
        state.rules.name,
        "racks " + " / ".join(tiles.join(tiles.listed(rack)) for rack in state.racks),
        "table " + table_text(tiles, state.table),
        "opened " + _marks(state.opened),
        pool_text(tiles, state.orders),
        f"move {state.to_move}",
        f"turn {state.turn}",
        f"passes {state.passes}",
        "last " + " / ".join(f"{last.kind} {last.tiles}" if last else "-" for last in state.last),
    ]
    if state.declined:
        parts.append("declined " + _marks(state.declined))
    if state.outcome:
        parts.append("end " + outcome_text(state.outcome))
    return "; ".join(" ".join(part.split()) for part in parts)


def outcome_text(outcome: Outcome) -> str:
    """``out / 1 / -5 12 -7``: how the round ended, the winners, the scores."""
    winners, scores, reason = outcome
    return f"{reason} / {' '.join(map(str, winners))} / {' '.join(map(str, scores))}"


def _marks(flags: tuple[bool, ...]) -> str:
    return "".join("+" if flag else "-" for flag in flags)


_PARTS = ("racks", "table", "opened", "pool", "pools", "move", "turn", "passes", "last", "declined", "end")


def _from_text(line: str) -> State:
    name, *parts = (part.strip() for part in line.strip().split(";"))
    rules = rules_of(name)
    told: dict[str, str] = {}
    for part in parts:
        word, _, rest = part.partition(" ")
        if word not in _PARTS:
            raise ValueError(f"unknown part {word!r} of a state; there are: {', '.join(_PARTS)}")
        told[word] = rest
    state = _state_of(rules, told)
    _check_state(state)
    return state


def _state_of(rules: RuleSet, told: dict[str, str]) -> State:
    tiles = rules.tiles
    racks = np.stack([tiles.count(tiles.parse_all(rack)) for rack in told.get("racks", "").split("/")])
    racks.flags.writeable = False
    players = len(racks)
    return State(
        rules,
        racks,
        resolve_table(rules, parse_table(tiles, told.get("table", ""))),
        parse_pools(tiles, told["pools"]) if "pools" in told else parse_pool(tiles, told.get("pool", "")),
        _parse_marks("opened", told.get("opened", _marks((not rules.initial_meld_required,) * players))),
        _number(told, "move"),
        _number(told, "passes"),
        _number(told, "turn"),
        tuple(map(_parse_last, told.get("last", "/" * (players - 1)).split("/"))),
        parse_outcome(told["end"]) if "end" in told else None,
        _parse_marks("declined", told.get("declined", "")),
    )


def _parse_marks(word: str, text: str) -> tuple[bool, ...]:
    if set(text) - {"+", "-"}:
        raise ValueError(f"{word} {text!r}: write + or - for each seat")
    return tuple(mark == "+" for mark in text)


def _number(told: dict[str, str], word: str) -> int:
    text = told.get(word, "0")
    if not text.isdecimal() or len(text) > len(str(MOST)) or int(text) > MOST:
        raise ValueError(f"{word} {text!r}: write a whole number from 0 to {MOST:,}")
    return int(text)


MOST = 1_000_000_000
"""The most that a number in a text may be."""


def _parse_last(text: str) -> LastMove | None:
    text = text.strip()
    kind, _, count = text.partition(" ")
    if kind in ("", "-"):
        return None
    for known in get_args(MoveKind):
        if kind == known and count.isdecimal() and len(count) < 4:
            return LastMove(known, int(count))
    raise ValueError(f"{text!r} in last: write - or one of {', '.join(get_args(MoveKind))} and a number")


def parse_outcome(text: str) -> Outcome:
    """The outcome of a text; `outcome_text` is its inverse."""
    reason, *seats_and_scores = (part.strip() for part in text.split("/"))
    for known in get_args(Ending):
        if reason == known and len(seats_and_scores) == 2:
            winners, scores = (tuple(map(int, numbers.split())) for numbers in seats_and_scores)
            return Outcome(winners, scores, known)
    raise ValueError(f"end {text!r}: write {' or '.join(get_args(Ending))} / WINNERS / SCORES")


def _check_state(state: State) -> None:
    """ValueError when the parts of a state do not fit together."""
    tiles, players = state.rules.tiles, state.players
    state.rules.check_players(players)
    if not len(state.opened) == len(state.last) == players or len(state.orders) not in (1, players):
        raise ValueError(f"{players} racks need as many marks in opened, entries in last and rows in pools")
    _check_openings(state)
    if state.to_move >= players:
        raise ValueError(f"move {state.to_move}: the seats are 0 to {players - 1}")
    pool = count_ids(tiles, state.orders[0])
    there = state.racks.sum(axis=0, dtype=np.intp) + table_counts(tiles, state.table) + pool
    for kind in np.flatnonzero(there > tiles.full).tolist():
        raise ValueError(f"{tiles.text(kind)} occurs {there[kind]} times; the game has {tiles.full[kind]} of them")


def _check_openings(state: State) -> None:
    """ValueError when the marks of who has opened, or declined to, cannot be."""
    if not state.rules.initial_meld_required and not all(state.opened):
        raise ValueError(f"opened {_marks(state.opened)}: by these rules nobody has to open; write + for each seat")
    if state.declined and (len(state.declined) != state.players or not any(state.declined)):
        raise ValueError("declined: write + or - for each seat, at least one +, or leave it out")
    if state.declined and state.rules.unmelded_scoring != "flat_100_200":
        raise ValueError("declined: these rules do not ask who could have opened (unmelded_scoring=flat_100_200)")
