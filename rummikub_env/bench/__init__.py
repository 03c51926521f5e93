"""Speeds of this project on this machine: ``rummikub bench``.

Positions and games are seeded, so that two runs time the same questions; only public functions are timed. All of it
runs once before the clock starts: what is measured is compiled.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rummikub_env.bench.amounts import FULL, QUICK, Amounts
from rummikub_env.bench.growing import draw as draw
from rummikub_env.bench.growing import growth
from rummikub_env.bench.playing import clones, env_loops, greedy_games, vector_loops
from rummikub_env.bench.profiling import profile
from rummikub_env.bench.report import Row, Skipped
from rummikub_env.bench.solving import c_reference, cases, highs, turns
from rummikub_env.bench.starting import starts

CASES = Path(__file__).parents[2] / "tests" / "cases"
"""Where the case files lie in a checkout."""


class Part(NamedTuple):
    """A part of the benchmark."""

    measure: Callable[[Amounts, Path], Iterator[Row]]
    needs_cases: bool = False

    @property
    def title(self) -> str:
        """What is measured, in a line."""
        assert self.measure.__doc__ is not None
        return self.measure.__doc__


PARTS: Mapping[str, Part] = {
    "cases": Part(cases, needs_cases=True),
    "highs": Part(highs, needs_cases=True),
    "c": Part(c_reference, needs_cases=True),
    "turns": Part(turns),
    "env": Part(env_loops),
    "vector": Part(vector_loops),
    "games": Part(greedy_games),
    "clone": Part(clones),
    "start": Part(starts),
    "profile": Part(profile),
    "growth": Part(growth),
}


def chosen(only: Sequence[str] | None = None, growth: bool = False) -> list[str]:
    """The parts to measure: those of `only` (None: all but growth), and growth if asked for. ValueError for others."""
    unknown = [name for name in only or () if name not in PARTS]
    if unknown:
        raise ValueError(f"there is no part {unknown[0]!r}; there are: {', '.join(PARTS)}")
    return [name for name in PARTS if (name == "growth" and growth) or name in (only or PARTS.keys() - {"growth"})]


def measure(part: str, quick: bool = False, folder: Path = CASES) -> Iterator[Row]:
    """The rows of a part as they are measured. `folder`: of the case files."""
    ask, needs_cases = PARTS[part]
    if needs_cases and not folder.is_dir():
        return iter([Skipped(part, f"the case files are not at hand: there is no folder {folder}")])
    return ask(QUICK if quick else FULL, folder)
