"""Queries that people judged, among those that a model judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import MismatchError, listed


def places_among(people: Sequence[str], model: Sequence[str]) -> Ints:
    """Return the place of each query that people judged among those that the model judged.

    Raises
    ------
    MismatchError
        If the model did not judge one of them.
    """
    places = {query: place for place, query in enumerate(model)}
    missing = [query for query in people if query not in places]
    if missing:
        raise MismatchError(
            f"the model did not judge {len(missing):,} of the {len(people):,} queries that people "
            f"judged: {listed(missing[:3], len(missing))}",
            "give the model's judgments for these too, or leave them out of people's",
        )
    return np.array([places[query] for query in people], dtype=np.int64)


def spread_over(scores: Floats, places: Ints, n: int) -> Floats:
    """Return the scores of the queries at these places among ``n``, and NaN for all others."""
    found = np.full((n, *scores.shape[1:]), np.nan)
    found[places] = scores
    return found
