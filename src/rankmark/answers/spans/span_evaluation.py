"""The result of measuring spans: values by query, their means, and an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, MeasureError, NotEvaluatedError
from rankmark.measures.spans.span_names import span_measures
from rankmark.results.drawing.spreads import DrawnByQuery, Spread
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.means_by_query import MeansByQuery

if TYPE_CHECKING:
    from rankmark.answers.spans.matched_spans import SpanAudit
    from rankmark.array_types import Floats
    from rankmark.measures.spans import SpanMeasure
    from rankmark.results.drawing.result_page import PageParts

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


class SpanEvaluation(DrawnByQuery, MeansByQuery):
    """How much of the gold spans was retrieved: a mapping from the names of measures to means.

    Attributes
    ----------
    scores
        (n_queries, n_measures) float64, unitless, from 0 to 1. NaN if a measure is undefined.
    measures
        The measures in the requested order.
    queries, means
        (n_queries,) ids, as text, in the order of the gold spans; {measure: mean over the queries
        for which it is defined, NaN if there are none}.
    audit, settings
        Which queries were averaged, and what was repeated; all choices.
    """

    def __init__(
        self,
        *,
        measures: tuple[SpanMeasure, ...],
        queries: tuple[str, ...],
        scores: Floats,
        conventions: dict[str, Any],
        audit: SpanAudit,
        read: dict[str, dict[str, Any]],
    ) -> None:
        self.measures = measures
        self.scores = scores
        self.scores.flags.writeable = False
        self.audit = audit
        self._queries = queries
        self._conventions = conventions
        self._read = read

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged."""
        return self._queries

    @property
    def names(self) -> list[str]:
        """Names of the measures."""
        return [str(each) for each in self.measures]

    @property
    def run_name(self) -> str:
        """The name of the file of what was retrieved, or ``<retrieved>``."""
        return str(self._read["retrieved"]["name"])

    def _about(self) -> dict[str, str]:
        return {"run": short_names([self.run_name])[0]}

    def _chosen(self) -> object:
        return self._conventions

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, parameters of measures, and how the data were read."""
        return self._conventions | {
            "measures": {str(each): each.parameters for each in self.measures},
            **self._read,
        }

    @property
    def notes(self) -> list[str]:
        """The lines below a table: audit, how the data were read, and conventions."""
        read = [
            f"{one['name']} read as: "
            + ", ".join(f"{role}={name}" for role, name in one["columns"].items())
            for one in self._read.values()
            if any(role != name for role, name in one.get("columns", {}).items())
        ]
        chosen = " ".join(f"{name}={value}" for name, value in self._conventions.items())
        return [str(self.audit), *read, f"conventions: {chosen}"]

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``schema`` is the version of this form. Files have their SHA-256.
        """
        settings = {name: value for name, value in self.settings.items() if name not in self._read}
        written = self._begun(SCHEMA, self._read, settings, self.audit.to_dict())
        if per_query:
            written["per_query"] = self._by_query()
        return written

    def _drawn(self) -> Spread:
        if np.isnan(self.scores).all():
            raise InputError("all values are undefined", "choose other measures to plot")
        chosen = ", ".join(f"{name}={value}" for name, value in self._conventions.items())
        return Spread(self.scores, self.names, f"{len(self.queries):,} queries, {chosen}")

    def _page_parts(self) -> PageParts:
        from rankmark.results.drawing.result_page import PageParts  # noqa: PLC0415  (few write pages)

        return PageParts(
            f"Spans retrieved by {self._about()['run']}",
            "",
            self._picture_of_values(),
            self._repr_html_(),
        )

    def _notes(self) -> list[str]:
        return self.notes

    def column(self, name: str | SpanMeasure) -> int:
        """Return the column of a measure in ``scores``.

        With a profile, a name without parameters means the measure with those of the profile.

        Raises
        ------
        NotEvaluatedError
            If it was not evaluated, or there is no such measure.
        """
        try:
            found = span_measures(name)
        except MeasureError as error:
            raise NotEvaluatedError(error.found, error.remedy, where=error.where) from None
        if self._conventions.get("profile") == "chroma" and found[0] not in self.measures:
            found = tuple(measure.as_chroma() for measure in found)
        if len(found) != 1 or found[0] not in self.measures:
            raise NotEvaluatedError(
                f"{', '.join(map(str, found))} was not evaluated",
                f"this evaluation has {', '.join(self.names)}",
            )
        return self.measures.index(found[0])
