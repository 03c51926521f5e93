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

import numpy as np
from numpy.typing import NDArray

from rummikub_env.match import Match
from rummikub_env.state import State

Reward = Callable[[State, State, Match | None], NDArray[np.float64]]
"""(before, after, match) -> (players,) float64. A round that is over in `after` is one of the match; None: no match."""


def win(before: State, after: State, match: Match | None = None) -> NDArray[np.float64]:
    """Who won the round, as a zero-sum game."""
    return _shared(() if after.outcome is None else after.outcome.winners, after.players)


def win_match(before: State, after: State, match: Match | None = None) -> NDArray[np.float64]:
    """Who won the match, as a zero-sum game."""
    if match is None:
        return win(before, after)
    return _shared(match.winners if after.outcome is not None and match.is_over else (), after.players)


def _shared(winners: tuple[int, ...], players: int) -> NDArray[np.float64]:
    """The winners share what the others pay; nothing where there are none."""
    reward = np.zeros(players)
    if not winners:
        return reward
    reward[list(winners)] = players / len(winners)
    return (reward - 1) / (players - 1)


def score(before: State, after: State, match: Match | None = None) -> NDArray[np.float64]:
    """The score of the round in points."""
    if after.outcome is None:
        return np.zeros(len(after.racks))
    return np.array(after.outcome.scores, np.float64)


def rank(before: State, after: State, match: Match | None = None) -> NDArray[np.float64]:
    """The place in the round, from 1 (best) to -1 (worst)."""
    scores = score(before, after)
    beaten = np.sign(scores[:, None] - scores).sum(axis=1)
    return np.asarray(beaten / (len(scores) - 1))


def tiles(before: State, after: State, match: Match | None = None) -> NDArray[np.float64]:
    """Tiles that left the rack in this turn, as a share of a starting rack."""
    gone = before.racks.sum(axis=1, dtype=np.float64) - after.racks.sum(axis=1, dtype=np.float64)
    return np.asarray(gone / after.rules.rack_size)


REWARDS: dict[str, Reward] = {"win": win, "score": score, "rank": rank, "tiles": tiles, "match": win_match}

SHAPED = frozenset({"tiles"})
"""Those that can pay in any turn; the others pay at the end of a round alone."""


def reward_of(name: str) -> Reward:
    """The reward called `name`; ValueError says which there are."""
    if name not in REWARDS:
        raise ValueError(f"unknown reward {name!r}; there is: {', '.join(REWARDS)}")
    return REWARDS[name]
