"""Two players compared over the same deals with rotated seats.

Rummikub is mostly luck, so a *deal* is played once for each seat of the challenger, the opponent in all
the others, and counts as one sample. Everything random belongs to the deal or to a seat, never to a
player: each seat has its own random numbers and, with ``draws="private"``, its own order of drawing.
Where the rules end a match (`match_end`), a game is a whole match and a deal the deals of all its rounds.
Equal players therefore play a deal the same way each time, and a player against itself scores exactly
1/n, with an interval of width zero.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice, product
from multiprocessing import get_context, parent_process
from typing import NamedTuple

import numpy as np

from agents.evaluation.stats import Interval, mean_interval
from agents.processes import workers_start
from rummikub_env.game import apply
from rummikub_env.match import Match as Rounds
from rummikub_env.player import Player
from rummikub_env.record import Record
from rummikub_env.rules import RuleSet
from rummikub_env.state import Draws, Standing, State, deal, view


@dataclass(frozen=True)
class Match:
    """A challenger against copies of one opponent."""

    challenger: Player
    opponent: Player
    rules: RuleSet
    seats: int = 2
    draws: Draws = "private"
    seed: int = 0


@dataclass(frozen=True)
class GameResult:
    """One game, or a whole match, as the challenger sees it."""

    win: float
    """1 for a win, 1/m for a win shared by m players, else 0."""

    score: int
    """Points."""

    turns: int
    """Turns of all players together."""

    stalemate: float
    """1 if nobody went out, else 0; of a match, the share of such rounds."""

    decisions: tuple[int, int]
    """Turns of the challenger, and of all its opponents."""

    seconds: tuple[float, float] = field(compare=False)
    """Time that these decisions took."""


DealResult = tuple[GameResult, ...]
"""The games of one deal, in the order of the challenger's seat."""


@dataclass(frozen=True)
class Comparison:
    """The result of a match."""

    match: Match
    deals: tuple[DealResult, ...]

    @property
    def games(self) -> int:
        """Games (where the rules end a match: matches) played: deals times seats."""
        return len(self.deals) * self.match.seats

    @property
    def even(self) -> float:
        """The win rate of equal players."""
        return 1 / self.match.seats

    @property
    def win_rate(self) -> Interval:
        """Share of the games that the challenger wins, with its 95% interval over deals."""
        rate = self._per_game(lambda game: game.win)
        return Interval(rate.mean, max(0.0, rate.low), min(1.0, rate.high))

    @property
    def score(self) -> Interval:
        """Points of the challenger a game, with their 95% interval over deals."""
        return self._per_game(lambda game: game.score)

    @property
    def turns(self) -> float:
        """Mean length of a game, in turns of all players together."""
        return self._per_game(lambda game: game.turns).mean

    @property
    def stalemates(self) -> float:
        """Share of the games, or rounds of matches, in which nobody went out."""
        return self._per_game(lambda game: game.stalemate).mean

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Mean time of a turn, for the challenger and for an opponent."""
        return self._milliseconds(0), self._milliseconds(1)

    def _milliseconds(self, side: int) -> float:
        games = [game for results in self.deals for game in results]
        seconds = sum(game.seconds[side] for game in games)
        return 1000 * seconds / max(1, sum(game.decisions[side] for game in games))

    def _per_game(self, figure: Callable[[GameResult], float]) -> Interval:
        sums = mean_interval([sum(figure(game) for game in results) for results in self.deals])
        seats = self.match.seats  # divided last: sums of whole games keep 1/n exact
        return Interval(sums.mean / seats, sums.low / seats, sums.high / seats)


def compare(
    challenger: Player,
    opponent: Player,
    rules: RuleSet,
    *,
    deals: int,
    seed: int = 0,
    seats: int = 2,
    draws: Draws = "private",
    workers: int = 1,
) -> Comparison:
    """Play `deals` deals (2 or more), each once for every seat of the challenger.

    All but the times is the same for any number of `workers` (processes; 1 = this process alone).
    """
    return compare_all([Match(challenger, opponent, rules, seats, draws, seed)], deals, workers)[0]


def compare_all(
    matches: Sequence[Match], deals: int, workers: int = 1, done: Callable[[int], object] = lambda games: None
) -> list[Comparison]:
    """`compare` for several matches by the same workers; `done` is told how many games have just ended.

    With several workers the players are pickled, and the calling script needs its
    ``if __name__ == "__main__":``.
    """
    if deals < 2:
        raise ValueError(f"an interval needs 2 deals or more, not {deals}")
    results: list[DealResult] = []
    for result in _play_all(matches, deals, workers):
        results.append(result)
        done(len(result))
    return [Comparison(match, tuple(results[i * deals : (i + 1) * deals])) for i, match in enumerate(matches)]


def play_deal(match: Match, number: int) -> DealResult:
    """Play deal `number` of the series `match.seed`, once for each seat of the challenger."""
    return tuple(_play_game(match, number, own)[0] for own in range(match.seats))


def record_rounds(match: Match, number: int, own: int) -> tuple[Record, ...]:
    """The game of deal `number` with the challenger in seat `own`, as `play_deal` plays it: a record a round."""
    return _play_game(match, number, own)[1]


def _play_game(match: Match, number: int, own: int) -> tuple[GameResult, tuple[Record, ...]]:
    """Play deal `number` to its end, the challenger in seat `own`; in a match, round after round."""
    root = np.random.SeedSequence(match.seed, spawn_key=(number,))
    tiles, *rngs = map(np.random.default_rng, root.spawn(1 + match.seats))
    several = match.rules.match_limit[0] != "open"
    played = Rounds(match.rules, match.seats, dealer=int(tiles.integers(match.seats)) if several else 0)
    tally, turns = Tally([0.0, 0.0], [0, 0]), 0
    records: list[Record] = []
    while not records or (several and not played.is_over):
        start = played.deal(tiles, match.draws) if several else deal(match.rules, match.seats, tiles, match.draws)
        end, record = _play_round(match, own, start, rngs, played.standing if several else None, tally)
        assert end.outcome is not None
        played, turns = played.add(end.outcome), turns + end.turn
        records.append(record)
    winners = played.winners if several else played.rounds[0].winners
    result = GameResult(
        win=(own in winners) / len(winners),
        score=played.totals[own],
        turns=turns,
        stalemate=sum(outcome.reason == "stalemate" for outcome in played.rounds) / len(records),
        decisions=(tally.decisions[0], tally.decisions[1]),
        seconds=(tally.seconds[0], tally.seconds[1]),
    )
    return result, tuple(records)


class Tally(NamedTuple):
    """What is counted while a game goes on, for the challenger and for its opponents."""

    seconds: list[float]
    decisions: list[int]


def _play_round(
    match: Match,
    own: int,
    start: State,
    rngs: Sequence[np.random.Generator],
    standing: Standing | None,
    tally: Tally,
) -> tuple[State, Record]:
    """Play a round to its end; the time of all decisions is added to `tally`."""
    state, moves = start, []
    while state.outcome is None:
        seat = state.to_move
        side = int(seat != own)
        player = (match.challenger, match.opponent)[side]
        seen = view(state, seat, standing)
        began = time.perf_counter()
        move = player.move(seen, rngs[seat])
        tally.seconds[side] += time.perf_counter() - began
        tally.decisions[side] += 1
        state = apply(state, move)
        moves.append(move)
    names = [match.opponent.name] * match.seats
    names[own] = match.challenger.name
    return state, Record(tuple(names), start, tuple(moves))


def _play_all(matches: Sequence[Match], deals: int, workers: int) -> Iterator[DealResult]:
    """The results of all deals of all matches, in order."""
    tasks = product(range(len(matches)), range(deals))
    if workers == 1:
        yield from (play_deal(matches[index], number) for index, number in tasks)
        return
    # spawn: a fork would copy the locks of PyTorch's and numba's threads as they happen to be
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (tuple(matches),))
    try:
        waiting: deque[Future[list[DealResult]]] = deque()
        while chunk := list(islice(tasks, _CHUNK)):
            with workers_start():  # with each of the first tasks a process starts
                waiting.append(pool.submit(_play_tasks, chunk))
            if len(waiting) > _AHEAD * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


_CHUNK, _AHEAD = 4, 8
"""Deals that a process is sent at once, and how many times as many for each process may wait."""

_worker_matches: Sequence[Match] = ()
"""In a worker process: the matches, sent once and not with each deal."""


def _start_worker(matches: Sequence[Match]) -> None:
    global _worker_matches
    _worker_matches = matches
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent is gone: a killed parent cannot stop it."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _play_tasks(tasks: Sequence[tuple[int, int]]) -> list[DealResult]:
    return [play_deal(_worker_matches[index], number) for index, number in tasks]
