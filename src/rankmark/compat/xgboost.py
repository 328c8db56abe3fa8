"""Measures for XGBoost: ``xgboost.train(..., custom_metric=custom_metric("nDCG@10"))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.argument_types import typed
from rankmark.compat.grouped_scores import GroupedScores
from rankmark.errors import InputError
from rankmark.evaluating.evaluate_options import ProfiledConventions, shows
from rankmark.measures.names import AnyMeasure


@typed
@shows(ProfiledConventions)
def custom_metric(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any], Any]:
    """Return a function for ``custom_metric`` of ``xgboost.train`` and ``xgboost.cv``.

    XGBoost does not ask it whether higher is better: for early stopping, give ``maximize=True``. As
    ``eval_metric`` of ``XGBRanker``, it takes one measure; there, XGBoost calls it for each query
    and averages, and a query of one document counts 1. Trees give many documents the same score;
    with ``ties="mean"``, their order does not matter.

    Parameters
    ----------
    Measures:
    measures
        One or several, as for ``evaluate``.

    Conventions:
    **conventions
        The conventions of ``evaluate``.

    Returns
    -------
    callable
        Takes scores and a DMatrix with labels and ``group`` or ``qid``.

    Examples
    --------
    >>> from rankmark.compat.xgboost import custom_metric
    >>> class DMatrix:
    ...     get_label = lambda self: [0, 1, 1]
    ...     get_uint_info = lambda self, field: [0, 2, 3]
    >>> custom_metric("RR")([0.9, 0.1, 0.5], DMatrix())
    [('RR', 0.75)]
    """
    return _CustomMetric(GroupedScores(measures, **conventions))


class _CustomMetric:
    """What ``xgboost.train`` calls with scores and a DMatrix, and ``XGBRanker`` query by query."""

    def __init__(self, evaluated: GroupedScores) -> None:
        self._evaluated = evaluated
        self.__name__ = ", ".join(evaluated.names)  # which XGBRanker prints

    def __call__(self, first: Any, second: Any) -> Any:
        if hasattr(second, "get_uint_info"):
            return self._of_data(first, second)
        found = self._evaluated(first, second, [len(first)])  # labels and scores of a query
        if len(found) > 1:
            raise InputError(
                f"XGBRanker takes one measure, and these are {self.__name__}",
                "name one, or use xgboost.train",
            )
        return found[0][1]

    def _of_data(self, predt: Any, dmatrix: Any) -> list[tuple[str, float]]:
        starts = np.asarray(dmatrix.get_uint_info("group_ptr"), dtype=np.int64)
        if len(starts) < 2:
            raise InputError("the DMatrix has no groups", "give it group= or qid=")
        found = self._evaluated(dmatrix.get_label(), predt, np.diff(starts))
        return [(name, value) for name, value, _ in found]
