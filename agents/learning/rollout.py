"""Self-play: one network plays all seats of B tables and remembers its decisions; or a teacher plays, and it watches.

A *forced* decision has one legal action. It is played but never kept: there is nothing to learn from
it, and it would dilute the statistics of the others. A decision stays *open* until its seat acts
again or the game ends; decisions still open when a rollout is full are not lost but begin the next.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.learning.gae import LAST, OPEN
from agents.learning.teacher import Teacher
from agents.network import ActorCritic, DivergenceError
from rummikub_env.envs.vector import Finished, VectorEnv


@dataclass(frozen=True, slots=True)
class Decisions:
    """N decisions in the order in which they were made."""

    observations: NDArray[np.float32]  # (N, state_size), see ActorCritic
    masks: NDArray[np.bool_]  # (N, num_actions), at least two legal actions
    actions: NDArray[np.int64]  # (N,)
    log_probs: NDArray[np.float32]  # (N,) of the action
    values: NDArray[np.float32]  # (N,) estimated by the network that acted
    rewards: NDArray[np.float32]  # (N,) what the seat received from here to its successor
    successors: NDArray[np.int64]  # (N,) see gae.py

    def __len__(self) -> int:
        """N."""
        return len(self.actions)

    def __getitem__(self, rows: NDArray[np.intp] | slice) -> "Decisions":
        """The decisions at `rows`, copied, with successors as they are."""
        return Decisions(*(getattr(self, field.name)[rows].copy() for field in fields(self)))

    @staticmethod
    def empty(rows: int, state_size: int, num_actions: int) -> "Decisions":
        """Room for `rows` decisions, all open and without reward."""
        return Decisions(
            observations=np.zeros((rows, state_size), np.float32),
            masks=np.zeros((rows, num_actions), np.bool_),
            actions=np.zeros(rows, np.int64),
            log_probs=np.zeros(rows, np.float32),
            values=np.zeros(rows, np.float32),
            rewards=np.zeros(rows, np.float32),
            successors=np.full(rows, OPEN, np.int64),
        )


@dataclass(frozen=True, slots=True)
class Rollout:
    """One call of `Collector.collect`."""

    decisions: Decisions
    steps: int
    """Actions at all tables, forced ones too."""
    games: list[Finished]
    """The games that ended."""


class Collector:
    """B running tables, and the open decisions of their seats.

    `perfect`: the network gets the racks of all others as well; its value may see them.
    """

    def __init__(self, tables: VectorEnv, seed: int, *, perfect: bool = False, teacher: Teacher | None = None) -> None:
        self.tables, self.perfect, self.teacher = tables, perfect, teacher
        self.rng = np.random.default_rng(seed)
        self.batch = tables.observe()
        self._forget_open()

    def collect(self, network: ActorCritic, decisions: int, taught: bool = False) -> Rollout:
        """Play until there are at least `decisions` decisions, the open ones of the last rollout among them.

        The network plays, or where it is `taught` the teacher, whose decisions are kept as if they were its own. The
        network must keep its weights meanwhile. Decisions still open come back too, since others
        have them as successors, and once more in the next rollout. When the teacher no longer plays it is dropped, with
        its plans and open decisions: PPO would take those for choices of the policy.
        """
        if self.teacher is not None and not taught:
            self.teacher = None
            self._forget_open()
        rows = self._room(len(self.open) + decisions + self.tables.num_envs)
        filled = len(self.open)
        for field in fields(Decisions):
            getattr(rows, field.name)[:filled] = getattr(self.open, field.name)
        steps = 0
        games: list[Finished] = []
        while filled < decisions:
            actions, filled = self._decide(network, rows, filled, taught)
            self.batch = self.tables.step(actions)
            self._credit(rows)
            steps += self.tables.num_envs
            games += self.batch.info
        result = rows[:filled]
        self._keep_open(result)
        return Rollout(result, steps, games)

    def get_state(self) -> dict[str, Any]:
        """The running games and the open decisions, as a tree of arrays and JSON values."""
        plans = {} if self.teacher is None else {"plans": self.teacher.plans}
        return {
            **plans,
            "tables": self.tables.get_state(),
            "rng": self.rng.bit_generator.state,
            "open": {field.name: getattr(self.open, field.name) for field in fields(Decisions)},
            "last": self.last,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on exactly where `get_state` was called; ValueError, KeyError, ... for damaged data."""
        self.tables.set_state(state["tables"])
        self.rng.bit_generator.state = state["rng"]
        self.batch = self.tables.observe()
        if self.teacher is not None:
            self.teacher.plans = plans_of(state["plans"], self.tables)
        self.open = self._checked(Decisions(**state["open"]))
        self.last = np.array(state["last"])
        rows = np.sort(self.last[self.last >= 0]).tolist()
        tables = self.tables.num_envs, self.tables.num_players
        if (self.last.shape, self.last.dtype.kind) != (tables, "i") or rows != [*range(len(self.open))]:
            raise ValueError("the open decisions are not those of the tables")
        if self.teacher is None and "plans" in state:  # it was saved between the last of the teacher and PPO
            self._forget_open()

    def _decide(
        self, network: ActorCritic, rows: Decisions, filled: int, taught: bool
    ) -> tuple[NDArray[np.int64], int]:
        """An action for every table, (B,), and the number of rows after the free decisions were noted."""
        batch = self.batch
        is_free = batch.action_masks.sum(1) > 1
        if taught:
            assert self.teacher is not None
            actions = self.teacher.actions(batch, self.rng)
            is_free &= self.teacher.teaches(batch.seats)
        else:
            actions = batch.action_masks.argmax(1)  # right wherever the decision is forced
        free = np.flatnonzero(is_free)
        if not len(free):
            return actions, filled
        states = self.tables.state() if self.perfect else batch.observations
        observations, masks = states[free], batch.action_masks[free]
        taken = actions[free] if taught else None
        actions[free], log_probs, values = act(network, observations, masks, self.rng, taken)
        new = np.arange(filled, filled + len(free))
        rows.observations[new], rows.masks[new], rows.actions[new] = observations, masks, actions[free]
        rows.log_probs[new], rows.values[new] = log_probs, values
        before = self.last[free, batch.seats[free]]
        rows.successors[before[before >= 0]] = new[before >= 0]
        self.last[free, batch.seats[free]] = new
        return actions, filled + len(free)

    def _credit(self, rows: Decisions) -> None:
        """Add the rewards just given to the open decision of their seat, and close those of ended games."""
        table, seat = np.nonzero((self.last >= 0) & (self.batch.rewards != 0))
        rows.rewards[self.last[table, seat]] += self.batch.rewards[table, seat]
        ended = self.last[self.batch.done]
        rows.successors[ended[ended >= 0]] = LAST
        self.last[self.batch.done] = -1

    def _keep_open(self, rows: Decisions) -> None:
        """Carry the open decisions over to the next rollout, as its first rows."""
        table, seat = np.nonzero(self.last >= 0)
        self.open = rows[self.last[table, seat]]
        self.last[table, seat] = np.arange(len(table))

    def _forget_open(self) -> None:
        self.open = self._room(0)
        self.last = np.full((self.tables.num_envs, self.tables.num_players), -1)  # row of each seat's open decision

    def _checked(self, decisions: Decisions) -> Decisions:
        """Decisions from a file, whose arrays must be as in a rollout."""
        for field in fields(Decisions):
            found, wanted = getattr(decisions, field.name), getattr(self._room(len(decisions)), field.name)
            if (found.shape, found.dtype) != (wanted.shape, wanted.dtype) or not np.isfinite(found).all():
                raise ValueError(f"{field.name} of the open decisions")
        return decisions

    def _room(self, rows: int) -> Decisions:
        size = self.tables.state_size if self.perfect else self.tables.observation_size
        return Decisions.empty(rows, size, self.tables.num_actions)


def plans_of(data: list[list[int]], tables: VectorEnv) -> list[list[int]]:
    """The plans of a teacher from a file; ValueError for what are none."""
    known = range(tables.num_actions)
    if len(data) != tables.num_envs or not all(action in known for plan in data for action in plan):
        raise ValueError("the plans of the teacher")
    return [[*plan] for plan in data]


@torch.inference_mode()
def act(
    network: ActorCritic,
    observations: NDArray[np.float32],
    masks: NDArray[np.bool_],
    rng: np.random.Generator,
    taken: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Sampled actions (n,), or those that were `taken`, their log-probabilities (n,), and values (n,).

    `DivergenceError` when the network gives no numbers.
    """
    log_probs, values = network(torch.from_numpy(observations), torch.from_numpy(masks))
    if not (log_probs.isfinite().all() and values.isfinite().all()):
        raise DivergenceError("the network gives no numbers any more")
    table: NDArray[np.float32] = log_probs.numpy()
    actions = taken
    if actions is None:
        actions = (table + rng.gumbel(size=table.shape)).argmax(1)  # = a sample, by the Gumbel-max trick
    return actions, table[np.arange(len(actions)), actions], values.numpy()
