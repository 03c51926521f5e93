"""Labels: decisions of games, with what each candidate won in the same random worlds.

They are made in parts, a file each. A part is decided by its settings and its number, so that whoever is stopped goes
on with the next one that is not there, and several processes make several parts.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.files import write_whole
from agents.search import POLICIES, Rollout, Round, candidates, is_late, is_open, trials
from agents.student.features import Choice, choice_of
from agents.student.player import Student
from rummikub_env.game import advance
from rummikub_env.policy import Policy, move_of
from rummikub_env.rules import RuleSet
from rummikub_env.state import View, deal, view

SHARE = 60
"""A win is kept as 60: it can be shared by up to 6."""


class Label(NamedTuple):
    """A decision, and what came of its candidates."""

    choice: Choice
    wins: NDArray[np.uint8]
    """(n, worlds): what each candidate won in each world, in parts of `SHARE`."""

    @property
    def gains(self) -> NDArray[np.float64]:
        """(n,): the mean difference of each candidate to the first one."""
        gains: NDArray[np.float64] = (self.wins.mean(axis=1) - self.wins[0].mean()) / SHARE
        return gains


@dataclass(frozen=True)
class Source:
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
    taken: float
    taken_late: float
    """Share of the student's decisions that are labelled: before the pool is nearly empty, and after."""
    worlds: int
    most: int
    """Candidates of a decision."""
    base: Rollout
    """As whom the student plays the rounds on; partners go on as they are."""
    seed: int


def make_part(source: Source, number: int, size: int) -> list[Label]:
    """`size` labels; equal for equal arguments."""
    rng = np.random.default_rng(np.random.SeedSequence(source.seed, spawn_key=(number,)))
    labels: list[Label] = []
    while len(labels) < size:
        labels += _game(source, rng, size - len(labels))
    return labels


def _game(source: Source, rng: np.random.Generator, most: int) -> Iterator[Label]:
    """The labels of a game, at most so many."""
    state = deal(source.rules, source.players, rng, "private")
    team, students = _team(source, rng)
    made = 0
    while state.outcome is None and made < most:
        seen = view(state, state.to_move)
        if state.to_move not in students:
            play = team[state.to_move].choose(seen)
        else:
            counts = candidates(seen, POLICIES[source.base], source.most, rng)
            play = counts[0]
            if is_open(seen, counts):
                if rng.random() < (source.taken_late if is_late(seen) else source.taken):
                    made += 1
                    yield _label(source, seen, counts, team, rng)
                play = counts[_row(source, seen, counts, rng)]
        state = advance(state, move_of(seen, play))


def _team(source: Source, rng: np.random.Generator) -> tuple[list[Policy], frozenset[int]]:
    """Who plays the rounds of a game to their end, a policy a seat; and which seats are students."""
    others = source.partners[rng.integers(len(source.partners))]
    is_student = rng.random(source.players) >= source.partner
    is_student[rng.integers(source.players)] = True
    names = [source.base if student else others for student in is_student]
    return [POLICIES[name] for name in names], frozenset(np.flatnonzero(is_student).tolist())


def _row(source: Source, seen: View, counts: NDArray[np.uint8], rng: np.random.Generator) -> int:
    """The candidate that the student plays in a game that is labelled."""
    if rng.random() < source.stray:
        return int(rng.integers(len(counts)))
    return source.student.choose(seen, counts) if source.student is not None else 0


def _label(
    source: Source, seen: View, counts: NDArray[np.uint8], team: Sequence[Policy], rng: np.random.Generator
) -> Label:
    wins = trials(seen, counts, iter([Round(source.worlds, source.most)]), team, rng)
    return Label(choice_of(seen, counts), np.round(SHARE * np.stack(wins)).astype(np.uint8))


# Files


def save(path: Path, labels: Sequence[Label]) -> None:
    """Write labels as a compressed NumPy file, whole or not at all."""
    choices = [label.choice for label in labels]
    file = io.BytesIO()
    np.savez_compressed(
        file,
        sizes=np.array([len(label.wins) for label in labels]),
        racks=np.stack([choice.rack for choice in choices]),
        tables=np.stack([choice.table for choice in choices]),
        facts=np.stack([choice.facts for choice in choices]),
        counts=np.concatenate([choice.counts for choice in choices]),
        wins=np.concatenate([label.wins for label in labels]),
    )
    write_whole(path, file.getvalue())


def load(path: Path) -> list[Label]:
    """The labels of a file."""
    with np.load(path) as file:
        cuts = np.cumsum(file["sizes"])[:-1]
        counts, wins = np.split(file["counts"], cuts), np.split(file["wins"], cuts)
        choices = map(Choice, file["racks"], file["tables"], file["facts"], counts)
        return list(map(Label, choices, wins))
