"""Running games as values, stepped one by one: what an env plays on whose codec the kernels do not know.

It answers as `Tables` does, slower by what Python takes.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummikub_env.actions import ActionCodec
from rummikub_env.envs.position import Position, act, begin
from rummikub_env.envs.rewards import SHAPED, reward_of
from rummikub_env.match import Match
from rummikub_env.observations import Observation
from rummikub_env.state import Outcome, State, view


class Positions:
    """`n` games side by side, each with the half-spelled turn of the seat on turn; see `Tables`."""

    def __init__(
        self, codec: ActionCodec[Any], encoder: Observation, n: int, reward: str = "win", most_steps: int | None = None
    ) -> None:
        self.codec = codec
        self.encoder = encoder
        self._reward = reward_of(reward)
        self.is_shaped = reward in SHAPED
        self._most_steps = most_steps
        self._positions: list[Position | None] = [None] * n
        self._observations = np.zeros((n, encoder.size), np.float32)
        self._masks = np.zeros((n, codec.n), np.bool_)
        self._unseen: set[int] = set()  # tables of which these two do not tell yet
        self.to_move, self.turns, self.over = np.zeros((3, n), np.int32)
        """(n,) each: the seat on turn, the turns made in the round, 1 where the round is over."""

    @property
    def observations(self) -> NDArray[np.float32]:
        """(n, d): what each seat on turn sees."""
        self._see()
        return self._observations

    @property
    def masks(self) -> NDArray[np.bool_]:
        """(n, actions): what each seat on turn may do."""
        self._see()
        return self._masks

    def _see(self) -> None:
        """Fill in what is shown, now that somebody looks: many turns of an opponent are looked at by nobody."""
        for b in sorted(self._unseen):
            position = self.position(b)
            if position.draft is not None:
                self._masks[b] = self.codec.mask(position.draft)
                self.encoder.encode(position.draft.view, position.draft, out=self._observations[b])
        self._unseen.clear()

    def on_turn(self, b: int) -> int | None:
        """The seat on turn at table `b`; None where the round is over."""
        return None if self.over.item(b) else self.to_move.item(b)

    @property
    def matches(self) -> list[Match | None]:
        """The rounds that are over."""
        return [None if position is None else position.match for position in self._positions]

    @property
    def outcomes(self) -> list[Outcome | None]:
        """How the rounds ended that are over."""
        return [None if position is None else position.state.outcome for position in self._positions]

    @property
    def racks(self) -> NDArray[np.uint8]:
        """(n, players, kinds): all racks."""
        return np.stack([self.state(b).racks for b in range(len(self._positions))])

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float64], list[int]]:
        """One action at each table, (n,) int64, which its mask allows; none is made where the round is over."""
        rewards = np.zeros((len(self._positions), self.encoder.players))
        for b in np.flatnonzero(self.over == 0).tolist():
            before = self.position(b)
            self.put(b, act(self.codec, before, int(actions[b]), self._most_steps))
            if self.is_shaped or self.over[b]:
                after = self.position(b)
                rewards[b] = self._reward(before.state, after.state, after.match)
        return rewards, np.flatnonzero(self.over).tolist()

    def put(self, b: int, position: Position) -> None:
        """Make the game at table `b` this one."""
        position, state = self._remembering(position), position.state
        self._positions[b] = position
        self.to_move[b], self.turns[b], self.over[b] = state.to_move, state.turn, state.outcome is not None
        self._unseen.add(b)

    def _remembering(self, position: Position) -> Position:
        """The position with a history from now on, if the encoder tells of one and it has none."""
        if position.history is not None or not self.encoder.needs_history:
            return position
        if position.draft is None:
            return replace(position, history=())
        again = begin(self.codec, position.state, position.match, ())
        for action in position.actions:
            again = act(self.codec, again, action)
        return again

    def observe(self, b: int, seat: int) -> NDArray[np.float32]:
        """What `seat` may know at table `b` while it is not on turn, (d,) float32, a new array."""
        position = self.position(b)
        return self.encoder.encode(view(position.state, seat, position.standing, position.history))

    def position(self, b: int) -> Position:
        """The game at table `b`."""
        position = self._positions[b]
        assert position is not None
        return position

    def state(self, b: int) -> State:
        """The state of the round at table `b`."""
        return self.position(b).state

    def copy(self) -> "Positions":
        """The same games, which go on by themselves."""
        twin = object.__new__(Positions)
        twin.__dict__.update(self.__dict__)
        twin._positions = self._positions.copy()
        for name in ("_observations", "_masks", "_unseen", "to_move", "turns", "over"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> "Positions":
        return self.copy()
