"""Measures for LightGBM: ``lightgbm.train(..., feval=feval("nDCG@10"))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Unpack

from rankmark.argument_types import typed
from rankmark.compat.grouped_scores import GroupedScores
from rankmark.errors import InputError
from rankmark.evaluating.evaluate_options import ProfiledConventions, shows
from rankmark.measures.names import AnyMeasure

Values = list[tuple[str, float, bool]]
"""(name, value, whether higher is better) of each measure, as LightGBM takes them."""


@typed
@shows(ProfiledConventions)
def feval(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any], Values]:
    """Return a function for the parameter ``feval`` of ``lightgbm.train`` and ``lightgbm.cv``.

    Trees give many documents the same score; with ``ties="mean"``, their order does not matter.

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
        Takes scores and a Dataset with labels and groups.

    Examples
    --------
    >>> from rankmark.compat.lightgbm import feval
    >>> class Dataset:
    ...     get_label = lambda self: [0, 1, 1]
    ...     get_group = lambda self: [2, 1]
    >>> feval("RR")([0.9, 0.1, 0.5], Dataset())
    [('RR', 0.75, True)]
    """
    return partial(_of_data, GroupedScores(measures, **conventions))


@typed
@shows(ProfiledConventions)
def eval_metric(
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Callable[[Any, Any, Any, Any], Values]:
    """Return a function for the parameter ``eval_metric`` of ``LGBMRanker.fit``.

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
        Takes labels, scores, weights, which it ignores, and groups.
    """
    return partial(_of_arrays, GroupedScores(measures, **conventions))


def _of_data(evaluated: GroupedScores, preds: Any, eval_data: Any) -> Values:
    return _of_arrays(evaluated, eval_data.get_label(), preds, None, eval_data.get_group())


def _of_arrays(
    evaluated: GroupedScores,
    y_true: Any,
    y_pred: Any,
    weight: Any,  # noqa: ARG001  (LightGBM counts the parameters)
    group: Any,
) -> Values:
    if group is None:
        raise InputError("the data has no groups", "give group=, the number of rows of each query")
    return evaluated(y_true, y_pred, group)
