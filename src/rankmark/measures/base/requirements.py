"""What several measures together need of an alignment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import Needs

if TYPE_CHECKING:
    from rankmark.measures.base.measure import Measure


ABOVE_ZERO = float(np.nextafter(0.0, 1.0))
"""The lowest positive label; evaluations always align these labels."""


def needs_of(measures: Sequence[Measure]) -> Needs:
    """Return what an alignment must contain for all of these measures (at least one)."""
    needs = [needed_by(measure) for measure in measures]
    return Needs(
        lowest=min(need.lowest for need in needs),
        deepest=_most(need.deepest for need in needs),
        ideal=_most(need.ideal for need in needs),
        subtopics=any(measure.depends_on == "subtopics" for measure in measures),
    )


def needed_by(measure: Measure) -> Needs:
    """Return what an alignment must contain for a measure, which may condense it."""
    needs = measure.needs()
    return needs._replace(lowest=-np.inf, deepest=None) if measure.judged_only else needs


def _most(limits: Iterable[int | None]) -> int | None:
    """Return the greatest limit; None, no limit, if one of them is None."""
    listed = list(limits)
    return None if None in listed else max(limit for limit in listed if limit is not None)
