"""How times are taken."""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

from rummikub_env import boards, solver
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
    with _no_garbage():
        for question in questions:
            before = watch.cpu
            with watch:
                ask(question)
            seconds.append(watch.cpu - before)
    return Latency.of(name, "us", seconds, watch.wall), answers


def latency(name: str, ask: Callable[[Q], object], questions: Sequence[Q]) -> Latency:
    """How long each question takes, in microseconds."""
    return timed(name, ask, questions)[0]


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Without the collector, as `timeit` does it: its pauses belong to no question."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def forget(again: Callable[[], object]) -> None:
    """Clear what the solver remembers of positions, so that no question finds its answer there.

    again: is done then, so that what depends on the rules alone is known.
    """
    for module in (solver, boards):
        for function in vars(module).values():
            if getattr(function, "__module__", "") == module.__name__ and hasattr(function, "cache_clear"):
                function.cache_clear()
    again()


class Watch:
    """Seconds on the clock and of computing, summed over all ``with`` blocks."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall

    def rate(self, name: str, what: str, count: int) -> Rate:
        """The rate of what was counted meanwhile."""
        return Rate(name, what, count, count / self.cpu, count / self.wall)
