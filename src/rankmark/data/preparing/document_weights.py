"""Weights of judged documents, such as inverse propensities or prices, and slices of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankmark.arguments import is_finite_number
from rankmark.array_types import Floats, Ints
from rankmark.conventions import by_text
from rankmark.data.alignment import query_of_rows
from rankmark.data.contract.source import Rows
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.files.lines_of_text import weights_in, words_in
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import Columns, is_empty, table_in_memory
from rankmark.data.given_tables.table_files import of_json, scores_in
from rankmark.data.tables.columns import found_by_name
from rankmark.errors import InputError, ParseError, SchemaError, listed, shown

WeightsOfDocuments = Any
"""{document: weight}, {query: {document: weight}}, a table, a file, or weights of columns."""
_NAME = "document_weights"
_TEXTS = "document_slices"
_NEEDED = (
    "need {document: weight}, {query: {document: weight}}, or a table with a column of documents "
    "and one of weights"
)


class ByDocument(NamedTuple):
    """What is known of each document, or of each pair of a query and a document: one value.

    Parameters
    ----------
    name
        What the values are: "document_weights" or "document_costs", numbers; or
        "document_slices", text.
    """

    by_document: Mapping[str, Any]
    by_pair: Mapping[tuple[str, str], Any]
    name: str = _NAME

    @classmethod
    def of(cls, given: WeightsOfDocuments, name: str = _NAME) -> ByDocument:
        """Read values of any form, which may be read already."""
        return (
            given if isinstance(given, ByDocument) else cls._read(given, name)._replace(name=name)
        )

    @classmethod
    def _read(cls, given: Any, name: str) -> ByDocument:
        given = of_json(given)
        kind = type(given)
        if hasattr(kind, "iloc") and not hasattr(kind, "columns"):  # a series of pandas
            given = dict(given.items())
        elif isinstance(given, np.ndarray) and given.ndim == 1:
            given = dict(enumerate(given.tolist()))  # of the columns of arrays
        if isinstance(given, Mapping) and not is_frame(given):
            values = [*given.values()]
            if all(isinstance(value, Mapping) for value in values):
                nested = [(q, by_text(of, name)) for q, of in by_text(given, name).items()]
                return cls({}, {(q, d): value for q, of in nested for d, value in of.items()})
            if not any(isinstance(value, (list, tuple, np.ndarray)) for value in values):
                return cls(by_text(given, name), {})
            if not all(isinstance(value, (list, tuple, np.ndarray)) for value in values):
                raise InputError(f"{name} is {shown(given)}", _needed(name))
        if not is_file(given):
            return cls._in_table(table_in_memory(given, name), given, name)
        file = InputFile(given)
        try:  # lines without a header
            return cls(words_in(file, "slice") if name == _TEXTS else weights_in(file, "docid"), {})
        except ParseError as error:
            of_lines = error
        try:
            table = scores_in(file)
        except ParseError as of_table:
            if of_table.line != 1:
                raise
            what = name.removeprefix("document_").removesuffix("s")
            of_lines.found = of_lines.found.replace("weight", what)
            of_lines.remedy = (of_lines.remedy or "").replace("weight", what)
            raise of_lines from None
        return cls._in_table(table, given, name)

    @classmethod
    def _in_table(cls, table: Columns | None, given: Any, name: str) -> ByDocument:
        needed = _needed_in_file(name) if is_file(given) else _needed(name)
        if table is None:
            raise InputError(f"{name} is {shown(given)}", needed)
        names = [*table]
        documents, queries = (found_by_name(names, role) for role in ("doc_id", "query_id"))
        others = [name for at, name in enumerate(names) if at not in {*documents, *queries}]
        if not documents:  # as JSON is read that maps documents to weights
            documents, queries = queries, []
        if len(documents) != 1 or len(queries) > 1 or len(others) != 1:
            raise SchemaError(f"its columns are {listed(names)}", needed, where=table.name)
        ids = table.ids(names[documents[0]])
        weights: Any = table.ids(others[0]) if name == _TEXTS else table.numbers(others[0]).tolist()
        if not queries:
            return cls(_once(zip(ids, weights, strict=True), name), {})
        pairs = zip(table.ids(names[queries[0]]), ids, strict=True)
        return cls({}, _once(zip(pairs, weights, strict=True), name))

    @classmethod
    def in_rows(cls, rows: Rows, column: str) -> ByDocument:
        """Read the weights of judgments that have them in a column, read as their labels."""
        if rows.number is None:
            raise SchemaError(f"column {column!r} holds no numbers", _NEEDED)
        documents = {code: rows.doc_ids(code) for code in {*np.asarray(rows.doc_codes).tolist()}}
        pairs = zip(
            map(rows.query_ids.__getitem__, np.asarray(rows.query_codes).tolist()),
            map(documents.__getitem__, np.asarray(rows.doc_codes).tolist()),
            strict=True,
        )
        return cls({}, _once(zip(pairs, rows.number.tolist(), strict=True)))

    def of_judged(
        self, query_ids: Sequence[str], starts: Ints, doc_ids: Sequence[str]
    ) -> list[Any]:
        """Return the value of each judged document.

        Parameters
        ----------
        query_ids, starts, doc_ids
            Those of the judgments, as in Qrels.

        Raises
        ------
        InputError
            If a judged document has none.
        """
        if self.by_document:
            found = [*map(self.by_document.get, doc_ids)]
        else:
            queries = query_of_rows(starts).tolist()
            pairs = zip(map(query_ids.__getitem__, queries), doc_ids, strict=True)
            found = [*map(self.by_pair.get, pairs)]
        missing = [at for at, value in enumerate(found) if is_empty(value)]
        if missing:
            ids = [*dict.fromkeys(doc_ids[at] for at in missing)]
            what = self.name.removeprefix("document_").removesuffix("s")
            raise InputError(
                f"{len(missing):,} of {len(found):,} judged documents have no {what}: "
                f"{listed(ids[:3], len(ids))}",
                "give each one",
                where=self.name,
            )
        return found


def _needed(name: str) -> str:
    return _NEEDED.replace("weight", name.removeprefix("document_").removesuffix("s"))


def _needed_in_file(name: str) -> str:
    what = name.removeprefix("document_").removesuffix("s")
    return (
        f"write a document and its {what} on each line, separated by blanks, or name the columns "
        f"in a header, as in doc_id,{what}"
    )


def as_weights(found: Sequence[Any], doc_ids: Sequence[str]) -> Floats:
    """Return weights as numbers: (n,) float64.

    Raises
    ------
    InputError
        If one is not a finite number above 0.
    """
    for at, weight in enumerate(found):
        if not is_finite_number(weight) or weight <= 0:
            raise InputError(
                f"document {doc_ids[at]!r} has the weight {shown(weight)}",
                "need a number above 0; judge documents 0 that are not to count",
                where=_NAME,
            )
    return np.array(found, dtype=np.float64)


def _once(pairs: Iterable[tuple[Any, Any]], name: str = _NAME) -> dict[Any, Any]:
    """Return a mapping, unless something has two values."""
    found: dict[Any, Any] = {}
    what = name.removeprefix("document_")
    for one, value in pairs:
        if found.setdefault(one, value) != value:
            query, document = (None, one) if isinstance(one, str) else one
            told = f"document {document!r}" + ("" if query is None else f" of query {query!r}")
            raise SchemaError(
                f"{told} has two {what}, {_short(found[one])} and {_short(value)}",
                "keep one",
                where=name,
            )
    return found


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else shown(value)
