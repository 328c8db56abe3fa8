"""Populations of scores and of differences, whose means are known."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def symmetric(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Differences of two scores of one population, as of nDCG."""
    return rng.beta(0.8, 1.2, shape) - rng.beta(0.8, 1.2, shape)


def skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Few queries gain much, many lose a little: exponential minus its mean, skewness 2."""
    return 0.1 * (rng.exponential(size=shape) - 1.0)


def mostly_zero(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """95% of the queries do not change, the others as often for better as for worse."""
    return np.where(rng.random(shape) < 0.95, 0.0, symmetric(rng, shape))


def mostly_zero_skewed(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """95% of the queries do not change, the others are skewed, of mean 0."""
    return np.where(rng.random(shape) < 0.95, 0.0, skewed(rng, shape))


def tied(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Differences of P@10: multiples of 0.1, a sixth of them 0."""
    return (rng.binomial(10, 0.4, shape) - rng.binomial(10, 0.4, shape)) / 10


DIFFERENCES: dict[str, Draw] = {
    "symmetric": symmetric,
    "mean 0, skewed": skewed,
    "95% zeros": mostly_zero,
    "95% zeros, skewed": mostly_zero_skewed,
    "tied": tied,
}
"""Differences of mean 0."""


def observed(qrels: Path, runs: Sequence[Path], measure: str) -> tuple[str, Draw]:
    """Draw from the real differences of two runs, shifted to mean 0."""
    import rankmark as rm

    first, second = (rm.evaluate(str(qrels), str(run), [measure]).scores[:, 0] for run in runs)
    differences = second - first
    centred = differences - differences.mean()
    skewness = float(np.mean(centred**3) / np.mean(centred**2) ** 1.5)
    name = f"{runs[1].stem} minus {runs[0].stem}, {measure}, skewness {skewness:+.1f}"

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return rng.choice(centred, size=shape)

    return name, draw


def reciprocal_ranks(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """RR@10: the first relevant document at rank r with probability 0.75^(r-1) / 4."""
    ranks = rng.geometric(0.25, shape)
    return np.where(ranks <= 10, 1.0 / ranks, 0.0)


def hits(share: float) -> Draw:
    """A measure that is 0 or 1."""
    return lambda rng, shape: (rng.random(shape) < share).astype(np.float64)


_RANKS = np.arange(1, 11)

SCORES: dict[str, tuple[Draw, float]] = {
    "nDCG-like: beta(0.8, 1.2)": (lambda rng, shape: rng.beta(0.8, 1.2, shape), 0.4),
    "AP-like: beta(0.5, 2)": (lambda rng, shape: rng.beta(0.5, 2.0, shape), 0.2),
    "RR@10-like: 1/rank": (reciprocal_ranks, float(np.sum(0.25 * 0.75 ** (_RANKS - 1) / _RANKS))),
    "0/1, half are 1": (hits(0.5), 0.5),
    "0/1, 95% are 1": (hits(0.95), 0.95),
    "differences, symmetric": (symmetric, 0.0),
    "differences, skewed": (skewed, 0.0),
    "differences, 95% zeros": (mostly_zero, 0.0),
}
"""Scores, and their means."""


PAIRED_SHARES: dict[str, tuple[float, float, float]] = {
    "alike, 4% of queries differ": (0.6, 0.02, 0.02),
    "alike, 30% differ": (0.5, 0.15, 0.15),
    "better by 0.1, 14% differ": (0.6, 0.12, 0.02),
    "0.94 and 0.98, 6% differ": (0.93, 0.05, 0.01),
}
"""Shares of queries that both systems answer, that only the other does, and only the baseline."""


def systems(rng: np.random.Generator, n: int, count: int, draw: Draw) -> np.ndarray:
    """Draw scores of systems that share how hard each query is: (n, systems)."""
    return rng.beta(0.8, 1.2, (n, 1)) + draw(rng, (n, count))
