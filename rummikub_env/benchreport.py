"""What was measured, as a table and as JSON."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

_UNITS = {"us": 1e6, "ms": 1e3}


@dataclass(frozen=True)
class Latency:
    """How long something takes, in `unit`."""

    name: str
    unit: str
    """us or ms."""
    count: int
    """How often it was measured."""
    median: float
    mean: float
    p99: float
    max: float

    @staticmethod
    def of(name: str, unit: str, seconds: Sequence[float]) -> "Latency":
        """The figures of some measured times, of which there must be one at least."""
        times = np.array(seconds) * _UNITS[unit]
        median, p99 = np.quantile(times, [0.5, 0.99]).tolist()
        return Latency(name, unit, len(seconds), median, float(times.mean()), p99, float(times.max()))


@dataclass(frozen=True)
class Rate:
    """How many decisions an environment takes in a second."""

    name: str
    decisions: int
    per_cpu_second: float
    """Per second that the process was computing."""
    per_second: float
    """Per second on the clock."""

    @staticmethod
    def of(name: str, decisions: int, cpu: float, wall: float) -> "Rate":
        """The rates of `decisions` that took so many seconds."""
        return Rate(name, decisions, decisions / cpu, decisions / wall)


@dataclass(frozen=True)
class Report:
    """All figures of one run."""

    machine: Mapping[str, str | int]
    quick: bool
    latencies: tuple[Latency, ...]
    rates: tuple[Rate, ...]

    def json(self) -> str:
        """The report as the text of a JSON file."""
        return json.dumps(asdict(self), indent=1) + "\n"

    def table(self) -> str:
        """The report as a person reads it."""
        lines = [f"{name:12} {fact}" for name, fact in self.machine.items()]
        lines += ["", f"{'time':30}{'n':>7}{'median':>10}{'mean':>10}{'p99':>10}{'max':>10}"]
        lines += [
            f"{row.name:30}{row.count:7}"
            + "".join(f"{figure:10,.1f}" for figure in (row.median, row.mean, row.p99, row.max))
            + f" {row.unit}"
            for row in self.latencies
        ]
        lines += ["", f"{'rate':30}{'n':>7}{'a CPU second':>20}{'a second':>20}"]
        lines += [
            f"{row.name:30}{row.decisions:7}{row.per_cpu_second:20,.0f}{row.per_second:20,.0f} decisions"
            for row in self.rates
        ]
        return "\n".join(lines)


def machine() -> dict[str, str | int]:
    """What the figures depend on."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "load": f"{os.getloadavg()[0]:.1f} before the start" if hasattr(os, "getloadavg") else "unknown",
        "threads": 1,
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
