"""Rewards by name: what each seat gets for a step, from the state before and the state after.

========  ==============================================================================================
name      for each seat
========  ==============================================================================================
`win`     at the end: winner 1, the others share -1; winners of a tie share alike, it always adds up to 0
`score`   at the end: the score of the round in points, as the rules count it
`rank`    at the end: best score 1, worst -1, evenly between; equal scores share their places
`tiles`   each turn (shaped): tiles that left the rack / tiles on a rack at the start; drawing is negative.
          A game adds up to 1 - tiles left / tiles at the start
========  ==============================================================================================

None of them asks who moved last. Shaping never touches the rules.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rummikub_env.state import State

Reward = Callable[[State, State], NDArray[np.float64]]
"""(before, after) -> (players,) float64."""


def win(before: State, after: State) -> NDArray[np.float64]:
    """Who won, as a zero-sum game."""
    reward = np.zeros(len(after.racks))
    if after.outcome is None:
        return reward
    reward[list(after.outcome.winners)] = len(reward) / len(after.outcome.winners)
    return (reward - 1) / (len(reward) - 1)


def score(before: State, after: State) -> NDArray[np.float64]:
    """The score of the round in points."""
    if after.outcome is None:
        return np.zeros(len(after.racks))
    return np.array(after.outcome.scores, np.float64)


def rank(before: State, after: State) -> NDArray[np.float64]:
    """The place in the round, from 1 (best) to -1 (worst)."""
    scores = score(before, after)
    beaten = np.sign(scores[:, None] - scores).sum(axis=1)
    return np.asarray(beaten / (len(scores) - 1))


def tiles(before: State, after: State) -> NDArray[np.float64]:
    """Tiles that left the rack in this turn, as a share of a starting rack."""
    gone = before.racks.sum(axis=1, dtype=np.float64) - after.racks.sum(axis=1, dtype=np.float64)
    return np.asarray(gone / after.rules.rack_size)


REWARDS: dict[str, Reward] = {"win": win, "score": score, "rank": rank, "tiles": tiles}


def reward_of(name: str) -> Reward:
    """The reward called `name`; ValueError says which there are."""
    if name not in REWARDS:
        raise ValueError(f"unknown reward {name!r}; there is: {', '.join(REWARDS)}")
    return REWARDS[name]
