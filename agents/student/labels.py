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
from agents.search import POLICIES, Rollout, Round, candidates, is_open, line_ups, trials
from agents.student.features import Choice, choice_of
from agents.student.player import Student
from rummikub_env.game import advance
from rummikub_env.policy import move_of
from rummikub_env.rules import RuleSet
from rummikub_env.state import View, deal, view
from rummikub_env.tiles import Counts

SHARE = 60
"""A win is kept as 60: it can be shared by up to 6."""
NEAR = 3


class Label(NamedTuple):
    """A decision, and what came of its candidates."""

    choice: Choice
    wins: NDArray[np.uint8]
    """(n, worlds): what each candidate won in each world, in parts of `SHARE`."""

    @property
    def gains(self) -> NDArray[np.float64]:
        """(n,): the mean difference of each candidate to the greedy play."""
        gains: NDArray[np.float64] = (self.wins.mean(axis=1) - self.wins[0].mean()) / SHARE
        return gains


@dataclass(frozen=True)
class Source:
    """Where labels come from."""

    rules: RuleSet
    players: int
    student: Student | None
    partners: tuple[Rollout, ...]
    partner: float
    """Each seat is played by the student, or with this probability by one of the `partners`."""
    stray: float
    """With this probability a seat plays any candidate, so that what it leads to is seen as well."""
    taken: float
    taken_near: float
    """Share of the decisions that are labelled, and of those in which the greedy play leaves `NEAR` tiles at most.

    Neighbours in a game tell much the same; and it is near the end that a decision matters, and soon known.
    """
    worlds: int
    most: int
    """Candidates of a decision."""
    rollout: Rollout
    """As whom the seat that decides plays the rounds on."""
    others: tuple[Rollout, ...]
    """As whom the others do, in equal parts of the worlds."""
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
    partners = [_partner(source, rng) for _ in range(source.players)]
    made = 0
    while state.outcome is None and made < most:
        seen, partner = view(state, state.to_move), partners[state.to_move]
        luck, strays = rng.random(), rng.random() < source.stray
        if partner is not None and not strays and luck >= max(source.taken, source.taken_near):
            play = POLICIES[partner].choose(seen)
        else:
            counts = candidates(seen, source.most, rng)
            if is_open(seen, counts) and luck < _share(source, seen, counts):
                made += 1
                yield _label(source, seen, counts, rng)
            play = _played(source, seen, counts, partner, strays, rng)
        state = advance(state, move_of(seen, play))


def _partner(source: Source, rng: np.random.Generator) -> Rollout | None:
    """Who plays a seat; None: the student."""
    return source.partners[rng.integers(len(source.partners))] if rng.random() < source.partner else None


def _played(
    source: Source,
    seen: View,
    counts: NDArray[np.uint8],
    partner: Rollout | None,
    strays: bool,
    rng: np.random.Generator,
) -> Counts | None:
    """The tiles that the seat on turn plays in a game that is labelled."""
    if not len(counts):
        return None
    row = 0
    if is_open(seen, counts) and strays:
        row = int(rng.integers(len(counts)))
    elif partner is not None:
        return POLICIES[partner].choose(seen)
    elif source.student is not None:
        row = source.student.choose(seen, counts)
    play: Counts = counts[row]
    return play


def _share(source: Source, seen: View, counts: NDArray[np.uint8]) -> float:
    return source.taken_near if seen.rack.sum() - counts[0].sum() <= NEAR else source.taken


def _label(source: Source, seen: View, counts: NDArray[np.uint8], rng: np.random.Generator) -> Label:
    rounds = iter([Round(source.worlds, source.most)])
    wins = trials(seen, counts, rounds, line_ups(seen, source.rollout, source.others), rng)
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
