"""Measures for XGBoost: ``xgboost.train(..., custom_metric=custom_metric("nDCG@10"))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.arguments import checked
from rankmark.compat.grouped_scores import GroupedScores
from rankmark.errors import InputError, warn
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows


@checked
@shows(ProfiledConventions)
def custom_metric(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any], Any]:
    """Return a function for ``custom_metric`` of ``xgboost.train`` and ``xgboost.cv``.

    XGBoost does not ask it whether higher is better: for early stopping, give ``maximize=True``.
    Trees give many documents the same score; with ``ties="mean"``, their order does not matter. The
    weights of groups count as in XGBoost's own metrics. Each measure is called what it was
    requested by, without spaces and with = for :, which XGBoost forbids.

    As ``eval_metric`` of ``XGBRanker``, it takes one measure, with a warning: XGBoost calls it for
    each query, averages these by their numbers of documents, counts a query of one document as 1,
    and ignores weights.

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
        Takes scores and a DMatrix with labels, ``group`` or ``qid``, and perhaps weights.

    Examples
    --------
    >>> from rankmark.compat.xgboost import custom_metric
    >>> class DMatrix:
    ...     get_label = lambda self: [0, 1, 1]
    ...     get_uint_info = lambda self, field: [0, 2, 3]
    ...     get_weight = lambda self: []
    >>> custom_metric("RR")([0.9, 0.1, 0.5], DMatrix())
    [('RR', 0.75)]
    """
    return _CustomMetric(GroupedScores(measures, **conventions))


class _CustomMetric:
    """What ``xgboost.train`` calls with scores and a DMatrix, and ``XGBRanker`` query by query."""

    def __init__(self, evaluated: GroupedScores) -> None:
        self._evaluated = evaluated
        self._names = [_spelled(name) for name in evaluated.names]
        self.__name__ = ",".join(self._names)  # which XGBRanker prints
        self._has_warned = False
        same = [name for name in self._names if self._names.count(name) > 1]
        if same:
            raise InputError(
                f"two measures would be called {same[0]}, as XGBoost's names have no spaces or ':'",
                "leave one out",
            )

    def __call__(self, first: Any, second: Any) -> Any:
        if hasattr(second, "get_uint_info"):
            return self._of_data(first, second)
        if len(self._names) > 1:
            raise InputError(
                f"XGBRanker takes one measure, and these are {', '.join(self._evaluated.names)}",
                "name one, or use xgboost.train",
            )
        if not self._has_warned:
            self._has_warned = True
            warn(
                "XGBRanker averages queries by their numbers of documents, counts a query of one "
                "document as 1, and ignores weights",
                "use xgboost.train for the mean over queries, or for weights",
            )
        return self._evaluated(first, second, [len(first)])[0][1]  # labels, scores of a query

    def _of_data(self, predt: Any, dmatrix: Any) -> list[tuple[str, float]]:
        starts = np.asarray(dmatrix.get_uint_info("group_ptr"), dtype=np.int64)
        if len(starts) < 2:
            raise InputError("the DMatrix has no groups", "give it group= or qid=")
        weights = dmatrix.get_weight()
        if len(weights) not in {0, len(starts) - 1}:
            raise InputError(
                f"the DMatrix has {len(weights):,} weights, and {len(starts) - 1:,} groups",
                "give each group a weight",
            )
        given = weights if len(weights) else None
        found = self._evaluated(dmatrix.get_label(), predt, np.diff(starts), given)
        return [(name, value) for name, (_, value, _) in zip(self._names, found, strict=True)]


def _spelled(name: str) -> str:
    """Return a name without spaces, and with = for :, which XGBoost's lines of values forbid."""
    return "".join(name.split()).replace(":", "=")
