"""Compiled sweeps on plain arrays, compiled once and cached; ``NUMBA_DISABLE_JIT=1`` runs them as Python."""

from pathlib import Path

from rummikub_env.kernels.compiling import caches, stale

for _index in stale(Path(__file__).parent, caches(Path(__file__).parent)):
    _index.unlink(missing_ok=True)
