"""Several runs, in whatever form they are given, by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from typing import Any

from rankmark.errors import DuplicateError, InputError, MissingDependencyError, SchemaError, listed
from rankmark.formatting.run_names import short_names
from rankmark.results.evaluation import Evaluation
from rankmark.sources import Run
from rankmark.sources.frames.frames import is_frame, is_pandas

_NEEDED = (
    "{name: run}, a list of paths or evaluations, a pattern such as 'runs/*.run', or a frame with "
    "a column run"
)
RUN_COLUMNS = ("run", "run_id", "system")
"""Names of columns that contain the run, in lower case."""


def named_runs(
    runs: Any, columns: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Return the runs by name, and the columns that are not yet used.

    Raises
    ------
    InputError
        If there are no runs.
    DuplicateError
        If two runs have the same name.
    SchemaError
        If they have no known form.
    """
    if is_frame(runs):
        return _of_frame(runs, columns)
    if isinstance(runs, Mapping):
        return _of_mapping(runs), columns
    if isinstance(runs, (str, os.PathLike)):
        return _of_paths(_matching(os.fspath(runs))), columns
    if isinstance(runs, (list, tuple)):
        return _of_list(runs), columns
    raise SchemaError(f"runs is {type(runs).__name__}", f"need {_NEEDED}")


def _of_mapping(runs: Mapping[Any, Any]) -> dict[str, Any]:
    if not runs:
        raise InputError("runs is empty", "name one run at least")
    if isinstance(runs, Evaluation):
        raise SchemaError("runs is a single evaluation", "give several, in a list or by name")
    numbers = [isinstance(value, (int, float)) for value in runs.values()]
    if any(numbers):
        raise SchemaError(
            "runs maps names to numbers, not to runs",
            "need {name: run}; compare_scores takes scores",
        )
    inner = next(iter(runs.values()))
    is_plain = isinstance(inner, Mapping) and not isinstance(inner, Evaluation)
    if is_plain and inner and all(isinstance(value, (int, float)) for value in inner.values()):
        raise SchemaError(
            "runs looks like one run, {query id: {document id: score}}",
            "give it a name, as in {'bm25': run}",
        )
    return {str(name): run for name, run in runs.items()}


def _of_list(runs: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    if not runs:
        raise InputError("runs is an empty list", "name one run at least")
    if all(isinstance(run, (str, os.PathLike)) for run in runs):
        return _of_paths([os.fspath(run) for run in runs])
    if all(isinstance(run, Evaluation) for run in runs):
        names = short_names([run.run_name for run in runs])
    elif all(isinstance(run, Run) for run in runs):
        names = short_names([run.name for run in runs])
    else:
        raise SchemaError(
            "runs is a list of runs without names", "give {name: run}, such as {'bm25': run}"
        )
    _refuse_same(names, "give {name: run} to name them apart")
    return dict(zip(names, runs, strict=True))


def _of_paths(paths: list[str]) -> dict[str, Any]:
    _refuse_same(paths, "name each file once")
    return dict(zip(short_names(paths), paths, strict=True))


def _refuse_same(names: list[str], remedy: str) -> None:
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise DuplicateError(f"two runs have the name {listed(twice)}", remedy)


def _matching(pattern: str) -> list[str]:
    """Return the path itself if it exists, or the paths that a pattern matches, in order."""
    if os.path.exists(pattern) or not glob.has_magic(pattern):  # noqa: PTH110
        if os.path.isdir(pattern):  # noqa: PTH112
            raise InputError(
                "it is a folder", f"give a pattern, such as {pattern.rstrip('/')}/*", where=pattern
            )
        return [pattern]
    found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))  # noqa: PTH113, PTH207
    if not found:
        raise InputError("no file matches", "check the pattern", where=pattern)
    return found


def _of_frame(
    frame: Any, columns: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Split a frame by its column of runs, in order of appearance."""
    rest = {role: name for role, name in (columns or {}).items() if role != "run"}
    held: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())
    names = [*map(str, held)]
    if columns is not None and "run" in columns:
        column = str(columns["run"])
        if column not in names:
            raise SchemaError(
                f"the frame has no column {column!r}", f"choose from {', '.join(names)}"
            )
    else:
        known = [name for name in names if name.lower() in RUN_COLUMNS]
        if len(known) != 1:
            which = f"several: {listed(known)}" if known else "none of its columns names the run"
            raise SchemaError(
                f"a frame of several runs needs a column run; {which}",
                "name it, as in columns={'run': 'system'}",
            )
        (column,) = known
    if is_pandas(frame):
        values = frame[column]
        if values.isna().any():
            raise SchemaError(f"column {column!r} has empty cells", "name the run of every row")
        groups = frame.groupby(column, sort=False, observed=True)
        parts = {str(run): part.drop(columns=column) for run, part in groups}
    elif hasattr(frame, "partition_by"):  # Polars
        if frame[column].null_count():
            raise SchemaError(f"column {column!r} has empty cells", "name the run of every row")
        split = frame.partition_by(column, as_dict=True, maintain_order=True, include_key=False)
        parts = {str(run[0]): part for run, part in split.items()}
    else:
        parts = _split_arrow(frame, column)
    if not parts:
        raise InputError("the frame has no rows", "give the rows of one run at least")
    return parts, rest or None


def _split_arrow(frame: Any, column: str) -> dict[str, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import compute  # noqa: PLC0415
    except ImportError:
        purpose = f"splitting a {type(frame).__name__} by run"
        raise MissingDependencyError("pyarrow", "arrow", purpose) from None
    table = pa.table(frame)
    values = table.column(column)
    if values.null_count:
        raise SchemaError(f"column {column!r} has empty cells", "name the run of every row")
    rest = table.drop_columns([column])
    return {
        str(run): rest.filter(compute.equal(values, run)) for run in values.unique().to_pylist()
    }
