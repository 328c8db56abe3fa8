"""Functions of SciPy, imported when they are first used.

Comparing runs needs SciPy, and measuring does not. SciPy is large and slow to import, so it is an
extra of the package.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from rankmark.errors import MissingDependencyError


class _Part:
    """A module of SciPy."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, function: str) -> Any:
        if function.startswith("_"):  # asked for by copy, pickle and the like
            raise AttributeError(function)
        try:
            found = getattr(import_module(self._name), function)
        except ImportError as error:
            raise MissingDependencyError(
                "SciPy", "statistics", "a statistical test or interval"
            ) from error
        setattr(self, function, found)
        return found


optimize: Final = _Part("scipy.optimize")
special: Final = _Part("scipy.special")
stats: Final = _Part("scipy.stats")
