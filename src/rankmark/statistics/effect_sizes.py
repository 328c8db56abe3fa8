"""Effect sizes: how large a difference is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rankmark.array_types import Floats, Ints
from rankmark.statistics.score_arrays import NO_QUERY, ROUNDING, cube, pair, without_rounding
from rankmark.statistics.sign_flips import pairs_of
from rankmark.work_progress import steps


@dataclass(frozen=True, slots=True)
class EffectSize:
    """How far apart two systems are on the same queries.

    Parameters
    ----------
    n, left_out
        Queries with a score from both, and without.
    wins, ties, losses
        Queries for which the other system is better, the same, and worse.
    difference
        Mean difference, the other minus the baseline, in units of the scores.
    relative
        ``difference`` over the baseline's mean; NaN where that is 0.
    d_z
        Standardised mean difference of pairs: the mean of the differences over their standard
        deviation (n - 1) [1]_. t is this times the square root of n.
    d_av
        The mean of the differences over the root of the mean of both systems' variances (n - 1),
        which does not grow when the systems agree on which queries are hard [1]_.
    hedges
        The factor that approximately removes the bias of d_z and d_av: 1 - 3 / (4 (n - 1) - 1).
    probability_of_superiority
        How likely the other system is to be better for a query; ties count half [2]_.
    dominance
        (wins - losses) / n, from -1 to 1.
    cliffs_delta
        The same over all n^2 pairs of a score of the other system and a score of the baseline,
        whether or not they belong to the same query [3]_.
    undefined
        Why standardised differences are NaN, or "".

    References
    ----------
    .. [1] Lakens 2013, Calculating and reporting effect sizes to facilitate cumulative science,
       Frontiers in Psychology 4:863, formulas 4, 6, 7 and 10.
    .. [2] Grissom and Kim 2012, Effect sizes for research, chapter 5.
    .. [3] Cliff 1993, Dominance statistics: ordinal analyses to answer ordinal questions,
       Psychological Bulletin 114(3), pages 494-509.
    """

    n: int
    left_out: int
    wins: int
    ties: int
    losses: int
    difference: float
    relative: float
    d_z: float
    d_av: float
    hedges: float
    probability_of_superiority: float
    dominance: float
    cliffs_delta: float
    undefined: str = ""


def effect_size(baseline: ArrayLike, other: ArrayLike) -> EffectSize:
    """Return effect sizes of the difference between two systems.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.

    Returns
    -------
    EffectSize
        Its documentation has the formula of each number.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers.

    Examples
    --------
    >>> effect = effect_size([0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.6, 0.3])
    >>> effect.wins, effect.ties, effect.losses, effect.probability_of_superiority
    (2, 1, 1, 0.625)
    >>> round(effect.difference, 3), round(effect.d_z, 3)
    (0.075, 0.439)
    """
    both = pair(baseline, other)
    if not len(both.differences):
        return _without_queries(both.left_out)
    systems = _Systems(np.stack([both.baseline, both.other]))
    found = _of_rows(systems, 0, [1], both.differences[None], np.array([both.rounding]))
    return replace(found[0], left_out=both.left_out)


def effect_sizes(
    scores: ArrayLike, pairs: Sequence[tuple[int, int]] | None = None
) -> tuple[tuple[EffectSize, ...], ...]:
    """Return effect sizes of pairs of systems on several measures.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems); NaN where there is no score.
    pairs
        Numbers of systems, (baseline, other) each; all pairs if None.

    Returns
    -------
    tuple of tuple of EffectSize
        ``[pair][measure]``, the same as ``effect_size`` gives for each, but faster.

    Raises
    ------
    InputError
        If a pair names a system that does not exist, or a score is infinite.
    """
    given = cube("scores", scores)
    chosen = pairs_of(given.shape[1], pairs)
    found: dict[tuple[int, int], EffectSize] = {}
    for measure in range(given.shape[2]):
        systems = _Systems(np.ascontiguousarray(given[:, :, measure].T))
        missing = np.asarray(np.isnan(systems.values).any(axis=1))
        codes = None
        if len(chosen) > 2 * len(missing) and len(given) and not missing.any():
            codes = systems.codes()
        baselines = dict.fromkeys(a for a, _ in chosen)
        for baseline in steps("measuring effects", baselines, len(baselines)):
            numbers = [at for at, one in enumerate(chosen) if one[0] == baseline]
            others = [chosen[at][1] for at in numbers]
            if missing[[baseline, *others]].any() or not len(given):
                values = systems.values
                results = [effect_size(values[baseline], values[other]) for other in others]
            else:
                results = _of_baseline(systems, baseline, others, codes)
            found |= {(at, measure): one for at, one in zip(numbers, results, strict=True)}
    each = range(given.shape[2])
    return tuple(tuple(found[at, one] for one in each) for at in range(len(chosen)))


class _Systems:
    """The scores of systems on a measure, and what all pairs need of them.

    Attributes
    ----------
    values
        (systems, n) float64.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values

    @cached_property
    def most(self) -> Floats:
        """The largest score of each, without its sign."""
        return np.abs(self.values).max(axis=1)

    @cached_property
    def means(self) -> Floats:
        return self.values.mean(axis=1)

    @cached_property
    def variances(self) -> Floats:
        return self.values.var(axis=1, ddof=1)

    @cached_property
    def ordered(self) -> Floats:
        """The scores of each, sorted."""
        return np.sort(self.values, axis=1)

    def codes(self) -> Ints | None:
        """Give scores numbers in ascending order, the same where they differ by rounding only.

        (systems, n) int64. None if which differ by rounding only depends on the pair of systems,
        or on what lies between them.
        """
        least, most = (ROUNDING * float(one) for one in (self.most.min(), self.most.max()))
        distinct, numbers = np.unique(self.values, return_inverse=True)
        first = np.flatnonzero(np.concatenate([[True], np.diff(distinct) > 2 * most]))
        last = np.append(first[1:], len(distinct)) - 1
        if (distinct[last] - distinct[first] > least / 2).any():
            return None
        lengths = last - first + 1
        return np.repeat(np.arange(len(first)), lengths)[numbers].reshape(self.values.shape)


def _of_baseline(
    systems: _Systems, baseline: int, others: Sequence[int], codes: Ints | None
) -> list[EffectSize]:
    """Compare systems without NaN with one baseline, by their numbers."""
    rounding = ROUNDING * np.maximum(systems.most[others], systems.most[baseline])
    differences = systems.values[others] - systems.values[baseline]
    differences = without_rounding(differences, rounding[:, None])
    deltas = None if codes is None else _cliffs_deltas(codes[baseline], codes[others])
    return _of_rows(systems, baseline, others, differences, rounding, deltas)


def _of_rows(
    systems: _Systems,
    baseline: int,
    others: Sequence[int],
    differences: Floats,
    rounding: Floats,
    deltas: Floats | None = None,
) -> list[EffectSize]:
    """Compare row by row: (others, n) float64, with at least one query, and (others,)."""
    n = differences.shape[1]
    wins, losses = np.sum(differences > 0, axis=1), np.sum(differences < 0, axis=1)
    means = without_rounding(differences.mean(axis=1), rounding)
    spreads = averages = np.zeros(len(others))
    if n > 1:
        spreads = differences.std(axis=1, ddof=1)
        averages = np.sqrt((systems.variances[baseline] + systems.variances[others]) / 2)
    if deltas is None:
        ordered = systems.ordered
        deltas = np.array(
            [
                _cliffs_delta(ordered[baseline], ordered[other], float(rounding[row]))
                for row, other in enumerate(others)
            ]
        )
    mean = float(systems.means[baseline])
    found = []
    for row in range(len(others)):
        difference, ties = float(means[row]), int(n - wins[row] - losses[row])
        is_spread, is_average = spreads[row] > rounding[row], averages[row] > rounding[row]
        undefined = "1 query" if n == 1 else ""
        if n > 1 and not is_spread:
            undefined = f"all differences are {differences[row, 0]:.6g}"
        found.append(
            EffectSize(
                n=n,
                left_out=0,
                wins=int(wins[row]),
                ties=ties,
                losses=int(losses[row]),
                difference=difference,
                relative=difference / mean if mean else math.nan,
                d_z=difference / float(spreads[row]) if is_spread else math.nan,
                d_av=difference / float(averages[row]) if is_average else math.nan,
                hedges=1 - 3 / (4 * (n - 1) - 1) if n > 1 else math.nan,
                probability_of_superiority=float((wins[row] + ties / 2) / n),
                dominance=float((wins[row] - losses[row]) / n),
                cliffs_delta=float(deltas[row]),
                undefined=undefined,
            )
        )
    return found


def _without_queries(left_out: int) -> EffectSize:
    return EffectSize(
        n=0,
        left_out=left_out,
        wins=0,
        ties=0,
        losses=0,
        difference=math.nan,
        relative=math.nan,
        d_z=math.nan,
        d_av=math.nan,
        hedges=math.nan,
        probability_of_superiority=math.nan,
        dominance=math.nan,
        cliffs_delta=math.nan,
        undefined=NO_QUERY,
    )


def _cliffs_delta(ordered: Floats, others: Floats, rounding: float) -> float:
    """Return Cliff's delta of the scores of a baseline and of another, both sorted: (n,) each."""
    below = np.searchsorted(ordered, others - rounding, side="left")
    above = len(ordered) - np.searchsorted(ordered, others + rounding, side="right")
    return float(np.sum(below - above)) / len(ordered) ** 2


def _cliffs_deltas(baseline: Ints, others: Ints) -> Floats:
    """Return Cliff's delta of other systems, from the codes of scores: (n,) and (others, n)."""
    n = len(baseline)
    equal = np.bincount(baseline, minlength=int(others.max()) + 1)
    # How many of the baseline's scores are below one of this code, less those that are above.
    less = 2 * np.cumsum(equal) - equal - n
    return less[others].sum(axis=1) / n**2
