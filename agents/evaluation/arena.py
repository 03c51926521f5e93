"""Two players compared over the same deals with rotated seats.

Rummikub is mostly luck, so a *deal* is played in several line-ups and counts as one sample: once for each seat of the
challenger, the opponent in all the others, or (`Match.mixed`) in all ways to fill the seats with both. Everything
random belongs to the deal or to a seat, never to a player: each seat has its own random numbers and, with
``draws="private"``, its own order of drawing. Where the rules end a match (`match_end`), a game is a whole match and a
deal the deals of all its rounds. Equal players therefore play a deal the same way each time, and a player against
itself scores exactly 1/n, with an interval of width zero.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing import get_context, parent_process
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from agents.evaluation.lineups import Lineup, alone, mixed
from agents.evaluation.sequential import Side, decision, lasting_interval
from agents.evaluation.stats import Interval, mean_interval
from agents.oracle import asked
from agents.processes import workers_start
from rummikub_env.game import apply
from rummikub_env.match import Match as Rounds
from rummikub_env.player import Player
from rummikub_env.record import Record
from rummikub_env.rules import RuleSet
from rummikub_env.state import Draws, History, Standing, State, deal, remember, view


@dataclass(frozen=True)
class Match:
    """A challenger and an opponent, and copies of them where there are more seats."""

    challenger: Player
    opponent: Player
    rules: RuleSet
    seats: int = 2
    draws: Draws = "private"
    seed: int = 0
    mixed: bool = False
    """Play all line-ups of both players? Else the challenger sits alone among copies of the opponent."""

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        """The line-ups in which a deal is played."""
        return mixed(self.seats) if self.mixed else alone(self.seats)


@dataclass(frozen=True)
class GameResult:
    """One game, or a whole match, as the challenger sees it; its seats together, where it has several."""

    win: float
    """1 for a win, 1/m for a win shared by m seats, else 0."""

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
"""The games of one deal, in the order of the line-ups."""

Task = tuple[int, int]
"""The place of a match and the number of a deal."""


@dataclass(frozen=True)
class Comparison:
    """The result of a match."""

    match: Match
    deals: tuple[DealResult, ...]
    error: float = 0
    """If not 0, the games were to end when this chance of a wrong answer allowed one (`sequential`)."""

    @property
    def games(self) -> int:
        """Games (where the rules end a match: matches) played: deals times line-ups."""
        return len(self.deals) * len(self.match.lineups)

    @property
    def even(self) -> float:
        """The win rate of equal players."""
        return 1 / self.match.seats

    @property
    def held(self) -> int:
        """Seats of the challenger in the games of a deal."""
        return sum(map(sum, self.match.lineups))

    @property
    def win_rate(self) -> Interval:
        """Games won by a seat of the challenger, as a share of those it plays, with its interval over deals.

        Of 95%; where the games could end early, one that holds whenever they do, of 1 - `error`.
        """
        if self.error:
            return lasting_interval(self.rates, self.error)
        rate = self._over_deals(lambda game: game.win, self.held)
        return Interval(rate.mean, max(0.0, rate.low), min(1.0, rate.high))

    @property
    def share(self) -> Interval:
        """Share of the games that one of the challenger's seats wins, with its 95% interval over deals."""
        share = self._over_deals(lambda game: game.win, len(self.match.lineups))
        return Interval(share.mean, max(0.0, share.low), min(1.0, share.high))

    @property
    def score(self) -> Interval:
        """Points of a seat of the challenger a game, with their 95% interval over deals."""
        return self._over_deals(lambda game: game.score, self.held)

    @property
    def turns(self) -> float:
        """Mean length of a game, in turns of all players together."""
        return self._over_deals(lambda game: game.turns, len(self.match.lineups)).mean

    @property
    def stalemates(self) -> float:
        """Share of the games, or rounds of matches, in which nobody went out."""
        return self._over_deals(lambda game: game.stalemate, len(self.match.lineups)).mean

    @property
    def rates(self) -> list[float]:
        """The win rate of each deal, in their order: what `sequential` looks at."""
        return [sum(game.win for game in results) / self.held for results in self.deals]

    @property
    def decision(self) -> tuple[int, Side] | None:
        """After how many deals it was decided who is stronger, and that; None: it is not, or was not to be."""
        return decision(self.rates, self.even, self.error) if self.error else None

    @property
    def milliseconds(self) -> tuple[float, float]:
        """Mean time of a turn, for the challenger and for an opponent."""
        return self._milliseconds(0), self._milliseconds(1)

    def _milliseconds(self, side: int) -> float:
        games = [game for results in self.deals for game in results]
        seconds = sum(game.seconds[side] for game in games)
        return 1000 * seconds / max(1, sum(game.decisions[side] for game in games))

    def _over_deals(self, figure: Callable[[GameResult], float], parts: int) -> Interval:
        sums = mean_interval([sum(figure(game) for game in results) for results in self.deals])
        return Interval(sums.mean / parts, sums.low / parts, sums.high / parts)  # divided last: keeps 1/n exact


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
    matches: Sequence[Match],
    deals: int,
    workers: int = 1,
    done: Callable[[int], object] = lambda games: None,
    *,
    error: float = 0,
    kept: Mapping[int, Sequence[DealResult]] = MappingProxyType({}),
    keep: Callable[[int, DealResult], object] = lambda row, games: None,
) -> list[Comparison]:
    """`compare` for several matches by the same workers; `done` is told how many games have just ended.

    error: end a match after the deal that decides it (`sequential`) with this chance to be wrong; 0: play all.
    kept: for each match, by its place, the first deals if they are known; `keep` is given each other one in its order.
    With several workers the players are pickled, and the calling script needs its ``if __name__ == "__main__":``.
    """
    if deals < 2:
        raise ValueError(f"an interval needs 2 deals or more, not {deals}")
    rows = [Comparison(match, (), error) for match in matches]
    decided: set[int] = set()

    def add(row: int, results: Sequence[DealResult]) -> None:
        rows[row] = replace(rows[row], deals=(*rows[row].deals, *results))
        end = rows[row].decision
        if end is not None:
            rows[row] = replace(rows[row], deals=rows[row].deals[: max(2, end[0])])
            decided.add(row)
        done(sum(map(len, results)))

    for row, results in kept.items():
        add(row, results[:deals])
    for (row, _), games in _play_all(matches, _left(rows, decided, deals), workers):
        if row not in decided:  # what was under way when it was decided does not count
            keep(row, games)
            add(row, [games])
    return rows


def _left(rows: Sequence[Comparison], decided: Container[int], deals: int) -> Iterator[Task]:
    """The deals that are still to be played; the next one is asked for while others come in."""
    for row in range(len(rows)):
        for number in range(len(rows[row].deals), deals):
            if row in decided:
                break
            yield row, number


def play_deal(match: Match, number: int) -> DealResult:
    """Play deal `number` of the series `match.seed` in all line-ups."""
    return tuple(_play_game(match, number, lineup)[0] for lineup in match.lineups)


def record_rounds(match: Match, number: int, lineup: int) -> tuple[Record, ...]:
    """The game of deal `number` in the line-up of this place, as `play_deal` plays it: a record a round."""
    return _play_game(match, number, match.lineups[lineup])[1]


def _play_game(match: Match, number: int, lineup: Lineup) -> tuple[GameResult, tuple[Record, ...]]:
    """Play deal `number` to its end in this line-up; in a match, round after round."""
    root = np.random.SeedSequence(match.seed, spawn_key=(number,))
    tiles, *rngs = map(np.random.default_rng, root.spawn(1 + match.seats))
    several = match.rules.match_limit[0] != "open"
    played = Rounds(match.rules, match.seats, dealer=int(tiles.integers(match.seats)) if several else 0)
    tally, turns = Tally([0.0, 0.0], [0, 0]), 0
    records: list[Record] = []
    while not records or (several and not played.is_over):
        start = played.deal(tiles, match.draws) if several else deal(match.rules, match.seats, tiles, match.draws)
        end, record = _play_round(match, lineup, start, rngs, played.standing if several else None, tally)
        assert end.outcome is not None
        played, turns = played.add(end.outcome), turns + end.turn
        records.append(record)
    winners = played.winners if several else played.rounds[0].winners
    result = GameResult(
        win=sum(lineup[seat] for seat in winners) / len(winners),
        score=sum(total for total, own in zip(played.totals, lineup, strict=True) if own),
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
    lineup: Lineup,
    start: State,
    rngs: Sequence[np.random.Generator],
    standing: Standing | None,
    tally: Tally,
) -> tuple[State, Record]:
    """Play a round to its end; the time of all decisions is added to `tally`."""
    state, moves, players = start, [], (match.challenger, match.opponent)
    history: History = ()
    while state.outcome is None:
        seat = state.to_move
        side = int(not lineup[seat])
        player = players[side]
        seen = view(state, seat, standing, history)
        began = time.perf_counter()
        move = asked(player, state, seen, rngs[seat])
        tally.seconds[side] += time.perf_counter() - began
        tally.decisions[side] += 1
        before, state = state, apply(state, move)
        history = remember(history, before, state)
        moves.append(move)
    names = tuple(players[int(not own)].name for own in lineup)
    return state, Record(names, start, tuple(moves))


def _play_all(matches: Sequence[Match], tasks: Iterator[Task], workers: int) -> Iterator[tuple[Task, DealResult]]:
    """The tasks and their results, in order; a task is asked for when there is somebody to play it."""
    if workers == 1:
        yield from ((task, _play_task(matches, task)) for task in tasks)
        return
    # spawn: a fork would copy the locks of PyTorch's and numba's threads as they happen to be
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (tuple(matches),))
    try:
        waiting: deque[Future[list[tuple[Task, DealResult]]]] = deque()
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


def _play_tasks(tasks: Sequence[Task]) -> list[tuple[Task, DealResult]]:
    return [(task, _play_task(_worker_matches, task)) for task in tasks]


def _play_task(matches: Sequence[Match], task: Task) -> DealResult:
    return play_deal(matches[task[0]], task[1])
