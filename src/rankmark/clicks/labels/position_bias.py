"""Estimate how often people look at each rank: ``position_bias``."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.arguments import FromOne, Share, checked
from rankmark.clicks.labels.examination_estimates import (
    Examination,
    by_em,
    from_shared,
    refuse_unlinked,
)
from rankmark.clicks.labels.pair_sums import RankCounts, rank_counts
from rankmark.clicks.labels.rank_cells import RankCells, SharedClicks
from rankmark.clicks.labels.rank_examination import PositionBias, RankRow
from rankmark.clicks.logs.click_log import Log
from rankmark.errors import InputError

Way = Literal["chain", "swap", "pairs", "em"]


@checked
def position_bias(
    log: Log,
    method: Way = "chain",
    *,
    k: FromOne | None = None,
    confidence: Share = 0.95,
) -> PositionBias:
    """Estimate how often people look at each rank, compared with rank 1.

    The position-based model says that a click needs a look at the rank, and a document that
    attracts: P(click) = examination(rank) x attraction(query, document). Documents that were seen
    at two ranks have the same attraction at both, so that their clicks there are as the
    examination of the ranks.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returns, with ranks.

    Method:
    method
        ``"chain"`` compares neighbouring ranks, and multiplies their ratios; ``"swap"`` compares
        each rank with rank 1, as logs need that swap documents on purpose; ``"pairs"`` compares any
        two ranks, and so uses all documents that several rankers placed differently; ``"em"`` fits
        the model to all documents.

        EM estimates the attraction of each document, too, and is biased if these were shown
        rarely: on 10^7 impressions with 10.6 of each document, it gave .145 at rank 10, where .100
        is true and ``"chain"`` gave .099.
    k
        How many ranks; None for all of the log.

    Statistics:
    confidence
        Confidence of the intervals.

    Returns
    -------
    PositionBias
        ``examination`` from rank 1 on, that of rank 1 being 1, with intervals.

    Raises
    ------
    InputError
        If the log has no ranks, or a rank shares no clicked document with one above it, so that its
        examination is unknown.

    Notes
    -----
    "chain", "swap" and "pairs" are the estimators AdjacentChain, PivotOne and AllPairs of Agarwal
    et al. [1]_, with two differences: a document counts by the weights of Mantel and Haenszel, so
    that those shown once do not count as much as those shown often, and several estimates for a
    rank are combined by the equations of Bradley and Terry. Intervals are by the variance of sums
    over queries, on the scale of logarithms. EM is that of [2]_, 200 passes.

    References
    ----------
    .. [1] Agarwal, Zaitsev, Wang, Li, Najork and Joachims 2019, Estimating position bias without
       intrusive interventions, WSDM.
    .. [2] Chuklin, Markov and de Rijke 2015, Click models for web search.

    Examples
    --------
    >>> import rankmark as rm
    >>> shown = [("a", 1, 6), ("b", 2, 1), ("b", 1, 4), ("a", 2, 3)]  # document, rank, clicks of 10
    >>> rows = [
    ...     {"query_id": f"{at}{doc}", "query": "q", "doc": doc, "rank": rank, "click": at < clicks}
    ...     for at in range(10)
    ...     for doc, rank, clicks in shown
    ... ]
    >>> found = rm.position_bias(rm.read_log(rows))
    >>> found.examination
    (1.0, 0.4)
    """
    log.need("query", "rank", for_="position_bias")
    counts = rank_counts(log)
    depth = int(counts.rank[-1]) if k is None else min(k, int(counts.rank[-1]))
    # Below a rank at which nothing was shown, nothing can be compared.
    shown = counts.rank == np.arange(1, len(counts.rank) + 1)
    depth = min(depth, int(np.argmin(np.append(shown, False))) + 2)
    cells = RankCells.of(log, depth)
    shared = SharedClicks.of(cells, "pairs" if method == "em" else method)
    totals = shared.totals(depth)
    if depth == 1:
        raise InputError("documents were seen at rank 1 only", "a log with several ranks is needed")
    refuse_unlinked(totals, depth, method)
    found = by_em(cells, depth) if method == "em" else from_shared(shared, totals, confidence)
    compared = np.bincount(shared.lower, minlength=depth)
    return PositionBias(
        method=method,
        rows=_rows(found, counts, compared.tolist()),
        queries=found.queries,
        confidence=confidence,
        undefined=found.undefined,
        shown_per_document=float(cells.impressions.sum() / (cells.pair[-1] + 1)),
    )


def _rows(found: Examination, counts: RankCounts, compared: list[int]) -> tuple[RankRow, ...]:
    ends = (found.estimate.tolist(), found.low.tolist(), found.high.tolist())
    seen = (counts.impressions.tolist(), counts.clicks.tolist())  # every rank down to the lowest
    ranks = range(1, len(compared) + 1)
    rows = zip(ranks, *ends, *(one[: len(compared)] for one in seen), compared, strict=True)
    return tuple(RankRow(*row) for row in rows)
