"""The differences of a comparison as the page shows them, and how it writes numbers."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankmark.results.number_style import adjusted_range
from rankmark.verbs.compare.comparison_notes import CAUSES, reversal
from rankmark.verbs.report.page_figures import dots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.verbs.compare.comparison import Comparison


def written(value: float | None, fact: Mapping[str, Any], *, sign: bool = False) -> str:
    """Return a value as in all tables: counts as whole numbers, the rest with four decimals."""
    if value is None or math.isnan(value):
        return "–"
    text = f"{value:{'+' if sign else ''}.{0 if fact['is_count'] else 4}f}"
    return text.replace("-", "−")


def known(row: Any, name: str) -> float | None:
    """Return a number of a row; None where it is unknown or not finite."""
    value = float(getattr(row, name))
    return value if math.isfinite(value) else None


def interval(row: Any, fact: Mapping[str, Any]) -> str | None:
    """Return the interval of a row as text; None if it has none."""
    low, high = known(row, "low"), known(row, "high")
    if low is None or high is None:
        return None
    return f"{written(low, fact)} to {written(high, fact)}"


def adjusted_interval(row: Any, fact: Mapping[str, Any]) -> str | None:
    """Return the adjusted interval of a difference as text; None if it has none."""
    low, high = known(row, "adjusted_low"), known(row, "adjusted_high")
    if low is None or high is None:
        return None
    return adjusted_range(low, high, lambda end: written(end, fact, sign=True))


def differences(comparison: Comparison, facts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a table of differences for each measure, pairs in the order of the comparison."""
    by_name = {fact["name"]: fact for fact in facts}
    order = {name: at for at, name in enumerate(by_name)}
    rows = sorted(comparison.differences, key=lambda row: order[row.measure])
    causes = reversing(comparison)
    tables = []
    for measure, group in groupby(rows, key=lambda row: row.measure):
        fact = by_name[measure]
        found = [_difference(row, fact, causes) for row in group]
        drawn = dots([row["dot"] for row in found], zero=True, labels=0, width=190)
        for row, placed in zip(found, drawn["rows"], strict=True):
            row["dot"] = placed | {"zero": drawn["zero"]}
        tables.append(
            {
                "measure": measure,
                "more_is_better": fact["more_is_better"],
                "rows": found,
                "is_open": measure == facts[0]["name"],
                "significant": sum(row["is_significant"] for row in found),
            }
        )
    return tables


def reversing(comparison: Comparison) -> list[str]:
    """Return what could reverse a difference, "ties" or "unjudged"."""
    return [
        cause
        for cause in CAUSES
        if any(cause in row.reversible_by for row in comparison.differences)
    ]


def _difference(row: Any, fact: Mapping[str, Any], causes: Sequence[str]) -> dict[str, Any]:
    difference = known(row, "difference")
    relative = known(row, "relative")
    return {
        "baseline": row.baseline,
        "run": row.run,
        "difference": written(difference, fact, sign=True),
        "better": None if row.better is None else row.better == row.run,
        "interval": adjusted_interval(row, fact),
        "relative": None if relative is None else f"{100 * relative:+.1f}%".replace("-", "−"),
        "p": _probability(known(row, "p")),
        "adjusted_p": _probability(known(row, "adjusted_p")),
        "smallest_p": _probability(known(row, "smallest_p")),
        "is_significant": bool(row.significant),
        "effect": _signed(known(row, "d_z")),
        "wins": row.wins,
        "ties": row.ties,
        "losses": row.losses,
        "reversals": [reversal(row.reversible_by, cause) for cause in causes],
        "dot": {
            "name": "",
            "value": difference,
            "low": known(row, "adjusted_low"),
            "high": known(row, "adjusted_high"),
        },
    }


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{value:+.2f}".replace("-", "−")


def _probability(value: float | None) -> str | None:
    if value is None:
        return None
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
