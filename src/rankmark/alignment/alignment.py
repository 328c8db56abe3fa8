"""The waist: every input becomes an Alignment, and every measure is a short formula over one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rankmark import _core
from rankmark.alignment.known import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankmark.alignment.views import View
    from rankmark.array_types import Bools, Floats, Ints, Ranks, Values


T = TypeVar("T")
LAST_RANK = 2**31 - 1  # ranks are int32


class Needs(NamedTuple):
    """What the measures asked for look at; the rest need not be aligned.

    Parameters
    ----------
    lowest
        Judged documents with lower labels are left out.
    deepest
        So are those at higher ranks; None for none.
    ideal
        How many of each query's highest labels are looked at; None for all.
    subtopics
        Whether some measure sees the subtopics that documents were judged for.
    """

    lowest: float = float("-inf")
    deepest: int | None = None
    ideal: int | None = None
    subtopics: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """The judged documents that a run retrieved, with their ranks: all that a measure looks at.

    Q queries, H judged and retrieved documents, J judged documents. Unjudged documents are the
    gaps between ranks; their ids are not kept. Rows of one query stand together: query q owns rows
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
        (H,) float64, the document's label. Documents that no measure asked for looks at, by label
        or by rank, may be left out.
    retrieved
        (Q,) int64, documents retrieved, judged or not.
    ideal_starts
        (Q + 1,) int64, non-decreasing from 0 to J.
    ideal_label
        (J,) float64, all judged labels of the query, high to low, retrieved or not; or as many of
        the highest as the measures asked for look at.
    tie_first, tie_last
        (H,) int32, 1-based first and last rank of the documents that share the score, or None
        where no document kept shares its score with another.
    views
        What a few measures see beside labels, by what these depend on: "subtopics" or
        "preferences". Empty for all other measures and judgments.

    Notes
    -----
    What several measures ask for is computed once and kept, as many values as ``Known`` keeps;
    an evaluation drops it when it is done. What follows from the ideal columns alone is shared by
    all alignments with the same ones.
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
    _ideal: Known = field(default_factory=Known, repr=False, kw_only=True)
    _known: Known = field(default_factory=Known, repr=False, init=False)

    def relevant(self, rel: float) -> Bools:
        """Say which documents have a label of at least ``rel``: (H,) bool."""
        return self.once(("relevant", rel), lambda: self.label >= rel)

    def nonrelevant(self, rel: float, judged: float) -> Bools:
        """Say which documents have a label from ``judged`` to below ``rel``: (H,) bool."""
        return self.once(
            ("nonrelevant", rel, judged), lambda: (self.label >= judged) & (self.label < rel)
        )

    def within(self, k: int | None) -> Bools:
        """Say which documents stand at rank ``k`` or before: (H,) bool, all true for None."""
        limit = LAST_RANK if k is None or k > LAST_RANK else k
        return self.once(("within", k), lambda: self.rank <= limit)

    def num_relevant(self, rel: float) -> Floats:
        """Count judged documents with a label of at least ``rel``: (Q,) float64."""
        return self.of_ideal(
            ("num_relevant", rel), lambda: _count(self.ideal_label >= rel, self.ideal_starts)
        )

    def cutoff(self, k: int | None) -> Floats:
        """Give the cutoff of each query, (Q,) float64: ``k``, or without one all it retrieved."""
        if k is None:
            return self.once(("cutoff", k), lambda: self.retrieved.astype(np.float64))
        return self.of_ideal(("cutoff", k), lambda: np.full(len(self.retrieved), float(k)))

    def hits(self, rel: float, k: int | None) -> Bools:
        """Say which documents are relevant and stand at rank ``k`` or before: (H,) bool."""
        if k is None:
            return self.relevant(rel)
        return self.once(("hits", rel, k), lambda: self.relevant(rel) & self.within(k))

    def found(self, rel: float, k: int | None) -> Floats:
        """Count the relevant documents at rank ``k`` or before: (Q,) float64."""
        return self.once(("found", rel, k), lambda: self.count(self.hits(rel, k)))

    def spread(self, values: Floats) -> Floats:
        """Repeat each query's value for each of its rows: (Q,) to (H,) float64."""
        return np.repeat(values, np.diff(self.starts))

    def sum(self, values: Floats) -> Floats:
        """Add up the rows of each query, first to last: (H,) to (Q,) float64."""
        return segment_sum(values, self.starts)

    def count(self, mask: Bools) -> Floats:
        """Count the true rows of each query: (H,) to (Q,) float64."""
        return _count(mask, self.starts)

    def cumsum(self, values: Floats) -> Floats:
        """Add up the rows of each query so far: (H,) to (H,) float64."""
        return segment_cumsum(values, self.starts)

    def cumprod(self, values: Floats) -> Floats:
        """Multiply the rows of each query so far: (H,) to (H,) float64."""
        values = np.ascontiguousarray(values, dtype=np.float64)
        out = np.empty(len(values))
        _core.cumprod(values, self.starts, out)
        return out

    def first(self, mask: Bools, values: Floats, *, absent: float = 0.0) -> Floats:
        """Take the value of each query's first true row, or ``absent``: (H,) to (Q,) float64."""
        out = np.empty(len(self.starts) - 1)
        _core.first(mask, values, self.starts, absent, out)
        return out

    def upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Add up the rows of some queries to some ranks: (H,), (m,) and (m,) to (m,) float64."""
        longest = max(int(rank.max(initial=0)), int(self.rank.max(initial=0))) + 1
        places = query_of_rows(self.starts) * longest + self.rank
        rows = np.searchsorted(places, query * longest + rank, side="right")
        totals = np.append(0.0, self.cumsum(values))
        return np.where(rows > self.starts[query], totals[rows], 0.0)

    def ideal_upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Add up the ideal rows of some queries to some ranks: (J,), (m,), (m,) to (m,) float64."""
        totals = np.zeros(len(values) + 1)
        _core.cumsum(np.ascontiguousarray(values), self.ideal_starts, totals[1:])
        first, end = self.ideal_starts[query], self.ideal_starts[query + 1]
        rows = np.minimum(first + rank, end)
        return np.where(rows > first, totals[rows], 0.0)

    def ideal_sum(self, values: Floats) -> Floats:
        """Add up the ideal rows of each query: (J,) to (Q,) float64."""
        return segment_sum(values, self.ideal_starts)

    def ideal_rank(self) -> Ints:
        """Give the number of each ideal row in its query: (J,) int64, 1-based."""
        return self.of_ideal("ideal_rank", lambda: positions(self.ideal_starts))

    def ideal_query(self) -> Ints:
        """Give the number of each ideal row's query: (J,) int64, 0-based."""
        return self.of_ideal("ideal_query", lambda: query_of_rows(self.ideal_starts))

    def perfect(self) -> Alignment:
        """Align the ranking of all judged documents of each query, by label, high to low.

        Holds as many of them as ``ideal_label`` does, and no views.
        """
        return Alignment(
            queries=self.queries,
            starts=self.ideal_starts,
            rank=self.ideal_rank().astype(np.int32),
            label=self.ideal_label,
            retrieved=np.diff(self.ideal_starts),
            ideal_starts=self.ideal_starts,
            ideal_label=self.ideal_label,
            _ideal=self._ideal,
        )

    def once(self, what: object, compute: Callable[[], T]) -> T:
        """Compute what several measures ask for once.

        ``what`` names it, with every parameter that it depends on.
        """
        value: T | None = self._known.get(what)
        return self._known.keep(what, compute()) if value is None else value

    def of_ideal(self, what: object, compute: Callable[[], T]) -> T:
        """Compute once, for all runs, what follows from the judgments alone; see ``once``."""
        value: T | None = self._ideal.get(what)
        return self._ideal.keep(what, compute()) if value is None else value

    def forget(self, *, ideals: bool = False) -> None:
        """Drop what was computed; if asked, also what follows from the judgments alone."""
        self._known.clear()
        if ideals:
            self._ideal.clear()

    def apart(self) -> Alignment:
        """Copy it, to share nothing that is computed from now on."""
        return replace(self, _ideal=Known())

    def with_columns(self, **columns: Any) -> Alignment:
        """Replace columns, by those of other rankings with the same judgments."""
        return replace(self, **columns)

    def seeing(self, depends_on: str) -> Alignment:
        """Leave out the views that a measure does not see, by what it depends on."""
        if not self.views.keys() - {depends_on}:
            return self
        views = {name: view for name, view in self.views.items() if name == depends_on}
        return self.once(("seeing", *views), lambda: replace(self, views=views))

    def views_at(
        self, rows: Ints | slice, ideal_rows: Ints | slice = slice(None)
    ) -> Mapping[str, View[Any]]:
        """Give the views of some rows and of some ideal rows, in the order given."""
        return {name: view.at(rows, ideal_rows) for name, view in self.views.items()}

    def kinds(self) -> Floats:
        """Give what tells documents apart: their numbers where a view has them, else their labels.

        (H,) float64. Documents of one kind can change places, and no value changes.
        """
        for view in self.views.values():
            return view.document.astype(np.float64)
        return self.label

    def ideal_kinds(self) -> Floats:
        """Give what tells ideal rows apart in the same way: (J,) float64."""
        for view in self.views.values():
            return view.ideal_document.astype(np.float64)
        return self.ideal_label


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide, nothing of nothing being 0: (Q,) and (Q,) to (Q,) float64."""
    out = np.empty(len(part))
    _core.ratio(part, whole, out)
    return out


def query_of_rows(starts: Ints) -> Ints:
    """Give the number of each row's segment: (Q + 1,) to (n,) int64, 0-based."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def positions(starts: Ints) -> Ints:
    """Give the number of each row in its segment: (n,) int64, 1-based."""
    counts = np.diff(starts)
    return np.arange(1, starts[-1] + 1) - np.repeat(starts[:-1], counts)


def segment_sum(values: Values, starts: Ints) -> Floats:
    """Add up each segment, first to last: (n,) to (Q,) float64."""
    out = np.empty(len(starts) - 1)
    _core.sum(np.ascontiguousarray(values, dtype=np.float64), starts, out)
    return out


def segment_cumsum(values: Values, starts: Ints) -> Floats:
    """Add up each segment so far: (n,) to (n,) float64."""
    out = np.empty(len(values))
    _core.cumsum(np.ascontiguousarray(values, dtype=np.float64), starts, out)
    return out


def earlier_lower(values: Ints, starts: Ints) -> Ints:
    """Count, for each row, the earlier ones of its segment that hold less: (n,) int64."""
    values = np.ascontiguousarray(values, dtype=np.int64)
    out = np.empty(len(values), dtype=np.int64)
    _core.earlier_lower(values, starts, out)
    return out


def _count(mask: Bools, starts: Ints) -> Floats:
    out = np.empty(len(starts) - 1)
    _core.count(mask, starts, out)
    return out
