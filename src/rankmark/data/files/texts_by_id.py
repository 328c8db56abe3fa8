"""Texts of queries and documents, from files of ids and texts."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import closing
from typing import IO, Any

from rankmark.data.files.input_file import InputFile
from rankmark.data.files.json_text import entries_of_lines
from rankmark.data.files.temporary import reason_of
from rankmark.errors import InputError, ParseError, listed, shown

_IDS = (
    *("_id", "id", "query_id", "qid", "queryid", "doc_id", "docid", "docno", "pid", "passage_id"),
    *("document_id", "chunk_id"),
)
_TEXTS = ("title", "text", "contents", "content", "body", "query", "question", "passage", "segment")
_BETWEEN = " — "  # a title and a text


def texts_in(
    source: str | os.PathLike[str] | IO[Any], wanted: Collection[str], most: int
) -> dict[str, str]:
    """Read the texts of some ids, from lines of `id TAB text` or of JSON objects.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, or an open file, plain or packed. In lines, a title may
        stand between the id and the text, with a tab on both sides. JSON objects have an id under
        ``_id``, ``id``, ``docno``, ``qid`` or a similar name, and a text under ``text``,
        ``contents``, ``query`` or a similar name; a ``title`` comes first.
    wanted
        The ids; all lines are read, but other texts are not kept.
    most
        Number of characters kept of each text; the rest becomes an ellipsis.

    Raises
    ------
    ParseError
        If a line has neither form.
    InputError
        If the file cannot be read, or has none of the ids.
    """
    file = InputFile(source)
    ids = frozenset(wanted)
    found: dict[str, str] = {}
    seen: list[str] = []
    try:
        with file.descriptor() as descriptor:
            for identifier, text in _entries(descriptor, file.name):
                if len(seen) < 3:
                    seen.append(identifier)
                if identifier in ids and identifier not in found:
                    whole = " ".join(text.split())
                    found[identifier] = whole if len(whole) <= most else whole[: most - 1] + "…"
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {reason_of(error)}", "check the file", where=file.name
        ) from None
    if ids and not found:
        raise InputError(
            f"it has the text of no id that is needed: it has {listed(seen) or 'nothing'}, and "
            f"needed are {listed(sorted(ids))}",
            "are the ids of one kind?",
            where=file.name,
        )
    return found


def _entries(descriptor: int, name: str) -> Iterator[tuple[str, str]]:
    with closing(os.fdopen(os.dup(descriptor), "rb")) as lines:
        lines.seek(0)
        for number, raw in enumerate(lines, 1):
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            if not text.strip():
                continue
            if text.startswith("{"):
                ((*_, found),) = entries_of_lines(line, name, number)
                yield _of_object(found, name, number)
                continue
            identifier, tab, rest = text.partition("\t")
            if not tab:
                raise ParseError(
                    f"{shown(text, 60)} has no tab",
                    "need lines of an id, a tab and a text, or of JSON objects",
                    where=name,
                    line=number,
                )
            yield identifier.strip(), _BETWEEN.join(rest.split("\t"))


def _of_object(found: dict[str, Any], name: str, line: int) -> tuple[str, str]:
    identifier = next((found[key] for key in _IDS if key in found), None)
    texts = [found[key] for key in _TEXTS if isinstance(found.get(key), str) and found[key]]
    if not isinstance(identifier, (str, int)) or isinstance(identifier, bool):
        raise ParseError(
            f"no field is an id; it has {listed([*found])}",
            f"name it {_IDS[0]} or {_IDS[1]}",
            where=name,
            line=line,
        )
    return str(identifier), _BETWEEN.join(texts)
