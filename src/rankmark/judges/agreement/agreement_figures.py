"""All figures on how two judges agree, computed together, and their intervals over queries.

The documents of a query are judged against the same need, so their labels are not independent:
whole queries are left out, or drawn. Statistics depend on the sum of the tables of the queries,
which is all that is computed anew. Intervals by pair, as other tools compute them, take every label
as independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.judges.agreement import coefficients as of
from rankmark.judges.agreement.given_labels import written_label
from rankmark.statistics import Interval
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.judges.agreement.coefficients import Level
    from rankmark.judges.agreement.given_labels import Scale

Method = Literal["jackknife", "bootstrap", "pairs"]
Statistic = Callable[["Floats"], "Floats"]
"""From tables, (..., K, K), to statistics, (..., F)."""

_CELLS = 1 << 22  # of tables at once, so that they stay small in memory
_ROUNDING = 1e-13
_STEP = 1e-6  # share of the pairs that is moved to a cell, to find how a statistic changes

METHODS: dict[Method, str] = {
    "jackknife": "jackknife by query",
    "bootstrap": "percentile bootstrap by query",
    "pairs": "linearised variance by pair",
}
"""What each way to find intervals is called."""

WORDS = {
    "agreement": "agreement",
    "kappa": "kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
    "alpha_ratio": "alpha, ratio",
    "ac1": "AC1",
    "ac2_linear": "AC2, linear weights",
    "ac2_quadratic": "AC2, quadratic weights",
    "ac2_ordinal": "AC2, ordinal weights",
    "pi": "Scott's pi",
    "brennan_prediger": "Brennan-Prediger",
    "bias": "mean difference",
    "over_rated": "share rated higher",
    "under_rated": "share rated lower",
    "absolute_difference": "mean |difference|",
}
"""{name: what tables call it}, of all figures on two judges."""

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
AT_THRESHOLD = (
    "agreement",
    "kappa",
    "ac1",
    "precision",
    "recall",
    "prevalence_first",
    "prevalence_second",
)
OF_LABEL = ("mean", "same", "higher", "lower")
_SHARES = frozenset(["agreement", "over_rated", "under_rated"])


class Sampling(NamedTuple):
    """How intervals are found.

    Parameters
    ----------
    method
        "jackknife" leaves each query out, and takes t with as many degrees of freedom as there are
        queries but one; "bootstrap" draws queries, and takes percentiles; "pairs" takes pairs of a
        query and a document as independent.
    confidence
        Of all intervals.
    resamples, seed
        How often queries are drawn, and the seed of it.
    """

    method: Method = "jackknife"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0


class Figures(NamedTuple):
    """Statistics that are computed from the same tables.

    Parameters
    ----------
    names
        (F,) keys.
    bounds
        (F, 2) float64, the lowest and the highest value that each can have.
    of
        From tables, (..., K, K), to statistics, (..., F).
    """

    names: tuple[str, ...]
    bounds: Floats
    of: Statistic


def figures_of(scale: Scale) -> Figures:
    """Return the figures on two judges whose labels are on a scale."""
    weights = {
        kind: of.weights_of(scale.values, kind) for kind in ("linear", "quadratic", "ordinal")
    }
    same = np.eye(len(scale.labels))

    def statistics(tables: Floats) -> Floats:
        merged = of.folded(tables, scale.groups) if scale.merges else tables
        pairs = of.coincidences(merged)
        found = [
            of.agreement(tables),
            of.kappa(tables, same),
            of.kappa(merged, weights["linear"]),
            of.kappa(merged, weights["quadratic"]),
            of.alpha(of.coincidences(tables), scale.labels, "nominal"),
            *(of.alpha(pairs, scale.values, level) for level in LEVELS[1:]),
            of.gwet_ac(tables, same),
            *(of.gwet_ac(merged, one) for one in weights.values()),
            of.scott_pi(tables, same),
            of.brennan_prediger(tables, same),
            *of.differences(merged, scale.values),
        ]
        return np.stack(found, axis=-1)

    names = tuple(WORDS)
    span = scale.values[-1] - scale.values[0]
    ends = {"bias": (-span, span), "absolute_difference": (0.0, span)}
    bounds = [ends.get(name, (0.0 if name in _SHARES else -np.inf, 1.0)) for name in names]
    return Figures(names, np.array(bounds), statistics)


def label_figures(scale: Scale) -> Figures:
    """Return what the second judge says of each label of the first; see ``OF_LABEL``."""

    def statistics(tables: Floats) -> Floats:
        found = of.by_label(tables, scale.clamped)
        return np.stack(found, axis=-1).reshape(*tables.shape[:-2], -1)

    names = tuple(
        f"{what} {written_label(label)}" for label in scale.labels.tolist() for what in OF_LABEL
    )
    ends = {"mean": (scale.values[0], scale.values[-1])}
    bounds = [ends.get(what, (0.0, 1.0)) for _ in scale.labels for what in OF_LABEL]
    return Figures(names, np.array(bounds), statistics)


def threshold_figures(scale: Scale) -> Figures:
    """Return the figures on two kinds of labels, for each lowest relevant one."""
    same = np.eye(2)

    def statistics(tables: Floats) -> Floats:
        halves = of.halved(tables)
        total = halves.sum((-2, -1))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = [
                of.agreement(halves),
                of.kappa(halves, same),
                of.gwet_ac(halves, same),
                *of.precision_and_recall(halves),
                halves[..., 1, :].sum(-1) / total,
                halves[..., :, 1].sum(-1) / total,
            ]
        return np.stack(found, axis=-1).reshape(*tables.shape[:-2], -1)

    lowest = scale.labels[1:].tolist()
    names = tuple(f"{what} {written_label(label)}" for label in lowest for what in AT_THRESHOLD)
    low = [-np.inf if what in {"kappa", "ac1"} else 0.0 for what in AT_THRESHOLD]
    bounds = np.column_stack([np.tile(low, len(lowest)), np.ones(len(names))])
    return Figures(names, bounds, statistics)


def share_figures(scale: Scale) -> Figures:
    """Return how much more often the second judge gives each label, as a share of all."""

    def statistics(tables: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            change: Floats = (tables.sum(-2) - tables.sum(-1)) / tables.sum((-2, -1))[..., None]
        return change

    names = tuple(map(written_label, scale.labels.tolist()))
    return Figures(names, np.tile([-1.0, 1.0], (len(names), 1)), statistics)


def alphas(scale: Scale) -> Figures:
    """Return alpha of several judges, at each level, from coincidence matrices."""

    def statistics(matrices: Floats) -> Floats:
        merged = of.folded(matrices, scale.groups) if scale.merges else matrices
        found = [
            of.alpha(matrices, scale.labels, "nominal"),
            *(of.alpha(merged, scale.values, level) for level in LEVELS[1:]),
        ]
        return np.stack(found, axis=-1)

    names = tuple(f"alpha_{level}" for level in LEVELS)
    return Figures(names, np.tile([-np.inf, 1.0], (4, 1)), statistics)


def figure_intervals(figures: Figures, tables: Floats, sampling: Sampling) -> dict[str, Interval]:
    """Return an interval of each figure of all queries together: (queries, K, K) float64.

    It is undefined for a single query, and if the figure is undefined, or the same whatever queries
    are left out or drawn.
    """
    names, bounds, statistic = figures
    total = tables.sum(0)
    by_pair = sampling.method == "pairs"
    units = int(total.sum()) if by_pair else len(tables)
    estimate = statistic(total)
    if units < 2:
        low = high = np.full(len(names), math.nan)
        spread = np.zeros(len(names))
    elif by_pair:
        low, high, spread = _linearised(statistic, total, estimate, sampling.confidence)
    elif sampling.method == "jackknife":
        low, high, spread = _left_out(statistic, tables, total, estimate, sampling.confidence)
    else:
        low, high, spread = _drawn(statistic, tables, sampling)
    low, high = np.maximum(low, bounds[:, 0]), np.minimum(high, bounds[:, 1])
    drawn = sampling.method == "bootstrap"
    found = {}
    for name, one, begin, end, wide in zip(
        names, estimate.tolist(), low.tolist(), high.tolist(), spread.tolist(), strict=True
    ):
        undefined = ""
        if math.isnan(one):
            undefined = "it is not defined for these labels"
        elif units < 2:
            undefined = f"there is only one {'pair' if by_pair else 'query'}"
        elif not wide > _ROUNDING:
            undefined = f"it is the same whatever {'pairs' if by_pair else 'queries'} are drawn"
        found[name] = Interval(
            one,
            math.nan if undefined else begin,
            math.nan if undefined else end,
            sampling.confidence,
            name,
            METHODS[sampling.method],
            units,
            resamples=sampling.resamples if drawn else None,
            seed=sampling.seed if drawn else None,
            undefined=undefined,
        )
    return found


def _left_out(
    statistic: Statistic, tables: Floats, total: Floats, estimate: Floats, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Leave out each query: ends, and standard errors."""
    n = len(tables)
    step = max(1, _CELLS // total.size)
    values = np.concatenate([statistic(total - tables[at : at + step]) for at in range(0, n, step)])
    # A query without which a statistic is undefined says nothing of its spread.
    known = ~np.isnan(values)
    count = known.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(0) / count
        squares = (np.where(known, values - mean, 0.0) ** 2).sum(0)
        error = np.sqrt((count - 1) / count * squares)
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return estimate - half, estimate + half, error


def _linearised(
    statistic: Statistic, total: Floats, estimate: Floats, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Take pairs as independent: ends, and standard errors.

    The variance is that of how much each pair moves the statistic, to first order, as irrCAC
    computes it: Gwet 2008, Computing inter-rater reliability and its variance.
    """
    n = total.sum()
    cells = np.argwhere(total > 0)
    step = max(1, _CELLS // total.size)
    moves = []
    for at in range(0, len(cells), step):
        some = cells[at : at + step]
        ends = []
        for share in (_STEP, -_STEP):
            moved = np.repeat(total[None] * (1 - share), len(some), axis=0)
            moved[np.arange(len(some)), some[:, 0], some[:, 1]] += share * n
            ends.append(statistic(moved))
        moves.append((ends[0] - ends[1]) / (2 * _STEP))
    counts = total[cells[:, 0], cells[:, 1]]
    error = np.sqrt((counts[:, None] * np.concatenate(moves) ** 2).sum(0) / n / (n - 1))
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return estimate - half, estimate + half, error


def _drawn(
    statistic: Statistic, tables: Floats, sampling: Sampling
) -> tuple[Floats, Floats, Floats]:
    """Draw queries with replacement: percentiles, and their distance.

    Queries are numbered by their tables, so that draws do not depend on their order.
    """
    n, labels = len(tables), tables.shape[-1]
    flat = tables.reshape(n, -1)
    flat = flat[np.lexsort(flat.T)]
    values = []
    for block, samples in enumerate(sample_blocks(n, sampling.resamples)):
        counts = sample_counts(n, samples, block, sampling.seed)
        values.append(statistic((counts @ flat).reshape(samples, labels, labels)))
    drawn = np.concatenate(values)
    level = 1 - sampling.confidence
    low, high = quantiles(drawn, (level / 2, 1 - level / 2))
    return low, high, high - low


def quantiles(values: Floats, shares: tuple[float, float]) -> Floats:
    """Return quantiles of each column, NaN left out: (r, F) to (2, F)."""
    if not np.isnan(values).any():
        found: Floats = np.quantile(values, shares, axis=0)
        return found
    columns = []
    for column in values.T:
        known = column[~np.isnan(column)]
        columns.append(np.quantile(known, shares) if len(known) else np.full(2, math.nan))
    return np.array(columns).T
