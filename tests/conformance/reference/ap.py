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
) -> float:
    """Sum the precision at the rank of every hit within k, and divide as ``norm`` says."""
    cutoff = len(ranking) if k is None else k
    hits = 0
    total = 0.0
    for rank, label in enumerate(ranking[:cutoff], start=1):
        if label is not None and label >= rel:
            hits += 1
            total += hits / rank
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    divisor = {"relevant": relevant, "min": min(relevant, cutoff), "hits": hits, "k": cutoff}[norm]
    return total / divisor if divisor else 0.0
