"""What a record says of evaluations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
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
        "per_query_sha256": {name: _hash_of_scores(one) for name, one in pairs},
    }


def of_evaluations(names: Sequence[str], evaluations: Sequence[Evaluation]) -> Computed:
    """Return what is recorded of runs with these names."""
    first = evaluations[0]
    values = evaluated_values(zip(names, evaluations, strict=True))
    return Computed(values, first.conventions, first.names)


def _hash_of_scores(evaluation: Evaluation) -> str:
    """Hash ids and scores, in the order of the judgments, as text that any program can write."""
    digest = hashlib.sha256()
    for query, row in zip(evaluation.queries, np.asarray(evaluation.scores).tolist(), strict=True):
        digest.update("\t".join([query, *map(repr, row)]).encode("utf-8", "surrogateescape"))
        digest.update(b"\n")
    return digest.hexdigest()
