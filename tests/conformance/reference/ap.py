"""Average precision: the precision at each relevant document's rank, averaged."""

from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def ap(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "min", "hits", "k"] = "relevant",
    precision: Literal["rank", "set"] = "rank",
    ties: Literal["apart", "together"] = "apart",
    aggregate: Literal["mean", "gmean"] = "mean",  # noqa: ARG001  (of queries, not of documents)
) -> float:
    """Sum the precision of every hit within k, at its rank or at the end, and divide by ``norm``.

    Together, the documents of a tie all stand at the last rank that it has within k.
    """
    cutoff = len(ranking) if k is None else k
    relevant = [label is not None and label >= rel for label in ranking]
    seen = range(len(ranking))[:cutoff]
    total = 0.0
    for place in seen:
        if relevant[place]:
            end = place
            if ties == "together":
                end = max(other for other in seen if tied(ranking, place, other))
            if precision == "set":
                end = cutoff - 1
            total += sum(relevant[:cutoff][: end + 1]) / (end + 1)
    hits = sum(relevant[:cutoff])
    wanted = sum(relevant) + sum(label is not None and label >= rel for label in missed)
    divisor = {"relevant": wanted, "min": min(wanted, cutoff), "hits": hits, "k": cutoff}[norm]
    return total / divisor if divisor else 0.0
