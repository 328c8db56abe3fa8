"""Mean rank of the relevant documents."""

import statistics

from conformance.reference.gains import Ranking


def mean_rank(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Average the ranks, the relevant documents that were missed following the last."""
    ranks = [
        rank for rank, label in enumerate(ranking, start=1) if label is not None and label >= rel
    ]
    absent = sum(label is not None and label >= rel for label in missed)
    ranks += [len(ranking) + place for place in range(1, absent + 1)]
    return statistics.fmean(ranks) if ranks else 0.0
