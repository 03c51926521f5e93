"""How processes that play are started."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def workers_start() -> Iterator[None]:
    """Processes started here use one thread each, and Ctrl-C, which reaches all processes, is their parent's.

    Both must hold before their first line runs: libraries read the variables when they are imported, and
    Ctrl-C in the seconds of the imports would be a traceback.
    """
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        with _without_interrupts():
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes started here are not interrupted by Ctrl-C; this one is, but not before the end."""
    if hasattr(signal, "pthread_sigmask"):  # what is started inherits it, and what comes meanwhile is kept
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    else:
        yield
