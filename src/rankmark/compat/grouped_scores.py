"""Evaluate labels and scores of documents with group sizes, as libraries of boosted trees do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.evaluating.accumulate import Accumulator
from rankmark.evaluating.evaluate import evaluate
from rankmark.evaluating.evaluate_options import ProfiledConventions
from rankmark.measures.names import AnyMeasure


class GroupedScores:
    """A function of labels, scores and group sizes: (name, value, whether higher is better).

    Parameters
    ----------
    measures, **conventions
        As for ``evaluate``.

    Raises
    ------
    MeasureError, InputError
        If a measure does not exist, or a convention has an invalid value.
    """

    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None,
        **conventions: Unpack[ProfiledConventions],
    ) -> None:
        self._measures = Accumulator(measures, **conventions).measures  # refuses what cannot be
        self._requested, self._conventions = measures, conventions
        self.names: list[str] = [str(measure) for measure in self._measures]

    def __call__(self, labels: Any, scores: Any, sizes: Any) -> list[tuple[str, float, bool]]:
        """Evaluate documents that are in the order of their groups."""
        label, score = np.asarray(labels), np.asarray(scores)
        if score.ndim == 2 and score.shape[1] == 1:
            score = score[:, 0]
        groups: Any = np.asarray(sizes, dtype=np.int64)
        if len(groups) == len(label):  # one document each; sizes could be ids
            label, score, groups = label[:, None], score[:, None], None
        ev = evaluate(label, score, self._requested, groups=groups, **self._conventions)
        return [(str(one), ev[one], one.more_is_better) for one in self._measures]
