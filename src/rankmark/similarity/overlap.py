"""Overlap and Jaccard: what the tops of two rankings have in common, whatever the order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.conventions import whole
from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.pairing import both, places
from rankmark.similarity.parameters import choice

if TYPE_CHECKING:
    from rankmark.similarity.rankings import Rankable


def overlap(
    a: Rankable,
    b: Rankable,
    k: int | None = None,
    *,
    norm: Literal["mean", "k", "min", "count"] = "mean",
) -> float:
    """Say which share of their first k items two rankings have in common.

    Formula: |A and B| / size. ``norm``: size is the "mean" of |A| and |B| (Dice); "k", also where
    lists are shorter; their "min" (Szymkiewicz-Simpson); or 1, for the "count".
    Only in one list: not in common. One list empty: 0, but NaN under "min". Both empty: NaN, but
    a count of 0.
    Ties: a tie that goes beyond k is taken whole, so that A or B may have more than k items, and
    "k" may give more than 1. Elsewhere order plays no part.
    Bounds: 0 to 1, but for the count; symmetric.
    Elsewhere: RecTools' ``Intersection`` divides by the size of one of the two; "overlap
    coefficient" mostly is "min".
    Source: Dice 1945, Ecology 26(3); A_d of Webber, Moffat, Zobel 2010, equation 28.

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    k
        The last rank looked at; None for all.
    norm
        What the count is divided by; under "k", k None means what the longer list holds.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import overlap
    >>> overlap(["a", "b", "c"], ["b", "a", "d"], 2)
    1.0
    """
    choice("norm", norm, "mean", "k", "min", "count")
    common, held_a, held_b = _counts(a, b, k)
    size = {
        "mean": (held_a + held_b) / 2,
        "k": max(held_a, held_b) if k is None else whole("k", k),
        "min": min(held_a, held_b),
        "count": 1,
    }[norm]
    if norm == "k" and not held_a + held_b:
        return math.nan
    return common / size if size else math.nan


def jaccard(a: Rankable, b: Rankable, k: int | None = None) -> float:
    """Say which share of all first k items of two rankings both have.

    Formula: |A and B| / |A or B|.
    Only in one list: not in common. One list empty: 0. Both empty: NaN.
    Ties: a tie that goes beyond k is taken whole; elsewhere order plays no part.
    Bounds: 0 to 1; symmetric.
    Elsewhere: the same everywhere, but that some give 0 or 1 for two empty lists.
    Source: Jaccard 1912, New Phytologist 11(2).

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    k
        The last rank looked at; None for all.

    Raises
    ------
    InputError
        If k is no whole number from 1, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import jaccard
    >>> jaccard(["a", "b", "c"], ["b", "a", "d"])
    0.5
    """
    common, held_a, held_b = _counts(a, b, k)
    either = held_a + held_b - common
    return common / either if either else math.nan


def _counts(a: Rankable, b: Rankable, k: int | None) -> tuple[int, int, int]:
    one, other = both(a, b, k)
    return int(np.count_nonzero(places(one, other) >= 0)), len(one), len(other)


OVERLAP = Coefficient(overlap, bounds=(0.0, 1.0), same=1.0)
JACCARD = Coefficient(jaccard, bounds=(0.0, 1.0), same=1.0)
