"""What ``fuse`` is given: runs with names, weights, and runs of which lower scores are better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.preparing.parents import prepared_once
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import with_documents
from rankmark.errors import InputError, listed, shown
from rankmark.results.run_names import short_names
from rankmark.verbs.evaluate.given_runs import named_runs

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.parents import ParentsSource


def given_runs(
    runs: Any,
    columns: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    parents: ParentsSource | None = None,
) -> dict[str, Run]:
    """Prepare the runs, by name.

    Parameters
    ----------
    runs
        {name: run}; a list of runs of any form, which are named by their files or "run 1", "run
        2", ...; a pattern of paths; or a frame with a column of runs.
    columns, options
        How they are read; see Run.
    parents
        The documents of the units of all runs that were not prepared with their own.

    Raises
    ------
    InputError
        If there are none.
    SchemaError
        If they have no known form.
    """
    if isinstance(runs, Iterator):
        runs = list(runs)
    if isinstance(runs, (list, tuple)) and not _are_rows(runs):
        named = _of_list(runs)
    else:
        named, columns = named_runs(runs, columns)
    if not named:
        raise InputError("there are no runs", "give two or more")
    known = prepared_once(parents)
    return {
        name: with_documents(prepared(run, columns, options), known) for name, run in named.items()
    }


def prepared(run: Any, columns: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Run:
    """Prepare one run; one that is prepared already takes no options."""
    if isinstance(run, Run):
        return run
    return Run(run, columns=columns, **options)


def _are_rows(runs: Any) -> bool:
    """Return whether a list has rows of one run instead of runs."""
    return bool(runs) and all(
        isinstance(row, (list, tuple)) and len(row) >= 2 and isinstance(row[0], (str, int))
        for row in runs
    )


def _of_list(runs: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    names = []
    for number, run in enumerate(runs, 1):
        name = run.name if isinstance(run, Run) else None
        if isinstance(run, (str, PathLike)):
            name = str(run)
        elif name is None or name.startswith("<"):
            name = f"run {number}"
        names.append(name)
    short = short_names(names)
    if len(set(short)) < len(short):  # the same file twice, say
        short = [f"run {number}" for number in range(1, len(short) + 1)]
    return dict(zip(short, runs, strict=True))


def given_weights(weights: Any, names: list[str]) -> Floats | None:
    """Return the weight of each run: (m,) float64, from 0; None if there are none.

    Raises
    ------
    InputError
        If they are not as many numbers from 0 as there are runs, one of them above 0.
    """
    if weights is None:
        return None
    if isinstance(weights, Mapping):
        wrong = [name for name in weights if str(name) not in names]
        missing = [name for name in names if name not in {*map(str, weights)}]
        if wrong or missing:
            raise InputError(
                f"weights names {listed([*map(str, weights)])}, the runs are {listed(names)}",
                "give one weight to each run",
            )
        by_name = {str(name): weight for name, weight in weights.items()}
        weights = [by_name[name] for name in names]
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
        raise InputError(f"weights is {shown(weights)}", "need a list of numbers, one for each run")
    try:
        found = np.array([float(weight) for weight in weights])
    except (TypeError, ValueError):
        raise InputError(
            f"weights is {shown(weights)}", "need a list of numbers, one for each run"
        ) from None
    if len(found) != len(names):
        raise InputError(
            f"weights has {len(found)} number{'s' if len(found) != 1 else ''}, and there are "
            f"{len(names)} runs",
            "give one weight to each run, in their order",
        )
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise InputError(
            f"weights is {found.tolist()}", "need finite numbers from 0, not all of them 0"
        )
    return found


def lower_is_better(lower_better: Any, names: list[str]) -> list[bool]:
    """Return for each run whether lower scores are better.

    Raises
    ------
    InputError
        If it is neither True or False, nor a list of these, nor names of runs.
    """
    if isinstance(lower_better, (bool, np.bool_)) or lower_better is None:
        return [bool(lower_better)] * len(names)
    is_list = isinstance(lower_better, Iterable) and getattr(lower_better, "ndim", 1) == 1
    chosen = [lower_better] if isinstance(lower_better, str) or not is_list else list(lower_better)
    if all(isinstance(one, (bool, np.bool_)) for one in chosen) and len(chosen) == len(names):
        return [bool(one) for one in chosen]
    wrong = [one for one in chosen if not isinstance(one, str) or one not in names]
    if wrong:
        raise InputError(
            f"lower_better names {shown(wrong[0])}, which is no run",
            f"the runs are {listed(names)}",
        )
    return [name in chosen for name in names]
