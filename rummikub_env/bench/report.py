"""What was measured: rows, each a line of a table and an entry of a JSON file."""

import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np

_UNITS = {"us": 1e6, "ms": 1e3}
_NAME = 44
"""The width of the column of names."""


@dataclass(frozen=True)
class Latency:
    """How long something takes, in `unit`: time of computing, so that other processes do not count."""

    heading: ClassVar[str] = f"{'':{_NAME}}{'n':>8}{'median':>11}{'mean':>11}{'p99':>11}{'max':>11}{'clock mean':>12}"

    name: str
    unit: str
    """us or ms."""
    count: int
    """How often it was measured."""
    median: float
    mean: float
    p99: float
    max: float
    clock_mean: float
    """On the clock: more than the mean where other processes had their turn meanwhile."""

    @staticmethod
    def of(name: str, unit: str, seconds: Sequence[float], clock: float) -> "Latency":
        """The figures of some measured times, of which there must be one at least, in all `clock` on the clock."""
        times, scale = np.array(seconds) * _UNITS[unit], _UNITS[unit] / len(seconds)
        median, p99 = np.quantile(times, [0.5, 0.99]).tolist()
        return Latency(name, unit, len(seconds), median, float(times.mean()), p99, float(times.max()), clock * scale)

    def line(self) -> str:
        """The row of the table."""
        figures = "".join(f"{figure:11,.1f}" for figure in (self.median, self.mean, self.p99, self.max))
        return f"{self.name:{_NAME}}{self.count:8,}{figures}{self.clock_mean:12,.1f} {self.unit}"


@dataclass(frozen=True)
class Rate:
    """How much is done in a second."""

    heading: ClassVar[str] = f"{'':{_NAME}}{'n':>8}{'a CPU second':>22}{'a second':>22}"

    name: str
    what: str
    """What is counted: decisions, turns, games."""
    count: int
    per_cpu_second: float
    """Per second that the process was computing."""
    per_second: float
    """Per second on the clock."""

    def line(self) -> str:
        """The row of the table."""
        return f"{self.name:{_NAME}}{self.count:8,}{self.per_cpu_second:22,.0f}{self.per_second:22,.0f} {self.what}"


@dataclass(frozen=True)
class Ratio:
    """How many times longer the first of two things takes, by medians and by means."""

    heading: ClassVar[str] = ""

    name: str
    median: float
    mean: float

    @staticmethod
    def of(name: str, one: Latency, other: Latency) -> "Ratio":
        """The ratio of two latencies in the same unit."""
        return Ratio(name, one.median / other.median, one.mean / other.mean)

    def line(self) -> str:
        """The row of the table."""
        return f"{self.name:{_NAME}}{'':8}{self.median:11,.2f}{self.mean:11,.2f} times"


@dataclass(frozen=True)
class Count:
    """How many of several things are so."""

    heading: ClassVar[str] = ""

    name: str
    count: int
    of: int

    def line(self) -> str:
        """The row of the table."""
        return f"{self.name:{_NAME}}{self.count:8,} of {self.of:,}"


@dataclass(frozen=True)
class Share:
    """What a part of a decision takes."""

    heading: ClassVar[str] = f"{'':{_NAME}}{'us':>8}{'share':>11}"

    name: str
    microseconds: float
    share: float
    """Of the whole decision."""

    def line(self) -> str:
        """The row of the table."""
        return f"{self.name:{_NAME}}{self.microseconds:8,.1f}{self.share:11.0%}"


@dataclass(frozen=True)
class Curve:
    """How something grows."""

    heading: ClassVar[str] = f"{'':{_NAME}}{'first':>11}{'last':>11}{'':6}steepest step"

    name: str
    against: str
    """What `x` says."""
    unit: str
    x: tuple[int, ...]
    mean: tuple[float, ...]
    worst: tuple[float, ...]
    """The 99th percentile; as `mean` where each point is one figure."""

    @property
    def steepest(self) -> tuple[float, int, int]:
        """The greatest factor between the means of neighbours, and which they are."""
        steps = zip(self.mean, self.mean[1:], self.x, self.x[1:], strict=False)
        return max(((after / before, a, b) for before, after, a, b in steps), default=(1.0, self.x[0], self.x[0]))

    def line(self) -> str:
        """The row of the table."""
        factor, a, b = self.steepest
        name = f"{self.name}; {self.x[0]:,} to {self.x[-1]:,} {self.against}"
        steepest = f"x{factor:.1f} from {a:,} to {b:,}" + ", a cliff" * (factor >= CLIFF)
        return f"{name:{_NAME}}{self.mean[0]:11,.1f}{self.mean[-1]:11,.1f} {self.unit:4} {steepest}"


@dataclass(frozen=True)
class Skipped:
    """What could not be measured."""

    heading: ClassVar[str] = ""

    name: str
    why: str

    def line(self) -> str:
        """The row of the table."""
        return f"{self.name}: skipped, {self.why}"


CLIFF = 5
"""From how many times more on a step of a curve is called a cliff."""


Row = Latency | Rate | Ratio | Count | Share | Curve | Skipped


@dataclass(frozen=True)
class Report:
    """All figures of one run."""

    machine: Mapping[str, str | int]
    quick: bool
    parts: dict[str, list[Row]]
    """The rows of each part."""

    def head(self) -> str:
        """The facts about the machine, a line each."""
        return "\n".join(f"{name:12} {fact}" for name, fact in self.machine.items())

    def told(self, part: str, rows: Iterable[Row]) -> Iterator[str]:
        """Add the rows of a part as they come; the lines of the table, with a heading where the columns change."""
        kept = self.parts.setdefault(part, [])
        heading = ""
        for row in rows:
            kept.append(row)
            if row.heading not in ("", heading):
                heading = row.heading
                yield heading
            yield row.line()

    def json(self) -> str:
        """The report as the text of a JSON file; each row says of what kind it is."""
        parts = {
            part: [{"kind": type(row).__name__.lower(), **asdict(row)} for row in rows]
            for part, rows in self.parts.items()
        }
        return json.dumps({"machine": dict(self.machine), "quick": self.quick, "parts": parts}, indent=1) + "\n"


def machine() -> dict[str, str | int]:
    """What the figures depend on."""
    cores = os.cpu_count() or 1
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": cores,
        "load": f"{os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else "unknown",
        "threads": int(os.environ.get("NUMBA_NUM_THREADS", cores)),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "gymnasium", "pettingzoo")},
    }


def _processor() -> str:
    """The name of the processor, as Linux tells it or else as Python does."""
    facts = Path("/proc/cpuinfo")
    for line in facts.read_text().splitlines() if facts.exists() else ():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or "unknown"
