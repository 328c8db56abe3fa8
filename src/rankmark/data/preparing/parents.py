"""Runs and judgments of units, such as chunks, whose documents are given: as mapping or column."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import Judgments, Parents, RankingOptions
from rankmark.arguments import COSTS
from rankmark.array_types import distinct
from rankmark.conventions import by_text, query_text
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import Judged, Wrapped, side
from rankmark.data.contract.source_options import may_fail
from rankmark.data.evidence.listed_ids import refuse_lists
from rankmark.data.files.byte_streams import as_bytes
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.input_file import is_file
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.recognise.forms import recognised
from rankmark.errors import InputError, ParseError, SchemaError, noted, quiet, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.data.contract.source import AlignedRun, PreparedQrels, Rows, Source
    from rankmark.data.contract.source_options import Kind, SourceOptions

_COSTS = frozenset(COSTS)
ParentsSource = (
    Mapping[Any, Any]
    | Sequence[Any]
    | np.ndarray[Any, Any]
    | os.PathLike[str]
    | Callable[[str], Any]
)
"""The document of each unit: a mapping, a file of both on each line, or a function; or those of
units 0, 1, 2, ..., in order."""


class DocumentsOfUnits:
    """The document of each unit, prepared once for any number of judgments and runs.

    Parameters
    ----------
    documents
        ``{unit id: document id}``; not to be changed later.
    column
        The name of the column that they are from; None if they are from elsewhere.
    """

    def __init__(self, documents: Mapping[str, str], column: str | None = None) -> None:
        refuse_lists(documents.values(), "parents", "give one document for each unit")
        self.documents = documents
        self.column = column
        self._prepare()

    def _prepare(self) -> None:
        units, documents = map(id_bytes, self.documents), map(id_bytes, self.documents.values())
        self.of_core = Parents([*units], [*documents])

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the core's part."""
        return {name: value for name, value in vars(self).items() if name != "of_core"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def document_of(self, unit_id: str, where: str) -> str:
        """Return the id of a unit's document; ``where`` is what retrieved or judged the unit."""
        if unit_id not in self.documents:
            raise InputError(
                f"unit {unit_id!r} has no document in parents", "add it there", where=where
            )
        return self.documents[unit_id]


class OfUnits(Wrapped):
    """Units of any form that were retrieved or judged, each of which has a document.

    Parameters
    ----------
    source
        The run, or the judgments, of units.
    parents
        The document of each of its units.
    """

    def __init__(self, source: Source, parents: DocumentsOfUnits) -> None:
        super().__init__(source)
        self.parents = parents

    def document_of(self, unit_id: str) -> str:
        """Return the id of a unit's document; one without a document is refused."""
        return self.parents.document_of(unit_id, self.name)

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments of documents: the label of each is the highest of its units."""
        judged = self.source.read_qrels(reading)
        if judged.subtopics is not None or judged.groups is not None or judged.judgments is None:
            raise judged_by_subtopic(self.name, "parents")
        lifted = highest_labels(judged.by_query(), self.document_of)
        return Judged(lifted, lifted.query_ids(), len(lifted.labels()), judged.extra_columns)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        mapped = ranking.of_units_in(self.parents.of_core)
        return self.source.align_run(qrels, mapped, reading, by_rank=by_rank)

    def rows_of_documents(self, rows: Rows) -> Rows:
        """Return rows of units with their documents; a unit without one stays as it is."""
        documents = self.parents.documents
        return renamed(rows, lambda unit: documents.get(unit, unit))

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        described = {**self.source.description()}
        if self.parents.column is not None:
            described["columns"] = {**described["columns"], "parent": self.parents.column}
        return described | {"parents": len(self.parents.documents)}


def refuse_two_parents(parents: Any, columns: Mapping[str, Any]) -> None:
    """Refuse the documents of units if a column has them, too."""
    if parents is not None and "parent" in columns:
        raise InputError(
            "the documents of units are given twice, as parents and as a column",
            "leave one of them out",
        )


def own_rows(source: Source) -> Source:
    """Return the source of the rows as they are: of units, if it is one of their documents."""
    return source.source if isinstance(source, OfUnits) else source


def source_of(given: Any, kind: Kind, options: SourceOptions) -> Source:
    """Return a source for an object of any form, with the documents of its units if it has any."""
    if options.document_slices is not None:
        from rankmark.data.preparing.document_weights import ByDocument  # noqa: PLC0415  (few have such)

        slices = ByDocument.of(options.document_slices, "document_slices")
        source = source_of(given, kind, options._replace(document_slices=None))
        source.document_slices = slices
        return source
    if options.document_weights is not None or "weight" in (options.columns or ()):
        return _with_weights(given, kind, options)
    costs = options.columns and not _COSTS.isdisjoint(options.columns)
    if costs or options.document_costs is not None:
        return _with_costs(given, kind, options)
    if may_fail(options.failed):
        from rankmark.data.preparing.failed_labels import WithoutFailed  # noqa: PLC0415  (few have such)

        return WithoutFailed.of(given, options, source_of)
    columns = options.columns
    if isinstance(columns, Mapping) and "parent" in columns:
        refuse_two_parents(options.parents, columns)
        named = {role: name for role, name in columns.items() if role != "parent"}
        options = options._replace(columns=named or None)
        given = readable_twice(given, kind)
        source = recognised(given, kind, options)
        return OfUnits(source, _in_column(given, source, kind, options, columns["parent"]))
    try:
        source = recognised(given, kind, options)
    except SchemaError as error:
        # Rows in memory are read where they are recognised.
        if kind == "qrels" and options.failed is None:
            from rankmark.data.preparing.failed_labels import suggest_failed  # noqa: PLC0415  (few have such)

            suggest_failed(error, given, None, options)
        raise
    return source if options.parents is None else with_parents(source, options.parents)


def _with_weights(given: Any, kind: Kind, options: SourceOptions) -> Source:
    """Return judgments with the weights of documents, which may be a column."""
    from rankmark.data.preparing.document_weights import ByDocument  # noqa: PLC0415  (few have such)

    columns = {role: name for role, name in (options.columns or {}).items() if role != "weight"}
    own = options._replace(document_weights=None, columns=columns or None)
    if options.document_weights is not None:
        source = source_of(given, kind, own)
        source.document_weights = ByDocument.of(options.document_weights)
        return source
    given = readable_twice(given, kind)
    source = source_of(given, kind, own)
    column = (options.columns or {})["weight"]
    by_weight = own._replace(columns={**columns, "label": column})
    rows = with_other_columns(given, own_rows(source), kind, by_weight)
    source.document_weights = ByDocument.in_rows(rows, column)
    return source


def _with_costs(given: Any, kind: Kind, options: SourceOptions) -> Source:
    """Return a run with the costs of its documents, which may be columns."""
    from rankmark.data.preparing.document_costs import Costs, from_zero  # noqa: PLC0415  (few have such)
    from rankmark.data.preparing.document_weights import ByDocument  # noqa: PLC0415

    columns = options.columns or {}
    others = {role: name for role, name in columns.items() if role not in COSTS}
    own = options._replace(document_costs=None, columns=others or None)
    if len(others) < len(columns):
        given = readable_twice(given, kind)
    source = source_of(given, kind, own)
    of_rows = {}
    for role in columns.keys() - others.keys():
        named = own._replace(columns={**others, "score": columns[role]})
        try:
            rows = with_other_columns(given, own_rows(source), kind, named)
        except InputError as error:  # of the role as which the column is read
            error.found = re.sub(r"^score\b|(?<=for )score", role, error.found)
            raise
        if rows.number is None:
            raise SchemaError(f"column {columns[role]!r} holds no numbers", f"need {role}")
        where = f"{own_rows(source).name}: {role}"
        of_rows[role] = from_zero(rows.number.tolist(), where, rows)
    whole = options.document_costs
    by_document = None if whole is None else ByDocument.of(whole, "document_costs")
    own_rows(source).costs = Costs(of_rows, by_document)
    return source


def with_parents(source: Source, parents: Any) -> OfUnits:
    """Return units with their documents."""
    if isinstance(source, OfUnits):
        raise InputError("its units have parents already", "leave parents out", where=source.name)
    if source.by_column:
        raise without_ids(source.name, "parents")
    return OfUnits(source, parents_of(parents, lambda: _unit_ids(source)))


def parents_of(given: Any, unit_ids: Callable[[], Iterable[str]]) -> DocumentsOfUnits:
    """Return the document of each unit; those of a function are asked for ``unit_ids``."""
    if isinstance(given, DocumentsOfUnits):
        return given
    if callable(given):
        named = {unit: query_text(_called(given, unit), "parents") for unit in unit_ids()}
        return DocumentsOfUnits(named)
    if isinstance(given, Mapping):
        named = {u: query_text(d, "parents") for u, d in by_text(given, "parents").items()}
        return DocumentsOfUnits(named)
    if isinstance(given, (list, tuple)) or (isinstance(given, np.ndarray) and given.ndim == 1):
        in_order = given.tolist() if isinstance(given, np.ndarray) else given
        named = {str(unit): query_text(d, "parents") for unit, d in enumerate(in_order)}
        return DocumentsOfUnits(named)
    if not isinstance(given, (str, os.PathLike)):
        raise InputError(
            f"parents is {shown(given)}",
            "need {unit: document}, a function from one to the other, the path of a file with a "
            "unit and a document on each line, or the documents of units 0, 1, 2, ... in order",
        )
    return DocumentsOfUnits(_parents_in(given))


def renamed(rows: Rows, document_of: Callable[[str], str]) -> Rows:
    """Return rows of units with the ids of their documents in place of their own."""
    codes, place = np.unique(np.asarray(rows.doc_codes), return_inverse=True)
    names = [document_of(rows.doc_ids(code)) for code in codes.tolist()]
    number = {name: at for at, name in enumerate(dict.fromkeys(names))}
    ids = [*number]
    return rows._replace(
        doc_codes=np.array([number[name] for name in names], dtype=np.uint32)[place],
        doc_ids=ids.__getitem__,
        doc_numbers=lambda asked: np.array([number.get(one, -1) for one in asked], np.int64),
    )


def prepared_once(given: ParentsSource | None) -> Any:
    """Return parents for several runs, prepared unless a function has to see their units."""
    if given is None or callable(given):
        return given
    return parents_of(given, lambda: ())


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
    from rankmark.data.files.lines_of_text import pairs_in  # noqa: PLC0415  (few give a file)

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


def _in_column(
    given: Any, source: Source, kind: Kind, options: SourceOptions, parent: Any
) -> DocumentsOfUnits:
    """Read the documents of units from a column, in a reading of its own, before the ranking."""
    columns = source.description().get("columns")
    if columns is None or "doc_id" not in columns:
        raise InputError(
            "it has no columns with names, so none holds the documents of units",
            "give parents as a mapping or a file",
            where=source.name,
        )
    both = options._replace(columns={"query_id": columns["doc_id"], "doc_id": parent})
    try:
        rows = with_other_columns(given, source, kind, both)
    except SchemaError as error:  # of the role as which the column is read
        error.found = error.found.replace("for doc_id", "for parent")
        raise
    return paired_documents(rows, str(parent), source.name)


def with_other_columns(given: Any, source: Source, kind: Kind, options: SourceOptions) -> Rows:
    """Read a source once more, with other columns."""
    with quiet():
        other: Source
        if isinstance(source, FileSource):
            other = FileSource(source.file, kind, options)
        elif hasattr(type(given), "read_next_batch"):
            from rankmark.data.frames.streams import beside  # noqa: PLC0415  (few are streams)

            other = beside(source, kind, options)
        else:
            other = recognised(given, kind, options)
        return other.rows(AS_USUAL, lenient=False)


def paired_documents(rows: Rows, column: str, where: str) -> DocumentsOfUnits:
    """Return the document of each unit from rows that have units as queries.

    Parameters
    ----------
    column
        The name of the column of documents.
    where
        What has it, for messages.
    """
    pairs = distinct(
        np.asarray(rows.query_codes, dtype=np.uint64) << np.uint64(32)
        | np.asarray(rows.doc_codes, dtype=np.uint64)
    )
    units, documents = pairs >> np.uint64(32), pairs & np.uint64(2**32 - 1)
    twice = np.flatnonzero(units[1:] == units[:-1])
    if len(twice):
        one, other = (rows.doc_ids(int(code)) for code in documents[twice[0] : twice[0] + 2])
        raise SchemaError(
            f"unit {rows.query_ids[int(units[twice[0]])]!r} has two documents in column "
            f"{column!r}, {one!r} and {other!r}",
            "give units of different documents different ids",
            where=where,
        )
    name = {code: rows.doc_ids(code) for code in distinct(documents).tolist()}
    named = {
        rows.query_ids[unit]: name[document]
        for unit, document in zip(units.tolist(), documents.tolist(), strict=True)
    }
    return DocumentsOfUnits(named, column)


def readable_twice(given: Any, kind: Kind) -> Any:
    """Return what can be read once in a form that is kept while it is read."""
    of = type(given)
    if is_file(given) or isinstance(given, Mapping):
        return given
    if hasattr(of, "__arrow_c_stream__"):
        from rankmark.data.frames.streams import kept_once  # noqa: PLC0415  (few are streams)

        return kept_once(given, side("<frame>", kind))
    if not hasattr(of, "__next__"):
        return given
    given = as_bytes(given, kind)
    if is_file(given):
        return given
    rows: list[Any] = []
    with noted(lambda: f"{kind}: entry {len(rows):,} (from 0)"):
        rows.extend(given)
    return rows


def _unit_ids(source: Source) -> list[str]:
    rows = source.rows(AS_USUAL, lenient=False)
    return [rows.doc_ids(code) for code in distinct(np.asarray(rows.doc_codes)).tolist()]


def highest_labels(
    judged: Mapping[str, Mapping[str, float]], name: Callable[[str], str]
) -> Judgments:
    """Return judgments of documents, each with the highest label of its units."""
    from rankmark.data.judgments.nested_judgments import judgments_by_query  # noqa: PLC0415

    lifted: dict[str, dict[str, float]] = {}
    for query, labels in judged.items():
        of_query = lifted[query] = {}
        for unit, label in labels.items():
            document = name(unit)
            of_query[document] = max(label, of_query.get(document, label))
    return judgments_by_query(lifted)


def judged_by_subtopic(name: str, option: str) -> InputError:
    """Return the error for judgments whose labels cannot be combined."""
    return InputError(
        "units are judged by subtopic or by several assessors, and cannot be combined",
        f"give such judgments of documents, or leave {option} out",
        where=name,
    )


def without_ids(name: str, option: str) -> InputError:
    """Return the error for documents without ids."""
    return InputError(
        "documents are numbers of columns here, and say nothing of units",
        f"leave {option} out, or give ids",
        where=name,
    )
