"""Compare several runs in a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from rankmark.arguments import Columns, Draws, FromOne, Name, Seed, Share, checked
from rankmark.conventions import query_texts
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import Memory
from rankmark.errors import InputError
from rankmark.spark.frame_columns import need_pyspark
from rankmark.spark.job import job_of
from rankmark.spark.spark_evaluation import attributes_by
from rankmark.verbs.compare.compare import answered_by_all
from rankmark.verbs.compare.compare import compare as compare_evaluations
from rankmark.verbs.compare.statistics_choices import Correction, Family, IntervalMethod, Test
from rankmark.verbs.evaluate.accumulate import Accumulator
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from rankmark.data.preparing.parents import ParentsSource
    from rankmark.measures.names import AnyMeasure
    from rankmark.spark.given_rows import Rows
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.query_attributes import Attributes, Clusters, Weights


@checked
@shows(ProfiledConventions)
def compare(
    qrels: Rows,
    run: Rows,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    baseline: Name | None = None,
    test: Test | None = None,
    correction: Correction | None = None,
    family: Family = "measure",
    interval: IntervalMethod = "auto",
    confidence: Share = 0.95,
    resamples: Draws | None = None,
    seed: Seed = 0,
    clusters: Clusters | None = None,
    weights: Weights | None = None,
    by: Attributes | None = None,
    columns: Columns = None,
    qrels_columns: Columns = None,
    run_columns: Columns = None,
    parents: ParentsSource | None = None,
    qrels_parents: ParentsSource | None = None,
    seen: Rows | None = None,
    history: Any = None,
    catalogue: Any = None,
    popularity: Any = None,
    items: Any = None,
    groups: Any = None,
    spark: SparkSession | None = None,
    filesystem: Any = None,
    order: Iterable[Any] | None = None,
    partitions: FromOne | None = None,
    memory: Memory | None = None,
    threads: FromOne | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Comparison:
    """Compare the runs in a Spark DataFrame or in files, as ``rankmark.compare`` does.

    All runs are evaluated in one job, which runs at once; the statistics are computed on the
    driver, from the scores of each query. With ``queries="both"``, the queries are those that are
    judged and that all runs answer.

    Parameters
    ----------
    Data:
    qrels
        As for ``rankmark.spark.evaluate``.
    run
        The rows of all runs, as for ``rankmark.spark.evaluate``, with one more column, ``run``,
        that names the run of each row; or files in folders such as ``run=bm25``.
    seen
        As for ``rankmark.spark.evaluate``.

    Items:
    history, catalogue, popularity, items, groups
        As for ``rankmark.spark.evaluate``.

    Measures:
    measures
        As for ``rankmark.evaluate``.

    Statistics:
    baseline, test, correction, family, interval, confidence, resamples, seed, clusters, weights, by
        As for ``rankmark.compare``; ``by`` may name several columns of the judgments, in a list.
        Without a baseline, the first run in alphabetical order is the baseline of each of its
        pairs.

    Conventions:
    **conventions
        As for ``rankmark.spark.evaluate``.

    Reading:
    columns, qrels_columns, run_columns
        As for ``rankmark.spark.evaluate``; also ``run``.
    parents, qrels_parents
        As for ``rankmark.spark.evaluate``.
    spark, filesystem, order, partitions, memory
        As for ``rankmark.spark.evaluate``.
    threads
        The number of threads of the statistics; None for one per core.

    Returns
    -------
    Comparison
        ``leaderboard``, ``differences`` and ``evaluations``, which have no documents.

    Raises
    ------
    InputError
        As from ``rankmark.spark.evaluate`` and ``rankmark.compare``.
    """
    need_pyspark("rankmark.spark.compare")
    reading = Reading(
        columns=columns,
        qrels_columns=qrels_columns,
        run_columns=run_columns,
        parents=parents,
        qrels_parents=qrels_parents,
        memory=memory,
        history=history,
        catalogue=catalogue,
        popularity=popularity,
        items=items,
        item_groups=groups,
    )
    job = job_of(
        Accumulator(measures, **conventions),
        qrels,
        run,
        reading,
        seen=seen,
        partitions=partitions,
        spark=spark,
        filesystem=filesystem,
        several=True,
        by=by,
    )
    found = job.run()
    runs = {name: total for name, total in found.runs.items() if name is not None}
    if not runs:
        raise InputError("run has no rows", "give the rows of one run at least")
    return compare_evaluations(
        None,
        _evaluations(runs, None if order is None else query_texts(order, "order")),
        baseline=baseline,
        test=test,
        correction=correction,
        family=family,
        interval=interval,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        clusters=clusters,
        weights=weights,
        by=attributes_by(by, found.attributes),
        threads=threads,
    )


def _evaluations(runs: Mapping[str, Accumulator], order: Any) -> dict[str, Evaluation]:
    """Evaluate the runs; with ``queries="both"``, on the queries that all of them answer."""
    found = {name: total.result(order=order) for name, total in runs.items()}
    queries = answered_by_all([*found.values()])
    if queries is None:
        return found
    return {name: total.over(queries).result(order=order) for name, total in runs.items()}
