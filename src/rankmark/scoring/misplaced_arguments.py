"""Explain misplaced arguments: several runs instead of one, measures instead of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.ids.tensors import is_array
from rankmark.data.mappings.lists import holds_numbers
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError, MeasureError, SchemaError, listed
from rankmark.measures import Measure
from rankmark.measures.names import measures

_INSPECTED = 10  # entries of a list or mapping
_ENDINGS = (".run", ".txt", ".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".gz", ".zst")


def refuse_several(run: Any) -> None:
    """Refuse several runs instead of one, and name the verb that takes them.

    Call it only after a run was refused, as it takes time.
    """
    runs = several(run)
    if not runs:
        return
    if isinstance(run, Mapping):
        what = f"a mapping of {len(runs)} {_runs(runs)}: {listed([*map(str, run)])}"
        call = "rm.compare(qrels, runs)"
    elif all(isinstance(one, (str, os.PathLike)) for one in runs):
        what = f"a list of {len(runs)} {_runs(runs)}"
        call = "rm.compare(qrels, runs)"
    else:
        what = f"a list of {len(runs)} {_runs(runs)}"
        call = 'rm.compare(qrels, {"name": run, ...})'
    raise SchemaError(
        f"run is {what}",
        f"evaluate takes one run; {call} evaluates several, and tests their differences",
    )


def refuse_in_place_of_runs(given: Any) -> None:
    """Refuse measures, or a list of runs, given to ``check`` instead of a run."""
    entries = [given] if isinstance(given, (str, Measure)) else given
    if are_measures(given):
        names = ", ".join(repr(str(entry)) for entry in entries)
        raise InputError(
            "check takes runs here", f"give measures by name: measures=[{names}]", where=names
        )
    if runs := several(given, are_files=True):
        values = ".values()" if isinstance(given, Mapping) else ""
        raise InputError(
            f"a list or mapping of {len(runs)} {_runs(runs)}",
            f"check takes runs one by one: rm.check(qrels, *runs{values})",
        )


def are_measures(given: Any) -> bool:
    """Return whether it is a measure, the name of one, or a list of these."""
    entries = [given] if isinstance(given, (str, Measure)) else given
    return isinstance(entries, (list, tuple)) and bool(entries) and all(map(_is_measure, entries))


def several(run: Any, *, are_files: bool = False) -> list[Any]:
    """Return the runs in a list or a mapping; nothing if it may be a run itself.

    Text may be an id, too; with ``are_files`` it is a run only if such a file exists.
    """
    if isinstance(run, Mapping):
        entries = [*run.values()]
    elif isinstance(run, (list, tuple)) and not _is_scores_and_ids(run):
        entries = [*run]
    else:
        return []
    all_runs = all(_is_run(entry, are_files=are_files) for entry in entries[:_INSPECTED])
    return entries if all_runs else []


def _is_run(entry: Any, *, are_files: bool) -> bool:
    if isinstance(entry, str):
        looks_like_file = not are_files and (entry.endswith(_ENDINGS) or os.sep in entry)
        return looks_like_file or os.path.isfile(entry)  # noqa: PTH113
    if isinstance(entry, (Run, os.PathLike)) or is_frame(entry):
        return True
    if isinstance(entry, Mapping):
        inner = next(iter(entry.values()), None)
        return isinstance(inner, Mapping) and holds_numbers(inner)
    return is_array(entry) and getattr(entry, "ndim", 0) == 2


def _is_scores_and_ids(run: Any) -> bool:
    """Return whether a tuple is the scores and ids of one search, as top-k functions return."""
    return isinstance(run, tuple) and len(run) == 2 and all(map(is_array, run))


def _is_measure(entry: Any) -> bool:
    if not isinstance(entry, (str, Measure)) or (isinstance(entry, str) and os.path.exists(entry)):  # noqa: PTH110
        return False
    try:
        return bool(measures(entry))
    except MeasureError:
        return False


def _runs(runs: list[Any]) -> str:
    return "run" if len(runs) == 1 else "runs"
