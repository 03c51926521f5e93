"""Collectors in processes of their own, so that self-play uses every core.

Each worker owns its tables and its generator, and answers in a fixed order; so a run with W workers is as
reproducible as one with a single process. Workers hold no state that `get_state` does not return.
"""

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import torch

from agents.learning.rollout import Collector, Rollout
from agents.network import ActorCritic
from agents.processes import workers_start


class WorkerError(RuntimeError):
    """A worker process is gone, and its games with it: only a resumed run can go on."""


MakeCollector = Callable[[int], Collector]
"""Builds the collector of worker 0, 1, ...; a function that can be pickled."""


class Crew:
    """The collectors of a run: one in this process, or several in processes of their own."""

    def __init__(self, workers: int, make: MakeCollector) -> None:
        self._workers: list[_Local | _Remote] = (
            [_Local(make(0))] if workers == 1 else [_Remote(make, index) for index in range(workers)]
        )

    def collect(self, network: ActorCritic, decisions: int, taught: bool = False) -> list[Rollout]:
        """One rollout of each worker with the present weights, `decisions` in all, by the network or its teacher."""
        share = -(-decisions // len(self._workers))
        return self._all("collect", network, share, taught)

    def get_state(self) -> list[dict[str, Any]]:
        """`Collector.get_state` of each worker."""
        return self._all("get_state")

    def set_state(self, states: list[dict[str, Any]]) -> None:
        """Put each worker back where `get_state` found it."""
        for worker, state in zip(self._workers, states, strict=True):
            worker.ask("set_state", state)
        for worker in self._workers:
            worker.answer()

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()

    def _all(self, method: str, *arguments: Any) -> list[Any]:
        for worker in self._workers:
            worker.ask(method, *arguments)
        return [worker.answer() for worker in self._workers]


class _Local:
    """A collector in this process."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._call: tuple[str, tuple[Any, ...]] = ("", ())

    def ask(self, method: str, *arguments: Any) -> None:
        self._call = method, arguments

    def answer(self) -> Any:
        method, arguments = self._call
        return getattr(self._collector, method)(*arguments)

    def close(self) -> None:
        pass


class _Remote:
    """A collector in another process, at the other end of a pipe."""

    def __init__(self, make: MakeCollector, index: int) -> None:
        context = get_context("spawn")  # a fork would copy locks held by the learner's threads
        self._connection, far_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(far_end, make, index), daemon=True)
        with workers_start():
            self._process.start()
        far_end.close()

    def ask(self, method: str, *arguments: Any) -> None:
        # plain pickle: torch would otherwise send each weight as a shared-memory file
        with suppress(ConnectionError):  # `answer` will tell
            self._connection.send_bytes(pickle.dumps((method, arguments)))

    def answer(self) -> Any:
        try:
            result = pickle.loads(self._connection.recv_bytes())
        except (EOFError, ConnectionError):
            raise WorkerError("a process that plays has died, perhaps for want of memory") from None
        if isinstance(result, Exception):
            raise result
        return result

    def close(self) -> None:
        self._connection.close()  # the worker meets the end of the pipe, and leaves
        self._process.join()


def _serve(connection: Connection, make: MakeCollector, index: int) -> None:
    """Answer calls until the learner is gone."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # a signal to the group is the learner's affair, as Ctrl-C is
    torch.set_num_threads(1)
    try:
        collector = make(index)
        while True:
            method, arguments = pickle.loads(connection.recv_bytes())
            connection.send_bytes(pickle.dumps(getattr(collector, method)(*arguments)))
    except (EOFError, ConnectionError):
        return
    except Exception as error:
        connection.send_bytes(pickle.dumps(error))
