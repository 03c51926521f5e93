"""Means with their intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

CONFIDENCE = 0.95
"""The confidence of all intervals."""


@dataclass(frozen=True)
class Interval:
    """A mean, and the interval that covers the true one with confidence `CONFIDENCE`."""

    mean: float
    low: float
    high: float


def mean_interval(samples: ArrayLike) -> Interval:
    """Student's t interval for the mean of independent samples, (n,) with n >= 2.

    One sample is one *deal*: the games of a deal share their luck and are not independent. If all
    samples are alike the interval has width zero, which says more of the samples than of the truth.
    """
    values = np.asarray(samples, np.float64)
    if values.ndim != 1 or values.size < 2:
        raise ValueError(f"an interval needs two samples or more in one row, not the shape {values.shape}")
    mean = math.fsum(values) / values.size  # exact, so that equal players get exactly 1/n
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(stdtrit(values.size - 1, (1 + CONFIDENCE) / 2)) * error  # Student's t quantile
    return Interval(mean, mean - half, mean + half)
