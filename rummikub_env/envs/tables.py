"""Running games as plain arrays, which the kernels step: what every env of the `tiles` codec plays on.

A `Position` is the same as a value. What the kernels hand back (`kernels.turns`) is done here with positions.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rummikub_env.actions import TilesCodec, TilesDraft
from rummikub_env.boards import rows_of, table_of
from rummikub_env.envs.position import Position, act, begin
from rummikub_env.envs.rewards import SHAPED, reward_of
from rummikub_env.game import Move, advance, score
from rummikub_env.kernels import counts, rollouts
from rummikub_env.kernels import turns as kernel
from rummikub_env.kernels.turns import Games
from rummikub_env.match import Match
from rummikub_env.observations import Observation
from rummikub_env.observations.facts import public, table_counts
from rummikub_env.rules import RuleSet
from rummikub_env.state import Ending, History, LastMove, MoveKind, Outcome, PastTurn, State, View, remember, view
from rummikub_env.terms import terms_of
from rummikub_env.turns import turns_of

_KINDS = get_args(MoveKind)
_OPENED = counts.NUMBERS


class Tables:
    """`n` games side by side, each with the half-spelled turn of the seat on turn.

    ValueError for rules that the solver does not know. What it shows is not copied: it changes with the games.
    """

    def __init__(
        self,
        codec: TilesCodec,
        encoder: Observation,
        n: int,
        reward: str = "win",
        most_steps: int | None = None,
        threads: int = 1,
    ) -> None:
        self.codec = codec
        self.encoder = encoder
        self.rules = codec.rules
        self.players = encoder.players
        self._reward, self._reward_name = reward_of(reward), reward
        self.is_shaped = reward in SHAPED
        """Can a turn pay before the round is over?"""
        self._most_steps = most_steps
        self._terms, self._turns = terms_of(self.rules), turns_of(self.rules)
        self.games = _no_games(self.rules, self.players, n)
        self.observations = np.zeros((n, encoder.size), np.float32)
        """(n, d): what each seat on turn sees."""
        self.matches: list[Match | None] = [None] * n
        self.outcomes: list[Outcome | None] = [None] * n
        self.histories: list[History | None] = [None] * n
        """The turns of each round; None where the encoder does not tell of them."""
        self._declined: list[tuple[bool, ...]] = [()] * n
        self._pools = [1] * n  # 1: a stack that all share; else an order for each seat
        self._none = np.full(n, -1, np.int64)
        self._all = np.arange(n)
        self._threads = threads
        self._is_shared = False

    @property
    def masks(self) -> NDArray[np.bool_]:
        """(n, actions): what each seat on turn may do."""
        return self.games.masks

    def on_turn(self, b: int) -> int | None:
        """The seat on turn at table `b`; None where the round is over."""
        public = self.games.public
        return None if public.item(b, kernel.OVER) else public.item(b, kernel.TO_MOVE)

    @property
    def to_move(self) -> NDArray[np.int32]:
        """(n,): the seat on turn at each table."""
        return self.games.public[:, kernel.TO_MOVE]

    @property
    def turns(self) -> NDArray[np.int32]:
        """(n,): the turns made in each round."""
        return self.games.public[:, kernel.TURN]

    @property
    def over(self) -> NDArray[np.int32]:
        """(n,): 1 where the round is over, else 0."""
        return self.games.public[:, kernel.OVER]

    @property
    def racks(self) -> NDArray[np.uint8]:
        """(n, players, kinds): all racks."""
        return self.games.racks

    # Playing

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float64], list[int]]:
        """One action at each table, (n,) int64, which its mask allows; none is made where the round is over.

        Returns what each seat gets, (n, players) float64, and the tables where the round is over.
        """
        before = [self.state(b) for b in self._all.tolist()] if self.is_shaped else []
        some_end = self._go(self._all, actions)
        if self._most_steps is not None:
            some_end |= self._end_long_turns(self._most_steps)
        over = np.flatnonzero(self.over).tolist() if some_end else []
        rewards = np.zeros((len(self._all), self.players))
        for b in self._all.tolist() if self.is_shaped else over:
            after = self.state(b)
            rewards[b] = self._reward(before[b] if before else after, after, self.matches[b])
        return rewards, over

    def _end_long_turns(self, most: int) -> bool:
        """The time is over where so many tiles are spelled; is a round over?"""
        late = np.flatnonzero(self.games.spelled.sum(axis=1) == most).tolist()
        for b in late:
            position = self.position(b)
            timed_out = advance(position.state, self.codec.time_out(position.draft))
            history = position.history
            if history is not None:
                history = remember(history, position.state, timed_out)
            self.put(b, begin(self.codec, timed_out, position.match, history))
        return bool(late)

    def put(self, b: int, position: Position) -> None:
        """Make the game at table `b` this one."""
        self._write(b, position)
        self._go(self._all[b : b + 1], self._none[:1])

    def _go(self, tables: NDArray[np.int64], actions: NDArray[np.int64]) -> bool:
        """The kernel's step, and what it leaves to do; False only if no round is over."""
        self._own()
        answers, encoder = np.empty(len(tables), np.int64), self.encoder
        before = _Before.of(self) if encoder.needs_history else None
        threads = min(self._threads, len(tables))
        if threads == 1:
            left = self._kernel(tables, actions, answers)
        else:
            parts = (np.array_split(array, threads) for array in (tables, actions, answers))
            left = sum(_pool(self._threads).map(self._kernel, *parts))
        if left:
            for i in np.flatnonzero(answers).tolist():
                self._help(int(tables[i]), int(actions[i]), int(answers[i]))
            for b in tables[self.over[tables] != 0].tolist():
                self._end(b)
        if before is not None:
            for b in tables.tolist():
                self._remember(b, before)
        if not encoder.is_compiled:
            for b in tables[self.over[tables] == 0].tolist():
                draft = self.position(b).draft
                encoder.read(draft.view, draft, self.observations[b])
        return left > 0

    def _kernel(self, tables: NDArray[np.int64], actions: NDArray[np.int64], answers: NDArray[np.int64]) -> int:
        """`kernels.turns.go`, which writes to `answers`."""
        encoder = self.encoder
        left: int = kernel.go(
            self._terms, self._turns, self.games, tables, actions, self.rules.tiles.full, encoder.factor,
            encoder.starts, self.observations, answers,
        )  # fmt: skip
        return left

    def _remember(self, b: int, before: "_Before") -> None:
        """Add the turn that the kernel made at table `b`, if it made one; others came with their position."""
        history = self.histories[b]
        if history is not before.histories[b] or self.turns[b] == before.turns[b]:
            return
        seat = int(before.to_move[b])
        move = self._last(b)[seat]
        assert history is not None
        assert move is not None
        laid = before.racks[b, seat] - self.games.racks[b, seat] if move.kind == "play" else 0 * before.racks[b, seat]
        self.histories[b] = (*history, PastTurn(seat, move, self.rules.tiles.listed(laid)))

    def play_on(self, seats: rollouts.Seats, choose: Callable[[View], Move]) -> None:
        """Play all rounds to their end as `seats` say, and `choose` where the kernel cannot; no match goes on."""
        self._own()
        tables = self._all
        while len(tables):
            answers = np.empty(len(tables), np.int64)
            rollouts.play_on(self._terms, self._turns, self.games, tables, seats, _FOREVER, answers)
            tables = tables[answers != kernel.DONE]
            for b in tables.tolist():
                state = self.state(b)
                move = choose(view(state, state.to_move))
                self._write(b, Position(advance(state, move), None))
        for b in self._all.tolist():
            self._end(b)

    def repeat(self, b: int) -> None:
        """Make all games those of table `b`."""
        self._own()
        for array in (*self.games, self.observations):
            array[:] = array[b].copy()
        for name in _RUNNING[2:]:
            self.__dict__[name][:] = [self.__dict__[name][b]] * len(self._all)

    def _help(self, b: int, action: int, answer: int) -> None:
        """Make the move that an action makes, or the mask of the seat on turn."""
        if answer == kernel.MOVE:
            self.put(b, act(self.codec, self.position(b), action))
        else:
            self.masks[b] = self._draft(b, self.state(b)).mask

    def _end(self, b: int) -> None:
        """The outcome of a round that is over, if it is not known yet."""
        if self.outcomes[b] is None:
            racks, public, match = self.games.racks[b], self.games.public[b], self.matches[b]
            opened = tuple(map(bool, public[_OPENED : _OPENED + self.players].tolist()))
            ending: Ending = "stalemate" if public[kernel.PASSES] == self.players else "out"
            outcome = score(self.rules, racks, ending, opened, self._declined[b])
            self.outcomes[b], self.matches[b] = outcome, match and match.add(outcome)

    def observe(self, b: int, seat: int) -> NDArray[np.float32]:
        """What `seat` may know at table `b` while it is not on turn, (d,) float32, a new array."""
        games, encoder, seen = self.games, self.encoder, np.empty(self.encoder.size, np.float32)
        counts.encode(
            games.racks[b, seat], np.zeros(self.rules.tiles.kinds, np.uint8), games.table[b], games.standing[b],
            games.public[b], seat, self._turns.direction, self.rules.tiles.full, encoder.factor, encoder.starts, seen,
        )  # fmt: skip
        if not encoder.is_compiled:
            match = self.matches[b]
            standing = None if match is None else match.standing
            encoder.read(view(self.state(b), seat, standing, self.histories[b]), None, seen)
        return seen

    # As values

    def position(self, b: int) -> Position:
        """The game at table `b`."""
        state, match = self.state(b), self.matches[b]
        if state.outcome is not None:
            return Position(state, None, (), match, self.histories[b])
        draft = self._draft(b, state)
        mask = self.masks[b].copy()
        mask.flags.writeable = False
        draft.__dict__["mask"] = mask  # known already
        return Position(state, draft, self.rules.tiles.listed(draft.spelled), match, self.histories[b])

    def _draft(self, b: int, state: State) -> TilesDraft:
        match, spelled, within = self.matches[b], self.games.spelled[b].copy(), self.games.within[b].copy()
        seen = view(state, state.to_move, None if match is None else match.standing, self.histories[b])
        return TilesDraft(seen, spelled, int(spelled.sum()), within)

    def state(self, b: int) -> State:
        """The state of the round at table `b`."""
        games, players = self.games, self.players
        racks, public = games.racks[b].copy(), games.public[b].tolist()
        left = [order[(order >= 0) & ~games.gone[b, order]] for order in games.orders[b, : self._pools[b]]]
        orders = np.array(left, np.int16)
        racks.flags.writeable = orders.flags.writeable = False
        return State(
            self.rules,
            racks,
            table_of(games.rows[b, : games.n_rows[b]]),
            orders,
            tuple(map(bool, public[_OPENED : _OPENED + players])),
            public[kernel.TO_MOVE],
            public[kernel.PASSES],
            public[kernel.TURN],
            self._last(b),
            self.outcomes[b],
            self._declined[b],
        )

    def _last(self, b: int) -> tuple[LastMove | None, ...]:
        pairs = self.games.public[b, _OPENED + 2 * self.players :].reshape(-1, 2).tolist()
        return tuple(None if kind < 0 else LastMove(_KINDS[kind], tiles) for kind, tiles in pairs)

    def _write(self, b: int, position: Position) -> None:
        """The arrays of a position; its mask and what is seen are not made."""
        self._own()
        games, state = self.games, position.state
        games.public[b] = public(view(state, state.to_move))
        games.racks[b] = state.racks
        games.rows[b], games.n_rows[b] = rows_of(self.rules, state.table), len(state.table)
        games.orders[b], games.drawn[b], games.gone[b] = -1, 0, False
        games.orders[b, :, : state.pool_size] = state.orders  # a stack is the same order for all
        self._pools[b] = len(state.orders)
        games.table[b], games.standing[b] = table_counts(self.rules, state.table)
        rack = state.racks[state.to_move]
        games.spelled[b], games.within[b], games.n_plays[b] = 0, rack, -1
        if position.draft is not None:
            games.spelled[b], games.within[b] = position.draft.spelled, position.draft.rack
        self.matches[b], self.outcomes[b], self._declined[b] = position.match, state.outcome, state.declined
        self.histories[b] = (position.history or ()) if self.encoder.needs_history else None

    # As a whole

    def copy(self) -> "Tables":
        """The same games, which go on by themselves."""
        twin = object.__new__(Tables)
        self._is_shared = True  # who changes the games first takes them for its own
        twin.__dict__.update(self.__dict__)
        return twin

    def _own(self) -> None:
        """Share the games with nobody."""
        if self._is_shared:
            self.games = Games._make(array.copy() for array in self.games)
            for name in _RUNNING[1:]:
                self.__dict__[name] = self.__dict__[name].copy()
            self._is_shared = False

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> "Tables":
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:  # what the kernels know of the rules is made anew
        made_of = (self.codec, self.encoder, len(self._all), self._reward_name, self._most_steps, self._threads)
        return _restored, (made_of, {name: self.__dict__[name] for name in _RUNNING})


_FOREVER = 1 << 30
_LISTED = 64
"""A turn with so many plays or fewer is answered by the list of them."""
_RUNNING = ("games", "observations", "matches", "outcomes", "histories", "_declined", "_pools")


class _Before(NamedTuple):
    """What turns are told from once they are made."""

    to_move: NDArray[np.int32]
    turns: NDArray[np.int32]
    racks: NDArray[np.uint8]
    histories: list[History | None]

    @classmethod
    def of(cls, tables: Tables) -> "_Before":
        return cls(tables.to_move.copy(), tables.turns.copy(), tables.games.racks.copy(), tables.histories.copy())


def _restored(made_of: tuple[Any, ...], running: dict[str, Any]) -> Tables:
    tables = Tables(*made_of)
    tables.__dict__.update(running)
    return tables


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads for the kernel, which lets others run while it works."""
    return ThreadPoolExecutor(threads)


def _no_games(rules: RuleSet, players: int, n: int) -> Games:
    """Room for `n` games."""
    tiles, rows = rules.tiles, rows_of(rules, ())
    return Games(
        racks=np.zeros((n, players, tiles.kinds), np.uint8),
        rows=np.full((n, *rows.shape), -1, np.int16),
        n_rows=np.zeros(n, np.int64),
        orders=np.full((n, players, tiles.total), -1, np.int16),
        drawn=np.zeros((n, players), np.int64),
        gone=np.zeros((n, tiles.total), np.bool_),
        public=np.zeros((n, _OPENED + 4 * players), np.int32),
        spelled=np.zeros((n, tiles.kinds), np.uint8),
        within=np.zeros((n, tiles.kinds), np.uint8),
        table=np.zeros((n, tiles.kinds), np.uint8),
        standing=np.zeros((n, tiles.joker), np.uint8),
        masks=np.zeros((n, tiles.kinds + 1), np.bool_),
        plays=np.zeros((n, _LISTED, tiles.kinds), np.uint8),
        n_plays=np.full(n, -1, np.int64),
    )
