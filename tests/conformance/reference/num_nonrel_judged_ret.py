"""The number of documents retrieved that were judged not relevant."""

from conformance.reference.gains import Ranking


def num_nonrel_judged_ret(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    judged: float = 0.0,
) -> float:
    """Count the labels among the first k from ``judged`` to below ``rel``."""
    looked_at = ranking if k is None else ranking[:k]
    return float(len([1 for label in looked_at if label is not None and judged <= label < rel]))
