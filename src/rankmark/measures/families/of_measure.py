"""Measures of another measure, which they name."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Measure


class OfMeasure(Measure):
    """A measure of another one; a subclass declares the parameter ``of``, its canonical name."""

    of: str
    also = ""  # further parameters, in what the error says

    def __init__(self, **given: Any) -> None:
        if given.get("of"):
            given["of"] = str(_named(given["of"]))
        super().__init__(**given)

    @property
    def named(self) -> Measure:
        """The other measure."""
        if not self.of:
            raise MeasureError(
                "it does not say what it is of", f'name it: {self.name}(of="nDCG@10"{self.also})'
            )
        return _named(self.of)


def _named(name: str | Measure) -> Measure:
    """Find a measure; dynamically, as measures cannot import what imports them."""
    return cast(Measure, import_module("rankmark.measures.names").measure(name))
