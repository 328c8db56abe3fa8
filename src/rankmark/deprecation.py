"""How something is removed: first it warns, and says what takes its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from rankmark.errors import warn_of_removal

P = ParamSpec("P")
T = TypeVar("T")


def deprecated(
    name: str, *, instead: str, since: str, until: str
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function warn when it is called, at the caller's line.

    Parameters
    ----------
    name
        What is deprecated, as callers write it.
    instead
        What to write in its place.
    since, until
        The version in which it was deprecated, and that in which it goes: at least two minor
        versions and six months later.
    """
    message = f"{name} is deprecated since rankmark {since} and goes in {until}; use {instead}"

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def warning(*args: P.args, **options: P.kwargs) -> T:
            warn_of_removal(message)
            return function(*args, **options)

        return warning

    return decorate
