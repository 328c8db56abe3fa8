"""Pairs of models that differ significantly, and the rank intervals and tiers they imply."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics import max_t

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints


def p_of_pairs(values: Floats, resamples: int, seed: int, threads: int) -> Floats:
    """Test all pairs of models by random signs of the tasks, corrected by the largest t of all.

    Parameters
    ----------
    values
        (n_tasks, n_models) float64.

    Returns
    -------
    Floats
        (n_models, n_models) corrected p-values; NaN on the diagonal, and for models that do not
        differ on any task.
    """
    models = values.shape[1]
    pairs = [*combinations(range(models), 2)]
    found = max_t(
        values, pairs, steps="step down", resamples=resamples, seed=seed, threads=threads
    ).adjusted[:, 0]
    p = np.full((models, models), np.nan)
    first, second = np.array(pairs).T
    p[first, second] = p[second, first] = found
    return p


def above(totals: Floats, p: Floats, level: float) -> Bools:
    """Return whether the model of the row is significantly better than that of the column."""
    with np.errstate(invalid="ignore"):
        found: Bools = (p <= level) & (totals[:, None] > totals)
    return found


def rank_intervals(better: Bools) -> tuple[Ints, Ints]:
    """Return the best and the worst rank of each model that the separated pairs leave.

    If no pair is separated wrongly, all true ranks are within.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks with applications to
       mobility across neighbourhoods and academic achievement across countries, Review of Economic
       Studies 91(1), pages 476-518.
    """
    best: Ints = 1 + np.count_nonzero(better, axis=0)
    worst: Ints = len(better) - np.count_nonzero(better, axis=1)
    return best, worst


def tiers(totals: Floats, better: Bools) -> Ints:
    """Return the tier of each model, from 1: one below the lowest tier of the models above it.

    No two models of a tier are separated, and no fewer tiers have this property [1]_: a tier is one
    more than the longest chain of separated models above.

    References
    ----------
    .. [1] Mirsky 1971, A dual of Dilworth's decomposition theorem, American Mathematical Monthly
       78(8), pages 876-877.
    """
    found: Ints = np.ones(len(totals), dtype=np.int64)
    for model in np.argsort(-totals, kind="stable").tolist():
        found[model] = 1 + found[better[:, model]].max(initial=0)
    return found
