"""The contributions of documents to a measure's value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
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
    columns: Mapping[str, Floats] = field(default_factory=dict)
    written: str = "1"
    frame: str = ""
    numbers: Mapping[str, Floats] = field(default_factory=dict)


def place_in_query(query: Ints) -> Ints:
    """Assign numbers from 1 to the rows of each query: (m,) rising query numbers to (m,) int64."""
    places: Ints = np.arange(1, len(query) + 1) - np.searchsorted(query, query)
    return places
