"""A baseline and another run, evaluated on the same queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, SchemaError
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import given_evaluations

if TYPE_CHECKING:
    from rankmark.measures import Measure


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
