"""Generalised advantage estimation over decisions that are linked, not aligned.

At one table the decisions of several seats interleave, and a reward may arrive while another seat is
acting (the loser's always does). So each decision knows its `successor`, the next decision of the same
seat in the same game, and holds all reward that its seat received in between. Several actions of
one turn are then simply consecutive decisions.
"""

import numpy as np
from numpy.typing import NDArray

LAST = -1
"""Successor of a seat's last decision in a finished game: its future is worth 0."""

OPEN = -2
"""Successor of a decision whose seat has not acted again yet: its advantage cannot be known."""


def advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    successors: NDArray[np.int64],
    *,
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """GAE of each decision, (N,) float32; 0 for open decisions.

    rewards, values (N,) float32: reward from this decision up to its successor, and its estimated value;
    successors (N,): the index of a later decision, `LAST` or `OPEN`. A trajectory that ends in an
    open decision is bootstrapped there, with the value of that decision.
    """
    result = [0.0] * len(rewards)
    reward, value, successor = rewards.tolist(), values.tolist(), successors.tolist()
    for i in reversed(range(len(result))):
        after = successor[i]
        if after == OPEN:
            continue
        result[i] = reward[i] - value[i]
        if after != LAST:
            result[i] += gamma * (value[after] + gae_lambda * result[after])
    return np.asarray(result, np.float32)
