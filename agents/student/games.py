"""The games whose decisions are labelled: a student among partners.

Labels are made in parts, a file each. A part is decided by its games and its number, so that whoever is stopped goes
on with the next one that is not there, and several processes make several parts.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search import POLICIES, Rollout, candidates, is_open
from agents.student.labels import Label
from agents.student.player import Student
from rummikub_env.game import advance
from rummikub_env.policy import Policy, move_of
from rummikub_env.rules import RuleSet
from rummikub_env.state import State, View, deal, view


class Team(NamedTuple):
    """Who plays a game."""

    policies: list[Policy]
    """Who plays the rounds of the game to their end, a policy a seat."""
    students: frozenset[int]
    """The seats of the student."""


@dataclass(frozen=True, kw_only=True)
class Games(ABC):
    """Where labels come from."""

    rules: RuleSet
    players: int
    student: Student | None
    """Who makes the decisions that are labelled; None: `base`."""
    partners: tuple[Rollout, ...]
    """One of them is drawn for each game."""
    partner: float
    """Each seat but one is played by the partner with this probability, else by the student."""
    stray: float
    """With this probability the student plays any candidate, so that what it leads to is seen as well."""
    most: int
    """Candidates of a decision."""
    base: Rollout
    """From whose plays the student deviates."""
    seed: int

    @abstractmethod
    def labels(self, rng: np.random.Generator) -> Iterator[Label]:
        """The labels of a game."""

    def team(self, rng: np.random.Generator) -> Team:
        """Who plays a game."""
        others = self.partners[rng.integers(len(self.partners))]
        is_student = rng.random(self.players) >= self.partner
        is_student[rng.integers(self.players)] = True
        names = [self.base if student else others for student in is_student]
        return Team([POLICIES[name] for name in names], frozenset(np.flatnonzero(is_student).tolist()))

    def begin(self, rng: np.random.Generator) -> State:
        """The deal of a game; each seat draws in an order of its own."""
        return deal(self.rules, self.players, rng, "private")

    def choices(self, seen: View, rng: np.random.Generator) -> NDArray[np.uint8]:
        """What the student may play, (n, kinds)."""
        return candidates(seen, POLICIES[self.base], self.most, rng)

    def row(self, seen: View, counts: NDArray[np.uint8], rng: np.random.Generator) -> int:
        """Which of them it plays."""
        if not is_open(seen, counts):
            return 0
        if rng.random() < self.stray:
            return int(rng.integers(len(counts)))
        return self.student.choose(seen, counts) if self.student is not None else 0


def met(state: State, team: Team) -> State:
    """The state when a student is on turn again, or the round is over."""
    while state.outcome is None and state.to_move not in team.students:
        seen = view(state, state.to_move)
        state = advance(state, move_of(seen, team.policies[state.to_move].choose(seen)))
    return state


def make_part(games: Games, number: int, size: int) -> list[Label]:
    """`size` labels; equal for equal arguments."""
    rng = np.random.default_rng(np.random.SeedSequence(games.seed, spawn_key=(number,)))
    labels: list[Label] = []
    while len(labels) < size:
        labels += islice(games.labels(rng), size - len(labels))
    return labels
