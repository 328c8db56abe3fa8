"""Ids as bytes."""

from __future__ import annotations


def id_bytes(text: str) -> bytes:
    """Encode an id as in files; ids that were not valid UTF-8 become their original bytes."""
    return text.encode("utf-8", "surrogateescape")
