"""The log of a run: one JSON object an update in log.jsonl, and the same figures for TensorBoard."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from torch.utils.tensorboard.writer import SummaryWriter

from agents.files import write_whole

FILE = "log.jsonl"


class Log(AbstractContextManager["Log"]):
    """Writes the log in the folder `run`, from the update after `updates` on.

    What a killed run logged after its last checkpoint is dropped: it is about to be played again.
    """

    def __init__(self, run: Path, updates: int) -> None:
        kept = [line for line in read_log(run) if line["updates"] <= updates]
        write_whole(run / FILE, "".join(json.dumps(line) + "\n" for line in kept).encode())
        self._file = (run / FILE).open("a", buffering=1)
        self._scalars = SummaryWriter(str(run / "tensorboard"), purge_step=updates + 1)

    def write(self, count: Mapping[str, int], figures: Mapping[str, float]) -> None:
        """Add the line of one update; `count` is what the run has made so far."""
        self._file.write(json.dumps({**count, **figures}) + "\n")
        for name, figure in figures.items():
            self._scalars.add_scalar(name, figure, count["updates"])

    def __exit__(self, *exception: object) -> None:
        self._file.close()
        self._scalars.close()


def read_log(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's log, [] when there is none; from a line on that a kill cut off, all are left out."""
    lines: list[dict[str, Any]] = []
    if (run / FILE).is_file():
        for text in (run / FILE).read_bytes().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                break
            if not (
                isinstance(line, dict) and all(isinstance(line.get(name), int) for name in ("updates", "decisions"))
            ):
                break
            lines.append(line)
    return lines
