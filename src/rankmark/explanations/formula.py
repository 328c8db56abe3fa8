"""A measure's formula with one query's numbers in it, as it is worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.alignment.alignment import Alignment
    from rankmark.explanations.contributions import Contributions
    from rankmark.explanations.explained import Explained

_FIRST, _LAST = 6, 2  # terms that are written out where there are many


def short(value: float) -> str:
    """Write a number with six digits at most, and a whole one whole."""
    return f"{value:.0f}" if abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"


def worked(
    one: Explained, a: Alignment, ideal: Alignment | None, value: float, *, known: bool = True
) -> str:
    """Write the formula of one query's value, ``a`` holding this query alone.

    ``ideal`` is its best ranking, for measures that divide by what that is worth. ``known`` says
    whether the measure's terms are those of its value.
    """
    terms = one.contributions(a) if known else None
    if terms is None:
        return f"{one} = {short(value)}; what documents contribute is unknown"
    frame = terms.frame or ("{sum}" if terms.over is None else "{sum} / {over}")
    names = {name: short(float(numbers[0])) for name, numbers in terms.numbers.items()}
    total = _sum(terms, a)
    names["terms"] = total
    names["sum"] = f"({total})" if " + " in total and frame != "{sum}" else total
    if terms.over is not None:
        names["over"] = short(float(terms.over[0]))
    if ideal is not None and (best := one.contributions(ideal)) is not None:
        divisor = _sum(best, ideal)
        names["ideal"] = divisor if divisor.isdecimal() else f"({divisor})"
    steps = [str(one), frame.format_map(names)]
    if terms.over is not None and frame.startswith("{sum} / ") and not total.isdecimal():
        divided = f"{short(float(terms.ranked.sum()))} / {names['over']}"
        steps += [divided] if divided != steps[-1] else []
    if steps[-1] != short(value):
        steps.append(short(value))
    return " = ".join(steps)


def added_up(one: Explained, added: Sequence[float], value: float) -> str:
    """Write a value as a sum of what documents are expected to add."""
    written = _joined([short(share) for share in added if share])
    return f"{one} = {written}" + ("" if written == short(value) else f" = {short(value)}")


def _sum(terms: Contributions, a: Alignment) -> str:
    """Write the terms of one query that are not 0, added up; of terms that are 1, their number."""
    rows = [row for row, term in enumerate(terms.ranked.tolist()) if term]
    if terms.written == "1":
        return str(len(rows))
    numbers = {name: short(float(values[0])) for name, values in terms.numbers.items()}
    shown = rows if len(rows) <= _FIRST + _LAST + 1 else [*rows[:_FIRST], *rows[-_LAST:]]
    written = [
        terms.written.format(
            rank=int(a.rank[row]),
            next=int(a.rank[row]) + 1,
            above=int(a.rank[row]) - 1,
            label=short(float(a.label[row])),
            **{name: short(float(values[row])) for name, values in terms.columns.items()},
            **numbers,
        )
        for row in shown
    ]
    return _joined(written, left_out=len(rows) - len(shown))


def _joined(written: Sequence[str], left_out: int = 0) -> str:
    if not left_out and len(written) > _FIRST + _LAST + 1:
        left_out = len(written) - _FIRST - _LAST
        written = [*written[:_FIRST], *written[-_LAST:]]
    if left_out:
        written = [*written[:_FIRST], f"... ({left_out} more)", *written[-_LAST:]]
    return " + ".join(written) or "0"
