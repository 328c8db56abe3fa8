"""Recall of nearest neighbours in plain Python, and as two benchmarks define it.

``benchmarks_by_distance``, ``benchmarks_by_ratio`` follow ann-benchmarks
(ann_benchmarks/plotting/metrics.py), ``big_benchmark_with_ties`` big-ann-benchmarks
(benchmark/plotting/metrics.py); both divide by k, and neither knows padding.
"""

import math
from collections.abc import Sequence

Row = Sequence[int]
Distances = Sequence[float]


def distinct(ids: Row, padding: int | None) -> list[int]:
    """The places that hold an id for the first time."""
    return [
        place for place, one in enumerate(ids) if one != padding and one not in list(ids[:place])
    ]


def recall(true_ids: Row, ids: Row, k: int, padding: int | None = -1) -> float:
    wanted = {one for one in true_ids[:k] if one != padding}
    if not wanted:
        return math.nan
    return len(wanted & set(ids[:k])) / len(wanted)


def tie_recall(
    true_ids: Row,
    true_distances: Distances,
    ids: Row,
    k: int,
    *,
    limit: float,
    padding: int | None = -1,
) -> float:
    """Also true neighbours after the k-th count that are at most as far as the limit."""
    first = {one for one in true_ids[:k] if one != padding}
    if not first:
        return math.nan
    near = {
        one
        for one, distance in zip(true_ids[k:], true_distances[k:], strict=True)
        if one != padding and distance <= limit
    }
    return min(len((first | near) & (set(ids[:k]) - {padding})), len(first)) / len(first)


def distance_recall(
    true_ids: Row,
    ids: Row,
    distances: Distances,
    k: int,
    *,
    limit: float,
    padding: int | None = -1,
) -> float:
    first = {one for one in true_ids[:k] if one != padding}
    if not first:
        return math.nan
    near = [place for place in distinct(ids[:k], padding) if distances[place] <= limit]
    return min(len(near), len(first)) / len(first)


def distance_error(
    true_ids: Row,
    true_distances: Distances,
    ids: Row,
    distances: Distances,
    k: int,
    padding: int | None = -1,
) -> float:
    wanted, found = distinct(true_ids[:k], padding), distinct(ids[:k], padding)
    compared = min(len(wanted), len(found))
    true = [true_distances[place] for place, one in enumerate(true_ids[:k]) if one != padding]
    total = math.fsum(true[:compared])
    reached = math.fsum(distances[place] for place in found[:compared])
    if not compared or (total <= 0 and not total == reached == 0):
        return math.nan
    return reached / total - 1 if total else 0.0


def kth(true_ids: Row, true_distances: Distances, k: int, padding: int | None = -1) -> float:
    """How far the last of the first k true neighbours is."""
    near = [d for one, d in zip(true_ids[:k], true_distances, strict=False) if one != padding]
    return max(near, default=math.nan)


def benchmarks_by_distance(
    true_distances: Sequence[Distances],
    distances: Sequence[Distances],
    k: int,
    *,
    eps: float,
    relative: bool,
) -> float:
    counts = []
    for true, found in zip(true_distances, distances, strict=True):
        limit = true[k - 1] * (1 + eps) if relative else true[k - 1] + eps
        counts.append(sum(distance <= limit for distance in found[:k]))
    return sum(counts) / len(counts) / k


def benchmarks_by_ratio(
    true_distances: Sequence[Distances], distances: Sequence[Distances]
) -> float:
    pairs = [
        pair
        for rows in zip(true_distances, distances, strict=True)
        for pair in zip(*rows, strict=False)
    ]
    return sum(found for _, found in pairs) / sum(true for true, _ in pairs)


def big_benchmark_with_ties(
    true_ids: Sequence[Row], true_distances: Sequence[Distances], ids: Sequence[Row], k: int
) -> tuple[float, int]:
    """The mean, and how many queries have ties."""
    hits, tied = [], 0
    for truth, distances, found in zip(true_ids, true_distances, ids, strict=True):
        end = k
        while end < len(truth) and abs(distances[k - 1] - distances[end]) < 1e-6:
            end += 1
        tied += end > k
        hits.append(len(set(truth[:end]) & set(found)))
    return sum(hits) / len(hits) / k, tied
