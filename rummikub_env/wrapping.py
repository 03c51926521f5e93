"""Runs where the 1 may follow the highest value: which pieces of a colour lie together in which run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rummikub_env.rules import RuleSet

Laid = tuple[int, ...]
"""The pieces of a run."""


def place_of(rules: RuleSet, value: int) -> int:
    """Where a value stands in the order of runs, both from 0; a high ace stands last."""
    return (value - (rules.run_wrap == "ace_high")) % rules.max_value


def value_at(rules: RuleSet, place: int) -> int:
    """The inverse of `place_of`."""
    return (place + (rules.run_wrap == "ace_high")) % rules.max_value


@dataclass(eq=False)
class _Run:
    """A run that is being laid."""

    claims: int = 0
    """How many pieces, 3 for more, are to come before its first one, from beyond the first value."""
    pieces: list[int] = field(default_factory=list)

    @property
    def length(self) -> int:
        """The number of its pieces, 3 for more."""
        return min(3, self.claims + len(self.pieces))


def wrapped_runs(rules: RuleSet, pieces: Sequence[Sequence[int]]) -> list[Laid]:
    """The pieces of a colour as runs, given those of each value; a run may be longer than allowed.

    Of all ways one with few runs that go on past the last value.
    """
    pieces = [*pieces[1:], pieces[0]] if rules.run_wrap == "ace_high" else pieces
    for guess in _guesses(rules, len(pieces[0]), len(pieces[-1])):
        laid = _laid(pieces, [_Run(claims) for claims in guess], rules.run_wrap == "circular")
        if laid is not None:
            return laid
    raise AssertionError("what the sweep lays in runs can be laid in runs")


def _guesses(rules: RuleSet, first: int, last: int) -> Iterator[tuple[int, ...]]:
    """What the runs may claim that come from beyond the first value, ascending; the fewest runs first."""
    for number in range(min(first, last) + 1 if rules.run_wrap in ("ace_both", "circular") else 1):
        if rules.run_wrap == "ace_both":
            yield (2,) * number
            continue
        for short in range(number + 1):
            for one in range(short + 1):
                yield (1,) * one + (2,) * (short - one) + (3,) * (number - short)


def _laid(pieces: Sequence[Sequence[int]], guessed: list[_Run], go_on: bool) -> list[Laid] | None:
    """The runs of a colour if `guessed` come from beyond the first value and, perhaps, go on there; None if wrong."""
    runs = [*guessed, *(_Run() for _ in pieces[0][len(guessed) :])]
    for run, piece in zip(runs, pieces[0], strict=True):
        run.pieces.append(piece)
    still = runs if go_on else runs[len(guessed) :]
    for here in pieces[1:]:
        still = sorted(still, key=lambda run: run.length)
        if any(run.length < 3 for run in still[len(here) :]):
            return None
        new = [_Run() for _ in here[len(still) :]]
        runs += new
        still = [*still[: len(here)], *new]
        for run, piece in zip(still, here, strict=True):
            run.pieces.append(piece)
    still = sorted(still, key=lambda run: run.length)
    ends, others = still[: len(guessed)], still[len(guessed) :]
    if len(ends) < len(guessed) or any(run.length < 3 for run in others):
        return None
    if any(end.length < run.claims for end, run in zip(ends, guessed, strict=True)):
        return None
    return _joined(runs, dict(zip(ends, guessed, strict=True)))


def _joined(runs: list[_Run], follows: dict[_Run, _Run]) -> list[Laid]:
    """The runs as they lie when each of some goes on in another; where they go round, from the first value on."""
    come = set(follows.values())
    laid: list[Laid] = []
    seen: set[_Run] = set()
    for start in [*(run for run in runs if run not in come), *runs]:
        at: _Run | None = start
        whole: list[int] = []
        while at is not None and at not in seen:
            seen.add(at)
            whole += at.pieces
            at = follows.get(at)
        if whole:
            laid.append(tuple(whole))
    return laid


def fitting(rules: RuleSet, run: Laid) -> Iterator[Laid]:
    """A run, cut where it is too long; one of all values as it is written."""
    most, tiles = min(rules.max_run_length, rules.max_value), rules.tiles
    while len(run) > most:
        length = min(most, len(run) - 3)
        yield from fitting(rules, run[:length])
        run = run[length:]
    if len(run) == rules.max_value and rules.run_wrap in ("ace_both", "circular"):
        values = [tiles.value(kind) for piece in run if (kind := tiles.stands_for(piece)) is not None]
        start = values.index(1)
        run = run[start:] + run[:start]
    yield run
