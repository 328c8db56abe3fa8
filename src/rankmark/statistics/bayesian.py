"""Bayesian tests: probabilities that a system is better, worse, or practically the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, shown
from rankmark.statistics.score_arrays import NO_QUERY, Paired, pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Posterior:
    """Three probabilities that add up to 1.

    Parameters
    ----------
    test
        Its name.
    of
        What the probabilities are of, in words.
    prior
        What was assumed beforehand, in words.
    rope
        Half the width of the region of practical equivalence: differences from -rope to rope count
        as practically none.
    worse, same, better
        Probabilities that the other system is practically worse than the baseline, practically the
        same, and practically better; NaN where ``undefined`` says why.
    n, left_out
        Queries with a score from both, and without.
    undefined
        Why there are no probabilities, or "".
    """

    test: str
    of: str
    prior: str
    rope: float
    worse: float
    same: float
    better: float
    n: int
    left_out: int
    undefined: str = ""


def bayesian_t_test(baseline: ArrayLike, other: ArrayLike, *, rope: float = 0.01) -> Posterior:
    """Return the probabilities that the mean difference lies below, in or above a region.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    rope
        Half the width of the region of practical equivalence, in units of the scores, at least 0.

    Returns
    -------
    Posterior
        Undefined for one query, and where all differences are the same.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or the region is below 0.

    Notes
    -----
    Under the usual prior without information, p(mean, variance) ~ 1 / variance, the mean's
    posterior is Student's t with n - 1 degrees of freedom about the mean found. Queries are taken
    as independent: this is the correlated t test of [1]_ with correlation 0.

    References
    ----------
    .. [1] Benavoli, Corani, Demšar and Zaffalon 2017, Time for a change: a tutorial for comparing
       multiple classifiers through Bayesian analysis, Journal of Machine Learning Research 18(77),
       section 4.1.
    .. [2] Gelman et al. 2013, Bayesian data analysis, section 3.2.

    Examples
    --------
    >>> found = bayesian_t_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> round(found.worse, 3), round(found.same, 3), round(found.better, 3)
    (0.014, 0.003, 0.983)
    """
    from scipy.special import stdtr  # noqa: PLC0415

    rope = _region(rope)
    both = pair(baseline, other)
    differences, n = both.differences, len(both.differences)
    undefined = _too_few(n)
    worse = same = better = math.nan
    if n == 1:
        undefined = "1 query: the spread of differences is unknown"
    if not undefined:
        error = float(differences.std(ddof=1)) / math.sqrt(n)
        if error <= both.rounding:
            undefined = f"all differences are {differences[0]:.6g}"
        else:
            mean = float(differences.mean())
            worse = float(stdtr(n - 1, (-rope - mean) / error))
            better = float(stdtr(n - 1, (mean - rope) / error))
            same = max(0.0, 1 - worse - better)
    return Posterior(
        "Bayesian t",
        "the mean difference",
        "no information on mean and variance",
        rope,
        worse,
        same,
        better,
        n,
        both.left_out,
        undefined,
    )


def bayesian_sign_test(
    baseline: ArrayLike, other: ArrayLike, *, rope: float = 0.01, prior: float = 1.0
) -> Posterior:
    """Return the probabilities that most queries are worse, the same, or better.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    rope
        Half the width of the region of practical equivalence, in units of the scores, at least 0;
        its ends are within.
    prior
        How many queries the prior counts for, all of them in the region; above 0.

    Returns
    -------
    Posterior
        For each of the three, the probability that more queries of the population fall there than
        in either of the others. Integrated numerically, not sampled: there is no seed.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or a parameter is out of range.

    References
    ----------
    .. [1] Benavoli, Corani, Demšar and Zaffalon 2017, Time for a change: a tutorial for comparing
       multiple classifiers through Bayesian analysis, Journal of Machine Learning Research 18(77),
       section 4.2.1: the posterior of the three shares is Dirichlet.

    Examples
    --------
    >>> found = bayesian_sign_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> round(found.worse, 3), round(found.same, 3), round(found.better, 3)
    (0.0, 0.062, 0.938)
    """
    rope = _region(rope)
    if isinstance(prior, bool) or not isinstance(prior, int | float) or not 0 < prior < math.inf:
        raise InputError(f"prior is {shown(prior)}", "need a number above 0")
    both = pair(baseline, other)
    worse = same = better = math.nan
    n = len(both.differences)
    if n:
        counts = _counts(both, rope)
        worse, same, better = _likeliest(counts[0], counts[1] + prior, counts[2])
    return Posterior(
        "Bayesian sign",
        "which of the three holds for most queries",
        f"as if {prior:g} more {'query' if prior == 1 else 'queries'} fell in the region",
        rope,
        worse,
        same,
        better,
        n,
        both.left_out,
        _too_few(n),
    )


def _region(rope: float) -> float:
    if isinstance(rope, bool) or not isinstance(rope, int | float) or not 0 <= rope < math.inf:
        raise InputError(
            f"rope is {shown(rope)}", "need a number of at least 0, half the width of the region"
        )
    return float(rope)


def _too_few(n: int) -> str:
    return "" if n else NO_QUERY


def _counts(both: Paired, rope: float) -> tuple[int, int, int]:
    worse = int(np.sum(both.differences < -rope - both.rounding))
    better = int(np.sum(both.differences > rope + both.rounding))
    return worse, len(both.differences) - worse - better, better


def _likeliest(*shapes: float) -> tuple[float, ...]:
    """Return for each share of a Dirichlet distribution the probability that it is the largest.

    Shares are gamma variables over their sum, so the largest is that of the largest gamma
    variable: the integral of its density times the others' distribution functions. A share
    without any count is certainly 0.
    """
    from scipy.special import gammainc, gammaincinv  # noqa: PLC0415

    # Nodes between the quantiles of all variables, where a distribution function may rise.
    nodes, weights = _nodes()
    found = []
    for at, shape in enumerate(shapes):
        if shape == 0:
            found.append(0.0)
            continue
        values = gammaincinv(shape, nodes)
        others = [other for place, other in enumerate(shapes) if place != at and other > 0]
        product = np.prod([gammainc(other, values) for other in others], axis=0)
        found.append(float(np.sum(weights * product)))
    total = sum(found)
    return tuple(share / total for share in found)


def _nodes() -> tuple[Any, Any]:
    """Return nodes and weights of an integral from 0 to 1, dense at both ends."""
    # The double exponential rule of Takahasi and Mori 1974 on 4,001 points.
    x = np.linspace(-4.0, 4.0, 4001)
    nodes = 0.5 * (1 + np.tanh(np.pi / 2 * np.sinh(x)))
    weights = np.pi / 4 * np.cosh(x) / np.cosh(np.pi / 2 * np.sinh(x)) ** 2 * (x[1] - x[0])
    inside = (nodes > 0) & (nodes < 1)
    return nodes[inside], weights[inside]
