"""How kernels are compiled: without counting what need not be counted, and anew when what they call has changed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from numba import njit

leaf = njit(cache=True, _nrt=False)  # type: ignore[call-overload]  # no name that numba promises to keep
"""For functions that make no array and call none that does.

Numba counts the references to each array in each function that takes one, with atomic operations: a fifth of the time
of small functions that are called thousands of times. Where no array is made there is nothing to count.
"""


def caches(sources: Path) -> list[Path]:
    """The folders where numba keeps the code of the modules in a folder."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return [sources / "__pycache__", *(sorted(Path(chosen).glob(f"{sources.name}_*")) if chosen else ())]


def stale(sources: Path, folders: list[Path]) -> Iterator[Path]:
    """The indexes of code that is older than a module whose functions are compiled into it.

    Numba looks at the date of a function's own module only, and would go on with the old code of those that it calls.
    """
    needed = {path.stem: {path.stem, *_imported(path)} for path in sources.glob("*.py")}
    for _ in needed:  # what is needed by what is needed, at last
        needed = {name: names.union(*(needed[other] for other in names)) for name, names in needed.items()}
    dates = {name: max((sources / f"{other}.py").stat().st_mtime for other in needed[name]) for name in needed}
    for folder in folders:
        for index in folder.glob("*.nbi"):
            module = index.name.partition(".")[0]
            if module in dates and index.stat().st_mtime < dates[module]:
                yield index


def _imported(path: Path) -> list[str]:
    """The modules of the same package from which a module imports, by name."""
    return re.findall(r"^from rummikub_env\.kernels\.(\w+) import", path.read_text("utf-8"), re.MULTILINE)
