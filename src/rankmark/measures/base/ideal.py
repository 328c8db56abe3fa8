"""Ideal rankings, as a perfect system gives them: a measure names one as its ``ideal_ranking``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment


def by_merit(measure: Any, a: Alignment) -> Alignment | None:
    """Rank all judged documents by merit; None where no document is relevant to the measure."""
    if measure.nothing_relevant is None:
        return None
    merit = measure.merit(a.ideal_label)
    order = np.lexsort((-merit, a.ideal_query()))
    return replace(a.perfect(), label=a.ideal_label[order])


def by_label(measure: Any, a: Alignment) -> Alignment:  # noqa: ARG001
    """Rank all judged documents by label."""
    return a.perfect()


def unknown(measure: Any, a: Alignment) -> None:
    """Give none: no ideal ranking is known, or there is none."""
