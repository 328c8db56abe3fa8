"""Logs of queries with two rankings each, and what a change loses by them."""

from typing import NamedTuple

import numpy as np

from rankmark import AP, RR, P, R, nDCG
from rankmark.measures import Measure

QUERIES = 2000
K = 10
_RETRIEVED = 20


class Log(NamedTuple):
    """What each query of a log can lose and gain by a measure, and the change that labels give.

    Parameters
    ----------
    name
        What was changed.
    losses, gains
        (N,) the most that each query can lose, and gain.
    change
        (N,) the change by simulated labels.
    """

    name: str
    losses: np.ndarray
    gains: np.ndarray
    change: np.ndarray


def _moved(new: np.ndarray) -> np.ndarray:
    """Return the new ranks of the first K documents of the old ranking; ``new`` has old ranks."""
    found: np.ndarray = np.argsort(new, axis=1)[:, :K] + 1.0
    return found


def _back(new: np.ndarray) -> np.ndarray:
    """Return the old ranks of the first K documents of the new ranking."""
    return new[:, :K] + 1.0


def _logged(name: str, new: np.ndarray, measure: Measure, rng: np.random.Generator) -> Log:
    losses, gains = measure.possible_loss(_moved(new)), measure.possible_loss(_back(new))
    assert losses is not None
    assert gains is not None
    # Relevance falls with the mean of both ranks, so that neither ranking is better on average.
    mean_rank = (np.arange(new.shape[1]) + np.argsort(new, axis=1)) / 2
    chance = 0.5 / (1 + 0.3 * mean_rank)
    labels = (rng.random(new.shape) < chance) * rng.integers(1, 4, new.shape)
    discount = 1 / np.log2(np.arange(2, K + 2))
    ideal = (-np.sort(-labels, axis=1)[:, :K]) @ discount
    scores = [labels[:, :K] @ discount, np.take_along_axis(labels, new, axis=1)[:, :K] @ discount]
    old, other = (np.divide(one, ideal, out=np.zeros(len(one)), where=ideal > 0) for one in scores)
    change = other - old if isinstance(measure, type(nDCG)) else np.zeros(len(new))
    return Log(name, losses, gains, change)


def logs(measure: Measure = nDCG @ K, seed: int = 1) -> list[Log]:
    """Return logs of changes from small to large."""
    rng = np.random.default_rng(seed)
    old = np.tile(np.arange(_RETRIEVED), (QUERIES, 1))
    found = []
    for spread in (0.4, 1.0, 3.0):
        new = np.argsort(old + rng.normal(0, spread, old.shape), axis=1)
        found.append(_logged(f"ranks move by {spread:g}", new, measure, rng))
    touched = rng.random(QUERIES) < 0.05
    new = np.where(touched[:, None], rng.permuted(old, axis=1), old)
    found.append(_logged("5% of queries ranked anew", new, measure, rng))
    neighbours = old.copy()
    at, rows = rng.integers(0, K, QUERIES), np.flatnonzero(rng.random(QUERIES) < 0.3)
    neighbours[rows, at[rows]], neighbours[rows, at[rows] + 1] = at[rows] + 1, at[rows]
    found.append(_logged("two neighbours change in 30%", neighbours, measure, rng))
    found.append(_logged("all ranked anew", rng.permuted(old, axis=1), measure, rng))
    return found


def measures() -> list[Measure]:
    """Return measures whose losses differ in kind."""
    return [nDCG @ K, RR @ K, P @ K, R @ K, AP @ K]


def lost(log: Log, pattern: str, margin: float, rng: np.random.Generator) -> np.ndarray | None:
    """Return changes whose mean is minus the margin; None if that cannot be.

    Parameters
    ----------
    pattern
        Which queries lose: "at random", "half, at random", "largest", "smallest" or "beside wins".
    margin
        What the mean loses.
    """
    most = log.losses * (0.5 if pattern == "half, at random" else 1.0)
    order = rng.permutation(len(most))
    if pattern in {"largest", "smallest"}:
        order = np.argsort(-most if pattern == "largest" else most, kind="stable")
        order = order[most[order] > 0]
    wanted, change = margin * len(most), np.zeros(len(most))
    if pattern == "beside wins":
        winners = order[: len(order) // 10]
        change[winners] = log.gains[winners]
        order, wanted = order[len(winners) :], wanted + change.sum()
    sums = np.cumsum(most[order])
    if not len(sums) or sums[-1] < wanted:
        return None
    last = int(np.searchsorted(sums, wanted))
    change[order[:last]] = -most[order[:last]]
    change[order[last]] = -(wanted - (sums[last - 1] if last else 0.0))
    return change
