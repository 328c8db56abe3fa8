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


def evaluated_values(
    evaluations: Iterable[tuple[str, Evaluation]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a record has of runs by name.

    Returns
    -------
    values
        Their means and the numbers of all lists together, and a hash of the scores of each query.
    per_query
        The names of the measures, and the lines of each run that were hashed.
    """
    pairs = list(evaluations)
    lines = {name: _lines(one) for name, one in pairs}
    means = {name: {measure: json_number(one[measure]) for measure in one} for name, one in pairs}
    hashes = {name: _hash(of_run) for name, of_run in lines.items()}
    values = {"means": means, "per_query_sha256": hashes}
    return values, {"measures": pairs[0][1].names, "runs": lines}


def of_evaluations(names: Sequence[str], evaluations: Sequence[Evaluation]) -> Computed:
    """Return what is recorded of runs with these names."""
    first = evaluations[0]
    values, per_query = evaluated_values(zip(names, evaluations, strict=True))
    return Computed(values, first.conventions, [*first], per_query)


def _lines(evaluation: Evaluation) -> list[str]:
    """Write ids and scores, in the order of the judgments, as text that any program can write."""
    scores = np.asarray(evaluation.scores).tolist()
    return [
        "\t".join([query, *map(repr, row)])
        for query, row in zip(evaluation.queries, scores, strict=True)
    ]


def _hash(lines: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{line}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
