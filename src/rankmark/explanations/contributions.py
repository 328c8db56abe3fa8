"""What a measure adds up, document by document: the story that its number tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What adds up to a measure's value: (the sum of all terms) / over + rest, query by query.

    Q queries, H judged documents retrieved. The property test of all measures checks that it does.

    Parameters
    ----------
    ranked
        (H,) float64, what each judged document that was retrieved adds.
    over
        (Q,) float64, what the sum is divided by, nothing of nothing being 0; None for 1.
    unjudged
        What unjudged documents add: (m,) int64 numbers of queries and (m,) int64 ranks, 1-based,
        to (m,) float64. None for nothing.
    missed
        What judged documents add that were not retrieved: (m,) int64 numbers of queries and (m,)
        float64 labels, high to low within a query, to (m,) float64. None for nothing.
    rest
        (Q,) float64, what no document adds, and nothing divides; None for nothing.
    rest_is
        What ``rest`` is, in a few words.
    columns
        {heading: (H,) float64}: what is shown beside each document, NaN for nothing. Headings are
        identifiers.
    written
        How a term is written by hand: in braces stand headings, names of ``numbers``, ``rank``,
        ``next`` and ``above`` (the rank plus and minus 1) and ``label``; such as
        ``"{found}/{rank}"``. Terms that are written ``"1"`` are counted.
    frame
        How the formula is written around the terms: ``{sum}`` stands for those of ``ranked``, in
        brackets where there are several, ``{terms}`` for the same without brackets, ``{ideal}`` for
        those of the best ranking, ``{over}`` for the divisor, and names of ``numbers`` for these.
        By default the sum, over the divisor if there is one. As only formulas of one query are
        written, it may depend on the query.
    numbers
        {name: (Q,) float64}: more numbers of a query that ``frame`` and ``written`` name.
    """

    ranked: Floats
    over: Floats | None = None
    unjudged: Callable[[Ints, Ints], Floats] | None = None
    missed: Callable[[Ints, Floats], Floats] | None = None
    rest: Floats | None = None
    rest_is: str = ""
    columns: Mapping[str, Floats] = field(default_factory=dict)
    written: str = "1"
    frame: str = ""
    numbers: Mapping[str, Floats] = field(default_factory=dict)


def place_in_query(query: Ints) -> Ints:
    """Count within each query from 1: (m,) rising numbers of queries to (m,) int64."""
    places: Ints = np.arange(1, len(query) + 1) - np.searchsorted(query, query)
    return places
