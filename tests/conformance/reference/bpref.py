"""Bpref: the judged non-relevant documents that stand above each relevant one."""

from typing import Literal

from conformance.reference.gains import Ranking


def bpref(
    ranking: Ranking,
    missed: Ranking,
    *,
    rel: float = 1.0,
    judged: float = 0.0,
    norm: Literal["min", "relevant"] = "min",
    aggregate: Literal["mean", "gmean"] = "mean",  # noqa: ARG001  (of queries, not of documents)
) -> float:
    """Count, for every relevant document retrieved, the non-relevant ones that beat it."""
    everything = [label for label in [*ranking, *missed] if label is not None]
    relevant = len([label for label in everything if label >= rel])
    nonrelevant = len([label for label in everything if judged <= label < rel])
    to_beat = min(relevant, nonrelevant) if norm == "min" else relevant
    total = 0.0
    for place, label in enumerate(ranking):
        if label is None or label < rel:
            continue
        beaten_by = 0
        for other in ranking[:place]:
            if other is not None and judged <= other < rel:
                beaten_by += 1
        total += 1 - min(beaten_by, relevant) / to_beat if beaten_by else 1
    return total / relevant if relevant else 0.0
