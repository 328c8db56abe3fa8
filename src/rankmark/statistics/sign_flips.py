"""Random sign flips of the scores of systems, for all pairs and measures at once.

One transform of scores serves all pairs of systems, since a sum of signed
differences is a difference of signed sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.resampling import Signs, fixed_point
from rankmark.statistics.score_arrays import ROUNDING, sums_by_cluster, without_rounding

_CELLS = 2**17  # differences that are worked on at once: they stay in the cache


class Flips(NamedTuple):
    """Scores whose signs are flipped, and the hypotheses that are tested.

    Attributes
    ----------
    values
        (units, systems, measures) float64, whole numbers: scores less those of the first system,
        which therefore has zeros. A unit is a query or a cluster.
    first, second
        (pairs,) int64: hypothesis p is that of system ``second[p]`` less ``first[p]``.
    observed
        (pairs, measures) float64, sums of differences.
    nonzero
        (pairs, measures) int64, units with a difference.
    slack
        How far rounding can part two sums that are equal in truth.
    n, means
        (pairs, measures) int64 and float64: queries with both scores, and their mean difference.
    effective_n
        (pairs, measures) float64, how many queries of equal weight are worth as much, or None.
    """

    values: Floats
    first: Ints
    second: Ints
    observed: Floats
    nonzero: Ints
    slack: float
    n: Ints
    means: Floats
    effective_n: Floats | None

    def of_pair(self, number: int, measure: int) -> Floats:
        """Return the differences of a pair: (units,) float64, whole numbers."""
        return (
            self.values[:, self.second[number], measure]
            - self.values[:, self.first[number], measure]
        )

    def signed(self, signs: Signs, block: int) -> Floats:
        """Add up the scores with the signs of a block: (systems, measures, arrangements)."""
        units, systems, measures = self.values.shape
        others = self.values[:, 1:].reshape(units, (systems - 1) * measures)
        return signs.sums(block, others, zeros=measures).reshape(systems, measures, -1)

    def differences(self, sums: Floats) -> Floats:
        """Subtract the sums of first systems: (systems, measures, r) to (pairs, measures, r)."""
        return sums[self.second] - sums[self.first]


def pieces(arrangements: int, hypotheses: int) -> Iterator[slice]:
    """Yield parts of a block's arrangements, as many as fit in memory for all hypotheses."""
    step = max(1, _CELLS // hypotheses)
    for at in range(0, arrangements, step):
        yield slice(at, at + step)


def pairs_of(systems: int, pairs: Sequence[tuple[int, int]] | None) -> list[tuple[int, int]]:
    """Return pairs of systems by their numbers, or all pairs."""
    if pairs is None:
        return list(combinations(range(systems), 2))
    chosen = [(int(first), int(second)) for first, second in pairs]
    for one in chosen:
        if not all(0 <= system < systems for system in one) or one[0] == one[1]:
            raise InputError(
                f"pairs contains {one}",
                f"need two different systems, of those numbered 0 to {systems - 1}",
            )
    if not chosen:
        raise InputError("pairs is empty", "name at least one, or leave it out for all pairs")
    return chosen


def alike(scores: Floats) -> list[list[int]]:
    """Group measures: those with the same queries missing from all systems, then each other one."""
    missing = np.isnan(scores)
    whole = (missing.any(axis=1) == missing.all(axis=1)).all(axis=0)
    together = np.flatnonzero(whole).tolist()
    alone = [[measure] for measure in np.flatnonzero(~whole).tolist()]
    return [together, *alone] if together else alone


def flips_of(
    scores: Floats,
    pairs: Sequence[tuple[int, int]],
    clusters: Ints | None = None,
    weights: Floats | None = None,
) -> Flips:
    """Prepare the scores of one group of measures, as ``alike`` gives them."""
    first, second = (np.array(numbers, dtype=np.int64) for numbers in zip(*pairs, strict=True))
    missing = np.isnan(scores)
    rounding = ROUNDING * np.nan_to_num(np.abs(scores)).max(axis=(0, 1), initial=0.0)
    if (missing.any(axis=1) == missing.all(axis=1)).all():
        relative = scores - scores[:, :1]
        kept = ~missing[:, :1]  # the same for all pairs
    else:  # a system's score counts for some pairs and not for others: differences of their own
        relative = scores[:, second] - scores[:, first]
        relative = np.concatenate([np.zeros_like(relative[:, :1]), relative], axis=1)
        kept = ~(missing[:, first] | missing[:, second])
        first, second = np.zeros_like(first), np.arange(1, len(pairs) + 1)
    n = np.broadcast_to(kept.sum(axis=0), (len(pairs), kept.shape[2]))
    relative = without_rounding(np.nan_to_num(relative), rounding)
    total_weights, effective_n = n.astype(np.float64), None
    if weights is not None:
        relative *= weights[:, None, None]
        total_weights, squares = (
            np.broadcast_to(np.tensordot(one, kept.astype(np.float64), 1), n.shape)
            for one in (weights, weights**2)
        )
        effective_n = total_weights**2 / np.where(n > 0, squares, np.nan)
    totals = relative.sum(axis=0)
    means = (totals[second] - totals[first]) / np.where(n > 0, total_weights, np.nan)
    units = len(relative)
    if clusters is not None:
        summed = sums_by_cluster(relative.reshape(units, -1), clusters)
        relative = summed.reshape(len(summed), *relative.shape[1:])
    fixed = fixed_point(relative, rounding)
    values = fixed.values
    sums = values.sum(axis=0)
    return Flips(
        values,
        first,
        second,
        sums[second] - sums[first],
        _differing(values, first, second),
        fixed.slack,
        n,
        means,
        effective_n,
    )


def _differing(values: Floats, first: Ints, second: Ints) -> Ints:
    """Count the units with a difference: (pairs, measures) int64."""
    found = np.empty((len(first), values.shape[2]), dtype=np.int64)
    for measure in range(values.shape[2]):
        of_system = np.ascontiguousarray(values[:, :, measure].T)
        for number, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            # Two equal scores may have been rounded to neighbours.
            found[number, measure] = np.count_nonzero(np.abs(of_system[b] - of_system[a]) > 1)
    return found
