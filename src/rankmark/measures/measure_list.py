"""The list of all measures, as a notebook shows it."""

from __future__ import annotations

from rankmark.formatting import html_parts as html
from rankmark.measures.base.measure import Measure


class Measures(list[Measure]):
    """A list of measures, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = [(str(one), one.full_name, one.formula) for one in self]
        return html.page(html.table(("measure", "full name", "formula"), rows, 3))
