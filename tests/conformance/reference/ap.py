"""Average precision: the precision at each relevant document's rank, averaged."""

from typing import Literal

from conformance.reference.gains import Ranking


def ap(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "min", "hits", "k"] = "relevant",
    precision: Literal["rank", "set"] = "rank",
    aggregate: Literal["mean", "gmean"] = "mean",  # noqa: ARG001  (of queries, not of documents)
) -> float:
    """Sum the precision of every hit within k, at its rank or at the end, and divide."""
    cutoff = len(ranking) if k is None else k
    hits = 0
    total = 0.0
    for rank, label in enumerate(ranking[:cutoff], start=1):
        if label is not None and label >= rel:
            hits += 1
            total += hits / rank
    if precision == "set":
        total = sum(hits / cutoff for _ in range(hits))
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    divisor = {"relevant": relevant, "min": min(relevant, cutoff), "hits": hits, "k": cutoff}[norm]
    return total / divisor if divisor else 0.0
