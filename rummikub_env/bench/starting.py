"""How long a fresh process takes until it is there."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.report import Latency, Row

STARTS: Mapping[str, str] = {
    "import the game": "from rummikub_env import State",
    "import rummikub_v0": "from rummikub_env import rummikub_v0",
    "import, reset, first mask": (
        "from rummikub_env import rummikub_v0; env = rummikub_v0.env(); env.reset(seed=0); env.last()"
    ),
}
"""What a fresh process does first; PyTorch is never among it."""


def starts(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """First things in a process of their own, Python's own start not included; compiled code is in its cache."""
    for name, code in STARTS.items():
        wall, cpu = zip(*[_seconds(code) for _ in range(amounts.starts + 1)][1:], strict=True)
        yield Latency.of(name, "ms", cpu, sum(wall))


def _seconds(code: str) -> tuple[float, float]:
    """On the clock, and of computing."""
    program = (
        f"import sys, time; wall, cpu = time.perf_counter(), time.process_time(); {code}; "
        "print(time.perf_counter() - wall, time.process_time() - cpu); assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu
