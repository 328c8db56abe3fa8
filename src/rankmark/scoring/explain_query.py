"""One query of a run, read again for the ids of its documents, and explained."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import LAST_RANK, Needs
from rankmark.alignment.tie_probabilities import queries_of
from rankmark.explanations.breakdown import (
    Breakdown,
    breakdown_over_groups,
    breakdown_over_orders,
    unknown,
)
from rankmark.explanations.explanation import Explanation, explanation_of
from rankmark.explanations.ranked_documents import Document, in_rank_order, placed
from rankmark.scoring.no_relevant import set_nothing_relevant
from rankmark.scoring.over_groups import by_group, in_groups, score
from rankmark.scoring.preconditions import refuse_ties, refuse_unjudged
from rankmark.scoring.ties import (
    RULES,
    Case,
    every_order,
    extreme_order,
    match_unordered,
    scored,
    seen,
)
from rankmark.sources import Run, match
from rankmark.sources.prepared.one_query import (
    judged_documents,
    ranked_documents,
    run_for_query,
    with_groups_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.alignment.alignment import Alignment
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure
    from rankmark.sources import Qrels
    from rankmark.sources.contract.source import Progress
    from rankmark.sources.prepared.one_query import JudgedDocuments, Ranked


_TOLD = {
    "mean": "what is to be expected over all orders; ranks within a tie are by id",
    "best": "in the order that is best for the measure",
    "worst": "in the order that is worst for the measure",
}


def explained(
    qrels: Qrels,
    run: Run,
    query: str,
    one: Measure,
    conventions: Conventions,
    collection: int | None,
    threads: int | None,
    progress: Progress | None,
) -> Explanation:
    """Explain the value of one query, as ``evaluate`` gives it."""
    refuse_unjudged(conventions, qrels)
    judged = judged_documents(qrels, query)
    if one.depends_on != "subtopics":
        judged = judged._replace(number=None)  # labels tell documents apart
    notes = []
    if not isinstance(conventions.queries, str) and query not in conventions.queries:
        notes = ["Not one of the queries that are chosen: no mean is over it."]
    row = qrels.query_ids.index(query)
    found = run_for_query(with_groups_of(qrels, run), query, threads=threads, progress=progress)
    if found is None:
        left_out = conventions.queries == "both"
        notes.append(f"{run.name} lacks the query{': no mean is over it' if left_out else ''}.")
    alone = found or Run({query: {}})
    read = _Read(qrels, alone, query, row, judged)
    story: Breakdown | None = None
    if conventions.ties in RULES:
        a, documents, story, value = _over_orders(read, one, conventions)
        notes.append(f"Ties: {_TOLD[conventions.ties]}.")
    else:
        whole, facts = match(qrels, alone, conventions, needs=_needs(one), threads=1)
        # One query's groups are no groups of an alignment: it is explained by labels.
        a = queries_of(whole.seeing("subtopics"), row, row + 1)
        if conventions.ties == "error":
            refuse_ties(run.name, qrels.query_ids, facts.tied)
        documents = _documents(ranked_documents(alone, query, conventions, judged.doc_ids), judged)
        value = float(score(one, whole)[row] if in_groups(whole) else one.score(a)[0])
        if in_groups(whole):
            story = _over_groups(one, whole, row, documents, conventions)
            notes.append(
                "Judged in groups: the value is the mean of what these say."
                if story.added is not None
                else "Judged in groups: the value is over these, and contributions are unknown."
            )
    values = np.array([value])
    set_nothing_relevant(one, a, conventions, values)
    return explanation_of(
        one,
        query,
        a,
        documents,
        value=float(values[0]),
        story=story,
        collection=collection,
        notes=notes,
        settings=conventions.to_dict(),
    )


class _Read(NamedTuple):
    """What was read of one query: the run holds it alone, the judgments have it at ``row``."""

    qrels: Qrels
    run: Run
    query: str
    row: int
    judged: JudgedDocuments


def _needs(one: Measure) -> Needs:
    """Ask for all judged documents, whatever the measure looks at."""
    return Needs(subtopics=one.depends_on == "subtopics")


def _cases(read: _Read, one: Measure, conventions: Conventions) -> list[Case]:
    """Align without an order among ties, for the one query alone."""
    _, _, cases = match_unordered(read.qrels, read.run, conventions, needs=_needs(one), threads=1)
    return [seen(one, case).of_query(read.row) for case in cases]


def _over_orders(
    read: _Read, one: Measure, conventions: Conventions
) -> tuple[Alignment, list[Document], Breakdown | None, float]:
    """Find the order that is asked for, or tell over all of them; the last is the value."""
    cases = _cases(read, one, conventions)
    whole = replace(conventions, ties="docid", depth=None, judged_only=False)
    ranked = ranked_documents(read.run, read.query, whole, read.judged.doc_ids)
    documents = _to_depth(_documents(ranked, read.judged), conventions)
    if conventions.ties == "mean":
        value = float(scored(one, cases, "mean")[0][0])
        story = breakdown_over_orders(one, every_order(one, cases), documents, value)
        by_id = replace(conventions, ties="docid")
        a, _ = match(read.qrels, read.run, by_id, needs=_needs(one), threads=1)
        return queries_of(a, read.row, read.row + 1), documents, story, value
    a = extreme_order(one, cases, best=conventions.ties == "best")
    return a, placed(documents, a), None, float(one.score(a)[0])


def _over_groups(
    one: Measure, a: Alignment, row: int, documents: list[Document], conventions: Conventions
) -> Breakdown:
    """Tell over one query's groups; not where each ranks only the documents that it judged."""
    if one.depends_on == "preferences" or conventions.judged_only:
        return unknown(documents)
    begin, end = a.views["preferences"].judged.starts[row : row + 2].tolist()
    groups = [queries_of(by_group(a), group, group + 1) for group in range(begin, end)]
    return breakdown_over_groups(one, groups, documents)


def _documents(ranked: Ranked, judged: JudgedDocuments) -> list[Document]:
    """List all documents of the query, in rank order, then what was not retrieved."""
    place = {doc_id: at for at, doc_id in enumerate(judged.doc_ids)}
    ties = zip(ranked.tie_first.tolist(), ranked.tie_last.tolist(), strict=True)
    documents = [
        _document(doc_id, place.get(doc_id), judged)._replace(
            rank=rank, tied=tied if tied[0] < tied[1] else None
        )
        for rank, (doc_id, tied) in enumerate(zip(ranked.doc_ids, ties, strict=True), 1)
    ]
    there = set(ranked.doc_ids)
    missed = (at for doc_id, at in place.items() if doc_id not in there)
    return [*documents, *(_document(judged.doc_ids[at], at, judged) for at in missed)]


def _document(doc_id: str, at: int | None, judged: JudgedDocuments) -> Document:
    if at is None:
        return Document(doc_id, None, None, None)
    label = float(judged.label[at])
    number = label if judged.number is None else float(judged.number[at])
    subtopics = None if judged.subtopics is None else judged.subtopics[at]
    return Document(doc_id, label, number, None, subtopics=subtopics)


def _to_depth(documents: Sequence[Document], conventions: Conventions) -> list[Document]:
    """Cut at the depth, but through no tie; then leave out the unjudged, if they are to go."""
    depth = LAST_RANK if conventions.depth is None else conventions.depth
    kept: list[Document] = []
    gone: list[Document] = []
    for one in documents:
        begin = one.rank if one.tied is None else one.tied[0]
        (kept if begin is None or begin <= depth else gone).append(one)
    missed = [one._replace(rank=None, tied=None) for one in gone if one.number is not None]
    kept += missed
    if not conventions.judged_only:
        return kept
    judged = [one for one in kept if one.number is not None]
    ranked = in_rank_order(judged)
    begins = [one.rank if one.tied is None else one.tied[0] for one in ranked]
    firsts = {begin: rank for rank, begin in reversed([*enumerate(begins, 1)])}
    lasts = {begin: rank for rank, begin in enumerate(begins, 1)}
    condensed = []
    for rank, (one, begin) in enumerate(zip(ranked, begins, strict=True), 1):
        tied = firsts[begin], lasts[begin]
        condensed.append(one._replace(rank=rank, tied=tied if tied[0] < tied[1] else None))
    return [*condensed, *(one for one in judged if one.rank is None)]
