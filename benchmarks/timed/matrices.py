"""Labels and scores of 7,000 queries x 1,000 documents, the same wherever they are made."""

import numpy as np
from numpy.typing import NDArray

SHAPE = (7_000, 1_000)


def labels() -> NDArray[np.int64]:
    """Return grades from 0 to 4."""
    return np.random.default_rng(0).integers(0, 5, SHAPE)


def scores() -> NDArray[np.float64]:
    """Return scores of which hardly any tie."""
    return np.random.default_rng(1).random(SHAPE)
