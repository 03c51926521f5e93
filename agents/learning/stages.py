"""The stages of a run that learns from labels; what each makes is a file, so that it goes on where it was stopped.

``labels/R-N.npz`` is part N of the labels of round R, ``METHOD-R.npz`` the student that has learned from all labels
up to that round.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
import yaml

from agents.learning.config import Config, config_of
from agents.learning.fitting import fit
from agents.learning.measuring import measure_gains, measure_wins
from agents.processes import workers_start
from agents.student.config import StudentConfig
from agents.student.finished import Finished
from agents.student.games import Games, make_part
from agents.student.labels import Label, load, save
from agents.student.player import Learned, Student, save_student
from agents.student.searched import Searched
from rummikub_env.rules import rules_of


def student_file(config: Config, run: Path, number: int) -> Path:
    """The student of a round."""
    return run / f"{config.method}-{number}.npz"


def last_student(run: Path) -> Path | None:
    """The student of the last round that is over."""
    files = sorted(run.glob("*-*.npz"), key=lambda path: int(path.stem.rpartition("-")[2]))
    return files[-1] if files else None


def is_run(run: Path) -> bool:
    """Does the folder hold a run that learns from labels?"""
    return any((run / "labels").glob("*.npz"))


def load_config(run: Path) -> Config:
    """The settings of a run; ValueError if they cannot be read."""
    return config_of(yaml.safe_load((run / "config.yaml").read_text()))


def rounds_done(config: Config, run: Path) -> int:
    """How many rounds are over."""
    number = 0
    while number < len(config.labelling.labels) and student_file(config, run, number).exists():
        number += 1
    return number


# Labels


def parts(config: Config, run: Path, number: int) -> list[Path]:
    """The label files of a round, in order."""
    size = -(-config.labelling.labels[number] // config.labelling.part)
    return [run / "labels" / f"{number}-{part:05d}.npz" for part in range(size)]


def parts_left(config: Config, run: Path, number: int) -> int:
    """How many of them are not there yet."""
    return sum(not path.exists() for path in parts(config, run, number))


def make_labels(config: Config, run: Path, number: int) -> Generator[Path, None, None]:
    """Make the label files of a round that are not there, and yield each when it is."""
    student = Student(str(student_file(config, run, number - 1)), config.labelling.guard) if number else None
    tasks = [
        (path, _games(config, number, part, student), part, config.labelling.part)
        for part, path in enumerate(parts(config, run, number))
        if not path.exists()
    ]
    with _workers(min(config.workers, len(tasks))) as pool:
        yield from map(_make, tasks) if pool is None else pool.map(_make, tasks)


def _games(config: Config, number: int, part: int, student: Student | None) -> Games:
    wanted = config.labelling
    played: dict[str, Any] = {
        "rules": rules_of(config.game.rules),
        "players": wanted.players[part % len(wanted.players)],
        "student": student,
        "partners": wanted.partners,
        "partner": wanted.partner,
        "stray": wanted.stray,
        "most": wanted.candidates,
        "base": wanted.rollout,
        "seed": config.seed * len(wanted.labels) + number,
    }
    if isinstance(wanted, StudentConfig):
        return Searched(**played, taken=wanted.taken, taken_late=wanted.taken_late, worlds=wanted.worlds)
    return Finished(**played, turns=wanted.turns)


def _make(task: tuple[Path, Games, int, int]) -> Path:
    path, games, part, size = task
    save(path, make_part(games, part, size))
    return path


@contextmanager
def _workers(number: int) -> Iterator[ProcessPoolExecutor | None]:
    """So many processes; None for one: that is this process itself. What has not begun is given up at the end."""
    if number <= 1:
        yield None
        return
    pool = ProcessPoolExecutor(number, get_context("spawn"))
    try:
        with workers_start():
            for started in [pool.submit(int) for _ in range(number)]:
                started.result()
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


# Learning


def learn(config: Config, run: Path, number: int) -> Iterator[dict[str, float]]:
    """Learn from all labels up to this round, and yield the figures of each epoch; at the end there is a student."""
    torch.set_num_threads(config.threads)
    files = [(part, path) for earlier in range(number + 1) for part, path in enumerate(parts(config, run, earlier))]
    tiles, wanted, every = rules_of(config.game.rules).tiles, config.labelling, config.labelling.held_out
    held_out = _loaded(path for part, path in files if part % every == every - 1)
    learned = _loaded(path for part, path in files if part % every != every - 1)
    weights = {}
    for weights in fit(tiles, learned, wanted.fit, config.seed):
        if isinstance(wanted, StudentConfig):
            figures = measure_gains(tiles, held_out, weights, wanted.guard)
        else:
            figures = measure_wins(tiles, held_out, learned[: len(held_out)], weights)
        yield {"labels": float(len(learned)), **figures}
    save_student(student_file(config, run, number), Learned(weights, wanted.rollout, wanted.kind))


def _loaded(paths: Iterable[Path]) -> Sequence[Label]:
    return [label for path in paths for label in load(path)]
