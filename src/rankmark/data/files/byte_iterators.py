"""Iterators of bytes, read as files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, cast

from rankmark.errors import noted

_KINDS = (bytes, bytearray, memoryview)


class ByteIterator:
    """A file that can be read once, from an iterator of its pieces."""

    name = "<iterator>"

    def __init__(self, pieces: Iterator[Any]) -> None:
        self._pieces = pieces

    def read(self, _size: int = -1) -> Any:
        """Return the next piece that is not empty, of any size; nothing at the end."""
        return next((piece for piece in self._pieces if not _is_empty(piece)), b"")


def _is_empty(piece: object) -> bool:
    return isinstance(piece, _KINDS) and not len(piece)


def as_bytes(source: Iterator[Any], kind: str) -> ByteIterator | Iterator[Any]:
    """Return a file if an iterator gives bytes, else an iterator that gives the same."""
    with noted(f"{kind}: entry 0 (from 0)"):
        first = next(source, source)
    if first is source:
        return source
    same = chain([first], source)
    return ByteIterator(same) if isinstance(first, _KINDS) else cast("Iterator[Any]", same)
