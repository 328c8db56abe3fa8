"""Scores by run and query that another program made, in whatever form they are given."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.conventions import query_text
from rankmark.errors import (
    DuplicateError,
    InputError,
    MissingDependencyError,
    ParseError,
    SchemaError,
    listed,
    shown,
)
from rankmark.evaluating.evaluation import Evaluation
from rankmark.evaluating.given_runs import RUN_COLUMNS, refuse_uneven
from rankmark.formatting.per_query import ByQuery
from rankmark.formatting.run_names import short_names
from rankmark.sources.files.input_file import is_file
from rankmark.sources.files.score_files import Columns, of_records, scores_in, words_or_table_in
from rankmark.sources.frames.arrow_frames import is_frame, is_pandas
from rankmark.sources.tables.columns import found_by_name

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
    """A table, what to call it in messages, and its run if it is of one."""

    columns: Columns
    where: str
    run: str | None = None


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
        query_column = _role(columns, "query_id", names, part)
        run_column = None if part.run is not None else _role(columns, "run", names, part)
        chosen = _measures(columns, {query_column, run_column}, measures, part)
        of_rows = {name: _numbers(columns[name], name, part) for name in chosen}
        found |= dict.fromkeys(chosen)
        for row, query in enumerate(_texts(columns[query_column], query_column, part)):
            run = part.run if run_column is None else _text(columns[run_column][row], "run", part)
            assert run is not None  # noqa: S101
            if (run, query) in places:
                raise DuplicateError(
                    f"query {query!r} of run {run!r} appears twice",
                    "keep one row",
                    where=part.where,
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
    if is_frame(given):
        return [_Part(_of_frame(given), f"<{type(given).__name__}>")]
    if is_file(given):
        columns = scores_in(given)
        name = os.fspath(given) if isinstance(given, (str, os.PathLike)) else "<file>"
        is_one = not any(column.lower() in RUN_COLUMNS for column in columns)
        return [_Part(columns, name, short_names([name])[0] if is_one else None)]
    if isinstance(given, Mapping):
        if not given:
            raise InputError("there are no scores", f"need {_NEEDED}")
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in given.values()):
            return [_Part(_of_lists(given), "<columns>")]
        # A result is a mapping and a frame, too, of its means and of its scores.
        return [
            _of_run(str(run), _of_result(one) if isinstance(one, ByQuery) else one)
            for run, one in given.items()
        ]
    if isinstance(given, (list, tuple)) and given:
        if all(isinstance(one, Mapping) for one in given):
            return [_Part(of_records(list(given)), "<rows>")]
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


def query_column_of(columns: Columns, where: str) -> str:
    """Return the name of the column that contains queries."""
    return _role(columns, "query_id", {}, _Part(columns, where))


def _of_run(run: str, given: Any) -> _Part:
    """Read the scores of one run."""
    where = f"run {run!r}"
    if is_frame(given):
        return _Part(_of_frame(given), where, run)
    if is_file(given):
        return _Part(scores_in(given), str(given), run)
    if isinstance(given, Mapping) and given:
        inner = list(given.values())
        if all(isinstance(value, Mapping) for value in inner):
            rows: list[Mapping[str, Any]] = [
                {"query_id": query, **scores} for query, scores in given.items()
            ]
            return _Part(of_records(rows), where, run)
        if all(isinstance(value, (int, float)) for value in inner):
            return _Part({"query_id": list(given), "score": inner}, where, run)
        if all(isinstance(value, (list, tuple, np.ndarray)) for value in inner):
            return _Part(_of_lists(given), where, run)
    if isinstance(given, (list, tuple)) and given and all(isinstance(x, Mapping) for x in given):
        return _Part(of_records(list(given)), where, run)
    raise SchemaError(f"its scores are {shown(given)}", f"need {_NEEDED}", where=where)


def _of_result(found: ByQuery) -> Columns:
    scores = dict(zip(found.names, found.scores.T.tolist(), strict=True))
    return {"query_id": [*found.queries]} | scores


def _of_lists(columns: Mapping[Any, Any]) -> Columns:
    refuse_uneven(columns)
    return {
        str(name): values.tolist() if isinstance(values, np.ndarray) else list(values)
        for name, values in columns.items()
    }


def _of_frame(frame: Any) -> Columns:
    if is_pandas(frame):
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index()
        return {
            str(name): frame.iloc[:, at].tolist() for at, name in enumerate(frame.columns.tolist())
        }
    if hasattr(frame, "to_dict") and hasattr(frame, "partition_by"):  # Polars
        return {name: frame[name].to_list() for name in frame.columns}
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ImportError:
        purpose = f"reading scores from a {type(frame).__name__}"
        raise MissingDependencyError("pyarrow", "arrow", purpose) from None
    columns: Columns = pa.table(frame).to_pydict()
    return columns


def _role(columns: Columns, role: str, names: Mapping[str, str], part: _Part) -> str:
    """Return the name of the column that contains runs or queries."""
    if role in names:
        if names[role] not in columns:
            raise SchemaError(
                f"there is no column {names[role]!r}",
                f"choose from {', '.join(columns)}",
                where=part.where,
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
        raise SchemaError("it has no columns, and no rows", f"need {_NEEDED}", where=part.where)
    problem = f"several columns: {listed(found)}" if found else "none of its columns"
    raise SchemaError(
        f"{problem} could be {role}; it has {', '.join(listed_names)}",
        f"name it, as in columns={{{role!r}: {listed_names[0]!r}}}",
        where=part.where,
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


def _texts(values: Iterable[Any], column: str, part: _Part) -> list[str]:
    return [_text(value, column, part) for value in values]


def _text(value: Any, column: str, part: _Part) -> str:
    """Return an id as text; whole numbers that a frame turned into floats are whole again."""
    if value is None or (isinstance(value, float) and not value.is_integer()):
        what = "is empty" if value is None or math.isnan(value) else f"holds {value}"
        raise SchemaError(f"column {column!r} {what}", "give every row an id", where=part.where)
    return query_text(int(value) if isinstance(value, float) else value, part.where)


def _numbers(values: Sequence[Any], column: str, part: _Part) -> list[float]:
    """Return numbers, NaN for what is empty."""
    numbers = []
    for row, value in enumerate(values):
        try:
            numbers.append(math.nan if value is None else float(value))
        except (TypeError, ValueError):
            raise SchemaError(
                f"column {column!r} holds {shown(value)} in row {row + 1:,}, which is not a score",
                "choose the columns of scores, as in measures=['nDCG@10']",
                where=part.where,
            ) from None
    return numbers


def table_of(given: Any) -> Columns:
    """Return the columns of a frame, or of a file that is a table; nothing of anything else."""
    if is_frame(given):
        return _of_frame(given)
    if isinstance(given, (str, os.PathLike)) and os.fspath(given) != "-":
        try:
            return scores_in(given)
        except ParseError:
            return {}
    return {}


def columns_by_query(given: Any, name: str) -> dict[str, dict[str, Any]]:
    """Return each column of a table as {query id: value}.

    Parameters
    ----------
    given
        A frame, columns, rows, or a file: a table with a header, or lines `qid value`.
    name
        What the table is, for messages.
    """
    columns = words_or_table_in(given) if is_file(given) else table_in_memory(given)
    if columns is None:
        raise SchemaError(f"{name} is {shown(given)}", "need {query id: value}, a frame or a file")
    part = _Part(columns, name)
    query_column = _role(columns, "query_id", {}, part)
    queries = _texts(columns[query_column], query_column, part)
    twice = [query for query, times in Counter(queries).items() if times > 1]
    if twice:
        raise DuplicateError(f"{name}: query {twice[0]!r} appears twice", "keep one row")
    found = {
        column: dict(zip(queries, values, strict=True))
        for column, values in columns.items()
        if column != query_column
    }
    if not found:
        raise SchemaError(f"{name} has no column but the query ids", "add a column of values")
    return found


def table_in_memory(given: Any) -> Columns | None:
    """Return the columns of a frame, of lists by column, or of rows; None of anything else."""
    if is_frame(given):
        return _of_frame(given)
    if isinstance(given, Mapping) and given:
        return _of_lists(given)
    if isinstance(given, (list, tuple)) and all(isinstance(row, Mapping) for row in given):
        return of_records(list(given))
    return None
