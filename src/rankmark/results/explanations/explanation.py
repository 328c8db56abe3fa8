"""The explanation of one value of one query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError
from rankmark.results.explanations.breakdown import Breakdown, breakdown_of, marks, table, unknown
from rankmark.results.explanations.contributions import added_up, short, worked
from rankmark.results.explanations.page import Page
from rankmark.results.explanations.ranked_documents import by_merit, in_rank_order, not_retrieved
from rankmark.results.shown_parts import Formula, Part, Title
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.data.alignment import Alignment
    from rankmark.results.explanations.contributions import Explained
    from rankmark.results.explanations.list_votes import ListVotes
    from rankmark.results.explanations.ranked_documents import Document

_NAMED = 8  # documents named in a line


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Explanation(Page):
    """The contributions of documents to a measure's value for one query.

    Attributes
    ----------
    measure, query
        The measure, and the query's id, empty for a bare list.
    value
        The value, float64, as returned by ``evaluate``.
    rows
        A dict for each document in rank order, down to the measure's cutoff: ``rank`` 1-based,
        ``doc_id``, ``label`` (None if unjudged), ``tied`` (first and last rank of its tie, or
        None), columns of the measure, ``contribution``, the running ``total``, and a ``note``.
        Contributions of documents that were not retrieved, and those of no document, follow with
        rank None, so that contributions add up to the value. Unknown contributions are None.
    ideal
        The same for the relevant documents of the ideal ranking.
    missed
        ``doc_id`` and ``label`` of judged documents not retrieved, the highest label first.
    below
        ``rank``, ``doc_id`` and ``label`` of relevant documents below the cutoff. Those that do not
        fit into a budget have the rank that they were retrieved at.
    counts
        True and false positives and negatives at the cutoff: ``tp``, ``fp``, ``fn``, ``tn``; empty
        for a measure that looks at no label, such as MIUF.
    tn_of
        What ``tn`` counts: documents of the "collection" if its size was given, otherwise only
        "judged" documents.
    formula
        The measure's formula with this query's numbers, ending in the value.
    notes
        Further remarks.
    settings
        The conventions.
    votes
        What each list gave the documents of a fused run, ListVotes; None for other runs.
    """

    measure: Explained
    query: str
    value: float
    rows: list[dict[str, Any]]
    ideal: list[dict[str, Any]]
    missed: list[dict[str, Any]]
    below: list[dict[str, Any]]
    counts: dict[str, int]
    tn_of: str
    formula: str
    notes: list[str] = field(default_factory=list)
    settings: Mapping[str, Any] = field(default_factory=dict)
    votes: ListVotes | None = None

    def _contents(self) -> dict[str, Any]:
        return {
            "measure": str(self.measure),
            "query": self.query,
            "value": self.value,
            "formula": self.formula,
            "counts": {**self.counts, "tn_of": self.tn_of},
            "rows": self.rows,
            "ideal": self.ideal,
            "missed": self.missed,
            "below": self.below,
            "notes": self.notes,
            "settings": self.settings,
            **({} if self.votes is None else {"votes": self._named_votes().to_dict()}),
        }

    def _named_votes(self) -> ListVotes:
        """Return the votes for the documents in the table, and relevant ones below the cutoff."""
        assert self.votes is not None  # noqa: S101
        return self.votes.of(row["doc_id"] for row in [*self.rows, *self.below])

    def _table(self) -> dict[str, Any]:
        about = {"measure": str(self.measure), "query_id": self.query}
        names = ("rank", "doc_id", "label", "contribution", "total", "note")
        return columns_of([about | row for row in self.rows], *about, *names)

    def plot(self, *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot what each document adds to the value, and what those of the ideal ranking add.

        There is a row for each rank, the first on top, with a filled bar for the document there and
        a hollow one for that of the ideal ranking, if the measure has one. Of more than 40 ranks,
        those after the last one that adds anything are left out.

        Parameters
        ----------
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure, which you can change and save.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        MeasureError
            If it is unknown what documents add, as for your own measures.
        InputError
            If no document was retrieved or is relevant, or ``ax`` is not Axes.
        """
        from rankmark.results.explanations.picture import draw  # noqa: PLC0415

        return draw(self, ax, title=title)

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Part]:
        of_query = f" of query {self.query}" if self.query else ""
        blocks: list[Part] = [
            Title(f"{self.measure}{of_query}: {short(self.value)}"),
            table(self.rows, self.ideal, all_rows=all_rows, wide=wide),
            *marks(self.rows, self.ideal),
            *([self._counted()] if self.counts else []),
        ]
        if self.missed:
            missed = [f"{_named_by_id(row)}label {short(row['label'])}" for row in self.missed]
            blocks.append(f"Judged and not retrieved: {_listed(missed)}.")
        if self.below:
            below = [f"{_named_by_id(row)}at rank {row['rank']}" for row in self.below]
            blocks.append(f"Relevant below the cutoff: {_listed(below)}.")
        if self.votes is not None:
            votes = self._named_votes()
            blocks += [votes.title(), votes.grid(all_rows=all_rows)]
        return [*blocks, *self.notes, Formula(self.formula)]

    def _counted(self) -> str:
        k = getattr(self.measure, "k", None)
        where = "retrieved" if k is None else f"among the first {k}"
        tp, fp, fn, tn = (self.counts[name] for name in ("tp", "fp", "fn", "tn"))
        unjudged = sum(row["note"] == "unjudged" for row in self.rows)
        of_them = f", {unjudged} of them unjudged" if unjudged else ""
        left = "of the collection" if self.tn_of == "collection" else "judged"
        return (
            f"TP {tp}: relevant, {where}. FP {fp}: not relevant, {where}{of_them}. "
            f"FN {fn}: the other relevant ones. TN {tn}: the others {left} not relevant."
        )


def explanation_of(
    measure: Explained,
    query: str,
    a: Alignment,
    documents: Sequence[Document],
    *,
    value: float | None = None,
    breakdown: Breakdown | None = None,
    collection: int | None = None,
    notes: Iterable[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Explanation:
    """Explain the value of one ranking.

    Parameters
    ----------
    a
        The ranking, as the only query.
    documents
        All documents of the query, retrieved or judged.
    value
        Its value if that is not the measure's score of ``a``.
    breakdown
        The contributions of documents if they do not follow from ``a``, as for a mean over orders.
    collection
        The number of documents in the collection; None if unknown.

    Raises
    ------
    InputError
        If the collection is not a whole number, or has fewer documents than the query.
    """
    counts, tn_of = _counts(measure, a, documents, collection)
    expected = breakdown is not None and breakdown.added is not None
    breakdown = breakdown or breakdown_of(measure, a, documents)
    scored = float(measure.score(a)[0])
    if expected:
        scored = math.fsum([*(breakdown.added or ()), breakdown.rest])
    value = scored if value is None else value
    if breakdown.added is not None and not _adds_up(breakdown, scored):
        # A subclass may override the score and inherit contributions.
        breakdown = unknown(documents)
    rest, rest_is = breakdown.rest, breakdown.rest_is
    # Sums over orders of ties are inexact.
    same = math.isclose(value, scored, rel_tol=1e-9, abs_tol=1e-12)
    if not same and not measure.has_relevant(a)[0]:
        rest, rest_is = rest + value - scored, "nothing is relevant"
    best = measure.ideal_ranking(a)
    cutoff = getattr(measure, "k", None) or math.inf
    ideal = [] if best is None else _ideal_rows(measure.for_ideal(), best, documents)
    if expected and breakdown.added is not None:
        formula = added_up(measure, [*breakdown.added, rest], value)
    else:
        formula = worked(measure, a, best, value, known=breakdown.added is not None)
    return Explanation(
        measure=measure,
        query=query,
        value=value,
        rows=_rows(breakdown, cutoff, rest, rest_is),
        ideal=ideal,
        missed=[_named(document) for document in not_retrieved(breakdown.documents)],
        below=_below(measure, a, documents, cutoff),
        counts=counts,
        tn_of=tn_of,
        formula=formula,
        notes=list(notes),
        settings=settings or {},
    )


def _adds_up(breakdown: Breakdown, scored: float) -> bool:
    """Return True if the contributions add up to the score, up to rounding."""
    added = [*(breakdown.added or ()), breakdown.rest]
    size = max(1.0, sum(map(abs, added)))
    return math.isclose(sum(added), scored, rel_tol=1e-9, abs_tol=1e-9 * size) or size == math.inf


def _rows(breakdown: Breakdown, cutoff: float, rest: float, rest_is: str) -> list[dict[str, Any]]:
    """Build a row for each document down to the cutoff, and for other contributions."""
    rows: list[dict[str, Any]] = []
    total = 0.0
    for i, document in enumerate(breakdown.documents):
        share = None if breakdown.added is None else breakdown.added[i]
        if (document.rank is None or document.rank > cutoff) and not share:
            continue
        total += share or 0.0
        rows.append(
            {"rank": document.rank, **_named(document), "tied": document.tied}
            | {heading: values[i] for heading, values in breakdown.columns.items()}
            | {"contribution": share, "total": None if share is None else total}
            | {"note": _note(document)}
        )
    if rest:
        nothing = dict.fromkeys(["label", "tied", *breakdown.columns])
        rows.append(
            {"rank": None, "doc_id": None, **nothing, "contribution": rest}
            | {"total": total + rest, "note": rest_is}
        )
    return rows


def _note(document: Document) -> str | None:
    if document.rank is None:
        return "not retrieved"
    return "unjudged" if document.number is None else None


def _named(document: Document) -> dict[str, Any]:
    named: dict[str, Any] = {"doc_id": document.doc_id, "label": document.label}
    return named if document.subtopics is None else named | {"subtopics": dict(document.subtopics)}


def _ideal_rows(
    measure: Explained, best: Alignment, documents: Sequence[Document]
) -> list[dict[str, Any]]:
    cutoff = getattr(measure, "k", None) or math.inf
    kinds = best.kinds()
    named = [
        document._replace(rank=rank, tied=None)
        for document, rank in zip(by_merit(documents, kinds), best.rank.tolist(), strict=True)
    ]
    breakdown = breakdown_of(measure, best, named)
    relevant = measure.is_relevant(best, kinds)
    rows = _rows(breakdown, cutoff, 0.0, "")
    kept = [row for row, counts in zip(rows, relevant.tolist(), strict=False) if counts]
    return [{key: row[key] for key in row if key not in {"tied", "note"}} for row in kept]


def _below(
    measure: Explained, a: Alignment, documents: Sequence[Document], cutoff: float
) -> list[dict[str, Any]]:
    deeper = [d for d in in_rank_order(documents) if (d.rank or 0) > cutoff]
    relevant = _relevant(measure, a, deeper)
    return [
        {"rank": document.rank, **_named(document)}
        for document, counts in zip(deeper, relevant, strict=True)
        if counts
    ]


def _relevant(measure: Explained, a: Alignment, documents: Sequence[Document]) -> list[bool]:
    """Return whether each document counts as relevant; unjudged documents do not."""
    numbers = [document.number for document in documents]
    judged = np.array([number for number in numbers if number is not None], dtype=np.float64)
    relevant = iter(measure.is_relevant(a, judged).tolist())
    return [number is not None and next(relevant) for number in numbers]


def _counts(
    measure: Explained, a: Alignment, documents: Sequence[Document], collection: int | None
) -> tuple[dict[str, int], str]:
    cutoff = getattr(measure, "k", None) or math.inf
    relevant = _relevant(measure, a, documents)
    first = [(d.rank or math.inf) <= cutoff if d.rank else False for d in documents]
    tp = sum(r and f for r, f in zip(relevant, first, strict=True))
    fp = sum(first) - tp
    fn = sum(relevant) - tp
    if collection is None:
        judged = (d.number is not None for d in documents)
        rows = zip(relevant, first, judged, strict=True)
        return _four(tp, fp, fn, sum(j and not r and not f for r, f, j in rows)), "judged"
    if collection < len(documents):
        raise InputError(
            f"collection is {collection}",
            f"need at least {len(documents)}, the number of documents retrieved or judged",
        )
    return _four(tp, fp, fn, collection - tp - fp - fn), "collection"


def _four(tp: int, fp: int, fn: int, tn: int) -> dict[str, int]:
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


def _named_by_id(row: dict[str, Any]) -> str:
    return "" if row["doc_id"] is None else f"{row['doc_id']} "


def _listed(named: Sequence[str]) -> str:
    more = len(named) - _NAMED
    return ", ".join([*named[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])
