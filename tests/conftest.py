"""What holds for all tests: one thread a process, and compiled code that no two processes write at once."""

import os
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1")
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    # numba's cache takes the code of one signature for another's when two processes fill it together
    os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parent.parent / ".cache" / "numba" / worker)
