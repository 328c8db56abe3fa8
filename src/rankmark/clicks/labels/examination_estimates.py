"""How often people look at each rank, estimated from documents seen at several ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.statistics.confidence_intervals import quantile_of_t

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.clicks.labels.rank_cells import RankCells, SharedClicks

_PASSES = 200  # of EM
_STEPS = 50  # of Newton's method, which needs five


class Examination(NamedTuple):
    """Examination of each rank, that of rank 1 being 1, and the ends of its intervals.

    Parameters
    ----------
    estimate, low, high
        (K,) float64; the ends are NaN where ``undefined`` says why.
    queries
        How many queries have documents that tell.
    undefined
        Why there are no intervals, or "".
    """

    estimate: Floats
    low: Floats
    high: Floats
    queries: int
    undefined: str = ""


def linked_depth(totals: Floats) -> int:
    """Return down to which rank each has clicks that compare it with a higher one, both ways."""
    both = np.minimum(totals, totals.T)
    linked = np.tril(both, -1).max(axis=1, initial=0.0) > 0
    return 1 + int(np.argmin(np.append(linked[1:], False)))


def refuse_unlinked(totals: Floats, depth: int, method: str) -> None:
    """Refuse ranks whose examination the log does not tell."""
    linked = linked_depth(totals)
    if linked == depth:
        return
    rank = linked + 1
    above = {"chain": f"rank {linked}", "swap": "rank 1"}.get(method, "one above it")
    found = f"no document was seen for a query both at rank {rank} and at {above}"
    if totals[linked, :linked].any() or totals[:linked, linked].any():
        found = f"no document that was seen both at rank {rank} and at {above} was clicked at both"
    remedies = ["choose pairs, which compares any two ranks"] * (method in {"chain", "swap"})
    remedies += [f"ask for the ranks above with k={linked}"] * (linked > 1)
    remedies.append("record rankings that move documents, as of several systems")
    raise InputError(f"{found}, so how often people look at it is unknown", "; or ".join(remedies))


def from_shared(shared: SharedClicks, totals: Floats, confidence: float) -> Examination:
    """Estimate examination from clicks on documents seen at two ranks.

    The logarithms of examination solve the equations of Bradley and Terry, in which clicks at a
    rank are its wins; where ranks are compared in a chain or with the first only, the solution is
    the ratios. The variance is that of sums over queries, each as if it had not told itself; a few
    queries with most of the clicks are worth as few degrees of freedom.
    """
    found = _solved(totals)
    depth, numbers = len(found), np.unique(shared.query, return_inverse=True)[1]
    queries = int(numbers.max()) + 1
    if queries < 2:
        nothing = np.full(depth, np.nan)
        return Examination(found, nothing, nothing, queries, "a single query has no variance")
    share = found[shared.upper] / (found[shared.upper] + found[shared.lower])
    excess = shared.at_upper * (1 - share) - shared.at_lower * share
    weights = np.bincount(numbers, (shared.at_upper + shared.at_lower) * share * (1 - share))
    told = weights / weights.sum()
    size = queries * depth
    scores = np.bincount(numbers * depth + shared.upper, excess, size)
    scores -= np.bincount(numbers * depth + shared.lower, excess, size)
    by_rank = np.ascontiguousarray(scores.reshape(queries, depth).T[1:])
    with np.errstate(divide="ignore", invalid="ignore"):  # a single query has all clicks
        alone = by_rank / np.sqrt(1 - told)
    spread = np.array([[(one * other).sum() for other in alone] for one in alone])
    inverse = np.linalg.inv(_information(totals, found))
    variance = np.append(0.0, np.diag(inverse @ spread @ inverse))
    degrees = max(1 / (told**2).sum() - 1, 1.0)
    reach = quantile_of_t(degrees, confidence) * np.sqrt(np.maximum(variance, 0.0))
    return Examination(found, found * np.exp(-reach), found * np.exp(reach), queries)


def _solved(totals: Floats) -> Floats:
    """Solve the equations, beginning with the ratio to the rank that shares most clicks."""
    depth = len(totals)
    found = np.ones(depth)
    for rank in range(1, depth):
        to = int(np.argmax(np.minimum(totals[rank, :rank], totals[:rank, rank])))
        found[rank] = found[to] * totals[rank, to] / totals[to, rank]
    if np.count_nonzero(np.tril(totals + totals.T)) == depth - 1:
        return found
    for _ in range(_STEPS):
        share = found[:, None] / (found[:, None] + found)
        excess = (totals - (totals + totals.T) * share).sum(axis=1)[1:]
        step = np.linalg.solve(_information(totals, found), excess)
        found[1:] *= np.exp(np.clip(step, -1.0, 1.0))
        if np.abs(step).max() < 1e-13:
            break
    return found


def _information(totals: Floats, found: Floats) -> Floats:
    """Return the information on the logarithms of examination, but for that of rank 1."""
    share = found[:, None] / (found[:, None] + found)
    weights = (totals + totals.T) * share * share.T
    np.fill_diagonal(weights, 0.0)
    return (np.diag(weights.sum(axis=1)) - weights)[1:, 1:]


def by_em(cells: RankCells, depth: int) -> Examination:
    """Estimate the position-based model by expectation maximisation, over counts by rank."""
    at, n, clicks = cells.rank - 1, cells.impressions, cells.clicks
    of_pair, of_rank = np.bincount(cells.pair, n), np.bincount(at, n, depth)
    attraction, examination = np.full(len(of_pair), 0.5), np.full(depth, 0.5)
    for _ in range(_PASSES):
        a, e = attraction[cells.pair], examination[at]
        missed = np.zeros(len(at))
        np.divide(n - clicks, 1 - a * e, out=missed, where=n > clicks)
        attraction = np.bincount(cells.pair, clicks + missed * a * (1 - e)) / of_pair
        examination = np.bincount(at, clicks + missed * e * (1 - a), depth) / of_rank
    nothing = np.full(depth, math.nan)
    why = "EM has no interval here, as its bias may be larger than its error"
    queries = int(cells.query[-1]) + 1
    return Examination(examination / examination[0], nothing, nothing, queries, why)
