"""From a measure's contributions to those of each document of one query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.alignment import query_of_rows, ratio
from rankmark.data.alignment.expected import ExpectedAlignment
from rankmark.results.explanations.page import number
from rankmark.results.explanations.ranked_documents import Document, in_rank_order, not_retrieved
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.text_tables import Bar

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.alignment import Alignment
    from rankmark.results.explanations.contributions import Contributions, Explained


_ROUNDED = 1e-12  # lower probabilities are rounding errors


class Breakdown(NamedTuple):
    """The contributions of the documents of one query to a value.

    Parameters
    ----------
    documents
        In rank order, then those that were not retrieved.
    added
        The contribution of each; None if unknown.
    columns
        {heading: a number for each document, or None} that explain the contributions.
    rest, rest_is
        The contribution of no document, and a description of it.
    """

    documents: list[Document]
    added: list[float] | None
    columns: dict[str, list[float | None]]
    rest: float = 0.0
    rest_is: str = ""


def unknown(documents: Sequence[Document]) -> Breakdown:
    """Return a breakdown without contributions."""
    return Breakdown([*in_rank_order(documents), *not_retrieved(documents)], None, {})


def breakdown_of(
    measure: Explained,
    a: Alignment,
    documents: Sequence[Document],
    *,
    placed: Alignment | None = None,
) -> Breakdown:
    """Return the contributions to the value of the only query of ``a``.

    ``placed`` has the rows of ``a`` at the ranks at which they count, unless those are ``a``'s.
    """
    if placed is not None and len(placed.rank) != len(a.rank):  # some are not retrieved
        return unknown(documents)
    ranked, missed = in_rank_order(documents), not_retrieved(documents)
    every = [*ranked, *missed]
    contributions = measure.contributions(a if placed is None else placed)
    if contributions is None:
        return unknown(documents)
    row = {rank: place for place, rank in enumerate(a.rank.tolist())}
    rows = [row.get(document.rank or 0) for document in ranked]
    unjudged = np.array([d.rank for d, at in zip(ranked, rows, strict=True) if at is None])
    of_unjudged = iter(
        _of_unjudged(contributions, np.zeros(len(unjudged), np.int64), unjudged).tolist()
    )
    of_ranked = contributions.ranked.tolist()
    shares = [next(of_unjudged) if at is None else of_ranked[at] for at in rows]
    labels = np.array([document.number for document in missed], dtype=np.float64)
    shares += _of_missed(contributions, np.zeros(len(missed), np.int64), labels).tolist()
    divisor = (
        np.ones(len(shares))
        if contributions.divisor is None
        else np.full(len(shares), contributions.divisor[0])
    )
    columns = {
        heading: [None if at is None else _shown(values[at]) for at in rows] + [None] * len(missed)
        for heading, values in contributions.columns.items()
    }
    rest = 0.0 if contributions.rest is None else float(contributions.rest[0])
    return Breakdown(
        every, ratio(np.array(shares), divisor).tolist(), columns, rest, contributions.rest_is
    )


def _shown(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def breakdown_over_orders(
    measure: Explained,
    orders: Sequence[tuple[Alignment, float]],
    documents: Sequence[Document],
    value: float,
) -> Breakdown:
    """Return the mean contribution of each document over orders of tied documents.

    Parameters
    ----------
    orders
        Alignments whose queries are all orders of one query's ties, or a sample, or an
        ExpectedAlignment of the query; each with the probability of its case.
    documents
        All documents of the query, in any order of its ties.
    value
        The mean value, exact even if orders are drawn.
    """
    every = [*in_rank_order(documents), *not_retrieved(documents)]
    ties = {document.tied for document in every if document.tied is not None}
    begin = {rank: first for first, last in ties for rank in range(first, last + 1)}
    lowest = measure.needs().lowest  # documents with lower labels count as unjudged
    sums: dict[tuple[int, float | None], float] = {}
    of_missed = rest = 0.0
    rest_is = "documents that were not retrieved"
    for a, chance in orders:
        contributions = measure.contributions(a)
        if contributions is None:
            return unknown(documents)
        weight = chance / len(a.retrieved)
        likely = a.chance if isinstance(a, ExpectedAlignment) else np.ones(len(a.rank))
        shares = (
            weight * likely * _divided(contributions, contributions.ranked, query_of_rows(a.starts))
        )
        rows = zip(a.rank.tolist(), a.kinds().tolist(), shares.tolist(), strict=True)
        for rank, kind, share in rows:
            key = begin.get(rank, rank), kind if kind >= lowest else None
            sums[key] = sums.get(key, 0.0) + share
        whose, ranks, likely = _unjudged_ranks(a)
        shares = (
            weight
            * likely
            * _divided(contributions, _of_unjudged(contributions, whose, ranks), whose)
        )
        for rank, share in zip(ranks.tolist(), shares.tolist(), strict=True):
            unjudged = begin.get(rank, rank), None
            sums[unjudged] = sums.get(unjudged, 0.0) + share
        if contributions.missed is not None:
            whose, labels = _missed_labels(a, documents)
            missed = _divided(contributions, _of_missed(contributions, whose, labels), whose)
            of_missed += float((weight * missed).sum())
        if contributions.rest is not None and contributions.rest.any():
            rest += weight * float(contributions.rest.sum())
            rest_is = contributions.rest_is
    alike: dict[tuple[int, float | None], int] = {}
    for document in every:
        key = _class(document, lowest)
        alike[key] = alike.get(key, 0) + 1
    added = [
        0.0
        if document.rank is None
        else sums.get(_class(document, lowest), 0.0) / alike[_class(document, lowest)]
        for document in every
    ]
    left = value - sum(added)
    drawn = abs(left - rest - of_missed) > 1e-9 * max(1.0, abs(value))
    if drawn:
        rest_is = "the difference of the exact mean and that of the orders drawn"
    return Breakdown(every, added, {}, left if drawn or rest or of_missed else 0.0, rest_is)


def breakdown_over_groups(
    measure: Explained, groups: Sequence[Alignment], documents: Sequence[Document]
) -> Breakdown:
    """Return the contributions to the mean over several groups of judgments.

    Each of ``groups`` is an alignment of the query with the labels of one group.
    """
    every = [*in_rank_order(documents), *not_retrieved(documents)]
    ranked = in_rank_order(documents)
    added, rest = np.zeros(len(every)), 0.0
    for a in groups:
        labels = dict(zip(a.rank.tolist(), a.label.tolist(), strict=True))
        left = Counter(a.ideal_label.tolist())
        left.subtract(a.label.tolist())
        group_documents = [
            document._replace(number=labels.get(document.rank or 0)) for document in ranked
        ]
        group_documents += [Document(None, label, label, None) for label in left.elements()]
        of_group_breakdown = breakdown_of(measure, a, group_documents)
        if of_group_breakdown.added is None:
            return unknown(documents)
        added[: len(ranked)] += of_group_breakdown.added[: len(ranked)]
        rest += of_group_breakdown.rest + sum(of_group_breakdown.added[len(ranked) :])
    shares = (added / len(groups)).tolist()
    return Breakdown(every, shares, {}, rest / len(groups), "not from retrieved documents")


def _class(document: Document, lowest: float) -> tuple[int, float | None]:
    """Return the tie and the label of a document; the mean contribution depends only on these."""
    begin = document.rank if document.tied is None else document.tied[0]
    judged = document.number is not None and document.number >= lowest
    return begin or 0, document.number if judged else None


def _divided(contributions: Contributions, values: Floats, query: Ints) -> Floats:
    return values if contributions.divisor is None else ratio(values, contributions.divisor[query])


def _of_unjudged(contributions: Contributions, query: Ints, rank: Ints) -> Floats:
    if contributions.unjudged is None or not len(rank):
        return np.zeros(len(rank))
    return contributions.unjudged(query, rank)


def _of_missed(contributions: Contributions, query: Ints, labels: Floats) -> Floats:
    if contributions.missed is None or not len(labels):
        return np.zeros(len(labels))
    return contributions.missed(query, labels)


def _unjudged_ranks(a: Alignment) -> tuple[Ints, Ints, Floats]:
    """List the ranks of unjudged documents: numbers of queries, ranks, and probabilities."""
    retrieved = a.retrieved.astype(np.int64)
    begins = np.append(0, np.cumsum(retrieved))
    unjudged = np.ones(begins[-1])
    at = begins[query_of_rows(a.starts)] + a.rank - 1
    np.subtract.at(unjudged, at, a.chance if isinstance(a, ExpectedAlignment) else 1.0)
    unjudged[np.abs(unjudged) < _ROUNDED] = 0.0
    query = query_of_rows(begins)
    rank = np.arange(begins[-1]) - begins[query] + 1
    present = unjudged > 0
    return query[present], rank[present], unjudged[present]


def _missed_labels(a: Alignment, documents: Sequence[Document]) -> tuple[Ints, Floats]:
    """List the labels of judged documents not retrieved: numbers of queries, and labels."""
    if isinstance(a, ExpectedAlignment):  # its ties are not cut, so all orders have the same
        labels = [document.number for document in not_retrieved(documents)]
        return np.zeros(len(labels), dtype=np.int64), np.array(labels, dtype=np.float64)
    found: list[tuple[int, float]] = []
    for query, (begin, end) in enumerate(pairwise(a.starts.tolist())):
        left = Counter(a.ideal_label[a.ideal_starts[query] : a.ideal_starts[query + 1]].tolist())
        left.subtract(a.label[begin:end].tolist())
        found += [(query, label) for label in left.elements()]
    whose = np.array([query for query, _ in found], dtype=np.int64)
    return whose, np.array([label for _, label in found], dtype=np.float64)


Row = dict[str, Any]
"""A row of an Explanation; see its ``rows``."""
_OF_ALL = frozenset(
    ["rank", "doc_id", "label", "tied", "subtopics", "contribution", "total", "note"]
)
_EMPTY = dict.fromkeys(_OF_ALL)
_IDEAL = 10  # rows shown because of the ideal ranking
_ALWAYS = 3  # rows at the top that are always shown
_MOST = 30  # rows with contributions that are shown
_LAST = 5  # of these, those at the end


def table(rows: Sequence[Row], ideal: Sequence[Row], *, all_rows: bool, wide: bool) -> MarkedTable:
    """Build the table of one explanation, with the label of the ideal ranking at each rank.

    A wide table also has its document and running total.
    """
    known = all(row["contribution"] is not None for row in rows)
    if wide:
        depth = max((row["rank"] or 0 for row in rows), default=0)
        rows = sorted(
            [*rows, *(_EMPTY | {"rank": row["rank"]} for row in ideal if row["rank"] > depth)],
            key=lambda row: row["rank"] or math.inf,
        )
    headings = list(dict.fromkeys(key for row in rows for key in row if key not in _OF_ALL))
    named = any(row["doc_id"] is not None or row["rank"] is None for row in rows)
    head = ["rank", *(["document"] if named else []), "label"]
    head += [name.replace("_", " ") for name in headings]
    head += ["adds", "total"] if known else []
    sizes = [abs(row["contribution"] or 0.0) for row in rows]
    most = max([*sizes, *(abs(row["contribution"] or 0.0) for row in ideal)], default=0.0)
    cells: list[list[str]] = []
    for row in rows:
        line = [number(row["rank"]) + ("=" if row["tied"] else "")]
        line += [row["doc_id"] or row["note"] or ""] if named else []
        line += ["?" if row["note"] == "unjudged" else number(row["label"])]
        line += [number(row.get(name)) for name in headings]
        cells.append([*line, *([_bar(row["contribution"], most), number(row["total"])] * known)])
    if ideal:
        ideal_cells = {row["rank"]: _ideal(row, named=named, wide=wide) for row in ideal}
        head += [["ideal"], ["ideal document"] * named + ["ideal label", "ideal total"]][wide]
        empty = [""] * len(next(iter(ideal_cells.values())))
        pairs = zip(rows, cells, strict=True)
        cells = [line + ideal_cells.get(row["rank"], empty) for row, line in pairs]
    first = min(len(ideal), _IDEAL)
    shortest = shortened(cells, rows, all_rows=all_rows, first=first)
    return MarkedTable(head, shortest, 0, ids=[1] if named else [])


def _bar(value: float | None, most: float) -> str:
    """Return a number with its share of the greatest; without one for empty and NaN."""
    share = (value or 0.0) / most if most else 0.0
    return Bar(number(value), share) if math.isfinite(share) else number(value)


def _ideal(row: Row, *, named: bool, wide: bool) -> list[str]:
    if not wide:
        return [number(row["label"])]
    return [*([row["doc_id"] or ""] * named), number(row["label"]), number(row["total"])]


def marks(rows: Sequence[Row], ideal: Sequence[Row]) -> list[str]:
    """Explain the marks in the table, if there are any."""
    lines = []
    if any(row["note"] == "unjudged" for row in rows):
        lines.append("?: unjudged")
    if any(row["tied"] for row in rows):
        lines.append("=: tied with its neighbours")
    if ideal:
        lines.append("ideal: the ideal ranking at this rank")
    return ["; ".join(lines) + "."] if lines else []


def shortened(
    cells: Sequence[Sequence[str]],
    rows: Sequence[Row],
    *,
    all_rows: bool,
    first: int = 0,
) -> list[Sequence[str] | str]:
    """Leave out stretches of rows without contributions, and some with them if there are many.

    The ``first`` rows are always shown.
    """
    first = max(first, _ALWAYS)
    if all_rows:
        return list(cells)
    adds = [bool(row.get("difference", row.get("contribution"))) for row in rows]
    kept = [i for i, row in enumerate(rows) if adds[i] or i < first or row.get("rank") is None]
    if len(kept) > _MOST:
        kept = [*kept[: _MOST - _LAST], *kept[-_LAST:]]
    shown: list[Sequence[str] | str] = []
    previous = -1
    for i in [*kept, len(cells)]:
        hidden = rows[previous + 1 : i]
        if len(hidden) == 1:
            shown.append(cells[previous + 1])
        elif hidden:
            shown.append(_left_out(hidden))
        shown += cells[i : i + 1]
        previous = i
    return shown


def _left_out(rows: Sequence[Row]) -> str:
    added = [row.get("difference", row.get("contribution")) for row in rows]
    total = sum(contribution for contribution in added if contribution is not None)
    ranks = [row["rank"] for row in rows if row.get("rank") is not None]
    which = f"ranks {ranks[0]} to {ranks[-1]}" if ranks and "difference" not in rows[0] else ""
    what = f"{which}: {len(rows)} rows" if which else f"{len(rows)} more rows"
    if None in added:
        return f"   ... {what}"
    return f"   ... {what} that add {'nothing' if not any(added) else number(total)}"
