"""Documents in place of the units, such as chunks, that were retrieved or judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rankmark._core import ListOptions, RankingOptions, Rankings
from rankmark.conventions import Conventions, combination, limit
from rankmark.data.preparing.parents import (
    OfUnits,
    highest_labels,
    judged_by_subtopic,
    with_parents,
    without_ids,
)
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rankmark.array_types import Ints
    from rankmark.data.contract.source import Source
    from rankmark.data.preparing.qrels import Qrels

Options = TypeVar("Options", RankingOptions, ListOptions)

UNIT_CHOICES = "unit", "qrels_unit", "combine", "unit_depth"
"""The conventions about units that are retrieved or judged."""

DOCUMENTS = Conventions()
"""How rankings of documents are read; of units whose documents are given, by their best unit."""


class UnitCounts(NamedTuple):
    """Units of some queries of a run, in place of which their documents are ranked.

    Parameters
    ----------
    units
        Their number; 0 without units.
    documents
        The number of their documents.
    whole
        Units whose ids are those of their documents.
    negative
        Units whose scores are below 0, and were added up.
    """

    units: int
    documents: int
    whole: int
    negative: int

    @classmethod
    def of(cls, rankings: Rankings, queries: Ints) -> UnitCounts:
        """Count those of some queries, which are given by their numbers."""
        names = "units", "given", "whole_units", "negative_units"
        counts = [int(rankings.counts(name)[queries].sum()) for name in names]
        return cls(*counts) if counts[0] else cls(0, 0, 0, 0)


def units_to_documents(units: int, documents: int) -> str:
    """Return in words how many units became how many documents."""
    made = zip((units, documents), ("unit", "document"), strict=True)
    return " -> ".join(f"{number:,} {what}{'' if number == 1 else 's'}" for number, what in made)


def unit_settings(
    conventions: Conventions, names: Iterable[str] = ("unit", "combine", "unit_depth")
) -> dict[str, Any]:
    """Return the choices about units, as a rule those about retrieved ones."""
    return {name: getattr(conventions, name) for name in names}


def shown_units(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return choices about units that are not the usual ones: what a line of conventions names."""
    usual = unit_settings(DOCUMENTS, UNIT_CHOICES)
    return {name: value for name, value in settings.items() if value != usual.get(name, value)}


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


def in_units(ranking: Options, conventions: Conventions, run: Source) -> Options:
    """Return how the units of a run are ranked, if it has units."""
    has_parents = with_parents_of(run) is not None
    if run.by_column and (conventions.unit is not None or has_parents):
        raise without_ids(run.name, "unit")
    return combined(ranking, conventions, run.name, has_parents=has_parents)


def lists_in_units(
    options: ListOptions, conventions: Conventions, run: Source
) -> tuple[ListOptions, Source]:
    """Return how whole rankings of a run are made, and the source that has its rows."""
    if isinstance(run, OfUnits):
        options = in_units(options, conventions, run)
        return options.of_units_in(run.parents.of_core), run.source
    # Of several runs, some may be of documents, which parents of the others leave as they are.
    return options if conventions.unit is None else in_units(options, conventions, run), run


def without_sum(where: str) -> InputError:
    """Return the error for units that have only ranks, whose scores were to be added up."""
    return InputError(
        "units are ordered by rank and have no scores, so there is no sum or mean",
        "combine them by best, first, count or rrf",
        where=where,
    )


def with_documents(run: Run, parents: Any) -> Run:
    """Return a run with the documents of its units, unless it has them, or none are given.

    ``parents`` is as ``prepared_once`` returns it.
    """
    if parents is None or isinstance(run.source, OfUnits):
        return run
    return Run.of(with_parents(run.source, parents))


def refuse_unused_combination(conventions: Conventions, runs: Iterable[Run]) -> None:
    """Refuse to combine units if no run has any, as ``combined`` does for a single run."""
    if conventions.unit is None and not any(isinstance(run.source, OfUnits) for run in runs):
        combined(ListOptions("", 1), conventions, None, has_parents=False)


def combined(
    ranking: Options, conventions: Conventions, where: str | None, *, has_parents: bool
) -> Options:
    """Return how units are ranked, by conventions that fit each other.

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
    """
    if separator is None or qrels.lifted:
        return qrels
    if qrels.of_documents is None or qrels.of_documents[0] != separator:
        lifted = _lifted(qrels, lambda unit_id: document_of(unit_id, separator))
        qrels.of_documents = separator, lifted
    return qrels.of_documents[1]


def _lifted(qrels: Qrels, name: Callable[[str], str]) -> Qrels:
    if qrels.source.by_column:
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
