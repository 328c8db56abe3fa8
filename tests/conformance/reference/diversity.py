"""Measures over subtopics."""

from collections.abc import Mapping, Sequence
from math import log2
from typing import Literal

from conformance.reference.gains import gain_of
from conformance.reference.subtopics import (
    Document,
    Ranking,
    all_subtopics,
    gains,
    greedy,
    judged,
    relevant_to,
)

CHOICES = {
    "strecall.gain": ("binary", "linear", "exp2", {1: 0.5, 2: 2, 3: 2}),
}


# MAP-IA: average precision for each subtopic, averaged.
def ap_ia(
    ranking: Ranking, missed: Ranking, _order: Ranking | None = None, *, rel: float = 1.0
) -> float:
    """Mean over subtopics of the mean over their relevant documents of precision there."""
    every = all_subtopics(ranking, missed, rel)
    total = 0.0
    for subtopic in every:
        hits = [subtopic in relevant_to(document, rel) for document in ranking]
        unseen = sum(subtopic in relevant_to(document, rel) for document in missed)
        precisions = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
        total += sum(precisions) / (sum(hits) + unseen)
    return total / len(every) if every else 0.0


# P-IA: precision for each subtopic, averaged.
def p_ia(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Mean over subtopics of the share of the first k that is relevant to each."""
    every = all_subtopics(ranking, missed, rel)
    depth = len(ranking) if k is None else k
    if not every or not depth:
        return 0.0
    shares = [
        sum(subtopic in relevant_to(document, rel) for document in ranking[:depth]) / depth
        for subtopic in every
    ]
    return sum(shares) / len(every)


# ERR-IA: expected reciprocal rank for each subtopic, averaged and normalised.
def err_ia(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Average ERR without its factor alpha over subtopics, and divide by the highest value."""
    depth = len(ranking) if k is None else k
    every = all_subtopics(ranking, missed, rel)
    if not every or not depth:
        return 0.0
    total = 0.0
    for subtopic in every:
        still_looking = 1.0
        for rank, document in enumerate(ranking[:depth], start=1):
            if subtopic in relevant_to(document, rel):
                total += still_looking / rank
                still_looking *= 1 - alpha
    return total / len(every) / sum((1 - alpha) ** (i - 1) / i for i in range(1, depth + 1))


# nERR-IA: intent-aware ERR divided by that of the greedy ranking.
def nerr_ia(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Gains of the first k over their ranks, over those of the first k of the greedy ranking."""
    found = [relevant_to(document, rel) for document in ranking][:k]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)[:k]
    earned, most = (
        sum(float(gain) / rank for rank, gain in enumerate(gains(one, alpha), start=1))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0


# alpha-DCG: DCG with gains that shrink each time a subtopic is repeated.
def alpha_dcg(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
    norm: Literal["perfect", "none"] = "perfect",
) -> float:
    """Sum discounted gains, and divide by the sum if every document had every subtopic."""
    depth = len(ranking) if k is None else k
    found = [relevant_to(document, rel) for document in ranking[:depth]]
    earned = sum(float(g) / log2(i + 1) for i, g in enumerate(gains(found, alpha), start=1))
    if norm == "none":
        return earned
    every = all_subtopics(ranking, missed, rel)
    most = sum(len(every) * (1 - alpha) ** (i - 1) / log2(i + 1) for i in range(1, depth + 1))
    return earned / most if most else 0.0


# alpha-nDCG: alpha-DCG divided by that of the greedy ranking.
def alpha_ndcg(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Discounted gains of the first k over those of the first k of the greedy ranking."""
    found = [relevant_to(document, rel) for document in ranking][:k]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)[:k]
    earned, most = (
        sum(float(gain) / log2(rank + 1) for rank, gain in enumerate(gains(one, alpha), start=1))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0


# NRBP: the expected novelty gain of a user who continues with probability beta.
def nrbp(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1.0,
    beta: float = 0.5,
) -> float:
    """Go down the list once for each subtopic, and average."""
    every = all_subtopics(ranking, missed, rel)
    if not every:
        return 0.0
    total = 0.0
    for subtopic in every:
        novelty, patience = 1.0, 1.0
        for document in ranking:
            if subtopic in relevant_to(document, rel):
                total += novelty * patience
                novelty *= 1 - alpha
            patience *= beta
    return total * (1 - (1 - alpha) * beta) / len(every)


# nNRBP: NRBP divided by that of the greedy ranking.
def nnrbp(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1.0,
    beta: float = 0.5,
) -> float:
    """Weight gains by the probability to reach them, and divide by the greedy ranking's sum."""
    found = [relevant_to(document, rel) for document in ranking]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)
    earned, most = (
        sum(float(gain) * beta**above for above, gain in enumerate(gains(one, alpha)))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0


# Subtopic recall: the fraction of subtopics, or of their gains, that the first k cover.
def strecall(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    gain: Literal["binary", "linear", "exp2"] | Mapping[float, float] = "binary",
    rel: float = 1.0,
) -> float:
    """Add up the highest gain of each subtopic among the first k, and divide by that of all."""
    every = all_subtopics(ranking, missed, rel)
    if gain == "binary":
        return len(all_subtopics(ranking[:k], [], rel)) / len(every) if every else 0.0

    def highest(documents: Sequence[Document], subtopic: str) -> float:
        labels = [
            document[subtopic] if isinstance(document, Mapping) else 1.0
            for document in documents
            if document is not None and subtopic in relevant_to(document, rel)
        ]
        return max((gain_of(label, gain) for label in labels), default=0.0)

    earned, most = (
        sum(highest(documents, subtopic) for subtopic in sorted(every))
        for documents in (ranking[:k], [*ranking, *missed])
    )
    return earned / most if most else 0.0


# Whether every subtopic was found.
def all_groups(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if the first k documents have all the subtopics that there are, else 0."""
    every = all_subtopics(ranking, missed, rel)
    return float(bool(every) and all_subtopics(ranking[:k], [], rel) == every)
