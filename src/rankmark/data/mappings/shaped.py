"""Objects in memory that have the shape of what a tool returns, read by the walker."""

from __future__ import annotations

from typing import Any

from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import id_text
from rankmark.data.mappings.lists import Numbered, OneQuery
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.shapes.walker import Found, Walker
from rankmark.errors import SchemaError, shown


def from_shape(
    source: Any, kind: Kind, options: SourceOptions, *, also_plain: bool = False
) -> NestedMapping | None:
    """Read an object of a tool's shape, or a list of such; None if it has none.

    Answers in a list that say nothing of their queries are those of queries 0, 1, 2, ...
    ``also_plain`` are rows whose columns have no usual names.
    """
    is_listed = isinstance(source, list)
    entries = source if is_listed else [source]
    walker = Walker(kind, options)
    found: list[Found] = []
    for place, entry in enumerate(entries):
        where = f"{kind}: entry {place} (from 0)" if is_listed else kind
        if walker.recognises(entry, where, also_plain=also_plain):
            found += walker.walk(entry, where)
        elif not walker.leaves_out(entry):
            return None
    walker.close(kind)
    if walker.shape is None:
        return None
    held = [one.ids if one.numbers is None else _paired(one) for one in found]
    described: dict[str, Any] = {"form": walker.shape.name, "columns": walker.columns()}
    if walker.unjudged:
        described["unjudged"] = walker.unjudged
    queries = [one.query for one in found]
    for one in found:
        if one.query is not None and id_text(one.query) is None:
            raise SchemaError(
                f"the query is {shown(one.query)}", "need text or a whole number", where=one.where
            )
    if None not in queries:
        by_query: dict[Any, list[Any]] = {}
        for query, documents in zip(queries, held, strict=True):
            by_query.setdefault(query, []).extend(documents)
        read = NestedMapping(by_query, kind)
    elif any(query is not None for query in queries):
        raise SchemaError(
            "some answers say which query they are of, and others do not",
            "give {query: answer}",
            where=kind,
        )
    else:
        read = Numbered(held, kind) if is_listed else OneQuery(held[0], kind)
    read.form = described
    return read


def nearest_shape(entry: Any, kind: Kind, options: SourceOptions) -> str:
    """Say which shape an object is most like; "" if none."""
    return Walker(kind, options).nearest(entry)


def _paired(found: Found) -> list[tuple[Any, Any]]:
    return list(zip(found.ids, found.numbers or (), strict=True))
