"""Many games side by side, for self-play: one action a table and step.

A step belongs to the seat on turn at each table, so rewards are given for all seats: whoever collects
trajectories sorts them by seat. A finished game is followed by the next one within the same step (what
Gymnasium calls autoreset SAME_STEP): where ``done[b]``, the rewards are the last of the old game, and
observation, mask and seat are the first of the new one. Where the rules end a match (`match`), a game is a whole match:
rewards are paid at the end of each of its rounds, and ``done[b]`` follows the last one.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummikub_env.actions import IllegalAction, TilesCodec, check, codec_of
from rummikub_env.envs.arguments import game_of, most_steps, one_of, whole
from rummikub_env.envs.position import Position, first, from_json, go_on, restored
from rummikub_env.envs.positions import Positions
from rummikub_env.envs.tables import Tables
from rummikub_env.observations import Field, Perfect, observation_of
from rummikub_env.rules import RuleSet
from rummikub_env.state import Draws, View


@dataclass(frozen=True)
class Finished:
    """A game, or a whole match, that ended in this step."""

    table: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    """Points; of all rounds of a match together."""
    turns: int
    """Turns of all seats, in all rounds."""
    decisions: int
    """Actions of all seats, a turn can have several."""


@dataclass(frozen=True)
class Batch:
    """What all tables show after a step, in new arrays. B tables, d observation size, n actions."""

    observations: NDArray[np.float32]  # (B, d) for the seat on turn
    action_masks: NDArray[np.bool_]  # (B, n) for the seat on turn; each row allows something
    seats: NDArray[np.intp]  # (B,) the seat on turn
    rewards: NDArray[np.float32]  # (B, players) what each seat gets for this step
    done: NDArray[np.bool_]  # (B,) a game ended; this row shows the next game already
    info: tuple[Finished, ...]
    """The games that ended, in the order of the tables."""


class VectorEnv:
    """`num_envs` tables of `num_players` each. The same arguments and actions give the same games.

    threads: over how many the tables are shared out; the games are the same for any number. Only the codec `tiles` is
    compiled: with others the tables are stepped one by one, by one thread.
    """

    metadata: Mapping[str, Any] = MappingProxyType({"autoreset_mode": "SameStep"})
    """As Gymnasium declares it: the value of its `AutoresetMode.SAME_STEP`, which Gymnasium 1.0 does not have."""

    def __init__(
        self,
        num_envs: int,
        *,
        num_players: int,
        rules: str | RuleSet = "sabra",
        overrides: Mapping[str, Any] | None = None,
        actions: str = "tiles",
        observation: str | Sequence[str] = "counts",
        reward: str = "win",
        draws: Draws = "shared",
        match: Mapping[str, int] | None = None,
        max_steps_per_turn: int | None = None,
        threads: int = 1,
        seed: int,
    ) -> None:
        self.num_envs = whole("num_envs", num_envs)
        if self.num_envs < 1:
            raise ValueError(f"num_envs={num_envs} is not allowed; it must be 1 or more")
        if whole("threads", threads) < 1:
            raise ValueError(f"threads={threads} is not allowed; it must be 1 or more")
        self.rules, self.num_players = game_of(rules, overrides, num_players, match)
        self._most_steps = most_steps(self.rules, max_steps_per_turn)
        if isinstance(actions, Mapping):
            raise ValueError(f"actions={actions!r}: one codec for all seats; rummikub_v0.env takes one each")
        self.codec = codec_of(actions, self.rules)
        self.encoder = observation_of(observation, self.rules, self.num_players)
        self._draws: Draws = one_of("draws", draws, Draws)
        seeds = np.random.SeedSequence(whole("seed", seed)).spawn(num_envs)
        self._generators = [np.random.default_rng(one) for one in seeds]
        self._perfect = Perfect(self.encoder)
        self._tables: Tables | Positions
        if isinstance(self.codec, TilesCodec):
            self._tables = Tables(self.codec, self.encoder, num_envs, reward, self._most_steps, threads)
        else:
            self._tables = Positions(self.codec, self.encoder, num_envs, reward, self._most_steps)
        self._deal_all()

    @property
    def num_actions(self) -> int:
        """The size of the action space, n."""
        return self.codec.n

    @property
    def observation_size(self) -> int:
        """The length of an observation, d."""
        return self.encoder.size

    @property
    def state_size(self) -> int:
        """The length of a row of `state`."""
        return self._perfect.size

    @property
    def state_layout(self) -> Mapping[str, Field]:
        """Where each piece of `state` lies, and what it means."""
        return self._perfect.layout

    def reset(self) -> Batch:
        """Deal new games at all tables; the streams of games go on."""
        self._deal_all()
        return self.observe()

    def step(self, actions: ArrayLike) -> Batch:
        """One action at each table, (B,) int; raises `IllegalAction` before anything changes."""
        chosen, tables = self._checked(np.asarray(actions)), self._tables
        rewards, over = tables.step(chosen)
        finished = []
        self._decisions += 1
        for table in over:
            position = tables.position(table)
            self._turns[table] += position.state.turn
            going_on = go_on(self.codec, position, self._generators[table], self._draws)
            if going_on.draft is None:
                finished.append(self._finished(table, position))
                going_on = self._first(table)
            tables.put(table, going_on)
        return self._batch(rewards.astype(np.float32), finished)

    def _finished(self, table: int, position: Position) -> Finished:
        """The record of a finished game; the counts of the table begin anew."""
        turns, decisions = int(self._turns[table]), int(self._decisions[table])
        self._decisions[table] = self._turns[table] = 0
        won, outcome = position.match, position.state.outcome
        assert outcome is not None
        if won is None:
            return Finished(table, outcome.winners, outcome.scores, turns, decisions)
        return Finished(table, won.winners, won.totals, turns, decisions)

    def observe(self) -> Batch:
        """What the tables show now, as after a step that gave nothing: where a restored env goes on."""
        return self._batch(np.zeros((self.num_envs, self.num_players), np.float32), [])

    def state(self) -> NDArray[np.float32]:
        """What each seat on turn observes and all other racks, (B, size) float32, new: for critics, not for players."""
        tables = self._tables
        return self._perfect.complete(tables.observations, tables.racks, tables.to_move)

    def view(self, table: int) -> View:
        """What the seat on turn at a table saw when its turn began: for players that choose whole turns."""
        seen: View = self._tables.position(table).draft.view
        return seen

    def _batch(self, rewards: NDArray[np.float32], finished: list[Finished]) -> Batch:
        done = np.zeros(self.num_envs, np.bool_)
        done[[game.table for game in finished]] = True
        tables = self._tables
        return Batch(
            tables.observations.copy(),
            tables.masks.copy(),
            tables.to_move.astype(np.intp),
            rewards,
            done,
            tuple(finished),
        )

    def _checked(self, actions: NDArray[Any]) -> NDArray[np.int64]:
        """The actions, each of which its table's mask allows."""
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} integers, one a table, not {actions.dtype} {actions.shape}"
            )
        chosen = actions.astype(np.int64)
        known = (chosen >= 0) & (chosen < self.codec.n)
        legal = known & self._tables.masks[np.arange(self.num_envs), np.where(known, chosen, 0)]
        for table in np.flatnonzero(~legal).tolist():
            try:
                check(self.codec, self._tables.position(table).draft, int(chosen[table]))
            except IllegalAction as error:
                raise IllegalAction(f"table {table}: {error}") from None
        return chosen

    # Saving

    def clone(self) -> "VectorEnv":
        """An independent copy of all running games, generators included."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._tables = self._tables.copy()
        twin._generators = deepcopy(self._generators)
        twin._decisions, twin._turns = self._decisions.copy(), self._turns.copy()
        return twin

    def get_state(self) -> list[dict[str, Any]]:
        """All running games as plain JSON data, a dict a table: `set_state` goes on exactly."""
        states = []
        for table, generator in enumerate(self._generators):
            position = self._tables.position(table)
            turns = {} if position.match is None else {"turns": int(self._turns[table])}
            state = {**position.to_json(self.codec), "decisions": int(self._decisions[table]), **turns}
            states.append({**state, "generator": generator.bit_generator.state})
        return states

    def set_state(self, data: list[dict[str, Any]]) -> None:
        """Go on from `get_state` of an env with the same arguments; ValueError for other games."""
        try:
            if len(data) != self.num_envs:
                raise ValueError(f"the state is of {len(data)} tables, the env has {self.num_envs}")
            positions = [from_json(self.codec, self.num_players, table, self._most_steps) for table in data]
            decisions = [whole("decisions", table["decisions"]) for table in data]
            turns = [
                0 if position.match is None else whole("turns", table["turns"])
                for position, table in zip(positions, data, strict=True)
            ]
            generators = [restored(table["generator"]) for table in data]
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"the data is not a state of this env, or it is damaged ({error!r})") from error
        if any(position.draft is None for position in positions):
            raise ValueError("a table whose game is over has no turn to go on with")
        for table, position in enumerate(positions):
            self._tables.put(table, position)
        self._generators = generators
        self._decisions, self._turns = np.array(decisions), np.array(turns)

    def _deal_all(self) -> None:
        for table in range(self.num_envs):
            self._tables.put(table, self._first(table))
        self._decisions = np.zeros(self.num_envs, np.int64)
        self._turns = np.zeros(self.num_envs, np.int64)  # of the rounds that are over

    def _first(self, table: int) -> Position:
        return first(self.codec, self.num_players, self._generators[table], self._draws)
