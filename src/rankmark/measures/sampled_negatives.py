"""Measures of targets that were ranked among a sample of all items, corrected; and the reverse."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment, Needs
from rankmark.errors import MeasureError, listed
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import between, choice, flag, size, text
from rankmark.measures.families.of_measure import OfMeasure

_ROWS = 20_000  # ranks whose chances are held at once
_MOST_ILL_CONDITIONED = 1e10
_OF_RANK = {"documents", "order", "grades"}


class OfSample(OfMeasure):
    """A measure of where one target is, among all items or among sampled ones."""

    of: str = text("the measure, whose value depends on the rank of the target alone")
    items: int | None = size("how many items are ranked, the target among them")
    negatives: int | None = size("how many other items are sampled")
    distinct: bool = flag("whether the same item cannot be sampled twice")

    aliases: Aliases = {}
    depends_on: DependsOn = "order"
    reaches_bound = False
    promoting_helps = False
    also = ", ..."

    @property
    def inner(self) -> Measure:
        """The measure that is corrected, or expected."""
        found = self.named
        if not depends_on_rank(found):
            raise MeasureError(
                f"{found} depends on more than the rank of the target",
                "choose another, such as nDCG@10, RR or R@10",
                where=str(self),
            )
        return found

    def needs(self) -> Needs:
        return Needs(lowest=float(getattr(self.inner, "rel", 1.0)) if self.of else 1.0)

    def _targets(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the rank of each query's target, infinite without rankings, and its label."""
        if self.negatives is None:
            raise MeasureError("negatives is None", "give how many were sampled", where=str(self))
        lowest = self.needs().lowest
        rank = a.first_rank(lowest, None)
        wrong = (a.retrieved > 0) & ((a.found(lowest, None) != 1) | (a.num_relevant(lowest) != 1))
        if wrong.any():
            queries = [a.queries[row] for row in np.flatnonzero(wrong)[:3].tolist()]
            raise MeasureError(
                "each list needs one relevant document, the target, and these have none or "
                f"several: {listed(queries, int(wrong.sum()))}",
                "make a query of each target, and give whole lists",
                where=str(self),
            )
        return rank, a.first(a.relevant(lowest), a.label)

    def _weigh(self, a: Alignment, items: Ints, weights_of: Any) -> Floats:
        """Return the value at each target's rank among (Q,) items: (Q,); 0 without a ranking."""
        rank, label = self._targets(a)
        values = np.zeros(len(rank))
        placed = np.isfinite(rank)
        for one, many in {*zip(label[placed].tolist(), items[placed].tolist(), strict=True)}:
            here = placed & (label == one) & (items == many)
            values[here] = weights_of(one, many, rank[here].astype(np.int64))
        return values


class CorrectedMeasure(OfSample):
    """An estimate of a measure on all items, where each target was ranked among sampled negatives.

    Formula: w(s), s being the rank of the target in its list. With P(r, s) the chance of s if the
    target's rank among all items is r, and b(r) the measure there, w minimises, over ranks r that
    are all as likely, the squared bias plus gamma times the variance: it solves
    ((1 - gamma) P'P + gamma diag(P'1)) w = P'b. With ``estimator="rank"``, it is the measure at
    rank 1 + floor((items - 1) (s - 1) / negatives). Means can be below 0 and above 1.
    Nothing relevant: 0, as for queries without a list.
    Ties: by the evaluation's rule.
    Unjudged documents: sampled items.
    Elsewhere: no tool corrects sampled metrics.
    Source: Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020, section 5.
    """

    gamma: float = between(
        "the weight of the variance, that of the squared bias being 1", 0.1, 0, 1
    )
    estimator: str = choice("what estimates the measure", "BV", "rank")

    name = "Corrected"
    full_name = "measure on all items, estimated from a sample"
    formula = "w(rank of the target in the sample)"
    latex = r"w(s)"
    bounds = (-np.inf, np.inf)

    def score(self, a: Alignment) -> Floats:
        items, negatives = self.items, self.negatives
        if items is None or negatives is None or items <= negatives:
            raise MeasureError(
                f"items is {items} and negatives {negatives}",
                "need how many items there are, and how many fewer were sampled",
                where=str(self),
            )

        def at(label: float, items: int, rank: Ints) -> Floats:
            if rank.max() > negatives + 1:
                raise MeasureError(
                    f"a target has rank {rank.max():,}, and {negatives:,} negatives were sampled",
                    "give as many negatives as the lists have",
                    where=str(self),
                )
            if self.estimator == "rank":
                guessed = 1 + (items - 1) * (rank - 1) // negatives
                return values_at_ranks(self.inner, items, label)[guessed - 1]
            choices = {"distinct": self.distinct, "gamma": self.gamma, "label": label}
            return _correction(self.inner, items, negatives, **choices)[rank - 1]

        return self._weigh(a, np.full(len(a.retrieved), items), at)


class SampledMeasure(OfSample):
    """The expected value of a measure if each target were ranked among sampled negatives.

    Formula: sum over s of P(r, s) m(s): m(s) is the measure at rank s among the target and the
    negatives, P(r, s) the chance that s - 1 of them are ranked above the target, whose rank among
    all ``items`` is r: binomial, or with ``distinct`` hypergeometric. By default, there are as many
    items as the list has.
    Nothing relevant: 0, as for queries without a list.
    Ties: by the evaluation's rule.
    Unjudged documents: items that may be sampled.
    Elsewhere: what NCF, RecBole's ``uni100`` and others measure on average.
    Source: Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020, section 4.
    """

    name = "Sampled"
    full_name = "expected measure on a sample of items"
    formula = "sum over s of P(r, s) m(s)"
    latex = r"\sum_s P(r, s)\, m(s)"
    bounds = (-np.inf, np.inf)

    def score(self, a: Alignment) -> Floats:
        negatives = self.negatives or 0

        def at(label: float, items: int, rank: Ints) -> Floats:
            if rank.max() > items or negatives >= items:
                raise MeasureError(
                    f"a target has rank {rank.max():,} of {items:,} items, and {negatives:,} "
                    "negatives are to be sampled",
                    "give how many items there are",
                    where=str(self),
                )
            ranks, place = np.unique(rank, return_inverse=True)
            values = values_at_ranks(self.inner, negatives + 1, label)
            chances = chances_of_ranks(ranks, items, negatives, distinct=self.distinct)
            return (chances @ values)[place]

        retrieved = np.asarray(a.retrieved)
        items = retrieved if self.items is None else np.full(len(retrieved), self.items)
        return self._weigh(a, items, at)


def depends_on_rank(measure: Measure) -> bool:
    """Return whether the value of a list with one relevant document depends on its rank alone."""
    has_own = measure.judged_only or measure.is_apart or measure.own_conventions
    return measure.depends_on in _OF_RANK and not has_own and not isinstance(measure, OfSample)


def values_at_ranks(measure: Measure, items: int, label: float) -> Floats:
    """Return the value of a measure if one of so many items is relevant, by its rank: (items,)."""
    starts = np.arange(items + 1)
    return measure.score(
        Alignment(
            ("",) * items,
            starts,
            np.arange(1, items + 1, dtype=np.int32),
            np.full(items, label),
            np.full(items, items),
            starts,
            np.full(items, label),
        )
    )


def chances_of_ranks(ranks: Ints, items: int, negatives: int, *, distinct: bool) -> Floats:
    """Return the chance of each rank in a sample: (n, negatives + 1) float64, rows add up to 1.

    Parameters
    ----------
    ranks
        (n,) int64, ranks among all items, from 1.
    items, negatives
        How many items there are, and how many of them but the target are sampled.
    distinct
        Whether no item is sampled twice.
    """
    above = np.arange(negatives + 1)
    better = (ranks - 1)[:, None]
    if distinct:
        factorial = np.append(0.0, np.cumsum(np.log(np.arange(1, items + 1))))

        def chosen(n: Ints, k: Ints) -> Floats:
            possible = (k >= 0) & (k <= n)
            logs = factorial[n] - factorial[np.where(possible, k, 0)]
            return np.where(possible, logs - factorial[np.where(possible, n - k, 0)], -np.inf)

        worse = items - 1 - better
        logs = chosen(better, above) + chosen(worse, negatives - above)
        return np.exp(logs - chosen(np.array(items - 1), np.array(negatives)))
    ways = np.array([math.log(math.comb(negatives, k)) for k in range(negatives + 1)])
    share = better / max(items - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(above == 0, 0.0, above * np.log(share))
        logs += np.where(above == negatives, 0.0, (negatives - above) * np.log1p(-share))
    return np.exp(ways + logs)


@lru_cache(maxsize=32)
def _correction(
    measure: Measure, items: int, negatives: int, *, distinct: bool, gamma: float, label: float
) -> Floats:
    """Return what replaces the measure at each rank in a sample: (negatives + 1,) float64."""
    values = values_at_ranks(measure, items, label)
    bias: Floats = np.zeros((negatives + 1, negatives + 1))
    variance: Floats = np.zeros(negatives + 1)
    target: Floats = np.zeros(negatives + 1)
    for begin in range(0, items, _ROWS):
        ranks = np.arange(begin + 1, min(begin + _ROWS, items) + 1)
        chances = chances_of_ranks(ranks, items, negatives, distinct=distinct)
        bias = np.add(bias, chances.T @ chances)
        variance = np.add(variance, chances.sum(axis=0))
        target = np.add(target, chances.T @ values[ranks - 1])
    equations = (1.0 - gamma) * bias + gamma * np.diag(variance)
    if np.linalg.cond(equations, 1) > _MOST_ILL_CONDITIONED:
        raise MeasureError(
            f"gamma is {gamma:g}, so that rounding would decide the values for "
            f"{negatives:,} negatives",
            "choose a higher one, such as 0.01",
            where="Corrected",
        )
    solved = np.linalg.solve(equations, target)
    found: Floats = solved.astype(np.float64, copy=False)
    found.flags.writeable = False
    return found


Corrected: Final = CorrectedMeasure()
Sampled: Final = SampledMeasure()
