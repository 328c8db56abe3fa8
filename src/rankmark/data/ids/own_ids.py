"""Documents that have the ids of their queries: the same objects, or equal numbers by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Ints

_DEVIATIONS = 5


def are_own(query_ids: Sequence[str], matches: int, depths: Ints, documents: int) -> bool:
    """Return False if ids are whole numbers that match no more often than by chance.

    User 1 and item 1 have equal numbers, and nothing else in common.

    Parameters
    ----------
    matches
        Documents with the id of their query.
    depths
        (Q,) int64, the documents of each query.
    documents
        Number of different documents.
    """
    if not all(map(str.isdigit, query_ids)):
        return True
    expected = float(np.minimum(np.asarray(depths) / max(documents, 1), 1).sum())
    return matches > expected + _DEVIATIONS * math.sqrt(expected + 1)
