"""What queries count in which nothing is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.scoring.over_groups import has_relevant

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure


def set_nothing_relevant(
    one: Measure, alignment: Alignment, conventions: Conventions, scores: Floats
) -> None:
    """Give queries in which nothing is relevant the value chosen for them: (Q,), in place."""
    if one.nothing_relevant is None or conventions.no_relevant == "zero":
        return
    nothing = ~has_relevant(one, alignment)
    if conventions.no_relevant in {"nan", "skip"}:
        scores[nothing] = np.nan
    elif not one.more_is_better:
        scores[nothing] = one.bounds[0]
    elif 1.0 <= one.bounds[1] < np.inf:
        scores[nothing] = 1.0
