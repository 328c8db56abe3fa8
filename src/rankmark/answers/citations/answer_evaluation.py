"""The result of scoring answers: values by query, their means, and an audit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.data.given_tables.role_tables import last_notes
from rankmark.errors import InputError, MeasureError, NotEvaluatedError, shown
from rankmark.results.drawing.spreads import DrawnByQuery, Spread
from rankmark.results.result import json_number
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.means_by_query import MeansByQuery

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.drawing.result_page import PageParts

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
_TITLES = {"nuggets": "Nuggets supported", "citations": "Citations"}


@dataclass(frozen=True, slots=True)
class NuggetAudit:
    """Which topics were averaged, and what their answers support.

    Parameters
    ----------
    judged, answered, missing
        Topics with nuggets; those of them with an answer, and the others.
    averaged
        Topics that were averaged.
    nuggets, vital
        Nuggets of these, and how many of them are vital.
    full, partial
        Nuggets that the answers support in full, and in part.
    without_vital
        Topics averaged that have an answer and nuggets, none of which is vital.
    """

    judged: int
    answered: int
    missing: int
    averaged: int
    nuggets: int
    vital: int
    full: int
    partial: int
    without_vital: int

    def __str__(self) -> str:
        """Return the audit on one line."""
        line = (
            f"judged {self.judged:,}, answered {self.answered:,}, missing {self.missing:,}; "
            f"nuggets {self.nuggets:,}, vital {self.vital:,}, supported {self.full:,}, in part "
            f"{self.partial:,}"
        )
        return line + (f"; without vital nuggets {self.without_vital:,}" * bool(self.without_vital))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CitationAudit:
    """Which topics were averaged, and what their answers cite.

    Parameters
    ----------
    judged, answered, missing
        Topics in the table; those of them whose answer has a sentence, and the others.
    averaged
        Topics that were averaged.
    sentences, without_citation
        Sentences of these, and how many of them cite nothing.
    citations, repeated, out_of_range, beyond
        Citations of these; those that repeat another one of their sentence; those of passages that
        do not exist; and those beyond ``at_most_citations``, which are ignored.
    """

    judged: int
    answered: int
    missing: int
    averaged: int
    sentences: int
    without_citation: int
    citations: int
    repeated: int
    out_of_range: int
    beyond: int

    def __str__(self) -> str:
        """Return the audit on one line."""
        line = (
            f"judged {self.judged:,}, answered {self.answered:,}, missing {self.missing:,}; "
            f"sentences {self.sentences:,}, without citation {self.without_citation:,}; citations "
            f"{self.citations:,}, repeated {self.repeated:,}, out of range {self.out_of_range:,}"
        )
        return line + (f", ignored {self.beyond:,}" * bool(self.beyond))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return asdict(self)


class AnswerEvaluation(DrawnByQuery, MeansByQuery):
    """Scores of generated answers: a mapping from the names of scores to means.

    Attributes
    ----------
    scores
        (n_queries, n_scores) float64, unitless, from 0 to 1. NaN if a score is undefined.
    names
        The names of the scores, in the requested order.
    queries, means
        (n_queries,) ids, as text; {score: mean over the queries for which it is defined, NaN if
        there are none}.
    kind
        "nuggets" or "citations".
    audit, settings
        Which queries were averaged, and what was counted; all choices.
    """

    def __init__(
        self,
        *,
        kind: Literal["nuggets", "citations"],
        names: tuple[str, ...],
        queries: tuple[str, ...],
        scores: Floats,
        conventions: dict[str, Any],
        audit: NuggetAudit | CitationAudit,
        read: dict[str, dict[str, Any]],
    ) -> None:
        self.kind = kind
        self.scores = scores
        self.scores.flags.writeable = False
        self.audit = audit
        self._names = names
        self._queries = queries
        self._conventions = conventions
        self._read = read

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged."""
        return self._queries

    @property
    def names(self) -> list[str]:
        """Names of the scores."""
        return [*self._names]

    @property
    def run_name(self) -> str:
        """The name of the file of judged answers, or its form."""
        return str(self._read["answers"]["name"])

    def _about(self) -> dict[str, str]:
        return {"run": short_names([self.run_name])[0]}

    def _chosen(self) -> object:
        return self.kind, self._conventions

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, and how the tables were read."""
        return self._conventions | self._read

    @property
    def notes(self) -> list[str]:
        """The lines below a table: intervals, audit, how tables were read, and conventions."""
        between = [
            f"{name} {low:.4f} to {high:.4f}"
            for name, (low, high) in self.intervals().items()
            if low < high
        ]
        intervals = [f"95% intervals of the means: {', '.join(between)}"] if between else []
        return [*intervals, *last_notes(self.audit, self._read, self._conventions)]

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``schema`` is the version of this form. Files have their SHA-256.
        """
        inputs = {"kind": self.kind, **self._read}
        written = self._begun(SCHEMA, inputs, self._conventions, self.audit.to_dict())
        written |= {
            "intervals": {
                name: [json_number(end) for end in ends] for name, ends in self.intervals().items()
            },
        }
        if per_query:
            written["per_query"] = self._by_query()
        return written

    def _drawn(self) -> Spread:
        if np.isnan(self.scores).all():
            raise InputError("all values are undefined", 'choose empty="zero"')
        return Spread(self.scores, self.names, f"{self.kind}, {len(self.queries):,} queries")

    def _page_parts(self) -> PageParts:
        from rankmark.results.drawing.result_page import PageParts  # noqa: PLC0415  (few write pages)

        return PageParts(
            f"{_TITLES[self.kind]} in {self._about()['run']}",
            "",
            self._picture_of_values(),
            self._repr_html_(),
        )

    def _notes(self) -> list[str]:
        return self.notes

    def column(self, name: str) -> int:
        """Return the column of a score in ``scores``.

        Raises
        ------
        NotEvaluatedError
            If it was not computed.
        """
        if name not in self._names:
            raise NotEvaluatedError(
                f"{shown(name)} was not computed", f"this result has {', '.join(self._names)}"
            )
        return self._names.index(name)


def requested_names(
    requested: Any, known: tuple[str, ...], others: dict[str, str]
) -> tuple[str, ...]:
    """Return the names of scores that are requested, without duplicates; None for all.

    Parameters
    ----------
    known, others
        All names, and what other names stand for.

    Raises
    ------
    MeasureError
        If one does not exist.
    InputError
        If these are no names, or there are none.
    """
    if requested is None:
        return known
    try:
        given = [requested] if isinstance(requested, str) else [*requested]
    except TypeError:
        raise InputError(f"measures is {shown(requested)}", "need names of scores") from None
    found: dict[str, None] = {}
    for one in given:
        name = others.get(one, one) if isinstance(one, str) else ""
        if name not in known:
            near = get_close_matches(str(one), known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            remedy = f"{meant}choose from {', '.join(known)}"
            raise MeasureError(f"there is no score {shown(one)}", remedy)
        found[name] = None
    if not found:
        raise InputError("no score was requested", f"choose from {', '.join(known)}")
    return tuple(found)
