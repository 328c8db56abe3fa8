"""Names for the types of arrays: what holds scores, counts, truth values and ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]
Values = NDArray[np.floating[Any] | np.integer[Any] | np.bool_]
