"""The result of an evaluation: scores by query and measure, their means, and an audit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import query_text
from rankmark.errors import ChangedError, MeasureError, counted
from rankmark.measures.names import measure
from rankmark.results.details import Brief, on_one_line
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import USUAL, NumberStyle
from rankmark.results.per_query import ByQuery
from rankmark.results.run_names import short_names
from rankmark.results.shown_parts import Heading, Values
from rankmark.scoring.aggregates import error_for_all, for_all, weights_of_all
from rankmark.scoring.query_scores import clear_no_relevant, in_groups
from rankmark.verbs.evaluate.column_names import column_of
from rankmark.verbs.evaluate.plot_methods import PlotMethods
from rankmark.verbs.evaluate.provenance import (
    Sources,
    asked_for,
    described,
    interval_lines,
    note_of,
    out_of_reach,
    read_as,
    unsaid_rel,
    written_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure
    from rankmark.results.explanations.explanation import Explanation
    from rankmark.results.shown_parts import Look, Part
    from rankmark.scoring.kept_data import KeptData, Remembered
    from rankmark.scoring.run_values import RunValue
    from rankmark.verbs.evaluate.audit import Audit


OF_ALL_LISTS = "of all lists together, no mean over queries (interval: a user left out at a time)"
"""The heading of measures of the run."""


class Evaluation(ByQuery, PlotMethods):
    """The scores of a run: a mapping from the names of measures to their means.

    An evaluation always describes the data that was evaluated. It keeps the judged documents that
    the measures need, with their ranks, and other data only if it is small. ``explain``, and
    ``bounds``, ``plot`` and a few others if they need more than the measures, read the data again:
    from the file, or from the object while you keep a reference to it. If the data has changed or
    is gone, they raise ChangedError; see "Results" in the documentation.

    Attributes
    ----------
    scores
        (n_queries, n_measures) float64, unitless, one row per query, in the order of the qrels.
        NaN if nothing is relevant and ``no_relevant`` is "skip" or "nan".
    measures, asked
        The measures in the requested order; {requested name: canonical name}.
    conventions
        How documents were ranked and which queries were averaged.
    queries, means
        (n_queries,) ids, as text; {measure: its mean over the queries, or the sum of counts}.
    audit, settings
        Which queries were averaged, and how reliable the numbers are; all choices.
    weights
        (n_queries,) float64, the weight of each query in the means; None if all count alike.
    trials, pass_score
        Of a system of several runs, the evaluations of its trials, and the score from which on a
        trial of a query passes; otherwise () and None.
    """

    _label = "tab:results"
    weights: Floats | None = None
    left_out: Mapping[RunMeasure, LeftOut] = {}
    """The values of measures of the run, and of all lists but one."""
    of_items: Mapping[str, Any] = {}
    """How what is known of items, and a corpus, was read."""
    list_notes: tuple[str, ...] = ()
    """What the reader must know of the lists that measures of lists look at."""
    trials: tuple[Evaluation, ...] = ()
    pass_score: float | None = None
    _unused_weights: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        kept: KeptData,
        measures: tuple[Measure, ...],
        asked: Mapping[str, Measure],
        scores: Floats,
        rows: Ints | None,
        errors: Mapping[Measure, Floats],
        profile: Mapping[str, Any] | None = None,
    ) -> None:
        self.measures = measures
        self.conventions: Conventions = kept.conventions
        self.scores: Floats = scores if rows is None else scores[rows]
        self.scores.flags.writeable = False
        self._asked = asked
        self._kept = kept
        self._rows = rows
        self._errors = errors
        self._means: tuple[float, ...] | None = None
        self._profile = {} if profile is None else {"profile": profile}

    def refer_to(self, qrels: Qrels | Remembered) -> None:
        """Read these judgments if judgments are needed again; they are the same."""
        self._kept = self._kept.referring_to(qrels)

    def _weigh(self, weights: Mapping[Any, Any]) -> None:
        """Weigh the queries in the means, by query id, before anybody has seen them.

        Raises
        ------
        InputError
            If a query has no weight, or one that is not a finite number from 0, or all are 0.
        """
        self.weights = weights_of_all(self.queries, weights)
        self.weights.flags.writeable = False
        averaged = set(self.queries)
        ids = (query_text(query, "weights") for query in weights)
        self._unused_weights = tuple(query for query in ids if query not in averaged)
        if self.left_out:
            self.list_notes += ("numbers of all lists together count all users alike",)
        self._means = None

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged, in the order of the qrels."""
        ids = self._kept.alignment.queries
        return tuple(ids) if self._rows is None else tuple(ids[row] for row in self._rows)

    @property
    def names(self) -> list[str]:
        """Canonical names of the measures."""
        return [str(m) for m in self.measures]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @property
    def asked(self) -> dict[str, str]:
        """Canonical names of the measures, by requested name."""
        return {name: str(m) for name, m in self._asked.items()}

    @property
    def run_name(self) -> str:
        """The name of the run's file, or its form, such as ``<mapping>``."""
        return self._sources.run.name

    def _about(self) -> dict[str, str]:
        return {"run": short_names([self.run_name])[0]}

    @property
    def _sources(self) -> Sources:
        return Sources(self._kept.qrels.source, self._kept.run.source, self._kept.seen)

    def _chosen(self) -> object:
        return self.conventions, None if self.weights is None else self.weights.tobytes()

    def __getstate__(self) -> dict[str, Any]:
        """Compute what needs the data to be read again, while that is possible."""
        _ = self.audit
        if self.conventions.depth is not None:
            self.moved_by_ties()
        return vars(self)

    @property
    def _figures(self) -> tuple[float, ...]:
        if self._means is None:  # not a cached_property, which takes a lock in small calls
            self._means = self._aggregated(self.scores)
        return self._means

    @property
    def of_run(self) -> dict[str, RunValue]:
        """The numbers of all lists together, which are no means, and their intervals."""
        from rankmark.scoring.run_values import RunValue  # noqa: PLC0415

        return {str(one): RunValue.of(one, found) for one, found in self.left_out.items()}

    def run_measure(self, name: Any) -> RunMeasure | None:
        """Return the measure of the run that has a name, if it is one."""
        for one in self.left_out:
            if name == one or name == str(one) or self._asked.get(name) == one:
                return one
        try:
            found = measure(name)
        except MeasureError:
            return None
        return next((one for one in self.left_out if one == found), None)

    def __getitem__(self, name: Any) -> float:
        if self.left_out and (found := self.run_measure(name)) is not None:
            return self.left_out[found].value
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*self.names, *map(str, self.left_out)])

    def __len__(self) -> int:
        return len(self.measures) + len(self.left_out)

    def to_log(self, prefix: str = "") -> dict[str, float]:  # noqa: D102
        from rankmark.results.log_keys import logged  # noqa: PLC0415

        return logged({name: self[name] for name in self}, prefix)

    def _identity(self) -> tuple[object, ...]:
        of_run = tuple((str(one), found.value) for one, found in self.left_out.items())
        return (*super()._identity(), *of_run)

    def _brief(self) -> list[Part]:
        if not self.left_out:
            return super()._brief()
        *first, notes = super()._brief()
        of_run = [(row.measure, f"{row.value:.4f}  {row.interval}") for row in self.of_run.values()]
        apart: list[Part] = [Heading(OF_ALL_LISTS), Values(of_run), notes]
        return [*first, *apart] if self.measures else apart

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        if not self.left_out:
            return super()._grids(per_query=per_query)
        apart = table_of_run([self._about()["run"]], [self])
        return [*super()._grids(per_query=per_query), apart] if self.measures else [apart]

    def _parts(self, look: Look, *args: Any, **choices: Any) -> Sequence[Part]:
        parts = [*super()._parts(look, *args, **choices)]
        if self.left_out and look.form == "text":
            parts.insert(-2, Heading(OF_ALL_LISTS))  # above the last table, which notes follow
        return parts

    def _aggregated(self, scores: Floats) -> tuple[float, ...]:
        skip = self.conventions.leave_out(self.measures)
        return for_all(self.measures, scores, skip=skip, weights=self.weights)

    def aggregate(
        self,
        name: str | Measure,
        how: str = "mean",
        *,
        weights: Mapping[Any, float] | str | Measure | None = None,
    ) -> float:
        """Aggregate the scores of a measure.

        Parameters
        ----------
        name
            A measure that was evaluated.
        how
            ``"mean"``, also of counts; ``"median"``; ``"gmean"``, the geometric mean, where scores
            below 0.00001 count as that; ``"stdev"``, over n - 1; ``"min"``; ``"max"``; or a
            quantile such as ``"q25"``, the score that a quarter of the scores do not exceed.
        weights
            For the two means: the weight of each query, at least 0; or a measure that was
            evaluated and is the weight, such as ``"NumRet"``. By default those of the evaluation.
        """
        from rankmark.scoring.aggregates import aggregated, weights_of  # noqa: PLC0415

        column = self.column(name)
        if how == "mean" and weights is None and self.measures[column].aggregate == "mean":
            return self._figures[column]
        scores = self.per_query(name)
        given: Any = weights
        if weights is None and self.weights is not None:
            given = dict(zip(self.queries, self.weights.tolist(), strict=True))
        elif weights is not None and not hasattr(weights, "items"):
            given = self.per_query(weights)
        by_query = None if given is None else weights_of(scores, given)
        return aggregated(np.array([*scores.values()]), how, by_query)

    @property
    def tie_interval(self) -> dict[str, tuple[float, float]]:
        """The minimum and maximum of each mean over all orders of tied documents.

        NaN where their order decides what fits into a budget.
        """
        if in_groups(self._kept.alignment):
            raise MeasureError(
                "tie intervals are unavailable for judgments in groups, which "
                f"{self._kept.qrels.name} contains",
                "leave them out",
            )
        if all(measure.tie_handling.best_is_sorted(measure) for measure in self.measures):
            return dict(self._sorted_interval)
        return dict(self._whole_interval)

    @cached_property
    def _whole_interval(self) -> dict[str, tuple[float, float]]:
        return self._tie_interval(thorough=True)

    @cached_property
    def _sorted_interval(self) -> dict[str, tuple[float, float]]:
        return self._tie_interval(thorough=False)

    def _tie_interval(self, *, thorough: bool) -> dict[str, tuple[float, float]]:
        return self._intervals(*self.over_ties(thorough=thorough)) if self.measures else {}

    def over_ties(self, *, thorough: bool) -> tuple[Floats, Floats]:
        """Return the lowest and the highest scores over all orders of tied documents.

        Parameters
        ----------
        thorough
            Whether to try orders that are not sorted by label, too.

        Returns
        -------
        tuple of arrays
            (n_queries, n_measures) float64 each; NaN where ties decide what fits into a budget, of
            which no other order is tried.
        """
        low, high = self._over_ties(thorough=thorough)
        own = self._kept.own
        unknown = [one in own and own[one].on_ties for one in self.measures]
        if any(unknown):
            low, high = (np.where(unknown, np.nan, end) for end in (low, high))
        return low, high

    def _over_ties(self, *, thorough: bool) -> tuple[Floats, Floats]:
        alignment = self._kept.alignment
        if in_groups(alignment):
            return self.scores, self.scores
        every = [alignment, *(one.alignment for one in self._kept.own.values())]
        if self.conventions.depth is None and all(a.tie_first is None for a in every):
            return self.scores, self.scores
        from rankmark.scoring.intervals import of_ties  # noqa: PLC0415

        low, high = of_ties(self._kept, self.measures, thorough=thorough)
        return self._as_chosen(low), self._as_chosen(high)

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Bounds on each mean if unjudged documents were judged.

        Each unjudged document that was retrieved may stay unjudged, or get 0 or any label of the
        qrels; "Algorithms" in the documentation describes which bounds are exact.
        """
        from rankmark.scoring.intervals import of_all  # noqa: PLC0415

        return of_all(self.measures, self._known_bounds)

    @cached_property
    def _known_bounds(self) -> dict[str, tuple[float, float]]:
        """The same, without measures over subtopics or weights, whose bounds nobody knows."""
        ends = self._intervals(*self.over_judgments())
        if self.conventions.judged_only:
            return ends
        unknown = [str(m) for m in self.measures if m.depends_on == "subtopics" or m.is_rejudged]
        return {name: both for name, both in ends.items() if name not in unknown}

    def over_judgments(self) -> tuple[Floats, Floats]:
        """Return the lowest and the highest scores if unjudged documents were judged.

        Of measures over subtopics or weights, they are no bounds.
        """
        from rankmark.scoring.intervals import of_judging  # noqa: PLC0415

        if self.conventions.judged_only:
            return self.scores, self.scores
        low, high = of_judging(self._kept, self.measures)
        return self._as_chosen(low), self._as_chosen(high)

    @cached_property
    def unsaid_rel(self) -> str | None:
        """A note on what counts as relevant, if labels are graded and no rel was chosen."""
        return unsaid_rel(self.measures, self._kept.alignment)

    @cached_property
    def out_of_reach(self) -> tuple[str, ...]:
        """Notes on queries that no ranking can satisfy with the cutoff of a measure."""
        return out_of_reach(self.measures, self._kept.alignment, self._rows)

    @property
    def sampling_errors(self) -> dict[str, float]:
        """Standard errors of means that ``ties="mean"`` estimated by sampling orders.

        The means of the other measures are exact.
        """
        rows = slice(None) if self._rows is None else self._rows
        return {
            str(m): error_for_all(
                m, self.scores[:, self.measures.index(m)], error[rows], self.weights
            )
            for m, error in self._errors.items()
        }

    def _as_chosen(self, scores: Floats) -> Floats:
        """Select the queries averaged, and apply ``no_relevant``."""
        clear_no_relevant(self.measures, self._kept.alignment, self.conventions, scores)
        scores = scores if self._rows is None else scores[self._rows]
        return np.where(np.isnan(scores), self.scores, scores)

    def _intervals(self, low: Floats, high: Floats) -> dict[str, tuple[float, float]]:
        ends = zip(self._aggregated(low), self._aggregated(high), strict=True)
        return dict(zip(map(str, self.measures), ends, strict=True))

    def per_query(self, name: str | Measure) -> dict[str, float]:
        """Return the score of each query in the measure's mean, by query id as text."""
        number = self.column(name)
        pairs = zip(self.queries, self.scores[:, number].tolist(), strict=True)
        (skip,) = self.conventions.leave_out([self.measures[number]])
        return {query: score for query, score in pairs if not (skip and math.isnan(score))}

    def explain(
        self, query: str, name: str | Measure | None = None, *, collection: int | None = None
    ) -> Explanation:
        """Explain the score of a query, as ``rankmark.explain`` does; the run is read again.

        Parameters
        ----------
        query
            The id of a judged query.
        name
            A measure, evaluated or not; None for the first one.
        collection
            Number of documents in the collection, to count true negatives.

        Raises
        ------
        InputError
            If the query is not judged, or ``collection`` is less than the documents retrieved or
            judged.
        ChangedError
            If the judgments or the run have changed since, or are gone.
        """
        from rankmark.scoring.explain_query import explained  # noqa: PLC0415

        column = 0 if name is None else self.column(name) if name in self else None
        chosen = self.measures[column] if column is not None else measure(name or "")
        query = query_text(query, "query")
        if chosen.depends_on == "lists" and chosen in self._kept.own:
            from rankmark.scoring.explain_list import explained_list  # noqa: PLC0415

            return explained_list(self._kept.own[chosen], query, chosen)
        read = self._kept.read_for(query)
        return explained(*read, query, chosen, self.conventions.of(chosen), collection)

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, measures, and how the inputs were read."""
        read = self._sources._asdict().items()
        sources = {name: source.description() for name, source in read if source is not None}
        chosen = self.conventions.to_dict() | self._profile
        if self.weights is not None:
            weights = dict(zip(self.queries, self.weights.tolist(), strict=True))
            chosen |= {"weights": weights}
        measures = [*self.names, *map(str, self.left_out)]
        return chosen | {"measures": measures} | {**self.of_items} | sources

    @cached_property
    def audit(self) -> Audit:
        """Which queries were averaged, and how reliable the numbers are."""
        from rankmark.verbs.evaluate.audit import audit_of  # noqa: PLC0415

        found = audit_of(self._kept, self.measures, self.scores, self._rows)
        if self.weights is None:
            return found
        from rankmark.statistics.query_weights import effective_number  # noqa: PLC0415  (rarely needed)

        unused = self._unused_weights
        return found._replace(effective=effective_number(self.weights), unused_weights=unused)

    def _inputs(self) -> Mapping[str, Any]:
        sources = self._sources
        return {"qrels": described(sources.qrels), "run": described(sources.run)}

    def _own_settings(self) -> Mapping[str, Any]:
        return self.settings

    @property
    def _said(self) -> tuple[str | None, ...]:
        """What the reader must know of the measures, None where there is nothing."""
        return self.unsaid_rel, *self.out_of_reach

    def _contents(
        self, *, per_query: bool = True, tie_interval: bool = False, bounds: bool = False
    ) -> dict[str, Any]:
        """Return what JSON has; ``asked`` maps requested to canonical names.

        Tie intervals that change a printed digit are always included.

        Returns
        -------
        settings
            The conventions, the measures, and how inputs were read.
        audit
            Which queries were averaged, what is missing, judged and tied.
        scores
            {measure: its mean over the queries, or the sum of counts}.
        asked
            {requested name: canonical name}.
        trials
            Of a system of several runs, the run and the means of each trial.
        reliability
            How much these trials vary on each measure, and how often they pass.
        """
        moved = self.tie_interval if tie_interval else self.moved_by_ties()
        found = {
            "tie_interval": moved,
            "bounds": self.bounds if bounds else {},
            "notes": [note for note in (*self._said, *self.list_notes) if note],
            "sampling_errors": self.sampling_errors,
            "of_run": [*self.of_run.values()],
        }
        more = {"asked": self.asked} | {name: each for name, each in found.items() if each}
        return self._document(more | self._of_trials(), per_query=per_query)

    def _of_trials(self) -> dict[str, Any]:
        """Return what JSON has of the trials of a system."""
        return {}

    @property
    def provenance(self) -> list[str]:
        """How inputs, labels and names of measures were interpreted, unless it is obvious."""
        read = (
            read_as(self._sources.qrels, "every row relevant"),
            read_as(self._sources.run, "in the order given"),
            *self._said,
            asked_for(self._asked),
        )
        return [line for line in read if line]

    def moved_by_ties(self, style: NumberStyle = USUAL) -> dict[str, tuple[float, float]]:
        """Return the sorted tie intervals in which a printed digit of a mean changes.

        Ends that are written alike say nothing: of measures over subtopics, whose tied documents
        have the same merit, sorting finds neither the best order nor the worst.
        """
        try:
            found = self._sorted_interval
        except ChangedError:  # documents beyond a depth are not kept
            return {}
        moved = {}
        for m, ends in zip(self.measures, found.values(), strict=True):
            low, high = (written_value(m, end, style) for end in ends)
            if low != high:
                moved[str(m)] = ends
        return moved

    def intervals(
        self, *, tie_interval: bool = False, bounds: bool = False, style: NumberStyle = USUAL
    ) -> list[str]:
        """Return lines with the intervals of the means: over ties, judgments and samples."""
        moved = self.tie_interval if tie_interval else self.moved_by_ties(style)
        judged = self.bounds if bounds else {}
        known = {name: ends for name, ends in moved.items() if not math.isnan(ends[0])}
        return interval_lines(self.measures, known, judged, self.sampling_errors, style)

    def _texts(self, values: Sequence[float]) -> list[str]:
        return [written_value(*each) for each in zip(self.measures, values, strict=True)]

    @property
    def heading(self) -> str:
        """What was evaluated."""
        return f"{self._about()['run']} over {counted(len(self.queries), 'query', 'queries')}"

    @property
    def notes(self) -> list[str]:
        """The audit, intervals of the means, how inputs were read, and the conventions."""
        audit = Brief(self.audit.brief, str(self.audit))
        lines = [audit, *self.list_notes, *self.intervals(), *self.provenance]
        lines.append(note_of(self.conventions))
        return [*map(on_one_line, lines)]

    def column(self, name: str | Measure) -> int:
        """Return the number of the column of a measure in ``scores``.

        Raises
        ------
        NotEvaluatedError
            If it was not evaluated, or there is no such measure.
        """
        if self.left_out and (found := self.run_measure(name)) is not None:
            raise found.not_by_query()
        return column_of(name, self.measures, self._numbers, self._asked)


def table_of_run(names: Sequence[str], evaluations: Sequence[Evaluation]) -> MarkedTable:
    """Return a table of the numbers of all lists together, with their intervals."""
    rows = [
        [name, row.measure, f"{row.value:.4f}", row.interval]
        for name, ev in zip(names, evaluations, strict=True)
        for row in ev.of_run.values()
    ]
    return MarkedTable(
        ["run", "measure", "value", "95% interval"],
        rows,
        2,
        caption=f"Numbers {OF_ALL_LISTS}.",
        label="tab:of-run",
        attached=["95% interval"],
    )
