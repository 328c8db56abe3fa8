"""The result of comparing runs: a leaderboard, differences with tests, and scores by query."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import NotEvaluatedError, one_line
from rankmark.results.escaped_bytes import encodable
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import long_form
from rankmark.statistics.query_weights import effective_number
from rankmark.statistics.score_arrays import by_id
from rankmark.verbs.compare.comparison_display import ComparisonDisplay
from rankmark.verbs.compare.comparison_legend import legend
from rankmark.verbs.compare.difference_intervals import DifferenceIntervals
from rankmark.verbs.compare.plot_comparison import PlotComparison
from rankmark.verbs.compare.reversals import reversals
from rankmark.verbs.compare.row_tables import Rows
from rankmark.verbs.compare.run_difference import RunDifference
from rankmark.verbs.compare.run_differences import differences_of
from rankmark.verbs.compare.slices import Slices
from rankmark.verbs.compare.standings import Standing, beaten_by, means_of, standings_of
from rankmark.verbs.evaluate.query_attributes import slices_of
from rankmark.version import __version__
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.plain_table import Table
    from rankmark.verbs.compare.run_difference import ComparedMeasure
    from rankmark.verbs.compare.statistics_choices import Choices, Sampling
    from rankmark.verbs.evaluate.evaluation import Evaluation

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


class Comparison(ComparisonDisplay, Result, PlotComparison):
    """Several runs on the same queries: which is better, by how much, and how certain that is.

    Attributes
    ----------
    runs, measures
        Names, in the order given.
    queries
        (n_queries,) ids, as text: those that are averaged.
    scores
        (n_queries, n_runs, n_measures) float64, unitless; NaN where a query has no score.
    baseline
        The run that the others are compared with; None if all pairs are compared.
    evaluations
        {run: Evaluation}; empty if the scores came from another program.
    """

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
        if self.evaluations and self._sampling.weights is None:
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
    def slices(self) -> Slices[Comparison]:
        """The same comparison within each slice of the queries; empty without attributes.

        The comparisons in it have no evaluations.
        """
        rows_of = slices_of(self._attributes)
        return Slices(self, {name: self._of_rows(rows, name) for name, rows in rows_of.items()})

    def _of_rows(self, rows: Sequence[int], name: str) -> Comparison:
        """Return the comparison over some of the queries."""
        scores, sampling = self.scores[list(rows)], self._sampling.of(rows)
        means = means_of(scores, sampling.weights)
        for column, measure in enumerate(self.compared):
            if measure.aggregate == "sum":
                means[:, column] = np.nansum(scores[:, :, column], axis=0)
            elif measure.aggregate == "gmean":
                means[:, column] = np.nan
        return Comparison(
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
        """Return the number of a measure.

        Raises
        ------
        NotEvaluatedError
            If it was not compared.
        """
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
            "effective_queries": self.effective_queries,
        }
        written: dict[str, Any] = {"measures": list(self.measures)}
        for evaluation in self.evaluations.values():
            written = {name: value for name, value in evaluation.settings.items() if name != "run"}
            break
        return written | {"runs": list(self.runs)} | statistics

    @property
    def legend(self) -> list[str]:
        """Lines that say how intervals, p-values and marks were found."""
        return legend(self)

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``runs`` has each run's evaluation, as ``Evaluation.to_dict`` returns it, with its audit and
        the SHA-256 of its file; with ``per_query`` also the scores of each query.
        """
        written: dict[str, Any] = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "settings": self.settings,
            "leaderboard": self.leaderboard.for_json(),
            "differences": self.differences.for_json(),
            "legend": self.legend,
        }
        if self._attributes:
            written |= self.slices.to_dict()
        if self.evaluations:
            written["runs"] = {
                run: evaluation.to_dict(per_query=per_query)
                for run, evaluation in self.evaluations.items()
            }
        elif per_query:
            written["per_query"] = {
                run: {
                    query: dict(zip(self.measures, map(json_number, row), strict=True))
                    for query, row in zip(self.queries, self.scores[:, at].tolist(), strict=True)
                }
                for at, run in enumerate(self.runs)
            }
        return written

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {
            "run": [encodable(run) for run in self.runs for _ in self.queries],
            "query_id": [*map(encodable, self.queries)] * len(self.runs),
        }
        by_run = np.swapaxes(self.scores, 0, 1).reshape(-1, len(self.measures))
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
            isinstance(other, Comparison)
            and self.settings == other.settings
            and self.queries == other.queries
            and self._attributes == other._attributes
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and np.array_equal(self._means, other._means, equal_nan=True)
        )

    def __hash__(self) -> int:
        return hash((self.runs, self.measures, self.queries))

    def __repr__(self) -> str:
        return one_line(
            f"Comparison({len(self.runs)} runs, {len(self.queries):,} queries: "
            f"{', '.join(self.measures)})"
        )
