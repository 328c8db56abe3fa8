"""The residual of rank-biased precision: the weight of all unjudged documents."""

from conformance.reference.gains import Ranking


def rbp_residual(
    ranking: Ranking, _missed: Ranking, *, k: int | None = None, p: float = 0.9
) -> float:
    """Add the weights of unjudged documents to k, and p^n for all ranks beyond."""
    seen = ranking[:k]
    unjudged = sum(p**place for place, label in enumerate(seen) if label is None)
    return (1 - p) * unjudged + p ** len(seen)
