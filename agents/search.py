"""One turn searched: each candidate is played on to the end of the round, in the same worlds.

The hidden tiles are dealt at random, again and again, in ways that go with what the seat sees; from there all seats
go on by a `Policy`, in compiled code. A candidate is judged by the *difference* to what that policy plays, world by
world: which world it is decides most rounds, and is the same for both. Many candidates are seen in few worlds, the
best of them in many. Who deviates on the ground of noise is worse than the policy, so the difference must exceed a
guard.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.names import named
from rummikub_env.game import Move, may_decline
from rummikub_env.objectives import weights
from rummikub_env.policy import SAVING, TEMPO, WAIT_FOR_ALL, Policy, move_of, ones_of
from rummikub_env.rollouts import rollout
from rummikub_env.solver import best_play, plays
from rummikub_env.state import View

Rollout = Literal["greedy_tiles", "greedy_value", "keep_joker", "all_out", "tempo"]
POLICIES: dict[Rollout, Policy] = {
    "greedy_tiles": Policy(),
    "greedy_value": Policy("value"),
    "keep_joker": SAVING,
    "all_out": WAIT_FOR_ALL,
    "tempo": TEMPO,
}
"""Who plays the rounds on."""
LARGE = 14
"""Of racks of more tiles not all plays are listed: there are too many."""
LATE = 2
"""With so many tiles a player or fewer the pool is nearly empty."""
MOST_LISTED = 10_000
"""With more plays than that, some are found by solving for random aims instead."""


# Candidates


def candidates(view: View, base: Policy, most: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """What is worth a try in this turn, (n, kinds) uint8: first what `base` plays, the most tiles, none, and others.

    At most `most`; none, all 0, if that is allowed. Of the others two thirds are those of most tiles, where a joker
    does not count, the rest is drawn at random. Nothing else is worth a try where there is no play; nor where `base`
    has opened and waits, unless the pool is nearly empty: no such candidate was found to win more.
    """
    first, none = base.choose(view), np.zeros_like(view.rack)
    if first is None and view.opened[view.seat] and not is_late(view):
        return none[None]
    greedy = Policy().choose(view)
    if greedy is None:
        return none[None]
    rows = [none if first is None else first, greedy]
    if may_decline(view.rules, view.pool_size):
        rows.append(none)
    rows = [row for i, row in enumerate(rows) if not any(np.array_equal(row, other) for other in rows[:i])]
    others = _others(view, np.stack(rows), rng)
    room = max(0, most - len(rows))
    if len(others) > room:
        ahead = -(-2 * room // 3)
        rest = ahead + rng.permutation(len(others) - ahead)[: room - ahead]
        others = np.concatenate([others[:ahead], others[rest]])
    return np.concatenate([np.stack(rows), others])[:most]


def is_open(view: View, counts: NDArray[np.uint8]) -> bool:
    """Is there a choice between candidates, and the first one does not win at once?"""
    return len(counts) > 1 and bool(counts[0].sum() < view.rack.sum())


def is_late(view: View) -> bool:
    """Is the pool nearly empty?"""
    return view.pool_size <= LATE * view.players


def _others(view: View, rows: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Other plays than `rows`, (n, kinds) uint8: most tiles that are no jokers first, of those the most valuable.

    Of a large rack only single tiles, and only where the pool is nearly empty: before, it waits or lays all it can.
    """
    if view.rack.sum() > LARGE:
        counts = rng.permutation(ones_of(view)) if is_late(view) else rows[:0]
    else:
        listed = plays(view.rules, view.table, view.rack, view.opened[view.seat], MOST_LISTED)
        counts = listed.counts if listed.complete else _some_plays(view, rng)
    counts = counts[(counts[:, None] != rows).any(axis=2).all(axis=1)]
    worth = counts[:, :-1] @ weights(view.rules, "tiles")[:-1]
    ordered: NDArray[np.uint8] = counts[np.argsort(-worth, kind="stable")]
    return ordered


def _some_plays(view: View, rng: np.random.Generator, tries: int = 32) -> NDArray[np.uint8]:
    """Different plays of most weight for random weights and parts of the rack, (n, kinds) uint8."""
    found: set[bytes] = set()
    for _ in range(tries):
        part = rng.binomial(view.rack, rng.uniform(0.3, 1)).astype(np.uint8)
        aims = rng.integers(1, 100, len(view.rack))
        play = best_play(view.rules, view.table, part, view.opened[view.seat], aims)
        if play is not None:
            found.add(play.tobytes())
    return np.frombuffer(b"".join(sorted(found)), np.uint8).reshape(-1, len(view.rack))


# Trials

Dealt = Callable[[int, int], NDArray[np.uint8] | None]
"""For so many worlds and a seed, what lies on all racks, as `rollout` takes it; None: any of the unseen tiles."""


def anything(worlds: int, seed: int) -> None:
    """The others may hold any of the unseen tiles."""


class Round(NamedTuple):
    """A part of the search: so many more worlds for so many of the candidates, the first one among them."""

    worlds: int
    kept: int


def halving(worlds: int) -> Iterator[Round]:
    """Sequential halving: all candidates, then 3 in twice as many further worlds, then 2 in twice as many again."""
    yield Round(worlds, 1 << 30)
    yield Round(2 * worlds, 3)
    yield Round(4 * worlds, 2)


def within(ms: float, clock: Callable[[], float] = time.perf_counter) -> Iterator[Round]:
    """The same by the clock: a quarter of the time for all, a quarter for 3, half for 2."""
    began, least = clock(), 8
    yield Round(least, 1 << 30)
    while (gone := 1000 * (clock() - began) / ms) < 1:
        yield Round(least, 1 << 30 if gone < 0.25 else 3 if gone < 0.5 else 2)


def trials(
    view: View,
    counts: NDArray[np.uint8],
    rounds: Iterator[Round],
    team: Sequence[Policy],
    rng: np.random.Generator,
    dealt: Dealt = anything,
) -> list[NDArray[np.float64]]:
    """What each candidate, a row of `counts`, (n, kinds) uint8, wins world by world; the first one sees all worlds.

    team: who plays the rounds on, a policy a seat. dealt: what the others hold in these worlds.

    Returns an array (worlds,) float64 for each; world i is the same for all that see it.
    """
    wins = [np.zeros(0) for _ in counts]
    kept = list(range(len(counts)))
    for worlds, number in rounds:
        kept = _best(wins, kept, number)
        seed = int(rng.integers(1 << 62))
        racks = dealt(worlds, seed)
        for i in kept:
            wins[i] = np.append(wins[i], rollout(view, counts[i], team, seed, worlds, racks).wins[:, view.seat])
    return wins


def _best(wins: list[NDArray[np.float64]], kept: list[int], number: int) -> list[int]:
    """The first candidate and the best of the others, `number` in all; all of `kept` have seen the same worlds."""
    others = sorted(kept[1:], key=lambda i: -wins[i].sum())
    return [kept[0], *others[: number - 1]]


class Gain(NamedTuple):
    """What a candidate wins beyond the first one."""

    mean: float
    error: float
    """Its standard error, never 0: two candidates that fared alike in a few worlds may differ in the next one."""


def gain(wins: list[NDArray[np.float64]], i: int) -> Gain:
    """The mean paired difference of candidate `i` to the first one, in the worlds that it has seen."""
    differences = wins[i] - wins[0][: len(wins[i])]
    n, mean = len(differences), float(differences.mean())
    spread = float(((differences - mean) ** 2).sum()) + 1
    return Gain(mean, float(np.sqrt(spread / max(1, n - 1) / n)))


def chosen(wins: list[NDArray[np.float64]], guard: float) -> int:
    """The candidate to play: the best of those seen in most worlds, unless its gain is within the guard."""
    most = max(map(len, wins[1:]), default=0)
    rivals = [i for i in range(1, len(wins)) if len(wins[i]) == most]
    best = max(rivals, key=lambda i: wins[i].sum(), default=0)
    if not best:
        return 0
    mean, error = gain(wins, best)
    return best if mean > guard * error else 0


# The player


@dataclass(frozen=True)
class Pimc:
    """Plays what wins most in worlds dealt at random, if it is clearly more than what its `rollout` policy wins.

    Wins where it can. The others are taken to hold any of the unseen tiles.
    """

    worlds: int = 20
    """Worlds in which all candidates are tried; the best 3 see twice as many more, the best 2 four times as many."""
    guard: float = 0.7
    """Standard errors by which a candidate must be better than what `rollout` plays."""
    most: int = 8
    """Candidates."""
    ms: float = 0.0
    """Think so many milliseconds instead; what is played then depends on the machine. 0: `worlds` count."""
    rollout: Rollout = "tempo"
    """As whom it plays the rounds on."""
    others: Rollout = "tempo"
    """As whom the others are taken to play."""

    def __post_init__(self) -> None:
        if self.worlds < 1 or self.most < 1 or not (0 <= self.ms < math.inf and 0 <= self.guard < math.inf):
            raise ValueError(f"pimc: worlds and most must be 1 or more, ms and guard 0 or more, not {self.name}")

    @property
    def name(self) -> str:
        """The name in tables; it says only what differs from the default."""
        return named("pimc", self)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Search the turn; `rng` deals the worlds."""
        return self.search(view, rng, anything)

    def search(self, view: View, rng: np.random.Generator, dealt: Dealt) -> Move:
        """The move that wins most where the others hold what is dealt."""
        counts = candidates(view, POLICIES[self.rollout], self.most, rng)
        if not is_open(view, counts):
            return move_of(view, counts[0])
        rounds = within(self.ms) if self.ms else halving(self.worlds)
        team = [POLICIES[self.rollout if seat == view.seat else self.others] for seat in range(view.players)]
        wins = trials(view, counts, rounds, team, rng, dealt)
        return move_of(view, counts[chosen(wins, self.guard)])
