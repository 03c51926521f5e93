"""How kernels are compiled: without counting what need not be counted, and anew when what they call has changed."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from numba import njit

leaf = njit(cache=True, _nrt=False)  # type: ignore[call-overload]  # no name that numba promises to keep
"""For functions that make no array, return none, and call none that does.

Numba counts the references to each array in each function that takes one, with atomic operations: a quarter of the time
of a random decision, before. Where no array is made there is nothing to count.
"""

inlined = njit(cache=True, _nrt=False, inline="always")  # type: ignore[call-overload]
"""A leaf that is written into its caller: a call copies each array that it hands over, seven numbers and more."""


@leaf
def _nothing() -> int:
    return 0


def cache_folder() -> Path | None:
    """Where numba keeps the compiled kernels; None where it compiles nothing."""
    stats = getattr(_nothing, "stats", None)
    return Path(stats.cache_path) if stats and stats.cache_path else None


def forget_other_code(sources: Path, cache: Path) -> None:
    """Remove from a folder of compiled code what was made of other sources than those in `sources`.

    Numba compares the source of a function's own module only, and would go on with the old code of those that it calls.
    What others remove at the same time, or may not be written, is left alone.
    """
    texts = (f"{path.name}\n{path.read_text('utf-8')}" for path in sorted(sources.glob("*.py")))
    digest, mark = sha256("\0".join(texts).encode()).hexdigest(), cache / "sources.sha256"
    with suppress(OSError):
        if mark.exists() and mark.read_text("utf-8") == digest:
            return
        for index in cache.glob("*.nbi"):
            with suppress(OSError):
                index.unlink()
        cache.mkdir(parents=True, exist_ok=True)
        mark.write_text(digest, "utf-8")
