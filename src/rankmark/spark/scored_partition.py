"""Score the queries of one partition, whose rows arrive as packed values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankmark.data.contract.reading_options import ONE_THREAD, Reading
from rankmark.data.contract.source import AlignedRun, PreparedQrels, Source, Vouched
from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.data.frames.arrow_tables import exported
from rankmark.data.judgments.subtopic_judgments import BySubtopic
from rankmark.data.preparing.parents import (
    DocumentsOfUnits,
    OfUnits,
    paired_documents,
    with_parents,
)
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.seen import Seen
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource, rows_of_table, worded
from rankmark.errors import (
    DuplicateError,
    InputError,
    RankmarkWarning,
    SchemaError,
    collected_warnings,
)
from rankmark.spark.bucket_keys import bucket_keys
from rankmark.spark.frame_columns import FrameColumns
from rankmark.spark.gathered_values import GatheredValues, Group
from rankmark.spark.large_query import LargeQuery
from rankmark.spark.large_units import LargeUnits
from rankmark.spark.packed_rows import queries_in, unpacked
from rankmark.verbs.evaluate.accumulate import Accumulator
from rankmark.verbs.evaluate.query_rows import natural_order


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
    memory
        About how many bytes of memory a task may take to score queries.
    in_order
        Whether the order of rows matters; it is that of their ranks.
    parents, qrels_parents
        The document of each retrieved and of each judged unit; None if they are in a column, or
        there are no units.
    """

    accumulator: Accumulator
    qrels: FrameColumns
    run: FrameColumns
    seen: FrameColumns | None
    buckets: int
    memory: int
    in_order: bool
    parents: DocumentsOfUnits | Callable[[str], Any] | None = None
    qrels_parents: DocumentsOfUnits | Callable[[str], Any] | None = None

    def keys(self) -> tuple[int, ...]:
        """Return what Spark partitions each bucket by."""
        return bucket_keys(self.buckets)

    @property
    def kinds(self) -> tuple[FrameColumns | None, ...]:
        """The columns by the number that packed values have for their kind."""
        return self.qrels, self.run, self.seen

    def columns_of(self, kind: int) -> FrameColumns:
        """Return the columns that rows of a kind have when they are read."""
        columns = self.kinds[kind]
        assert columns is not None  # noqa: S101
        return columns.without_positions() if columns is self.qrels else columns


class Scored(NamedTuple):
    """The scores of some queries.

    Parameters
    ----------
    of_runs
        For each run, an accumulator with the queries; for None, one with the only run, or, if there
        are several, with the queries as a run without rows has them.
    warnings
        The warnings given.
    attributes
        {column: {query id: value}} of the judgments.
    """

    of_runs: dict[str | None, Accumulator]
    warnings: list[RankmarkWarning]
    attributes: dict[str, dict[str, Any]]


class SparkRows(TableSource):
    """Rows that were sent to one partition; messages name their queries and documents."""

    vouched: Vouched = True  # they have no order

    def __init__(self, arrow: Any, columns: FrameColumns) -> None:
        chosen = columns.chosen
        self._arrow = arrow

        def place(row: int) -> str:
            query, document = (
                arrow.column(at)[row].as_py() for at in (chosen.query_id, chosen.doc_id)
            )
            return f"query {query!r}, document {document!r}"

        super().__init__(
            exported(arrow, columns.where),
            chosen if columns.kind == "qrels" or chosen.number is None else _by_score(chosen),
            columns.kind,
            name=columns.name,
            form=columns.description(),
            place=place,
        )

    def align_run(
        self, qrels: PreparedQrels, ranking: Any, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments, so that nothing depends on the order of rows.

        No query is interleaved, and examples are sorted.
        """
        aligned = super().align_run(qrels, ranking, reading, by_rank=by_rank)
        if aligned.run_only:
            others = [*(self._queries() - {*qrels.query_ids})]
            examples = [others[place] for place in natural_order(others)[:3].tolist()]
            aligned = aligned._replace(run_only_examples=examples)
        return aligned._replace(interleaved=0)

    def _queries(self) -> set[str]:
        """Return the ids of the queries that have rows."""
        column = self._arrow.column(self.chosen.query_id)
        return {
            query
            for chunk in column.chunks
            for query in chunk.dictionary.take(chunk.indices.unique()).to_pylist()
        }

    def _duplicate(self, query: str, document: str) -> DuplicateError:
        return DuplicateError(
            f"document {document!r} appears twice for query {query!r}",
            f"keep one of the two{OR_CHOOSE[self._kind]}",
            where=self._where,
        )


def _with_documents(source: Source, arrow: Any, columns: FrameColumns, parents: Any) -> Source:
    """Return rows of units with their documents, if these are known."""
    if parents is not None:
        return with_parents(source, parents)
    if columns.parent is None:
        return source
    name = columns.names[columns.parent]
    where = columns.where
    pairs = arrow.select([columns.chosen.doc_id, columns.parent])
    with worded(where, pairs.column_names):
        rows = rows_of_table(exported(pairs, where), Chosen(0, 1, None, None), "run")
    return OfUnits(source, paired_documents(rows, name, source.name))


def _by_score(chosen: Chosen) -> Chosen:
    """Return the columns of a run without its ranks, which only ordered its rows."""
    return chosen._replace(rank=None)


def scored(judged: list[Any], run: GatheredValues, seen: list[Any], plan: Plan) -> Iterator[Scored]:
    """Score the queries of a partition, as many at a time as fit into memory.

    Parameters
    ----------
    judged, run, seen
        The packed values of the judgments, of the run and of the documents seen before.
    """
    scored_queries: set[str] = set()
    whole = False
    for group in run.groups():
        whole = group.queries is None
        scored_queries |= group.queries or frozenset()
        yield from _scored(judged, run, group, seen, plan)
    if whole:
        return
    rest = {query for value in judged for query, _ in queries_in(value)} - scored_queries
    if rest:
        yield from _scored(judged, run, Group(frozenset(rest), is_large=False), seen, plan)


def _scored(
    judged: list[Any], run: GatheredValues, group: Group, seen: list[Any], plan: Plan
) -> Iterator[Scored]:
    """Score a group of queries, unless it has no rows."""
    found: dict[str | None, Accumulator] = {}
    with collected_warnings() as given:
        judgments = unpacked(judged, plan.qrels, group.queries)
        attributes = {
            plan.qrels.names[place]: _attribute(judgments, plan.qrels, place)
            for place in plan.qrels.by
        }
        qrels = _judgments(judgments, plan)
        of_seen = _seen(seen, group, plan)
        large = _large_runs if group.is_large else _runs
        for name, one in large(run, group, of_seen, plan):
            if qrels is None and one is None:
                return
            found[name] = plan.accumulator.__copy__()
            found[name].update(
                {} if qrels is None else qrels,
                _empty(plan) if one is None else one,
                seen=None if of_seen is None else Seen(of_seen),
                threads=1,
            )
    yield Scored(found, given, attributes)


def _attribute(table: Any, columns: FrameColumns, place: int) -> dict[str, Any]:
    """Return the value of each query in a column of the judgments.

    Raises
    ------
    SchemaError
        If a query has several.
    """
    if not len(table):
        return {}
    queries = table.column(columns.query).unify_dictionaries().combine_chunks()
    values = table.column(place).combine_chunks().dictionary_encode(null_encoding="encode")
    found = values.dictionary.to_pylist()
    codes = queries.indices.to_numpy().astype(np.int64) * len(found) + values.indices.to_numpy()
    of_query: dict[str, Any] = {}
    for code in np.unique(codes).tolist():
        query = queries.dictionary[code // len(found)].as_py()
        value = found[code % len(found)]
        if query in of_query:
            raise SchemaError(
                f"column {columns.names[place]!r} has several values for query {query!r}: "
                f"{of_query[query]!r} and {value!r}",
                "give one value for each query",
                where=columns.where,
            )
        of_query[query] = value
    return of_query


def _seen(values: list[Any], group: Group, plan: Plan) -> Any:
    """Return the documents seen before, or None if there are none."""
    if plan.seen is None:
        return None
    table = unpacked(values, plan.seen, group.queries)
    return table if len(table) else None


def _empty(plan: Plan) -> Run:
    return _run(unpacked([], plan.run), plan)


def _run(rows: Any, plan: Plan) -> Run:
    """Return rows of one run, of units with their documents."""
    return Run.of(_with_documents(SparkRows(rows, plan.run), rows, plan.run, plan.parents))


def _runs(
    values: GatheredValues, group: Group, _: Any, plan: Plan
) -> Iterator[tuple[str | None, Run | None]]:
    """Return the runs by name, None for one without rows."""
    table = values.table(group)
    for name, rows in _by_run(table, plan.run):
        ordered = _in_order(rows, plan)
        yield name, _run(ordered, plan) if len(rows) else None


def _large_runs(
    values: GatheredValues, group: Group, seen: Any, plan: Plan
) -> Iterator[tuple[str | None, Run | None]]:
    """Return the rows of one query by run."""
    import pyarrow as pa  # noqa: PLC0415

    assert group.queries is not None  # noqa: S101
    (query,) = group.queries
    if plan.accumulator.looks_at_items:
        raise InputError(
            f"the list of query {query!r} does not fit into memory, and measures look at its items",
            "keep the first items of each list, or choose more memory=",
            where=plan.run.where,
        )
    conventions = plan.accumulator.conventions
    units = LargeUnits(plan.run, conventions, plan.parents)
    has_units = units.are_named or conventions.unit is not None
    parts = values.parts(query, units.documents if has_units else None)
    names: set[str | None] = set()
    for part in parts():
        refuse_unusable(part, plan)
        names |= {name for name, _ in _by_run(part, plan.run)}
    ids: list[str] = []
    if seen is not None and plan.seen is not None:
        listed = seen.column(plan.seen.chosen.doc_id)
        if plan.seen.chosen.number is not None:
            numbers = seen.column(plan.seen.chosen.number).to_numpy()
            listed = listed.filter(pa.array(numbers != 0))
        ids = [str(one) for one in listed.to_pylist()]

    def of_run(name: str | None) -> Callable[[], Iterator[Any]]:
        def read() -> Iterator[Any]:
            for part in parts():
                yield from (rows for one, rows in _by_run(part, plan.run) if one == name)

        return read

    for name in sorted(names, key=str):
        if name is None and plan.run.run is not None:
            yield None, None
        else:
            large = LargeQuery(query, of_run(name), plan.run, ids, units if has_units else None)
            # Their documents are known to it; the mapping says that there are some.
            named = OfUnits(large, DocumentsOfUnits({})) if units.are_named else large
            yield name, Run.of(named)


def refuse_unusable(table: Any, plan: Plan) -> None:
    """Refuse rows without an id, or with numbers that cannot be ordered."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    chosen = plan.run.chosen
    for place in (chosen.doc_id, chosen.number, chosen.rank):
        if place is None:
            continue
        column = table.column(place)
        unusable = column.is_null(nan_is_null=pa.types.is_floating(column.type))
        if pa.types.is_integer(column.type) and place != chosen.doc_id:
            # Whole numbers that no double holds are refused like the others.
            rounded = column.cast(pa.float64(), safe=False).cast(pa.int64(), safe=False)
            unusable = pc.or_(unusable, pc.not_equal(rounded, column).fill_null(fill_value=True))
        rows = np.flatnonzero(unusable.to_numpy())
        if len(rows):
            only = table.slice(int(rows[0]), 1)
            plan.accumulator.__copy__().update({}, Run.of(SparkRows(only, plan.run)), threads=1)


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
            where=columns.where,
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
    rows = table.select(range(len(columns.names)))
    found = SparkRows(rows, columns)
    source: Source = found if columns.chosen.subtopic is None else BySubtopic(found)
    return Qrels.of(_with_documents(source, rows, columns, plan.qrels_parents), ONE_THREAD)


def _in_order(table: Any, plan: Plan) -> Any:
    """Sort the rows of a run by rank if their order matters.

    Raises
    ------
    SchemaError
        If two rows of a query have the same rank.
    """
    chosen = plan.run.chosen
    if chosen.rank is None or not (plan.in_order or plan.run.lists):
        return table
    ranks = table.column(chosen.rank).to_numpy()
    queries = table.column(chosen.query_id).unify_dictionaries().combine_chunks()
    if not len(ranks):
        return table
    codes = queries.indices.to_numpy()
    order = np.lexsort((codes, ranks))
    same = (ranks[order][1:] == ranks[order][:-1]) & (codes[order][1:] == codes[order][:-1])
    if same.any():
        row = int(order[np.flatnonzero(same)[0]])
        query = table.column(chosen.query_id)[row].as_py()
        raise SchemaError(
            f"two rows of query {query!r} have rank {ranks[row]}, and their order matters",
            "give each row of a query its own rank",
            where=plan.run.where,
        )
    return table.take(order)
