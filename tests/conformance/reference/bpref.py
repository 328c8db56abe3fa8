"""Bpref: the number of judged non-relevant documents above each relevant one."""

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
    """Count, for every relevant document retrieved, the non-relevant ones above it."""
    everything = [label for label in [*ranking, *missed] if label is not None]
    relevant = len([label for label in everything if label >= rel])
    nonrelevant = len([label for label in everything if judged <= label < rel])
    divisor = min(relevant, nonrelevant) if norm == "min" else relevant
    total = 0.0
    for place, label in enumerate(ranking):
        if label is None or label < rel:
            continue
        nonrelevant_above = 0
        for other in ranking[:place]:
            if other is not None and judged <= other < rel:
                nonrelevant_above += 1
        total += 1 - min(nonrelevant_above, relevant) / divisor if nonrelevant_above else 1
    return total / relevant if relevant else 0.0
