"""The tests, corrections and intervals that a comparison of runs makes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark.arguments import Draws, Seed, Share, checked, filled, number_of_draws
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.array_types import Floats

Test = Literal["randomisation", "t", "wilcoxon", "sign", "bootstrap"]
Correction = Literal["holm", "hochberg", "bonferroni", "bh", "by", "max-t", "tukey", "none"]
Family = Literal["measure", "all"]
IntervalMethod = Literal["auto", "t", "BCa"]

_FEWEST = 10_000  # resamples, by default
_MANY = 500_000  # beyond these, only as many as significance needs
_MOST = 2_000_000
_TESTS_OF_SAMPLES = ("randomisation", "t")

MANY_PAIRS, FEW_QUERIES = 10, 100
"""More pairs than that, on no more queries, are tested by the bootstrap with max-T by default.

Holm's correction compares p-values far in the tails, where those of skewed differences are too
small (``benchmarks/family_errors.py``). With more queries they are not, and with fewer pairs they
are hardly.
"""


class Sampling(NamedTuple):
    """The clusters and weights of queries.

    Parameters
    ----------
    clusters
        (n_queries,) what each query belongs to; None if queries are independent.
    weights
        (n_queries,) float64 from 0; None if all count alike.
    are_draws
        Whether queries are draws, so that one may be there several times.
    """

    clusters: Sequence[Hashable] | None = None
    weights: Floats | None = None
    are_draws: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether queries are independent, and count alike."""
        return self.clusters is None and self.weights is None

    def of(self, rows: Sequence[int]) -> Sampling:
        """Return the sampling of some of the queries."""
        return Sampling(
            None if self.clusters is None else [self.clusters[row] for row in rows],
            None if self.weights is None else self.weights[list(rows)],
            self.are_draws,
        )


@dataclass(frozen=True, slots=True)
class Choices:
    """Which tests, corrections and intervals a comparison makes.

    Parameters
    ----------
    test, correction, family, interval
        As ``rm.compare`` takes them.
    confidence
        Of all intervals; differences are significant at the level 1 - confidence.
    resamples
        How often signs, labels or queries are drawn.
    seed
        Of all draws.
    threads
        The number of threads; no result depends on it.
    """

    test: Test = "randomisation"
    correction: Correction = "holm"
    family: Family = "measure"
    interval: IntervalMethod = "auto"
    confidence: float = 0.95
    resamples: int = _FEWEST
    seed: int = 0
    threads: int = 1

    @property
    def draws(self) -> dict[str, Any]:
        """How often something is drawn, from which seed, and by how many threads."""
        return {"resamples": self.resamples, "seed": self.seed, "threads": self.threads}

    @property
    def level(self) -> float:
        """The significance level."""
        return round(1 - self.confidence, 12)


def completed(
    test: Test | None,
    correction: Correction | None,
    *,
    pairs: int,
    queries: int,
    sampling: Sampling,
    in_slices: bool,
) -> tuple[Test, Correction]:
    """Return the test and the correction, by default those that suit so many pairs and queries.

    Parameters
    ----------
    test, correction
        As given, None where they were not.
    pairs, queries
        How many pairs are compared, and on how many queries.
    sampling
        The clusters and weights of the queries, which the bootstrap does not take.
    in_slices
        Whether the comparison is repeated in slices, which are corrected together with the whole.
    """
    is_free = sampling.is_simple and not in_slices
    if correction is None and test in {None, "bootstrap"} and is_free:
        is_family = pairs > MANY_PAIRS and queries <= FEW_QUERIES
        correction = "max-t" if is_family else "holm"
    if test is None and correction == "max-t" and is_free:
        test = "bootstrap"
    return test or "randomisation", correction or "holm"


@checked
def choices(
    *,
    test: Test,
    correction: Correction,
    family: Family,
    interval: IntervalMethod,
    confidence: Share,
    resamples: Draws | None,
    seed: Seed,
    threads: int,
    hypotheses: int,
    all_pairs: bool,
    sampling: Sampling,
) -> Choices:
    """Return the choices, checked and completed with defaults.

    Parameters
    ----------
    hypotheses
        How many p-values the largest family has.
    all_pairs
        Whether all pairs of runs are compared.
    sampling
        Whether queries come in clusters, or have weights.
    """
    if correction == "max-t" and test not in {"randomisation", "bootstrap"}:
        raise InputError(
            f"correction max-t belongs to the bootstrap and randomisation tests, and test is "
            f"{test}",
            "choose one of these, or correction='holm'",
        )
    if correction == "tukey":
        if test not in {"randomisation", "t"}:
            raise InputError(
                f"correction tukey belongs to the randomisation and t tests, and test is {test}",
                "choose one of these, or correction='holm'",
            )
        if not all_pairs:
            raise InputError(
                "correction tukey is for all pairs of runs, and there is a baseline",
                "leave the baseline out, or choose correction='max-t' or 'holm'",
            )
        if family == "all":
            raise InputError(
                "correction tukey corrects each measure by itself",
                "choose family='measure', or correction='holm'",
            )
    if sampling.clusters is not None and (test not in _TESTS_OF_SAMPLES or correction == "tukey"):
        what = f"test {test}" if test not in _TESTS_OF_SAMPLES else "correction tukey"
        raise InputError(
            f"{what} takes queries to be independent, and clusters are given",
            "choose test='randomisation' or 't', with a correction other than tukey",
        )
    if sampling.weights is not None:
        _refuse_weights(test, correction, interval)
    if resamples is None:
        resamples = number_of_draws(enough_resamples(correction, hypotheses, 1 - confidence))
    return Choices(test, correction, family, interval, confidence, resamples, filled(seed), threads)


def times_smallest(correction: Correction, hypotheses: int) -> float:
    """Return what the smallest p-value of a family is multiplied by, if the others are large."""
    if correction in {"none", "max-t", "tukey"}:  # these compare with the largest of all draws
        return 1.0
    if correction == "by":
        return hypotheses * sum(1 / number for number in range(1, hypotheses + 1))
    return float(hypotheses)


def times_all_smallest(correction: Correction, hypotheses: int) -> float:
    """Return what the smallest p-value of a family is multiplied by, if all are as small."""
    if correction in {"bh", "hochberg"}:
        return 1.0
    times = times_smallest(correction, hypotheses)
    return times / max(hypotheses, 1) if correction == "by" else times


def enough_resamples(correction: Correction, hypotheses: int, level: float) -> int:
    """Return how many resamples let a family of tests find what there is.

    The smallest possible p-value, once corrected, is a twentieth of the level; in families so large
    that this would take long, half of it.
    """
    needed = times_smallest(correction, hypotheses) / level
    return max(_FEWEST, math.ceil(min(20 * needed, max(_MANY, min(2 * needed, _MOST)))))


def _refuse_weights(test: Test, correction: Correction, interval: IntervalMethod) -> None:
    """Refuse what treats all queries alike."""
    if test not in _TESTS_OF_SAMPLES:
        what, remedy = f"test {test}", "test='randomisation' or 't'"
    elif correction in {"max-t", "tukey"}:
        what, remedy = f"correction {correction}", "correction='holm'"
    elif interval == "BCa":
        what, remedy = "interval BCa", "interval='t'"
    else:
        return
    raise InputError(f"{what} treats all queries alike, and weights are given", f"choose {remedy}")
