"""Documents in place of the units, such as chunks, that were retrieved or judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import Parents, RankingOptions, qrels_from_dict
from rankmark.conventions import combination, limit, query_text
from rankmark.errors import InputError, ParseError, SchemaError, shown
from rankmark.sources.contract.reading_options import AS_USUAL, Reading
from rankmark.sources.ids.encoding import id_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.conventions import Conventions
    from rankmark.sources.contract.source import AlignedRun, Judged, PreparedQrels, Rows, Source
    from rankmark.sources.prepared.qrels import Qrels

ParentsSource = Mapping[Any, Any] | str | os.PathLike[str] | Callable[[str], Any]
"""The document of each unit: a mapping, a file of both on each line, or a function."""


class OfUnits:
    """A run of any form that retrieved units, each of which has a document.

    Parameters
    ----------
    source
        The run.
    parents
        The document of each of its units.
    """

    def __init__(self, source: Source, parents: Mapping[str, str]) -> None:
        self._source = source
        self.parents = parents
        self.name: str = source.name
        self.positions: bool = source.positions
        self.nameless: bool = source.nameless
        self.is_file: bool = source.is_file
        self.vouched = source.vouched
        self._prepare()

    def _prepare(self) -> None:
        units, documents = map(id_bytes, self.parents), map(id_bytes, self.parents.values())
        self._of_core = Parents([*units], [*documents])

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the core's part."""
        return {name: value for name, value in vars(self).items() if name != "_of_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def document_of(self, unit_id: str) -> str:
        """Return the id of a unit's document.

        Raises
        ------
        InputError
            If it has none.
        """
        if unit_id not in self.parents:
            raise InputError(
                f"unit {unit_id!r} has no document in parents", "add it there", where=self.name
            )
        return self.parents[unit_id]

    def read_qrels(self, reading: Reading) -> Judged:
        """Raise SchemaError, as this is a run."""
        raise SchemaError("this is a run", "give judgments")

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        mapped = ranking.of_units_in(self._of_core)
        return self._source.align_run(qrels, mapped, reading, by_rank=by_rank)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all rows, of units."""
        return self._source.rows(reading, lenient=lenient)

    def for_query(self, query: str, reading: Reading) -> OfUnits | None:
        """Read the rows of one query again."""
        source = self._source.for_query(query, reading)
        return None if source is None else self.over(source)

    def keep(self) -> None:
        """Copy what the caller may change; ``parents`` is a copy already."""
        self._source.keep()

    def as_read(self) -> OfUnits | None:
        """Return the same file for later reading; None if it is not a file."""
        source = self._source.as_read()
        return None if source is None else self.over(source)

    def over(self, source: Source) -> OfUnits:
        """Return other rows of the same units."""
        other = OfUnits.__new__(OfUnits)
        vars(other).update(vars(self))
        other._source = source
        return other

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return self._source.description() | {"parents": len(self.parents)}

    def sha256(self) -> str | None:
        """Hash the file's bytes."""
        return self._source.sha256()


def of_units(source: Source, given: ParentsSource) -> OfUnits:
    """Return a run whose units have documents.

    Raises
    ------
    InputError
        If ids are row and column numbers, or an id of a document is neither text nor a number.
    ParseError
        If a line of a file is not a unit and a document.
    """
    if source.positions:
        raise _positions(source.name, "parents")
    return OfUnits(source, parents_of(given, lambda: _unit_ids(source)))


def parents_of(given: ParentsSource, unit_ids: Callable[[], Iterable[str]]) -> dict[str, str]:
    """Return the document of each unit; those of a function are asked for ``unit_ids``."""
    if isinstance(given, Mapping):
        return {query_text(u, "parents"): query_text(d, "parents") for u, d in given.items()}
    if callable(given):
        return {unit: query_text(_called(given, unit), "parents") for unit in unit_ids()}
    if not isinstance(given, (str, os.PathLike)):
        raise InputError(
            f"parents is {shown(given)}",
            "need {unit: document}, a function from one to the other, or the path of a file with "
            "a unit and a document on each line",
        )
    return _parents_in(given)


def _called(function: Callable[[str], Any], unit: str) -> Any:
    try:
        return function(unit)
    except Exception as error:
        raise InputError(
            f"parents failed for unit {unit!r}: {type(error).__name__}: {error}",
            "return the id of its document",
        ) from error


def _parents_in(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a unit and its document from each line, separated by a tab or blanks."""
    from rankmark.sources.files.query_list import pairs_in  # noqa: PLC0415  (few give a file)

    parents: dict[str, str] = {}
    for name, number, unit, document in pairs_in(path, "unit", "document"):
        if parents.setdefault(unit, document) != document:
            raise ParseError(
                f"unit {unit!r} has two documents, {parents[unit]!r} and {document!r}",
                "keep one of the two lines",
                where=name,
                line=number,
            )
    return parents


def _unit_ids(source: Source) -> list[str]:
    rows = source.rows(AS_USUAL, lenient=False)
    return [rows.doc_ids(code) for code in np.unique(np.asarray(rows.doc_codes)).tolist()]


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
    if conventions.unit is None and not has_parents:
        if conventions.combine == "best" and conventions.unit_depth is None:
            return ranking
        name = "combine" if conventions.combine != "best" else "unit_depth"
        raise InputError(
            f"{name} is about units of documents, and unit is not given",
            'say how the ids of units are made, as with unit="#" for D1#3',
        )
    if run.positions:
        raise _positions(run.name, "unit")
    if conventions.unit is not None and has_parents:
        raise InputError(
            "the run has parents, and unit is given, too", "leave one of them out", where=run.name
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
        raise _positions(qrels.name, "qrels_unit")
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
            document = name(unit)
            of_query[document] = max(label, of_query.get(document, label))
    judgments, _, _ = qrels_from_dict(judged)
    return qrels.with_judgments_of_documents(judgments)


def _positions(name: str, option: str) -> InputError:
    return InputError(
        "ids are row and column numbers here, and say nothing of units",
        f"leave {option} out, or give ids",
        where=name,
    )
