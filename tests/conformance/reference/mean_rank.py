"""Mean rank of the relevant documents."""

import statistics

from conformance.reference.gains import Ranking


def mean_rank(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Average the ranks; missed relevant documents follow the last one."""
    ranks = [
        rank for rank, label in enumerate(ranking, start=1) if label is not None and label >= rel
    ]
    num_missed = sum(label is not None and label >= rel for label in missed)
    ranks += [len(ranking) + place for place in range(1, num_missed + 1)]
    return statistics.fmean(ranks) if ranks else 0.0
