"""Compiled sweeps on plain arrays, compiled once and cached; ``NUMBA_DISABLE_JIT=1`` runs them as Python."""
