"""Scores by run and query that another program made, in whatever form they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.files.input_file import is_file
from rankmark.data.files.lines_of_text import weights_in, words_in
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import Columns, Places, of_mapping, table_in_memory
from rankmark.data.given_tables.role_tables import QUERY, Role, column_of
from rankmark.data.given_tables.table_files import scores_in
from rankmark.errors import DuplicateError, InputError, ParseError, SchemaError, shown
from rankmark.results.per_query import ByQuery
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS

_RUN = Role("run", frozenset({"run", "runid", "system"}))
_SCORE = "need a score; choose the columns of scores, as in measures=['nDCG@10']"
_NEEDED = (
    "a table with the columns run, query_id and one for each measure; {run: table without run}, or "
    "{run: {query id: {measure: score}}}; or files of these, or of trec_eval -q"
)


class ScoreTable(NamedTuple):
    """Scores of runs: (n_queries, n_runs, n_measures) float64, NaN where there is none."""

    runs: list[str]
    queries: list[str]
    measures: list[str]
    scores: Floats


def score_table(given: Any, measures: Sequence[str] | None, names: Mapping[str, str]) -> ScoreTable:
    """Read scores in any form.

    Parameters
    ----------
    given
        A table, a mapping from runs, or files.
    measures
        The columns to read; None for all but the run and the query.
    names
        ``{"run": column, "query_id": column}``, where they have other names.
    """
    places: dict[tuple[str, str], dict[str, float]] = {}
    found: dict[str, None] = {}
    for of_run, columns in _parts(given):
        query_column = _column(columns, QUERY, names)
        run_column = None if of_run is not None else _column(columns, _RUN, names)
        chosen = _measures(columns, {query_column, run_column}, measures)
        of_rows = [
            columns.numbers_if_any(name, f"column {name!r}", remedy=_SCORE) for name in chosen
        ]
        found |= dict.fromkeys(chosen)
        queries = columns.ids(query_column, f"column {query_column!r}")
        if run_column is None:
            of_row = [of_run or ""] * len(queries)
        else:
            of_row = columns.ids(run_column, f"column {run_column!r}")
        for row, pair in enumerate(zip(of_row, queries, strict=True)):
            if pair in places:
                told = f"query {pair[1]!r} of run {pair[0]!r} appears twice"
                raise columns.error(row, told, "keep one row", DuplicateError)
            places[pair] = {name: of[row] for name, of in zip(chosen, of_rows, strict=True)}
    if not places:
        raise InputError("there are no scores", "give the scores of one query at least")
    runs, queries = ([*dict.fromkeys(of)] for of in zip(*places, strict=True))
    scores = np.array(
        [
            [[places.get((run, query), {}).get(name, math.nan) for name in found] for run in runs]
            for query in queries
        ]
    )
    return ScoreTable(runs, queries, [*found], scores)


def _parts(given: Any) -> list[tuple[str | None, Columns]]:
    """Return tables, each with its run if it is of one."""
    inner = given.values() if isinstance(given, Mapping) else given
    are_several = isinstance(given, (Mapping, list, tuple)) and len(given) > 0
    if isinstance(given, Evaluation) or (
        are_several and all(isinstance(one, Evaluation) for one in inner)
    ):
        raise SchemaError("these are evaluations", "use rm.compare(None, evaluations)")
    if is_file(given):
        columns = scores_in(given)
        is_one = not any(column.lower() in RUN_COLUMNS for column in columns)
        return [(short_names([columns.name])[0] if is_one else None, columns)]
    if is_frame(given):
        return [(None, _in_memory(given, f"<{type(given).__name__}>"))]
    if isinstance(given, Mapping):
        if not given:
            raise InputError("there are no scores", f"need {_NEEDED}")
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in inner):
            return [(None, _in_memory(given, "<columns>"))]
        # A result is a mapping and a frame, too, of its means and of its scores.
        tables = [_of_result(one) if isinstance(one, ByQuery) else one for one in inner]
        return [
            (run, columns_of_one_run(one, f"run {run!r}"))
            for run, one in zip(map(str, given), tables, strict=True)
        ]
    if are_several and all(isinstance(one, Mapping) for one in given):
        return [(None, _in_memory(given, "<rows>"))]
    if are_several and all(isinstance(one, (str, os.PathLike)) for one in given):
        return [*zip(short_names([*map(os.fspath, given)]), map(scores_in, given), strict=True)]
    raise SchemaError(f"scores are {shown(given)}", f"need {_NEEDED}")


def query_column_of(columns: Columns, where: str | None = None) -> str:
    """Return the name of the column that contains queries; ``where`` names the table."""
    return _column(columns, QUERY, {}, where)


def columns_of_one_run(given: Any, where: str = "run 'given'") -> Columns:
    """Return the scores of one run as columns, with the text of files as it is.

    ``where`` is what to call a table in memory.
    """
    if is_file(given):
        return scores_in(given)
    if isinstance(given, Columns):
        return given
    is_mapping = isinstance(given, Mapping) and not is_frame(given)
    found = table_in_memory(of_mapping(given) if is_mapping else given, where)
    if not found:
        raise SchemaError(f"its scores are {shown(given)}", f"need {_NEEDED}", where=where)
    return found


def _in_memory(given: Any, where: str) -> Columns:
    return table_in_memory(given, where) or Columns({}, Places(where))


def _of_result(found: ByQuery) -> dict[str, Any]:
    scores = dict(zip(found.names, found.scores.T.tolist(), strict=True))
    return {"query_id": [*found.queries]} | scores


def _column(
    columns: Columns, role: Role, names: Mapping[str, str], where: str | None = None
) -> str:
    """Return the name of the column that contains runs or queries."""
    where = columns.name if where is None else where
    named = names.get(role.name)
    if named is not None and named not in columns:
        raise _no_column(named, columns, where)
    if not columns:
        raise SchemaError("it has no columns, and no rows", f"need {_NEEDED}", where=where)
    remedy = f"name it, as in columns={{{role.name!r}: {next(iter(columns))!r}}}"
    found = column_of(columns, role, remedy, named=named, where=where)
    assert found is not None  # noqa: S101
    return found


def _measures(
    columns: Columns, others: set[str | None], measures: Sequence[str] | None
) -> list[str]:
    found = [name for name in columns if name not in others]
    for name in measures or ():
        if str(name) not in columns:
            raise _no_column(name, found, columns.name)
    if measures is None and not found:
        raise SchemaError("there is no column of scores", f"need {_NEEDED}", where=columns.name)
    return found if measures is None else [*measures]


def _no_column(name: Any, known: Iterable[str], where: str) -> SchemaError:
    found = f"there is no column {shown(name)}"
    return SchemaError(found, f"choose from {', '.join(known)}", where=where)


def table_of(given: Any) -> Columns:
    """Return the columns of a frame, or of a file that is a table; nothing of anything else."""
    if is_frame(given):
        return _in_memory(given, "qrels")
    if isinstance(given, (str, os.PathLike)) and os.fspath(given) != "-":
        with suppress(ParseError):
            return scores_in(given)
    return _in_memory({}, "qrels")


def columns_by_query(given: Any, name: str, *, numbers: bool = False) -> dict[str, dict[str, Any]]:
    """Return each column of a table as {query id: value}.

    Parameters
    ----------
    given
        A frame, columns, rows, or a file: a table with a header, or lines `qid value`.
    name
        What the table is, for messages.
    numbers
        Whether values are numbers, as weights are.
    """
    in_lines = (
        weights_in
        if numbers
        else partial(words_in, what="cluster" if name == "clusters" else "value")
    )
    columns = scores_in(given, in_lines) if is_file(given) else table_in_memory(given, name)
    if columns is None:
        raise SchemaError(f"{name} is {shown(given)}", "need {query id: value}, a frame or a file")
    query_column = query_column_of(columns, name)
    queries = columns.ids(query_column, f"column {query_column!r}")
    columns.refuse_twice(queries, f"{name}: ")
    found = {}
    for column in columns:
        if column != query_column:
            values: Sequence[Any] = columns[column]
            if numbers:
                values = columns.numbers_if_any(column, f"column {column!r}", remedy=_SCORE)
            found[column] = dict(zip(queries, values, strict=True))
    if not found:
        raise SchemaError(f"{name} has no column but the query ids", "add a column of values")
    return found
