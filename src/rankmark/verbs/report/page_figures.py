"""The pictures of the page, as coordinates; the template writes them as SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROW = 22
"""Height of a row, in pixels."""


def dots(
    rows: Sequence[dict[str, Any]], *, zero: bool = False, labels: int = 130, width: int = 420
) -> dict[str, Any]:
    """Place dots with intervals, one below the other, above an axis.

    Parameters
    ----------
    rows
        ``name``, ``value``, ``low`` and ``high`` of each, None where unknown; other fields stay.
    zero
        Whether the axis includes 0.
    labels, width
        Pixels for the names, and in all.
    """
    known = [row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None]
    ticks = _ticks([*known, *([0.0] if zero else [])])
    low, high = ticks[0], ticks[-1]
    left, right = labels + 12, width - 16

    def x(value: float) -> float:
        return round(left + (right - left) * (value - low) / (high - low), 1)

    placed = [
        {
            **row,
            "y": ROW * at + ROW // 2 + 6,
            **{
                f"x_{key}": None if row[key] is None else x(row[key])
                for key in ("value", "low", "high")
            },
        }
        for at, row in enumerate(rows)
    ]
    bottom = ROW * len(rows) + 12
    return {
        "width": width,
        "height": bottom + 24,
        "bottom": bottom,
        "left": left,
        "right": right,
        "labels": labels,
        "rows": placed,
        "ticks": [{"x": x(tick), "text": _tick_text(tick, ticks)} for tick in ticks],
        "zero": x(0.0) if zero else None,
    }


def _ticks(values: Iterable[float]) -> list[float]:
    """Return about five round numbers that include the values."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    rough = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def _tick_text(value: float, ticks: Sequence[float]) -> str:
    step = ticks[1] - ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**digits - round(step * 10**digits)) > 1e-6:
        digits += 1
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")
