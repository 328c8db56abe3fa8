"""Average overlap: the fraction of items that two rankings have in common, averaged over depths."""

from __future__ import annotations

import numpy as np

from rankmark.arguments import whole
from rankmark.array_types import Floats
from rankmark.data.alignment import segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.formulas import choice
from rankmark.similarity.agreement import Ties, agreement
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.given_rankings import Rankable, pair


def average_overlap(a: Rankable, b: Rankable, *, k: int | None = None, ties: Ties = "a") -> float:
    """Return the fraction of items that two rankings have in common, averaged over depths 1 to k.

    Formula: 1 / k * sum over d = 1 to k of X_d / d, where X_d is the number of items in both lists
    down to depth d.
    Only in one list: never in common. Depths end with the shorter list. One list empty: 0. Both
    empty: NaN.
    Ties: as in ``rbo``.
    Bounds: 0 to 1; symmetric.
    Elsewhere: PyPI's ``rbo`` with p = 1; the intersection metric of Fagin, Kumar and Sivakumar is
    1 minus this.
    Source: Wu and Crestani 2003, SAC; Fagin, Kumar, Sivakumar 2003, SIAM J. Discrete Math. 17(1);
    Webber, Moffat, Zobel 2010, ACM TOIS 28(4), section 2.4.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        The last depth; None for the length of the shorter list.
    ties
        The treatment of ties.

    Examples
    --------
    >>> from rankmark.similarity import average_overlap
    >>> round(average_overlap("a b c d e".split(), "b a c d e".split()), 4)
    0.8
    """
    return float(average_overlap_over(pair(a, b), ties=ties, k=k)[0])


def average_overlap_over(pairs: Pairing, *, ties: Ties = "a", k: int | None = None) -> Floats:
    """Return the average overlap of each pair: (Q,) float64; see ``average_overlap``."""
    choice("ties", ties, "a", "b", "w")
    depths = np.minimum(pairs.sizes_a, pairs.sizes_b)
    if k is not None:
        depths = np.minimum(depths, whole("k", k))
    found = agreement(pairs, depths, ties)
    values = quotient(segment_sum(found.overlap / found.size, found.depths.starts), depths)
    one_empty = np.maximum(pairs.sizes_a, pairs.sizes_b) > depths
    values[(depths == 0) & one_empty] = 0.0
    return values


AVERAGE_OVERLAP = Coefficient(
    "AO",
    average_overlap,
    average_overlap_over,
    bounds=(0.0, 1.0),
    same=1.0,
    aliases=("average_overlap",),
)
