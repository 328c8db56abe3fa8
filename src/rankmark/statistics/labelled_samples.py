"""Samples of queries that people label: how they are drawn, and what they say of all queries."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import InputError, shown
from rankmark.statistics.query_weights import effective_number
from rankmark.statistics.score_arrays import (
    ROUNDING,
    cluster_numbers,
    column,
    without_rounding,
)


@dataclass(frozen=True, slots=True)
class Design:
    """How the queries that people judged were drawn from all queries.

    Parameters
    ----------
    strata
        (M,) the number of each query's stratum from 0; None for one stratum.
    names
        The names of the strata.
    weights
        (M,) float64, 1 / inclusion probability, NaN where that is unknown; None if all queries of a
        stratum were equally likely.
    clusters
        (M,) the number of each query's cluster; None if queries are independent.
    finite
        Whether the M queries are all that the mean is about, and not a sample of others.
    """

    strata: Ints | None = None
    names: tuple[Hashable, ...] = ()
    weights: Floats | None = None
    clusters: Ints | None = None
    finite: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether the sample is a simple random one of independent queries."""
        return (
            self.strata is None
            and self.weights is None
            and self.clusters is None
            and not self.finite
        )


def design_of(
    n: int,
    *,
    strata: Sequence[Hashable] | ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    finite: bool = False,
) -> Design:
    """Return the design of a sample of ``n`` queries in all."""
    numbers = cluster_numbers(clusters, n)
    groups: Ints | None = None
    names: dict[Hashable, int] = {}
    if strata is not None:
        given = strata.tolist() if isinstance(strata, np.ndarray) else strata
        if not isinstance(given, Sequence) or len(given) != n:
            raise InputError(f"strata is {shown(given)}", "need the stratum of each query")
        groups = np.array([names.setdefault(one, len(names)) for one in given], dtype=np.int64)
    if numbers is not None and finite:
        raise InputError(
            "clusters are combined with a finite set of queries",
            "leave finite out, so that users or conversations are a sample of all of them",
        )
    if numbers is not None and groups is not None:
        pairs = np.unique(np.stack([numbers, groups]), axis=1)
        if pairs.shape[1] > int(numbers.max(initial=-1)) + 1:
            raise InputError(
                "a cluster has queries of several strata", "give every cluster one stratum"
            )
    weights: Floats | None = None
    if probabilities is not None:
        chances = column("probabilities", probabilities)
        if len(chances) != n:
            raise InputError(
                f"probabilities has {len(chances):,} numbers for {n:,} queries", "need one each"
            )
        if ((chances <= 0) | (chances > 1)).any():
            bad = chances[(chances <= 0) | (chances > 1)][0]
            raise InputError(f"a probability is {bad:g}", "need numbers above 0 and at most 1")
        weights = 1 / chances
    return Design(groups, tuple(names), weights, numbers, finite)


class Linear(NamedTuple):
    """An estimate of a stratum as a function of lambda: ``people - lam * gap``.

    Its error is that of the sum over independent units, queries or clusters, of ``a - lam * b``.

    Attributes
    ----------
    people
        The estimate from human labels alone.
    gap
        How far the model's mean of the labelled queries is above that of the others.
    units
        (U,) the numbers of the units.
    a, b
        (U,) float64, what each unit contributes to the errors of ``people`` and of ``gap``.
    scale
        (U,) float64, what squares are multiplied by for an unbiased variance.
    weight
        (U,) float64, the share of each labelled unit in the labelled mean; 0 for the others.
    n, others
        Queries that are labelled, and that are not.
    degrees
        Degrees of freedom of the spread of labelled units.
    """

    people: float
    gap: float
    units: Ints
    a: Floats
    b: Floats
    scale: Floats
    weight: Floats
    n: int
    others: int
    degrees: float


def linear(
    people: Floats,
    model: Floats,
    labelled: Bools,
    weights: Floats | None,
    clusters: Ints,
    *,
    has_clusters: bool,
    finite: bool,
) -> Linear:
    """Return the estimate of the mean of one stratum as a function of lambda.

    Parameters
    ----------
    people, model
        (m,) float64, scores of its queries by both sets of labels; those of people are ignored
        where they are not ``labelled``.
    weights
        (m,) 1 / inclusion probability; None if all were equally likely.
    clusters
        (m,) numbers of units.
    """
    m, n = len(model), int(labelled.sum())
    others = m - n
    y = np.where(labelled, people, 0.0)
    # Only differences matter; those by rounding would be taken for what a constant model says.
    h = without_rounding(model - model.mean(), ROUNDING * float(np.abs(model).max(initial=0.0)))
    each = labelled.astype(np.float64) if weights is None else np.where(labelled, weights, 0.0)
    total = float(each.sum())
    mean_y, mean_h = float(each @ y) / total, float(each @ h) / total
    a = each * np.where(labelled, y - mean_y, 0.0) / total
    b = each * (h - mean_h) / total
    gap = 0.0
    if not others:
        b = np.zeros(m)
    elif weights is None:
        gap = mean_h - float(h[~labelled].mean())
        if finite:
            b *= m / others
        else:
            b = np.where(labelled, b, -(h - float(h[~labelled].mean())) / others)
    else:
        # The same, written over all queries, as those that are not labelled are no random sample.
        gap = (mean_h - float(h.mean())) * m / others
        b = b * (m / others) if finite else (b - (h - float(h.mean())) / m) * (m / others)
    if finite:
        left = np.sqrt(1 - (n / m if weights is None else 1 / np.where(labelled, weights, 1.0)))
        a, b = a * left, b * left
    units, place = np.unique(clusters, return_inverse=True)
    shares = np.bincount(place, each / total, len(units)).astype(np.float64)
    of_people = shares > 0
    count, rest = int(of_people.sum()), int((~of_people).sum())
    effective = float(count)
    correction = count / (count - 1) if count > 1 else np.nan
    if weights is not None and not has_clusters and count > 1:
        # As for any weighted mean (``query_weights.weighted_means``).
        effective = effective_number(each[labelled])
        second, third = float(np.sum(shares**2)), float(np.sum(shares**3))
        correction = second / (second - 2 * third + second**2)
    return Linear(
        people=mean_y,
        gap=gap,
        units=units,
        a=np.bincount(place, a, len(units)).astype(np.float64),
        b=np.bincount(place, b, len(units)).astype(np.float64),
        scale=np.where(of_people, correction, rest / (rest - 1) if rest > 1 else 1.0),
        weight=np.full(len(units), 1 / max(count, 1)) * of_people
        if weights is None or has_clusters
        else shares,
        n=n,
        others=others,
        degrees=effective - 1,
    )


def inclusion_probabilities(sizes: ArrayLike, n: int, *, uniform: float = 0.0) -> Floats:
    """Return probabilities that sum up to ``n``, proportional to sizes, mixed with equal ones.

    A probability that would be above 1 is 1, and what is left is shared by the others.

    Parameters
    ----------
    sizes
        (M,) float64 of at least 0; all 0 means equal probabilities.
    n
        How many of the M are to be drawn.
    uniform
        The share of equal probabilities, 0 to 1, so that no probability is below ``uniform * n /
        M`` times the shrinking by those that are 1.

    Examples
    --------
    >>> inclusion_probabilities([1, 1, 2, 4], 2, uniform=0.5).round(3).tolist()
    [0.375, 0.375, 0.5, 0.75]
    """
    given = np.asarray(sizes, dtype=np.float64)
    m = len(given)
    if not 0 < n <= m:
        raise InputError(f"n is {n:,}, and there are {m:,} queries", f"need 1 to {m:,}")
    total = float(given.sum())
    mixed = np.full(m, 1 / m) if total <= 0 else (1 - uniform) * given / total + uniform / m
    sure = np.zeros(m, dtype=bool)
    while True:
        left = n - int(sure.sum())
        rest = float(mixed[~sure].sum())
        if left <= 0 or rest <= 0:
            found = np.where(sure, 1.0, 0.0)
            break
        found = np.where(sure, 1.0, left * mixed / rest)
        beyond = ~sure & (found >= 1 - 1e-12)
        if not beyond.any():
            break
        sure |= beyond
    return found


def drawn(probabilities: Floats, generator: np.random.Generator) -> Ints:
    """Draw systematically in a random order, so that each has its probability exactly [1]_.

    Parameters
    ----------
    probabilities
        (M,) float64 that sum up to a whole number n.

    Returns
    -------
    Ints
        (n,) numbers, rising.

    References
    ----------
    .. [1] Hartley and Rao 1962, Sampling with unequal probabilities and without replacement, Annals
       of Mathematical Statistics 33(2), pages 350-374.
    """
    order = generator.permutation(len(probabilities))
    ends = np.cumsum(probabilities[order])
    n = round(float(ends[-1]))
    ends *= n / ends[-1]
    ends[-1] = n
    at = np.searchsorted(ends, generator.random() + np.arange(n), side="right")
    return np.sort(order[np.minimum(at, len(order) - 1)])
