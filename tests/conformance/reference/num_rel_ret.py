"""The number of relevant documents retrieved."""

from conformance.reference.gains import Ranking


def num_rel_ret(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """How many of the first k documents are relevant."""
    seen = ranking if k is None else ranking[:k]
    return float(sum(label is not None and label >= rel for label in seen))
