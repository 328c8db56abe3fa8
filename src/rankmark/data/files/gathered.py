"""Collect rows that Python reads into a mapping for the core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.data.ids.numeric import id_text
from rankmark.errors import DuplicateError, SchemaError
from rankmark.errors import shown as written

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind


class Gathered:
    """Collected judgments or a run: ``{query id: {document id: label or score}}``.

    Parameters
    ----------
    duplicates
        What to do if a query has a document already: "error", "first" or "best".

    Attributes
    ----------
    mapping
        The rows added, queries by first appearance, documents in the order of the rows kept.
    is_scored
        Whether any document of a run has a score; else ranks or the order give the numbers.
    left_out
        The number of rows left out, for queries with any.
    """

    def __init__(self, name: str, kind: Kind, duplicates: str = "error") -> None:
        self.name = name
        self.mapping: dict[str, dict[str, float]] = {}
        self.is_scored: bool = kind == "qrels"
        self.left_out: dict[str, int] = {}
        self._kind = kind
        self._duplicates = duplicates
        self._number = "label" if kind == "qrels" else "score"

    def query(self, query_id: object, where: str) -> str:
        """Add a query, if it is new, and return its id as text."""
        query = id_in(query_id, "the query id", where)
        self.mapping.setdefault(query, {})
        return query

    def add(
        self, query: str, doc_id: object, number: object, where: str, *, by_rank: bool = False
    ) -> None:
        """Add a document to its query, with a label, a score or a rank.

        Raises
        ------
        SchemaError
            If the id is not text or a whole number, or the number is invalid.
        DuplicateError
            If the query has it already, and duplicates are errors.
        """
        self.is_scored = self.is_scored or not by_rank
        self._put(query, doc_id, number, where, sign=-1 if by_rank else 1)

    def add_at_place(self, query: str, doc_id: object, where: str) -> None:
        """Add a document without a number: with label 1, or after the query's other documents."""
        number = 1.0 if self._kind == "qrels" else -float(len(self.mapping[query]))
        self._put(query, doc_id, number, where)

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        documents = self.mapping[query]
        doc_id = id_in(doc_id, "the document id", where)
        known = documents.get(doc_id)
        if known is not None and self._duplicates == "error":
            raise DuplicateError(
                f"document {doc_id!r} appears twice for its query",
                f"keep one of the two{OR_CHOOSE[self._kind]}",
                where=where,
            )
        value = sign * self._checked(number, f"{where}, document {doc_id!r}")
        if known is not None:
            self.left_out[query] = self.left_out.get(query, 0) + 1
            if self._duplicates == "first" or value <= known:
                return
            del documents[doc_id]  # it moves to the position of its better row
        documents[doc_id] = value

    def _checked(self, number: object, where: str) -> float:
        if not isinstance(number, (int, float)):
            raise SchemaError(f"{self._number} is {shown(number)}", "need a number", where=where)
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if math.isnan(value):
            raise SchemaError(
                f"{self._number} is NaN, which cannot be ordered",
                "remove or replace it",
                where=where,
            )
        if self._kind == "qrels" and math.isinf(value):
            raise SchemaError("label is infinite", "need a finite label", where=where)
        if value != number and not math.isinf(value):
            return number  # a whole number that no double represents is refused where that matters
        return value


class GatheredQuery(Gathered):
    """The rows of one query, including duplicates; others are ignored.

    Attributes
    ----------
    doc_ids, numbers
        The query's documents, with labels or scores, or negated ranks.
    """

    def __init__(self, name: str, kind: Kind, query: str) -> None:
        super().__init__(name, kind)
        self.doc_ids: list[str] = []
        self.numbers: list[float] = []
        self._query = query

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        if query != self._query:
            return
        doc_id = id_in(doc_id, "the document id", where)
        value = sign * self._checked(number, f"{where}, document {doc_id!r}")
        self.doc_ids.append(doc_id)
        self.numbers.append(value)
        # The number of documents is the position of the next one without a number.
        self.mapping[query].setdefault(doc_id, value)


def id_in(value: object, what: str, where: str) -> str:
    """Return an id as text, or raise SchemaError."""
    text = id_text(value)
    if text is None and isinstance(value, str):
        raise SchemaError(f"{what} {shown(value)} is not valid Unicode", "correct it", where=where)
    if text is None:
        raise SchemaError(f"{what} is {shown(value)}", "need text or a whole number", where=where)
    if not text:
        raise SchemaError(f"{what} is empty", "give every row an id", where=where)
    return text


def shown(value: Any) -> str:
    """Return a value as shown in messages: null for None, and long values shortened."""
    return "null" if value is None else written(value, 60)
