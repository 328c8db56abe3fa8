"""How often intervals of 95% hold the mean."""

from typing import Literal

import numpy as np

from rankmark.statistics import (
    Interval,
    mean_intervals,
    share_difference_interval,
    share_interval,
)
from simulated.populations import Draw

METHODS = ("t", "BCa", "Wilson", "Clopper-Pearson")
SHARE_METHODS: tuple[Literal["t", "Newcombe", "Tango"], ...] = ("t", "Newcombe", "Tango")


def coverage(
    draw: Draw, mean: float, n: int, collections: int, resamples: int, rng: np.random.Generator
) -> dict[str, float | None]:
    """Return the share of collections whose interval holds the mean, one without ends holding none.

    None where the method is not for such scores.
    """
    holding: dict[str, int] = {}
    step = max(1, min(collections, 2_000_000 // n))  # collections at once, as memory allows
    for first in range(0, collections, step):
        values = draw(rng, (n, min(step, collections - first)))
        seed = int(rng.integers(2**32))
        for name, intervals in _intervals(values, resamples, seed).items():
            holds = sum(one.low - 1e-12 <= mean <= one.high + 1e-12 for one in intervals)
            holding[name] = holding.get(name, 0) + holds
    return {name: holding[name] / collections if name in holding else None for name in METHODS}


def _intervals(values: np.ndarray, resamples: int, seed: int) -> dict[str, tuple[Interval, ...]]:
    found: dict[str, tuple[Interval, ...]] = {
        "t": mean_intervals(values, method="t"),
        "BCa": mean_intervals(values, method="BCa", resamples=resamples, seed=seed),
    }
    if np.isin(values, (0.0, 1.0)).all():
        for method in ("Wilson", "Clopper-Pearson"):
            found[method] = tuple(share_interval(one, method=method) for one in values.T)
    return found


def coverage_of_differences(
    shares: tuple[float, float, float], n: int, collections: int, rng: np.random.Generator
) -> dict[str, float | None]:
    """Return the share of collections whose interval of a difference of shares holds it.

    ``shares`` are those of queries that both systems answer, that only the other does, and that
    only the baseline does.
    """
    both, other, baseline = shares
    outcomes = rng.choice(4, p=[both, other, baseline, 1 - sum(shares)], size=(collections, n))
    truth = other - baseline
    holding: dict[str, float | None] = {}
    for method in SHARE_METHODS:
        holds = 0
        for one in outcomes:
            first, second = (one == 0) | (one == 2), one <= 1
            if method == "t":
                found = mean_intervals(second.astype(float) - first, method="t")[0]
            else:
                found = share_difference_interval(first, second, method=method)
            holds += found.low - 1e-12 <= truth <= found.high + 1e-12
        holding[method] = holds / collections
    return holding


def coverage_with_weights(
    draw: Draw, spread: float, n: int, collections: int, rng: np.random.Generator
) -> float:
    """Return the share of collections of mean 0 whose weighted t interval holds it.

    Weights are log-normal, others for each hundred collections.
    """
    holds = 0
    for first in range(0, collections, 100):
        found = mean_intervals(
            draw(rng, (n, min(100, collections - first))),
            method="t",
            weights=rng.lognormal(0.0, spread, n),
        )
        holds += sum(one.low <= 0 <= one.high for one in found)
    return holds / collections
