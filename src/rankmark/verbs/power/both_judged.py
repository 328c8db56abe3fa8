"""Scores of runs by the labels of people and of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError, MeasureError, SchemaError, listed
from rankmark.verbs.evaluate.evaluate import chosen_queries
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import given_evaluations
from rankmark.verbs.evaluate.given_runs import named_runs
from rankmark.verbs.evaluate.judged_sample import places_among, spread_over

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.measures import Measure
    from rankmark.verbs.evaluate.evaluate_options import RunsOptions


def evaluated_pair(
    qrels: Any,
    baseline: Any,
    other: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
) -> tuple[Evaluation, Evaluation]:
    """Evaluate two runs, or check two evaluations.

    Raises
    ------
    SchemaError
        If only one of them is an evaluation.
    InputError
        If there are no judgments, or evaluations have other conventions.
    MismatchError
        If the judgments, queries or conventions of evaluations differ.
    """
    if isinstance(baseline, Evaluation) and isinstance(other, Evaluation):
        given = given_evaluations({"baseline": baseline, "other": other}, qrels, options)
        if baseline.weights is not None:
            raise InputError(
                "the runs were evaluated with weights, and power treats all queries alike",
                "evaluate them without weights",
            )
        return given["baseline"], given["other"]
    if isinstance(baseline, Evaluation) or isinstance(other, Evaluation):
        raise SchemaError(
            "one run is an evaluation, and one is not", "give two runs or two evaluations"
        )
    if qrels is None:
        raise InputError("qrels is None", "give judgments, unless the runs are evaluations")
    runs = [baseline, other]
    first, second = evaluate_runs(qrels, runs, measures, **options)
    return first, second


class BothJudged(NamedTuple):
    """Scores of runs by two sets of labels.

    Attributes
    ----------
    runs, queries
        Names of the runs, and ids of the queries that the model judged.
    measures
        The measures.
    people, model
        (n_queries, n_runs, n_measures) float64, NaN where there is no score.
    evaluations
        Of each run: by people's labels, and by the model's.
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    people: Floats
    model: Floats
    evaluations: tuple[tuple[Evaluation, Evaluation], ...]

    @property
    def judged(self) -> Bools:
        """Which queries people judged: (n_queries,) bool."""
        return np.array(np.isfinite(self.people).any(axis=(1, 2)), dtype=np.bool_)


class ModelJudged(NamedTuple):
    """Scores of runs by the labels of a model; as ``BothJudged`` has them."""

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    measures: tuple[Measure, ...]
    model: Floats
    evaluations: tuple[Evaluation, ...]


def judged_by_model(model: Any, runs: Any, measures: Any, options: RunsOptions) -> ModelJudged:
    """Evaluate runs by the labels of a model.

    Raises
    ------
    MeasureError
        If a measure is a sum over queries.
    InputError
        If runs are averaged over different queries.
    """
    given, options = _given(runs, options)
    found = _evaluated(model, given, measures, options)
    scores = np.stack([one.scores for one in found], axis=1)
    return ModelJudged(tuple(given), found[0].queries, found[0].measures, scores, tuple(found))


def judged_by_both(
    people: Any, model: Any, runs: Any, measures: Any, options: RunsOptions
) -> BothJudged:
    """Evaluate runs by both sets of labels, each over the queries that it judges.

    Raises
    ------
    MeasureError, InputError
        As ``judged_by_model``.
    MismatchError
        If the model did not judge a query that people judged, or people judged none.
    """
    given, options = _given(runs, options)
    progress = options.get("progress")
    chosen = options.get("queries", "judged")
    of_people: RunsOptions = {**options}
    if not isinstance(chosen, str):
        chosen = chosen_queries(chosen)
        options = {**options, "queries": chosen}
        of_people["queries"] = "judged"  # of which those that were chosen are taken
    by_people = _evaluated(people, given, measures, of_people)
    if progress is not None:
        behind = progress
        options = {**options, "progress": lambda at, done: behind(at + 1 + len(given), done)}
    by_model = _evaluated(model, given, measures, options)
    queries, scores = by_people[0].queries, np.stack([one.scores for one in by_people], axis=1)
    if not isinstance(chosen, str):
        kept = [row for row, query in enumerate(queries) if query in set(chosen)]
        queries, scores = tuple(queries[row] for row in kept), scores[kept]
    if not queries:
        raise InputError("people judged none of these queries", "check the query ids")
    asked = by_model[0].queries
    return BothJudged(
        runs=tuple(given),
        queries=asked,
        measures=by_model[0].measures,
        people=spread_over(scores, places_among(queries, asked), len(asked)),
        model=np.stack([one.scores for one in by_model], axis=1),
        evaluations=tuple(zip(by_people, by_model, strict=True)),
    )


def _given(runs: Any, options: RunsOptions) -> tuple[dict[str, Any], RunsOptions]:
    given, columns = named_runs(runs, options.get("columns"))
    for name, run in given.items():
        if isinstance(run, Evaluation):
            raise SchemaError(
                f"run {name!r} is an evaluation", "give the run, which is evaluated by both labels"
            )
        if hasattr(run, "read") or isinstance(run, Iterator):
            raise InputError(
                f"run {name!r} can be read once, and is evaluated by both sets of labels",
                "give a path, or the rows",
            )
    return given, {**options, "columns": columns}


def _evaluated(
    qrels: Any, runs: Mapping[str, Any], measures: Any, options: RunsOptions
) -> Sequence[Evaluation]:
    found = evaluate_runs(qrels, [*runs.values()], measures, names=[*runs], **options)
    sums = [str(one) for one in found[0].measures if one.aggregate != "mean"]
    if sums:
        raise MeasureError(
            f"{listed(sums)} adds up over queries, and a sample estimates means",
            "choose a measure that is averaged",
        )
    for name, one in zip(runs, found, strict=True):
        if one.queries != found[0].queries:
            raise InputError(
                f"{name} is averaged over {len(one.queries):,} queries and {next(iter(runs))} over "
                f"{len(found[0].queries):,}",
                'use queries="judged", where a missing query counts 0, or name the queries',
            )
    return found
