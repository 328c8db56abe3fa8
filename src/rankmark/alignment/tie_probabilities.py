"""Tied documents in no order: the ranks that each may take, and how likely it is to stand there."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from rankmark.alignment.alignment import LAST_RANK, Alignment, query_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Bools, Floats, Ints, Ranks

_PIECE = 1 << 19  # ranks that are spread out at a time


@dataclass(frozen=True, slots=True, eq=False)
class Chances(Alignment):
    """Ranks that documents may take, each row with the documents to be expected there.

    What ``sum`` and ``count`` give is what is to be expected when all orders of tied documents are
    as likely: exact, as expected values add up. What runs down one ranking has no meaning here.

    Parameters
    ----------
    chance
        (H,) float64, the expected number of documents of the row's label at the row's rank.
    """

    chance: Floats = field(kw_only=True)

    def sum(self, values: Floats) -> Floats:
        """Add up the rows of each query, each as far as it is to be expected."""
        return Alignment.sum(self, values * self.chance)

    def count(self, mask: Bools) -> Floats:
        """Count the documents to be expected at the true rows of each query."""
        return Alignment.sum(self, np.where(mask, self.chance, 0.0))

    def upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Add up the rows of some queries to some ranks, each as far as it is to be expected."""
        order = np.lexsort((self.rank, query_of_rows(self.starts)))
        in_order = Alignment(
            self.queries,
            self.starts,
            self.rank[order],
            self.label[order],
            self.retrieved,
            self.ideal_starts,
            self.ideal_label,
        )
        return in_order.upto((values * self.chance)[order], query, rank)

    def cumsum(self, values: Floats) -> NoReturn:
        """Refuse: no row comes after another in every order."""
        raise _no_order("cumsum", values)

    def cumprod(self, values: Floats) -> NoReturn:
        """Refuse: no row comes after another in every order."""
        raise _no_order("cumprod", values)

    def first(self, mask: Bools, values: Floats, *, absent: float = 0.0) -> NoReturn:
        """Refuse: no row comes after another in every order."""
        raise _no_order("first", (mask, values, absent))


def places(a: Alignment, k: int | None) -> Chances:
    """Give the ranks to ``k`` that each document may take; ranks beyond ``a.retrieved`` are none.

    Documents of one query, score and kind share their rows, as no measure tells them apart.
    """
    spans = spans_of(a, np.arange(len(a.rank)), by_kind=True)
    return _spread_out(a, spans, k)[0]


def first_places(a: Alignment, rel: float, k: int | None) -> tuple[Chances, Floats]:
    """Give the ranks to ``k`` where the first relevant document may stand.

    The second is the chance of each query that none stands there: (Q,) float64.
    """
    spans = spans_of(a, np.flatnonzero(a.relevant(rel)))
    leads = np.append(True, spans.query[1:] != spans.query[:-1])[: len(spans.query)]
    spans = spans.only(leads)
    rows, span, offset = _spread_out(a, spans, k)
    size, judged = spans.size[span], spans.judged[span]
    # Without putting back: none of the places before holds a relevant document, and this one does.
    passed = np.maximum(size - judged - offset, 0.0) / (size - offset)
    passed = Alignment.cumprod(rows, passed)
    before = np.where(offset == 0, 1.0, np.append(1.0, passed[:-1])[: len(passed)])
    rows.chance[:] = before * np.minimum(judged / (size - offset), 1.0)
    none = np.ones(len(a.retrieved))
    last = np.append(offset[1:] == 0, True)[: len(offset)]
    none[spans.query[span[last]]] = passed[last]
    return rows, none


def stop_places(a: Alignment, stop: Floats, k: int | None) -> Chances:
    """Give the ranks to ``k`` where a user may stop who looks at one document after another.

    ``stop`` is the chance that each document makes the user stop: (H,) float64.
    """
    kept = np.flatnonzero(stop > 0)
    spans = spans_of(a, kept)
    rows, span, offset = _spread_out(a, spans, k)
    # The chance to pass the first j documents of a tie, for each j: the mean over all choices of j
    # of the product of the chances to pass each. Those that stop nobody are there from the start,
    # the others are added one by one.
    there = np.bincount(span, minlength=len(spans.begin)) + 1
    tie = np.repeat(np.arange(len(there)), there)
    at = np.cumsum(there) - there
    j = np.arange(len(tie)) - at[tie]
    passed = np.ones(len(tie))
    for added in range(int(spans.judged.max(initial=0))):
        more = spans.judged > added
        chance = np.zeros(len(there))
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


def hit_places(a: Alignment, rel: float, k: int | None) -> tuple[Chances, Floats]:
    """Give the ranks to ``k`` that relevant documents may take, and how many are found by then.

    The second is the number of relevant documents to be expected down to each row's rank, its own
    included, given that one stands there: (H,) float64.
    """
    hits = np.flatnonzero(a.relevant(rel))
    spans = spans_of(a, hits)
    rows, span, offset = _spread_out(a, spans, k)
    before = a.cumsum(a.relevant(rel).astype(np.float64))[spans.row] - 1.0
    others = (spans.judged - 1.0) / np.maximum(spans.size - 1.0, 1.0)
    return rows, before[span] + 1.0 + offset * others[span]


def found_cases(a: Alignment, rel: float, k: int | None) -> list[tuple[Alignment, Floats]]:
    """Tell apart how many relevant documents are found to ``k``, where ties leave that open.

    Each case holds the relevant documents found, whose ties end at ``k``, and the chance of each
    query to be as here: (Q,) float64.
    """
    limit = last_ranks(a, k)[query_of_rows(a.starts)]
    first, last = tie_columns(a)
    rows = np.flatnonzero(a.relevant(rel) & (first <= limit))
    query, limit, first, last = query_of_rows(a.starts)[rows], limit[rows], first[rows], last[rows]
    spans = spans_of(a, rows)
    cut = last[spans.begin] > limit[spans.begin]
    open_spans = spans.only(cut)
    places = limit[open_spans.begin] - open_spans.first + 1
    place = np.arange(len(rows)) - np.repeat(spans.begin, spans.judged.astype(np.int64))
    cases = []
    for left, chance in cut_cases(open_spans, places, len(a.retrieved)):
        kept = np.full(len(spans.begin), len(rows))
        kept[cut] = left
        there = place < np.repeat(kept, spans.judged.astype(np.int64))
        counts = np.bincount(query[there], minlength=len(a.retrieved))
        case = a.with_columns(
            starts=np.append(0, np.cumsum(counts)),
            rank=first[there],  # any rank of the tie
            label=a.label[rows[there]],
            tie_first=first[there],
            tie_last=np.minimum(last, limit)[there].astype(np.int32),
            views=a.views_at(rows[there]),
        )
        cases.append((case, chance))
    return cases


def cut_cases(spans: Spans, places: Ints, queries: int) -> list[tuple[Ints, Floats]]:
    """List how many documents a cut may leave of each tie that it goes through.

    It goes through one tie a query at most.

    The number left is hypergeometric, and any of the documents are as likely to be left. Each case
    is a number for each span, (S,), and its chance for each query: (Q,) float64, 1 for one where
    no tie is cut, in the first case alone.
    """
    left = [
        _left(int(judged), int(size), int(number))
        for judged, size, number in zip(spans.judged, spans.size, places, strict=True)
    ]
    cases = []
    for number in range(max(map(len, left), default=1)):
        some = [ways[number] if number < len(ways) else (ways[0][0], 0.0) for ways in left]
        chance = np.full(queries, float(number == 0))
        chance[spans.query] = [likely for _, likely in some]
        cases.append((np.array([kept for kept, _ in some], dtype=np.int64), chance))
    return cases


def _left(judged: int, size: int, places: int) -> list[tuple[int, float]]:
    ways = range(max(0, places - (size - judged)), min(judged, places) + 1)
    return [
        (n, math.comb(judged, n) * math.comb(size - judged, places - n) / math.comb(size, places))
        for n in ways
    ]


def last_ranks(a: Alignment, k: int | None) -> Ints:
    """Give the last rank to ``k`` that is there: (Q,) int64."""
    return a.retrieved if k is None else np.minimum(a.retrieved, min(k, LAST_RANK))


def is_cut(a: Alignment) -> bool:
    """Say whether documents tie with one another across the last rank that is there."""
    if a.tie_last is None or not len(a.tie_last):
        return False
    return bool((a.tie_last > a.spread(a.retrieved.astype(np.float64))).any())


def in_pieces(a: Alignment, k: int | None) -> Iterator[Alignment]:
    """Cut into queries that do not hold too many ranks to ``k`` together."""
    ranks = np.cumsum(last_ranks(a, k))
    if not len(ranks) or ranks[-1] <= _PIECE:
        yield a
        return
    begin = 0
    while begin < len(ranks):
        done = ranks[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ranks, done + _PIECE, side="right")), begin + 1)
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
    """Documents that share query and score (and are of one kind, where asked): (S,) each.

    ``begin`` is the first of the rows looked at, and ``row`` that one among all of the alignment's;
    ``size`` counts the documents of the score, ``judged`` the rows.
    """

    query: Ints
    first: Ints
    size: Floats
    judged: Floats
    begin: Ints
    row: Ints

    def only(self, mask: Bools) -> Spans:
        """Leave out where the mask is false."""
        query, first, size, judged, begin, row = self
        return Spans(query[mask], first[mask], size[mask], judged[mask], begin[mask], row[mask])


def tie_columns(a: Alignment) -> tuple[Ranks, Ranks]:
    """Give the first and the last rank of each row's score: (H,) and (H,) int32."""
    return (
        a.rank if a.tie_first is None else a.tie_first,
        a.rank if a.tie_last is None else a.tie_last,
    )


def spans_of(a: Alignment, rows: Ints, *, by_kind: bool = False) -> Spans:
    """Group rows, which are numbers of rows in rank order, by query and score (and kind)."""
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


def _spread_out(a: Alignment, spans: Spans, k: int | None) -> tuple[Chances, Ints, Floats]:
    """Make a row of each rank of each span; give its span as well, and its place there from 0."""
    limit = last_ranks(a, k)
    there = np.minimum(spans.size, limit[spans.query] - spans.first + 1.0)
    there = np.maximum(there, 0.0).astype(np.int64)
    span = np.repeat(np.arange(len(there)), there)
    offset = np.arange(len(span)) - np.repeat(np.cumsum(there) - there, there)
    counts = np.bincount(spans.query[span], minlength=len(a.retrieved))
    row = spans.row[span]
    chances = Chances(
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
    return chances, span, offset.astype(np.float64)


def _no_order(name: str, _asked: object) -> TypeError:
    return TypeError(
        f"{name} runs down a ranking, and tied documents are in no order: a measure that needs it "
        "is not one that adds_up"
    )
