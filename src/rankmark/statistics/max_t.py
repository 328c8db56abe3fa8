"""The max-T test: many pairs at once by random signs, compared with the largest t of all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of, share
from rankmark.array_types import Bools, Floats, Ints
from rankmark.statistics.randomisation import as_extreme
from rankmark.statistics.resampling import Signs, over_blocks
from rankmark.statistics.score_arrays import NO_QUERY, Alternative, cluster_numbers, cube
from rankmark.statistics.sign_flips import Flips, alike, flips_of, pairs_of, pieces

NULL = "each query's differences are as likely all with the opposite sign"
Steps = Literal["single step", "step down"]
Family = Literal["measure", "all"]


@dataclass(frozen=True, slots=True, eq=False)
class MaxT:
    """p-values of pairs of systems, corrected by the distribution of the largest t.

    Parameters
    ----------
    null
        What the p-values take to be true, in words.
    alternative, steps
        As asked for.
    pairs
        (baseline, other) each, numbers of systems.
    t
        (pairs, measures) float64, Student's t; NaN where ``undefined`` says why, and for one query.
    adjusted
        (pairs, measures) float64, corrected p-values; NaN likewise.
    family
        (pairs, measures) int64, how many hypotheses each was corrected for.
    critical
        (pairs, measures) float64: simultaneous intervals at 1 - level are the mean difference and
        this many standard errors on both sides, from random signs of the differences without their
        means. NaN without a level, and where ``undefined`` says why; infinite if there are too few
        draws for the level. Their assumption is that these residuals are symmetric together.
    smallest_p
        The smallest p that these queries and resamples can give.
    n, left_out
        (pairs, measures) int64, queries with a score from both, and without.
    method
        "all 1,024 signs" or "random signs".
    resamples, seed
        Of what was drawn, or None.
    undefined
        ``[pair][measure]``, why there is no p, or "".
    """

    null: str
    alternative: Alternative
    steps: Steps
    pairs: tuple[tuple[int, int], ...]
    t: Floats
    adjusted: Floats
    family: Ints
    critical: Floats
    smallest_p: float
    n: Ints
    left_out: Ints
    method: str
    resamples: int | None
    seed: int | None
    undefined: tuple[tuple[str, ...], ...]


def max_t(
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    steps: Steps = "step down",
    family: Family = "measure",
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    level: float | None = None,
    threads: int = 1,
) -> MaxT:
    """Test pairs of systems by random signs, and correct for their number by the largest t.

    A query's sign is the same for all pairs and measures, so their correlation is kept, and
    the correction is no stronger than necessary: it is weaker the more the systems are correlated.
    The null is that the differences of a query are symmetric about 0 together, which follows from
    exchangeable scores for one pair, but for several only if the scores themselves are symmetric.
    ``randomised_tukey`` needs scores to be exchangeable and no more, but all of them at once.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems); NaN where there is no score.
    pairs
        Numbers of systems, (baseline, other) each; all pairs if None.
    steps
        "single step" compares each t with the largest of all [1]_; "step down" with the largest of
        those no larger than it, which rejects at least as much [2]_.
    family
        "measure" corrects each measure by itself, "all" over all measures together.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.
    resamples, seed
        How many times signs are drawn, and the seed of it. All 2^n signs are taken where they are
        no more.
    clusters
        (n,) what each query belongs to: all queries of a cluster change their sign together.
    level
        Of ``critical``; None if that is not needed.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    MaxT
        The corrected p-values keep the probability of any false rejection in a family below the
        level.

    Raises
    ------
    InputError
        If a pair names a system that does not exist, or an option is invalid.

    Notes
    -----
    Under all signs the sum of squares stays, so t grows with sum / sqrt(sum of squares), which is
    what is compared.

    References
    ----------
    .. [1] Westfall and Young 1993, Resampling-based multiple testing, algorithms 2.5 and 2.8.
    .. [2] Romano and Wolf 2005, Exact and approximate stepdown methods for multiple hypothesis
       testing, Journal of the American Statistical Association 100(469), pages 94-108.
    .. [3] Boytsov, Belova and Westfall 2013, Deciding on an adjustment for multiplicity in IR
       experiments, SIGIR, pages 403-412.

    Examples
    --------
    >>> scores = [[0.1, 0.3, 0.2], [0.2, 0.3, 0.1], [0.3, 0.6, 0.4], [0.1, 0.5, 0.3], [0, 0.1, 0]]
    >>> found = max_t(scores, [(0, 1), (0, 2)])
    >>> found.adjusted.ravel().tolist(), found.method
    ([0.0625, 0.5], 'all 32 signs')
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    one_of("steps", steps, "single step", "step down")
    one_of("family", family, "measure", "all")
    given = cube("scores", scores)
    chosen = pairs_of(given.shape[1], pairs)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    numbers = cluster_numbers(clusters, len(given))
    groups = [
        (measures, flips_of(given[:, :, measures], chosen, numbers)) for measures in alike(given)
    ]
    units = len(groups[0][1].values)
    signs = Signs.of(units, resamples, seed)
    shape = (len(chosen), given.shape[2])
    observed, slack, n, spread = (np.zeros(shape) for _ in range(4))
    for measures, flips in groups:
        spread[:, measures] = _spread(flips)
        observed[:, measures], slack[:, measures] = flips.observed, flips.slack
        n[:, measures] = flips.n
    tested = spread > 0
    scale = np.where(tested, spread, 1.0)
    z = observed / scale
    extreme = as_extreme(z.copy(), alternative)
    families = _families(tested, extreme, family)
    # Two values of z that are equal in truth differ by no more than this.
    limits = [extreme[places] - (slack / scale)[places].max() for places in families]

    places_of = np.argsort(np.concatenate([measures for measures, _ in groups]))

    def count(block: int) -> Ints:
        total = np.zeros(shape, dtype=np.int64)
        for drawn in _draws(groups, signs, block, scale, places_of):
            as_extreme(drawn, alternative)
            for places, limit in zip(families, limits, strict=True):
                total[places] += _reaching(drawn[places], limit, steps)
        return total

    at_least = over_blocks(count, signs.blocks, np.add, threads, what="testing")
    adjusted, sizes = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
    for places in families:
        p = signs.p(at_least[places].astype(np.float64))
        adjusted[places] = p if steps == "single step" else np.maximum.accumulate(p)
        sizes[places] = len(p)
    of = n if numbers is None else np.full(shape, float(units))
    critical = np.full(shape, np.nan)
    if level is not None:
        few = signs.fewer_than(share("level", level))
        centred = given - _means(given)
        reached = _quantiles(centred, chosen, numbers, signs, families, alternative, few, threads)
        for places, limit in zip(families, reached, strict=True):
            critical[places] = _student(np.full(len(places[0]), limit), of[places])
    by_chance = signs.seed is not None
    smallest = 0.5**units * (2 if alternative == "two-sided" else 1)
    return MaxT(
        null=NULL if numbers is None else NULL.replace("query", "cluster"),
        alternative=alternative,
        steps=steps,
        pairs=tuple(chosen),
        t=np.where(tested, _student(z, of), np.nan),
        adjusted=adjusted,
        family=sizes,
        critical=critical,
        smallest_p=max(smallest, 1 / (signs.arrangements + 1)) if by_chance else smallest,
        n=n.astype(np.int64),
        left_out=len(given) - n.astype(np.int64),
        method="random signs" if by_chance else f"all {signs.arrangements:,} signs",
        resamples=signs.arrangements if by_chance else None,
        seed=signs.seed,
        undefined=tuple(tuple(map(undefined_for, *row)) for row in zip(n, tested, strict=True)),
    )


def _draws(
    groups: Sequence[tuple[list[int], Flips]],
    signs: Signs,
    block: int,
    scale: Floats,
    places_of: Ints,
) -> Iterator[Floats]:
    """Yield sums under random signs over roots of sums of squares: (pairs, measures, r)."""
    signed = [(flips, flips.signed(signs, block)) for _, flips in groups]
    for piece in pieces(signed[0][1].shape[2], scale.size):
        parts = [flips.differences(sums[:, :, piece]) for flips, sums in signed]
        drawn = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)[:, places_of]
        yield np.divide(drawn, scale[:, :, None], out=drawn)


def _means(given: Floats) -> Floats:
    """Return the mean of each system on each measure, 0 where there is none."""
    present = ~np.isnan(given)
    sums: Floats = np.where(present, given, 0.0).sum(axis=0)
    return sums / np.maximum(present.sum(axis=0), 1)


def _quantiles(
    centred: Floats,
    chosen: Sequence[tuple[int, int]],
    numbers: Ints | None,
    signs: Signs,
    families: Sequence[tuple[Ints, Ints]],
    alternative: Alternative,
    few: int,
    threads: int,
) -> list[float]:
    """Return what the largest of each family reaches in fewer draws than ``few``.

    Scores are those without the means of their systems, as an interval is to hold whatever these
    are: with them, the signs of large differences would go together.
    """
    if not few:
        return [math.inf] * len(families)
    groups = [
        (measures, flips_of(centred[:, :, measures], chosen, numbers))
        for measures in alike(centred)
    ]
    places_of = np.argsort(np.concatenate([measures for measures, _ in groups]))
    spread = np.concatenate([_spread(flips) for _, flips in groups], axis=1)[:, places_of]
    scale = np.where(spread > 0, spread, 1.0)

    def count(block: int) -> list[Floats]:
        tops = [np.empty(0) for _ in families]
        for drawn in _draws(groups, signs, block, scale, places_of):
            as_extreme(drawn, alternative)
            for number, places in enumerate(families):
                tops[number] = largest([tops[number], drawn[places].max(axis=0)], few)
        return tops

    def add(one: list[Floats], other: list[Floats]) -> list[Floats]:
        return [largest(both, few) for both in zip(one, other, strict=True)]

    tops = over_blocks(count, signs.blocks, add, threads, what="computing intervals")
    return [float(top.min()) for top in tops]


def largest(values: Sequence[Floats], count: int) -> Floats:
    """Return the largest of several arrays, as many as are asked for, or all."""
    together = np.concatenate(values)
    if count == 0:
        return together[:0]
    return together if len(together) <= count else np.partition(together, -count)[-count:]


def _student(z: Floats, n: Floats) -> Floats:
    """Turn sums / sqrt(sums of squares) of n differences into Student's t."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = z * np.sqrt((n - 1) / np.maximum(n - z**2, 0.0))
        # What the signs of n differences cannot reach, no multiple of their spread does.
        return np.where(n < 2, np.nan, np.where(z**2 < n, t, np.copysign(np.inf, z)))


def _spread(flips: Flips) -> Floats:
    """Return the roots of the sums of squares: (pairs, measures), 0 where nothing differs."""
    found = np.zeros(flips.observed.shape)
    for number, (first, second) in enumerate(zip(flips.first, flips.second, strict=True)):
        differences = flips.values[:, second] - flips.values[:, first]
        found[number] = np.sqrt(np.sum(differences**2, axis=0))
    return np.where(flips.nonzero > 0, found, 0.0)


def _families(tested: Bools, extreme: Floats, family: Family) -> list[tuple[Ints, Ints]]:
    """Return the places of each family's hypotheses, the most extreme first."""
    rows, columns = np.nonzero(tested)
    order = np.argsort(-extreme[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    if family == "all":
        return [(rows, columns)] if len(rows) else []
    each = [columns == measure for measure in np.unique(columns)]
    return [(rows[one], columns[one]) for one in each]


def _reaching(drawn: Floats, limits: Floats, steps: Steps) -> Ints:
    """Count how often the largest of the drawn reach each limit: (hypotheses, r) to (hypotheses,).

    Both have the most extreme hypothesis first.
    """
    if steps == "single step":
        most = np.sort(drawn.max(axis=0))
        below: Ints = np.searchsorted(most, limits, side="left")
        return len(most) - below
    largest = np.maximum.accumulate(drawn[::-1], axis=0)[::-1]
    return np.count_nonzero(largest >= limits[:, None], axis=1)


def undefined_for(n: float, tested: object) -> str:
    """Return why a pair has no p-value, or ""."""
    if tested:
        return ""
    return "all differences are 0" if n else NO_QUERY
