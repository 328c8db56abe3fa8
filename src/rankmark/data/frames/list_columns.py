"""Columns of lists: one row per query, with all of its documents in one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.data.ids.numeric import id_text, row_from_0
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.columns import Chosen, choose
from rankmark.errors import DuplicateError, SchemaError, shown

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind


def is_list(value: object) -> bool:
    """Return True if a value is a collection of documents."""
    return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__")


def from_lists(
    names: Sequence[str],
    columns: Sequence[Sequence[Any]],
    chosen: Chosen,
    kind: Kind,
    *,
    name: str,
    where: str,
) -> NestedMapping:
    """Read queries with lists of documents, perhaps with lists of numbers, or lists of structs.

    Parameters
    ----------
    columns
        The values of the columns that ``chosen`` names, in the order of ``names``.

    Raises
    ------
    SchemaError
        If a list is missing, or the lists of one row differ in length.
    DuplicateError
        If a query appears twice.
    """
    queries, lists = columns[chosen.query_id], columns[chosen.doc_id]
    numbers = None if chosen.number is None else columns[chosen.number]
    if kind == "run" and numbers is None and chosen.rank is not None:
        raise SchemaError(
            f"{names[chosen.doc_id]!r} holds lists, whose order is the ranking, so ranks do "
            "not apply",
            f"drop the column {names[chosen.rank]!r}, or explode() the frame",
            where=where,
        )
    held: dict[Any, Any] = {}
    first: dict[str | None, int] = {}
    used = chosen.named(names, kind)
    for row, (query, documents) in enumerate(zip(queries, lists, strict=True)):
        place = f"{where}: {row_from_0(row)}"
        if is_list(query):  # also if documents of units are a column beside lists of units
            raise SchemaError(
                f"{names[chosen.query_id]!r} holds lists",
                "explode() the frame, so that each row has one id",
                where=place,
            )
        before = first.setdefault(id_text(query), row)
        if before != row:
            raise DuplicateError(
                f"query {shown(query)} appears twice, first in {row_from_0(before)}",
                "put its documents into one list, or explode() the frame",
                where=place,
            )
        if not is_list(documents):
            raise SchemaError(
                f"{names[chosen.doc_id]!r} is {shown(documents)}",
                "need a list as in the other rows, empty if there are no documents",
                where=place,
            )
        inner = documents.tolist() if hasattr(documents, "tolist") else list(documents)
        if numbers is not None:
            pair = (names[chosen.doc_id], names[chosen.number or 0])
            inner = _paired(inner, numbers[row], pair, place)
        elif inner and isinstance(inner[0], Mapping):
            inner = _of_structs(inner, kind, place, used)
        held[query] = inner
    source = NestedMapping(held, kind)
    source.name, source.form = name, {"form": "frame of lists", "columns": used}
    return source


def _paired(documents: list[Any], numbers: Any, names: tuple[str, str], place: str) -> Any:
    if not is_list(numbers):
        raise SchemaError(
            f"{names[0]!r} holds a list, and {names[1]!r} is {shown(numbers)}",
            "need a list of equal length, or no such column",
            where=place,
        )
    values = numbers.tolist() if hasattr(numbers, "tolist") else list(numbers)
    if len(values) != len(documents):
        raise SchemaError(
            f"{names[0]!r} and {names[1]!r} hold lists of {len(documents)} and {len(values)}",
            "need lists of equal length",
            where=place,
        )
    return list(zip(documents, values, strict=True))


def _of_structs(documents: list[Any], kind: Kind, place: str, used: dict[str, str]) -> list[Any]:
    """Return the id and the number of each struct, by the names of its fields."""
    fields = ["query_id", *(name for name in documents[0] if name != "query_id")]
    chosen = choose(fields, kind, None, place)
    doc_id = fields[chosen.doc_id]
    column = used["doc_id"].partition(".")[0]
    used["doc_id"] = f"{column}.{doc_id}"
    if chosen.number is None:
        return [document[doc_id] for document in documents]
    number = fields[chosen.number]
    used["label" if kind == "qrels" else "score"] = f"{column}.{number}"
    return [(document[doc_id], document[number]) for document in documents]
