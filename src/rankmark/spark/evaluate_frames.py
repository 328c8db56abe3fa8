"""Evaluate a run in Spark, in a DataFrame or in files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from rankmark.arguments import Columns, FromOne, checked
from rankmark.conventions import query_texts
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import Memory
from rankmark.spark.frame_columns import need_pyspark
from rankmark.spark.job import job_of
from rankmark.spark.spark_evaluation import SparkEvaluation
from rankmark.verbs.evaluate.accumulate import Accumulator
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from rankmark.data.preparing.parents import ParentsSource
    from rankmark.measures.names import AnyMeasure
    from rankmark.spark.given_rows import Rows
    from rankmark.verbs.evaluate.query_attributes import Attributes


@checked
@shows(ProfiledConventions)
def evaluate(
    qrels: Rows,
    run: Rows,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    seen: Rows | None = None,
    history: Any = None,
    catalogue: Any = None,
    popularity: Any = None,
    items: Any = None,
    groups: Any = None,
    by: Attributes | None = None,
    spark: SparkSession | None = None,
    filesystem: Any = None,
    columns: Columns = None,
    qrels_columns: Columns = None,
    run_columns: Columns = None,
    parents: ParentsSource | None = None,
    qrels_parents: ParentsSource | None = None,
    order: Iterable[Any] | None = None,
    partitions: FromOne | None = None,
    memory: Memory | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> SparkEvaluation:
    """Evaluate a run against qrels in Spark, as ``rankmark.evaluate`` does.

    Both are DataFrames, or paths of Parquet files, which the tasks read themselves: that takes
    half the time, because no row passes through the JVM. The numbers are the same to the bit.
    Nothing runs until the result is used: this checks the choices, and the columns by their names
    and types. Since rows in Spark have no order, ``ties="input"`` and ``duplicates="first"`` need
    a rank column, by which rows are ordered.

    Parameters
    ----------
    Data:
    qrels
        Relevance judgments: a row for each judged document, with columns such as ``query_id``,
        ``doc_id`` and ``relevance``, recognised by the same names as those of any frame. A
        DataFrame, or the path of a Parquet file or of a folder of them, a pattern of paths such as
        ``"run/*.parquet"``, a URL such as ``"s3://bucket/run/*.parquet"``, or a list of these.
    run
        Retrieved documents in the same forms: a row for each, with columns such as ``query_id``,
        ``doc_id`` and ``score``; or with a rank column in place of scores.
    seen
        Documents that each query or user has seen already, in the same forms, with the columns of
        judgments; they are removed from the rankings.
    by
        Slices of the queries, such as their country, whose means and intervals ``slices`` of the
        result has: the name of a column of the judgments with one value for each query, or a list
        of names; or values in any form that ``rankmark.compare`` takes.

    Items:
    history, catalogue, popularity, items, groups
        As for ``rankmark.evaluate``, for measures of lists and of a run, such as MIUF@10 and
        Gini@10; or DataFrames. Of a history in a DataFrame, Spark counts the users of each item, so
        that measures that look at what each user had, such as Unexpectedness, need it in another
        form, which the driver sends to the tasks as it does with the others.

    Measures:
    measures
        As for ``rankmark.evaluate``.

    Conventions:
    **conventions
        As for ``rankmark.evaluate``.

    Reading:
    spark
        The session that reads paths; None for that of a DataFrame, or the active one.
    filesystem
        The file system of all paths, one of pyarrow or fsspec. None to find it by the URL:
        pyarrow's for local paths and ``s3``, ``gs``, ``abfs`` and ``hdfs``, where S3 takes its keys
        and endpoint from Hadoop's configuration (``fs.s3a``), if they are set there; fsspec's for
        the others. Executors must reach the same files.
    columns, qrels_columns, run_columns
        ``{role: name}`` for columns whose names are not recognised, in either or in one of the
        DataFrames; also ``parent``, the document of each unit, such as a chunk.
    parents, qrels_parents
        The document of each retrieved, or judged, unit as for ``rankmark.evaluate``: a mapping or a
        file, which the driver reads and sends to the tasks that score, or a function, which they
        call. If there are many units, give a column.
    order
        All query ids, in the order in which scores are added up; None to sort them, numbers in ids
        by their value. Means depend on it in their last digit only: they are those of
        ``rankmark.evaluate`` to the bit if its judgments are in the same order.
    partitions
        The number of partitions in which queries are scored; None for the session's number of
        shuffle partitions, which adaptive execution reduces. It does not affect the result.
    memory
        About how much memory a task may take on an executor to score queries, in bytes or as text
        such as ``"2G"``; beyond it, rows are written to a temporary file. None means 512 MiB. It
        does not affect the result.

    Returns
    -------
    SparkEvaluation
        ``per_query``, a DataFrame; ``means``, ``audit`` and ``settings``.

    Raises
    ------
    MissingDependencyError
        If PySpark 4 is not installed.
    MeasureError
        If a measure or one of its parameters does not exist, or it needs the judgments of all
        queries at once.
    InputError
        If a convention has an invalid value, no Spark session is active, or no file matches.
    ParseError
        If a file is not Parquet, or is damaged.
    SchemaError
        If a column is missing, ambiguous or of a type that cannot hold ids or numbers; an order
        of the rows is needed, and there is no rank column; or the files belong to a table of Delta
        Lake, Iceberg or Hudi, whose log says which of their rows were deleted.

    Notes
    -----
    Errors that depend on the rows, such as a document that appears twice, are raised by ``means``
    and the others with the types that ``rankmark.evaluate`` raises. An action on ``per_query``
    raises Spark's PythonException with the same message.

    A task reads the row groups that begin in its part of a file, of the size that
    ``spark.sql.files.maxPartitionBytes`` says. Folders such as ``query_id=7`` are columns of text.

    Examples
    --------
    Given a session ``spark``::

        qrels = spark.read.parquet("qrels")
        run = spark.read.parquet("run")
        ev = rankmark.spark.evaluate(qrels, run, ["nDCG@10", "AP"])
        ev.means, ev.audit
        ev.per_query.write.parquet("scores")

    The same from files, without rows in the JVM::

        ev = rankmark.spark.evaluate("qrels.parquet", "s3://bucket/run/*.parquet", spark=spark)
    """
    need_pyspark("rankmark.spark.evaluate")
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
    accumulator = Accumulator(measures, **conventions)
    job = job_of(
        accumulator,
        qrels,
        run,
        reading,
        seen=seen,
        partitions=partitions,
        spark=spark,
        filesystem=filesystem,
        by=by,
    )
    return SparkEvaluation(job, None if order is None else query_texts(order, "order"), by)
