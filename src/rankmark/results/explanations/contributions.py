"""The contributions of documents to a measure's value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment import Alignment, Needs


class Contributions(NamedTuple):
    """The terms of a measure's value: (the sum of all terms) / divisor + rest, query by query.

    Q queries, H judged documents retrieved. A property test checks that they add up.

    Parameters
    ----------
    ranked
        (H,) float64, the term of each judged document that was retrieved.
    divisor
        (Q,) float64, the divisor of the sum, where 0 / 0 is 0; None for 1.
    unjudged
        The terms of unjudged documents: (m,) int64 numbers of queries and (m,) int64 ranks,
        1-based, to (m,) float64. None for 0.
    missed
        The terms of judged documents not retrieved: (m,) int64 numbers of queries and (m,) float64
        labels, high to low within a query, to (m,) float64. None for 0.
    rest
        (Q,) float64, a term of no document, which is not divided; None for 0.
    rest_is
        A description of ``rest``.
    columns
        {heading: (H,) float64}: columns shown for each document, NaN for none. Headings are
        identifiers.
    written
        Format of a term, such as ``"{found}/{rank}"``. Names in braces are headings, names of
        ``numbers``, ``rank``, ``next`` and ``above`` (the rank plus and minus 1) or ``label``.
        Terms written as ``"1"`` are counted.
    frame
        Format of the formula: ``{sum}`` is the sum of ``ranked``, in parentheses if it has several
        terms, ``{terms}`` the same without parentheses, ``{ideal}`` the sum of the ideal ranking,
        ``{divisor}`` the divisor; other names are those of ``numbers``. By default the sum,
        divided by the divisor if there is one. It may depend on the query, as formulas are for one
        query.
    numbers
        {name: (Q,) float64}: more numbers for ``frame`` and ``written``.
    """

    ranked: Floats
    divisor: Floats | None = None
    unjudged: Callable[[Ints, Ints], Floats] | None = None
    missed: Callable[[Ints, Floats], Floats] | None = None
    rest: Floats | None = None
    rest_is: str = ""
    columns: Mapping[str, Floats] = {}
    written: str = "1"
    frame: str = ""
    numbers: Mapping[str, Floats] = {}


def place_in_query(query: Ints) -> Ints:
    """Assign numbers from 1 to the rows of each query: (m,) rising query numbers to (m,) int64."""
    return np.arange(1, len(query) + 1) - np.searchsorted(query, query)


class Explained(Protocol):
    """A measure that can be explained; see Measure."""

    @property
    def aggregate(self) -> Literal["mean", "sum", "gmean"]:
        """How the values of queries are combined."""
        ...

    @property
    def more_is_better(self) -> bool:
        """Whether a higher value is better."""
        ...

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64."""
        ...

    def contributions(self, a: Alignment) -> Contributions | None:
        """Return what each document adds to the value; None if unknown."""
        ...

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Align the ideal ranking of each query; None if there is none."""
        ...

    def for_ideal(self) -> Explained:
        """Return the measure that counts the ideal ranking, as a rule this one."""
        ...

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:
        """Whether each label of ``a`` counts as relevant: (n,) bool."""
        ...

    def has_relevant(self, a: Alignment) -> Bools:
        """Whether each query has a relevant document, retrieved or not: (Q,) bool."""
        ...

    def needs(self) -> Needs:
        """Return what the formula needs of an alignment."""
        ...


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
