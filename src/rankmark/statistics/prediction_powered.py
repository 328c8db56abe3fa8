"""Means from a few human labels and many LLM labels: prediction-powered inference.

The model's mean of all queries is corrected by how far it was off where people judged too. The
result is valid however wrong the model is, and the more precise the better it predicts people.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import one_of, share
from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import InputError, shown
from rankmark.statistics.bounded_means import (
    DifferenceEnds,
    Ends,
    EstimatedEnds,
    KornGraubardEnds,
    ReweightedEnds,
    StudentEnds,
    are_few,
    p_of,
    reweighted_ends,
)
from rankmark.statistics.confidence_intervals import EVERYWHERE, Interval, mean_interval
from rankmark.statistics.labelled_samples import Design, Linear, design_of, linear
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import ROUNDING, same_queries, without_rounding

PredictionMethod = Literal["ppi++", "ppi", "human"]
"""Lambda is estimated, 1, or 0, which ignores the model."""

IntervalForm = Literal["auto", "t", "normal"]
"""Intervals that know the range of scores, by t, or as published, by the normal distribution."""

_OWN_LAMBDA = 10  # labelled queries of a stratum that has a lambda of its own


@dataclass(frozen=True, slots=True, eq=False)
class PredictionPowered:
    """A mean estimated from a few human labels and many LLM labels.

    Parameters
    ----------
    interval
        The estimate with its interval; ``undefined`` says why there is none.
    people, model
        The same from human labels alone, by the same design, and from the model's alone, whose
        interval does not allow for its errors.
    lam
        How much of the model's labels is used, 0 to 1; the mean over strata, weighted by their
        sizes.
    error, degrees
        The standard error, and its degrees of freedom; infinite for ``form="normal"``.
    p, null
        The two-sided p-value of the mean being ``null``.
    n, others
        Queries judged by people, and by the model only.
    left_out
        Queries without a score that is needed.
    correlation
        Of the scores by people and by the model, where both are known; NaN if one of them is
        constant.
    spread
        The standard deviation of people's scores.
    effective_n
        How many queries judged by people would be worth as much without the model.
    strata
        Number of strata.
    contributions
        (units,) float64, what each independent unit contributes to the error, whose square is the
        sum of their squares.
    ends, people_ends
        The estimate, and that from human labels alone, with intervals of every confidence.
    """

    interval: Interval
    people: Interval
    model: Interval
    lam: float
    error: float
    degrees: float
    p: float
    null: float
    n: int
    others: int
    left_out: int
    correlation: float
    spread: float
    effective_n: float
    strata: int
    contributions: Floats
    ends: EstimatedEnds
    people_ends: EstimatedEnds

    @property
    def estimate(self) -> float:
        """The estimated mean."""
        return self.interval.estimate


def prediction_powered(
    people: ArrayLike,
    model: ArrayLike,
    *,
    method: PredictionMethod = "ppi++",
    lam: float | None = None,
    confidence: float = 0.95,
    null: float = 0.0,
    form: IntervalForm = "auto",
    between: tuple[float, float] | None = None,
    strata: Sequence[Hashable] | ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    finite: bool = False,
    design: Design | None = None,
) -> PredictionPowered:
    """Estimate a mean over all queries, of which people judged a few and a model all [1]_.

    With lambda between 0 and 1, the estimate is the mean of ``people - lam * model`` where both are
    known, plus lambda times the model's mean of the other queries. PPI++ [2]_ takes the lambda with
    the smallest estimated variance.

    Parameters
    ----------
    people
        (M,) float64, each query's score by human labels; NaN where they did not judge.
    model
        (M,) float64, the same by the labels of the model; a query without one is left out.
    method
        ``"ppi++"`` estimates lambda, ``"ppi"`` takes 1, and ``"human"`` 0.
    lam
        A lambda from 0 to 1 instead.
    confidence
        Of the intervals.
    null
        The mean whose p-value is wanted.
    form
        ``"auto"``: as ``"t"``, but if ``between`` is known, Korn and Graubard's interval [5]_, or
        the reweighting bounds of human labels alone where fewer than 5 of them are not the lowest
        (or highest) score. Values below 0 are differences: their gains and losses are estimated by
        themselves, and the intervals put together [6]_, and p is that of these intervals.
        ``"t"``: variances of samples, each query's error by the lambda of the other queries (the
        jackknife), and Student's t with one degree less than queries are judged by people;
        ``"normal"``: the formulas of [2]_ and its package ppi-python, whose intervals are too short
        for few labels.
    between
        The lowest and the highest value possible; no interval lies beyond them. None if there are
        none.
    strata
        (M,) the stratum of each query: estimates of strata are weighted by their shares of all
        queries [3]_. A stratum with fewer than 10 labels has the lambda of all.
    probabilities
        (M,) with what probability each query was chosen for people; needed for those they judged.
        Queries are weighted by the inverse, and weights are scaled to sum up to 1 (Hájek) [4]_.
    clusters
        (M,) what each query belongs to, if queries are not independent.
    finite
        Whether these M queries are all that the mean is about; otherwise they are a sample.
    design
        The design that these describe, if it is used for many means.

    Returns
    -------
    PredictionPowered
        The estimate, beside those from people's and from the model's labels alone.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference,
       Science 382, pages 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference,
       arXiv 2311.01453.
    .. [3] Fisch et al. 2024, Stratified prediction-powered inference for effective hybrid
       evaluation of language models, NeurIPS.
    .. [4] Zrnic and Candès 2024, Active statistical inference, ICML.
    .. [5] Korn and Graubard 1998, Confidence intervals for proportions with small expected number
       of positive counts estimated from survey data, Survey Methodology 24(2), pages 193-201.
    .. [6] Zou and Donner 2008, Construction of confidence limits about effect measures: a general
       approach, Statistics in Medicine 27(10), pages 1693-1702.

    Examples
    --------
    >>> import math
    >>> people = [0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.3, 0.8] + [math.nan] * 4
    >>> model = [0.6, 0.8, 0.3, 0.9, 0.6, 0.6, 0.5, 0.9, 0.7, 0.5, 0.9, 0.8]
    >>> found = prediction_powered(people, model)
    >>> round(found.estimate, 3), round(found.interval.low, 3), round(found.interval.high, 3)
    (0.586, 0.414, 0.758)
    """
    one_of("method", method, *get_args(PredictionMethod))
    one_of("form", form, *get_args(IntervalForm))
    confidence = share("confidence", confidence)
    y, h = same_queries(people, model, ("people", "model"))
    if design is None:
        design = design_of(
            len(y), strata=strata, probabilities=probabilities, clusters=clusters, finite=finite
        )
    if lam is not None and (isinstance(lam, bool) or not 0 <= lam <= 1):
        raise InputError(f"lam is {shown(lam)}", "need a number from 0 to 1, or None")
    fixed = {"ppi++": None, "ppi": 1.0, "human": 0.0}[method] if lam is None else float(lam)
    kept = ~np.isnan(h)
    labelled = kept & ~np.isnan(y)
    if design.weights is not None and np.isnan(design.weights[labelled]).any():
        missing = int(np.isnan(design.weights[labelled]).sum())
        raise InputError(
            f"{missing:,} judged queries have no inclusion probability",
            "give the probability with which each was chosen",
        )
    if form == "normal":
        if not design.is_simple:
            raise InputError(
                'form="normal" is for a simple random sample of independent queries',
                'leave strata, probabilities, clusters and finite out, or choose form="t"',
            )
        return _as_published(y, h, labelled, kept, fixed, confidence, null, between)
    sample = _sample(y, h, labelled, kept, design)
    found, alone = sample.estimated(fixed), sample.estimated(0.0)
    estimate, error, degrees, used, contributions = found
    alone_error = alone.error
    n, others = int(labelled.sum()), int((kept & ~labelled).sum())
    size = float(np.max(np.abs(y[labelled]), initial=0.0))
    size = max(size, float(np.max(np.abs(h[kept]), initial=0.0)))
    clusters_n = None if design.clusters is None else sample.labelled_units
    whole = f"people judged all {n:,} queries, and the set is finite" * (
        design.finite and not others
    )
    known = between if form == "auto" and between and all(map(math.isfinite, between)) else None
    undefined, alone_undefined = whole, whole
    if known is None:
        undefined = whole or _unknown(error, size, y[labelled])
        alone_undefined = whole or _unknown(alone_error, size, y[labelled])
    ends, alone_ends = (
        StudentEnds(*one[:3], between or EVERYWHERE)
        if known is None
        else _ends(sample, one, y, h, labelled, kept, design, weight, known)
        for one, weight in ((found, fixed), (alone, 0.0))
    )
    interval = _interval(ends, confidence, method, n, undefined, clusters_n)
    p = math.nan
    if not undefined and isinstance(ends, DifferenceEnds):
        p = p_of(ends, null)
    elif not undefined and error > 0:
        p = 2 * float(special.stdtr(degrees, -abs(estimate - null) / error))
    ratio = (alone_error / error) ** 2 if error > ROUNDING * size else math.nan
    residuals = y[labelled] - used * h[labelled]
    warning = ""
    if used and not undefined and np.ptp(residuals) <= ROUNDING * size:
        warning = (
            "the model errs alike on all judged queries, so how much its errors vary is unknown"
        )
    return PredictionPowered(
        interval=replace(interval, effective_n=n * ratio, warning=warning),
        people=_interval(alone_ends, confidence, "human", n, alone_undefined, clusters_n),
        model=mean_interval(
            np.where(kept, h, np.nan), method="t", confidence=confidence, clusters=design.clusters
        ).within(between or EVERYWHERE),
        lam=used,
        error=error,
        degrees=degrees,
        p=p,
        null=null,
        n=n,
        others=others,
        left_out=int((~kept).sum()),
        correlation=_correlation(y[labelled], h[labelled]),
        spread=float(y[labelled].std(ddof=1)),
        effective_n=n * ratio,
        strata=len(sample.parts),
        contributions=contributions,
        ends=ends,
        people_ends=alone_ends,
    )


class _Estimated(NamedTuple):
    """An estimate, its error, degrees of freedom, lambda, and what each unit contributes."""

    estimate: float
    error: float
    degrees: float
    lam: float
    contributions: Floats


class _Sample(NamedTuple):
    """The strata of a sample.

    Attributes
    ----------
    parts, shares
        Each stratum, and its share of all queries.
    rows
        The numbers of its queries.
    unit_of
        (M,) the unit of each query.
    finite
        Whether the queries are all that the mean is about.
    """

    parts: list[Linear]
    shares: Floats
    rows: list[Ints]
    unit_of: Ints
    finite: bool

    @property
    def labelled_units(self) -> int:
        return sum(int((part.weight > 0).sum()) for part in self.parts)

    def expanded(self, labelled: Bools) -> Floats:
        """Return how many queries of its stratum each labelled one stands for: (M,) float64."""
        found = np.ones(len(labelled))
        for rows in self.rows:
            found[rows] = len(rows) / max(int(labelled[rows].sum()), 1)
        return found

    def estimated(self, fixed: float | None) -> _Estimated:
        """Estimate with a lambda, or with the best one."""
        parts, shares = self.parts, self.shares
        lams = _lambdas(parts, shares, fixed)
        found = [part.people - lam * part.gap for part, lam in zip(parts, lams, strict=True)]
        estimate = float(shares @ found)
        units = int(self.unit_of.max(initial=-1)) + 1
        within = np.zeros(units)
        variances = []
        for part, one, lam in zip(parts, shares, lams, strict=True):
            spread = one * _contributions(part, lam, fixed, parts, shares)
            np.add.at(within, part.units, spread)
            variances.append(float(spread @ spread))
        total = float(sum(variances))
        degrees = parts[0].degrees
        if len(parts) > 1 and total:  # Satterthwaite
            squares = [v * v / part.degrees for v, part in zip(variances, parts, strict=True)]
            degrees = total**2 / sum(squares)
        if len(parts) > 1 and not self.finite:  # the shares of strata are those of a sample
            between = np.zeros(units)
            count = sum(map(len, self.rows))
            for rows, one in zip(self.rows, found, strict=True):
                np.add.at(between, self.unit_of[rows], (one - estimate) / count)
            within = np.concatenate([within, between])
        error = math.sqrt(float(within @ within))
        return _Estimated(estimate, error, degrees, float(shares @ lams), within)


def _sample(y: Floats, h: Floats, labelled: Bools, kept: Bools, design: Design) -> _Sample:
    """Return the strata of a sample."""
    own = np.arange(len(y)) if design.clusters is None else design.clusters
    parts = []
    all_rows = [np.flatnonzero(kept)]
    if design.strata is not None:
        each = (np.flatnonzero(kept & (design.strata == at)) for at in range(len(design.names)))
        all_rows = [rows for rows in each if len(rows)]
    for rows in all_rows:
        judged = labelled[rows]
        units = len(np.unique(own[rows][judged]))
        if units < 2:
            unit = "queries" if design.clusters is None else "clusters"
            where = ""
            if design.strata is not None:
                where = f" of stratum {shown(design.names[int(design.strata[rows[0]])])}"
            raise InputError(
                f"people judged {units} of the {unit}{where}, and a spread needs at least 2",
                "judge more, or merge strata" if where else "judge more",
            )
        weights = None
        if design.weights is not None:
            weights = design.weights[rows]
            if _are_alike(weights[judged]):
                weights = None  # all were equally likely
        parts.append(
            linear(
                y[rows],
                h[rows],
                judged,
                weights,
                own[rows],
                has_clusters=design.clusters is not None,
                finite=design.finite,
            )
        )
    sizes = np.array([len(rows) for rows in all_rows], dtype=np.float64)
    return _Sample(parts, sizes / sizes.sum(), all_rows, own, design.finite)


def _are_alike(weights: Floats) -> bool:
    """Return whether weights, at least one, are the same but for rounding."""
    return bool(np.ptp(weights) <= ROUNDING * float(weights.max()))


def _sums(part: Linear) -> tuple[float, float]:
    """Return what lambda is a quotient of: how a and b vary together, and how b varies."""
    weighted = part.scale * part.b
    both, own = float(weighted @ part.a), float(weighted @ part.b)
    return both, own


def _pooled(parts: Sequence[Linear], shares: Floats) -> tuple[float, float]:
    sums = [_sums(part) for part in parts]
    squares = shares**2
    return float(squares @ [both for both, _ in sums]), float(squares @ [own for _, own in sums])


def _lambdas(parts: Sequence[Linear], shares: Floats, fixed: float | None) -> Floats:
    """Return the lambda of each stratum; a constant model has 0."""
    if fixed is not None:
        return np.array([fixed if part.others else 0.0 for part in parts])
    common = _clipped(*_pooled(parts, shares))
    return np.array(
        [
            0.0 if not part.others else _clipped(*_sums(part)) if _has_own(part, parts) else common
            for part in parts
        ]
    )


def _has_own(part: Linear, parts: Sequence[Linear]) -> bool:
    return len(parts) == 1 or part.n >= _OWN_LAMBDA


def _clipped(both: float, own: float) -> float:
    return min(max(both / own, 0.0), 1.0) if own > 0 else 0.0


def _contributions(
    part: Linear, lam: float, fixed: float | None, parts: Sequence[Linear], shares: Floats
) -> Floats:
    """Return what each unit contributes to the error of a stratum, scaled for its variance.

    If lambda was estimated, a labelled unit's error is the one that it has by the lambda of all
    other units: errors by a lambda that was fitted to them are too small.
    """
    roots = np.sqrt(part.scale)
    if fixed is not None or not part.others:
        return roots * (part.a - lam * part.b)
    both, own = _sums(part)
    factor = part.scale
    if not _has_own(part, parts):
        mine = next(at for at, one in enumerate(parts) if one is part)
        both, own = _pooled(parts, shares)
        factor = factor * shares[mine] ** 2
    # Without a unit, the mean of the others moves too, hence the last factor.
    factor = factor / np.maximum(1 - part.weight, ROUNDING)
    own_left = own - factor * part.b**2
    without = np.divide(
        both - factor * part.a * part.b,
        own_left,
        out=np.zeros(len(part.a)),
        where=own_left > ROUNDING * own,
    )
    of_unit = np.where(part.weight > 0, np.clip(without, 0.0, 1.0), lam)
    return roots * (part.a - of_unit * part.b)


def _ends(
    sample: _Sample,
    found: _Estimated,
    y: Floats,
    h: Floats,
    labelled: Bools,
    kept: Bools,
    design: Design,
    fixed: float | None,
    between: Ends,
) -> EstimatedEnds:
    """Return the intervals of an estimate of values with a range; of differences below 0."""
    estimate, error, degrees, _, _ = found
    units = sample.labelled_units
    low, high = between
    each, largest = design.weights, None
    if each is not None:
        known = each[kept]
        largest = float(known[np.isfinite(known)].max())
    elif design.strata is not None:
        each = sample.expanded(labelled)
    if each is not None and len(sample.parts) == 1 and _are_alike(each[kept & np.isfinite(each)]):
        each = largest = None  # a random sample of all queries
    weights = None if each is None else each[labelled]
    clusters = None
    if design.clusters is not None:
        clusters = np.unique(design.clusters[labelled], return_inverse=True)[1]
        largest = None

    def reweighted(estimate: float, scores: Floats, between: tuple[float, float]) -> ReweightedEnds:
        return reweighted_ends(estimate, scores, between, weights, clusters, largest)

    if low >= 0:
        scores = np.clip(y[labelled], low, high)
        if not are_few(scores, between, weights):
            return KornGraubardEnds(estimate, error, degrees, units, between)
        return reweighted(estimate, scores, between)
    parts = []
    for sign, most in ((1.0, high), (-1.0, -low)):
        people, model = np.maximum(sign * y, 0.0), np.maximum(sign * h, 0.0)
        part = _sample(people, model, labelled, kept, design).estimated(fixed)
        scores, wider = np.clip(people[labelled], 0.0, most), None
        if weights is not None and are_few(scores, (0.0, most), weights):
            wider = reweighted(part.estimate, scores, (0.0, most))
        parts.append(KornGraubardEnds(*part[:3], units, (0.0, most), wider))
    return DifferenceEnds(estimate, error, parts[0], parts[1], between)


def _interval(
    found: EstimatedEnds,
    confidence: float,
    method: str,
    n: int,
    undefined: str,
    clusters: int | None = None,
) -> Interval:
    low, high = (math.nan, math.nan) if undefined else found.ends(confidence)
    return Interval(
        found.estimate,
        low,
        high,
        confidence,
        "mean",
        f"{method}, {found.method}",
        n,
        clusters=clusters,
        undefined=undefined,
    )


def _unknown(error: float, size: float, values: Floats) -> str:
    """Return why there is no interval, or ""."""
    if error <= ROUNDING * size:
        return (
            f"all {len(values):,} values by people are {values[0]:.6g}, so their spread is unknown"
        )
    return ""


def _correlation(y: Floats, h: Floats) -> float:
    y, h = (
        without_rounding(one - one.mean(), ROUNDING * float(np.abs(one).max())) for one in (y, h)
    )
    size = math.sqrt(float(y @ y) * float(h @ h))
    return float(y @ h) / size if size > 0 else math.nan


def _as_published(
    y: Floats,
    h: Floats,
    labelled: Bools,
    kept: Bools,
    fixed: float | None,
    confidence: float,
    null: float,
    between: Ends | None,
) -> PredictionPowered:
    """Return what ppi-python has, but for a lambda that is clipped in p-values as in intervals."""
    both, only = h[labelled], h[kept & ~labelled]
    y = y[labelled]
    n, others = len(y), len(only)
    if n < 2 or others < 2:
        raise InputError(
            f"people judged {n:,} queries, and the model {others:,} others", "need 2 of each"
        )

    def estimated(lam: float) -> tuple[float, float]:
        estimate = lam * float(only.mean()) + float((y - lam * both).mean())
        return estimate, math.sqrt(
            lam**2 * float(only.var()) / others + float((y - lam * both).var()) / n
        )

    lam = fixed
    if lam is None:
        spread = float(np.concatenate([both, only]).var(ddof=1))
        together = float((y - y.mean()) @ (both - both.mean())) / n
        lam = _clipped(together, (1 + n / others) * spread)

    def interval(ends: StudentEnds, name: str) -> Interval:
        undefined = _unknown(ends.error, float(np.max(np.abs(y))), y)
        return _interval(ends, confidence, name, n, undefined)

    def normal(estimate: float, error: float) -> StudentEnds:
        return StudentEnds(estimate, error, math.inf, between or EVERYWHERE)

    estimate, error = estimated(lam)
    alone, alone_error = estimated(0.0)
    ends, alone_ends = normal(estimate, error), normal(alone, alone_error)
    found = interval(ends, "ppi")
    ratio = (alone_error / error) ** 2 if error else math.nan
    kind = float(only.mean()), float(only.std()) / math.sqrt(others)
    return PredictionPowered(
        interval=replace(found, effective_n=n * ratio),
        people=interval(alone_ends, "human"),
        model=interval(normal(*kind), "model"),
        lam=lam,
        error=error,
        degrees=math.inf,
        p=math.nan if found.undefined else 2 * float(special.ndtr(-abs(estimate - null) / error)),
        null=null,
        n=n,
        others=others,
        left_out=int((~kept).sum()),
        correlation=_correlation(y, both),
        spread=float(y.std(ddof=1)),
        effective_n=n * ratio,
        strata=1,
        contributions=np.concatenate(
            [
                (y - lam * both - float((y - lam * both).mean())) / n,
                lam * (only - only.mean()) / others,
            ]
        ),
        ends=ends,
        people_ends=alone_ends,
    )
