"""Mappings of any class: their code is the caller's, and may fail or change what is walked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankmark.errors import InputError, noted


def items(mapping: Mapping[Any, Any], where: str) -> list[tuple[Any, Any]]:
    """List the entries of a mapping, before any other code of the caller's runs."""
    with walked(where):
        return list(mapping.items())


@contextmanager
def walked(where: str) -> Iterator[None]:
    """Say where the caller's own mapping failed, or that it changed while it was walked."""
    try:
        with noted(where):
            yield
    except RuntimeError as error:
        if "during iteration" not in str(error):
            raise
        raise InputError(
            f"{where}: it changed while it was read; give a copy that nobody writes to"
        ) from error
