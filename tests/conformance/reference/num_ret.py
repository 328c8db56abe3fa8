"""The number of documents retrieved."""

from conformance.reference.gains import Ranking


def num_ret(ranking: Ranking, _missed: Ranking, *, k: int | None = None) -> float:
    """How many documents there are among the first k, judged or not."""
    return float(len(ranking) if k is None else len(ranking[:k]))
