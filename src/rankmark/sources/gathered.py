"""Rows gathered one by one, from where Python reads them, as the mapping that the core takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark.errors import DuplicateError, SchemaError
from rankmark.sources.numeric import id_text

if TYPE_CHECKING:
    from rankmark.sources.options import Kind


class Gathered:
    """Judgments or a run as they grow: ``{query id: {document id: label or score}}``.

    Attributes
    ----------
    mapping
        All that was added, queries and documents in the order in which each came first.
    is_scored
        Whether some document of a run came with a score; else ranks or the order made the numbers.
    """

    def __init__(self, name: str, kind: Kind) -> None:
        self.name = name
        self.mapping: dict[str, dict[str, float]] = {}
        self.is_scored = kind == "qrels"
        self._kind = kind
        self._number = "label" if kind == "qrels" else "score"

    def query(self, query_id: object, where: str) -> dict[str, float]:
        """Give the documents of a query so far, to add to."""
        return self.mapping.setdefault(_text(query_id, f"{where}: the query id"), {})

    def add(
        self,
        documents: dict[str, float],
        doc_id: object,
        number: object,
        where: str,
        *,
        by_rank: bool = False,
    ) -> None:
        """Add a document to those of its query, with a label, a score or a rank.

        Raises
        ------
        SchemaError
            If the id is no text or whole number, or the number is none.
        DuplicateError
            If the query has it already.
        """
        self.is_scored = self.is_scored or not by_rank
        self._put(documents, doc_id, number, where, sign=-1.0 if by_rank else 1.0)

    def add_at_place(self, documents: dict[str, float], doc_id: object, where: str) -> None:
        """Add a document without a number: label 1, or behind those that the query has."""
        number = 1.0 if self._kind == "qrels" else -float(len(documents))
        self._put(documents, doc_id, number, where)

    def _put(
        self,
        documents: dict[str, float],
        doc_id: object,
        number: object,
        where: str,
        *,
        sign: float = 1.0,
    ) -> None:
        doc_id = _text(doc_id, f"{where}: the document id")
        if doc_id in documents:
            raise DuplicateError(
                f"{where}: document {doc_id!r} stands twice for its query; keep one of the two",
                path=self.name,
            )
        documents[doc_id] = sign * self._checked(number, f"{where}, document {doc_id!r}")

    def _checked(self, number: object, where: str) -> float:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            wanted = f"{self._number}s are numbers"
            raise SchemaError(f"{where}: {self._number} is {shown(number)}; {wanted}")
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if math.isnan(value):
            message = f"{self._number} is NaN, which has no place in an order; remove or replace it"
            raise SchemaError(f"{where}: {message}")
        if self._kind == "qrels" and math.isinf(value):
            raise SchemaError(f"{where}: label is infinite; labels are finite numbers")
        return value


def _text(value: object, what: str) -> str:
    text = id_text(value)
    if text is None:
        raise SchemaError(f"{what} is {shown(value)}; ids are text or whole numbers")
    if not text:
        raise SchemaError(f"{what} is empty; every row needs one")
    return text


def shown(value: Any) -> str:
    """Write a value as messages show it: null for None, and not too much of it."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
