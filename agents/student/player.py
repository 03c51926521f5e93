"""The player that a student's file makes; NumPy is all that it takes."""

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from agents.files import write_whole
from agents.names import named
from agents.search import POLICIES, Rollout, candidates, is_late, is_open
from agents.student.features import FACTS, NUMBERS, PLANES, Choice, choice_of, inputs_of
from agents.student.network import answers
from rummikub_env.game import Move
from rummikub_env.policy import Policy, move_of
from rummikub_env.state import View
from rummikub_env.tiles import TileSet

Kind = Literal["student", "value"]
"""What a network has learned, and so which of its answers counts: differences between the candidates of a decision,
from search; or how often the game is won after a play, from whole games."""
FORMATS: Mapping[str, Kind] = {
    f"rummikub-env {kind} 2: {PLANES} planes, {NUMBERS + FACTS} numbers": kind for kind in get_args(Kind)
}
"""What a file must say of itself: a network reads its inputs by their places."""


SHIPPED = Path(__file__).with_name("sabra.npz")
"""The student that comes with the package."""


@dataclass(frozen=True)
class Student:
    """Plays the candidate that its network likes best: what its base plays, unless another is better by a guard.

    A base that waits is followed until the pool is nearly empty: before, there is hardly a label to learn from.
    """

    file: str = str(SHIPPED)
    """The weights, as a run that learns from labels leaves them."""
    guard: float = 0.02
    """Wins a game by which a candidate must be better than what the base plays."""
    most: int = 16
    """Candidates."""

    def __post_init__(self) -> None:
        if self.most < 1 or not 0 <= self.guard < math.inf:
            raise ValueError(f"student: most must be 1 or more, guard 0 or more, not {self.most} and {self.guard}")
        _ = self._learned  # so that a wrong file is told at once

    @property
    def name(self) -> str:
        """The name in tables; it says only what differs from the default."""
        return named("student", self)

    @property
    def weights(self) -> Mapping[str, NDArray[np.float32]]:
        """Those in the file."""
        return self._learned.weights

    @property
    def base(self) -> Rollout:
        """From whose plays it deviates, as the file says."""
        return self._learned.base

    @property
    def _learned(self) -> "Learned":
        """What is in the file; ValueError if it holds nothing that this version can use."""
        try:
            return _learned(self.file, Path(self.file).stat().st_mtime_ns)
        except (KeyError, ValueError, OSError, BadZipFile) as error:
            raise ValueError(f"{self.file} holds no student of this version ({error})") from None

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Make the play; `rng` is used only where there are too many."""
        learned = self._learned
        base = POLICIES[learned.base]
        if _follows(base, view):
            return move_of(view, base.choose(view))
        counts = candidates(view, base, self.most, rng)
        return move_of(view, counts[self._preferred(learned, view, counts)])

    def choose(self, view: View, counts: NDArray[np.uint8]) -> int:
        """The row of `counts`, (n, kinds) uint8, to play; what its base plays is the first."""
        learned = self._learned
        return 0 if _follows(POLICIES[learned.base], view) else self._preferred(learned, view, counts)

    def _preferred(self, learned: "Learned", view: View, counts: NDArray[np.uint8]) -> int:
        if not is_open(view, counts):
            return 0
        return preferred(ratings(learned, view.rules.tiles, choice_of(view, counts)), self.guard)


def _follows(base: Policy, view: View) -> bool:
    return base.tempo and not is_late(view)


def preferred(scores: NDArray[np.float32], guard: float) -> int:
    """The first candidate, or the one of the highest score if that is higher by more than the guard."""
    best = int(scores.argmax())
    return best if scores[best] - scores[0] > guard else 0


class Learned(NamedTuple):
    """What the file of a student holds."""

    weights: Mapping[str, NDArray[np.float32]]
    base: Rollout
    kind: Kind


def ratings(learned: Learned, tiles: TileSet, choice: Choice) -> NDArray[np.float32]:
    """(n,): the wins of each candidate, up to a number that is the same for all."""
    if learned.kind == "student":
        scores: NDArray[np.float32] = answers(np, learned.weights, *inputs_of(tiles, [choice])).scores
        return scores
    alone = [choice._replace(counts=row[None]) for row in choice.counts]  # as it has learned them
    chances: NDArray[np.float32] = np.tanh(answers(np, learned.weights, *inputs_of(tiles, alone)).logits / 2) / 2
    return chances


def save_student(path: Path, learned: Learned) -> None:
    """Write the file of a student, whole or not at all."""
    file, weights = io.BytesIO(), {name: np.asarray(array) for name, array in learned.weights.items()}
    text = next(text for text, kind in FORMATS.items() if kind == learned.kind)
    np.savez(file, format=np.array(text), base=np.array(learned.base), **weights)  # type: ignore[arg-type]
    write_whole(path, file.getvalue())


@lru_cache(maxsize=8)
def _learned(file: str, written: int) -> Learned:
    """What is in a file that was written then."""
    with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as arrays:
        weights = {name: arrays[name] for name in arrays}
    kind = FORMATS.get(str(weights.pop("format")))
    if kind is None:
        raise ValueError("it was made for other inputs")
    base = str(weights.pop("base"))
    if base not in POLICIES:
        raise ValueError(f"it deviates from {base}, which is none of {', '.join(POLICIES)}")
    return Learned(weights, base, kind)
