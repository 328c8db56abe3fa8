"""Tags of runs: text that measures ignore and conversion keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.contract.reading_options import Reading
from rankmark.data.ids.numeric import id_text
from rankmark.data.tables.columns import is_tag

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.data.contract.source import Rows
    from rankmark.data.files.open_text import OpenText


class Tags(NamedTuple):
    """One tag per row.

    Parameters
    ----------
    codes
        (n,) whole numbers, codes of the tags.
    text
        Returns the tag with a code; empty if a row has none.
    """

    codes: Ints
    text: Callable[[int], str]


def tags_in_text(opened: OpenText, rows: Rows, reading: Reading) -> Tags | None:
    """Read the column of tags of a text file, for which the file is read again."""
    places = [place for place, name in enumerate(opened.layout.names) if is_tag(name)]
    if not places:
        return None
    # The core reads one more column of ids than the queries; it skips lines with empty tags.
    chosen = opened.layout.chosen._replace(doc_id=places[0], rank=None)
    again = opened._replace(layout=opened.layout._replace(chosen=chosen))
    read = again.rows(reading.in_silence(), lenient=True)
    text = read.doc_ids
    if np.array_equal(np.asarray(read.line), np.asarray(rows.line)):
        return Tags(read.doc_codes, text)
    codes = np.full(len(rows.doc_codes), -1, dtype=np.int64)
    codes[np.isin(np.asarray(rows.line), np.asarray(read.line))] = read.doc_codes
    return Tags(codes, lambda code: "" if code < 0 else text(code))


def tags_in_json(entries: Iterable[Any], columns: Mapping[str, str], rows: Rows) -> Tags | None:
    """Return the tags of rows that were collected by query, with each document once."""
    named: dict[tuple[str | None, str | None], str] = {}
    for entry in entries:
        name = next(filter(is_tag, entry), None) if isinstance(entry, dict) else None
        if name is not None and columns.keys() >= {"query_id", "doc_id"}:
            ids = (id_text(entry.get(columns[role])) for role in ("query_id", "doc_id"))
            named[next(ids), next(ids)] = "" if entry[name] is None else str(entry[name])
    if not named:
        return None
    pairs = zip(rows.query_codes.tolist(), rows.doc_codes.tolist(), strict=True)
    return numbered(
        named.get((rows.query_ids[query], rows.doc_ids(document)), "") for query, document in pairs
    )


def numbered(texts: Iterable[str]) -> Tags:
    """Assign codes to distinct texts."""
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int64)
    return Tags(codes, [*number].__getitem__)
