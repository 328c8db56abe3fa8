"""Documents in place of the units, such as chunks, that were retrieved or judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.conventions import combination, limit
from rankmark.errors import InputError
from rankmark.sources.prepared.parents import (
    OfUnits,
    highest_labels,
    judged_by_subtopic,
    without_ids,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark._core import RankingOptions
    from rankmark.conventions import Conventions
    from rankmark.sources.contract.source import Source
    from rankmark.sources.prepared.qrels import Qrels


def document_of(unit_id: str, separator: str) -> str:
    """Return the id of a unit's document: what stands before the last separator.

    An id without the separator, or with nothing before it, is that of a document.
    """
    document, _, _ = unit_id.rpartition(separator)
    return document or unit_id


def with_parents_of(run: Source) -> OfUnits | None:
    """Return a run of units with their documents, also if seen ones are left out; else None."""
    source = getattr(run, "whole", run)
    return source if isinstance(source, OfUnits) else None


def naming_documents(run: Source, conventions: Conventions) -> Callable[[str], str] | None:
    """Return a function from the id of a unit to that of its document; None without units."""
    if (with_parents := with_parents_of(run)) is not None:
        return with_parents.document_of
    separator = conventions.unit
    return None if separator is None else lambda unit_id: document_of(unit_id, separator)


def in_units(ranking: RankingOptions, conventions: Conventions, run: Source) -> RankingOptions:
    """Return how the units of a run are ranked, if it has units.

    Raises
    ------
    InputError
        If ids are row and column numbers, units are to be combined and there are none, or their
        documents are given in two ways.
    """
    has_parents = with_parents_of(run) is not None
    if run.positions and (conventions.unit is not None or has_parents):
        raise without_ids(run.name, "unit")
    return combined(ranking, conventions, run.name, has_parents=has_parents)


def combined(
    ranking: RankingOptions, conventions: Conventions, where: str | None, *, has_parents: bool
) -> RankingOptions:
    """Return how units are ranked, by conventions that fit each other; errors as of ``in_units``.

    Parameters
    ----------
    where
        What has the units, for messages.
    has_parents
        Whether their documents are given.
    """
    if conventions.unit is None and not has_parents:
        if conventions.combine == "best" and conventions.unit_depth is None:
            return ranking
        name = "combine" if conventions.combine != "best" else "unit_depth"
        raise InputError(
            f"{name} is about units of documents, and unit is not given",
            'say how the ids of units are made, as with unit="#" for D1#3, or give parents',
        )
    if conventions.unit is not None and has_parents:
        raise InputError(
            "the run has parents, and unit is given, too", "leave one of them out", where=where
        )
    how, of_best = combination(conventions.combine)
    separator, depth = conventions.unit or "", limit(conventions.unit_depth)
    return ranking.of_units(separator, how, limit(of_best), depth)


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
        lifted = _lifted(qrels, lambda unit_id: document_of(unit_id, separator))
        qrels.of_documents = separator, lifted
    return qrels.of_documents[1]


def _lifted(qrels: Qrels, name: Callable[[str], str]) -> Qrels:
    if qrels.source.positions:
        raise without_ids(qrels.name, "qrels_unit")
    if isinstance(qrels.source, OfUnits):
        raise InputError(
            "the judgments have parents, and qrels_unit is given, too",
            "leave one of them out",
            where=qrels.name,
        )
    if qrels.subtopics is not None or qrels.groups is not None:
        raise judged_by_subtopic(qrels.name, "qrels_unit")
    return qrels.with_judgments_of_documents(highest_labels(qrels.by_query(), name))
