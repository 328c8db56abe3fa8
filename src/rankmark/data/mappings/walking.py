"""Iterate over mappings of any class, whose code may fail or change them meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankmark.errors import InputError, noted


def items(mapping: Mapping[Any, Any], where: str) -> list[tuple[Any, Any]]:
    """List the entries of a mapping before any other code of the caller runs."""
    with walked(where):
        return list(mapping.items())


@contextmanager
def walked(where: str) -> Iterator[None]:
    """Report where the caller's mapping failed, or that it changed during iteration."""
    try:
        with noted(where):
            yield
    except RuntimeError as error:
        if "during iteration" not in str(error):
            raise
        raise InputError(
            "it changed while it was read", "give a copy that does not change", where=where
        ) from error
