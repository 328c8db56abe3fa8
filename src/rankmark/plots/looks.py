"""How runs are told apart: which have a colour, and which, the same in every kind of plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, MeasureError, listed
from rankmark.plots.captions import texts
from rankmark.plots.marks.figures import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.plots.plottable import Plottable

_BEST = 5  # runs that have a colour where there are too many for all


def numbers_of_runs(
    evaluations: Sequence[Plottable], names: Sequence[str], highlight: object = None
) -> list[int | None]:
    """Return runs that have a colour a number, by the order of their names, and others None: grey.

    Those are the highlighted ones; else all, if there are colours enough; else the first, which is
    the baseline, and the five best by the measure that was evaluated first.

    Raises
    ------
    InputError
        If a run to highlight is not there, or they are more than colours.
    """
    if highlight is not None:
        chosen = _found(texts("highlight", highlight), evaluations, names)
    elif len(names) <= len(COLOURS):
        chosen = set(range(len(names)))
    else:
        chosen = {0, *_best(evaluations)}
    in_order = sorted(chosen, key=lambda run: (names[run], run))
    return [in_order.index(run) if run in chosen else None for run in range(len(names))]


def _found(
    wanted: Sequence[str], evaluations: Sequence[Plottable], names: Sequence[str]
) -> set[int]:
    chosen = set()
    for name in wanted:
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
            raise InputError(
                f"highlight: no run is called {name!r}; there are {listed(names, len(names))}"
            )
        chosen.update(same)
    if len(chosen) > len(COLOURS):
        raise InputError(
            f"highlight: {len(chosen)} runs, and there are {len(COLOURS)} colours that can be told "
            "apart; highlight fewer"
        )
    return chosen


def _best(evaluations: Sequence[Plottable]) -> list[int]:
    """Find the best runs by what was evaluated first; the first ones where that was not for all."""
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
