"""Tests of symmetry by Wilcoxon's ranks and by signs, which skewed differences mislead."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import one_of
from rankmark.array_types import Floats, Ints
from rankmark.statistics.paired_test import (
    PairedTest,
    floor_warning,
    p_of_tails,
    smallest_of_signs,
    without_p,
)
from rankmark.statistics.randomisation import EXACT_UP_TO, exact_p
from rankmark.statistics.scipy_functions import special, stats
from rankmark.statistics.score_arrays import Alternative, on_grid, pair, skewness

Zeros = Literal["wilcox", "pratt", "zsplit"]

SKEWED = 0.5
"""Skewness from which on symmetry is in doubt, if it is twice its standard error too."""


def wilcoxon_test(
    baseline: ArrayLike,
    other: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "wilcox",
) -> PairedTest:
    """Test by Wilcoxon's signed ranks whether the differences are symmetric about 0.

    This is not a test of the mean: differences of mean 0 that are not symmetric are rejected more
    and more often the more queries there are. Where they are skewed, ``warning`` says so.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.
    zeros
        What becomes of differences of 0: "wilcox" drops them before ranking, "pratt" ranks them
        and drops their ranks [2]_, "zsplit" gives half of their ranks to each side.

    Returns
    -------
    PairedTest
        ``statistic`` is the sum of the ranks of positive differences. Tied differences share their
        mean rank.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

    Notes
    -----
    Up to 30 differences that are not 0, all signs of the ranks are counted, ties and zeros being
    what they are. Beyond, the sum is compared with the normal distribution, its variance corrected
    for ties and zeros, without a correction for continuity. The sign of a zero cannot change, so
    "pratt" and "zsplit" have the same p; scipy's normal approximation of "zsplit" counts the zeros
    in the variance, and its p is a little larger.

    References
    ----------
    .. [1] Wilcoxon 1945, Individual comparisons by ranking methods, Biometrics Bulletin 1(6).
    .. [2] Pratt 1959, Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal of
       the American Statistical Association 54(287), pages 655-667.
    .. [3] scipy.stats.wilcoxon.

    Examples
    --------
    >>> result = wilcoxon_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> result.p, result.statistic, result.method
    (0.125, 10.0, 'all 16 signs of ranks, zeros: wilcox')
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    one_of("zeros", zeros, "wilcox", "pratt", "zsplit")
    both = pair(baseline, other)
    null = "the differences are symmetric about 0"
    result = without_p(both.differences, "Wilcoxon", null, alternative, both.left_out)
    if result.undefined:
        return result
    differences = on_grid(both.differences, both.rounding)
    signs, ranks, share = _signed_ranks(differences, zeros)
    nonzero = int(np.count_nonzero(signs))
    exact = nonzero <= EXACT_UP_TO
    signed = float(signs @ ranks)
    spread = math.sqrt(float(np.abs(signs) @ ranks**2))
    if exact:
        p = exact_p(2 * (signs * ranks)[signs != 0], 0.0, alternative)  # mean ranks are halves
    else:
        z = signed / spread
        p = p_of_tails(special.ndtr, z, alternative)
    least = float(np.abs(signs) @ ranks) / spread
    smallest = smallest_of_signs(nonzero, alternative) if exact else float(special.ndtr(-least))
    if not exact and alternative == "two-sided":
        smallest *= 2
    way = f"all {2**nonzero:,} signs of ranks" if exact else "normal approximation"
    return replace(
        result,
        statistic=float(ranks[signs > 0].sum()) + share,
        statistic_name="sum of the ranks of positive differences",
        p=min(1.0, p),
        smallest_p=smallest,
        method=f"{way}, zeros: {zeros}",
        warning=_joined(floor_warning(smallest), skew_warning(both.differences, "Wilcoxon test")),
    )


def sign_test(
    baseline: ArrayLike, other: ArrayLike, *, alternative: Alternative = "two-sided"
) -> PairedTest:
    """Test by signs whether the other system is better as often as it is worse.

    This is a test of the median, not the mean. Where differences are skewed, ``warning`` says so.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.

    Returns
    -------
    PairedTest
        ``statistic`` is the number of queries for which the other system is better. Queries for
        which both are the same are dropped.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

    References
    ----------
    .. [1] Arbuthnott 1710, An argument for divine providence, Philosophical Transactions 27.
    .. [2] scipy.stats.binomtest.

    Examples
    --------
    >>> result = sign_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> result.p, result.statistic
    (0.125, 4.0)
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    both = pair(baseline, other)
    null = "among differences that are not 0, positive and negative ones are equally likely"
    result = without_p(both.differences, "sign", null, alternative, both.left_out)
    if result.undefined:
        return result
    wins = int(np.count_nonzero(both.differences > 0))
    nonzero = result.nonzero
    smallest = smallest_of_signs(nonzero, alternative)
    return replace(
        result,
        statistic=float(wins),
        statistic_name="queries for which the other system is better",
        p=float(stats.binomtest(wins, nonzero, alternative=alternative).pvalue),
        smallest_p=smallest,
        method=f"binomial distribution, {nonzero:,} differences that are not 0",
        warning=_joined(floor_warning(smallest), skew_warning(both.differences, "sign test")),
    )


def p_of_signs(wins: Ints, losses: Ints) -> Floats:
    """Return the two-sided p of the sign test for each number of wins and losses; 1 of none."""
    return np.minimum(1.0, 2.0 * special.bdtr(np.minimum(wins, losses), wins + losses, 0.5))


def skew_warning(differences: Floats, test: str) -> str:
    """Warn where differences are so skewed that a test of symmetry is not one of the mean.

    Those of 0 are left out, as the tests leave them out. Skewness counts where it is no less than
    0.5 and twice its standard error for normal differences, or, however small, three times its
    standard error for any symmetric ones [1]_.

    References
    ----------
    .. [1] Gupta 1967, An asymptotically nonparametric test of symmetry, Annals of Mathematical
       Statistics 38(3), pages 849-866.
    """
    differences = differences[differences != 0]
    n = len(differences)
    if n < 4 or differences.std() == 0:
        return ""
    skew = skewness(differences)
    by_chance = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    centred = (differences - differences.mean()) / differences.std()
    sixth, fourth = float(np.mean(centred**6)), float(np.mean(centred**4))
    of_any = math.sqrt(max(0.0, sixth - 6 * fourth + 9) / n)
    if abs(skew) < max(SKEWED, 2 * by_chance) and abs(skew) <= 3 * of_any:
        return ""
    return (
        f"the differences that are not 0 are skewed (skewness {skew:+.2f}), and the {test} may "
        "reject though their mean is 0; the randomisation and t tests compare means"
    )


def _signed_ranks(differences: Floats, zeros: Zeros) -> tuple[Floats, Floats, float]:
    """Return signs, ranks, and what zeros add to the sum of positive ranks."""
    if zeros == "wilcox":
        differences = differences[differences != 0]
    signs = np.sign(differences)
    ranks = stats.rankdata(np.abs(differences))
    share = float(ranks[signs == 0].sum()) / 2 if zeros == "zsplit" else 0.0
    return signs, ranks, share


def _joined(*warnings: str) -> str:
    return "; ".join(filter(None, warnings))
