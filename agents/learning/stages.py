"""The stages of a run that learns from search; what each makes is a file, so that it goes on where it was stopped.

``labels/R-N.npz`` is part N of the labels of round R, ``student-R.npz`` the student that has learned from all labels
up to that round.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import torch
import yaml

from agents.learning.config import Config, config_of
from agents.learning.fitting import fit, measure
from agents.processes import workers_start
from agents.student.labels import Label, Source, load, make_part, save
from agents.student.player import Learned, Student, save_student
from rummikub_env.rules import rules_of


def student_file(run: Path, number: int) -> Path:
    """The student of a round."""
    return run / f"student-{number}.npz"


def last_student(run: Path) -> Path | None:
    """The student of the last round that is over."""
    files = sorted(run.glob("student-*.npz"), key=lambda path: int(path.stem.rpartition("-")[2]))
    return files[-1] if files else None


def is_run(run: Path) -> bool:
    """Does the folder hold a run that learns from search?"""
    return any((run / "labels").glob("*.npz"))


def load_config(run: Path) -> Config:
    """The settings of a run; ValueError if they cannot be read."""
    return config_of(yaml.safe_load((run / "config.yaml").read_text()))


def rounds_done(config: Config, run: Path) -> int:
    """How many rounds are over."""
    number = 0
    while number < len(config.student.labels) and student_file(run, number).exists():
        number += 1
    return number


# Labels


def parts(config: Config, run: Path, number: int) -> list[Path]:
    """The label files of a round, in order."""
    size = -(-config.student.labels[number] // config.student.part)
    return [run / "labels" / f"{number}-{part:05d}.npz" for part in range(size)]


def parts_left(config: Config, run: Path, number: int) -> int:
    """How many of them are not there yet."""
    return sum(not path.exists() for path in parts(config, run, number))


def make_labels(config: Config, run: Path, number: int) -> Generator[Path, None, None]:
    """Make the label files of a round that are not there, and yield each when it is."""
    student = Student(str(student_file(run, number - 1)), config.student.guard) if number else None
    tasks = [
        (path, _source(config, number, part, student), part, config.student.part)
        for part, path in enumerate(parts(config, run, number))
        if not path.exists()
    ]
    with _workers(min(config.workers, len(tasks))) as pool:
        yield from map(_make, tasks) if pool is None else pool.map(_make, tasks)


def _source(config: Config, number: int, part: int, student: Student | None) -> Source:
    wanted = config.student
    return Source(
        rules_of(config.game.rules),
        wanted.players[part % len(wanted.players)],
        student,
        wanted.partners,
        wanted.partner,
        wanted.stray,
        wanted.taken,
        wanted.taken_late,
        wanted.worlds,
        wanted.candidates,
        wanted.rollout,
        config.seed * len(wanted.labels) + number,
    )


def _make(task: tuple[Path, Source, int, int]) -> Path:
    path, source, part, size = task
    save(path, make_part(source, part, size))
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
    rules, every = rules_of(config.game.rules), config.student.held_out
    held_out = _loaded(path for part, path in files if part % every == every - 1)
    learned = _loaded(path for part, path in files if part % every != every - 1)
    weights = {}
    for weights in fit(rules.tiles, learned, config.student.fit, config.seed):
        yield {"labels": float(len(learned)), **measure(rules.tiles, held_out, weights, config.student.guard)}
    save_student(student_file(run, number), Learned(weights, config.student.rollout))


def _loaded(paths: Iterable[Path]) -> Sequence[Label]:
    return [label for path in paths for label in load(path)]
