"""Score the queries of one partition, whose rows arrive as packed values."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import DuplicateError, RankmarkWarning, SchemaError
from rankmark.sources import Qrels, Run
from rankmark.sources.contract.source import AlignedRun, side
from rankmark.sources.contract.source_options import OR_CHOOSE
from rankmark.sources.frames.arrow_tables import exported
from rankmark.sources.judgments.subtopic_judgments import BySubtopic
from rankmark.sources.prepared.seen import Seen
from rankmark.sources.tables.table import TableSource
from rankmark.spark.bucket_keys import bucket_keys
from rankmark.spark.frame_columns import NAME, FrameColumns
from rankmark.spark.packed_rows import unpacked
from rankmark.verbs.accumulate import Accumulator

if TYPE_CHECKING:
    from rankmark.sources.tables.columns import Chosen


class Plan(NamedTuple):
    """What the tasks of an evaluation need to know.

    Parameters
    ----------
    accumulator
        One without batches, with the measures and conventions.
    qrels, run, seen
        The columns of the DataFrames; ``seen`` is None without one. Judgments have one more, their
        ``positions``.
    buckets
        The number of buckets of queries.
    """

    accumulator: Accumulator
    qrels: FrameColumns
    run: FrameColumns
    seen: FrameColumns | None
    buckets: int

    def keys(self) -> tuple[int, ...]:
        """Return what Spark partitions each bucket by."""
        return bucket_keys(self.buckets)

    @property
    def kinds(self) -> tuple[FrameColumns | None, ...]:
        """The columns by the number that packed values have for their kind."""
        return self.qrels, self.run, self.seen


class Scored(NamedTuple):
    """The scores of a partition's queries.

    Parameters
    ----------
    of_runs
        For each run, an accumulator with the queries; for None, one with the only run, or, if there
        are several, with the queries as a run without rows has them. Empty if there are no rows.
    warnings
        The warnings given.
    """

    of_runs: dict[str | None, Accumulator]
    warnings: list[RankmarkWarning]


class SparkRows(TableSource):
    """Rows that were sent to one partition; messages name their queries and documents."""

    def __init__(self, arrow: Any, columns: FrameColumns) -> None:
        chosen = columns.chosen

        def place(row: int) -> str:
            query, document = (
                arrow.column(at)[row].as_py() for at in (chosen.query_id, chosen.doc_id)
            )
            return f"query {query!r}, document {document!r}"

        super().__init__(
            exported(arrow, side(NAME, columns.kind)),
            chosen if columns.kind == "qrels" or chosen.number is None else _by_score(chosen),
            columns.kind,
            name=NAME,
            form=columns.description(),
            place=place,
        )

    def align_run(self, *given: Any, **options: Any) -> AlignedRun:
        """Align a run with judgments; rows have no order, so no query is interleaved."""
        return super().align_run(*given, **options)._replace(interleaved=0)

    def _duplicate(self, query: str, document: str) -> DuplicateError:
        return DuplicateError(
            f"document {document!r} appears twice for query {query!r}",
            f"keep one of the two{OR_CHOOSE[self._kind]}",
            where=self._where,
        )


def _by_score(chosen: Chosen) -> Chosen:
    """Return the columns of a run without its ranks, which only ordered its rows."""
    return chosen._replace(rank=None)


def scored(values: Sequence[Iterable[Any]], plan: Plan) -> Scored:
    """Score the queries of a partition.

    Parameters
    ----------
    values
        The packed values of the judgments, of the run and of the documents seen before.
    """
    of_qrels, of_run, of_seen = values
    found: dict[str | None, Accumulator] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankmarkWarning)
        qrels = _judgments(unpacked(of_qrels, plan.qrels), plan)
        rows = unpacked(of_run, plan.run)
        if qrels is None and not len(rows):
            return Scored({}, [])
        seen = None
        if plan.seen is not None:
            table = unpacked(of_seen, plan.seen)
            seen = Seen(table) if len(table) else None
        for name, of_name in _by_run(rows, plan.run):
            found[name] = plan.accumulator.__copy__()
            run = Run.of(SparkRows(_in_order(of_name, plan.run), plan.run))
            found[name].update({} if qrels is None else qrels, run, seen=seen, threads=1)
    given = [one.message for one in caught if isinstance(one.message, RankmarkWarning)]
    return Scored(found, given)


def _by_run(table: Any, columns: FrameColumns) -> Iterator[tuple[str | None, Any]]:
    """Return the rows of each run with its name; of several runs also None, without rows."""
    if columns.run is None:
        yield None, table
        return
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    yield None, table.slice(0, 0)
    column = table.column(columns.run)
    if column.null_count:
        raise SchemaError(
            f"{columns.names[columns.run]!r} is null",
            "drop the row, or name its run",
            where=side(NAME, "run"),
        )
    texts = column.cast(pa.string())
    for name in sorted(texts.unique().to_pylist()):
        yield name, table.filter(pc.equal(texts, name))


def _judgments(table: Any, plan: Plan) -> Qrels | None:
    """Return the judgments in the order of the DataFrame, or None if there are none."""
    if not len(table):
        return None
    columns = plan.qrels.without_positions()
    positions = table.column(len(columns.names)).to_numpy()
    table = table.take(np.argsort(positions, kind="stable"))
    source = SparkRows(table.select(range(len(columns.names))), columns)
    return Qrels.of(source if columns.chosen.subtopic is None else BySubtopic(source), threads=1)


def _in_order(table: Any, columns: FrameColumns) -> Any:
    """Sort the rows of a run by rank if their order is in a column beside the scores."""
    chosen = columns.chosen
    if chosen.rank is None or chosen.number is None:
        return table
    ranks = table.column(chosen.rank)
    order = np.argsort(ranks.to_numpy(), kind="stable")
    return table.take(order)
