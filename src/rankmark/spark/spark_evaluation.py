"""The evaluation of a run in a Spark DataFrame, computed when it is first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.verbs.compare.compare import compare

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure
    from rankmark.scoring.run_values import RunValue
    from rankmark.spark.job import Found, Job
    from rankmark.verbs.compare.compared_runs import Slices
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.evaluate.accumulate import Accumulator
    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.evaluation import Evaluation


def attributes_by(by: Any, found: Mapping[str, Mapping[str, Any]]) -> Any:
    """Return attributes of queries as ``rankmark.compare`` takes them, those found or as given."""
    if not found:
        return by
    queries = [*dict.fromkeys(query for values in found.values() for query in values)]
    columns = {name: [values[query] for query in queries] for name, values in found.items()}
    return {"query_id": queries} | columns


class SparkEvaluation(Mapping[str, float]):
    """What ``rankmark.spark.evaluate`` returns: means by measure, computed by Spark when needed.

    Nothing runs until ``means``, ``audit``, ``evaluation`` or a measure is asked for; they come
    from one job, whose result is kept. ``per_query`` is lazy like any DataFrame: before that job,
    each action on it evaluates again, unless you ``cache`` it; after the job, it has the scores
    that are kept.

    Attributes
    ----------
    per_query
        A DataFrame with a column ``query_id`` of text, and one double for each measure, named as
        in ``measures``. A row for each query averaged, in no particular order. NaN if nothing is
        relevant and ``no_relevant`` is "skip" or "nan".
    means
        {measure: its mean over the queries, the sum of counts, or the number of the run}.
    audit, settings
        Which queries were averaged, and how reliable the numbers are; all choices.
    of_run
        The numbers of all lists together, which are no means, with their intervals.
    evaluation
        All of it as an ``Evaluation`` without documents, as from an ``Accumulator``.
    slices, attributes
        By name of a slice, a ``Comparison`` of this run alone, whose ``leaderboard`` has means with
        intervals; and the attributes of each query that ``by`` asked for.
    accumulator
        The same as an ``Accumulator``, which can be merged and written to a file.
    names, measures, conventions
        Names of the measures; the measures; how documents were ranked and which queries averaged.
    """

    _is_result = True

    def __init__(self, job: Job, order: Sequence[str] | None, by: Any = None) -> None:
        self._job = job
        self._order = order
        self._by = by

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of queries in the requested order."""
        return self._job.plan.accumulator.of_queries

    @property
    def names(self) -> list[str]:
        """Canonical names of the measures."""
        return [*map(str, self.measures)]

    @property
    def conventions(self) -> Conventions:
        """How documents were ranked and which queries were averaged."""
        return self._job.plan.accumulator.conventions

    @property
    def per_query(self) -> Any:
        """A DataFrame with the scores of each query."""
        if "evaluation" not in vars(self):
            return self._job.scores()
        import pyarrow as pa  # noqa: PLC0415

        scores = self.evaluation.scores
        columns = [pa.array(self.evaluation.queries, pa.string())]
        columns += [pa.array(column.copy()) for column in scores.T]
        table = pa.table(columns, names=["query_id", *self.names])
        return self._job.packed.sparkSession.createDataFrame(table)

    @cached_property
    def _found(self) -> Found:
        return self._job.run()

    @property
    def accumulator(self) -> Accumulator:
        """The scores and counts of all queries, to merge, write to Parquet or send elsewhere."""
        return self._found.runs[None]

    @property
    def attributes(self) -> Any:
        """The attributes of queries that ``by`` asked for, as ``rankmark.compare`` takes them."""
        return attributes_by(self._by, self._found.attributes)

    @cached_property
    def slices(self) -> Slices[Comparison]:
        """The means of each slice with their intervals.

        Raises
        ------
        InputError
            If no attributes were asked for with ``by``.
        """
        if self._by is None:
            raise InputError("by was not given to evaluate", 'choose slices, as in by="country"')
        return compare(None, {"run": self.evaluation}, by=self.attributes).slices

    def merge(self, *others: SparkEvaluation | Accumulator) -> Evaluation:
        """Evaluate the queries of several evaluations together, such as those of several days.

        The numbers are those of one evaluation of all rows, to the bit, as every query has all of
        its judgments and its ranking in one of them; only a query of a run without judgments, and
        the examples of such queries, may count more than once in the audit.

        Parameters
        ----------
        others
            What ``rankmark.spark.evaluate`` or ``rankmark.Accumulator`` gave for the same measures
            and conventions.

        Returns
        -------
        Evaluation
            As ``evaluation``.

        Raises
        ------
        DuplicateError
            If a query is in two of them.
        MismatchError
            If they have other measures or conventions.
        """
        total = self.accumulator.__copy__()
        for other in others:
            total.merge(other.accumulator if isinstance(other, SparkEvaluation) else other)
        return total.result(order=self._order)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Everything as an Evaluation, as from an Accumulator with all queries."""
        return self.accumulator.result(order=self._order)

    @property
    def means(self) -> dict[str, float]:
        """{measure: its mean over the queries, or the sum of counts}."""
        return dict(self.evaluation)

    @property
    def of_run(self) -> dict[str, RunValue]:
        """The numbers of all lists together, which are no means, and their intervals."""
        return self.evaluation.of_run

    @property
    def audit(self) -> Audit:
        """Which queries were averaged, and how reliable the numbers are."""
        return self.evaluation.audit

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, measures, and how the inputs were read."""
        return self.evaluation.settings

    def __getitem__(self, name: str | Measure) -> float:
        return self.evaluation[name]

    def __contains__(self, name: object) -> bool:
        """Say whether a measure was asked for; runs nothing if the name is one of ``names``."""
        return name in [*self] or super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        of_run = [one for one in self._job.plan.accumulator.measures if one not in self.measures]
        return iter([*self.names, *map(str, of_run)])

    def __len__(self) -> int:
        return len(self._job.plan.accumulator.measures)

    def __str__(self) -> str:
        """Return the means, the audit, and the conventions; computes them."""
        return str(self.evaluation)

    def __repr__(self) -> str:
        if "evaluation" in vars(self):
            return repr(self.evaluation).replace("Evaluation(", "SparkEvaluation(", 1)
        return f"SparkEvaluation({', '.join(self)}: not computed yet)"
