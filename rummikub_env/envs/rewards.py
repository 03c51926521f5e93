"""Rewards by name: what each seat gets for a step, from the state before and the state after.

========  ==============================================================================================
name      for each seat
========  ==============================================================================================
`win`     at the end of each round: winner 1, the others share -1; winners of a tie share alike, it always adds
          up to 0
`score`   at the end of each round: its score in points, as the rules count it
`rank`    at the end of each round: best score 1, worst -1, evenly between; equal scores share their places
`tiles`   each turn (shaped): tiles that left the rack / tiles on a rack at the start; drawing is negative.
          A round adds up to 1 - tiles left / tiles at the start
`match`   at the end of the match, and not before: as `win`, for those who have won the match
========  ==============================================================================================

In a match of several rounds all but `match` are paid round by round, and nothing on top at its end: over a match
`score` adds up to the final score, `win` to the rounds won and lost. A single round is a match of one: there `match` is
`win`. None of them asks who moved last. Shaping never touches the rules.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np
from numpy.typing import NDArray

from rummikub_env.match import Match
from rummikub_env.state import Outcome, State

Rewards = NDArray[np.float64]
"""(players,) float64: what each seat gets."""
Reward = Callable[[State, State, Match | None], Rewards]
"""From the state before a turn and the one after it. A round that is over in the latter is one of the match, if any."""


def _at_the_end(paid: Callable[[Outcome, Match | None], Rewards]) -> Reward:
    """The reward that is `paid` when a round ends, and 0 for all while it goes on."""

    @wraps(paid)
    def reward(before: State, after: State, match: Match | None = None) -> Rewards:
        return np.zeros(after.players) if after.outcome is None else paid(after.outcome, match)

    return reward


@_at_the_end
def win(outcome: Outcome, match: Match | None) -> Rewards:
    """Who won the round, as a zero-sum game."""
    return _shared(outcome.winners, len(outcome.scores))


@_at_the_end
def win_match(outcome: Outcome, match: Match | None) -> Rewards:
    """Who won the match, as a zero-sum game."""
    if match is not None and not match.is_over:
        return np.zeros(match.players)
    return _shared(outcome.winners if match is None else match.winners, len(outcome.scores))


def _shared(winners: tuple[int, ...], players: int) -> Rewards:
    """The winners share what the others pay."""
    reward = np.zeros(players)
    reward[list(winners)] = players / len(winners)
    return (reward - 1) / (players - 1)


@_at_the_end
def score(outcome: Outcome, match: Match | None) -> Rewards:
    """The score of the round in points."""
    return np.array(outcome.scores, np.float64)


@_at_the_end
def rank(outcome: Outcome, match: Match | None) -> Rewards:
    """The place in the round, from 1 (best) to -1 (worst)."""
    scores = np.array(outcome.scores)
    beaten = np.sign(scores[:, None] - scores).sum(axis=1)
    return np.asarray(beaten / (len(scores) - 1))


def tiles(before: State, after: State, match: Match | None = None) -> Rewards:
    """Tiles that left the rack in this turn, as a share of a starting rack."""
    gone = before.racks.sum(axis=1, dtype=np.float64) - after.racks.sum(axis=1, dtype=np.float64)
    return np.asarray(gone / after.rules.rack_size)


REWARDS: dict[str, Reward] = {"win": win, "score": score, "rank": rank, "tiles": tiles, "match": win_match}

SHAPED = frozenset({"tiles"})
"""Those that can pay in any turn; the others pay at the end of a round alone."""


def reward_of(name: str) -> Reward:
    """The reward called `name`; ValueError says which there are."""
    if not isinstance(name, str) or name not in REWARDS:
        raise ValueError(f"unknown reward {name!r}; there is: {', '.join(REWARDS)}")
    return REWARDS[name]
