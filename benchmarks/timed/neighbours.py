"""True and found neighbours of 100,000 queries, 100 each, the same wherever they are made."""

import numpy as np
from numpy.typing import NDArray

SHAPE = (100_000, 100)
IDS = 100_000_000


def true_ids() -> NDArray[np.int32]:
    """Return ids that hardly ever repeat."""
    return np.random.default_rng(0).integers(0, IDS, SHAPE, dtype=np.int32)


def ids() -> NDArray[np.int32]:
    """Return nine in ten of the true ids, in another order."""
    draws = np.random.default_rng(1)
    missed = draws.random(SHAPE) < 0.1
    found = np.where(missed, draws.integers(0, IDS, SHAPE, dtype=np.int32), true_ids())
    return np.ascontiguousarray(found[:, draws.permutation(SHAPE[1])])
