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
    main = threading.current_thread() is threading.main_thread()  # no other may change handlers
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
