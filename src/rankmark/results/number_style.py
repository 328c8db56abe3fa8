"""How the numbers of a table are written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.results.result import HasEnds

_DIGITS = 4


class NumberStyle(NamedTuple):
    """Decimals, and whether shares are written in percent.

    Parameters
    ----------
    digits
        Decimals of all numbers but counts; None for 4, and 2 of those in percent.
    percent
        Whether values between 0 and 1 are multiplied by 100.
    """

    digits: int | None = None
    percent: bool = False

    def written(self, value: float, *, is_share: bool = True, sign: str = "") -> str:
        """Write a number.

        Parameters
        ----------
        is_share
            Whether it is between 0 and 1, and so written in percent if these are.
        sign
            "+" to write the sign of positive numbers too.
        """
        in_percent = self.percent and is_share
        usual = _DIGITS - 2 if in_percent else _DIGITS
        decimals = usual if self.digits is None else self.digits
        text = f"{100.0 * value if in_percent else value:{sign}.{decimals}f}"
        # Not "-0.0000", which is no difference.
        return text if text.strip("-+0.") else f"{0.0:.{decimals}f}"


USUAL = NumberStyle()
"""Four decimals, no percent."""

LEAVES_0_OUT = (
    "where one ends at 0, it leaves 0 out, and how far the difference is from 0 at least is not "
    "known"
)
"""What to know of the intervals that ``adjusted_ends`` and ``adjusted_range`` write."""


def adjusted_ends(low: float, high: float, written: Callable[[float], str]) -> str:
    """Write the adjusted interval of a difference as (0, +0.09]; an end that is 0 is not in it."""
    if low == 0:
        return f"(0, {written(high)}]"
    return f"[{written(low)}, 0)" if high == 0 else f"[{written(low)}, {written(high)}]"


def adjusted_range(low: float, high: float, written: Callable[[float], str]) -> str:
    """Write the same in words, as "above 0, to +0.09"."""
    if low == 0:
        return f"above 0, to {written(high)}"
    return f"{written(low)} to below 0" if high == 0 else f"{written(low)} to {written(high)}"


UNKNOWN = "-"
"""A number that is not known, in tables of plans."""


def number(value: float, sign: str = "") -> str:
    """Write a number with four decimals, and always a sign if that is "+"."""
    return UNKNOWN if math.isnan(value) else f"{value:{sign}.4f}"


def with_ends(one: HasEnds, digits: int) -> str:
    """Write an estimate and its interval, such as 0.43 (0.38 to 0.49)."""
    if math.isnan(one.estimate):
        return "not defined"
    written = f"{one.estimate:.{digits}f}"
    if math.isnan(one.low):
        return written
    return f"{written} ({one.low:.{digits}f} to {one.high:.{digits}f})"


def written_p(p: float) -> str:
    """Write a p-value."""
    return "<0.0001" if p < 0.0001 else number(p)


def percent(share: float) -> str:
    """Write a share in percent with one decimal."""
    return UNKNOWN if math.isnan(share) else f"{share:.1%}"


def whole(value: int | None) -> str:
    """Write a whole number."""
    return UNKNOWN if value is None else f"{value:,}"


def written_range(low: str, high: str) -> str:
    """Write two ends, as they are written, as a range; an unknown high one is as high as may be."""
    if UNKNOWN in (low, high):
        return UNKNOWN if low == UNKNOWN else f"from {low}"
    return f"{low} to {high}"
