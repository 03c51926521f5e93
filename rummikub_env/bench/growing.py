"""How times grow: with the table, the rack, the jokers, the tables of a vector env, and threads."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rummikub_env import solver
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import latency
from rummikub_env.bench.playing import vector_rates
from rummikub_env.bench.positions import RULES, SEED, Turn, made
from rummikub_env.bench.report import Curve, Row
from rummikub_env.rules import RuleSet, rules_of

FOUR_JOKERS = rules_of(RULES, {"joker_release": "free", "joker_count": 4})
"""Rules under which the jokers of a rack are all free."""

TABLES = (1, 4, 16, 64, 256, 1024)
"""Tables of the vector env."""
MANY = 256
"""Tables of the vector env whose threads are counted."""


def growth(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """How times grow, positions made at random: mean and 99th percentile."""

    def turns(rules: RuleSet, on_table: int, on_rack: int, jokers: int = 0) -> list[Turn]:
        rng = np.random.default_rng((SEED, on_table, on_rack, jokers))
        return [made(rules, rng, on_table, on_rack, jokers) for _ in range(amounts.points)]

    on_table, on_rack, jokers = range(0, 91, 10), (2, 5, 10, 15, 20, 30, 40, 50, 60), range(5)
    for name, ask in QUESTIONS.items():
        yield _curve(name, "tiles on the table", on_table, ask, [turns(RULES, n, 14) for n in on_table])
    for name, ask in QUESTIONS.items():
        yield _curve(name, "tiles on the rack", on_rack, ask, [turns(RULES, 40, n) for n in on_rack])
    for name, ask in QUESTIONS.items():
        yield _curve(name, "free jokers on the rack", jokers, ask, [turns(FOUR_JOKERS, 30, 14, n) for n in jokers])
    yield _tables(amounts)
    yield _threads(amounts)


def _best_play(turn: Turn) -> object:
    return solver.best_play(*turn, np.ones(turn.rules.tiles.kinds, np.int64))


QUESTIONS: dict[str, Callable[[Turn], object]] = {
    "exact mask": lambda turn: solver.playable(*turn),
    "best play": _best_play,
}


def _curve(
    name: str, against: str, x: Sequence[int], ask: Callable[[Turn], object], points: Sequence[Sequence[Turn]]
) -> Curve:
    found = [latency(name, ask, turns) for turns in points]
    return Curve(name, against, "us", tuple(x), tuple(row.mean for row in found), tuple(row.p99 for row in found))


def _tables(amounts: Amounts) -> Curve:
    """What a decision takes, in time of computing."""
    rates = [vector_rates(n, amounts.seconds / 2, amounts.games)[0] for n in TABLES]
    times = tuple(1e6 / rate.per_cpu_second for rate in rates)
    return Curve("a decision, VectorEnv", "tables", "us", TABLES, times, times)


def _threads(amounts: Amounts) -> Curve:
    """What a decision takes on the clock where the tables are shared out over so many threads."""
    threads = tuple(range(1, (os.cpu_count() or 1) + 1))
    times = tuple(1e6 / vector_rates(MANY, amounts.seconds, amounts.games, n)[0].per_second for n in threads)
    return Curve(f"a decision, {MANY} tables", "threads", "us", threads, times, times)


# The picture


def draw(curves: Sequence[Curve], facts: str, path: Path) -> None:
    """A picture of the curves and the facts; a panel for each thing that they grow with. Needs matplotlib."""
    from matplotlib.figure import Figure  # here, since it takes its time and may be missing

    panels: dict[str, list[Curve]] = {}
    for curve in curves:
        panels.setdefault(curve.against, []).append(curve)
    figure = Figure(figsize=(15, 9), layout="constrained")
    *places, last = figure.subplots(2, 3).flat
    for axes, (against, drawn) in zip(places, panels.items(), strict=True):
        several = any(curve.worst != curve.mean for curve in drawn)
        for colour, curve in enumerate(drawn):
            axes.plot(curve.x, curve.mean, "o-", color=f"C{colour}", label=f"{curve.name}, mean")
            if several:
                axes.plot(curve.x, curve.worst, ":", color=f"C{colour}", label="99th percentile")
        axes.set(xlabel=against, ylabel=drawn[0].unit, yscale="log" if several else "linear")
        if not several:
            axes.set_ylim(0, 1.2 * max(max(curve.mean) for curve in drawn))
            axes.set_xscale("log", base=2)
            axes.set_xticks(drawn[0].x, [f"{x:,}" for x in drawn[0].x])
        else:
            axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(alpha=0.3)
        axes.legend()
    last.axis("off")
    last.text(0, 1, "\n".join([facts, "", *(_steepest(curve) for curve in curves)]), va="top", family="monospace")
    figure.savefig(path, dpi=80)


def _steepest(curve: Curve) -> str:
    factor, a, b = curve.steepest
    return f"{curve.name}: at most x{factor:.1f}, {a:,} to {b:,} {curve.against}"
