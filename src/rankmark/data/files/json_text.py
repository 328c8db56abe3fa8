"""JSON as text: one document, or one per line, whose objects have each key once."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from rankmark.data.files.opened import pieces_of
from rankmark.errors import DuplicateError, InputError, ParseError

MOST_BYTES = 1 << 30
"""A document, or one of several on lines of their own, is no larger: it is held whole."""
_MARK = b"\xef\xbb\xbf"
_LONG = 1 << 24  # bytes of a line
_LINE = re.compile(rb"[^\s].*")  # from the first byte that is not a blank to the line's end


def json_bytes(descriptor: int, name: str, *, by_line: bool) -> bytes:
    """Read a file of one document, or of one a line."""
    checked = whole_lines if by_line else _of_document
    return b"".join(checked(pieces_of(descriptor), name))


def json_entries(data: bytes, name: str, *, by_line: bool) -> Iterator[tuple[str, int | None, Any]]:
    """Parse a file, and yield the name of each entry for messages, its line, and the entry.

    The line is None in one document, whose entries are those of its list.
    """
    if by_line:
        yield from entries_of_lines(data, name)
        return
    text = _decoded(data.removeprefix(_MARK), name, 1)
    del data
    document = _parsed(text, name, None)
    del text
    if isinstance(document, list):
        for number, entry in enumerate(document, 1):
            yield f"{name}: entry {number}", None, entry
    else:
        yield name, None, document


def entries_of_lines(data: bytes, name: str, number: int = 1) -> Iterator[tuple[str, int, Any]]:
    """Parse lines from a number on, skipping blank ones, which may be very many."""
    counted = 0
    begin = len(_MARK) if number == 1 and data.startswith(_MARK) else 0
    for line in _LINE.finditer(data, begin):
        number += data.count(b"\n", counted, line.start())
        counted = line.start()
        text = _decoded(line[0], name, number)
        yield f"{name}:{number}", number, _parsed(text, name, number)


def whole_lines(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Cut pieces at ends of lines; refuse a line that goes on without end."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join([*held, piece[:end]])
            held, size = [], 0
        size += len(piece) - end
        if size > MOST_BYTES or (size > _LONG and b"\0" in piece[end:]):
            for _ in _of_document([*held, piece[end:]], name):
                pass
        held.append(piece[end:])
    yield b"".join(held)


def _of_document(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if b"\0" in piece:
            raise ParseError(
                "found a NUL byte, so this is not UTF-8 text (UTF-16? a binary file?)",
                "convert it",
                where=name,
            )
        if size > MOST_BYTES:
            raise ParseError(
                f"a JSON document has more than {MOST_BYTES:,} bytes",
                "write a line for each query, or Parquet, which are read in parts",
                where=name,
            )
        yield piece


def _decoded(data: bytes, name: str, line: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise ParseError("this is not UTF-8 text", "convert it", where=name, line=line) from None


def _parsed(text: str, name: str, line: int | None) -> Any:
    kind: type[InputError] = ParseError
    try:
        return _DECODER.decode(text)
    except _DuplicateKeyError as error:
        kind, found = DuplicateError, f"{error.args[0]!r} appears twice in one object"
        remedy = "keep one of the two"
    except json.JSONDecodeError as error:
        found = f"this is not valid JSON ({error.msg}, column {error.colno})"
        remedy, line = "correct it", line or error.lineno
    except RecursionError:
        found = "objects are nested too deeply"
        remedy = "give {query id: {document id: number}}"
    except ValueError:
        found = (
            f"a whole number has more than {sys.get_int_max_str_digits():,} digits, which Python "
            "does not read"
        )
        remedy = "write ids as text, and labels and scores with fewer digits"
    raise kind(found, remedy, where=name, line=line)


class _DuplicateKeyError(Exception):
    """An object contains a key twice."""


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKeyError(key)
            seen.add(key)
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_with_unique_keys)
