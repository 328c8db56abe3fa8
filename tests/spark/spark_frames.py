"""Judgments and runs as Spark DataFrames, and what their evaluation must equal."""

import math
import random
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

import rankmark as rm
import rankmark.spark

Rows = list[tuple[Any, ...]]


def frame(
    spark: Any,
    rows: Rows,
    names: list[str],
    *,
    parts: int | None = None,
    types: Any = None,
    seed: int = 1,
) -> Any:
    """Return a DataFrame of rows in random order over partitions, two if not said otherwise."""
    rows = random.Random(seed).sample(rows, len(rows))
    schema = pa.schema([*zip(names, types, strict=True)]) if types else None
    columns = [*map(list, zip(*rows, strict=True))] or [[] for _ in names]
    if schema is None:
        table = pa.table(dict(zip(names, columns, strict=True)))
    else:
        table = pa.table(columns, schema=schema)
    made = spark.createDataFrame(table)
    return made if parts is None else made.repartition(parts)


def qrels_frame(spark: Any, qrels: Mapping[Any, Mapping[Any, Any]], **options: Any) -> Any:
    """Return judgments as a DataFrame; a query without any has no rows."""
    rows = [(q, d, label) for q, labels in qrels.items() for d, label in labels.items()]
    return frame(spark, rows, ["query_id", "doc_id", "relevance"], **options)


def run_frame(spark: Any, run: Mapping[Any, Mapping[Any, Any]], **options: Any) -> Any:
    """Return a run as a DataFrame."""
    rows = [(q, d, score) for q, scores in run.items() for d, score in scores.items()]
    return frame(spark, rows, ["query_id", "doc_id", "score"], **options)


def per_query(found: Any) -> dict[str, dict[str, float]]:
    """Return the scores of a DataFrame as an Evaluation has them: {measure: {query: score}}."""
    rows = [row.asDict() for row in found.per_query.collect()]
    names = [name for name in found.per_query.columns if name != "query_id"]
    return {name: {row["query_id"]: row[name] for row in rows} for name in names}


def bits(numbers: Mapping[str, float]) -> dict[str, str]:
    """Return numbers in a form in which NaN equals itself, and -0 differs from 0."""
    return {name: float(number).hex() for name, number in sorted(numbers.items())}


def assert_same(found: Any, whole: rm.Evaluation) -> None:
    """Assert that an evaluation in Spark has the numbers of one in memory, to the bit."""
    told = per_query(found)  # before the means, so that the lazy frame itself is tested
    assert [*told] == [str(measure) for measure in whole.measures]
    for name, scores in told.items():
        expected = whole.per_query(name)
        left_out = scores.keys() - expected.keys()
        assert not left_out or whole.conventions.leave_out([rm.measure(name)])[0]
        assert all(math.isnan(scores.pop(query)) for query in left_out)
        assert bits(scores) == bits(expected), name
    assert bits(found.means) == bits(dict(whole))
    told_audit, audit = found.audit.to_dict(), whole.audit.to_dict()
    for unordered in ("missing_queries", "run_only_examples"):
        assert {*told_audit.pop(unordered)} == {*audit.pop(unordered)}
    assert bits(numbers(told_audit)) == bits(numbers(audit))
    assert told_audit.keys() == audit.keys()


def numbers(facts: Mapping[str, Any]) -> dict[str, float]:
    """Return the facts that are numbers."""
    return {name: value for name, value in facts.items() if isinstance(value, (int, float))}
