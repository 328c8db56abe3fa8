"""How often all intervals of a family hold their differences."""

from itertools import combinations

import numpy as np
from scipy.special import stdtr, stdtrit

from rankmark.statistics import anova, max_t, randomised_tukey, simultaneous_ends
from rankmark.statistics.multiple_comparisons import Correction
from simulated.families import SYSTEMS, critical_range
from simulated.populations import Draw, systems

FAMILIES = ("none", "Bonferroni", "Holm", "max-T", "randomised Tukey", "Tukey")
BY_P: dict[str, Correction] = {"Bonferroni": "bonferroni", "Holm": "holm"}
EFFECTS: dict[str, tuple[float, ...]] = {
    "all alike": (0.0,) * SYSTEMS,
    "one better": (0.0, 0.0, 0.0, 0.0, 0.5),
    "all different": (0.0, 0.25, 0.5, 0.75, 1.0),
}
LEVEL = 0.05


def all_held(
    draw: Draw,
    effects: tuple[float, ...],
    n: int,
    collections: int,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return the share of collections in which the intervals of all pairs hold the differences.

    ``effects`` are the means of the systems. An end of 0 that is not part of the interval misses a
    difference of 0. p-values are those of the t test.
    """
    pairs = [*combinations(range(SYSTEMS), 2)]
    truth = np.array([effects[b] - effects[a] for a, b in pairs])[:, None]
    held = dict.fromkeys(FAMILIES, 0)
    for first in range(0, collections, 100):  # at once: these share their signs, so they are few
        size = min(100, collections - first)
        scores = np.stack([systems(rng, n, SYSTEMS, draw) for _ in range(size)], axis=2)
        scores += np.array(effects)[:, None]
        seed = int(rng.integers(2**32))
        differences = np.stack([scores[:, b] - scores[:, a] for a, b in pairs], axis=1)
        means = differences.mean(axis=0)
        errors = differences.std(axis=0, ddof=1) / np.sqrt(n)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(n - 1, -np.abs(means / errors))
        half = {"none": _critical_t(1 - LEVEL, n) * errors}
        half["max-T"] = max_t(scores, resamples=resamples, seed=seed, level=LEVEL).critical * errors
        shuffled = randomised_tukey(scores, resamples=resamples, seed=seed)
        half["randomised Tukey"] = shuffled.critical
        half["Tukey"] = np.array([_tukeys(one) for one in np.moveaxis(scores, 2, 0)])
        for name, reach in half.items():
            held[name] += _number_held(means - reach, means + reach, truth)
        for name, correction in BY_P.items():
            ends = [
                _of_family(*one, n, correction) for one in zip(p.T, means.T, errors.T, strict=True)
            ]
            low, high = (np.stack(side, axis=1) for side in zip(*ends, strict=True))
            held[name] += _number_held(low, high, truth)
    return {name: count / collections for name, count in held.items()}


def _critical_t(confidence: float | np.ndarray, n: int) -> np.ndarray:
    critical: np.ndarray = stdtrit(n - 1, (1 + np.asarray(confidence)) / 2)
    return critical


def _tukeys(scores: np.ndarray) -> float:
    """Return the half of Tukey's intervals, with the critical value computed once."""
    found = anova(scores)
    if found.undefined:
        return float("nan")
    error = (found.residual / found.df_residual / len(scores)) ** 0.5
    return float(critical_range(found.df_residual) * error)


def _of_family(
    p: np.ndarray, means: np.ndarray, errors: np.ndarray, n: int, correction: Correction
) -> tuple[np.ndarray, np.ndarray]:
    ends = simultaneous_ends(p, means, correction, LEVEL)
    low = np.where(
        np.isinf(ends.low), 0.0, means - _critical_t(np.minimum(ends.low, 0.999), n) * errors
    )
    high = np.where(
        np.isinf(ends.high), 0.0, means + _critical_t(np.minimum(ends.high, 0.999), n) * errors
    )
    # The end at 0 is not part of the interval.
    low = np.where(ends.beyond > 0, np.maximum(low, np.nextafter(0, 1)), low)
    high = np.where(ends.beyond < 0, np.minimum(high, np.nextafter(0, -1)), high)
    return low, high


def _number_held(low: np.ndarray, high: np.ndarray, truth: np.ndarray) -> int:
    """Count the collections all of whose intervals hold; one without ends holds nothing."""
    return int(np.all((low <= truth) & (truth <= high), axis=0).sum())
