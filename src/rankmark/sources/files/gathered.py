"""Rows gathered one by one, from where Python reads them, as the mapping that the core takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark.errors import DuplicateError, SchemaError
from rankmark.errors import shown as written
from rankmark.sources.contract.source_options import OR_CHOOSE
from rankmark.sources.ids.numeric import id_text

if TYPE_CHECKING:
    from rankmark.sources.contract.source_options import Kind


class Gathered:
    """Judgments or a run as they grow: ``{query id: {document id: label or score}}``.

    Parameters
    ----------
    duplicates
        What becomes of a document that its query has already: "error", "first" or "best".

    Attributes
    ----------
    mapping
        All that was added, queries in the order in which each came first, documents in that of
        the rows that count.
    is_scored
        Whether some document of a run came with a score; else ranks or the order made the numbers.
    left_out
        How many rows of a query were left out, where some were.
    """

    def __init__(self, name: str, kind: Kind, duplicates: str = "error") -> None:
        self.name = name
        self.mapping: dict[str, dict[str, float]] = {}
        self.is_scored = kind == "qrels"
        self.left_out: dict[str, int] = {}
        self._kind = kind
        self._duplicates = duplicates
        self._number = "label" if kind == "qrels" else "score"

    def query(self, query_id: object, where: str) -> str:
        """Give the id of a query as text; from then on it is there, to add documents to."""
        query = _text(query_id, "the query id", where)
        self.mapping.setdefault(query, {})
        return query

    def add(
        self, query: str, doc_id: object, number: object, where: str, *, by_rank: bool = False
    ) -> None:
        """Add a document to those of its query, with a label, a score or a rank.

        Raises
        ------
        SchemaError
            If the id is no text or whole number, or the number is none.
        DuplicateError
            If the query has it already, and may not.
        """
        self.is_scored = self.is_scored or not by_rank
        self._put(query, doc_id, number, where, sign=-1 if by_rank else 1)

    def add_at_place(self, query: str, doc_id: object, where: str) -> None:
        """Add a document without a number: label 1, or behind those that the query has."""
        number = 1.0 if self._kind == "qrels" else -float(len(self.mapping[query]))
        self._put(query, doc_id, number, where)

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        documents = self.mapping[query]
        doc_id = _text(doc_id, "the document id", where)
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
            del documents[doc_id]  # it stands where its better row does
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
            return number  # whole, and no double holds it: to be refused where that matters
        return value


class GatheredAlone(Gathered):
    """The rows of one query, each document as often as it stands there; others are passed over.

    Attributes
    ----------
    doc_ids, numbers
        The query's documents, with labels or scores, or ranks with a minus.
    """

    def __init__(self, name: str, kind: Kind, query: str) -> None:
        super().__init__(name, kind)
        self.doc_ids: list[str] = []
        self.numbers: list[float] = []
        self._wanted = query

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        if query != self._wanted:
            return
        doc_id = _text(doc_id, "the document id", where)
        value = sign * self._checked(number, f"{where}, document {doc_id!r}")
        self.doc_ids.append(doc_id)
        self.numbers.append(value)
        # How many there are tells the place of the next one that has no number.
        self.mapping[query].setdefault(doc_id, value)


def _text(value: object, what: str, where: str) -> str:
    text = id_text(value)
    if text is None and isinstance(value, str):
        raise SchemaError(f"{what} {shown(value)} is not valid Unicode", "correct it", where=where)
    if text is None:
        raise SchemaError(f"{what} is {shown(value)}", "need text or a whole number", where=where)
    if not text:
        raise SchemaError(f"{what} is empty", "give every row an id", where=where)
    return text


def shown(value: Any) -> str:
    """Write a value as messages show it: null for None, and not too much of it."""
    return "null" if value is None else written(value, 60)
