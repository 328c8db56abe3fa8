"""The Alignment: every input becomes one, and every measure is a short formula over one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankmark._core import count as fill_count
from rankmark._core import cumcount as fill_cumcount
from rankmark._core import cumprod as fill_cumprod
from rankmark._core import cumsum as fill_cumsum
from rankmark._core import earlier_lower as fill_earlier_lower
from rankmark._core import first as fill_first
from rankmark._core import first_rank as fill_first_rank
from rankmark._core import found as fill_found
from rankmark._core import hits as fill_hits
from rankmark._core import ratio as fill_ratio
from rankmark._core import sum as fill_sum
from rankmark._core import sum_of_first as fill_sum_of_first
from rankmark._core import sum_to as fill_sum_to
from rankmark._core import sum_where as fill_sum_where
from rankmark.data.alignment.cache import Cache
from rankmark.data.alignment.segments import lengths, positions, query_of_rows
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankmark.array_types import Bools, Floats, Ints, Ranks, Values
    from rankmark.data.alignment.views import View

T = TypeVar("T")
LAST_RANK = 2**31 - 1  # ranks are int32


class Needs(NamedTuple):
    """What measures need of an alignment; the rest may be left out.

    Parameters
    ----------
    lowest
        The lowest label needed.
    deepest
        The last rank needed; None for all.
    ideal
        How many of each query's highest labels are needed; None for all.
    subtopics
        Whether the subtopics of judged documents are needed.
    """

    lowest: float = float("-inf")
    deepest: int | None = None
    ideal: int | None = None
    subtopics: bool = False


@dataclass(slots=True, eq=False)  # frozen, it would take three times as long to make
class Alignment:
    """The judged documents that a run retrieved, with their ranks: the input of every measure.

    Q queries, H judged and retrieved documents, J judged documents. Unjudged documents are the
    gaps between ranks; their ids are not kept. The rows of a query are adjacent: query q owns rows
    ``starts[q]`` to ``starts[q + 1]``. Read-only.

    Parameters
    ----------
    queries
        (Q,) query ids, in judgment order.
    starts
        (Q + 1,) int64, non-decreasing from 0 to H.
    rank
        (H,) int32, 1-based, rising within a query.
    label
        (H,) float64, the document's label. Documents whose label or rank no measure needs may be
        left out.
    retrieved
        (Q,) int64, the number of documents retrieved, judged or not.
    ideal_starts
        (Q + 1,) int64, non-decreasing from 0 to J.
    ideal_label
        (J,) float64, all judged labels of the query, high to low, retrieved or not; or as many of
        the highest as measures need.
    tie_first, tie_last
        (H,) int32, 1-based first and last rank of the documents with the same score, or None if no
        document is tied.
    views
        What a few measures use besides labels: "subtopics" or "preferences". Empty for all other
        measures and judgments.

    Notes
    -----
    Values that several measures use are computed once and cached; an evaluation clears the cache at
    its end. Values of the ideal columns alone are shared by all alignments with the same ones.
    """

    queries: Sequence[str]
    starts: Ints
    rank: Ranks
    label: Floats
    retrieved: Ints
    ideal_starts: Ints
    ideal_label: Floats
    tie_first: Ranks | None = None
    tie_last: Ranks | None = None
    views: Mapping[str, View[Any]] = field(default_factory=dict)
    _ideal: Cache = field(default_factory=Cache, repr=False, kw_only=True)
    _cache: Cache = field(default_factory=Cache, repr=False, init=False)

    def relevant(self, rel: float) -> Bools:
        """Whether each document has a label of at least ``rel``: (H,) bool."""
        return self.once(("relevant", rel), lambda: self.label >= rel)

    def nonrelevant(self, rel: float, judged: float) -> Bools:
        """Whether each document has a label from ``judged`` to below ``rel``: (H,) bool."""
        return self.once(
            ("nonrelevant", rel, judged), lambda: (self.label >= judged) & (self.label < rel)
        )

    def within(self, k: int | None) -> Bools:
        """Whether each document is among the first ``k``: (H,) bool, all true for None."""
        return self.once(("within", k), lambda: self.rank <= last_rank(k))

    def num_relevant(self, rel: float) -> Floats:
        """Count judged documents with a label of at least ``rel``: (Q,) float64."""
        what = "num_relevant", rel
        relevant: Floats | None = self._ideal.get(what)
        if relevant is None:
            relevant = _count(self.ideal_label >= rel, self.ideal_starts)
            self._ideal.keep(what, relevant)
        return relevant

    def cutoff(self, k: int | None) -> Floats:
        """Return each query's cutoff, ``k`` or the number of documents retrieved: (Q,) float64."""
        if k is None:
            return self.once(("cutoff", k), lambda: self.retrieved.astype(np.float64))
        what = "cutoff", k
        cutoff: Floats | None = self._ideal.get(what)
        if cutoff is None:
            cutoff = np.full(len(self.retrieved), float(k))
            self._ideal.keep(what, cutoff)
        return cutoff

    def hits(self, rel: float, k: int | None) -> Bools:
        """Whether each document is relevant and among the first ``k``: (H,) bool."""
        what = "hits", rel, k
        hits: Bools | None = self._cache.get(what)
        if hits is None:
            hits = np.empty(len(self.rank), dtype=np.bool_)
            fill_hits(self.label, self.rank, rel, last_rank(k), hits)
            self._cache.keep(what, hits)
        return hits

    def found(self, rel: float, k: int | None) -> Floats:
        """Count the relevant documents among the first ``k``: (Q,) float64."""
        what = "found", rel, k
        found: Floats | None = self._cache.get(what)
        if found is None:
            found = np.empty(len(self.starts) - 1)
            fill_found(self.label, self.rank, self.starts, rel, last_rank(k), found)
            self._cache.keep(what, found)
        return found

    def first_rank(self, rel: float, k: int | None) -> Floats:
        """Return the rank of the first relevant document among the first ``k``: (Q,) float64.

        Infinity if there is none.
        """
        first = np.empty(len(self.starts) - 1)
        fill_first_rank(self.label, self.rank, self.starts, rel, last_rank(k), first)
        return first

    def spread(self, values: Floats) -> Floats:
        """Repeat each query's value for each of its rows: (Q,) to (H,) float64."""
        return np.repeat(values, lengths(self.starts))

    def sum(self, values: Floats) -> Floats:
        """Sum the rows of each query, first to last: (H,) to (Q,) float64."""
        return segment_sum(values, self.starts)

    def sum_where(self, mask: Bools, values: Floats) -> Floats:
        """Sum the rows of each query where ``mask`` is true: (H,) to (Q,) float64."""
        out = np.empty(len(self.starts) - 1)
        fill_sum_where(values, mask, self.starts, out)
        return out

    def sum_to(self, k: int | None, values: Floats) -> Floats:
        """Sum the rows of each query among the first ``k``: (H,) to (Q,) float64."""
        out = np.empty(len(self.starts) - 1)
        fill_sum_to(values, self.rank, self.starts, last_rank(k), out)
        return out

    def count(self, mask: Bools) -> Floats:
        """Count the true rows of each query: (H,) to (Q,) float64."""
        return _count(mask, self.starts)

    def cumsum(self, values: Floats) -> Floats:
        """Return the cumulative sums of the rows of each query: (H,) to (H,) float64."""
        return segment_cumsum(values, self.starts)

    def cumcount(self, mask: Bools) -> Floats:
        """Count the true rows of each query down to each row: (H,) to (H,) float64."""
        out = np.empty(len(mask))
        fill_cumcount(mask, self.starts, out)
        return out

    def cumprod(self, values: Floats) -> Floats:
        """Return the cumulative products of the rows of each query: (H,) to (H,) float64."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        out = np.empty(len(values))
        fill_cumprod(values, self.starts, out)
        return out

    def first(self, mask: Bools, values: Floats, *, absent: float = 0.0) -> Floats:
        """Return the value of each query's first true row, or ``absent``: (H,) to (Q,) float64."""
        out = np.empty(len(self.starts) - 1)
        fill_first(mask, values, self.starts, absent, out)
        return out

    def upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Sum the rows of each ``query`` down to ``rank``: (H,), (m,), (m,) to (m,) float64."""
        longest = max(int(rank.max(initial=0)), int(self.rank.max(initial=0))) + 1
        positions_of_rows = query_of_rows(self.starts) * longest + self.rank
        rows = np.searchsorted(positions_of_rows, query * longest + rank, side="right")
        totals = np.append(0.0, self.cumsum(values))
        return np.where(rows > self.starts[query], totals[rows], 0.0)

    def ideal_upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Sum the ideal rows of each ``query`` to ``rank``: (J,), (m,), (m,) to (m,) float64."""
        totals = np.zeros(len(values) + 1)
        fill_cumsum(np.ascontiguousarray(values), self.ideal_starts, totals[1:])
        first, end = self.ideal_starts[query], self.ideal_starts[query + 1]
        rows = np.minimum(first + rank, end)
        return np.where(rows > first, totals[rows], 0.0)

    def ideal_sum(self, values: Floats) -> Floats:
        """Sum the ideal rows of each query: (J,) to (Q,) float64."""
        return segment_sum(values, self.ideal_starts)

    def ideal_sum_of_first(self, k: int, values: Floats, divisors: Floats) -> Floats:
        """Sum the first ``k`` ideal rows of each query, each divided by what its place has.

        (J,) and (k,) or more to (Q,) float64.
        """
        out = np.empty(len(self.ideal_starts) - 1)
        values = np.ascontiguousarray(values, dtype=np.float64)
        fill_sum_of_first(values, divisors, self.ideal_starts, k, out)
        return out

    def ideal_rank(self) -> Ints:
        """Return the number of each ideal row in its query: (J,) int64, 1-based."""
        return self.of_ideal("ideal_rank", lambda: positions(self.ideal_starts))

    def ideal_query(self) -> Ints:
        """Return the number of each ideal row's query: (J,) int64, 0-based."""
        return self.of_ideal("ideal_query", lambda: query_of_rows(self.ideal_starts))

    def perfect(self) -> Alignment:
        """Align the ranking of the judged documents in ``ideal_label``, without views."""
        return Alignment(
            queries=self.queries,
            starts=self.ideal_starts,
            rank=self.ideal_rank().astype(np.int32),
            label=self.ideal_label,
            retrieved=lengths(self.ideal_starts),
            ideal_starts=self.ideal_starts,
            ideal_label=self.ideal_label,
            _ideal=self._ideal,
        )

    def once(self, what: object, compute: Callable[[], T]) -> T:
        """Compute a value that several measures use once; ``what`` identifies it."""
        value: T | None = self._cache.get(what)
        return self._cache.keep(what, compute()) if value is None else value

    def of_ideal(self, what: object, compute: Callable[[], T]) -> T:
        """Compute a value of the judgments alone once for all runs; see ``once``."""
        value: T | None = self._ideal.get(what)
        return self._ideal.keep(what, compute()) if value is None else value

    def clear_cache(self, *, ideals: bool = False) -> None:
        """Clear the cached values; ``ideals`` also clears those of the judgments."""
        self._cache.clear()
        if ideals:
            self._ideal.clear()

    def uncached(self) -> Alignment:
        """Copy the alignment, with caches of its own."""
        return replace(self, _ideal=Cache())

    def with_columns(self, **columns: Any) -> Alignment:
        """Copy the alignment with other columns, for the same judgments."""
        return replace(self, **columns)

    def with_views_of(self, depends_on: str) -> Alignment:
        """Keep only the views of measures that depend on this."""
        if not self.views.keys() - {depends_on}:
            return self
        views = {name: view for name, view in self.views.items() if name == depends_on}
        return self.once(("views", *views), lambda: replace(self, views=views))

    def views_at(
        self, rows: Ints | slice, ideal_rows: Ints | slice = slice(None)
    ) -> Mapping[str, View[Any]]:
        """Return the views of some rows and some ideal rows, in this order."""
        return {name: view.at(rows, ideal_rows) for name, view in self.views.items()}

    def kinds(self) -> Floats:
        """Return documents' numbers if a view has them, otherwise their labels: (H,) float64.

        Exchanging documents of the same kind changes no value.
        """
        for view in self.views.values():
            return view.document.astype(np.float64)
        return self.label

    def ideal_kinds(self) -> Floats:
        """Return the kinds of the ideal rows: (J,) float64; see ``kinds``."""
        for view in self.views.values():
            return view.ideal_document.astype(np.float64)
        return self.ideal_label


def last_rank(k: int | None) -> int:
    """Return the last rank up to a cutoff; without one, the last that there can be."""
    return LAST_RANK if k is None or k > LAST_RANK else k


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; 0 / 0 is 0: (Q,) and (Q,) to (Q,) float64."""
    out = np.empty(len(part))
    fill_ratio(part, whole, out)
    return out


def segment_sum(values: Values, starts: Ints) -> Floats:
    """Sum each segment, first to last: (n,) to (Q,) float64."""
    out = np.empty(len(starts) - 1)
    fill_sum(np.ascontiguousarray(values, dtype=np.float64), starts, out)
    return out


def segment_cumsum(values: Values, starts: Ints) -> Floats:
    """Return the cumulative sums of each segment: (n,) to (n,) float64."""
    out = np.empty(len(values))
    fill_cumsum(np.ascontiguousarray(values, dtype=np.float64), starts, out)
    return out


def earlier_lower(values: Ints, starts: Ints) -> Ints:
    """Count, for each row, the earlier rows of its segment with lower values: (n,) int64."""
    values = np.ascontiguousarray(values, dtype=np.int64)
    out = np.empty(len(values), dtype=np.int64)
    fill_earlier_lower(values, starts, out)
    return out


def _count(mask: Bools, starts: Ints) -> Floats:
    out = np.empty(len(starts) - 1)
    fill_count(mask, starts, out)
    return out


_GROUPS = "preferences"


def condensed(a: Alignment) -> Alignment:
    """Leave unjudged documents out of the rankings; the judged ones move up.

    The alignment must contain all judged documents that were retrieved.
    """
    return a.once("condensed", lambda: _condensed(a))


def _condensed(a: Alignment) -> Alignment:
    tie_first, tie_last = a.tie_first, a.tie_last
    if tie_first is not None:
        tie_first, tie_last = condensed_ties(tie_first, a.starts)
    views = dict(a.views)
    if _GROUPS in views:  # each group leaves out what it did not judge
        view = views[_GROUPS]
        views[_GROUPS] = replace(view, judged=replace(view.judged, condensed=True))
    return a.with_columns(
        rank=positions(a.starts).astype(np.int32),
        retrieved=np.diff(a.starts),
        tie_first=tie_first,
        tie_last=tie_last,
        views=views,
    )


def condensed_ties(tie_first: Ranks, starts: Ints) -> tuple[Ranks, Ranks]:
    """Rank only the rows of each segment: the first and last rank of each row's tie."""
    segment = query_of_rows(starts)
    begins = np.flatnonzero(np.diff(tie_first, prepend=-1) | np.diff(segment, prepend=-1))
    counts = np.diff(np.append(begins, len(tie_first)))
    first = np.repeat(positions(starts)[begins], counts)
    last = first + np.repeat(counts, counts) - 1
    return first.astype(np.int32), last.astype(np.int32)
