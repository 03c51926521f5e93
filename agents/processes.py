"""How processes that play are started."""

import os
import signal
import threading
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
        with _interrupts_wait(), _masked():
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C that comes meanwhile is heard at the end: in the middle it could leave a lock locked."""
    if threading.current_thread() is not threading.main_thread():  # no other hears it, or may change handlers
        yield
        return
    heard: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if heard and callable(handler):
            handler(heard[0], None)


@contextmanager
def _masked() -> Iterator[None]:
    """Processes started here, which inherit it, never hear Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # nor is anything of the kind inherited there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
