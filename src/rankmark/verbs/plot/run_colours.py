"""The colours of runs, the same in every kind of plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, MeasureError, listed
from rankmark.results.drawing.figures import COLOURS
from rankmark.verbs.plot.captions import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.verbs.plot.plottable import Plottable

_MOST = len(COLOURS) - 1  # runs with a colour besides black, which is the baseline's
_BEST = 6  # runs with a colour, if there are too many for all


def numbers_of_runs(
    evaluations: Sequence[Plottable], names: Sequence[str], highlight: object = None
) -> list[int | None]:
    """Return a number for each run with a colour, in the order of names, and None for grey ones.

    Runs with a colour are the highlighted ones; by default, all if there are enough colours, or
    else the six best by the first measure evaluated.

    Raises
    ------
    InputError
        If a highlighted run does not exist, or there are more than colours.
    """
    if highlight is not None:
        chosen = _found(texts("highlight", highlight), evaluations, names)
    elif len(names) <= _MOST:
        chosen = set(range(len(names)))
    else:
        chosen = set(_best(evaluations))
    return _numbered(names, chosen)


def numbers_of_compared(
    names: Sequence[str],
    best: Sequence[int],
    highlight: object = None,
    baseline: str | None = None,
) -> list[int | None]:
    """Return a number for each run with a colour, as ``numbers_of_runs`` does, by names alone.

    ``best`` are numbers of runs, by the first measure, best first. The baseline has number 0, which
    is black, and always a colour unless others are highlighted; no other run has.

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
    elif len(names) <= _MOST:
        chosen = set(range(len(names)))
    else:
        first = [] if baseline is None else [names.index(baseline)]
        chosen = set([*first, *(run for run in best if run not in first)][:_BEST])
    numbers = _numbered(names, chosen)
    if baseline is not None and names.index(baseline) in chosen:
        numbers[names.index(baseline)] = 0
    return numbers


def _numbered(names: Sequence[str], chosen: set[int]) -> list[int | None]:
    """Return numbers from 1 for the chosen runs, in the order of their names."""
    in_order = sorted(chosen, key=lambda run: (names[run], run))
    return [in_order.index(run) + 1 if run in chosen else None for run in range(len(names))]


def _no_such_run(name: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"highlight: no run is called {name!r}", f"need one of {listed(names, len(names))}"
    )


def _refuse_too_many(chosen: set[int]) -> None:
    if len(chosen) > _MOST:
        raise InputError(
            f"highlight: {len(chosen)} runs, and there are {_MOST} distinct colours",
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
