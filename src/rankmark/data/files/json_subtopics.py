"""Read JSON as judgments by subtopic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.data.files.json_text import json_bytes, json_entries
from rankmark.data.frames.records import from_records
from rankmark.data.judgments.subtopic_judgments import WANTED
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.mappings.subtopic_mappings import are_groups
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.tables.table import TableSource


def json_by_subtopic(
    descriptor: int, name: str, kind: Kind, options: SourceOptions, *, by_line: bool
) -> TableSource | NestedMapping | None:
    """Read a list of rows, a row a line, or {query id: {subtopic: {document id: label}}}.

    Instead of subtopics with names, there may be a list of groups of documents.

    None if there are none.

    Raises
    ------
    SchemaError
        If they have no subtopics.
    """
    data = json_bytes(descriptor, name, by_line=by_line)
    entries = [entry for *_, entry in json_entries(data, name, by_line=by_line)]
    if not all(isinstance(entry, dict) for entry in entries):
        raise SchemaError(
            "its objects have no field subtopic", f"give them one, or give {WANTED}", where=name
        )
    if not entries or not any(entries):
        return None
    if len(entries) == 1 and all(
        isinstance(held, dict) or are_groups(held) for held in entries[0].values()
    ):
        return NestedMapping(entries[0], kind)
    return from_records(entries, kind, options._replace(format=None), name=name)
