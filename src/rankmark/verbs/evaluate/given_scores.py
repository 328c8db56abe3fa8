"""Scores by run and query that another program made, in whatever form they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.files.input_file import is_file
from rankmark.data.files.lines_of_text import weights_in, words_in
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import Columns, Places, is_empty, table_in_memory
from rankmark.data.given_tables.table_files import scores_in
from rankmark.data.tables.columns import found_by_name
from rankmark.errors import DuplicateError, InputError, ParseError, SchemaError, listed, shown
from rankmark.results.per_query import ByQuery
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS

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


class _Part(NamedTuple):
    """A table, and its run if it is of one."""

    columns: Columns
    run: str | None = None

    @property
    def where(self) -> str:
        """What to call it in messages."""
        return self.columns.places.where


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

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, or a score is not a number.
    DuplicateError
        If a query appears twice for a run.
    InputError
        If there are no scores.
    """
    parts = _parts(given)
    places: dict[tuple[str, str], dict[str, float]] = {}
    found: dict[str, None] = {}
    runs: dict[str, None] = {}
    queries: dict[str, None] = {}
    for part in parts:
        columns = part.columns
        query_column = _role(columns, "query_id", names, part.where)
        run_column = None if part.run is not None else _role(columns, "run", names, part.where)
        chosen = _measures(columns, {query_column, run_column}, measures, part)
        of_rows = {name: _numbers(columns, name) for name in chosen}
        found |= dict.fromkeys(chosen)
        for row, query in enumerate(_texts(columns, query_column)):
            run = part.run
            if run_column is not None:
                run = columns.places.text(columns[run_column][row], f"column {run_column!r}", row)
            assert run is not None  # noqa: S101
            if (run, query) in places:
                raise columns.places.error(
                    row,
                    f"query {query!r} of run {run!r} appears twice",
                    "keep one row",
                    DuplicateError,
                )
            places[run, query] = {name: of_rows[name][row] for name in chosen}
            runs[run] = queries[query] = None
    if not places:
        raise InputError("there are no scores", "give the scores of one query at least")
    scores = np.full((len(queries), len(runs), len(found)), math.nan)
    run_places = {run: place for place, run in enumerate(runs)}
    query_places = {query: place for place, query in enumerate(queries)}
    for (run, query), of_row in places.items():
        for at, name in enumerate(found):
            scores[query_places[query], run_places[run], at] = of_row.get(name, math.nan)
    return ScoreTable(list(runs), list(queries), list(found), scores)


def _parts(given: Any) -> list[_Part]:
    if isinstance(given, Evaluation) or (
        isinstance(given, (Mapping, list, tuple))
        and given
        and all(
            isinstance(one, Evaluation)
            for one in (given.values() if isinstance(given, Mapping) else given)
        )
    ):
        raise SchemaError("these are evaluations", "use rm.compare(None, evaluations)")
    if is_file(given):
        columns = scores_in(given)
        is_one = not any(column.lower() in RUN_COLUMNS for column in columns)
        return [_Part(columns, short_names([columns.places.where])[0] if is_one else None)]
    if is_frame(given):
        return [_Part(_in_memory(given, f"<{type(given).__name__}>"))]
    if isinstance(given, Mapping):
        if not given:
            raise InputError("there are no scores", f"need {_NEEDED}")
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in given.values()):
            return [_Part(_in_memory(given, "<columns>"))]
        # A result is a mapping and a frame, too, of its means and of its scores.
        return [
            _of_run(str(run), _of_result(one) if isinstance(one, ByQuery) else one)
            for run, one in given.items()
        ]
    if isinstance(given, (list, tuple)) and given:
        if all(isinstance(one, Mapping) for one in given):
            return [_Part(_in_memory(given, "<rows>"))]
        if all(isinstance(one, (str, os.PathLike)) for one in given):
            paths = [os.fspath(one) for one in given]
            named = zip(short_names(paths), paths, strict=True)
            return [_of_run(name, path) for name, path in named]
    raise SchemaError(f"scores are {shown(given)}", f"need {_NEEDED}")


def columns_of_one_run(given: Any) -> Columns:
    """Return the scores of one run as columns, with the text of files as it is.

    Raises
    ------
    SchemaError, ParseError, InputError
        As ``score_table`` does.
    """
    return _of_run("given", given).columns


def query_column_of(columns: Mapping[str, Any], where: str) -> str:
    """Return the name of the column that contains queries."""
    return _role(columns, "query_id", {}, where)


def _of_run(run: str, given: Any) -> _Part:
    """Read the scores of one run."""
    if is_file(given):
        return _Part(scores_in(given), run)
    if isinstance(given, Columns):
        return _Part(given, run)
    table = given
    if isinstance(given, Mapping) and not is_frame(given):
        inner = list(given.values())
        if all(isinstance(value, Mapping) for value in inner):
            table = [{"query_id": query, **scores} for query, scores in given.items()]
        elif all(isinstance(value, (int, float)) for value in inner):
            table = {"query_id": list(given), "score": inner}
        elif not all(isinstance(value, (list, tuple, np.ndarray)) for value in inner):
            table = None
    where = f"run {run!r}"
    found = table_in_memory(table, where)
    if not found:
        raise SchemaError(f"its scores are {shown(given)}", f"need {_NEEDED}", where=where)
    return _Part(found, run)


def _in_memory(given: Any, where: str) -> Columns:
    return table_in_memory(given, where) or Columns({}, Places(where))


def _of_result(found: ByQuery) -> dict[str, Any]:
    scores = dict(zip(found.names, found.scores.T.tolist(), strict=True))
    return {"query_id": [*found.queries]} | scores


def _role(columns: Mapping[str, Any], role: str, names: Mapping[str, str], where: str) -> str:
    """Return the name of the column that contains runs or queries."""
    if role in names:
        if names[role] not in columns:
            raise SchemaError(
                f"there is no column {names[role]!r}",
                f"choose from {', '.join(columns)}",
                where=where,
            )
        return names[role]
    listed_names = list(columns)
    if role == "run":
        found = [name for name in listed_names if name.lower() in RUN_COLUMNS]
    else:
        found = [listed_names[at] for at in found_by_name(listed_names, "query_id")]
    if len(found) == 1:
        return found[0]
    if not listed_names:
        raise SchemaError("it has no columns, and no rows", f"need {_NEEDED}", where=where)
    problem = f"several columns: {listed(found)}" if found else "none of its columns"
    raise SchemaError(
        f"{problem} could be {role}; it has {', '.join(listed_names)}",
        f"name it, as in columns={{{role!r}: {listed_names[0]!r}}}",
        where=where,
    )


def _measures(
    columns: Columns, others: set[str | None], measures: Sequence[str] | None, part: _Part
) -> list[str]:
    if measures is not None:
        missing = [shown(name) for name in measures if str(name) not in columns]
        if missing:
            raise SchemaError(
                f"there is no column {missing[0]}",
                f"choose from {', '.join(name for name in columns if name not in others)}",
                where=part.where,
            )
        return list(measures)
    found = [name for name in columns if name not in others]
    if not found:
        raise SchemaError("there is no column of scores", f"need {_NEEDED}", where=part.where)
    return found


def _texts(columns: Columns, column: str) -> list[str]:
    text = columns.places.text
    return [text(value, f"column {column!r}", row) for row, value in enumerate(columns[column])]


def _numbers(columns: Columns, column: str) -> list[float]:
    """Return numbers, NaN for what is empty."""
    remedy = "need a score; choose the columns of scores, as in measures=['nDCG@10']"
    return [
        math.nan
        if is_empty(value)
        else columns.places.number(value, f"column {column!r}", row, remedy=remedy)
        for row, value in enumerate(columns[column])
    ]


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
    query_column = _role(columns, "query_id", {}, name)
    queries = _texts(columns, query_column)
    seen: set[str] = set()
    for row, query in enumerate(queries):
        if query in seen:
            raise columns.places.error(
                row, f"{name}: query {query!r} appears twice", "keep one row", DuplicateError
            )
        seen.add(query)
    found = {
        column: dict(zip(queries, _numbers(columns, column) if numbers else values, strict=True))
        for column, values in columns.items()
        if column != query_column
    }
    if not found:
        raise SchemaError(f"{name} has no column but the query ids", "add a column of values")
    return found
