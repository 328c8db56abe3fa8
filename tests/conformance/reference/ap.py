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
    ties: Literal["apart", "together"] = "apart",
) -> float:
    """Sum the precision at the rank of every hit within k, and divide as ``norm`` says.

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
            total += sum(relevant[: end + 1]) / (end + 1)
    hits = sum(relevant[:cutoff])
    wanted = sum(relevant) + sum(label is not None and label >= rel for label in missed)
    divisor = {"relevant": wanted, "min": min(wanted, cutoff), "hits": hits, "k": cutoff}[norm]
    return total / divisor if divisor else 0.0
