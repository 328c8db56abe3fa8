"""A measure's formula with the numbers of one query."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.data.alignment import Alignment
    from rankmark.results.explanations.contributions import Contributions
    from rankmark.results.explanations.explained import Explained

_FIRST, _LAST = 6, 2  # terms written out if there are many


def short(value: float) -> str:
    """Format a number with at most six digits, whole numbers without decimals."""
    return f"{value:.0f}" if abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"


def worked(
    measure: Explained, a: Alignment, ideal: Alignment | None, value: float, *, known: bool = True
) -> str:
    """Format the formula of the value of the only query of ``a``.

    ``ideal`` is its ideal ranking, for measures that divide by its value. ``known`` is False if the
    measure's contributions do not add up to its value.
    """
    contributions = measure.contributions(a) if known else None
    if contributions is None:
        return f"{measure} = {short(value)}; what documents contribute is unknown"
    frame = contributions.frame or (
        "{sum}" if contributions.divisor is None else "{sum} / {divisor}"
    )
    names = {name: short(float(numbers[0])) for name, numbers in contributions.numbers.items()}
    total = _sum(contributions, a)
    names["terms"] = total
    names["sum"] = f"({total})" if " + " in total and frame != "{sum}" else total
    if contributions.divisor is not None:
        names["divisor"] = short(float(contributions.divisor[0]))
    if ideal is not None and (best := measure.for_ideal().contributions(ideal)) is not None:
        divisor = _sum(best, ideal)
        names["ideal"] = divisor if divisor.isdecimal() else f"({divisor})"
    steps = [str(measure), frame.format_map(names)]
    if contributions.divisor is not None and frame.startswith("{sum} / ") and not total.isdecimal():
        divided = f"{short(float(contributions.ranked.sum()))} / {names['divisor']}"
        steps += [divided] if divided != steps[-1] else []
    if steps[-1] != short(value):
        steps.append(short(value))
    return " = ".join(steps)


def added_up(measure: Explained, added: Sequence[float], value: float) -> str:
    """Format a value as the sum of the expected contributions of documents."""
    written = _joined([short(share) for share in added if share])
    return f"{measure} = {written}" + ("" if written == short(value) else f" = {short(value)}")


def _sum(contributions: Contributions, a: Alignment) -> str:
    """Format the sum of the terms other than 0, or the number of terms if they are 1."""
    rows = [row for row, term in enumerate(contributions.ranked.tolist()) if term]
    if contributions.written == "1":
        return str(len(rows))
    numbers = {name: short(float(values[0])) for name, values in contributions.numbers.items()}
    shown = rows if len(rows) <= _FIRST + _LAST + 1 else [*rows[:_FIRST], *rows[-_LAST:]]
    written = [
        contributions.written.format(
            rank=int(a.rank[row]),
            next=int(a.rank[row]) + 1,
            above=int(a.rank[row]) - 1,
            label=short(float(a.label[row])),
            **{name: short(float(values[row])) for name, values in contributions.columns.items()},
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
