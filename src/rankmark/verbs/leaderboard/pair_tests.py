"""Tests of all pairs of models: by their means over tasks, and by the tasks on which each leads."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.statistics import adjust, bootstrap_max_t
from rankmark.statistics.rank_tests import p_of_signs
from rankmark.statistics.score_arrays import ROUNDING


def by_bootstrap(
    values: Floats, *, resamples: int, seed: int, level: float, threads: int
) -> tuple[Floats, Floats]:
    """Test all pairs by the bootstrap of tasks: p-values, and halves of intervals.

    Parameters
    ----------
    values
        (n_tasks, n_models) float64, what is averaged.

    Returns
    -------
    Floats, Floats
        (n_models, n_models) each; NaN on the diagonal, and for models that do not differ on any
        task.
    """
    pairs = [*combinations(range(values.shape[1]), 2)]
    found = bootstrap_max_t(
        values, pairs, resamples=resamples, seed=seed, level=level, threads=threads
    )
    return (
        _square(found.adjusted[:, 0], values.shape[1]),
        _square((found.critical * found.error)[:, 0], values.shape[1]),
    )


def by_signs(means: Floats) -> tuple[Ints, Floats]:
    """Count on how many tasks each model is better than each other, and test it.

    Parameters
    ----------
    means
        (n_tasks, n_models) float64, the score of each task.

    Returns
    -------
    Ints, Floats
        (n_models, n_models) each: the numbers of tasks, and p-values of the exact sign test of all
        pairs, corrected by Holm's method; 1 where no task differs, and NaN on the diagonal.
    """
    rounding = ROUNDING * float(np.abs(means).max(initial=0.0))
    ahead = np.array([(means - one[:, None] < -rounding).sum(axis=0) for one in means.T])
    models = means.shape[1]
    first, second = np.array([*combinations(range(models), 2)]).T
    p = adjust(p_of_signs(ahead[first, second], ahead[second, first]), "holm").adjusted
    return ahead, _square(p, models)


def _square(of_pairs: Floats, models: int) -> Floats:
    found = np.full((models, models), np.nan)
    first, second = np.array([*combinations(range(models), 2)]).T
    found[first, second] = found[second, first] = of_pairs
    return found
