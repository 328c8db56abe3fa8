"""Documents of one score taken together: what stands above, among and below each tie."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import query_of_rows

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools, Floats, Ints


class Tied(NamedTuple):
    """The tie in which each document stands, of one document or more, within the first k.

    first, last
        (H,) float64, 1-based ranks of its first and last document.
    begin, end
        (H,) int64, rows begin to end of the alignment are its judged documents.
    """

    first: Floats
    last: Floats
    begin: Ints
    end: Ints


def tied(a: Alignment, k: int | None) -> Tied:
    """Find the tie of each document; what stands beyond rank k was not retrieved."""
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
    last = np.minimum(a.tie_last, np.repeat(end, np.diff(a.starts)))  # a tie may be cut through
    return Tied(
        a.tie_first.astype(np.float64),
        last.astype(np.float64),
        bounds[number],
        bounds[number + 1],
    )


def count_to_end(a: Alignment, mask: Bools, tie: Tied) -> Floats:
    """Count the true rows of the query to the end of each row's tie: (H,) float64."""
    return a.cumsum(mask.astype(np.float64))[tie.end - 1]


def count_above(a: Alignment, mask: Bools, tie: Tied) -> Floats:
    """Count the true rows of the query before each row's tie: (H,) float64."""
    counted = mask.astype(np.float64)
    return (a.cumsum(counted) - counted)[tie.begin]


def share_in_order(
    a: Alignment, hit: Bools, k: int | None, wanted: Floats, tie_credit: float
) -> Floats:
    """Give the share of pairs, one of the hits and one other document, that are in order.

    The other documents are those of the first k that are no hits. ``wanted`` counts the relevant
    documents, retrieved or not; one not retrieved is below all others. A tied pair counts
    ``tie_credit``. Without another document the share is 1 if there is a hit, else 0: (Q,) float64.
    """
    found, others = a.count(hit), others_of(a, hit, k)
    pairs = wanted * others
    wrong = a.sum(out_of_order(a, hit, k, tie_credit))
    wrong += (wanted - found) * others
    share = np.divide(wrong, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    return np.where(found > 0, 1.0 - share, 0.0)


def others_of(a: Alignment, hit: Bools, k: int | None) -> Floats:
    """Count the documents of the first k that are no hits: (Q,) float64."""
    others: Floats = (a.retrieved if k is None else np.minimum(a.retrieved, k)) - a.count(hit)
    return others


def out_of_order(a: Alignment, hit: Bools, k: int | None, tie_credit: float) -> Floats:
    """Count for each hit the others of the first k that do not stand below it, 0 for the rest.

    A tied one counts 1 - ``tie_credit``: (H,) float64.
    """
    tie = tied(a, k)
    before, to_end = count_above(a, hit, tie), count_to_end(a, hit, tie)
    higher = tie.first - 1.0 - before
    level = (tie.last - tie.first + 1.0) - (to_end - before)
    wrong: Floats = hit * (higher + (1.0 - tie_credit) * level)
    return wrong
