"""Tied documents in no order: the ranks that each may have, with their probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment.aligned_run import LAST_RANK, Alignment
from rankmark.data.alignment.segments import query_of_rows
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.data.alignment.expected import ExpectedAlignment

_PIECE = 1 << 19  # ranks expanded at a time


def places(a: Alignment, k: int | None) -> ExpectedAlignment:
    """Return the ranks, down to ``k`` and ``a.retrieved``, that each document may have.

    Documents with the same query, score and kind share rows, as measures do not distinguish them.
    """
    spans = spans_of(a, np.arange(len(a.rank)), by_kind=True)
    return _spread_out(a, spans, k)[0]


def first_places(a: Alignment, rel: float, k: int | None) -> tuple[ExpectedAlignment, Floats]:
    """Return the ranks, down to ``k``, that the first relevant document may have.

    The second value is the probability that there is none, for each query: (Q,) float64.
    """
    spans = spans_of(a, np.flatnonzero(a.relevant(rel)))
    leads = np.append(True, spans.query[1:] != spans.query[:-1])[: len(spans.query)]
    spans = spans.only(leads)
    rows, span, offset = _spread_out(a, spans, k)
    size, judged = spans.size[span], spans.judged[span]
    # Drawn without replacement: no relevant document at the ranks before, and one here.
    passed = np.maximum(size - judged - offset, 0.0) / (size - offset)
    passed = Alignment.cumprod(rows, passed)
    before = np.where(offset == 0, 1.0, np.append(1.0, passed[:-1])[: len(passed)])
    rows.chance[:] = before * np.minimum(judged / (size - offset), 1.0)
    none = np.ones(len(a.retrieved))
    last = np.append(offset[1:] == 0, True)[: len(offset)]
    none[spans.query[span[last]]] = passed[last]
    return rows, none


def chance_of_all(a: Alignment, rel: float, k: int | None) -> Floats:
    """Return the probability that all relevant documents retrieved are among the first ``k``: (Q,).

    If j of s tied documents are relevant, and m of them are among the first k, it is
    m/s * (m-1)/(s-1) * ..., with j factors.
    """
    spans = spans_of(a, np.flatnonzero(a.relevant(rel)))
    query, first, size, judged, begin, _ = spans
    span = np.repeat(np.arange(len(begin)), judged.astype(np.int64))
    place = np.arange(len(span)) - begin[span]
    taken = np.clip(last_ranks(a, k)[query] - first + 1.0, 0.0, size)[span]
    chance = np.ones(len(a.retrieved))
    np.multiply.at(chance, query[span], np.maximum(taken - place, 0.0) / (size[span] - place))
    return chance


def stop_places(a: Alignment, stop: Floats, k: int | None) -> ExpectedAlignment:
    """Return the ranks, down to ``k``, at which a user who reads down the ranking may stop.

    ``stop`` is the probability that the user stops at each document: (H,) float64.
    """
    kept = np.flatnonzero(stop > 0)
    spans = spans_of(a, kept)
    rows, span, offset = _spread_out(a, spans, k)
    # The probability to pass the first j documents of a tie, for each j: the mean, over all choices
    # of j documents, of the product of the probabilities to pass each. Documents with stop 0 are
    # included from the start, the others are added one by one.
    counts = np.bincount(span, minlength=len(spans.begin)) + 1
    tie = np.repeat(np.arange(len(counts)), counts)
    at = np.cumsum(counts) - counts
    j = np.arange(len(tie)) - at[tie]
    passed = np.ones(len(tie))
    for added in range(int(spans.judged.max(initial=0))):
        more = spans.judged > added
        chance = np.zeros(len(counts))
        chance[more] = 1.0 - stop[kept[spans.begin[more] + added]]
        size = (spans.size - spans.judged + added + 1.0)[tie]
        one_less = np.append(1.0, passed[:-1])[: len(passed)]
        mixed = ((size - j) * passed + j * chance[tie] * one_less) / size
        passed = np.where(more[tie] & (j <= size), mixed, passed)
    arriving = np.append(1.0, a.cumprod(1.0 - stop))[spans.row]
    arriving[np.isin(spans.row, a.starts)] = 1.0
    j_of_row = (at[span] + offset).astype(np.int64)
    rows.chance[:] = arriving[span] * (passed[j_of_row] - passed[j_of_row + 1])
    return rows


def hit_places(a: Alignment, rel: float, k: int | None) -> tuple[ExpectedAlignment, Floats]:
    """Return the ranks, down to ``k``, that relevant documents may have.

    The second value is the expected number of relevant documents down to each row's rank, given
    that there is one at that rank: (H,) float64.
    """
    hits = np.flatnonzero(a.relevant(rel))
    spans = spans_of(a, hits)
    rows, span, offset = _spread_out(a, spans, k)
    before = a.cumsum(a.relevant(rel).astype(np.float64))[spans.row] - 1.0
    others = (spans.judged - 1.0) / np.maximum(spans.size - 1.0, 1.0)
    return rows, before[span] + 1.0 + offset * others[span]


def found_cases(a: Alignment, rel: float, k: int | None) -> list[tuple[Alignment, Floats]]:
    """List the cases of how many relevant documents are among the first ``k``.

    Each case has the relevant documents found, their ties cut at ``k``, and the probability of the
    case for each query: (Q,) float64.
    """
    limit = last_ranks(a, k)[query_of_rows(a.starts)]
    first, last = tie_columns(a)
    rows = np.flatnonzero(a.relevant(rel) & (first <= limit))
    query, limit, first, last = query_of_rows(a.starts)[rows], limit[rows], first[rows], last[rows]
    spans = spans_of(a, rows)
    cut = last[spans.begin] > limit[spans.begin]
    open_spans = spans.only(cut)
    slots = limit[open_spans.begin] - open_spans.first + 1
    place = np.arange(len(rows)) - np.repeat(spans.begin, spans.judged.astype(np.int64))
    cases = []
    for left, chance in cut_cases(open_spans, slots, len(a.retrieved)):
        kept = np.full(len(spans.begin), len(rows))
        kept[cut] = left
        found = place < np.repeat(kept, spans.judged.astype(np.int64))
        counts = np.bincount(query[found], minlength=len(a.retrieved))
        case = a.with_columns(
            starts=np.append(0, np.cumsum(counts)),
            rank=first[found],  # any rank of the tie
            label=a.label[rows[found]],
            tie_first=first[found],
            tie_last=np.minimum(last, limit)[found].astype(np.int32),
            views=a.views_at(rows[found]),
        )
        cases.append((case, chance))
    return cases


def cut_cases(spans: Spans, slots: Ints, queries: int) -> list[tuple[Ints, Floats]]:
    """List how many documents of each tie, at most one a query, a cut may keep.

    The number kept is hypergeometric. Each case is a number for each span, (S,), and the
    probability of the case for each query, (Q,) float64; queries without a cut tie have 1 in the
    first case and 0 in the others.
    """
    kept = [
        _kept(int(judged), int(size), int(number))
        for judged, size, number in zip(spans.judged, spans.size, slots, strict=True)
    ]
    cases = []
    for i in range(max(map(len, kept), default=1)):
        case = [numbers[i] if i < len(numbers) else (numbers[0][0], 0.0) for numbers in kept]
        chance = np.full(queries, float(i == 0))
        chance[spans.query] = [probability for _, probability in case]
        cases.append((np.array([number for number, _ in case], dtype=np.int64), chance))
    return cases


def _kept(judged: int, size: int, slots: int) -> list[tuple[int, float]]:
    """List the numbers of judged documents that may be kept, with their probabilities."""
    return [
        (n, math.comb(judged, n) * math.comb(size - judged, slots - n) / math.comb(size, slots))
        for n in range(max(0, slots - (size - judged)), min(judged, slots) + 1)
    ]


def last_ranks(a: Alignment, k: int | None) -> Ints:
    """Return the last rank of each query, at most ``k``: (Q,) int64."""
    return a.retrieved if k is None else np.minimum(a.retrieved, min(k, LAST_RANK))


def is_cut(a: Alignment) -> bool:
    """Return True if a tie extends beyond the last rank of a query."""
    if a.tie_last is None or not len(a.tie_last):
        return False
    return bool((a.tie_last > a.spread(a.retrieved.astype(np.float64))).any())


def in_pieces(a: Alignment, k: int | None) -> Iterator[Alignment]:
    """Split into groups of queries that have not too many ranks, down to ``k``, in total."""
    ranks = np.cumsum(last_ranks(a, k))
    if not len(ranks) or ranks[-1] <= _PIECE:
        yield a
        return
    begin = 0
    while begin < len(ranks):
        before = ranks[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ranks, before + _PIECE, side="right")), begin + 1)
        yield queries_of(a, begin, end)
        begin = end


def queries_of(a: Alignment, begin: int, end: int) -> Alignment:
    """Keep the queries from number ``begin``, from 0, to before ``end``."""
    rows = slice(a.starts[begin], a.starts[end])
    ideal = slice(a.ideal_starts[begin], a.ideal_starts[end])
    return Alignment(
        a.queries[begin:end],
        a.starts[begin : end + 1] - a.starts[begin],
        a.rank[rows],
        a.label[rows],
        a.retrieved[begin:end],
        a.ideal_starts[begin : end + 1] - a.ideal_starts[begin],
        a.ideal_label[ideal],
        None if a.tie_first is None else a.tie_first[rows],
        None if a.tie_last is None else a.tie_last[rows],
        views=a.views_at(rows, ideal),
    )


class Spans(NamedTuple):
    """Documents with the same query and score, and optionally of the same kind: (S,) each.

    ``begin`` is the first row among those grouped, and ``row`` the same row in the alignment;
    ``size`` counts all documents with the score, ``judged`` the rows.
    """

    query: Ints
    first: Ints
    size: Floats
    judged: Floats
    begin: Ints
    row: Ints

    def only(self, mask: Bools) -> Spans:
        """Keep the spans of the mask."""
        query, first, size, judged, begin, row = self
        return Spans(query[mask], first[mask], size[mask], judged[mask], begin[mask], row[mask])


def tie_columns(a: Alignment) -> tuple[Ranks, Ranks]:
    """Return the first and the last rank of each row's score: (H,) and (H,) int32."""
    return (
        a.rank if a.tie_first is None else a.tie_first,
        a.rank if a.tie_last is None else a.tie_last,
    )


def spans_of(a: Alignment, rows: Ints, *, by_kind: bool = False) -> Spans:
    """Group ``rows``, row numbers in rank order, by query and score, and optionally by kind."""
    query, (first, last), kind = query_of_rows(a.starts), tie_columns(a), a.kinds()
    if by_kind and a.tie_first is not None:
        rows = rows[np.lexsort((kind[rows], first[rows], query[rows]))]
    query, first, last, kind = query[rows], first[rows], last[rows], kind[rows]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    if by_kind:
        new[1:] |= kind[1:] != kind[:-1]
    begin = np.flatnonzero(new)
    return Spans(
        query[begin],
        first[begin].astype(np.int64),
        (last[begin] - first[begin] + 1).astype(np.float64),
        np.diff(begin, append=len(rows)).astype(np.float64),
        begin,
        rows[begin],
    )


def _spread_out(
    a: Alignment, spans: Spans, k: int | None
) -> tuple[ExpectedAlignment, Ints, Floats]:
    """Build a row for each rank of each span; also return its span, and its offset there from 0."""
    from rankmark.data.alignment.expected import ExpectedAlignment  # noqa: PLC0415

    limit = last_ranks(a, k)
    ranks = np.minimum(spans.size, limit[spans.query] - spans.first + 1.0)
    ranks = np.maximum(ranks, 0.0).astype(np.int64)
    span = np.repeat(np.arange(len(ranks)), ranks)
    offset = np.arange(len(span)) - np.repeat(np.cumsum(ranks) - ranks, ranks)
    counts = np.bincount(spans.query[span], minlength=len(a.retrieved))
    row = spans.row[span]
    expected = ExpectedAlignment(
        a.queries,
        np.append(0, np.cumsum(counts)),
        (spans.first[span] + offset).astype(np.int32),
        a.label[row],
        a.retrieved,
        a.ideal_starts,
        a.ideal_label,
        views=a.views_at(row),
        _ideal=a._ideal,
        chance=(spans.judged / spans.size)[span],
    )
    return expected, span, offset.astype(np.float64)
