"""The result of measuring spans: values by query, their means, and an audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankmark.errors import counted
from rankmark.formulas import Budget
from rankmark.measures.spans import SpanMeasure
from rankmark.measures.spans.span_names import span_measures
from rankmark.results.per_query import Audit, MeansByQuery, undefined_for


@dataclass(frozen=True, slots=True)
class SpanAudit(Audit):
    """Which queries were averaged, and what was repeated.

    Parameters
    ----------
    judged, answered, missing
        Queries with gold spans; those of them for which something was retrieved, and the others.
    run_only, run_only_examples
        Queries without gold spans for which something was retrieved, and the first three; they are
        ignored.
    averaged
        Queries that were averaged.
    gold, overlapping
        Gold spans of these, and how many of them overlap another one of their query.
    retrieved, repeated
        Retrieved chunks of these, and how many of them were retrieved before, for the same query.
    undefined
        Number of queries for which each measure is undefined; its mean is over the others.
    """

    judged: int
    answered: int
    missing: int
    run_only: int
    run_only_examples: tuple[str, ...]
    averaged: int
    gold: int
    overlapping: int
    retrieved: int
    repeated: int
    undefined: dict[str, int]

    told = (
        (
            "judged {judged:,}, answered {answered:,}, missing {missing:,}, run-only "
            "{run_only:,}; {gold:,} gold spans, {overlapping:,} of which overlap others; "
            "{retrieved:,} chunks, {repeated:,} of which are repeated",
            "",
        ),
    )

    def _ends(self) -> str:
        return undefined_for(self.undefined)


class SpanEvaluation(MeansByQuery):
    """How much of the gold spans was retrieved: a mapping from the names of measures to means.

    ``measures`` are the measures in the requested order; their values are from 0 to 1.
    """

    _main, _label, _words = "retrieved", "tab:spans", ("evaluated", "evaluation")
    _between = (0.0, 1.0)

    def __init__(self, *, measures: tuple[SpanMeasure, ...], **found: Any) -> None:
        super().__init__(names=[*map(str, measures)], **found)
        self.measures = measures

    @property
    def heading(self) -> str:
        """What was measured."""
        return f"Spans retrieved by {self._about()['run']}"

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, parameters of measures, and how the data were read."""
        parameters = {
            str(each): {
                name: str(value) if isinstance(value, Budget) else value
                for name, value in each.parameters.items()
            }
            for each in self.measures
        }
        return {**self._conventions, "measures": parameters, **self._read}

    def _drawn_title(self) -> str:
        chosen = ", ".join(f"{name}={value}" for name, value in self._conventions.items())
        return f"{counted(len(self.queries), 'query', 'queries')}, {chosen}"

    def _meant(self, name: str | SpanMeasure) -> Sequence[str]:
        """Return the full name; with a profile, one without parameters has those of the profile."""
        found = span_measures(name)
        if self._conventions.get("profile") == "chroma" and found[0] not in self.measures:
            found = tuple(measure.as_chroma() for measure in found)
        return [*map(str, found)]
