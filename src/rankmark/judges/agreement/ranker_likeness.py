"""Whether a judge orders documents as a run does, and may be its ranker."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Needs, query_of_rows
from rankmark.data.preparing.matching import match
from rankmark.statistics import mean_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.statistics import Interval

FEWEST = 3
"""Documents of a query of which a correlation says something."""


class Likeness(NamedTuple):
    """How a run orders the documents that both judges labelled, by the labels of each.

    Parameters
    ----------
    system
        The run.
    first, second
        The mean over queries of Spearman's rho of the run's order and of the labels.
    difference
        The mean of second minus first, with an interval over queries for all runs together.
    """

    system: str
    first: float
    second: float
    difference: Interval


def likenesses(
    judges: tuple[Qrels, Qrels], runs: Mapping[str, Run], units: Conventions, confidence: float
) -> list[Likeness]:
    """Return how each run orders documents, by the labels of two judges.

    Queries count in which the run retrieved at least three documents that both judges labelled, and
    neither gave all of them the same label.
    """
    found = []
    level = 1 - (1 - confidence) / max(len(runs), 1)
    for name, run in runs.items():
        sides = [match(judge, run, units, needs=Needs())[0] for judge in judges]
        first, second = _correlations(*sides)
        known = ~(np.isnan(first) | np.isnan(second))
        if not known.any():
            continue
        step = (second - first)[known]
        (interval,) = mean_intervals(step[:, None], method="t", confidence=level)
        means = float(first[known].mean()), float(second[known].mean())
        found.append(Likeness(name, *means, interval))
    return found


def _correlations(a: Alignment, b: Alignment) -> tuple[Floats, Floats]:
    """Return rho of ranks and labels by query, of the documents that both judges labelled."""
    number = {query: at for at, query in enumerate(a.queries)}
    queries = np.array([number.get(query, -1) for query in b.queries], dtype=np.int64)
    most = int(max(a.rank.max(initial=0), b.rank.max(initial=0))) + 1
    # A query and a rank in the run are one document.
    keys_a = query_of_rows(a.starts) * most + a.rank
    of_b = queries[query_of_rows(b.starts)]
    keys_b = np.where(of_b >= 0, of_b * most + b.rank, -1)
    common, at_a, at_b = np.intersect1d(keys_a, keys_b, assume_unique=False, return_indices=True)
    kept = common >= 0
    query, rank = common[kept] // most, common[kept] % most
    return (
        _rho(query, rank, a.label[at_a[kept]], len(a.queries)),
        _rho(query, rank, b.label[at_b[kept]], len(a.queries)),
    )


def _rho(query: Ints, rank: Ints, label: Floats, queries: int) -> Floats:
    """Return Spearman's rho of low ranks and high labels in each query: (queries,) float64."""
    counts = np.bincount(query, minlength=queries)
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    x = -_mid_ranks(query, rank.astype(np.float64), starts)
    y = _mid_ranks(query, label, starts)
    sums = [np.bincount(query, weights=each, minlength=queries) for each in (x, y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (each - (total / counts)[query] for each, total in zip((x, y), sums, strict=True))
        products = [np.bincount(query, weights=w, minlength=queries) for w in (x * y, x * x, y * y)]
        rho = products[0] / np.sqrt(products[1] * products[2])
    return np.where((counts >= FEWEST) & (products[1] > 0) & (products[2] > 0), rho, np.nan)


def _mid_ranks(query: Ints, values: Floats, starts: Ints) -> Floats:
    """Rank values within each query, rising, tied ones by the mean of their ranks."""
    order = np.lexsort((values, query))
    ordered, of = values[order], query[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]) | (of[1:] != of[:-1]))[: len(order)]
    begins = np.flatnonzero(new)
    sizes = np.diff(begins, append=len(order))
    middle = begins + (sizes - 1) / 2
    found = np.empty(len(order))
    found[order] = np.repeat(middle, sizes) - starts[of]
    return found
