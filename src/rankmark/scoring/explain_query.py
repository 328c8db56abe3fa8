"""Explanations of one query of a run, which is read again for its document ids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.data.alignment import LAST_RANK, Alignment, Needs
from rankmark.data.alignment.tie_probabilities import queries_of
from rankmark.data.contract.reading_options import AS_USUAL, ONE_THREAD, Reading
from rankmark.data.preparing.id_mismatch import refuse_listed_in_query
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.ranked_queries import (
    JudgedDocuments,
    RankedDocuments,
    judged_anywhere,
    judged_documents,
    ranked_documents,
    run_for_query,
    with_groups_of,
)
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import units_to_documents
from rankmark.errors import MeasureError
from rankmark.measures import Measure
from rankmark.measures.of_runs.run_measure import NumberOfRun
from rankmark.results.explanations.breakdown import (
    Breakdown,
    breakdown_of,
    breakdown_over_groups,
    breakdown_over_orders,
    unknown,
)
from rankmark.results.explanations.explanation import Explanation, explanation_of
from rankmark.results.explanations.ranked_documents import Document, in_rank_order, placed
from rankmark.scoring.query_scores import by_group, in_groups
from rankmark.scoring.ranked import Ranked, refuse_unjudged
from rankmark.scoring.rejudged import as_measured
from rankmark.scoring.ties import Case, every_order, extreme_order, midranked

_TIES = {
    "mean": "the mean over all orders; ranks within a tie are by id",
    "best": "in the order that is best for the measure",
    "worst": "in the order that is worst for the measure",
    "midrank": "each at the middle of its ranks; those shown within a tie are by id",
}


def explained(
    qrels: Qrels,
    run: Run,
    query: str,
    measure: Measure,
    conventions: Conventions,
    collection: int | None,
    reading: Reading = AS_USUAL,
) -> Explanation:
    """Explain the value of one query, as returned by ``evaluate``."""
    found = _explained(qrels, run, query, measure, conventions, collection, reading)
    if measure.budget is not None:
        if measure.judged_only:
            conventions = replace(conventions, judged_only=True)
        _tell_what_did_not_fit(found, measure, qrels, run, conventions, reading)
    return found


def _explained(
    qrels: Qrels,
    run: Run,
    query: str,
    measure: Measure,
    conventions: Conventions,
    collection: int | None,
    reading: Reading,
) -> Explanation:
    refuse_unjudged(conventions, qrels.query_ids)
    _refuse_of_items(measure)
    if measure.judged_only:
        conventions = replace(conventions, judged_only=True)
    qrels, run, notes = as_measured(qrels, run, measure, conventions, query)
    judged = judged_documents(qrels, query)
    if measure.depends_on != "subtopics":
        judged = judged._replace(number=None)  # labels distinguish documents
    if not isinstance(conventions.queries, str) and query not in conventions.queries:
        notes.append("The query is not one of those chosen, and in no mean.")
    row = qrels.query_ids.index(query)
    found = run_for_query(with_groups_of(qrels, run), query, reading)
    if found is None:
        left_out = ", and in no mean" if conventions.queries == "both" else ""
        notes.append(f"The query is missing from {run.name}{left_out}.")
    run_of_query = found or Run({query: {}})
    if measure.depends_on == "anywhere":
        qrels = judged_anywhere(qrels, run_of_query, conventions)
        judged = judged_documents(qrels, query)
        notes.append("Documents that are judged for another query only are shown with label 0.")
    breakdown: Breakdown | None = None
    # All judged documents, whether the measure needs them or not.
    needs = Needs(subtopics=measure.depends_on == "subtopics")
    read = _Read(qrels, run_of_query, needs, query, row, judged)
    whole = Ranked.of(qrels, run_of_query, conventions, needs=needs, reading=ONE_THREAD)
    whole.refuse_ties(run.name)
    if units := int(whole.facts.units[row]):
        mapped = units_to_documents(units, int(whole.facts.unit_documents[row]))
        depth = conventions.unit_depth
        first = "" if depth is None else f"; only the first {depth:,} count"
        notes.append(f"Units: {mapped}{first}.")
    else:
        refuse_listed_in_query(qrels, run_of_query, judged.doc_ids)
    # The groups of all queries cannot be cut to one query, so labels explain it.
    grouped = in_groups(whole.alignment)
    ranked, at = (whole, row) if grouped else (whole.of_query(row), 0)
    raw, _ = ranked.raw(measure)
    if whole.alone is not None:
        a, documents, breakdown = _at_given_ranks(read, measure, ranked)
        notes.append(
            "Only the ranks of these documents are known; those between them are neither listed "
            "nor counted."
        )
    elif conventions.unordered is not None:
        a, documents, breakdown = _over_orders(read, measure, ranked, float(raw[0]))
        notes.append(f"Ties: {_TIES[conventions.unordered]}.")
    else:
        a = queries_of(whole.alignment.with_views_of("subtopics"), row, row + 1)
        retrieved = ranked_documents(run_of_query, query, conventions, judged.doc_ids)
        documents = _documents(retrieved, judged)
        if grouped:
            breakdown = _over_groups(measure, whole.alignment, row, documents, conventions)
            notes.append(
                "Judged in groups: the value is the mean over the groups."
                if breakdown.added is not None
                else "Judged in groups: the value is over these, and contributions are unknown."
            )
    return explanation_of(
        measure,
        query,
        a,
        documents,
        value=float(ranked.settled(measure, raw)[at]),
        breakdown=breakdown,
        collection=collection,
        notes=notes,
        settings=conventions.to_dict(),
    )


def _tell_what_did_not_fit(
    found: Explanation,
    measure: Measure,
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    reading: Reading,
) -> None:
    """Tell the documents that do not fit into a budget from those that were not retrieved."""
    query = found.query
    of_query = run_for_query(with_groups_of(qrels, run), query, reading) or Run({query: {}})
    judged = judged_documents(qrels, query)
    retrieved = ranked_documents(of_query, query, conventions.ordered(), judged.doc_ids)
    ranks = {doc_id: rank for rank, doc_id in enumerate(retrieved.doc_ids, 1)}
    cut = [row for row in found.missed if row["doc_id"] in ranks]
    found.missed[:] = [row for row in found.missed if row not in cut]
    labels = np.array([row["label"] for row in cut], dtype=np.float64)
    relevant = labels > 0
    if measure.depends_on != "subtopics":
        no_alignment: Any = None  # on which no other measure depends
        relevant = measure.is_relevant(no_alignment, labels)
    below = [{"rank": ranks[row["doc_id"]], **row} for row in cut]
    found.below[:] = sorted(
        (*found.below, *(row for row, counts in zip(below, relevant, strict=True) if counts)),
        key=lambda row: row["rank"],
    )


def _refuse_of_items(measure: Measure) -> None:
    """Refuse a measure of all lists, and one of lists whose history and items are not known."""
    if isinstance(measure, NumberOfRun):
        raise measure.not_by_query()
    if measure.depends_on == "lists":
        raise MeasureError(
            f"{measure} looks at what is known of items, which was not evaluated with it",
            "name it among the measures of evaluate, or call rm.explain",
        )


def _over_orders(
    read: _Read, measure: Measure, ranked: Ranked, value: float
) -> tuple[Alignment, list[Document], Breakdown | None]:
    """Find the best or worst order of the query, or break its mean over all orders down."""
    conventions = ranked.conventions
    uncut = replace(conventions.ordered(), depth=None, judged_only=False)
    retrieved = ranked_documents(read.run, read.query, uncut, read.judged.doc_ids)
    documents = _to_depth(_documents(retrieved, read.judged), conventions)
    if conventions.unordered in {"mean", "midrank"}:
        if conventions.unordered == "mean":
            orders = every_order(measure, ranked.cases)
            breakdown = breakdown_over_orders(measure, orders, documents, value)
        else:
            by_rank, placed_at = midranked(measure, ranked.cases)
            breakdown = breakdown_of(measure, by_rank, documents, placed=placed_at)
        by_id = Ranked.of(
            read.qrels, read.run, conventions.ordered(), needs=read.needs, reading=ONE_THREAD
        )
        return by_id.of_query(read.row).alignment, documents, breakdown
    a = extreme_order(measure, ranked.cases, best=conventions.unordered == "best")
    return a, placed(documents, a), None


def _at_given_ranks(
    read: _Read, measure: Measure, ranked: Ranked
) -> tuple[Alignment, list[Document], Breakdown | None]:
    """List the judged documents at the ranks that were given for them."""
    a, depth = ranked.alignment, ranked.conventions.depth or LAST_RANK
    begin, end = read.qrels.starts[read.row : read.row + 2].tolist()
    source: Any = read.run.source
    given = source.ranks_of(read.qrels, ONE_THREAD)[begin:end]
    documents = []
    for row, rank in enumerate(given.tolist()):
        document = _document(read.judged.doc_ids[row], row, read.judged)
        if rank <= depth:  # NaN is not
            first, last = math.floor(rank), math.ceil(rank)
            tied = (first, last) if first < last else None
            document = document._replace(rank=first, tied=tied)
        documents.append(document)
    documents.sort(key=lambda document: document.rank or math.inf)
    if ranked.conventions.unordered != "midrank":
        return a, documents, None
    at_middle = midranked(measure, [Case.certain(a)])[1]
    return a, documents, breakdown_of(measure, a, documents, placed=at_middle)


class _Read(NamedTuple):
    """The data of one query: a run with only this query, and judgments with it at ``row``."""

    qrels: Qrels
    run: Run
    needs: Needs
    query: str
    row: int
    judged: JudgedDocuments


def _over_groups(
    measure: Measure, a: Alignment, row: int, documents: list[Document], conventions: Conventions
) -> Breakdown:
    """Break the mean over groups down, unless each ranks only the documents that it judged."""
    if measure.depends_on == "preferences" or conventions.judged_only:
        return unknown(documents)
    begin, end = a.views["preferences"].judged.starts[row : row + 2].tolist()
    groups = [queries_of(by_group(a), group, group + 1) for group in range(begin, end)]
    return breakdown_over_groups(measure, groups, documents)


def _documents(ranked: RankedDocuments, judged: JudgedDocuments) -> list[Document]:
    """List all documents of the query: those retrieved, in rank order, then the others."""
    rows = {doc_id: row for row, doc_id in enumerate(judged.doc_ids)}
    ties = zip(ranked.tie_first.tolist(), ranked.tie_last.tolist(), strict=True)
    documents = [
        _document(doc_id, rows.get(doc_id), judged)._replace(
            rank=rank, tied=tied if tied[0] < tied[1] else None
        )
        for rank, (doc_id, tied) in enumerate(zip(ranked.doc_ids, ties, strict=True), 1)
    ]
    retrieved = set(ranked.doc_ids)
    missed = [(doc_id, row) for doc_id, row in rows.items() if doc_id not in retrieved]
    return [*documents, *(_document(doc_id, row, judged) for doc_id, row in missed)]


def _document(doc_id: str, row: int | None, judged: JudgedDocuments) -> Document:
    if row is None:
        return Document(doc_id, None, None, None)
    label = float(judged.label[row])
    number = label if judged.number is None else float(judged.number[row])
    subtopics = None if judged.subtopics is None else judged.subtopics[row]
    return Document(doc_id, label, number, None, subtopics=subtopics)


def _to_depth(documents: Sequence[Document], conventions: Conventions) -> list[Document]:
    """Cut at the depth, ties whole; then leave out unjudged documents if ``judged_only``."""
    depth = LAST_RANK if conventions.depth is None else conventions.depth
    kept: list[Document] = []
    cut: list[Document] = []
    for document in documents:
        begin = document.rank if document.tied is None else document.tied[0]
        (kept if begin is None or begin <= depth else cut).append(document)
    missed = [
        document._replace(rank=None, tied=None) for document in cut if document.number is not None
    ]
    kept += missed
    if not conventions.judged_only:
        return kept
    judged = [document for document in kept if document.number is not None]
    ranked = in_rank_order(judged)
    begins = [document.rank if document.tied is None else document.tied[0] for document in ranked]
    firsts = {begin: rank for rank, begin in reversed([*enumerate(begins, 1)])}
    lasts = {begin: rank for rank, begin in enumerate(begins, 1)}
    condensed = []
    for rank, (document, begin) in enumerate(zip(ranked, begins, strict=True), 1):
        tied = firsts[begin], lasts[begin]
        condensed.append(document._replace(rank=rank, tied=tied if tied[0] < tied[1] else None))
    return [*condensed, *(document for document in judged if document.rank is None)]
