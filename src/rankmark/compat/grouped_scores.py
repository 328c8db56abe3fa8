"""Evaluate labels and scores of documents with group sizes, as libraries of boosted trees do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.array_types import Ints
from rankmark.errors import InputError, shown
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.evaluate import asked_of, evaluate
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions
from rankmark.verbs.evaluate.evaluation import Evaluation


class GroupedScores:
    """A function of labels, scores and group sizes: (name, value, whether higher is better).

    Parameters
    ----------
    measures, **conventions
        As for ``evaluate``.

    Attributes
    ----------
    names
        The names under which the measures were requested.

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
        asked = asked_of(measures, {**conventions})  # refuses what cannot be
        self._conventions = conventions
        self._measures = {
            name: measure
            for measure in asked.measures
            for name in [name for name, one in asked.names.items() if one == measure]
            or [str(measure)]
        }
        self.names: list[str] = [*self._measures]

    def __call__(
        self, labels: Any, scores: Any, sizes: Any, weights: Any = None
    ) -> list[tuple[str, float, bool]]:
        """Evaluate documents that are in the order of their groups.

        Parameters
        ----------
        labels, scores
            (n,), of all documents; scores may also be (n, 1).
        sizes
            (n_groups,) whole numbers.
        weights
            (n_groups,), of each query in the means; None if all count alike.

        Raises
        ------
        InputError
            If a weight is no finite number from 0, or all are 0.
        """
        by_query = None if weights is None else dict(enumerate(np.asarray(weights).tolist()))
        measures = self._measures.values()
        ev = of_groups(labels, scores, sizes, measures, by_query, **self._conventions)
        return [(name, ev[one], one.more_is_better) for name, one in self._measures.items()]


def of_groups(
    labels: Any,
    scores: Any,
    sizes: Any,
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
    weights: dict[int, float] | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Evaluation:
    """Evaluate documents that are in the order of their groups.

    Parameters
    ----------
    labels, scores
        (n,), of all documents; scores may also be (n, 1).
    sizes
        (n_groups,) whole numbers, which are never taken for ids.
    weights
        Of each query, by its number from 0; None if all count alike.
    measures, **conventions
        As for ``evaluate``.
    """
    label, score = np.asarray(labels), np.asarray(scores).reshape(-1)
    groups: Any = sizes_of(sizes, len(label))
    if len(groups) == len(label):  # one document each
        label, score, groups = label[:, None], score[:, None], None
    return evaluate(label, score, measures, groups=groups, weights=weights, **conventions)


def sizes_of(groups: Any, rows: int) -> Ints:
    """Return the sizes of groups, each of which has a row."""
    sizes = np.asarray(groups, dtype=np.int64)
    if sizes.ndim != 1 or (sizes < 1).any() or sizes.sum() != rows:
        raise InputError(
            f"the sizes of groups are {shown(sizes.tolist())}",
            f"need the number of rows of each query, from 1, which sum up to {rows:,}",
        )
    return sizes
