"""Whether the two runs of a gate are the same one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.verbs.gate.gate_result import Same
    from rankmark.verbs.gate.gated_system import System
    from rankmark.verbs.gate.gated_systems import Given
    from rankmark.verbs.gate.scored_measure import GatedMeasure


def same_runs(
    base: Given, new: Given, baseline: System, candidate: System, measures: Sequence[GatedMeasure]
) -> Same:
    """Return in which way two systems are the same; "" if they are not.

    Files are read again for a comparison of their content only if all scores are the same.
    """
    for measure in measures:
        if not np.array_equal(baseline.scores(measure), candidate.scores(measure), equal_nan=True):
            return ""
    if len(base.runs) == len(new.runs):
        pairs = [*zip(base.runs, new.runs, strict=True)]
        if all(are_one_file(a, b) for a, b in pairs):
            return "file"
        if all(a is b for a, b in pairs):
            return "object"
        hashes = [baseline.hashes(), candidate.hashes()]
        if None not in hashes[0] and hashes[0] == hashes[1]:
            return "content"
    return "scores"


def are_one_file(a: Any, b: Any) -> bool:
    """Return whether two runs are paths of the same file."""
    if not all(isinstance(one, (str, os.PathLike)) for one in (a, b)):
        return False
    try:
        return os.path.samefile(a, b)  # noqa: PTH121
    except OSError:
        return False
