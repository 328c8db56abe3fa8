"""Judgments or a run that come in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from typing import Any

import numpy as np

from rankmark._core import (
    BatchedRun,
    DuplicateFault,
    FileFault,
    JudgmentsBuilder,
    LimitFault,
    RankingOptions,
    RunPart,
    SpillFault,
    Table,
    joined,
    rows_of_pair,
    rows_of_query,
    table_from_columns,
)
from rankmark._core import numbers as column_numbers
from rankmark.data.batches.fragments import Batches, Place, Worked, in_order
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Columns,
    Judged,
    PreparedQrels,
    Rows,
    RowsBySubtopic,
    Source,
    side,
)
from rankmark.data.contract.source_options import Kind
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import (
    TableSource,
    description_of,
    no_longer_twice,
    of_one_query,
    twice,
    worded,
)
from rankmark.errors import DuplicateError, InputError, ParseError, SchemaError


class BatchSource(Source):
    """Rows that are read batch by batch, and never held whole unless all rows are asked for.

    Parameters
    ----------
    batches
        What is read.
    chosen
        The roles of its columns, which are numbered as in ``batches.names()``.
    name
        Its name in messages and tables.
    form
        How the caller's object was interpreted; see ``description``.
    is_file
        Whether it is read from files, anew each time.
    """

    def __init__(
        self,
        batches: Batches,
        chosen: Chosen,
        kind: Kind,
        *,
        name: str,
        form: Mapping[str, Any],
        is_file: bool,
    ) -> None:
        self.name = name
        self.batches = batches
        self.chosen = chosen
        self.is_file = is_file
        self._kind = kind
        self._form = dict(form)

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        builder = JudgmentsBuilder()
        columns, query, document, (label,) = self._picked(self.chosen.number)
        rows = 0
        for place, table in self._tables(columns, reading):
            with self._worded(place, columns):
                builder.add(table, query, document, label)
            rows += len(table)
        if not rows:
            raise self._empty()
        try:
            judgments = builder.finish()
        except DuplicateFault as fault:
            raise self._duplicate(*fault.args) from None
        return Judged(judgments, judgments.query_ids(), rows)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments: by score, else by rank, else in the order of the rows."""
        _, _, score, rank, _ = self.chosen
        if by_rank and rank is None:
            raise InputError(
                f'ties="rank" needs a rank column, and {side(self.name, self._kind)} has none',
                'use "input"',
            )
        by_rank = by_rank or (score is None and rank is not None)
        columns, query, document, (number,) = self._picked(rank if by_rank else score)
        run = BatchedRun(qrels.judgments, ranking, number is not None, by_rank)

        def part(table: Table) -> RunPart:
            return run.part(table, query, document, number, by_rank)

        def gather(table: Table) -> None:
            run.gather(table, query, document, number, by_rank)

        try:
            for each in self._worked(columns, part, reading):
                if each.error is not None:
                    run.close()  # a duplicate before the error comes first
                    raise each.error
                with self._worded(each.place, columns):
                    run.merge(each.result)
            run.close()
            if run.interleaved:
                for place, table in self._tables(columns, AS_USUAL):
                    with self._worded(place, columns):
                        gather(table)
            aligned, *counted = run.finish()
        except DuplicateFault as fault:
            raise self._duplicate(*fault.args) from None
        except (FileFault, LimitFault, SpillFault) as fault:
            raise InputError(*fault.args, where=side(self.name, self._kind)) from None
        is_scored = number is not None and not by_rank
        return AlignedRun(Columns(*aligned), *counted)._replace(order="rows" if is_scored else None)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all rows, which are read as a whole."""
        return self._whole().rows(reading, lenient=lenient)

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """List all judgments with their subtopics, which are read as a whole."""
        return self._whole().rows_by_subtopic(reading)

    def for_query(self, query: str, reading: Reading) -> TableSource | None:
        """Return the rows of one query."""
        columns, query_at, doc_at, (number, rank) = self._picked(
            self.chosen.number, self.chosen.rank
        )
        wanted = id_bytes(query)
        doc_ids: list[str] = []
        numbers: list[Any] = []
        ranks: list[Any] = []
        places: list[tuple[Place, Any]] = []
        refusal: SchemaError | None = None
        for place, table in self._tables(columns, reading):
            with self._worded(place, columns):
                kept, ids = rows_of_query(table, query_at, doc_at, wanted, reading.workers)
            if not len(kept):
                continue
            doc_ids.extend(ids)
            places.append((place, kept))
            for values, at in ((numbers, number), (ranks, rank)):
                if at is None:
                    continue
                try:
                    with self._worded(place, columns):
                        values.append(column_numbers(table, at)[kept])
                except SchemaError as error:  # refused only if they are needed
                    values.append(np.full(len(kept), np.nan))
                    if values is numbers:
                        refusal = refusal or error
        source = of_one_query(
            query,
            doc_ids,
            np.concatenate(numbers) if numbers else None,
            np.concatenate(ranks) if ranks else None,
            self._kind,
            name=self.name,
            form=self._form,
            place=_Rows(places).name,
        )
        if source is not None:
            source.refusal = refusal
        return source

    def keep(self) -> None:
        """Copy what can be read only once; all else is read anew each time."""
        self.batches.keep()

    def as_read(self) -> BatchSource | None:
        """Return the same files for later reading, refused if one has changed; None if no files."""
        if not self.is_file:
            return None
        source = copy(self)
        source.batches = self.batches.as_read()
        return source

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted; for a run without scores, also its order."""
        return description_of(self._form, self._kind, self.chosen)

    def sha256(self) -> str | None:
        """Hash the files; None if it is not read from files."""
        return self.batches.sha256() if self.is_file else None

    def _picked(self, *others: int | None) -> tuple[list[str], int, int, list[int | None]]:
        """Return the names of the id columns and of others, and where each is among these."""
        names = self.batches.names()
        query, document = names[self.chosen.query_id], names[self.chosen.doc_id]
        wanted = [None if place is None else names[place] for place in others]
        columns = [
            *dict.fromkeys([query, document, *(name for name in wanted if name is not None)])
        ]
        at = [None if name is None else columns.index(name) for name in wanted]
        return columns, columns.index(query), columns.index(document), at

    def _worked(
        self,
        columns: Sequence[str],
        work: Callable[[Table], object],
        reading: Reading,
    ) -> Iterator[Worked]:
        """Work on all tables; yield the results in order."""
        with closing(in_order(self.batches.fragments(columns), work, reading.workers)) as results:
            for each in results:
                if reading.progress is not None:
                    reading.progress(each.done)
                yield each

    def _tables(self, columns: Sequence[str], reading: Reading) -> Iterator[tuple[Place, Table]]:
        """Read all tables, one by one."""
        for each in self._worked(columns, lambda table: table, reading._replace(threads=1)):
            if each.error is not None:
                raise each.error
            yield each.place, each.result

    def _whole(self) -> TableSource:
        """Return all rows as one table."""
        names = self.batches.names()
        picked, moved = self.chosen.picked()
        columns = [names[place] for place in picked]
        places, tables = [], []
        for place, table in self._tables(columns, AS_USUAL):
            places.append((place, range(len(table))))
            tables.append(table)
        if not tables:
            table = table_from_columns(columns, [np.empty(0) for _ in columns])
        else:
            table = joined(tables)
        return TableSource(
            table,
            moved,
            self._kind,
            name=self.name,
            form=self._form,
            place=_Rows(places).name,
        )

    @contextmanager
    def _worded(self, place: Place, columns: Sequence[str]) -> Iterator[None]:
        with worded(place.where, columns, place.row):
            yield

    def _empty(self) -> InputError:
        if self.is_file:
            return ParseError(
                "it holds no judgments", "need some for one query at least", where=self.name
            )
        return InputError(
            "it holds no judgments",
            "need a row at least; a stream can be read only once",
            where=side(self.name, self._kind),
        )

    def _duplicate(self, query: str, document: str) -> DuplicateError:
        """Find the first two rows of a pair."""
        columns, query_at, doc_at, _ = self._picked()
        found: list[tuple[Place, int]] = []
        for place, table in self._tables(columns, AS_USUAL):
            with self._worded(place, columns):
                rows = rows_of_pair(table, query_at, doc_at, id_bytes(query), id_bytes(document))
            found.extend((place, row) for row in rows)
            if len(found) > 1:
                break
        if len(found) < 2:
            return no_longer_twice(query, document, self.name)
        (first, row), (second, later) = found[:2]
        before = first.row(row)
        if first.where != second.where:
            before = f"{first.where}: {before}"
        where = f"{second.where}: {second.row(later)}"
        return twice(query, document, self._kind, before, where)


class _Rows:
    """The places of rows that were put together from several tables."""

    def __init__(self, parts: Sequence[tuple[Place, Any]]) -> None:
        self._parts = parts

    def name(self, row: int) -> str:
        """Name a row in messages, with its file if there are several."""
        several = len({place.where for place, _ in self._parts}) > 1
        for place, rows in self._parts:
            if row < len(rows):
                named = place.row(int(rows[row]))
                return f"{place.where}: {named}" if several else named
            row -= len(rows)
        raise IndexError(row)
