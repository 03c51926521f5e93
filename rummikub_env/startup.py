"""How the programs begin and fail: a missing package, Ctrl-C and mistakes get one sentence, never a traceback.

Nothing but the standard library is imported here, since it must work when nothing else is installed.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def imports(program: str) -> Iterator[None]:
    """Surround the imports of `program`: a missing package ends it with code 1, Ctrl-C with 130.

    Where one program imports another, it is the outer one that is told to have ended.
    """
    _beginning.append(program)
    try:
        yield
    except ModuleNotFoundError as error:
        sys.exit(f"{_beginning[0]} {missing(error)}")
    except KeyboardInterrupt:
        print(f"{_beginning[0]}: stopped", file=sys.stderr)
        sys.exit(130)
    finally:
        _beginning.pop()


_beginning: list[str] = []
"""The programs whose imports are going on, the outer one first."""


def missing(error: ModuleNotFoundError) -> str:
    """``needs torch, which is ...``: the missing package, and how to get it."""
    package = (error.name or str(error)).partition(".")[0]
    return (
        f"needs {package}, which is not installed in this Python: use .venv/bin/python, which make train sets up, "
        "or pip install -e '.[train]'"
    )


def told(error: Exception) -> str:
    """The error in one line."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
