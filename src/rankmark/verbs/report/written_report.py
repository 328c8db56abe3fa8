"""What a report that was written contains, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmark.errors import one_line
from rankmark.results import html_parts as html

if TYPE_CHECKING:
    from rankmark.verbs.compare.comparison import Comparison


@dataclass(frozen=True, slots=True, repr=False)
class WrittenReport:
    """A report that was written; it can be used as a path, as by ``open``.

    Parameters
    ----------
    path
        The file, as it was given.
    size
        Its bytes.
    runs, measures
        The names of what was compared; empty for the page of another result.
    queries
        How many; 0 for the page of another result.
    """

    path: str
    size: int
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    queries: int

    @classmethod
    def of(cls, compared: Comparison, path: str, size: int) -> WrittenReport:
        """Describe the report of a comparison."""
        return cls(path, size, compared.runs, compared.measures, len(compared.queries))

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        shown = ", ".join(map(" ".join, self._shown()[:-1]))
        return one_line(f"WrittenReport({self.path}: {shown})")

    def _repr_html_(self) -> str:
        from urllib.parse import quote  # noqa: PLC0415

        name = html.escaped(self.path)
        link = f"<a href='{quote(self.path)}' target='_blank'>{name}</a>"
        rows = [[html.escaped(cell) for cell in row[::-1]] for row in self._shown()]
        return html.page(html.table_of_html([], [["report", link], *rows], 2))

    def _shown(self) -> list[tuple[str, str]]:
        kilobytes = f"{max(self.size // 1000, 1):,}"
        if not self.runs:
            return [(kilobytes, "kB"), ("", "")]
        return [
            (f"{len(self.runs):,}", "run" if len(self.runs) == 1 else "runs"),
            (f"{len(self.measures):,}", "measure" if len(self.measures) == 1 else "measures"),
            (f"{self.queries:,}", "query" if self.queries == 1 else "queries"),
            (kilobytes, "kB"),
        ]
