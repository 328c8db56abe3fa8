"""Tell what has no shape of a tool by its first entries, without the table of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

LISTS = (list, tuple)
PLAIN = (str, bytes, int, float, bool, type(None))
WITH_EMPTY_CELLS = frozenset({"query", "docid", "rating"})
"""The columns of Quepid, of which the last two are empty for what nobody rated."""
FEW = 20
"""Queries, or documents, by which a form is told."""
_FIRST = 4
_NUMBERS = frozenset({int, float})


def is_plain(entry: object) -> bool:
    """Return True for ids, pairs or scored hits in lists, or numbers by document, for each query.

    It need not find all of them: it is for speed.
    """
    if type(entry) is dict and type(next(iter(entry.values()), None)) is dict:
        return all(map(_is_simple, islice(entry.values(), _FIRST)))  # as in most small calls
    if isinstance(entry, Mapping):
        if all(isinstance(one, PLAIN) for one in islice(entry.values(), FEW)):  # a row
            return "document_position" not in entry and entry.keys() != WITH_EMPTY_CELLS
        return all(map(_is_simple, islice(entry.values(), _FIRST)))
    return isinstance(entry, PLAIN) or _is_simple(entry)


def _is_simple(held: object) -> bool:
    if type(held) is dict and _NUMBERS.issuperset(map(type, islice(held.values(), FEW))):
        return True  # as in most small calls
    if isinstance(held, Mapping):
        return all(hasattr(one, "__float__") for one in islice(held.values(), FEW))
    if not isinstance(held, LISTS):
        return isinstance(held, (set, frozenset)) or hasattr(held, "dtype")
    first = held[0] if held else None
    if isinstance(first, Mapping):
        return "score" in first
    return isinstance(first[0] if isinstance(first, LISTS) and first else first, PLAIN)
