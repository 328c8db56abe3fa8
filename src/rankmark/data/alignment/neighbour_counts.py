"""Neighbours found by an index, counted against the true ones, by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark._core import neighbour_counts as counts_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Ints, Ranks

    Ids = NDArray[np.int32] | NDArray[np.int64]


class NeighbourCounts(NamedTuple):
    """What the rows of found neighbours hold, (Q,) int32 each; an id counts once a row.

    Parameters
    ----------
    hits
        Found, and among the true ones in the first k columns.
    tied
        Found, and among the true ones before the row's end.
    expected
        True ones in the first k columns.
    found
        Found, in the first k columns.
    repeated, true_repeated
        Places in the first k columns that repeat an id, of the found and of the true ones.
    first
        (Q, places) bool, whether a place holds an id for the first time; (Q, 0) if not asked for.
    """

    hits: Ranks
    tied: Ranks
    expected: Ranks
    found: Ranks
    repeated: Ranks
    true_repeated: Ranks
    first: Bools


def neighbour_counts(
    truth: Ids,
    found: Ids,
    k: int,
    *,
    padding: int | None,
    ends: Ints | None = None,
    first: bool = False,
    threads: int = 1,
) -> NeighbourCounts:
    """Count the first k found ids of each row against the true ones.

    Parameters
    ----------
    truth, found
        (Q, columns) of one type, contiguous; ``truth`` has at least k columns.
    padding
        The id of empty places; None if there are none.
    ends
        (Q,) up to which column true neighbours count in ``tied``, from k on; None for k.
    first
        Whether the places of first occurrences are wanted.
    """
    rows: tuple[Any, Any] = truth, found  # the stub has a form for each type
    *counts, places = counts_of_rows(*rows, k, padding, ends, first, threads)
    return NeighbourCounts._make([*counts, places.view(np.bool_)])
