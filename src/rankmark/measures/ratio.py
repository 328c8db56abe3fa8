"""Division that knows empty rankings and queries without relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.alignment import Floats


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; nothing of nothing is 0: (Q,) and (Q,) to (Q,) float64."""
    return part / np.where(whole > 0, whole, np.inf)
