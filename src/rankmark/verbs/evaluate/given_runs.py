"""Several runs, in whatever form they are given, by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath
from typing import Any

import numpy as np

from rankmark.data.files.input_file import printable
from rankmark.data.frames.arrow_frames import is_frame, is_pandas
from rankmark.data.frames.stream_kinds import refuse_spark
from rankmark.data.given_tables.given_columns import refuse_uneven
from rankmark.data.preparing.run import Run
from rankmark.errors import DuplicateError, InputError, MissingDependencyError, SchemaError, listed
from rankmark.results.run_names import natural, short_names
from rankmark.scoring.misplaced_arguments import are_measures, several
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import Given

_NEEDED = (
    "{name: run}, a list of paths or evaluations, a pattern such as 'runs/*.run', or a frame with "
    "a column run"
)
RUN_COLUMNS = ("run", "run_id", "system")
"""Names of columns that contain the run, in lower case."""
NamedRuns = Mapping[str, Sequence[str]]
"""{name of a system: paths of its trials, and patterns of these}."""
_IN_PARTS = (".parquet", ".arrow", ".feather", ".ipc")
_INSPECTED = 10  # entries of a mapping


def given_system(given: Any, named: NamedRuns) -> Given:
    """Return a system: a run, a list of its trials, a pattern of their paths, or a name."""
    if isinstance(given, Given):
        return given
    if isinstance(given, str) and given in named:
        each = (given_system(path, {}).runs for path in named[given])
        return _with_trials(given, [run for runs in each for run in runs])
    if is_pattern(given):
        found = matching(os.fspath(given))
        # Parts of one run may be in several files of these formats.
        if not found[0].endswith(_IN_PARTS):
            return _with_trials(os.fspath(given), found)
    if (runs := trials_in(given)) is None:
        return Given(None, [given])
    if not runs:
        raise InputError("a system has no runs", "give a list of one run at least")
    return _with_trials(None if len(runs) == 1 else _common_name(runs), runs)


def refuse_trials(given: Any) -> None:
    """Refuse several trials where one run is needed."""
    if is_pattern(given) and not os.fspath(given).endswith(_IN_PARTS):
        runs = matching(os.fspath(given))
    else:
        runs = trials_in(given, are_files=True) or []
    if len(runs) > 1:
        name = _common_name(runs) if isinstance(given, (list, tuple)) else os.fspath(given)
        raise InputError(f"a system of {len(runs)} trials", "name one", where=printable(name))


def is_pattern(given: Any) -> bool:
    """Return whether a path is a pattern of others, rather than one of a file."""
    if not isinstance(given, (str, os.PathLike)):
        return False
    path = os.fspath(given)
    return isinstance(path, str) and glob.has_magic(path) and not os.path.exists(path)  # noqa: PTH110


def matching(pattern: str) -> list[str]:
    """Return the files that a pattern matches, in natural order."""
    found = [path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)]  # noqa: PTH113, PTH207
    if not found:
        raise InputError("no file matches", "check the pattern", where=printable(pattern))
    return sorted(found, key=natural)


def trials_in(given: Any, *, are_files: bool = False) -> list[Any] | None:
    """Return the runs in a list; None if it may be a run itself.

    Text may be an id, too; with ``are_files`` it is a run only if such a file exists.
    """
    if not isinstance(given, (list, tuple)):
        return None
    if not given or any(isinstance(one, Evaluation) for one in given):
        return [*given]
    are_lists = all(map(_has_lists_of_ids, given[:_INSPECTED]))
    return [*given] if are_lists else several(given, are_files=are_files) or None


def _has_lists_of_ids(given: Any) -> bool:
    """Return whether it is a run of lists of ids, rather than a row or columns of a table."""
    return (
        isinstance(given, Mapping)
        and len(given) > 0
        and all(
            isinstance(ids, (list, tuple)) and all(isinstance(one, str) for one in ids[:_INSPECTED])
            for ids in islice(given.values(), _INSPECTED)
        )
    )


def _with_trials(name: str | None, runs: list[Any]) -> Given:
    """Return a system, none of whose runs was given twice."""
    known = [os.path.realpath(run) if isinstance(run, (str, os.PathLike)) else run for run in runs]
    for number, run in enumerate(known):
        if any(run is one or (isinstance(run, str) and run == one) for one in known[:number]):
            what = f"run {number + 1}" if run is runs[number] else printable(str(runs[number]))
            raise DuplicateError(
                f"{what} is given twice", "give each trial once", where=name or "trials"
            )
    return Given(name, runs)


def _common_name(runs: Sequence[Any]) -> str:
    """Return what the names of trials have in common, such as seed*.run."""
    if not all(isinstance(run, (str, os.PathLike)) for run in runs):
        return f"{len(runs)} runs"
    names = [PurePath(os.fsdecode(run)).name for run in runs]
    begin = os.path.commonprefix(names)  # noqa: RUF071  (letters are meant)
    rest = [name[len(begin) :][::-1] for name in names]
    end = os.path.commonprefix(rest)[::-1]  # noqa: RUF071
    return f"{begin}*{end}" if begin or end else f"{len(runs)} runs"


def named_runs(
    runs: Any, columns: Mapping[str, Any] | None, *, systems: bool = True
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Return the runs by name, and the columns that are not yet used.

    With ``systems``, several in place of one are a system.
    """
    found, rest = _named_runs(runs, columns)
    return {name: _system(name, run) if systems else run for name, run in found.items()}, rest


def _system(name: str, run: Any) -> Any:
    """Return a run, or a system of this name if there are several."""
    if isinstance(run, (list, tuple)) and not run:
        return run  # which retrieved nothing
    found = given_system(run, {})
    return found._replace(name=name) if found.runs[1:] else found.runs[0]


def _named_runs(
    runs: Any, columns: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    refuse_spark(runs, "runs")
    if is_frame(runs):
        return _of_frame(runs, columns)
    if isinstance(runs, Mapping):
        if _are_columns(runs, columns):
            return _of_columns(runs, columns)
        return _of_mapping(runs), columns
    if isinstance(runs, Iterator):  # such as Path("runs").glob("*.run")
        runs = list(runs)
    if are_measures(runs):
        given = [*map(str, runs)] if isinstance(runs, (list, tuple)) else [str(runs)]
        raise InputError(
            f"runs is {listed(given)}, which {'are measures' if given[1:] else 'is a measure'}",
            "the order is compare(qrels, runs, measures)",
        )
    if isinstance(runs, (str, os.PathLike)):
        return _of_paths(_matching(os.fspath(runs))), columns
    if isinstance(runs, (list, tuple)):
        return _of_list(runs), columns
    kind = type(runs).__name__
    if hasattr(runs, "collect_schema"):
        raise SchemaError(f"runs is {kind}, which has no data yet", "collect() it first")
    raise SchemaError(f"runs is {kind}", f"need {_NEEDED}")


def _of_mapping(runs: Mapping[Any, Any]) -> dict[str, Any]:
    if not runs:
        raise InputError("runs is empty", "name at least one run")
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
    _refuse_same([*map(str, runs)], "name each run differently")
    return {str(name): run for name, run in runs.items()}


def _are_columns(runs: Mapping[Any, Any], columns: Mapping[str, Any] | None) -> bool:
    """Return whether a mapping has a column of runs, with one name for each row."""
    named = _run_columns([*map(str, runs)], columns)
    return len(named) == 1 < len(runs) and all(
        isinstance(value, (list, tuple, np.ndarray)) for value in runs.values()
    )


def _of_columns(
    runs: Mapping[Any, Any], columns: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Split columns by that of the runs, in order of appearance."""
    (column,) = _run_columns([*map(str, runs)], columns)
    refuse_uneven(runs)
    rows_of: dict[str, list[int]] = {}
    for row, run in enumerate(runs[column]):
        if run is None or run != run:  # NaN  # noqa: PLR0124
            raise _with_empty_cells(column)
        rows_of.setdefault(str(run), []).append(row)
    if not rows_of:
        raise _without_rows("table")
    rest = {name: values for name, values in runs.items() if name != column}
    parts = {
        run: {
            name: values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows]
            for name, values in rest.items()
        }
        for run, rows in rows_of.items()
    }
    return parts, _without_run(columns)


def _without_run(columns: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the columns that were named besides that of the runs."""
    return {role: name for role, name in (columns or {}).items() if role != "run"} or None


def _run_columns(names: list[str], columns: Mapping[str, Any] | None) -> list[str]:
    """Return the columns that may name the run."""
    if columns is not None and "run" in columns:
        return [name for name in names if name == str(columns["run"])]
    return [name for name in names if name.lower() in RUN_COLUMNS]


def _with_empty_cells(column: str) -> SchemaError:
    return SchemaError(f"column {column!r} has empty cells", "name the run of every row")


def _without_rows(what: str) -> InputError:
    return InputError(f"the {what} has no rows", "give the rows of one run at least")


def _of_list(runs: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    if not runs:
        raise InputError("runs is an empty list", "name at least one run")
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


def paths_of_runs(given: Sequence[str]) -> list[str]:
    """Return the paths that several paths or patterns mean, in order."""
    return [path for pattern in given for path in _matching(pattern)]


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
    return matching(pattern)


def _of_frame(
    frame: Any, columns: Mapping[str, Any] | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Split a frame by its column of runs, in order of appearance."""
    is_polars = hasattr(frame, "partition_by")
    if not is_pandas(frame) and not is_polars:
        frame = _as_arrow(frame)
    held = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
    levels = [str(name) for name in frame.index.names] if is_pandas(frame) else []
    names = held + [name for name in levels if name not in held]
    known = _run_columns(names, columns)
    if columns is not None and "run" in columns and not known:
        raise SchemaError(
            f"the frame has no column {str(columns['run'])!r}", f"choose from {', '.join(held)}"
        )
    if len(known) != 1:
        which = f"several: {listed(known)}" if known else "none of its columns names the run"
        raise SchemaError(
            f"a frame of several runs needs a column run; {which}",
            "name it, as in columns={'run': 'system'}; give frames of one run each by name, as in "
            "{'bm25': frame}",
        )
    (column,) = known
    if is_pandas(frame):
        if column not in held:
            frame = frame.reset_index(level=column)
        if frame[column].isna().any():
            raise _with_empty_cells(column)
        groups = frame.groupby(column, sort=False, observed=True)
        parts = [(str(run), part.drop(columns=column)) for run, part in groups]
    elif is_polars:
        if frame[column].null_count():
            raise _with_empty_cells(column)
        split = frame.partition_by(column, as_dict=True, maintain_order=True, include_key=False)
        parts = [(str(run[0]), part) for run, part in split.items()]
    else:
        parts = _split_arrow(frame, column)
    if not parts:
        raise _without_rows("frame")
    _refuse_same([name for name, _ in parts], "name each run differently")
    return dict(parts), _without_run(columns)


def _as_arrow(frame: Any) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ImportError:
        purpose = f"splitting a {type(frame).__name__} by run"
        raise MissingDependencyError("pyarrow", "arrow", purpose) from None
    return pa.table(frame)


def _split_arrow(table: Any, column: str) -> list[tuple[str, Any]]:
    from pyarrow import compute  # noqa: PLC0415

    values = table.column(column)
    if values.null_count:
        raise _with_empty_cells(column)
    rest = table.drop_columns([column])
    return [
        (str(run), rest.filter(compute.equal(values, run))) for run in values.unique().to_pylist()
    ]
