"""Runs that are compared: means, differences with tests, scores by query, and slices of these."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from rankmark.errors import NotEvaluatedError, counted
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import NumberStyle
from rankmark.results.shown_parts import Heading, Look, Notes, Part
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of, long_form
from rankmark.statistics import adjust
from rankmark.statistics.query_weights import effective_number
from rankmark.statistics.score_arrays import by_id
from rankmark.verbs.compare.compared_rows import Rows, RunDifference
from rankmark.verbs.compare.compared_values import ValueDifference, value_differences
from rankmark.verbs.compare.means_and_intervals import (
    DifferenceIntervals,
    Standing,
    Tested,
    beaten_by,
    means_of,
    standings_of,
    with_adjusted_intervals,
)
from rankmark.verbs.compare.run_differences import differences_of, reversals
from rankmark.verbs.evaluate.query_attributes import slices_of
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.plain_table import Table
    from rankmark.verbs.compare.compared_rows import ComparedMeasure
    from rankmark.verbs.compare.statistics_choices import Choices, Sampling
    from rankmark.verbs.evaluate.evaluation import Evaluation


Compared = TypeVar("Compared", bound="ComparedRuns")


class Slices(ShownResult, Mapping[str, Compared], Generic[Compared]):
    """The same comparison within each slice of the queries: a mapping from slices to comparisons.

    p-values are corrected for the pairs and the slices together: each measure by itself, or all
    measures and slices if the family is "all".

    Attributes
    ----------
    whole
        The comparison over all queries.
    differences_of_whole
        Its differences, corrected together with those of the slices if the family is "all".
    """

    _schema = None

    def __init__(self, whole: Compared, parts: Mapping[str, Compared]) -> None:
        self.whole = whole
        self._comparisons = dict(parts)
        tables = _corrected(whole, parts)
        self.differences_of_whole: Rows[RunDifference] = tables.pop("", whole._own_differences)
        for name, rows in tables.items():
            parts[name]._correct(rows)

    def __getitem__(self, name: str) -> Compared:
        if name not in self._comparisons:
            raise NotEvaluatedError(
                f"there is no slice {name!r}", f"choose from {', '.join(self._comparisons)}"
            )
        return self._comparisons[name]

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``slices["`` in notebooks."""
        return [*self]

    def __iter__(self) -> Iterator[str]:
        return iter(self._comparisons)

    def __len__(self) -> int:
        return len(self._comparisons)

    @property
    def differences(self) -> Rows[RunDifference]:
        """The differences of all slices, with the slice in the field ``slice``."""
        rows = [row for part in self.values() for row in part.differences]
        return Rows(rows, RunDifference)

    def __repr__(self) -> str:
        return f"Slices({', '.join(map(repr, self._comparisons))})"

    def _parts(self, look: Look) -> Sequence[Part]:
        style, parts = NumberStyle(), list[Part]()
        for name, part in self.items():
            queries = counted(len(part.queries), "query", "queries")
            rows = [
                [run, *(style.written(each.mean) for each in part.leaderboard.where(run=run))]
                for run in dict.fromkeys(row.run for row in part.leaderboard)
            ]
            heading = Heading(f"{name} ({queries}):")
            parts += [heading, MarkedTable(["run", *part.measures], rows, caption=heading)]
        return [*parts, Notes(look.notes(self.warnings))]

    def worst(self, measure: str, run: str) -> str:
        """Return the slice in which a run is worst, compared with its baseline.

        For a run without a baseline, the slice with its worst mean.
        """
        column = self.whole.column(measure)
        sign = 1 if self.whole.compared[column].more_is_better else -1
        name = self.whole.measures[column]
        values: dict[str, float] = {}
        for slice_name, part in self.items():
            rows = part.differences.where(measure=name, run=run)
            value = sign * (rows[0].difference if rows else part[run][name])
            if not math.isnan(value):
                values[slice_name] = value
        return min(values, key=values.__getitem__) if values else next(iter(self))

    @property
    def warnings(self) -> list[str]:
        """Where slices and the whole disagree on which of two runs is better."""
        tables = [part.differences for part in self.values()]  # in the order of the whole
        return [
            line
            for whole, *rows in zip(self.whole.differences, *tables, strict=True)
            if whole.better is not None
            for line in _disagreements(whole, rows)
        ]

    def _contents(self) -> dict[str, Any]:
        return {
            "slices": {
                name: {
                    "queries": len(part.queries),
                    "leaderboard": part.leaderboard.for_json(),
                    "differences": part.differences.for_json(),
                }
                for name, part in self.items()
            },
            "warnings": self.warnings,
        }

    def _table(self) -> dict[str, Any]:
        rows = [asdict(row) for part in self.values() for row in part.leaderboard]
        return columns_of(rows, "run", "measure", "mean", "slice")


def _disagreements(whole: RunDifference, rows: Sequence[RunDifference]) -> Iterator[str]:
    """Yield where the slices of a difference have the other sign."""
    what = f"{whole.measure}: {whole.better} is better than {whole.worse} over all queries"
    for row in rows:
        if row.significant and row.difference * whole.difference < 0:
            yield f"{what}, but significantly worse in {row.slice} ({row.n:,} queries)"
    known = [row.difference for row in rows if not math.isnan(row.difference)]
    if known and float(np.mean(known)) * whole.difference < 0:
        yield f"{what}, but worse on average over the slices, each with equal weight"


def _corrected(whole: Compared, parts: Mapping[str, Compared]) -> dict[str, Rows[RunDifference]]:
    """Correct the p-values of the slices together, and with the whole ("") if the family is all."""
    tables = {name: list(part._own_differences) for name, part in parts.items()}
    if whole.chosen.family == "all":
        tables[""] = list(whole._own_differences)
    correction, level = whole.chosen.correction, whole.chosen.level
    if correction == "none" or not parts:  # not all corrections are of p-values alone
        return {name: Rows(rows, RunDifference) for name, rows in tables.items()}
    pairs = len(whole._own_differences) // len(whole.measures)
    families = [None] if whole.chosen.family == "all" else [*whole.measures]
    for measure in families:
        places = [
            (name, at)
            for name, rows in tables.items()
            for at, row in enumerate(rows)
            if measure is None or row.measure == measure
        ]
        found = adjust([tables[name][at].p for name, at in places], correction)  # type: ignore[arg-type]
        corrected = [
            replace(
                tables[name][at],
                adjusted_p=adjusted,
                family=found.family,
                significant=adjusted <= level,
            )
            for (name, at), adjusted in zip(places, found.adjusted.tolist(), strict=True)
        ]
        of = [
            Tested(row, (parts.get(name) or whole)._intervals, *divmod(at, pairs))
            for row, (name, at) in zip(corrected, places, strict=True)
        ]
        rows_found = with_adjusted_intervals(of, whole.chosen)
        for (name, at), row in zip(places, rows_found, strict=True):
            tables[name][at] = row
    return {name: Rows(rows, RunDifference) for name, rows in tables.items()}


class ComparedRuns(ShownResult):
    """The numbers of a comparison, without how it is shown; see ``Comparison``."""

    def __init__(
        self,
        *,
        runs: Sequence[str],
        measures: Sequence[ComparedMeasure],
        queries: Sequence[str],
        scores: Floats,
        means: Floats,
        baseline: str | None,
        chosen: Choices,
        sampling: Sampling,
        evaluations: Mapping[str, Evaluation],
        with_bounds: bool = False,
        attributes: Mapping[str, Sequence[str]] | None = None,
        slice_name: str = "",
    ) -> None:
        self.runs: tuple[str, ...] = tuple(runs)
        self.queries: tuple[str, ...] = tuple(queries)
        self.scores = scores
        self.baseline = baseline
        self.evaluations: dict[str, Evaluation] = dict(evaluations)
        self.chosen = chosen
        self.compared: tuple[ComparedMeasure, ...] = tuple(measures)
        self._means = means
        self._sampling = sampling
        self.with_bounds = with_bounds
        self._attributes = {name: list(values) for name, values in (attributes or {}).items()}
        self._slice = slice_name
        scores.flags.writeable = False

    @property
    def measures(self) -> tuple[str, ...]:
        """Canonical names of the measures."""
        return tuple(measure.name for measure in self.compared)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of runs that are compared, (baseline, run) each."""
        return [(self.runs[a], self.runs[b]) for a, b in self._pairs]

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        if self.baseline is None:
            return list(itertools.combinations(range(len(self.runs)), 2))
        first = self.runs.index(self.baseline)
        return [(first, other) for other in range(len(self.runs)) if other != first]

    @property
    def differences(self) -> Rows[RunDifference]:
        """The difference of each pair on each measure, with tests: measure by measure."""
        if self._attributes and self.chosen.family == "all":
            return self.slices.differences_of_whole
        return self._own_differences

    @cached_property
    def of_run(self) -> Rows[ValueDifference]:
        """The differences on measures of the run, each of which is one number of all lists."""
        found = []
        if self.evaluations:
            found = value_differences(self.evaluations, self.pairs, self.chosen)
        return Rows(found, ValueDifference)

    @cached_property
    def _sampled(self) -> tuple[Floats, Sampling]:
        """The scores and sampling of the queries in the order of their ids.

        What is drawn at random is drawn for the first query, the second, and so on; so draws do not
        depend on the order in which queries were given.
        """
        order = by_id(self.queries)
        if order is None:
            return self.scores, self._sampling
        return self.scores[order], self._sampling.of(order.tolist())

    @cached_property
    def _intervals(self) -> DifferenceIntervals:
        scores, sampling = self._sampled
        return DifferenceIntervals(scores, self.compared, self._pairs, self.chosen, sampling)

    @cached_property
    def _own_differences(self) -> Rows[RunDifference]:
        """The differences, corrected without regard to slices."""
        if not self.compared:
            return Rows([], RunDifference)
        scores, sampling = self._sampled
        found = differences_of(
            scores,
            self._means,
            self.runs,
            self.compared,
            self._pairs,
            self.chosen,
            sampling,
            self._intervals,
        )
        counts_alike = self._sampling.weights is None and not self._sampling.are_draws
        if self.evaluations and counts_alike:
            by = reversals(self.evaluations, with_bounds=self.with_bounds)
            rows = steps("looking at ties", found, len(found))
            found = tuple(replace(row, reversible_by=by(row)) for row in rows)
        if self._slice:
            found = tuple(replace(row, slice=self._slice) for row in found)
        return Rows(found, RunDifference)

    def _correct(self, differences: Rows[RunDifference]) -> None:
        """Replace the differences by those with other corrections."""
        vars(self)["_own_differences"] = differences

    @cached_property
    def slices(self) -> Slices[Self]:
        """The same comparison within each slice of the queries; empty without attributes.

        The comparisons in it have no evaluations.
        """
        rows_of = slices_of(self._attributes)
        return Slices(self, {name: self._of_rows(rows, name) for name, rows in rows_of.items()})

    def _of_rows(self, rows: Sequence[int], name: str) -> Self:
        """Return the comparison over some of the queries."""
        scores, sampling = self.scores[list(rows)], self._sampling.of(rows)
        means = means_of(scores, sampling.weights)
        for column, measure in enumerate(self.compared):
            if measure.aggregate == "sum":
                means[:, column] = np.nansum(scores[:, :, column], axis=0)
            elif measure.aggregate == "gmean":
                means[:, column] = np.nan
        return type(self)(
            runs=self.runs,
            measures=self.compared,
            queries=[self.queries[row] for row in rows],
            scores=scores,
            means=means,
            baseline=self.baseline,
            chosen=self.chosen,
            sampling=sampling,
            evaluations={},
            slice_name=name,
        )

    @cached_property
    def leaderboard(self) -> Rows[Standing]:
        """The mean of each run on each measure, with its interval and rank, best run first."""
        if not self.compared:
            return Rows([], Standing)
        scores, sampling = self._sampled
        found = standings_of(
            scores,
            self._means,
            self.runs,
            self.compared,
            self.chosen,
            sampling,
            beaten_by(self.differences),
        )
        return Rows([replace(row, slice=self._slice) for row in found], Standing)

    @property
    def effective_queries(self) -> float | None:
        """How many queries of equal weight would be worth as much; None without weights."""
        weights = self._sampling.weights
        return None if weights is None else effective_number(weights)

    def __getitem__(self, run: str) -> dict[str, float]:
        """Return {measure: mean} of a run."""
        row = self._means[self._run(run)].tolist()
        return dict(zip(self.measures, row, strict=True))

    def per_query(self, run: str, measure: str) -> dict[str, float]:
        """Return {query id: score} of a run, without the queries that are in no mean of it."""
        row, column = self._run(run), self.column(measure)
        if run in self.evaluations:
            return self.evaluations[run].per_query(measure)
        scored = zip(self.queries, self.scores[:, row, column].tolist(), strict=True)
        return {query: score for query, score in scored if not math.isnan(score)}

    def _run(self, name: str) -> int:
        if name not in self.runs:
            raise NotEvaluatedError(
                f"run {name!r} was not compared", f"this comparison has {', '.join(self.runs)}"
            )
        return self.runs.index(name)

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        if str(name) in self.measures:
            return self.measures.index(str(name))
        for evaluation in self.evaluations.values():
            return evaluation.column(name)  # type: ignore[arg-type]  # and names of other tools
        raise NotEvaluatedError(
            f"{name} was not compared", f"this comparison has {', '.join(self.measures)}"
        )

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, measures, inputs, and statistics."""
        chosen, clusters = self.chosen, self._sampling.clusters
        weights = None if self._sampling.weights is None else self._sampling.weights.tolist()
        statistics = {
            "baseline": self.baseline,
            "test": chosen.test,
            "correction": chosen.correction,
            "family": chosen.family,
            "interval": chosen.interval,
            "confidence": chosen.confidence,
            "level": chosen.level,
            "resamples": chosen.resamples,
            "seed": chosen.seed,
            "clusters": None if clusters is None else len(set(clusters)),
            "weights": None if weights is None else dict(zip(self.queries, weights, strict=True)),
            "draws": dict(Counter(self.queries)) if self._sampling.are_draws else None,
            "effective_queries": self.effective_queries,
        }
        written: dict[str, Any] = {"measures": list(self.measures)}
        for evaluation in self.evaluations.values():
            written = {name: value for name, value in evaluation.settings.items() if name != "run"}
            break
        return written | {"runs": list(self.runs)} | statistics

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "run": [encodable(run) for run in self.runs for _ in self.queries],
            "query_id": [*map(encodable, self.queries)] * len(self.runs),
        }
        by_run = np.swapaxes(self.scores, 0, 1).reshape(len(columns["run"]), len(self.measures))
        for column, name in enumerate(self.measures):
            columns[name] = by_run[:, column].copy()
        return columns

    @property
    def long(self) -> Table:
        """The scores with a row for each run, query and measure: run, query_id, measure, value."""
        from rankmark.results.plain_table import Table  # noqa: PLC0415

        return Table(long_form(self._table(), ["run", "query_id"]))

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``comparison["`` in notebooks."""
        return [*self.runs]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the runs."""
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ComparedRuns)
            and self.settings == other.settings
            and self.queries == other.queries
            and self._attributes == other._attributes
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and np.array_equal(self._means, other._means, equal_nan=True)
        )

    def __hash__(self) -> int:
        return hash((self.runs, self.measures, self.queries))
