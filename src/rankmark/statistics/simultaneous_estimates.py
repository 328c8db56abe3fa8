"""Several estimates from the same queries at once: the largest of correlated t statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark.arguments import number_of_draws, seed_of, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class LargestT:
    """Corrections of a family of estimates by the distribution of the largest t of all.

    Parameters
    ----------
    adjusted
        (k,) float64, corrected two-sided p-values; NaN where an estimate has no error.
    critical
        Simultaneous intervals are the estimates and this many standard errors on both sides.
    family
        Number of estimates with an error.
    degrees
        Degrees of freedom, the fewest of all.
    resamples, seed
        Of the draws.
    """

    adjusted: Floats
    critical: float
    family: int
    degrees: float
    resamples: int
    seed: int


def largest_t(
    t: ArrayLike,
    contributions: ArrayLike,
    degrees: float,
    *,
    confidence: float = 0.95,
    resamples: int = 100_000,
    seed: int | None = 0,
) -> LargestT:
    """Correct estimates that come from the same queries, as far as they are correlated [1]_.

    Parameters
    ----------
    t
        (k,) float64, each estimate less its null, over its standard error; NaN where it has none.
    contributions
        (units, k) float64, what each independent unit contributes to the error of each.
    degrees
        Degrees of freedom of the errors.
    confidence
        With which all intervals together contain the true values.
    resamples, seed
        How often a multivariate t is drawn, and the seed of it.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall 2008, Simultaneous inference in general parametric models,
       Biometrical Journal 50(3), pages 346-363.

    Examples
    --------
    >>> found = largest_t([2.5, 0.3], [[1, 1], [-1, 1], [1, -1], [-1, -1]], 20)
    >>> round(found.critical, 1), found.family
    (2.4, 2)
    """
    confidence = share("confidence", confidence)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    observed = np.asarray(t, dtype=np.float64)
    each = np.asarray(contributions, dtype=np.float64)
    tested = ~np.isnan(observed)
    adjusted = np.full(len(observed), np.nan)
    family = int(tested.sum())
    if not family:
        return LargestT(adjusted, math.nan, 0, degrees, resamples, seed)
    scaled = each[:, tested] / np.sqrt(np.sum(each[:, tested] ** 2, axis=0))
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    generator = np.random.Generator(np.random.PCG64(seed))
    largest = np.empty(resamples)
    step = max(1, (1 << 20) // family)
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        drawn = np.abs(generator.standard_normal((size, family)) @ root.T).max(axis=1)
        if math.isfinite(degrees):
            drawn /= np.sqrt(generator.chisquare(degrees, size) / degrees)
        largest[at : at + size] = drawn
    largest.sort()
    below = np.searchsorted(largest, np.abs(observed[tested]), side="left")
    adjusted[tested] = (resamples - below + 1) / (resamples + 1)
    critical = float(np.quantile(largest, confidence, method="higher"))
    return LargestT(adjusted, critical, family, degrees, resamples, seed)
