"""Compatibility: the largest RBO with any ideal ranking, over what an ideal ranking has itself."""

import itertools
from collections.abc import Mapping, Sequence


def compatibility(
    run: Sequence[str], qrels: Mapping[str, float], *, p: float = 0.95, depth: int = 1000
) -> float:
    """Try every ideal ranking."""
    labels = sorted({label for label in qrels.values() if label > 0}, reverse=True)
    if not labels:
        return 0.0
    ties = [[doc_id for doc_id in qrels if qrels[doc_id] == label] for label in labels]
    ideals = [
        [doc_id for tie in chosen for doc_id in tie]
        for chosen in itertools.product(*(itertools.permutations(tie) for tie in ties))
    ]
    return max(_summed(run, ideal, p, depth) / _summed(ideal, ideal, p, depth) for ideal in ideals)


def _summed(a: Sequence[str], b: Sequence[str], p: float, depth: int) -> float:
    return sum(p ** (d - 1) * len(set(a[:d]) & set(b[:d])) / d for d in range(1, depth + 1))
