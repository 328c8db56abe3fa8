"""Ties as units: the documents above, in and below each tie."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, query_of_rows
from rankmark.named_tuples import NamedTuple


class Tied(NamedTuple):
    """The tie of each document, of one document or more, within the first k.

    first, last
        (H,) float64, the 1-based ranks of its first and last document.
    begin, end
        (H,) int64, the rows of its judged documents in the alignment.
    """

    first: Floats
    last: Floats
    begin: Ints
    end: Ints


def tied(a: Alignment, k: int | None) -> Tied:
    """Return the tie of each document; documents beyond rank k count as not retrieved."""
    rows = np.arange(len(a.rank))
    if a.tie_first is None or a.tie_last is None:
        rank = a.rank.astype(np.float64)
        return Tied(rank, rank, rows, rows + 1)
    query = query_of_rows(a.starts)
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (a.tie_first[1:] != a.tie_first[:-1])
    number = np.cumsum(new) - 1
    bounds = np.append(np.flatnonzero(new), len(rows))
    end = a.retrieved if k is None else np.minimum(a.retrieved, k)
    last = np.minimum(a.tie_last, np.repeat(end, np.diff(a.starts)))  # a tie may be cut
    return Tied(
        a.tie_first.astype(np.float64),
        last.astype(np.float64),
        bounds[number],
        bounds[number + 1],
    )


def count_to_end(a: Alignment, mask: Bools, tie: Tied) -> Floats:
    """Count the true rows of the query up to the end of each row's tie: (H,) float64."""
    return a.cumsum(mask.astype(np.float64))[tie.end - 1]


def count_above(a: Alignment, mask: Bools, tie: Tied) -> Floats:
    """Count the true rows of the query before each row's tie: (H,) float64."""
    counted = mask.astype(np.float64)
    return (a.cumsum(counted) - counted)[tie.begin]


def share_in_order(
    a: Alignment, hit: Bools, k: int | None, num_relevant: Floats, tie_credit: float
) -> Floats:
    """Return the fraction of pairs of a relevant and another document in order: (Q,) float64.

    The other documents are those of the first k that are not hits. ``num_relevant`` includes
    documents that were not retrieved, which are below all others. A tied pair counts
    ``tie_credit``. Without other documents, the fraction is 1 if there is a hit, else 0.
    """
    found, others = a.count(hit), others_of(a, hit, k)
    pairs = num_relevant * others
    wrong = a.sum(out_of_order(a, hit, k, tie_credit))
    wrong += (num_relevant - found) * others
    share = np.divide(wrong, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    return np.where(found > 0, 1.0 - share, 0.0)


def others_of(a: Alignment, hit: Bools, k: int | None) -> Floats:
    """Count the documents of the first k that are not hits: (Q,) float64."""
    return (a.retrieved if k is None else np.minimum(a.retrieved, k)) - a.count(hit)


def out_of_order(a: Alignment, hit: Bools, k: int | None, tie_credit: float) -> Floats:
    """Count, for each hit, the other documents of the first k that are not below it: (H,) float64.

    Tied documents count 1 - ``tie_credit`` each. The count is 0 for rows that are not hits.
    """
    tie = tied(a, k)
    before, to_end = count_above(a, hit, tie), count_to_end(a, hit, tie)
    higher = tie.first - 1.0 - before
    level = (tie.last - tie.first + 1.0) - (to_end - before)
    return hit * (higher + (1.0 - tie_credit) * level)
