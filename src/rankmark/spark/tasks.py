"""What runs on executors, and how its results and errors come back.

Tasks are functions over Arrow batches. They are sent by value, so that they can check which
version of rankmark an executor has before they use it. They have no state: a task that is repeated
gives the same numbers.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rankmark.data.preparing.item_data import ItemData
from rankmark.errors import RankmarkError
from rankmark.measures import Measure
from rankmark.spark.document_lists import flattened
from rankmark.spark.gathered_values import GatheredValues
from rankmark.spark.packed_rows import packed, with_positions
from rankmark.spark.parquet_rows import ParquetRows
from rankmark.spark.scored_partition import Plan, Scored, scored
from rankmark.version import __version__

Task = Callable[[Iterable[Any]], Iterator[Any]]

PACKED = "bucket int, kind tinyint, value binary"
"""The schema of packed values; kinds count from 0: judgments, run, seen, and an error."""
SCORED = "value binary"
"""The schema of results: a pickled ``Scored``, or an error."""
NO_RANKMARK = "rankmark is not installed on this executor"
OTHER_VERSION = "rankmark on this executor has another version"

_QRELS, _RUN, _SEEN, _ERROR = range(4)


def task(name: str, *arguments: Any) -> Task:
    """Return a function of this module as a task, with all arguments but the batches.

    Spark pickles the function by value, since it is defined here inside another one: it is
    unpickled also where rankmark is missing or another version.
    """
    from pyspark import cloudpickle  # noqa: PLC0415  (functions of measures of one's own)

    sent: bytes = cloudpickle.dumps(arguments)
    version, missing, other = __version__, NO_RANKMARK, OTHER_VERSION

    def run(batches: Any) -> Any:
        import importlib  # noqa: PLC0415
        import pickle  # noqa: PLC0415
        import sys  # noqa: PLC0415

        try:
            found = importlib.import_module("rankmark.version").__version__
        except ImportError:
            raise RuntimeError(f"{missing}, whose Python is {sys.executable}") from None
        if found != version:
            raise RuntimeError(
                f"{other}, {found}, than the driver, {version}; its Python is {sys.executable}"
            )
        tasks = importlib.import_module("rankmark.spark.tasks")
        yield from getattr(tasks, name)(batches, *pickle.loads(sent))  # noqa: S301

    return run


def pack(batches: Iterable[Any], plan: Plan, kind: int) -> Iterator[Any]:
    """Pack the rows of a partition; its first error becomes a value."""
    from pyspark import TaskContext  # noqa: PLC0415

    context = TaskContext.get()
    assert context is not None  # noqa: S101
    yield from _packed(batches, plan, kind, context.partitionId())


def pack_files(numbers: Iterable[Any], plan: Plan, kind: int, rows: ParquetRows) -> Iterator[Any]:
    """Pack the rows that these tasks read from files; the first error becomes a value."""
    columns = plan.columns_of(kind)
    for batch in numbers:
        for number in batch.column(0).to_pylist():
            yield from _packed(rows.batches(number, columns), plan, kind, number)


def _packed(batches: Iterable[Any], plan: Plan, kind: int, part: int) -> Iterator[Any]:
    columns = plan.kinds[kind]
    assert columns is not None  # noqa: S101
    if columns.lists:
        batches = flattened(batches, columns.lists, columns.where)
    if kind == _QRELS:
        batches = with_positions(batches, part)
    keys = plan.keys()
    try:
        for bucket, value in packed(batches, columns, plan.buckets):
            yield _values([(keys[bucket], kind, value)])
    except RankmarkError as error:
        yield _values([(0, _ERROR, pickle.dumps(error))])


def _values(rows: Sequence[tuple[int, int, bytes]]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    keys, kinds, values = zip(*rows, strict=True)
    arrays = [pa.array(keys, pa.int32()), pa.array(kinds, pa.int8()), pa.array(values, pa.binary())]
    return pa.record_batch(arrays, names=["bucket", "kind", "value"])


def score(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """Score the queries of a partition into pickled results, or an error."""
    import pyarrow as pa  # noqa: PLC0415

    def result(one: Scored | RankmarkError) -> Any:
        return pa.record_batch([pa.array([dumped(one, plan)], pa.binary())], names=["value"])

    try:
        yield from map(result, _scored(batches, plan))
    except RankmarkError as error:
        yield result(error)


def dumped(result: object, plan: Plan) -> bytes:
    """Pickle a result for the driver.

    Measures, which may be functions, are sent as their places, and what is known of items as -1.
    """
    measures = plan.accumulator.measures

    class Pickler(pickle.Pickler):
        def persistent_id(self, given: object) -> int | None:
            if isinstance(given, ItemData):
                return -1
            # A profile has measures too, which are none of these.
            known = isinstance(given, Measure) and given in measures
            return measures.index(given) if known else None

    buffer = io.BytesIO()
    Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(result)
    return buffer.getvalue()


def loaded(value: bytes, plan: Plan) -> Any:
    """Return a result with the driver's own measures, and what it knows of items."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, place: Any) -> Measure | ItemData | None:
            if place == -1:
                return plan.accumulator.items
            return plan.accumulator.measures[place]

    return Unpickler(io.BytesIO(value)).load()


def score_rows(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """Score the queries of a partition into rows: the id of the query, then each measure."""
    import pyarrow as pa  # noqa: PLC0415

    names = ["query_id", *map(str, plan.accumulator.of_queries)]
    for one in _scored(batches, plan):
        rows = one.of_runs[None].rows_averaged()
        columns = [pa.array(rows.queries, pa.string()), *map(pa.array, rows.scores.T.copy())]
        yield pa.record_batch(columns, names=names)


def _scored(batches: Iterable[Any], plan: Plan) -> Iterator[Scored]:
    """Gather packed values by kind, and score them."""
    judged: list[Any] = []
    seen: list[Any] = []
    run = GatheredValues(plan.run, plan.memory)
    errors: list[bytes] = []
    for batch in batches:
        kinds = batch.column(1).to_pylist()
        for kind, value in zip(kinds, batch.column(2), strict=True):
            if kind == _ERROR:
                errors.append(value.as_py())
            elif kind == _RUN:
                run.add(value.as_buffer())
            else:
                (judged if kind == _QRELS else seen).append(value.as_buffer())
    if errors:
        raise pickle.loads(min(errors))  # noqa: S301
    yield from scored(judged, run, seen, plan)
