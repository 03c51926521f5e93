"""Speeds of the solver: on the case files, beside HiGHS and beside plain C, and on the turns of games."""

from collections.abc import Iterator, Sequence
from operator import eq
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rummikub_env import solver
from rummikub_env.bench import reference
from rummikub_env.bench.amounts import Amounts
from rummikub_env.bench.clock import latency, timed
from rummikub_env.bench.positions import FREE_JOKERS, Answer, BestPlay, Moment, Playable, best_plays, games, playables
from rummikub_env.bench.report import Count, Ratio, Row, Skipped
from rummikub_env.objectives import weights
from rummikub_env.tiles import Counts

_ONES = np.ones(FREE_JOKERS.tiles.kinds, np.int64)
"""Weights for as many tiles as can be."""


def cases(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """Best plays and masks whose answers are known, free jokers."""
    positions, masks = best_plays(folder), playables(folder)
    best, most = timed("best play", _most_tiles, positions)
    yield from (best, _right("best play: optimal", most, [case.most for case in positions]))
    first, openings = timed("best first play", _opening, positions)
    yield from (first, _right("best first play: optimal", openings, [case.opening for case in positions]))
    exact, found = timed("exact mask", _mask, masks)
    yield from (exact, _right("exact mask: right", found, [case.answer for case in masks]))


def highs(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """The same best plays by HiGHS, as an integer programme."""
    positions = best_plays(folder)[:: amounts.every]
    try:
        from rummikub_env.bench.programme import best_weight  # here, because SciPy may be missing
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        yield Skipped("HiGHS", f"it needs {package}, which is not installed: pip install -e '.[bench]'")
        return

    def solve(case: BestPlay) -> int:
        rules, table, rack, _ = case.turn
        return best_weight(rules, table, rack, _ONES) or 0

    solve(positions[0])  # makes what depends on the rules alone
    ours, most = timed("best play", _most_tiles, positions)
    theirs, also_most = timed("HiGHS", solve, positions)  # not by turns: it would drive the solver from the cache
    yield from (ours, theirs, Ratio.of("HiGHS to ours", theirs, ours), _right("the same optimum", most, also_most))


def c_reference(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """The same masks by the same algorithm written in C."""
    positions = playables(folder)[:: amounts.every]
    try:
        playable = reference.built()
    except reference.NotBuiltError as error:
        yield Skipped("C", str(error))
        return

    def ask(case: Playable) -> Answer:
        return _bits(playable(case.table, case.rack))

    ours, found = timed("exact mask", _mask, positions)
    theirs, also_found = timed("C", ask, positions)
    yield from (ours, theirs, Ratio.of("ours to C", ours, theirs), _right("the same mask", found, also_found))


def turns(amounts: Amounts, folder: Path) -> Iterator[Row]:
    """The turns of random and of greedy games under sabra, two and four players."""
    played = {players: games(players, amounts.games) for players in (2, 4)}
    moments = [moment for of_players in played.values() for moment in of_players]
    later, first = ([m for m in moments if m.turn.opened is opened] for opened in (True, False))
    yield latency("exact mask", _turn_mask, moments)
    yield latency("exact mask, first plays", _turn_mask, first)
    yield latency("exact mask, a tile is laid", _mask_within, [m for m in moments if m.best is not None])
    yield latency("best play, later plays", _best_play, later)
    yield latency("best play, first plays", _best_play, first)
    for players, of_players in played.items():
        row, plays = timed(f"all plays, {players} players", _plays, of_players)
        yield from (row, Count(f"{row.name}: cut short", sum(not found.complete for found in plays), len(plays)))
    yield latency("arrange the best play", _arrange, [m for m in moments if m.best is not None])


# Questions


def _tiles(play: Counts | None) -> int | None:
    return None if play is None else int(play.sum())


def _most_tiles(case: BestPlay) -> int:
    return _tiles(solver.best_play(*case.turn, _ONES)) or 0


def _opening(case: BestPlay) -> int | None:
    return _tiles(solver.best_play(*case.turn._replace(opened=False), _ONES))


def _mask(case: Playable) -> Answer:
    return _bits(solver.playable_counts(FREE_JOKERS, case.table, case.rack))


def _bits(answer: tuple[NDArray[np.bool_], bool]) -> Answer:
    mask, can_complete = answer
    return mask.tobytes(), can_complete


def _right(name: str, found: Sequence[object], expected: Sequence[object]) -> Count:
    return Count(name, sum(map(eq, found, expected)), len(expected))


def _turn_mask(moment: Moment) -> object:
    return solver.playable(*moment.turn)


def _mask_within(moment: Moment) -> object:
    assert moment.best is not None
    spelled = np.zeros_like(moment.best)
    spelled[moment.best.argmax()] = 1
    return solver.playable(*moment.turn, spelled)


def _best_play(moment: Moment) -> object:
    return solver.best_play(*moment.turn, weights(moment.turn.rules, "tiles"))


def _plays(moment: Moment) -> solver.Plays:
    return solver.plays(*moment.turn)


def _arrange(moment: Moment) -> object:
    rules, table, _, opened = moment.turn
    assert moment.best is not None
    return solver.arrange(rules, table, moment.best, opened)
