"""Compiled sweeps on plain arrays, compiled once and cached; ``NUMBA_DISABLE_JIT=1`` runs them as Python."""

from pathlib import Path

from rummikub_env.kernels.compiling import cache_folder, forget_other_code

if (_cache := cache_folder()) is not None:
    forget_other_code(Path(__file__).parent, _cache)
