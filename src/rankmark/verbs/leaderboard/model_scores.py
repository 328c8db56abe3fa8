"""Scores of models on tasks, in whatever form they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import query_text
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.frames.arrow_frames import is_frame, is_pandas
from rankmark.data.given_tables.given_columns import (
    Columns,
    is_empty,
    number_in,
    table_in_memory,
)
from rankmark.data.given_tables.table_files import scores_in
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown
from rankmark.results.per_query import ByQuery
from rankmark.statistics.exact_sums import column_means
from rankmark.verbs.leaderboard.mteb_results import mteb_scores

if TYPE_CHECKING:
    from rankmark.array_types import Floats

_MODEL = ("model", "model_name", "model_id", "run", "run_id", "system", "submission")
_TASK = ("task", "task_name", "dataset", "dataset_name", "benchmark")
_QUERY = ("query_id", "qid", "query", "question_id", "topic")
_SCORE = ("score", "main_score", "value", "mean", "result")
ROLES = {"model": _MODEL, "task": _TASK, "query_id": _QUERY, "score": _SCORE}
"""The names of columns that are recognised, in lower case, by role."""

_NEEDED = (
    "a table with a row for each model and a column for each task, or with the columns model, task "
    "and score; {model: {task: score}}; or a folder of results as MTEB writes them"
)


class ModelScores(NamedTuple):
    """Scores of models on tasks.

    Parameters
    ----------
    models, tasks
        Their names, in the order given.
    scores
        (n_tasks, n_models) float64, NaN where a model has no score.
    by_query
        For each task, (n_queries, n_models) float64, NaN where a model has no score of the task;
        one row if the scores are not by query.
    has_queries
        Whether they are.
    notes
        What was found while reading.
    read
        What was read: ``name``, ``sha256`` and ``form``.
    """

    models: list[str]
    tasks: list[str]
    scores: Floats
    by_query: list[Floats]
    has_queries: bool
    notes: list[str]
    read: dict[str, Any]


class _Cells:
    """Scores by model and task, and by query if there are queries; and where they are from."""

    def __init__(self, where: str, form: str, sha256: str | None = None) -> None:
        self.where = where
        self.read = {"name": where, "sha256": sha256, "form": form}
        self.found: dict[tuple[str, str], dict[str | None, float]] = {}

    def add(self, model: str, task: str, query: str | None, value: float) -> None:
        of_pair = self.found.setdefault((model, task), {})
        if query in of_pair:
            which = "" if query is None else f" on query {query!r}"
            raise DuplicateError(
                f"model {model!r} has two scores of task {task!r}{which}",
                "keep one" if query is not None else "keep one, or name the column of the queries",
                where=self.where,
            )
        of_pair[query] = value


def read_scores(
    given: Any,
    *,
    tasks: Sequence[str] | None,
    columns: Mapping[str, str] | None,
    languages: Sequence[str] | None,
    splits: Sequence[str] | None,
) -> ModelScores:
    """Read scores in any form; the arguments are those of ``leaderboard``.

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, or a score is not a number.
    DuplicateError
        If a model has two scores of a task.
    InputError
        If there are no scores, or a task is not among them.
    """
    if isinstance(given, (str, os.PathLike)) and os.path.isdir(given):  # noqa: PTH112 (never raises)
        found, notes, sha256 = mteb_scores(Path(given), tasks, languages, splits)
        cells = _Cells(os.fspath(given), "folder", sha256)
        for (model, task), value in found.items():
            cells.add(model, task, None, value)
        return _arranged(cells, tasks, notes)
    if languages is not None or splits is not None:
        raise InputError(
            "languages and splits are for a folder of MTEB results, and this is a table",
            "leave them out",
        )
    cells = _Cells(f"<{type(given).__name__}>", "table")
    if is_file(given):
        file = InputFile(given)
        table = scores_in(file)
        cells = _Cells(file.name, "file", file.sha256())
        if (nested := _of_nested_json(table, cells.where)) is not None:
            _add_mapping(nested, cells)
            return _arranged(cells, tasks)
    elif isinstance(given, Mapping) and given and _is_nested(given):
        cells = _Cells(cells.where, "mapping")
        _add_mapping(given, cells)
        return _arranged(cells, tasks)
    else:
        if is_pandas(given) and not _named(list(map(str, given.columns)), "model", {}):
            given = _with_index(given)
        found_table = table_in_memory(given, cells.where) if _is_table(given) else None
        if found_table is None:
            raise SchemaError(f"the table is {shown(given)}", f"need {_NEEDED}")
        table = found_table
    _add_table(table, tasks, columns or {}, cells)
    return _arranged(cells, tasks)


def _is_table(given: Any) -> bool:
    """Return whether it is a frame, columns by name, or rows."""
    if isinstance(given, Mapping):
        return bool(given) and all(map(_is_column, given.values()))
    return is_frame(given) or (isinstance(given, (list, tuple)) and len(given) > 0)


def _is_column(given: Any) -> bool:
    is_other = isinstance(given, (str, bytes, Mapping, AbstractSet))
    return isinstance(given, Collection) and getattr(given, "ndim", 1) == 1 and not is_other


def _is_nested(given: Mapping[Any, Any]) -> bool:
    return all(isinstance(value, Mapping) for value in given.values())


def _of_nested_json(table: Mapping[str, Sequence[Any]], where: str) -> dict[str, Any] | None:
    """Return {model: {task: score}} if a file of JSON holds it, which was read as a table."""
    if not where.removesuffix(".gz").endswith(".json") or next(iter(table), "") != "query_id":
        return None
    if any(_named(list(table), role, {}) for role in ("model", "task")):
        return None
    tasks = [name for name in table if name != "query_id"]
    return {
        model: {task: table[task][at] for task in tasks if table[task][at] is not None}
        for at, model in enumerate(table["query_id"])
    }


def _with_index(frame: Any) -> Any:
    """Turn the index of a pandas frame into the column of models, if it holds their names."""
    names = frame.index.tolist()
    if frame.index.nlevels == 1 and names and all(isinstance(name, str) for name in names):
        return frame.rename_axis("model").reset_index()
    return frame


def _add_mapping(given: Mapping[Any, Any], cells: _Cells) -> None:
    """Read {model: {task: score}}, where a score may be {query id: score} or an evaluation."""
    where = cells.where
    for model, of_model in given.items():
        for task, value in of_model.items():
            name, of_task = str(model), str(task)
            if isinstance(value, ByQuery):
                if len(value.names) != 1:
                    raise InputError(
                        f"the result of model {name!r} on task {of_task!r} has "
                        f"{len(value.names)} measures",
                        "evaluate one measure",
                    )
                value = dict(zip(value.queries, value.scores[:, 0].tolist(), strict=True))  # noqa: PLW2901
            if not isinstance(value, Mapping):
                cells.add(name, of_task, None, _number(value, f"{name!r} on {of_task!r}", cells))
                continue
            if not value:
                raise InputError(
                    f"model {name!r} has no query of task {of_task!r}", "leave the task out"
                )
            for query, score in value.items():
                at = f"{name!r} on query {query!r} of {of_task!r}"
                cells.add(name, of_task, query_text(query, where), _number(score, at, cells))


def _add_table(
    table: Columns,
    tasks: Sequence[str] | None,
    columns: Mapping[str, str],
    cells: _Cells,
) -> None:
    where = cells.where
    for role, name in columns.items():
        if role not in ROLES or name not in table:
            known = f"roles are {', '.join(ROLES)}; the columns are {', '.join(table)}"
            problem = f"no column {name!r}" if role in ROLES else f"no role {role!r}"
            raise SchemaError(f"there is {problem}", known, where=where)
    names = list(table)
    model, task = _named(names, "model", columns), _named(names, "task", columns)
    if model is not None and task is not None:
        _add_long(table, model, task, columns, cells)
        return
    key = model or task or _unnamed_texts(table)
    if key is None:
        raise SchemaError(
            "no column has a usual name for the model, such as model, run or system; it has "
            f"{listed(names) if names else 'no columns'}",
            "choose with columns={'model': NAME}, or --column model=NAME",
            where=where,
        )
    query = _named(names, "query_id", columns)
    rest = [name for name in names if name not in {key, query}]
    if tasks is not None and task is None:
        _refuse_unknown(tasks, rest, where)
        rest = [name for name in rest if name in set(map(str, tasks))]
    queries = _queries(table, query, key)
    for name in rest:
        for row, value in enumerate(table[name]):
            if is_empty(value):
                continue
            one, other = _name(table, key, row), name
            score = _number(value, f"{one!r} in column {name!r}", cells, table.places.line(row))
            cells.add(*((one, other) if task is None else (other, one)), queries[row], score)
    if not rest:
        raise SchemaError("there is no column of scores", f"need {_NEEDED}", where=where)


def _add_long(
    table: Columns,
    model: str,
    task: str,
    columns: Mapping[str, str],
    cells: _Cells,
) -> None:
    names, where = list(table), cells.where
    query = _named(names, "query_id", columns)
    score = _named(names, "score", columns)
    if score is None:
        rest = [name for name in names if name not in {model, task, query}]
        if len(rest) != 1:
            raise SchemaError(
                "no column has a usual name for the score, such as score or main_score; it has "
                f"{listed(names)}",
                "choose with columns={'score': NAME}, or --column score=NAME",
                where=where,
            )
        score = rest[0]
    queries = _queries(table, query, score)
    for row, value in enumerate(table[score]):
        if not is_empty(value):
            name, in_task = _name(table, model, row), _name(table, task, row)
            number = _number(value, f"{name!r} on {in_task!r}", cells, table.places.line(row))
            cells.add(name, in_task, queries[row], number)


def _queries(table: Columns, query: str | None, beside: str) -> list[str | None]:
    """Return the query of each row, None if there is no such column."""
    if query is None:
        return [None] * len(table[beside])
    text = table.places.text
    return [text(asked, f"column {query!r}", row) for row, asked in enumerate(table[query])]


def _unnamed_texts(table: Columns) -> str | None:
    """Return the first column, if it has texts and no name, as data frames write their index."""
    first = next(iter(table), None)
    if first is None or first not in {"", "Unnamed: 0"}:
        return None
    return first if all(number_in(value) is None for value in table[first]) else None


def _named(names: Sequence[str], role: str, columns: Mapping[str, str]) -> str | None:
    """Return the column of a role; None if there is none, or it is not clear which it is."""
    if role in columns:
        return columns[role]
    for known in ROLES[role]:
        found = [name for name in names if name.lower() == known]
        if len(found) == 1:
            return found[0]
    return None


def _number(value: Any, what: str, cells: _Cells, line: int | None = None) -> float:
    number = number_in(value)
    if number is None or not math.isfinite(number):
        raise SchemaError(
            f"the score of {what} is {shown(value)}",
            "need a finite number, or nothing; if this is no task, name the tasks with tasks=, or "
            "--tasks",
            where=cells.where,
            line=line,
        )
    return number


def _name(table: Columns, column: str, row: int) -> str:
    return table.places.text(table[column][row], f"column {column!r}", row)


def _refuse_unknown(tasks: Sequence[str], known: Sequence[str], where: str) -> None:
    missing = [task for task in tasks if task not in known]
    if missing:
        raise InputError(
            f"no model has a score of task {missing[0]!r}",
            f"choose from {listed(known)}",
            where=where,
        )


def _arranged(cells: _Cells, tasks: Sequence[str] | None, notes: Sequence[str] = ()) -> ModelScores:
    """Arrange scores as arrays."""
    if not cells.found:
        raise InputError("there are no scores", f"need {_NEEDED}", where=cells.where)
    models = list(dict.fromkeys(model for model, _ in cells.found))
    known = list(dict.fromkeys(task for _, task in cells.found))
    if tasks is not None:
        _refuse_unknown(tasks, known, cells.where)
        known = list(dict.fromkeys(tasks))
        models = [one for one in models if any((one, task) in cells.found for task in known)]
    has_queries = [None not in of_pair for of_pair in cells.found.values()]
    by_query = all(has_queries)
    if any(has_queries) and not by_query:
        raise InputError(
            "some scores are by query, and some of whole tasks",
            "give all by query, or none",
            where=cells.where,
        )
    scores = np.full((len(known), len(models)), math.nan)
    arrays: list[Floats] = []
    for row, task in enumerate(known):
        having = [at for at, model in enumerate(models) if (model, task) in cells.found]
        first = cells.found[models[having[0]], task]
        of_task = np.full((len(first), len(models)), math.nan)
        for at in having:
            of_pair = cells.found[models[at], task]
            if of_pair.keys() != first.keys():
                named = (models[having[0]], models[at])
                _refuse_other_queries(cells.where, task, named, first, of_pair)
            of_task[:, at] = [of_pair[query] for query in first]
        scores[row] = column_means(of_task)
        arrays.append(of_task)
    return ModelScores(models, known, scores, arrays, by_query, list(notes), cells.read)


def _refuse_other_queries(
    where: str,
    task: str,
    models: tuple[str, str],
    first: Mapping[Any, float],
    of: Mapping[Any, float],
) -> None:
    one, other = models
    lacking, having = (other, one) if first.keys() - of.keys() else (one, other)
    missing = first.keys() ^ of.keys()
    example = next(query for query in (*first, *of) if query in missing)
    raise InputError(
        f"models {one!r} and {other!r} have scores of different queries of task {task!r}: "
        f"{lacking!r} has none of {example!r}, which {having!r} has",
        "give every model a score for the same queries, such as 0 where it returned nothing",
        where=where,
    )
