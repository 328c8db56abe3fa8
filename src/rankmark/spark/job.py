"""The Spark job of an evaluation: rows packed, shuffled and scored."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.arguments import whole
from rankmark.data.contract.source_options import columns_of
from rankmark.data.preparing.parents import prepared_once, refuse_two_parents
from rankmark.errors import (
    DuplicateError,
    InputError,
    MeasureError,
    MissingDependencyError,
    RankmarkError,
    shown,
    warn,
)
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.of_runs.run_measure import RunMeasure
from rankmark.scoring.kept_lists import no_lists
from rankmark.spark.frame_columns import quoted
from rankmark.spark.given_items import has_frames, item_data
from rankmark.spark.given_rows import given_rows
from rankmark.spark.parquet_rows import UNREADABLE
from rankmark.spark.scored_partition import Plan
from rankmark.spark.tasks import NO_RANKMARK, OTHER_VERSION, SCORED, loaded, task
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.item_data import ItemData
    from rankmark.spark.scored_partition import Scored
    from rankmark.verbs.evaluate.accumulate import Accumulator


class Found(NamedTuple):
    """What a job found.

    Parameters
    ----------
    runs
        The accumulators of each run; for None, without its rows, or of the only run.
    attributes
        {column: {query id: value}} of the judgments.
    """

    runs: dict[str | None, Accumulator]
    attributes: dict[str, dict[str, Any]]


class Job(NamedTuple):
    """A job that is not started yet.

    Parameters
    ----------
    packed
        The DataFrame of packed values, after the shuffle.
    plan
        What its tasks need to know.
    run_columns
        Columns of the run that seem to name several runs, and are not used.
    items
        Returns what is known of items, which may take jobs of its own; None if no measure looks at
        items.
    """

    packed: Any
    plan: Plan
    run_columns: tuple[str, ...] = ()
    items: Callable[[], ItemData] | None = None

    def _planned(self) -> Plan:
        """Return the plan with what is known of items."""
        if self.items is None:
            return self.plan
        return self.plan._replace(accumulator=self.plan.accumulator.knowing(self.items()))

    def scores(self) -> Any:
        """Return a DataFrame with the scores of each query."""
        plan = self._planned()
        names = ["query_id", *map(str, plan.accumulator.of_queries)]
        kinds = ["string", *["double"] * (len(names) - 1)]
        columns = zip(map(quoted, names), kinds, strict=True)
        schema = ", ".join(f"{name} {kind}" for name, kind in columns)
        return self.packed.mapInArrow(task("score_rows", plan), schema)

    def run(self) -> Found:
        """Run it, and return what it found.

        Raises
        ------
        InputError
            If rows cannot be used.
        MissingDependencyError
            If executors have no rankmark, or another version.
        """
        plan = self._planned()
        values = _collected(self.packed.mapInArrow(task("score", plan), SCORED))
        results = [loaded(value, plan) for value in values]
        errors = [one for one in results if isinstance(one, RankmarkError)]
        if errors:
            error = min(errors, key=str)
            if self.run_columns and isinstance(error, DuplicateError):
                error.add_remedy(
                    f"if {self.run_columns[0]!r} names several runs, call rankmark.spark.compare"
                )
            raise error
        parts: list[Scored] = results
        given = {str(warning): warning for part in parts for warning in part.warnings}
        for _, warning in sorted(given.items()):
            warn(warning.found, warning.remedy, where=warning.where, kind=type(warning))
        empty = plan.accumulator
        names = sorted({name for part in parts for name in part.of_runs if name is not None})
        runs = {
            name: reduce(
                type(empty).merge,
                (part.of_runs.get(name, part.of_runs[None]) for part in parts),
                empty.__copy__(),
            )
            for name in (None, *names)
        }
        columns = [self.plan.qrels.names[place] for place in self.plan.qrels.by]
        attributes = {
            column: {q: value for part in parts for q, value in part.attributes[column].items()}
            for column in columns
        }
        return Found(runs, attributes)


def job_of(
    accumulator: Accumulator,
    qrels: Any,
    run: Any,
    reading: Reading,
    *,
    seen: Any,
    partitions: int | None,
    spark: Any,
    filesystem: Any,
    several: bool = False,
    by: Any = None,
) -> Job:
    """Check everything that can be checked without the rows, and plan the job.

    Parameters
    ----------
    accumulator
        One without batches, with the measures and conventions.
    qrels, run, seen
        DataFrames or paths.
    spark
        The session that reads paths; None for that of a DataFrame, or the active one.
    several
        Whether ``run`` has several runs, named by a column.
    by
        As for ``evaluate``.
    """
    rules = _rules(accumulator)
    shared, own = {**(reading.columns or {})}, {**(reading.run_columns or {})}
    roles = [one.pop("run") for one in (shared, own) if several and "run" in one]
    of_run = columns_of(shared or None, own or None, "run") or {}
    of_qrels = columns_of(shared or None, reading.qrels_columns, "qrels") or {}
    parents, qrels_parents = _given_parents(reading, of_run, of_qrels)
    of_run |= {"run": roles[-1]} if roles else {}
    session = session_of(spark, qrels, run, seen)
    given_qrels = given_rows(qrels, "qrels", session, filesystem)
    judged = given_qrels.choose(
        of_qrels or None,
        subtopics=needs_of(accumulator.measures).subtopics,
        by=_columns_by(by, [name for name, _ in given_qrels.fields]),
    )
    in_order = any(map(_needs_order, rules))
    ranked = given_rows(run, "run", session, filesystem).choose(
        of_run or None,
        by_rank=rules[0].ties == "rank",
        in_order=in_order,
        several=several,
    )
    before = None
    if seen is not None:
        before = given_rows(seen, "qrels", session, filesystem, argument="seen").choose(None)
    plan = Plan(
        accumulator,
        judged.columns.with_positions(),
        ranked.columns,
        None if before is None else before.columns,
        whole("partitions", _shuffle_partitions(session) if partitions is None else partitions),
        reading.bytes_held,
        in_order,
        parents,
        qrels_parents,
    )
    items = None
    if accumulator.looks_at_items:
        items = cache(partial(_items, accumulator, reading, session))
        if not has_frames(reading):
            items()  # so that what cannot be used is refused before a job runs
    else:
        reading.refuse_items()
    packed = judged.packed(plan, 0).union(ranked.packed(plan, 1))
    if before is not None:
        packed = packed.union(before.packed(plan, 2))
    # Without a number, adaptive execution may join small partitions.
    by = ("bucket",) if partitions is None else (plan.buckets, "bucket")
    names = [] if several else [name for name, _ in ranked.given.fields]
    unused = (name for name in names if name not in ranked.columns.names)
    of_runs = tuple(name for name in unused if name.lower() in RUN_COLUMNS)
    return Job(packed.repartition(*by), plan, of_runs, items)


def _items(accumulator: Accumulator, reading: Reading, session: Any) -> ItemData:
    """Read what is known of items, and refuse what measures of the run need besides."""
    data = item_data(reading, session)
    lists, facts = no_lists(data)
    for measure in accumulator.measures:
        if isinstance(measure, RunMeasure):
            measure.of(lists, facts)
    return data


def _given_parents(
    reading: Reading, of_run: Mapping[str, Any], of_qrels: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return the documents of retrieved and of judged units, for tasks; None without them.

    Raises
    ------
    InputError
        If they are given as a column, too.
    """
    refuse_two_parents(reading.parents, of_run)
    refuse_two_parents(reading.qrels_parents, of_qrels)
    return prepared_once(reading.parents), prepared_once(reading.qrels_parents)


def _columns_by(by: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the judgments that ``by`` names; none if it has values itself.

    Raises
    ------
    InputError
        If there is no such column, and no such file.
    """
    if isinstance(by, (list, tuple)) and by and all(isinstance(one, str) for one in by):
        columns = tuple(dict.fromkeys(by))
    elif isinstance(by, str) and (by in names or not os.path.exists(by)):  # noqa: PTH110
        columns = (by,)
    else:
        return ()
    missing = [name for name in columns if name not in names]
    if missing:
        raise InputError(
            f"by is {shown(missing[0])}, and the judgments have no such column",
            f"choose from {', '.join(map(repr, names))}, or give {{query id: value}} or a file",
        )
    return columns


def session_of(spark: Any, *given: Any) -> Any:
    """Return the Spark session that is meant.

    Raises
    ------
    InputError
        If there is none.
    """
    if spark is not None:
        if not all(hasattr(spark, name) for name in ("range", "conf", "createDataFrame")):
            raise InputError(f"spark is {shown(spark)}", "need a SparkSession")
        return spark
    for one in given:
        if hasattr(type(one), "mapInArrow"):
            return one.sparkSession
    from pyspark.sql import SparkSession  # noqa: PLC0415

    active = SparkSession.getActiveSession()
    if active is None:
        raise InputError(
            "no Spark session is active",
            "give it as spark=, or call rankmark.evaluate, which needs none",
        )
    return active


def _rules(accumulator: Accumulator) -> list[Conventions]:
    """Return the conventions of all measures, or refuse what an executor cannot score."""
    for measure in accumulator.measures:
        if measure.is_rejudged or measure.costs:
            raise MeasureError(
                f"{measure} needs weights, slices or costs of documents, which frames have no "
                "place for",
                "evaluate in one process with rankmark.evaluate, or leave it out",
            )
        if measure.depends_on == "run" and not isinstance(measure, RunMeasure):
            raise MeasureError(
                f"{measure} needs groups of users, which frames have no place for",
                "evaluate in one process with rankmark.evaluate, or leave it out",
            )
        if measure.depends_on == "anywhere":
            raise MeasureError(
                f"{measure} needs the judgments of all queries, and each executor has those of a "
                "few",
                "evaluate in one process with rankmark.evaluate, or leave it out",
            )
    rules = [accumulator.conventions, *map(accumulator.conventions.of, accumulator.measures)]
    if len({one.ties == "rank" for one in rules}) > 1:
        raise InputError(
            "some measures rank by score, and some by rank", "evaluate them in two calls"
        )
    return rules


def _needs_order(conventions: Conventions) -> bool:
    return conventions.ties == "input" or conventions.duplicates == "first"


def _shuffle_partitions(session: Any) -> int:
    """Return the number of partitions after a shuffle, as the session has it."""
    first = session.conf.get("spark.sql.adaptive.coalescePartitions.initialPartitionNum", None)
    return int(first or session.conf.get("spark.sql.shuffle.partitions"))


def _collected(frame: Any) -> list[bytes]:
    """Run the job and return what its tasks gave.

    Raises
    ------
    MissingDependencyError
        If executors have no rankmark, or another version.
    """
    try:
        rows = frame.collect()
    except Exception as error:
        _raise_typed(error)
        raise
    return [bytes(row[0]) for row in rows]


def _raise_typed(error: Exception) -> None:
    """Raise an error of the executors' installation as one of rankmark's."""
    text = str(error)
    at = text.find(UNREADABLE)
    if at >= 0:
        line = text[at:].splitlines()[0].removeprefix(UNREADABLE).strip()
        raise InputError(
            f"a task cannot read {line}", "check that executors reach the file and may read it"
        ) from None
    for marker in (NO_RANKMARK, OTHER_VERSION, "No module named 'pyarrow'"):
        at = text.find(marker)
        if at < 0:
            continue
        line = text[at:].splitlines()[0]
        typed = MissingDependencyError("rankmark", "spark", "an executor")
        typed.found = line
        typed.remedy = "install the driver's version in the Python of the executors"
        raise typed from None
