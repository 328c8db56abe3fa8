"""Draw a fixed number of queries with given inclusion probabilities, and find these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats, Ints


def inclusion_probabilities(sizes: ArrayLike, n: int, *, uniform: float = 0.0) -> Floats:
    """Return probabilities that sum up to ``n``, proportional to sizes, mixed with equal ones.

    A probability that would be above 1 is 1, and what is left is shared by the others.

    Parameters
    ----------
    sizes
        (M,) float64 of at least 0; all 0 means equal probabilities.
    n
        How many of the M are to be drawn.
    uniform
        The share of equal probabilities, 0 to 1, so that no probability is below ``uniform * n /
        M`` times the shrinking by those that are 1.

    Examples
    --------
    >>> inclusion_probabilities([1, 1, 2, 4], 2, uniform=0.5).round(3).tolist()
    [0.375, 0.375, 0.5, 0.75]
    """
    given = np.asarray(sizes, dtype=np.float64)
    m = len(given)
    if not 0 < n <= m:
        raise InputError(f"n is {n:,}, and there are {m:,} queries", f"need 1 to {m:,}")
    total = float(given.sum())
    mixed = np.full(m, 1 / m) if total <= 0 else (1 - uniform) * given / total + uniform / m
    sure = np.zeros(m, dtype=bool)
    while True:
        left = n - int(sure.sum())
        rest = float(mixed[~sure].sum())
        if left <= 0 or rest <= 0:
            found = np.where(sure, 1.0, 0.0)
            break
        found = np.where(sure, 1.0, left * mixed / rest)
        beyond = ~sure & (found >= 1 - 1e-12)
        if not beyond.any():
            break
        sure |= beyond
    return found


def drawn(probabilities: Floats, generator: np.random.Generator) -> Ints:
    """Draw systematically in a random order, so that each has its probability exactly [1]_.

    Parameters
    ----------
    probabilities
        (M,) float64 that sum up to a whole number n.

    Returns
    -------
    Ints
        (n,) numbers, rising.

    References
    ----------
    .. [1] Hartley and Rao 1962, Sampling with unequal probabilities and without replacement, Annals
       of Mathematical Statistics 33(2), pages 350-374.
    """
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    n = round(float(ends[-1]))
    ends *= n / ends[-1]
    ends[-1] = n
    at = np.searchsorted(ends, generator.random() + np.arange(n), side="right")
    return np.sort(order[np.minimum(at, len(order) - 1)])
