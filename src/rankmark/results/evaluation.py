"""What evaluating gives: scores by query and measure, their means, and how they came about."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import query_text
from rankmark.errors import ChangedError, MeasureError, NotEvaluatedError
from rankmark.formatting.per_query import ByQuery
from rankmark.formatting.result import as_html, json_number
from rankmark.measures.names import measure
from rankmark.results.plot_methods import PlotMethods
from rankmark.results.provenance import (
    asked_for,
    described,
    interval_lines,
    read_as,
    unsaid_rel,
    written_value,
)
from rankmark.scoring.aggregates import error_for_all, for_all
from rankmark.scoring.over_groups import in_groups
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Floats, Ints
    from rankmark.explanations.explanation import Explanation
    from rankmark.measures import Measure
    from rankmark.results.audit import Audit
    from rankmark.scoring.kept_data import KeptData

SCHEMA = 1
"""Version of what ``to_dict`` writes; it rises when a field changes its meaning or goes."""


class Evaluation(ByQuery, PlotMethods):
    """A run's scores: a mapping from the names of measures to their means.

    It holds still: whatever it says, later too, is about what was evaluated. It keeps the judged
    documents that the measures look at, with their ranks, and no other data but what is small;
    ``explain``, and ``bounds``, ``plot`` and a few more where they look at more than the measures
    did, read the rest again: from the file, or from the object for as long as you hold it. Where
    that has changed or gone, they raise ChangedError; see docs/inputs.md.

    Attributes
    ----------
    scores
        (n_queries, n_measures) float64, unitless, rows in judgment order. NaN where
        ``no_relevant`` is "skip" or "nan" and nothing is relevant.
    measures, asked
        In the order asked for; {name asked for: canonical name}, of those asked for by name.
    conventions
        How rankings were read and who was averaged.
    queries, means
        (n_queries,) ids, as text; {measure: its number over the queries}, mostly the mean.
    audit, settings
        Who was averaged and how far to trust it; everything that was chosen.
    """

    def __init__(
        self,
        *,
        kept: KeptData,
        measures: tuple[Measure, ...],
        asked: Mapping[str, Measure],
        scores: Floats,
        rows: Ints | None,
        errors: Mapping[Measure, Floats],
    ) -> None:
        self.measures = measures
        self.conventions = kept.conventions
        self.scores = scores if rows is None else scores[rows]
        self.scores.flags.writeable = False
        self._asked = asked
        self._kept = kept
        self._rows = rows
        self._errors = errors
        self._means: tuple[float, ...] | None = None

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged, in judgment order."""
        ids = self._kept.alignment.queries
        return tuple(ids) if self._rows is None else tuple(ids[row] for row in self._rows)

    @property
    def names(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(one) for one in self.measures]

    @property
    def asked(self) -> dict[str, str]:
        """Canonical names of the measures, by the names that they were asked for by."""
        return {name: str(one) for name, one in self._asked.items()}

    @property
    def run_name(self) -> str:
        """The run's file name; a mapping has none."""
        return self._kept.run.name

    def _chosen(self) -> object:
        return self.conventions

    def __getstate__(self) -> dict[str, Any]:
        """Travel with what must be read again to be known, as long as it can be."""
        _ = self.audit
        if self.conventions.depth is not None:
            self.moved_by_ties()
        return vars(self)

    @property
    def _figures(self) -> tuple[float, ...]:
        if self._means is None:  # by hand, as cached_property takes a lock in small calls
            self._means = self._aggregated(self.scores)
        return self._means

    def _aggregated(self, scores: Floats) -> tuple[float, ...]:
        return for_all(self.measures, scores, skip=self.conventions.no_relevant == "skip")

    def aggregate(
        self, name: str | Measure, how: str = "mean", *, weights: Mapping[Any, float] | None = None
    ) -> float:
        """Make one number of a measure's scores: the mean, also of counts, or another aggregate.

        Parameters
        ----------
        name
            A measure that was evaluated.
        how
            ``"mean"``; ``"median"``; ``"gmean"``, the geometric mean, what is below 0.00001
            counting as that; ``"stdev"``, over n - 1; ``"min"``; ``"max"``; or a quantile:
            ``"q25"`` is what a quarter of the scores do not exceed.
        weights
            For both means: what each query counts, from 0.
        """
        from rankmark.scoring.aggregates import aggregated, weights_of  # noqa: PLC0415

        column = self.column(name)
        if how == "mean" and weights is None and self.measures[column].aggregate == "mean":
            return self._figures[column]
        scores = self.per_query(name)
        weighed = None if weights is None else weights_of(scores, weights)
        return aggregated(np.array([*scores.values()]), how, weighed)

    @property
    def tie_interval(self) -> dict[str, tuple[float, float]]:
        """How far ties alone could move each mean: what they could make it, least and greatest."""
        if in_groups(self._kept.alignment):
            raise MeasureError(
                "tie intervals are not known of judgments in groups, which "
                f"{self._kept.qrels.name} holds; leave them out"
            )
        if all(one.tie_handling.best_is_sorted(one) for one in self.measures):
            return dict(self._sorted_interval)
        return dict(self._whole_interval)

    @cached_property
    def _whole_interval(self) -> dict[str, tuple[float, float]]:
        return self._tie_interval(thorough=True)

    @cached_property
    def _sorted_interval(self) -> dict[str, tuple[float, float]]:
        return self._tie_interval(thorough=False)

    def _tie_interval(self, *, thorough: bool) -> dict[str, tuple[float, float]]:
        from rankmark.scoring.intervals import of_ties  # noqa: PLC0415

        alignment = self._kept.alignment
        if in_groups(alignment):
            return self._intervals(self.scores, self.scores)
        if alignment.tie_first is None and self.conventions.depth is None:
            return self._intervals(self.scores, self.scores)
        ends = of_ties(self._kept, self.measures, thorough=thorough)
        return self._intervals(*map(self._as_chosen, ends))

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """What judging the unjudged documents could make of each mean: the least, the greatest.

        Each unjudged document that was retrieved may stay unjudged, or be judged with 0 or any
        label of the qrels; docs/conventions.md says which choices are tried, and what is proven.
        """
        return dict(self._bounds)

    @cached_property
    def _bounds(self) -> dict[str, tuple[float, float]]:
        from rankmark.scoring.intervals import of_judging  # noqa: PLC0415

        if self.conventions.judged_only:
            return self._intervals(self.scores, self.scores)
        found = of_judging(self._kept, self.measures)
        return self._intervals(*map(self._as_chosen, found))

    @cached_property
    def unsaid_rel(self) -> str | None:
        """What counts as relevant where labels are graded and nobody said it; else None."""
        return unsaid_rel(self.measures, self._kept.alignment)

    @property
    def sampling_errors(self) -> dict[str, float]:
        """Standard errors of the means that ``ties="mean"`` could only estimate, by drawing orders.

        Where a measure is not named, its mean is exact.
        """
        rows = slice(None) if self._rows is None else self._rows
        return {
            str(one): error_for_all(one, self.scores[:, self.measures.index(one)], error[rows])
            for one, error in self._errors.items()
        }

    def _as_chosen(self, scores: Floats) -> Floats:
        """Keep to the queries averaged, and to what ``no_relevant`` makes of some of them."""
        for column, one in enumerate(self.measures):
            if one.nothing_relevant is not None and self.conventions.no_relevant != "zero":
                nothing = ~one.has_relevant(self._kept.alignment)
                scores[nothing, column] = math.nan
        scores = scores if self._rows is None else scores[self._rows]
        return np.where(np.isnan(scores), self.scores, scores)

    def _intervals(self, low: Floats, high: Floats) -> dict[str, tuple[float, float]]:
        ends = zip(self._aggregated(low), self._aggregated(high), strict=True)
        return dict(zip(map(str, self.measures), ends, strict=True))

    def per_query(self, name: str | Measure) -> dict[str, float]:
        """Give the score of each query that the measure's mean is over; ids are text."""
        column = self.scores[:, self.column(name)].tolist()
        skip = self.conventions.no_relevant == "skip"
        return {
            query: score
            for query, score in zip(self.queries, column, strict=True)
            if not (skip and math.isnan(score))
        }

    def explain(
        self, query: str, name: str | Measure | None = None, *, collection: int | None = None
    ) -> Explanation:
        """Say where the value of one query comes from, as ``rankmark.explain`` does.

        The run is read again for its documents.

        Parameters
        ----------
        query
            The id of a judged query.
        name
            A measure, evaluated or not; None for the first that was evaluated.
        collection
            How many documents there are, for the count of true negatives.

        Raises
        ------
        InputError
            If the query is not judged, or the collection smaller than what is known of it.
        ChangedError
            If the judgments or the run are not what was evaluated any more, or gone.
        """
        from rankmark.scoring.explain_query import explained  # noqa: PLC0415  (few ask why)

        column = 0 if name is None else self.column(name) if name in self else None
        one = self.measures[column] if column is not None else measure(name or "")
        query = query_text(query, "query")
        read = self._kept.read_for(query)
        return explained(*read, query, one, self.conventions, collection, None, None)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was chosen: the conventions, the measures, what was read as what."""
        kept = self._kept
        sources = {"qrels": kept.qrels.source.description(), "run": kept.run.source.description()}
        seen = {} if kept.seen is None else {"seen": kept.seen.description()}
        return self.conventions.to_dict() | {"measures": self.names} | sources | seen

    @cached_property
    def audit(self) -> Audit:
        """Who was averaged, and how far the numbers can be trusted."""
        from rankmark.results.audit import audit_of  # noqa: PLC0415

        return audit_of(self._kept, self.measures, self.scores, self._rows)

    def to_dict(
        self, *, per_query: bool = True, tie_interval: bool = False, bounds: bool = False
    ) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None.

        ``schema`` is this form's version; ``asked`` names the measures as they were asked for, with
        the names that they have here. Files are given with the SHA-256 of their bytes. Of the
        tie interval, what would change a printed digit is there in any case.
        """
        written: dict[str, Any] = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "qrels": described(self._kept.qrels.source),
            "run": described(self._kept.run.source),
            "settings": self.settings,
            "audit": self.audit.to_dict(),
            "scores": dict(zip(self.names, map(json_number, self._figures), strict=True)),
            "asked": self.asked,
        }
        moved = self.tie_interval if tie_interval else self.moved_by_ties()
        intervals = {"tie_interval": moved, "bounds": self.bounds if bounds else {}}
        for name, interval in intervals.items():
            if interval:
                written[name] = {one: [*map(json_number, ends)] for one, ends in interval.items()}
        written |= {"notes": [self.unsaid_rel]} if self.unsaid_rel else {}
        if self.sampling_errors:
            written["sampling_errors"] = self.sampling_errors
        if per_query:
            written["per_query"] = self._by_query()
        return written

    @property
    def provenance(self) -> list[str]:
        """Say what judgments, run and labels were taken for, where that could be asked."""
        kept = self._kept
        read = (
            read_as(kept.qrels.source, "every row relevant"),
            read_as(kept.run.source, "in the order given"),
            self.unsaid_rel,
            asked_for(self._asked),
        )
        return [line for line in read if line]

    def moved_by_ties(self) -> dict[str, tuple[float, float]]:
        """Give the sorted tie intervals that would change a digit of a mean as tables show it."""
        try:
            found = self._sorted_interval
        except ChangedError:  # of a depth, what it cut away is not kept
            return {}
        intervals = zip(self.measures, self._figures, found.values(), strict=True)
        return {
            str(one): ends
            for one, mean, ends in intervals
            if {written_value(one, end) for end in ends} != {written_value(one, mean)}
        }

    def intervals(self, *, tie_interval: bool = False, bounds: bool = False) -> list[str]:
        """Write how far the means could move, a line for each reason."""
        moved = self.tie_interval if tie_interval else self.moved_by_ties()
        judged = self.bounds if bounds else {}
        return interval_lines(self.measures, moved, judged, self.sampling_errors)

    def _shown(self) -> list[tuple[str, str]]:
        means = zip(self.measures, self._figures, strict=True)
        return [(str(one), written_value(one, mean)) for one, mean in means]

    def __str__(self) -> str:
        """Write the means, who was averaged, and the conventions."""
        width = max(len(name) for name, _ in self._shown())
        lines = [f"{name:<{width}}  {value}" for name, value in self._shown()]
        return "\n".join([*lines, *self._notes()])

    def _notes(self) -> list[str]:
        return [str(self.audit), *self.intervals(), *self.provenance, str(self.conventions)]

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={value}" for name, value in self._shown())
        return f"Evaluation({len(self.queries):,} queries: {scores})"

    def _repr_html_(self) -> str:
        return as_html(self._shown(), self._notes())

    def column(self, name: str | Measure) -> int:
        """Give the column of ``scores`` that a measure has.

        Raises
        ------
        NotEvaluatedError
            If it was not evaluated, or there is no such measure.
        """
        names = self.names
        if name in names:  # a measure of one's own is found by no other name
            return names.index(str(name))
        try:
            wanted = measure(name)
        except MeasureError as error:
            raise NotEvaluatedError(str(error)) from None
        if wanted not in self.measures:
            have = ", ".join(self.names)
            raise NotEvaluatedError(f"{wanted} was not evaluated; this evaluation has {have}")
        return self.measures.index(wanted)
