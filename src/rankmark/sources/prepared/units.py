"""Documents in place of the units, such as chunks, that were retrieved or judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark._core import RankingOptions, qrels_from_dict
from rankmark.conventions import combination, limit
from rankmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.conventions import Conventions
    from rankmark.sources.prepared.qrels import Qrels
    from rankmark.sources.prepared.run import Run


def document_of(unit_id: str, separator: str) -> str:
    """Return the id of a unit's document: what stands before the last separator.

    An id without the separator, or with nothing before it, is that of a document.
    """
    document, _, _ = unit_id.rpartition(separator)
    return document or unit_id


def documents_of(unit_ids: Iterable[str], separator: str | None) -> dict[str, None]:
    """Return the ids of the documents of units, in order of first appearance, as keys."""
    if separator is None:
        return dict.fromkeys(unit_ids)
    return dict.fromkeys(document_of(unit_id, separator) for unit_id in unit_ids)


def in_units(ranking: RankingOptions, conventions: Conventions, run: Run) -> RankingOptions:
    """Return how the units of a run are ranked, if it has units.

    Raises
    ------
    InputError
        If ids are row and column numbers, or units are to be combined and there are none.
    """
    if conventions.unit is None:
        name = "combine" if conventions.combine != "best" else "unit_depth"
        if conventions.combine != "best" or conventions.unit_depth is not None:
            raise InputError(
                f"{name} is about units of documents, and unit is not given",
                'say how the ids of units are made, as with unit="#" for D1#3',
            )
        return ranking
    if run.source.positions:
        raise InputError(
            "ids are row and column numbers here, and say nothing of units",
            "leave unit out, or give ids",
            where=run.name,
        )
    how, of_best = combination(conventions.combine)
    return ranking.of_units(conventions.unit, how, limit(of_best), limit(conventions.unit_depth))


def judgments_of_documents(qrels: Qrels, separator: str | None) -> Qrels:
    """Return judgments of documents: judged units count for theirs, by the highest label.

    They are remembered with the judgments; those that are returned here are of documents already.

    Raises
    ------
    InputError
        If units are judged by subtopic or by several assessors.
    """
    if separator is None or qrels.lifted:
        return qrels
    if qrels.of_documents is None or qrels.of_documents[0] != separator:
        qrels.of_documents = separator, _lifted(qrels, separator)
    return qrels.of_documents[1]


def _lifted(qrels: Qrels, separator: str) -> Qrels:
    if qrels.source.positions:
        raise InputError(
            "ids are row and column numbers here, and say nothing of units",
            "leave qrels_unit out, or give ids",
            where=qrels.name,
        )
    if qrels.subtopics is not None or qrels.groups is not None:
        raise InputError(
            "units are judged by subtopic or by several assessors, and cannot be combined",
            "give such judgments of documents, or leave qrels_unit out",
            where=qrels.name,
        )
    judged: dict[str, dict[str, float]] = {}
    for query, labels in qrels.by_query().items():
        of_query = judged[query] = {}
        for unit, label in labels.items():
            document = document_of(unit, separator)
            of_query[document] = max(label, of_query.get(document, label))
    judgments, _, _ = qrels_from_dict(judged)
    return qrels.with_judgments_of_documents(judgments)
