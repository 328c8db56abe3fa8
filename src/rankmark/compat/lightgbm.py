"""Measures for LightGBM: ``lightgbm.train(..., feval=feval("nDCG@10"))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Unpack

import numpy as np

from rankmark.arguments import checked
from rankmark.compat.grouped_scores import GroupedScores, sizes_of
from rankmark.errors import InputError
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows

Values = list[tuple[str, float, bool]]
"""(name, value, whether higher is better) of each measure, as LightGBM takes them."""


@checked
@shows(ProfiledConventions)
def feval(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any], Values]:
    """Return a function for the parameter ``feval`` of ``lightgbm.train`` and ``lightgbm.cv``.

    Trees give many documents the same score; with ``ties="mean"``, their order does not matter. If
    the rows have weights, that of a query is their mean, as in LightGBM's own metrics. Each measure
    is called what it was requested by.

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
        Takes scores and a Dataset with labels, groups and perhaps weights.

    Examples
    --------
    >>> from rankmark.compat.lightgbm import feval
    >>> class Dataset:
    ...     get_label = lambda self: [0, 1, 1]
    ...     get_group = lambda self: [2, 1]
    ...     get_weight = lambda self: None
    >>> feval("RR")([0.9, 0.1, 0.5], Dataset())
    [('RR', 0.75, True)]
    """
    return partial(_of_data, GroupedScores(measures, **conventions))


@checked
@shows(ProfiledConventions)
def eval_metric(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any, Any, Any], Values]:
    """Return a function for the parameter ``eval_metric`` of ``LGBMRanker.fit``.

    Weights and names are as in ``feval``.

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
        Takes labels, scores, weights of rows or None, and groups.
    """
    return partial(_of_arrays, GroupedScores(measures, **conventions))


def _of_data(evaluated: GroupedScores, preds: Any, eval_data: Any) -> Values:
    label, weight = eval_data.get_label(), eval_data.get_weight()
    return _of_arrays(evaluated, label, preds, weight, eval_data.get_group())


def _of_arrays(
    evaluated: GroupedScores, y_true: Any, y_pred: Any, weight: Any, group: Any
) -> Values:
    if group is None:
        raise InputError("the data has no groups", "give group=, the number of rows of each query")
    of_queries = None
    if weight is not None:
        sizes = sizes_of(group, len(weight))
        of_queries = np.add.reduceat(np.asarray(weight, np.float64), sizes.cumsum() - sizes) / sizes
    return evaluated(y_true, y_pred, group, of_queries)
