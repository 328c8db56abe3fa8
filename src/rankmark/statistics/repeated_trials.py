"""How scores vary between queries and between repeated trials, and how often trials pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats


class VarianceComponents(NamedTuple):
    """The variances of a random effect of the query, and of trials within a query [1]_.

    Parameters
    ----------
    queries, trials
        Both variances, from 0; NaN if there are too few queries or trials.

    References
    ----------
    .. [1] Shrout and Fleiss 1979, Intraclass correlations: uses in assessing rater reliability,
       Psychological Bulletin 86(2), pages 420-428.
    """

    queries: float
    trials: float

    @property
    def icc(self) -> float:
        """The intraclass correlation ICC(1): the share that queries have of the variance."""
        whole = self.queries + self.trials
        return self.queries / whole if whole > 0 else math.nan


def variance_components(scores: Floats) -> VarianceComponents:
    """Return the components of variance of (n_queries, n_trials) scores.

    Examples
    --------
    >>> import numpy as np
    >>> found = variance_components(np.array([[0.0, 0.2], [0.4, 0.6], [1.0, 0.8]]))
    >>> round(found.queries, 4), round(found.trials, 4)
    (0.15, 0.02)
    """
    queries, trials = scores.shape
    if not queries or trials < 2:
        return VarianceComponents(math.nan, math.nan)
    within = float(scores.var(axis=1, ddof=1).mean())
    if queries < 2:
        return VarianceComponents(math.nan, within)
    of_means = float(scores.mean(axis=1).var(ddof=1))
    return VarianceComponents(max(0.0, of_means - within / trials), within)


class TrialTrade(NamedTuple):
    """What one more trial of each query is worth, for the mean of differences of two systems.

    Parameters
    ----------
    variance_of_queries, variance_of_trials
        The two parts of the variance of a query's difference: that between queries, and that which
        trials add, as they are so few.
    queries
        How many more queries make the standard error as small as one more trial of each query.
    cost
        How many answers judging a new query must cost for that trial to be cheaper: with the
        answers of all trials, it is what a query costs [1]_.

    References
    ----------
    .. [1] Cochran 1977, Sampling techniques, third edition, chapter 10: the best number of units
       within a unit is the root of a ratio of costs and variances.
    """

    variance_of_queries: float
    variance_of_trials: float
    queries: float
    cost: float


def trial_trade(spread: float, n: int, trials: Sequence[tuple[float, int]]) -> TrialTrade:
    """Weigh one more trial of each query against more queries.

    Parameters
    ----------
    spread
        Standard deviation of the differences of queries, each a difference of means of trials.
    n
        The number of queries.
    trials
        The variance between the trials of a query, and their number, of each system that has some.

    Examples
    --------
    >>> found = trial_trade(0.2, 50, [(0.04, 2)])
    >>> [round(one, 4) for one in found]
    [0.02, 0.02, 10.0, 3.0]
    """
    now = sum(variance / count for variance, count in trials)
    later = sum(variance / (count + 1) for variance, count in trials)
    between = max(0.0, spread * spread - now)
    if not now > later:
        return TrialTrade(between, now, 0.0, math.inf)
    answers = sum(count for _, count in trials)
    more = (between + later) * (answers + len(trials)) - (between + now) * answers
    queries = n * (now - later) / (between + later)
    return TrialTrade(between, now, queries, max(0.0, more / (now - later)))


class PassRates(NamedTuple):
    """How often trials of a query pass; number k of a list is of k + 1 trials.

    Parameters
    ----------
    any_of, all_of
        How often any, and all, of so many trials pass, without bias [1]_ [2]_.
    flips
        The share of queries of which some trials pass and some do not.

    References
    ----------
    .. [1] Chen et al. 2021, Evaluating large language models trained on code, arXiv:2107.03374:
       pass@k.
    .. [2] Yao et al. 2024, tau-bench: a benchmark for tool-agent-user interaction in real-world
       domains, arXiv:2406.12045: pass^k.
    """

    any_of: tuple[float, ...]
    all_of: tuple[float, ...]
    flips: float


def pass_rates(passed: Bools, weights: Floats | None = None) -> PassRates:
    """Return how often trials pass.

    Parameters
    ----------
    passed
        (n_queries, n_trials) bool, of one query at least.
    weights
        (n_queries,) float64; None if all queries count alike.

    Examples
    --------
    >>> import numpy as np
    >>> pass_rates(np.array([[True, True], [True, False]]))
    PassRates(any_of=(0.75, 1.0), all_of=(0.75, 0.5), flips=0.5)
    """
    trials = passed.shape[1]
    counts = passed.sum(axis=1)
    found = np.bincount(counts, weights, trials + 1)
    shares = (found / found.sum()).tolist()

    def drawn(of: range, k: int) -> float:
        """Return how often all of k trials are among those counted."""
        pairs = zip(of, shares, strict=True)
        ways = sum(share * math.comb(count, k) for count, share in pairs)
        return float(ways / math.comb(trials, k))

    each = range(1, trials + 1)
    return PassRates(
        tuple(1 - drawn(range(trials, -1, -1), k) for k in each),
        tuple(drawn(range(trials + 1), k) for k in each),
        sum(shares[1:trials]),
    )
