"""How the numbers of a table are written."""

from __future__ import annotations

import math
from typing import NamedTuple

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

UNKNOWN = "-"
"""A number that is not known, in tables of plans."""


def number(value: float) -> str:
    """Write a number with four decimals."""
    return UNKNOWN if math.isnan(value) else f"{value:.4f}"


def percent(share: float) -> str:
    """Write a share in percent with one decimal."""
    return UNKNOWN if math.isnan(share) else f"{share:.1%}"


def whole(value: int | None) -> str:
    """Write a whole number."""
    return UNKNOWN if value is None else f"{value:,}"
