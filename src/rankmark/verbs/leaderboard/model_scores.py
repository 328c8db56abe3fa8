"""Scores of models on tasks, in whatever form they are given."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats, column_means
from rankmark.conventions import query_text
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.frames.arrow_frames import is_frame, is_pandas
from rankmark.data.given_tables.given_columns import (
    Columns,
    Places,
    is_empty,
    number_in,
    table_in_memory,
)
from rankmark.data.given_tables.role_tables import Role
from rankmark.data.given_tables.table_files import scores_in
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown
from rankmark.results.per_query import ByQuery
from rankmark.verbs.leaderboard.mteb_results import mteb_scores

_ROLES = {
    role: Role(role, names)
    for role, names in {
        "model": ("model", "modelname", "modelid", "run", "runid", "system", "submission"),
        "task": ("task", "taskname", "dataset", "datasetname", "benchmark"),
        "query_id": ("queryid", "qid", "query", "questionid", "topic"),
        "score": ("score", "mainscore", "value", "mean", "result"),
    }.items()
}
_NUMBER = (
    "need a finite number, or nothing; if this is no task, name the tasks with tasks=, or --tasks"
)
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


class _Cells(dict[tuple[str, str], dict[str | None, float]]):
    """{(model, task): {query: score}}; the query is None if the score is of the whole task."""

    def __init__(self, where: str, form: str, sha256: str | None = None) -> None:
        super().__init__()
        self.where = where
        self.read = {"name": where, "sha256": sha256, "form": form}
        self.named: dict[str, None] = {}  # the models of all rows, also of those without a score

    def put(self, model: str, task: str, query: str | None, value: float) -> None:
        """Add a score."""
        of_pair = self.setdefault((model, task), {})
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
    """Read scores in any form; the arguments are those of ``leaderboard``."""
    if isinstance(given, (str, os.PathLike)) and os.path.isdir(given):  # noqa: PTH112 (never raises)
        found, notes, sha256 = mteb_scores(Path(given), tasks, languages, splits)
        cells = _Cells(os.fspath(given), "folder", sha256)
        for (model, task), value in found.items():
            cells.put(model, task, None, value)
        return _arranged(cells, tasks, notes)
    if languages is not None or splits is not None:
        raise InputError(
            "languages and splits are for a folder of MTEB results, and this is a table",
            "leave them out",
        )
    nested = table = None
    if is_file(given):
        file = InputFile(given)
        table = scores_in(file)
        cells = _Cells(file.name, "file", file.sha256())
        nested = _of_nested_json(table)
    else:
        is_mapping = isinstance(given, Mapping) and len(given) > 0
        nested = given if is_mapping and all(map(_is_mapping, given.values())) else None
        cells = _Cells(f"<{type(given).__name__}>", "table" if nested is None else "mapping")
    if nested is not None:
        _add_mapping(nested, cells)
        return _arranged(cells, tasks)
    if table is None:
        if is_pandas(given) and not _ROLES["model"].columns([*map(str, given.columns)]):
            given = _with_index(given)
        if isinstance(given, (list, tuple)):
            is_table = len(given) > 0
        else:
            is_table = is_frame(given) or (is_mapping and all(map(_is_column, given.values())))
        table = table_in_memory(given, cells.where) if is_table else None
        if table is None:
            raise SchemaError(f"the table is {shown(given)}", f"need {_NEEDED}")
    _add_table(table, tasks, columns or {}, cells)
    return _arranged(cells, tasks)


def _is_mapping(given: Any) -> bool:
    return isinstance(given, Mapping)


def _is_column(given: Any) -> bool:
    is_other = isinstance(given, (str, bytes, Mapping, AbstractSet))
    return isinstance(given, Collection) and getattr(given, "ndim", 1) == 1 and not is_other


def _of_nested_json(table: Columns) -> dict[str, Any] | None:
    """Return {model: {task: score}} if a file of JSON holds it, which was read as a table."""
    is_json = table.name.removesuffix(".gz").endswith(".json")
    if not is_json or next(iter(table), "") != "query_id":
        return None
    if any(_ROLES[role].columns([*table]) for role in ("model", "task")):
        return None
    tasks = [name for name in table if name != "query_id"]
    return {
        model: {task: table[task][at] for task in tasks}
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
    places = Places(cells.where)
    for model, of_model in given.items():
        for task, value in of_model.items():
            name, of_task = str(model), str(task)
            if isinstance(value, ByQuery) and len(value.names) != 1:
                raise InputError(
                    f"the result of model {name!r} on task {of_task!r} has "
                    f"{len(value.names)} measures",
                    "evaluate one measure",
                )
            scores = value.per_query(value.names[0]) if isinstance(value, ByQuery) else value
            if isinstance(scores, Mapping) and not scores:
                raise InputError(
                    f"model {name!r} has no query of task {of_task!r}", "leave the task out"
                )
            for given_id, score in (
                scores.items() if isinstance(scores, Mapping) else [(None, scores)]
            ):
                query = None
                at = f"the score of {name!r} on {of_task!r}"
                if isinstance(scores, Mapping):
                    query = query_text(given_id, cells.where)
                    at = f"the score of {name!r} on query {given_id!r} of {of_task!r}"
                if score is not None:
                    number = places.number(score, at, remedy=_NUMBER)
                    cells.put(name, of_task, query, number)


def _add_table(
    table: Columns,
    tasks: Sequence[str] | None,
    named: Mapping[str, str],
    cells: _Cells,
) -> None:
    """Read a long table, with models and tasks; or a wide one, with one of them and columns."""
    for role, name in named.items():
        if role not in _ROLES or name not in table:
            known = f"roles are {', '.join(_ROLES)}; the columns are {', '.join(table)}"
            problem = f"no column {name!r}" if role in _ROLES else f"no role {role!r}"
            raise SchemaError(f"there is {problem}", known, where=cells.where)
    names = list(table)
    model, task, query, score = (
        named.get(role) or next(iter(of.columns(names)), None) for role, of in _ROLES.items()
    )
    key = model or task or _unnamed_texts(table)
    if key is None:
        raise _without("model", "model, run or system", table)
    is_long = model is not None and task is not None
    rest = [name for name in names if name not in {model, task, query, key}]
    if is_long and score is None and len(rest) != 1:
        raise _without("score", "score or main_score", table)
    if is_long:
        rest = [score or rest[0]]
    elif tasks is not None and task is None:
        _refuse_unknown(tasks, rest, cells.where)
        rest = [name for name in rest if name in set(map(str, tasks))]

    def text(column: str, row: int) -> str:
        return table.places.text(table[column][row], f"column {column!r}", row)

    if model is not None and tasks is None:
        names_of_rows = table.texts(model, f"column {model!r}")
        cells.named = dict.fromkeys(name for name in names_of_rows if name is not None)
    queries = [None if query is None else text(query, row) for row in range(table.rows)]
    for name in rest:
        for row, value in enumerate(table[name]):
            if is_empty(value):
                continue
            one = text(key, row)
            other = name if not is_long else text(task or "", row)
            what = f"{one!r} on {other!r}" if is_long else f"{one!r} in column {name!r}"
            number = table.places.number(value, f"the score of {what}", row, remedy=_NUMBER)
            pair = (one, other) if is_long or task is None else (other, one)
            cells.put(*pair, queries[row], number)
    if not rest:
        raise SchemaError("there is no column of scores", f"need {_NEEDED}", where=cells.where)


def _without(role: str, such_as: str, table: Columns) -> SchemaError:
    return SchemaError(
        f"no column has a usual name for the {role}, such as {such_as}; it has "
        f"{listed([*table]) if table else 'no columns'}",
        f"choose with columns={{'{role}': NAME}}, or --column {role}=NAME",
        where=table.name,
    )


def _unnamed_texts(table: Columns) -> str | None:
    """Return the first column, if it has texts and no name, as data frames write their index."""
    first = next(iter(table), None)
    if first is None or first not in {"", "Unnamed: 0"}:
        return None
    return first if all(number_in(value) is None for value in table[first]) else None


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
    if not cells:
        raise InputError("there are no scores", f"need {_NEEDED}", where=cells.where)
    models = list(dict.fromkeys(model for model, _ in cells))
    if without := [model for model in cells.named if model not in {*models}]:
        told = "1 model has" if len(without) == 1 else f"{len(without):,} models have"
        notes = [*notes, f"{told} no score, left out: {listed(without)}"]
    known = list(dict.fromkeys(task for _, task in cells))
    if tasks is not None:
        _refuse_unknown(tasks, known, cells.where)
        if not tasks:
            raise InputError("tasks names none", f"choose from {listed(known, len(known))}")
        known = list(dict.fromkeys(tasks))
        models = [one for one in models if any((one, task) in cells for task in known)]
    has_queries = [None not in of_pair for of_pair in cells.values()]
    if any(has_queries) and not all(has_queries):
        raise InputError(
            "some scores are by query, and some of whole tasks",
            "give all by query, or none",
            where=cells.where,
        )
    arrays: list[Floats] = []
    for task in known:
        having = [model for model in models if (model, task) in cells]
        first = cells[having[0], task]
        for model in having:
            if cells[model, task].keys() != first.keys():
                named = (having[0], model)
                _refuse_other_queries(cells.where, task, named, first, cells[model, task])
        of_models: list[Mapping[str | None, float]] = [
            cells.get((model, task), {}) for model in models
        ]
        rows = [[of_pair.get(query, math.nan) for of_pair in of_models] for query in first]
        arrays.append(np.array(rows))
    scores = np.stack([column_means(of_task) for of_task in arrays])
    return ModelScores(models, known, scores, arrays, all(has_queries), list(notes), cells.read)


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
