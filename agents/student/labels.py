"""Labels: decisions of games, with what each candidate won; and their files."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.files import write_whole
from agents.student.features import Choice

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


def label_of(choice: Choice, wins: NDArray[np.float64]) -> Label:
    """The label of wins from 0 to 1, (n, worlds)."""
    return Label(choice, np.round(SHARE * wins).astype(np.uint8))


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
