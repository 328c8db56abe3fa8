"""The value of queries without relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.scoring.over_groups import has_relevant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.measures import Measure


def set_no_relevant(
    measure: Measure, alignment: Alignment, conventions: Conventions, scores: Floats
) -> None:
    """Set the scores, (Q,), of queries without relevant documents, in place."""
    value = measure.without_relevant(conventions.no_relevant)
    if value is not None:
        scores[~has_relevant(measure, alignment)] = value


def clear_no_relevant(
    measures: Sequence[Measure], alignment: Alignment, conventions: Conventions, scores: Floats
) -> None:
    """Set the scores, (Q, M), of queries without relevant documents to NaN unless they count 0."""
    for column, measure in enumerate(measures):
        counts = conventions.of(measure).no_relevant
        if measure.nothing_relevant is not None and counts != "zero":
            scores[~measure.has_relevant(alignment), column] = np.nan
