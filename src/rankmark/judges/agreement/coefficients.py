"""Tables of labels by query, and coefficients of agreement over them: any number at once.

A table is (K, K) float64: how many pairs of a query and a document have label k by the first judge
(row) and label l by the second (column). Every function takes (..., K, K), and returns (...), NaN
where a coefficient is not defined.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Floats, Ints

Weights = Literal["identity", "linear", "quadratic", "ordinal"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
_NONE_LEFT = 1e-12  # what rounding leaves of an agreement that chance cannot exceed


def tables_of(
    first: NDArray[np.int8], second: NDArray[np.int8], query: Ints, queries: int, labels: int
) -> Floats:
    """Count the labels of two judges by query: (queries, labels, labels) float64.

    Parameters
    ----------
    first, second
        (n,) int8, numbers of labels, -1 where there is none; such pairs are left out.
    query
        (n,) int64, rising.
    """
    both = (first >= 0) & (second >= 0)
    if not both.all():
        first, second, query = first[both], second[both], query[both]
    cells = labels * labels
    cell = query * cells
    cell += first * np.int16(labels) + second
    counts = np.bincount(cell, minlength=queries * cells)
    return counts.reshape(queries, labels, labels).astype(np.float64)


def coincidence_tables(codes: NDArray[np.int8], query: Ints, queries: int, labels: int) -> Floats:
    """Return the coincidence matrices of several judges by query: (queries, labels, labels).

    For each pair of a query and a document that m judges labelled, each ordered pair of labels
    counts 1 / (m - 1); one that a single judge labelled does not count.

    Parameters
    ----------
    codes
        (judges, n) int8, numbers of labels, -1 where there is none.
    query
        (n,) int64.
    """
    judges = (codes >= 0).sum(0)
    found = np.zeros((queries, labels, labels))
    for first, second in combinations(codes, 2):
        both = np.flatnonzero((first >= 0) & (second >= 0))
        cell = query[both] * (labels * labels) + first[both] * np.int16(labels) + second[both]
        weights = 1.0 / (judges[both] - 1)
        counts = np.bincount(cell, weights=weights, minlength=found.size).reshape(found.shape)
        found += counts + np.swapaxes(counts, -2, -1)
    return found


def weights_of(values: Floats, kind: Weights) -> Floats:
    """Return how much of an agreement two labels are, 0 to 1: (K,) values to (K, K).

    "linear" and "quadratic" go by the values of the labels, so that a gap in the scale counts;
    "ordinal" is Gwet's, by their positions.
    """
    if kind == "identity" or len(values) == 1:
        return np.eye(len(values))
    distance = np.abs(values[:, None] - values)
    if kind == "ordinal":
        places = np.arange(len(values))
        steps = np.abs(places[:, None] - places) + 1.0
        distance = steps * (steps - 1)
    share = distance / distance.max()
    return 1.0 - (share**2 if kind == "quadratic" else share)


def _added(tables: Floats, weights: Floats) -> Floats:
    """Add up the cells of each table, weighted: (..., K, K) and (K, K) or (K, K, F) to (..., F).

    A product of matrices is much faster than sums over axes as short as these.
    """
    cells = weights.shape[0] * weights.shape[1]
    return tables.reshape(*tables.shape[:-2], cells) @ weights.reshape(cells, *weights.shape[2:])


def _total(tables: Floats) -> Floats:
    return _added(tables, np.ones(tables.shape[-2:]))


def _rows(tables: Floats) -> Floats:
    """Return how often the first judge gives each label: (..., K)."""
    labels = tables.shape[-1]
    return _added(tables, np.repeat(np.eye(labels), labels, axis=0).reshape(labels, labels, labels))


def _columns(tables: Floats) -> Floats:
    """Return how often the second judge gives each label: (..., K)."""
    labels = tables.shape[-1]
    return _added(tables, np.tile(np.eye(labels), (labels, 1)).reshape(labels, labels, labels))


def _shares(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the number of pairs, and the share of each label by the first and second judge."""
    total = _total(tables)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total, _rows(tables) / total[..., None], _columns(tables) / total[..., None]


def _observed(tables: Floats, weights: Floats, total: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = _added(tables, weights) / total
    return found


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    """Return (observed - expected) / (1 - expected), NaN if chance leaves no room."""
    room = 1.0 - expected
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(room > _NONE_LEFT, (observed - expected) / room, np.nan)
    return found


def _product(first: Floats, weights: Floats, second: Floats) -> Floats:
    """Return the weighted sum of the products of shares: (..., K) each to (...)."""
    return ((first @ weights) * second) @ np.ones(len(weights))


def agreement(tables: Floats) -> Floats:
    """Return the share of pairs with the same label."""
    return _observed(tables, np.eye(tables.shape[-1]), _total(tables))


def kappa(tables: Floats, weights: Floats) -> Floats:
    """Return Cohen's kappa: chance has the labels of each judge as often as the judge does."""
    total, first, second = _shares(tables)
    return _beyond_chance(_observed(tables, weights, total), _product(first, weights, second))


def scott_pi(tables: Floats, weights: Floats) -> Floats:
    """Return Scott's pi, which is Fleiss' kappa of two judges: chance has their mean shares."""
    total, first, second = _shares(tables)
    mean = (first + second) / 2
    return _beyond_chance(_observed(tables, weights, total), _product(mean, weights, mean))


def gwet_ac(tables: Floats, weights: Floats) -> Floats:
    """Return Gwet's AC1, or AC2 if weights are not the identity; K is that of the scale."""
    total, first, second = _shares(tables)
    mean, labels = (first + second) / 2, len(weights)
    chance: Floats = (mean * (1 - mean)) @ np.ones(labels)
    if labels > 1:
        chance = chance * weights.sum() / (labels * (labels - 1))
    return _beyond_chance(_observed(tables, weights, total), chance)


def brennan_prediger(tables: Floats, weights: Floats) -> Floats:
    """Return Brennan and Prediger's coefficient: chance has all K labels of the scale alike."""
    observed = _observed(tables, weights, _total(tables))
    return _beyond_chance(observed, np.full_like(observed, weights.mean()))


def coincidences(tables: Floats) -> Floats:
    """Return the coincidence matrices of two judges: each pair of labels, in both orders."""
    return tables + np.swapaxes(tables, -2, -1)


def alpha(matrices: Floats, values: Floats, level: Level) -> Floats:
    """Return Krippendorff's alpha of coincidence matrices, of two judges or of more.

    Parameters
    ----------
    matrices
        (..., K, K) float64: for each document that m judges labelled, each ordered pair of their
        labels counts 1 / (m - 1).
    values
        (K,) float64, rising.
    level
        What differences of labels mean.
    """
    counts = _rows(matrices)
    total = _total(matrices)
    if level == "ordinal":
        # Of all labels from the one to the other, with half of the two at the ends.
        place = counts @ np.triu(np.ones(matrices.shape[-2:])) - counts / 2
        distance = (place[..., :, None] - place[..., None, :]) ** 2
        by_chance = counts[..., :, None] * counts[..., None, :]
        same = np.ones(matrices.shape[-2:])
        observed, expected = _added(matrices * distance, same), _added(by_chance * distance, same)
    else:
        fixed = _distances(values, level)
        observed, expected = _added(matrices, fixed), _product(counts, fixed, counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = 1.0 - observed / total / (expected / (total * (total - 1)))
    return np.where(expected > 0, found, np.nan)


def _distances(values: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    difference = values[:, None] - values
    if level == "interval":
        return difference**2
    total = values[:, None] + values
    return np.divide(difference, total, out=np.zeros_like(total), where=total != 0) ** 2


def differences(tables: Floats, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the mean difference, second minus first; shares above and below; mean of |difference|.

    Of labels by their values: (K,).
    """
    step = values - values[:, None]
    kinds = np.stack([step, step > 0, step < 0, np.abs(step)], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = _added(tables, kinds) / _total(tables)[..., None]
    return found[..., 0], found[..., 1], found[..., 2], found[..., 3]


def by_label(tables: Floats, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return, for each label of the first judge, what the second says: (..., K) each.

    Its mean label, and the shares that it labels the same, higher and lower; NaN for a label that
    the first judge does not give.
    """
    count = tables.sum(-1)
    step = values - values[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (
            (tables @ values) / count,
            np.diagonal(tables, axis1=-2, axis2=-1) / count,
            (tables * (step > 0)).sum(-1) / count,
            (tables * (step < 0)).sum(-1) / count,
        )


def halved(tables: Floats) -> Floats:
    """Return tables of two labels, for each label but the lowest as the lowest relevant one.

    (..., K, K) to (..., K - 1, 2, 2): not relevant and relevant, by either judge.
    """
    # From each cell on, to the highest labels of both.
    upper = np.flip(np.flip(tables, (-2, -1)).cumsum(-1).cumsum(-2), (-2, -1))
    both = np.diagonal(upper, axis1=-2, axis2=-1)[..., 1:]
    first, second = upper[..., 1:, 0], upper[..., 0, 1:]
    total = upper[..., :1, 0]
    cells = [total - first - second + both, second - both, first - both, both]
    return np.stack(cells, axis=-1).reshape(*both.shape, 2, 2)


def precision_and_recall(halves: Floats) -> tuple[Floats, Floats]:
    """Return precision and recall of the second judge, by what the first calls relevant."""
    both = halves[..., 1, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return both / halves[..., :, 1].sum(-1), both / halves[..., 1, :].sum(-1)


def folded(tables: Floats, groups: Floats) -> Floats:
    """Merge labels: ``groups`` is (K, G), 1 where a label belongs to a group."""
    return groups.T @ tables @ groups
