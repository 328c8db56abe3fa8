"""Compare variants that users were assigned to by chance: ``compare_variants``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankmark.arguments import Name, Share, as_number, checked
from rankmark.array_types import Bools, Floats, Ints
from rankmark.clicks.analysis_units import Unit, column_of, unit_of
from rankmark.clicks.logs.click_log import ClickLog, Log
from rankmark.clicks.online.issue_values import IssueValues, UnitSums, issue_values, unit_sums
from rankmark.clicks.online.online_measures import OnlineMeasure, online_measures
from rankmark.clicks.online.variant_comparison import (
    Variant,
    VariantComparison,
    VariantDifference,
)
from rankmark.errors import (
    InputError,
    MeasureError,
    MissingDependencyError,
    counted,
    listed,
    shown,
)
from rankmark.statistics.multiple_comparisons import adjust
from rankmark.statistics.scipy_functions import special


@checked
def compare_variants(
    log: Log,
    measures: Iterable[str | OnlineMeasure] | str | OnlineMeasure,
    *,
    baseline: Name,
    unit: Unit = "user",
    before: Log | None = None,
    planned: Mapping[str, float] | None = None,
    mismatch: Share = 0.001,
    confidence: Share = 0.95,
) -> VariantComparison:
    """Compare variants that users were assigned to by chance, as in an A/B test.

    What one user does is not independent: the user is the unit, and numbers such as CTR are ratios
    of sums over users, whose errors are found by the delta method.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returned, with the column ``variant``.
    before
        A log of the same users before the experiment, whose values reduce the error of the
        difference (CUPED).

        A user without a row in it counts as the mean of the others.

    Measures:
    measures
        As for ``online``, but for ``TimeToClick``: which issues have a click depends on the
        variant.

    Statistics:
    baseline
        The variant that every other one is compared with.
    unit
        What was assigned to the variants. Units in several variants are counted and left out.
    planned
        The shares of units planned for the variants; None for equal ones.

        Such as ``{"A": 0.9, "B": 0.1}``.
    mismatch
        No verdict is given if the p-value of the numbers of units against those planned is below
        this, as their assignment is then broken.
    confidence
        Confidence of intervals; differences are significant if p, corrected by Holm's method for
        all measures and variants, is at most 1 minus this.

    Returns
    -------
    VariantComparison
        ``differences``, ``variants``, ``srm_p``, ``is_blocked`` and ``crossover``.

    Raises
    ------
    MissingDependencyError
        If tea-tasting is not installed.
    InputError
        If the log lacks a column, an issue has no variant, there is no such baseline, or an option
        is invalid.
    MeasureError
        If a measure does not exist, or is a median.

    References
    ----------
    .. [1] Deng, Knoblich and Lu 2018, Applying the delta method in metric analytics, KDD.
    .. [2] Deng, Xu, Kohavi and Walker 2013, Improving the sensitivity of online controlled
       experiments by utilizing pre-experiment data, WSDM.
    .. [3] Fabijan et al. 2019, Diagnosing sample ratio mismatch in online controlled experiments,
       KDD.

    Examples
    --------
    >>> import rankmark as rm
    >>> log = rm.read_log(rm.example_log().columns)
    >>> found = rm.compare_variants(log, "CTR@1", baseline="A")
    >>> found.headline
    'B is worse than A by CTR@1'
    """
    asked = online_measures(measures)
    _tea_tasting()
    for measure in asked:
        if measure.aggregate == "median":
            raise MeasureError(
                f"{measure} is a median over the issues with a click, which depend on the variant",
                "compare CTR and ClickRR",
            )
    of_unit = column_of(unit_of(log, unit))
    log.need("variant", for_="a comparison of variants")
    found = issue_values(log, asked, [of_unit, "variant"])
    assigned = _assigned(found, of_unit, log.name)
    names = sorted(found.groups["variant"][1])
    if baseline not in names or len(names) < 2:
        what = f"baseline is {shown(baseline)}" if len(names) > 1 else "there is one variant"
        raise InputError(what, f"the log has {', '.join(names)}", where=log.name)
    shares = _planned(planned, names)
    masks = {name: assigned.variant == names.index(name) for name in names}
    numbers = np.array([int(of.sum()) for of in masks.values()], dtype=np.float64)
    srm = _mismatch(numbers, np.array([shares[name] for name in names]))
    history = None if before is None else _history(before, asked, unit, assigned.units)
    rows = []
    for at, measure in enumerate(asked):
        sums = unit_sums(
            measure, found.values[at], found.weights[at], assigned.of_issue, len(assigned.units)
        )
        covariate = None if history is None else history[at]
        rows += [
            _difference(
                measure, baseline, name, [_part(sums, covariate, masks[each])
                for each in (baseline, name)], confidence,
            )
            for name in names
            if name != baseline
        ]  # fmt: skip
    adjusted = adjust([row.p for row in rows]).adjusted.tolist()
    rows = [row._replace(adjusted_p=p) for row, p in zip(rows, adjusted, strict=True)]
    return VariantComparison(
        differences=tuple(rows),
        variants=tuple(
            Variant(name, int(number), shares[name])
            for name, number in zip(names, numbers.tolist(), strict=True)
        ),
        srm_chi2=srm[0],
        srm_p=srm[1],
        crossover=assigned.crossover,
        without_unit=assigned.without_unit,
        directions={str(measure): measure.more_is_better for measure in asked},
        settings={
            "baseline": baseline,
            "unit": unit,
            "planned": shares,
            "mismatch": mismatch,
            "confidence": confidence,
            "cuped": before is not None,
        },
        read={"log": {"name": log.name, "columns": log.columns}}
        | ({} if before is None else {"before": {"name": before.name, "columns": before.columns}}),
    )


class _Assigned(NamedTuple):
    """The units in one variant each: their ids, variants, and the number of each issue's unit."""

    units: list[str]
    variant: Ints
    of_issue: Ints
    crossover: int
    without_unit: int


def _assigned(found: IssueValues, unit: str, where: str) -> _Assigned:
    (units, ids), (variants, names) = found.groups[unit], found.groups["variant"]
    if missing := int((variants < 0).sum()):
        raise InputError(
            f"{counted(missing, 'issue')} of {len(variants):,} without a variant",
            "give every issue one, or leave these out",
            where=where,
        )
    order = np.argsort(np.argsort(names))  # numbers in the order of the names
    variants = np.asarray(order[variants], dtype=np.int64)
    known = units >= 0
    low, high = np.full(len(ids), len(names)), np.full(len(ids), -1)
    np.minimum.at(low, units[known], variants[known])
    np.maximum.at(high, units[known], variants[known])
    crossed = high > low
    if crossed.all():
        raise InputError(
            f"each {unit} is in several variants" if len(ids) else f"no issue has a {unit}",
            "choose the unit that was assigned to the variants",
            where=where,
        )
    return _Assigned(
        ids, np.where(crossed, -1, high), units, int(crossed.sum()), int((~known).sum())
    )


def _planned(planned: Mapping[str, float] | None, names: Sequence[str]) -> dict[str, float]:
    if planned is None:
        return dict.fromkeys(names, 1.0 / len(names))
    pairs = [*planned.items()] if isinstance(planned, Mapping) else []
    by_name = {str(name): as_number(share) for name, share in pairs}
    total = sum(by_name.values())
    is_each = len(pairs) == len(by_name) and {*by_name} == {*names}
    if not is_each or not min(by_name.values()) > 0 or not math.isfinite(total):
        raise InputError(
            f"planned is {shown(planned)}", f"need a share above 0 for each of {listed(names)}"
        )
    return {name: by_name[name] / total for name in names}


def _mismatch(numbers: Floats, shares: Floats) -> tuple[float, float]:
    """Return chi-square of the numbers of units against those planned, and its p-value."""
    expected = numbers.sum() * shares
    chi2 = float(((numbers - expected) ** 2 / expected).sum())
    return chi2, float(special.chdtrc(len(numbers) - 1, chi2))


def _history(
    before: ClickLog, measures: Sequence[OnlineMeasure], unit: Unit, ids: Sequence[str]
) -> list[UnitSums]:
    """Return what the units did before, in their order; the mean for those that did nothing."""
    of_unit = column_of(unit_of(before, unit))
    found = issue_values(before, measures, [of_unit])
    codes, earlier = found.groups[of_unit]
    place = {name: at for at, name in enumerate(ids)}
    to = np.array([place.get(name, -1) for name in earlier], dtype=np.int64)
    if not (to >= 0).any():
        raise InputError(
            f"no {unit} of the log is in before",
            f"give the log of the same units, such as {listed([*ids][:3], len(ids))}",
            where=before.name,
        )
    codes = np.where(codes >= 0, to[codes], -1)
    history = []
    for measure, values, weights in zip(measures, found.values, found.weights, strict=True):
        sums = unit_sums(measure, values, weights, codes, len(ids))
        if measure.aggregate == "mean of units":
            absent = sums.weights == 0
            sums = UnitSums(np.where(absent, sums.ratio, sums.values), np.ones(len(ids)))
        history.append(sums)
    return history


def _tea_tasting() -> Any:
    try:
        import tea_tasting.aggr  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("tea-tasting", "variants", "compare_variants") from None
    return tea_tasting


class _Part(NamedTuple):
    """What tea-tasting takes of a variant, and its units."""

    aggregates: Any
    sums: UnitSums


def _part(sums: UnitSums, covariate: UnitSums | None, mask: Bools) -> _Part:
    """Return counts, means and covariances of the units of a variant that have a weight."""
    mask = mask & (sums.weights > 0)
    columns = {"values": sums.values[mask], "weights": sums.weights[mask]}
    if covariate is not None:
        columns |= {"before": covariate.values[mask], "seen": covariate.weights[mask]}
    n = int(mask.sum())
    spread = np.cov([*columns.values()]) if n > 1 else np.full((len(columns),) * 2, np.nan)
    names = [*columns]
    return _Part(
        _tea_tasting().aggr.Aggregates(
            count_=n,
            mean_={name: float(each.mean()) if n else math.nan for name, each in columns.items()},
            var_={name: float(spread[at, at]) for at, name in enumerate(names)},
            cov_={
                (a, b): float(spread[i, j])
                for i, a in enumerate(names)
                for j, b in enumerate(names)
                if a < b
            },
        ),
        UnitSums(columns["values"], columns["weights"]),
    )


def _difference(
    measure: OnlineMeasure,
    baseline: str,
    variant: str,
    parts: Sequence[_Part],
    confidence: float,
) -> VariantDifference:
    """Let tea-tasting compare a variant with the baseline, unless there is nothing to compare."""
    control, treatment = (one.aggregates for one in parts)
    found = VariantDifference(
        measure=str(measure),
        variant=variant,
        n=treatment.count_,
        n_baseline=control.count_,
        baseline_mean=parts[0].sums.ratio,
        mean=parts[1].sums.ratio,
        baseline_se=_error(control),
        se=_error(treatment),
    )
    if min(found.n, found.n_baseline) < 2:
        return found._replace(undefined=f"{variant} or {baseline} has fewer than 2 units")
    if not found.se + found.baseline_se > 0:
        return found._replace(undefined="all units of each variant are alike")
    has_before = "before" in control.mean_
    if has_before and not min(one.mean("seen") for one in (control, treatment)) > 0:
        return found._replace(
            undefined=f"no unit of {variant} or {baseline} is in the log of before"
        )
    plain = found.baseline_se**2 + found.se**2
    left = _variance_left(control, treatment) if has_before else plain
    if left <= _NOTHING * plain:
        return found._replace(
            undefined="the log of before gives the values exactly, as if it were the same"
        )
    metric = _tea_tasting().RatioOfMeans(
        "values",
        "weights",
        *(("before", "seen") if has_before else ()),
        alternative="two-sided",
        confidence_level=confidence,
        equal_var=False,
        use_t=True,
    )
    by_t = metric.analyze_aggregates(control, treatment)
    found = found._replace(
        difference=float(by_t.effect_size),
        difference_se=math.sqrt(left),
        low=float(by_t.effect_size_ci_lower),
        high=float(by_t.effect_size_ci_upper),
        p=float(by_t.pvalue),
        variance_left=left / plain if has_before else math.nan,
    )
    z = float(special.ndtri((1.0 + confidence) / 2.0))
    if found.baseline_mean - z * found.baseline_se > 0:
        return found._replace(
            relative=float(by_t.rel_effect_size),
            relative_low=float(by_t.rel_effect_size_ci_lower),
            relative_high=float(by_t.rel_effect_size_ci_upper),
        )
    return found._replace(undefined=f"no relative difference, as {baseline} may be 0")


_NOTHING = 1e-9


def _variance_left(control: Any, treatment: Any) -> float:
    """Return the variance of the difference without what the values of before predict of it."""
    now, before, whole = ("values", "weights"), ("before", "seen"), control + treatment
    spread = whole.ratio_var(*before)
    theta = whole.ratio_cov(*now, *before) / spread if spread > 0 else 0.0
    found = 0.0
    for one in (control, treatment):
        alone, both, earlier = (
            one.ratio_var(*now), one.ratio_cov(*now, *before), one.ratio_var(*before),
        )  # fmt: skip
        found += (alone - 2.0 * theta * both + theta**2 * earlier) / one.count()
    return float(found)


def _error(aggregates: Any) -> float:
    """Return the standard error of a ratio, by the delta method."""
    if aggregates.count_ < 2:
        return math.nan
    variance = float(aggregates.ratio_var("values", "weights"))
    return math.sqrt(max(variance, 0.0) / aggregates.count_)
