"""How times are taken."""

import gc
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TypeVar

from rummikub_env import solver
from rummikub_env.bench.report import Latency, Rate

Q = TypeVar("Q")
A = TypeVar("A")


def timed(name: str, ask: Callable[[Q], A], questions: Sequence[Q]) -> tuple[Latency, list[A]]:
    """How long each question takes, in microseconds, and the answers.

    All are asked twice: the first time compiles what is not compiled yet.
    """
    answers = [ask(question) for question in questions]
    forget(lambda: ask(questions[0]))
    seconds, watch = [], Watch()
    gc.collect()
    gc.disable()  # as `timeit` does: its pauses belong to no question
    with watch:
        for question in questions:
            began = time.process_time()
            ask(question)
            seconds.append(time.process_time() - began)
    gc.enable()
    return Latency.of(name, "us", seconds, watch.wall), answers


def latency(name: str, ask: Callable[[Q], object], questions: Sequence[Q]) -> Latency:
    """How long each question takes, in microseconds."""
    return timed(name, ask, questions)[0]


def forget(again: Callable[[], object]) -> None:
    """Clear what the solver remembers of positions, so that no question finds its answer there.

    again: is done then, so that what depends on the rules alone is known.
    """
    for function in vars(solver).values():
        if (
            hasattr(function, "cache_clear") and function.__module__ == solver.__name__
        ):  # not what it has from elsewhere
            function.cache_clear()
    again()


class Watch:
    """Seconds on the clock and of computing, summed over all ``with`` blocks."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> None:
        self.wall -= time.perf_counter()
        self.cpu -= time.process_time()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.cpu += time.process_time()
        self.wall += time.perf_counter()

    def rate(self, name: str, what: str, count: int) -> Rate:
        """The rate of what was counted meanwhile."""
        return Rate(name, what, count, count / self.cpu, count / self.wall)
