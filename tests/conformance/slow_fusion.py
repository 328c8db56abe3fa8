"""Methods of fusion in plain Python, one query at a time, written from their papers."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, median, pstdev, stdev

Scores = dict[str, float]
Lists = list[Scores]


def ranking(scores: Scores) -> list[str]:
    """Best first, equal scores by id, descending, as trec_eval does."""
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def ranks_of(scores: Scores) -> Scores:
    return {doc: place for place, doc in enumerate(ranking(scores), 1)}


def _by(lists: Lists, score: Callable[[str], float]) -> Scores:
    return {doc: score(doc) for doc in {doc for scores in lists for doc in scores}}


def _rank_sum(lists: Lists, weights: list[float], points: Callable[[float], float]) -> Scores:
    ranks = [ranks_of(scores) for scores in lists]
    return _by(
        lists,
        lambda doc: sum(
            w * points(r[doc]) for w, r in zip(weights, ranks, strict=True) if doc in r
        ),
    )


def _count(lists: Lists, doc: str) -> int:
    return sum(doc in scores for scores in lists)


def rrf(lists: Lists, weights: list[float], k: float = 60) -> Scores:
    return _rank_sum(lists, weights, lambda r: 1 / (k + r))


def rbc(lists: Lists, weights: list[float], p: float = 0.8) -> Scores:
    return _rank_sum(lists, weights, lambda r: (1 - p) * p ** (r - 1))


def isr(lists: Lists, weights: list[float]) -> Scores:
    sums = _rank_sum(lists, weights, lambda r: 1 / r**2)
    return {doc: _count(lists, doc) * value for doc, value in sums.items()}


def log_isr(lists: Lists, weights: list[float]) -> Scores:
    sums = _rank_sum(lists, weights, lambda r: 1 / r**2)
    return {doc: math.log(_count(lists, doc)) * value for doc, value in sums.items()}


def borda(lists: Lists, weights: list[float]) -> Scores:
    size = len({doc for scores in lists for doc in scores})
    ranks = [ranks_of(scores) for scores in lists]

    def points(r: Scores, doc: str) -> float:
        return size - r[doc] + 1 if doc in r else fmean(range(1, size - len(r) + 1))

    return _by(
        lists, lambda doc: sum(w * points(r, doc) for w, r in zip(weights, ranks, strict=True))
    )


def condorcet(lists: Lists, weights: list[float]) -> list[str]:
    """The order, equal Copeland and Borda scores by id, descending."""
    ranks = [ranks_of(scores) for scores in lists]
    docs = {doc for scores in lists for doc in scores}

    def margin(a: str, b: str) -> float:
        votes = 0.0
        for w, r in zip(weights, ranks, strict=True):
            mine, other = r.get(a, math.inf), r.get(b, math.inf)
            votes += w * ((mine < other) - (mine > other))
        return votes

    wins = {a: sum((margin(a, b) > 0) - (margin(a, b) < 0) for b in docs if b != a) for a in docs}
    points = borda(lists, weights)
    return sorted(docs, key=lambda doc: (wins[doc], points[doc], doc), reverse=True)


def min_max(scores: Scores) -> Scores:
    low, high = min(scores.values()), max(scores.values())
    return {doc: (s - low) / (high - low) if high > low else 1 for doc, s in scores.items()}


def z(scores: Scores) -> Scores:
    mean, sd = fmean(scores.values()), pstdev(scores.values())
    return {doc: (s - mean) / sd if sd else 0 for doc, s in scores.items()}


def sum_norm(scores: Scores) -> Scores:
    low = min(scores.values())
    whole = sum(s - low for s in scores.values())
    return {doc: (s - low) / whole if whole else 1 for doc, s in scores.items()}


def max_norm(scores: Scores) -> Scores:
    high = max(scores.values())
    return {doc: s / high if high > 0 else s for doc, s in scores.items()}


def l2(scores: Scores) -> Scores:
    length = math.sqrt(sum(s * s for s in scores.values()))
    return {doc: s / length if length >= 1e-6 else s for doc, s in scores.items()}


def three_sigma(scores: Scores, deviation: Callable[[list[float]], float] = pstdev) -> Scores:
    values = list(scores.values())
    if max(values) == min(values):
        return dict.fromkeys(scores, 1)
    mean, sd = fmean(values), deviation(values)
    return {doc: (s - mean + 3 * sd) / (6 * sd) for doc, s in scores.items()}


NORMS: dict[str, Callable[[Scores], Scores]] = {
    "none": dict,
    "min-max": min_max,
    "z": z,
    "sum": sum_norm,
    "max": max_norm,
    "l2": l2,
    "3-sigma": three_sigma,
    "3-sigma-sample": lambda scores: three_sigma(scores, stdev),
    "rank": lambda scores: {d: 1 - (r - 1) / len(scores) for d, r in ranks_of(scores).items()},
}

COMBINED: dict[str, Callable[[list[float]], float]] = {
    "CombSUM": sum,
    "CombMNZ": lambda s: len(s) * sum(s),
    "CombANZ": fmean,
    "CombMAX": max,
    "CombMIN": min,
    "CombMED": median,
    "CombGMNZ(gamma=2)": lambda s: len(s) ** 2 * sum(s),
}


def combined(lists: Lists, combine: Callable[[list[float]], float]) -> Scores:
    return _by(lists, lambda doc: combine([scores[doc] for scores in lists if doc in scores]))


def wsum(lists: Lists, weights: list[float]) -> Scores:
    return _by(
        lists, lambda doc: sum(w * s.get(doc, 0) for w, s in zip(weights, lists, strict=True))
    )


def wmnz(lists: Lists, weights: list[float]) -> Scores:
    def score(doc: str) -> float:
        pairs = [(w, s[doc]) for w, s in zip(weights, lists, strict=True) if doc in s]
        return sum(w for w, _ in pairs) * sum(s for _, s in pairs)

    return _by(lists, score)


def mixed(lists: Lists, weights: list[float]) -> Scores:
    return {
        doc: math.sqrt(_count(lists, doc)) * value for doc, value in wsum(lists, weights).items()
    }


BY_RANK = {"RRF(k=60)": rrf, "RBC(p=0.8)": rbc, "ISR": isr, "logISR": log_isr, "Borda": borda}
WEIGHTED = {"wsum": wsum, "WMNZ": wmnz, "Mixed": mixed}
