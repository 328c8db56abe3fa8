"""Judgments or a run as they are given: a DataFrame, or the paths of files that tasks read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.contract.source import side
from rankmark.spark.frame_columns import (
    NAME,
    FrameColumns,
    columns_of_fields,
    fields_of_frame,
    quoted,
)
from rankmark.spark.parquet_rows import ParquetRows, read_by_tasks
from rankmark.spark.tasks import PACKED, task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    Path = str | os.PathLike[str]
    Rows = DataFrame | Path | Sequence[Path]
    """A DataFrame, or the paths of Parquet files."""

    from rankmark.data.contract.source_options import Kind
    from rankmark.spark.scored_partition import Plan


class ChosenRows(NamedTuple):
    """The rows of a DataFrame or of files, and which of their columns are used."""

    given: GivenRows
    columns: FrameColumns

    def packed(self, plan: Plan, kind: int) -> Any:
        """Pack the rows, without the columns that are not used, as a DataFrame."""
        plan = plan._replace(parents=None, qrels_parents=None)  # which may be large
        rows, session = self.given.rows, self.given.session
        if isinstance(rows, ParquetRows):
            number = len(rows.tasks)
            numbers = session.range(0, number, 1, number)
            return numbers.mapInArrow(task("pack_files", plan, kind, rows), PACKED)
        # Spark's mapInArrow looks columns up by name, and cannot if one contains dots or backticks.
        stored = [name for name, _ in self.columns.stored]
        names = [f"column {place}" for place in range(len(stored))]
        used = rows.select(*map(quoted, stored)).toDF(*names)
        return used.mapInArrow(task("pack", plan, kind), PACKED)


class GivenRows(NamedTuple):
    """A DataFrame or files, and all their columns.

    Parameters
    ----------
    kind
        Whether they are judgments or a run.
    rows
        A DataFrame, or ``ParquetRows``.
    session
        The Spark session.
    fields
        The names of all columns with their types, as Spark writes these.
    name, form
        As in ``FrameColumns``.
    where
        How messages name them.
    """

    kind: Kind
    rows: Any
    session: Any
    fields: Sequence[tuple[str, str]]
    name: str
    form: str
    where: str

    def choose(self, columns: Mapping[str, Any] | None, **needed: Any) -> ChosenRows:
        """Choose the columns to use; ``needed`` and errors as for ``columns_of_fields``."""
        chosen = columns_of_fields(self.fields, self.kind, columns, where=self.where, **needed)
        return ChosenRows(self, chosen._replace(name=self.name, form=self.form))


def given_rows(
    given: Any, kind: Kind, session: Any, filesystem: Any, *, argument: str | None = None
) -> GivenRows:
    """Return the rows that were given, and all their columns.

    Parameters
    ----------
    argument
        The name of the argument, if it is not the kind.
    """
    argument = argument or kind
    if not _are_paths(given):
        where = argument if argument != kind else side(NAME, kind)
        return GivenRows(kind, given, session, fields_of_frame(given, where), NAME, "spark", where)
    rows, fields, name = read_by_tasks(given, argument, filesystem, session)
    return GivenRows(kind, rows, session, fields, name, "parquet", name)


def _are_paths(given: Any) -> bool:
    if isinstance(given, (str, os.PathLike)):
        return True
    return isinstance(given, (list, tuple)) and all(
        isinstance(one, (str, os.PathLike)) for one in given
    )
