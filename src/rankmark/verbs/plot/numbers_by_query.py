"""The data of plots by query: the scores of runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.verbs.plot.plottable import Plottable


class Scores(NamedTuple):
    """Scores of queries by runs.

    Parameters
    ----------
    queries
        (n_queries,) ids.
    values
        (n_queries, n_runs) float64, NaN if the query does not count for a run.
    """

    queries: list[str]
    values: Floats


def by_query(evaluations: Sequence[Plottable], measure: Measure) -> Scores:
    """Combine the scores of runs, for all queries for which any run has a value.

    Raises
    ------
    InputError
        If no query has a value, or one is infinite.
    MeasureError
        If the measure was not evaluated.
    """
    columns = [
        dict(
            zip(
                evaluation.queries,
                evaluation.scores[:, evaluation.column(measure)].tolist(),
                strict=True,
            )
        )
        for evaluation in evaluations
    ]
    queries = list(dict.fromkeys(query for column in columns for query in column))
    values = np.array([[column.get(query, np.nan) for column in columns] for query in queries])
    if np.isinf(values).any():
        raise InputError(
            "a score is infinite and cannot be drawn", "draw another", where=str(measure)
        )
    present = ~np.isnan(values).all(axis=1) if queries else np.zeros(0, dtype=bool)
    if not present.any():
        raise InputError(
            "no query has a value", "choose no_relevant or queries otherwise", where=str(measure)
        )
    return Scores(
        [query for query, kept in zip(queries, present.tolist(), strict=True) if kept],
        values[present],
    )


def in_both(scores: Scores) -> Scores:
    """Keep the queries for which both runs have a value.

    Raises
    ------
    InputError
        If there are none.
    """
    present = ~np.isnan(scores.values[:, 0]) & ~np.isnan(scores.values[:, 1])
    if not present.any():
        raise InputError("no query has a value for both runs", "evaluate them for the same queries")
    kept = [query for query, both in zip(scores.queries, present.tolist(), strict=True) if both]
    return Scores(kept, scores.values[present])


def best_runs(values: Floats, *, more_is_better: bool) -> list[int]:
    """Order runs by their mean over queries, NaN left out: (n_queries, n_runs), the best first."""
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    merit = np.where(counts > 0, means if more_is_better else -means, -np.inf)
    order: list[int] = np.argsort(-merit, kind="stable").tolist()
    return order


def best_first(scores: Scores, *, more_is_better: bool) -> Scores:
    """Order queries by their mean over the runs, NaN left out."""
    means = np.nanmean(scores.values, axis=1)
    order = np.argsort(-means if more_is_better else means, kind="stable")
    return Scores([scores.queries[row] for row in order.tolist()], scores.values[order])
