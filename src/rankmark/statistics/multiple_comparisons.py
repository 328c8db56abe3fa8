"""Corrections of p-values for multiple comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.arguments import one_of
from rankmark.errors import InputError
from rankmark.statistics.scipy_functions import stats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats

Correction = Literal["holm", "hochberg", "bonferroni", "bh", "by"]

CONTROLS: dict[str, str] = {
    "holm": "the probability of any false rejection, whatever the dependence",
    "hochberg": "the probability of any false rejection, for positively dependent tests",
    "bonferroni": "the probability of any false rejection, whatever the dependence",
    "bh": "the expected share of false rejections, for positively dependent tests",
    "by": "the expected share of false rejections, whatever the dependence",
}
"""What each correction keeps below the level."""


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """The p-values of one family, corrected.

    Parameters
    ----------
    p
        As given, any shape.
    adjusted
        The corrected p-values, in the same shape: reject where they are at most the level. NaN
        where p is NaN.
    correction
        Its name.
    controls
        The error rate that it keeps below the level, in words.
    family
        How many p-values it is corrected for.
    left_out
        How many were NaN: a test that cannot be made is not one of the family.
    """

    p: Floats
    adjusted: Floats
    correction: str
    controls: str
    family: int
    left_out: int


def adjust(p: ArrayLike, correction: Correction = "holm") -> Adjusted:
    """Correct p-values for their number, as one family.

    Parameters
    ----------
    p
        Any shape, each from 0 to 1, or NaN where there was no test.
    correction
        "holm" [1]_, "hochberg" [2]_ and "bonferroni" control the probability of any false
        rejection; "bh" (Benjamini and Hochberg [3]_) and "by" (Benjamini and Yekutieli [4]_) the
        expected share of false rejections among all rejections.

    Returns
    -------
    Adjusted
        In the shape given.

    Raises
    ------
    InputError
        If a p-value is below 0 or above 1, or the correction is none of these.

    References
    ----------
    .. [1] Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal
       of Statistics 6(2), pages 65-70.
    .. [2] Hochberg 1988, A sharper Bonferroni procedure for multiple tests of significance,
       Biometrika 75(4), pages 800-802.
    .. [3] Benjamini and Hochberg 1995, Controlling the false discovery rate, Journal of the Royal
       Statistical Society B 57(1), pages 289-300.
    .. [4] Benjamini and Yekutieli 2001, The control of the false discovery rate in multiple testing
       under dependency, Annals of Statistics 29(4), pages 1165-1188.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03, 0.005]).adjusted.tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    one_of("correction", correction, *CONTROLS)
    given = np.asarray(p, dtype=np.float64)
    if np.any((given < 0) | (given > 1)):
        raise InputError(
            "p contains a number below 0 or above 1", "need p-values, or NaN for no test"
        )
    tested = ~np.isnan(given)
    adjusted = np.full(given.shape, np.nan)
    adjusted[tested] = _adjusted(given[tested], correction)
    family = int(tested.sum())
    return Adjusted(given, adjusted, correction, CONTROLS[correction], family, given.size - family)


def _adjusted(p: Floats, correction: Correction) -> Floats:
    count = len(p)
    if correction in {"bh", "by"}:
        found: Floats = stats.false_discovery_control(p, method=correction) if count else p
        return found
    if correction == "bonferroni":
        return np.minimum(1.0, p * count)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(count, 0, -1)
    if correction == "holm":
        stepped = np.maximum.accumulate(scaled)
    else:
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted
