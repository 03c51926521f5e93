"""When may a comparison stop? A test that may be looked at after every deal, and an interval that holds throughout.

A gambler starts with 1 and bets, before each deal, that its score is above `m`, at odds that are fair or worse if the
true mean is `m` or less. Then his capital comes to c at any time with a chance of 1/c at most (Ville's inequality),
however the scores are distributed between 0 and 1. A capital of 2/error therefore shows that the mean is above `m`, and
that of a gambler on the other side that it is below: the chance of a wrong answer, all looks together, is `error` at
most. The bets are a mixture of fixed ones (Waudby-Smith and Ramdas, 2023, "Estimating means of bounded random variables
by betting"). Equal players are never decided, but for that chance: some limit must end their games.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from agents.evaluation.stats import Interval

Side = Literal["stronger", "weaker"]

_BETS = 0.9 * 2.0 ** -np.arange(9)
"""Shares of the capital that is lost when the score is 0: for differences that are large, and small."""


def decision(scores: ArrayLike, even: float, error: float) -> tuple[int, Side] | None:
    """After how many deals it shows that the mean score is above or below `even`, and which; None: not yet.

    scores: (n,) in [0, 1], one a deal, in the order of the deals. The chance of a wrong answer is `error` at most.
    """
    values = np.asarray(scores, np.float64)
    above, below = log_capital(values, even), log_capital(1 - values, 1 - even)
    enough = np.flatnonzero(np.maximum(above, below) >= math.log(2 / error))
    if not enough.size:
        return None
    first = int(enough[0])
    return first + 1, "stronger" if above[first] > below[first] else "weaker"


def lasting_interval(scores: ArrayLike, error: float) -> Interval:
    """The means that `decision` has not ruled out after all these deals; it covers the true one whenever one stops."""
    values = np.asarray(scores, np.float64)
    return Interval(math.fsum(values) / values.size, _lowest(values, error), 1 - _lowest(1 - values, error))


def log_capital(scores: NDArray[np.float64], m: float) -> NDArray[np.float64]:
    """(n,): the logarithm of the capital after each deal of a gambler who bets on a mean score above `m`."""
    gains = np.log1p(_BETS * (scores[:, None] / m - 1))
    capital: NDArray[np.float64] = logsumexp(np.cumsum(gains, axis=0), axis=1) - math.log(_BETS.size)
    return capital


def _lowest(scores: NDArray[np.float64], error: float) -> float:
    """The least mean at which a gambler has not come to 2 / error: the higher the mean, the less he has."""

    def lacks(m: float) -> float:
        return math.log(2 / error) - float(log_capital(scores, m)[-1])

    least, mean = 1e-9, float(scores.mean())
    return least if mean <= least or lacks(least) >= 0 else float(brentq(lacks, least, mean, xtol=1e-9))
