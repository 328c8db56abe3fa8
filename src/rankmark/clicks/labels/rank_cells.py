"""Impressions and clicks by query, document and rank, and which ranks documents share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import narwhals as nw
import numpy as np

from rankmark.clicks.logs.counting import arrays, one

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.clicks.logs.click_log import ClickLog

_c = nw.col


class RankCells(NamedTuple):
    """What was shown and clicked, by query and document and rank, sorted by them.

    Parameters
    ----------
    query, pair, rank
        (C,) numbers of queries and of pairs of a query and a document, from 0, and ranks from 1.
    impressions, clicks
        (C,) whole numbers.
    """

    query: Ints
    pair: Ints
    rank: Ints
    impressions: Ints
    clicks: Ints

    @classmethod
    def of(cls, log: ClickLog, depth: int) -> RankCells:
        """Count in the engine, down to a rank."""
        rows = log.frame.filter(~_c("query").is_null() & (_c("rank") <= depth))
        rows = rows.with_columns(clicks=one(_c("click") > 0))
        counted = rows.group_by("query", "doc", "rank").agg(_c("clicks").sum(), n=nw.len())
        found = arrays(counted, sort=("query", "doc", "rank"))
        query = _numbered(found["query"])
        pair = _numbered(found["doc"], query)
        numbers = (found[name].astype(np.int64) for name in ("rank", "n", "clicks"))
        return cls(query, pair, *numbers)


def _numbered(ids: np.ndarray, within: Ints | None = None) -> Ints:
    """Return numbers from 0 for runs of equal ids, each anew within others."""
    changes = ids[1:] != ids[:-1]
    if within is not None:
        changes |= within[1:] != within[:-1]
    return np.concatenate([np.zeros(min(len(ids), 1), np.int64), np.cumsum(changes)])


class SharedClicks(NamedTuple):
    """Clicks at two ranks on documents that were seen at both.

    A document counts by the weights of Mantel and Haenszel: with n impressions at the one rank and
    m at the other, its clicks there by m / (n + m) and n / (n + m), as if it had been shown equally
    often. So its relevance is the same on both sides, and the ratio of the sums is that of the
    examination of both ranks.

    Parameters
    ----------
    query
        (S,) numbers of queries.
    upper, lower
        (S,) the two ranks, from 0.
    at_upper, at_lower
        (S,) float64, clicks there.
    """

    query: Ints
    upper: Ints
    lower: Ints
    at_upper: Floats
    at_lower: Floats

    @classmethod
    def of(cls, cells: RankCells, method: str) -> SharedClicks:
        """Compare neighbouring ranks ("chain"), all with rank 1 ("swap"), or any two ("pairs")."""
        rows = np.arange(len(cells.pair))
        found = [(rows[:0], rows[:0])]
        for step in range(1, 2 if method == "chain" else len(rows)):
            same = cells.pair[:-step] == cells.pair[step:]
            if not same.any():
                break
            found.append((rows[:-step][same], rows[step:][same]))
        one, other = (np.concatenate(each) for each in zip(*found, strict=True))
        upper, lower = cells.rank[one] - 1, cells.rank[other] - 1
        kept = {"chain": lower == upper + 1, "swap": upper == 0}.get(method, upper >= 0)
        one, other = one[kept], other[kept]
        n, m = cells.impressions[one], cells.impressions[other]
        at_upper, at_lower = cells.clicks[one] * m / (n + m), cells.clicks[other] * n / (n + m)
        return cls(cells.query[one], upper[kept], lower[kept], at_upper, at_lower)

    def totals(self, depth: int) -> Floats:
        """Return clicks at rank i + 1 compared with rank j + 1: (depth, depth)."""
        found: Floats = np.zeros((depth, depth))
        np.add.at(found, (self.upper, self.lower), self.at_upper)
        np.add.at(found, (self.lower, self.upper), self.at_lower)
        return found
