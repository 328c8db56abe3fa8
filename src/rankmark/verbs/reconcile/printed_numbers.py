"""Numbers as another program printed them, and which values would be printed so."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.ids.numeric import written_number
from rankmark.errors import InputError, shown

Printing = Literal["rounded", "truncated"]
MOST_DECIMALS = 12
"""More decimals are not compared: sums in another order already differ there."""
_SLACK = 1e-9  # of the last decimal: two programs may round a half up or down


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number with the decimals that were printed of it.

    Parameters
    ----------
    text
        As given.
    value
        Its value.
    decimals
        Digits after the point.
    """

    text: str
    value: float
    decimals: int

    @property
    def unit(self) -> float:
        """The value of one in the last decimal."""
        return float(10.0**-self.decimals)

    def agrees(self, values: Floats | float, how: Printing = "rounded") -> Bools:
        """Whether each value would be printed as this number: bool of the same shape."""
        units = (np.asarray(values, dtype=np.float64) - self.value) / self.unit
        slack = _SLACK + 1e-15 * abs(self.value) / self.unit
        if how == "rounded":
            agreeing: Bools = np.abs(units) <= 0.5 + slack
        else:
            toward_zero = units if self.value >= 0 else -units
            agreeing = (toward_zero >= -slack) & (toward_zero < 1.0 - slack)
        return agreeing

    def in_percent(self) -> PrintedNumber:
        """Return the fraction that this number is in percent."""
        return PrintedNumber(self.text, self.value / 100, self.decimals + 2)


def printed_number(given: Any, digits: int | None = None) -> PrintedNumber:
    """Read a number with its decimals.

    Parameters
    ----------
    given
        Text such as ``"0.4310"`` or ``"43.1%"``, with the decimals that were printed, or a number,
        which has those that ``str`` shows.
    digits
        Decimals that were printed, if ``given`` shows fewer or more.

    Raises
    ------
    InputError
        If it is not a finite number.
    """
    try:
        text = str(given).strip()
        shift = 2 * text.endswith("%")
        digits_alone = text.removesuffix("%").strip()
        is_number = written_number(digits_alone) is not None  # Decimal reads more: 1_0
        number = Decimal(digits_alone if is_number else "NaN").scaleb(-shift)
    except (InvalidOperation, ValueError):  # no number, or one with too many digits
        text, shift, number = "", 0, Decimal("NaN")
    if isinstance(given, bool) or not number.is_finite() or not math.isfinite(float(number)):
        raise InputError(f"value is {shown(given)}", "need a number such as 0.4312")
    exponent = number.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    decimals = decimals if digits is None else digits + shift
    return PrintedNumber(text, float(number), min(decimals, MOST_DECIMALS))
