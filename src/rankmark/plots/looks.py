"""The colours of runs, the same in every kind of plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, MeasureError, listed
from rankmark.plots.captions import texts
from rankmark.plots.marks.figures import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.plots.plottable import Plottable

_BEST = 5  # runs with a colour, if there are too many for all


def numbers_of_runs(
    evaluations: Sequence[Plottable], names: Sequence[str], highlight: object = None
) -> list[int | None]:
    """Return a number for each run with a colour, in the order of names, and None for grey ones.

    Runs with a colour are the highlighted ones; by default, all if there are enough colours, or
    else the first, which is the baseline, and the five best by the first measure evaluated.

    Raises
    ------
    InputError
        If a highlighted run does not exist, or there are more than colours.
    """
    if highlight is not None:
        chosen = _found(texts("highlight", highlight), evaluations, names)
    elif len(names) <= len(COLOURS):
        chosen = set(range(len(names)))
    else:
        chosen = {0, *_best(evaluations)}
    return _numbered(names, chosen)


def numbers_of_compared(
    names: Sequence[str], best: Sequence[int], highlight: object = None
) -> list[int | None]:
    """Return a number for each run with a colour, as ``numbers_of_runs`` does, by names alone.

    ``best`` are numbers of runs, by the first measure, best first.

    Raises
    ------
    InputError
        If a highlighted run does not exist, or there are more than colours.
    """
    if highlight is not None:
        chosen = set()
        for name in texts("highlight", highlight):
            if name not in names:
                raise _no_such_run(name, names)
            chosen.add(names.index(name))
        _refuse_too_many(chosen)
    elif len(names) <= len(COLOURS):
        chosen = set(range(len(names)))
    else:
        chosen = {0, *best[:_BEST]}
    return _numbered(names, chosen)


def _numbered(names: Sequence[str], chosen: set[int]) -> list[int | None]:
    in_order = sorted(chosen, key=lambda run: (names[run], run))
    return [in_order.index(run) if run in chosen else None for run in range(len(names))]


def _no_such_run(name: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"highlight: no run is called {name!r}", f"need one of {listed(names, len(names))}"
    )


def _refuse_too_many(chosen: set[int]) -> None:
    if len(chosen) > len(COLOURS):
        raise InputError(
            f"highlight: {len(chosen)} runs, and there are {len(COLOURS)} distinct colours",
            "highlight fewer",
        )


def _found(
    highlighted: Sequence[str], evaluations: Sequence[Plottable], names: Sequence[str]
) -> set[int]:
    chosen = set()
    for name in highlighted:
        same = [
            run
            for run, evaluation in enumerate(evaluations)
            if name
            in {
                names[run],
                evaluation.run_name,
                evaluation.run_name.replace("\\", "/").split("/")[-1],
            }
        ]
        if not same:
            raise _no_such_run(name, names)
        chosen.update(same)
    _refuse_too_many(chosen)
    return chosen


def _best(evaluations: Sequence[Plottable]) -> list[int]:
    """Return the best runs by the first measure, or the first runs if not all have it."""
    measure = evaluations[0].measures[0]
    sign = 1.0 if measure.more_is_better else -1.0
    try:
        columns = [each.scores[:, each.column(measure)] for each in evaluations]
    except MeasureError:
        return [*range(_BEST)]
    means = [
        sign * float(np.nanmean(column)) if (~np.isnan(column)).any() else -np.inf
        for column in columns
    ]
    order: list[int] = np.argsort(-np.array(means), kind="stable")[:_BEST].tolist()
    return order
