"""What a record says of evaluations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.records.run_record import Computed
from rankmark.results.result import json_number

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.evaluation import Evaluation


def evaluated_values(evaluations: Iterable[tuple[str, Evaluation]]) -> dict[str, Any]:
    """Return the means of runs by name, and a hash of the scores of each query."""
    pairs = list(evaluations)
    return {
        "means": {
            name: {measure: json_number(value) for measure, value in one.means.items()}
            for name, one in pairs
        },
        "per_query_sha256": {
            name: hashlib.sha256(
                "".join(_lines(one)).encode("utf-8", "surrogateescape")
            ).hexdigest()
            for name, one in pairs
        },
    }


def scores_by_query(evaluations: Iterable[tuple[str, Evaluation]]) -> dict[str, Any]:
    """Return the names of the measures, and the lines of each run whose hash is recorded."""
    pairs = list(evaluations)
    lines = {name: [line.rstrip("\n") for line in _lines(one)] for name, one in pairs}
    return {"measures": pairs[0][1].names, "runs": lines}


def of_evaluations(names: Sequence[str], evaluations: Sequence[Evaluation]) -> Computed:
    """Return what is recorded of runs with these names."""
    first = evaluations[0]
    pairs = [*zip(names, evaluations, strict=True)]
    values, by_query = evaluated_values(pairs), scores_by_query(pairs)
    return Computed(values, first.conventions, first.names, by_query)


def _lines(evaluation: Evaluation) -> Iterator[str]:
    """Write ids and scores, in the order of the judgments, as text that any program can write."""
    scores = np.asarray(evaluation.scores).tolist()
    for query, row in zip(evaluation.queries, scores, strict=True):
        yield "\t".join([query, *map(repr, row)]) + "\n"
