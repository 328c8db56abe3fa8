"""Evaluate labels and scores of documents with group sizes, as libraries of boosted trees do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rankmark.measures.names import AnyMeasure
from rankmark.verbs.accumulate import Accumulator
from rankmark.verbs.evaluate import evaluate

Evaluated = Callable[[Any, Any, Any], list[tuple[str, float, bool]]]


def grouped_scores(
    measures: Iterable[AnyMeasure] | AnyMeasure | None, **conventions: Any
) -> Evaluated:
    """Return a function of labels, scores and group sizes: (name, value, whether more is better).

    Raises
    ------
    MeasureError, InputError
        If a measure does not exist, or a convention has an invalid value.
    """
    Accumulator(measures, **conventions)  # refuses what cannot be

    def evaluated(labels: Any, scores: Any, sizes: Any) -> list[tuple[str, float, bool]]:
        label, score = np.asarray(labels), np.asarray(scores)
        if score.ndim == 2 and score.shape[1] == 1:
            score = score[:, 0]
        groups: Any = np.asarray(sizes, dtype=np.int64)
        if len(groups) == len(label):  # one document each; sizes could be ids
            label, score, groups = label[:, None], score[:, None], None
        ev = evaluate(label, score, measures, groups=groups, **conventions)
        return [(str(one), ev[one], one.more_is_better) for one in ev.measures]

    return evaluated
