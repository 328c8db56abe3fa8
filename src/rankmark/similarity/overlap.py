"""Overlap and Jaccard: what the tops of two rankings have in common, in any order."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.formulas import choice
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.given_rankings import Rankable, pair

Norm = Literal["mean", "k", "min", "count"]


def overlap(
    a: Rankable,
    b: Rankable,
    k: int | None = None,
    *,
    norm: Norm = "mean",
) -> float:
    """Return the fraction of their first k items that two rankings have in common.

    Formula: |A and B| / size. ``norm``: size is the "mean" of |A| and |B| (Dice); "k", even if
    lists are shorter; their "min" (Szymkiewicz-Simpson); or 1, for the "count".
    Only in one list: not in common. One list empty: 0, but NaN with "min". Both empty: NaN, but a
    count of 0.
    Ties: a tie that extends beyond k is kept whole, so that A or B may have more than k items, and
    "k" may give more than 1. Otherwise, the order does not matter.
    Bounds: 0 to 1, except for the count; symmetric.
    Elsewhere: RecTools' ``Intersection`` divides by the size of one list; "overlap coefficient"
    usually means "min".
    Source: Dice 1945, Ecology 26(3); A_d of Webber, Moffat, Zobel 2010, equation 28.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        Cutoff; None for all items.
    norm
        The divisor; with "k" and no cutoff, the length of the longer list.

    Examples
    --------
    >>> from rankmark.similarity import overlap
    >>> overlap(["a", "b", "c"], ["b", "a", "d"], 2)
    1.0
    """
    return float(overlap_over(pair(a, b), norm=norm, k=k)[0])


def overlap_over(pairs: Pairing, *, norm: Norm = "mean", k: int | None = None) -> Floats:
    """Return the overlap of each pair: (Q,) float64; see ``overlap``."""
    choice("norm", norm, "mean", "k", "min", "count")
    common, size_a, size_b = _counts(pairs, k)
    if norm == "count":
        return common
    size = {"mean": (size_a + size_b) / 2, "min": np.minimum(size_a, size_b)}.get(norm)
    if size is None:
        longer = np.maximum(size_a, size_b)
        size = longer if k is None else np.where(longer > 0, float(k), 0.0)
    return quotient(common, size)


def jaccard(a: Rankable, b: Rankable, k: int | None = None) -> float:
    """Return the fraction of all items in either top k that are in both.

    Formula: |A and B| / |A or B|.
    Only in one list: not in common. One list empty: 0. Both empty: NaN.
    Ties: a tie that extends beyond k is kept whole; otherwise, the order does not matter.
    Bounds: 0 to 1; symmetric.
    Elsewhere: the same everywhere, except that some return 0 or 1 for two empty lists.
    Source: Jaccard 1912, New Phytologist 11(2).

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        Cutoff; None for all items.

    Examples
    --------
    >>> from rankmark.similarity import jaccard
    >>> jaccard(["a", "b", "c"], ["b", "a", "d"])
    0.5
    """
    return float(jaccard_over(pair(a, b), k=k)[0])


def jaccard_over(pairs: Pairing, *, k: int | None = None) -> Floats:
    """Return the Jaccard index of each pair: (Q,) float64; see ``jaccard``."""
    common, size_a, size_b = _counts(pairs, k)
    return quotient(common, size_a + size_b - common)


def _counts(pairs: Pairing, k: int | None) -> tuple[Floats, Floats, Floats]:
    """Count the items in both rankings, in a and in b: (Q,) float64 each."""
    pairs = pairs.top(k)
    common = segment_sum(pairs.at >= 0, pairs.starts_a)
    return common, pairs.sizes_a.astype(np.float64), pairs.sizes_b.astype(np.float64)


OVERLAP = Coefficient("overlap", overlap, overlap_over, bounds=(0.0, 1.0), same=1.0)
JACCARD = Coefficient("Jaccard", jaccard, jaccard_over, bounds=(0.0, 1.0), same=1.0)
