"""Arguments in the place of others: several runs for one, measures for a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rankmark.errors import InputError, MeasureError, SchemaError, listed
from rankmark.measures import Measure
from rankmark.measures.names import measures
from rankmark.sources import Run
from rankmark.sources.frames.frames import is_frame
from rankmark.sources.ids.tensors import is_array
from rankmark.sources.mappings.lists import holds_numbers

_LOOKED_AT = 10
_ENDINGS = (".run", ".txt", ".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".gz", ".zst")


def refuse_several(run: Any) -> None:
    """Refuse several runs where one is needed, and show the loop.

    This is asked once a run was refused, so that it costs the others nothing.

    Raises
    ------
    SchemaError
        If each of what stands in a list or a mapping is a run.
    """
    held = several(run)
    if not held:
        return
    if isinstance(run, Mapping):
        what = f"a mapping that holds {len(held)} {_runs(held)}: {listed([*map(str, run)])}"
        loop = "{name: rm.evaluate(qrels, run) for name, run in runs.items()}"
    else:
        what, loop = f"a list of {len(held)} {_runs(held)}", "[rm.evaluate(qrels, r) for r in runs]"
    raise SchemaError(
        f"run is {what}; evaluate takes one run: write {loop}, where qrels = rm.Qrels(...) are read"
        " once"
    )


def refuse_in_place_of_runs(given: Any) -> None:
    """Refuse measures, or a list of runs, in the place of a run that ``check`` looks at.

    Raises
    ------
    InputError
        If it is the name of a measure, a measure, or a list of these; or several runs.
    """
    asked = [given] if isinstance(given, (str, Measure)) else given
    if isinstance(asked, (list, tuple)) and asked and all(map(_is_measure, asked)):
        names = ", ".join(repr(str(one)) for one in asked)
        raise InputError(
            f"{names}: check takes runs here, and measures by name: measures=[{names}]"
        )
    if held := several(given, are_files=True):
        values = ".values()" if isinstance(given, Mapping) else ""
        raise InputError(
            f"a list or mapping of {len(held)} {_runs(held)}: check takes runs one by one: "
            f"rm.check(qrels, *runs{values})"
        )


def several(run: Any, *, are_files: bool = False) -> list[Any]:
    """List the runs that a list or a mapping holds; nothing where it may be a run itself.

    Text may be an id; ``are_files`` takes it for a run only where there is such a file.
    """
    if isinstance(run, Mapping):
        held = [*run.values()]
    elif isinstance(run, (list, tuple)) and not _is_scores_and_ids(run):
        held = [*run]
    else:
        return []
    return held if all(_is_run(one, are_files=are_files) for one in held[:_LOOKED_AT]) else []


def _is_run(one: Any, *, are_files: bool) -> bool:
    if isinstance(one, str):
        is_named_so = not are_files and (one.endswith(_ENDINGS) or os.sep in one)
        return is_named_so or os.path.isfile(one)  # noqa: PTH113
    if isinstance(one, (Run, os.PathLike)) or is_frame(one):
        return True
    if isinstance(one, Mapping):
        inner = next(iter(one.values()), None)
        return isinstance(inner, Mapping) and holds_numbers(inner)
    return is_array(one) and getattr(one, "ndim", 0) == 2


def _is_scores_and_ids(run: Any) -> bool:
    """Say whether a tuple is one search's scores and ids, as hits or top-k functions give them."""
    return isinstance(run, tuple) and len(run) == 2 and all(map(is_array, run))


def _is_measure(one: Any) -> bool:
    if not isinstance(one, (str, Measure)) or (isinstance(one, str) and os.path.exists(one)):  # noqa: PTH110
        return False
    try:
        return bool(measures(one))
    except MeasureError:
        return False


def _runs(held: list[Any]) -> str:
    return "run" if len(held) == 1 else "runs"
