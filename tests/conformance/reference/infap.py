"""Inferred average precision, as Yilmaz and Aslam derive it: an expected precision at each hit."""

from conformance.reference.gains import Ranking

EPSILON = 0.00001


def infap(ranking: Ranking, missed: Ranking, *, rel: float = 1.0, judged: float = 0.0) -> float:
    """Average the expected precision at the rank of each relevant document.

    One of the first i documents, drawn at random, is the document itself (1 in i), or one above it,
    which is in the pool or not, and if it is, relevant as often as the judged ones above.
    """
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    expected = 0.0
    for rank, label in enumerate(ranking, start=1):
        if label is None or label < rel:
            continue
        if rank == 1:
            expected += 1.0
            continue
        pool = [other for other in ranking[: rank - 1] if other is not None]
        hits = sum(other >= rel for other in pool)
        misses = sum(judged <= other < rel for other in pool)
        in_pool = len(pool) / (rank - 1)
        relevant_in_pool = (hits + EPSILON) / (hits + misses + 2 * EPSILON)
        expected += 1 / rank + (rank - 1) / rank * in_pool * relevant_in_pool
    return expected / relevant if relevant else 0.0
