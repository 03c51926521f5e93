"""The reference in C (``benchmarks/sweep.c``): built for this processor in a temporary folder, called with ctypes."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rummikub_env.tiles import Counts

SOURCE = Path(__file__).parents[2] / "benchmarks" / "sweep.c"
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class NotBuiltError(Exception):
    """Why there is no reference, in a sentence."""


def built() -> Callable[[Counts, Counts], tuple[NDArray[np.bool_], bool]]:
    """The reference: it answers what `solver.playable_counts` does, for the standard tiles."""
    if not SOURCE.exists():
        raise NotBuiltError("its source is not at hand: it is only in a checkout, in benchmarks/")
    compiler = next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    if compiler is None:
        raise NotBuiltError("there is no C compiler: neither cc nor gcc nor clang is found")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sweep.so"
        done = subprocess.run([compiler, *FLAGS, "-o", path, SOURCE], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotBuiltError(f"{compiler} cannot build it: {done.stderr.strip().splitlines()[-1]}")
        library = ctypes.CDLL(str(path))  # stays loaded when its file is gone
    library.make_tables()
    library.playable.argtypes = [ctypes.c_char_p] * 3

    def playable(table: Counts, rack: Counts) -> tuple[NDArray[np.bool_], bool]:
        mask = ctypes.create_string_buffer(len(table))
        can_complete = bool(library.playable(table.tobytes(), rack.tobytes(), mask))
        return np.frombuffer(mask.raw, np.bool_), can_complete

    return playable
