"""What users get who go on or stop as a model says."""

import itertools
from typing import Literal

from conformance.reference.blended import blended
from conformance.reference.gains import Gain, Label, Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities

CHOICES = {
    "u.L": (1000.0, 3.0),
    "tbg.halflife": (224.0, 2.0),
    "ncu.gamma": (0.95,),
    "pfound.decay": (0.85, 0.6),
}


# Rank-biased precision: the gain of a user who continues with probability p.
def rbp(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Literal[None, 1, 3, 1000] = None,  # noqa: PYI061 (each is a choice to try)
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    p: float = 0.9,
    norm: Literal["endless", "k", "ideal"] = "endless",
    weighted: bool = False,
) -> float:
    """Weight the gain at rank i by p^(i - 1), and divide as ``norm`` says.

    Labels of weighted documents are their gains; all are divided by their sum.
    """
    cutoff = len(ranking) if k is None else k
    if weighted:
        whole = sum(max(label or 0.0, 0.0) for label in [*ranking, *missed])
        unweighted = [None if label is None else label / whole for label in ranking]
        return rbp(unweighted, [], k=k, min_rel=0.0, max_rel=1.0, p=p, norm=norm)
    gains = utilities(ranking, missed, rel, min_rel, max_rel)
    found = sum(gain * p ** (rank - 1) for rank, gain in enumerate(gains[:cutoff], start=1))
    if norm == "endless":
        return (1 - p) * found
    if norm == "k":
        looks = sum(p ** (rank - 1) for rank in range(1, cutoff + 1))
        return found / looks if looks else 0.0
    judged = [label for label in [*ranking, *missed] if label is not None]
    best = sorted(utilities(judged, [], rel, min_rel, max_rel), reverse=True)[:k]
    possible = sum(gain * p ** (rank - 1) for rank, gain in enumerate(best, start=1))
    return found / possible if possible else 0.0


# The residual of rank-biased precision: the weight of all unjudged documents.
def rbp_residual(
    ranking: Ranking, _missed: Ranking, *, k: int | None = None, p: float = 0.9
) -> float:
    """Add the weights of unjudged documents to k, and p^n for all ranks beyond."""
    seen = ranking[:k]
    unjudged = sum(p**place for place, label in enumerate(seen) if label is None)
    return (1 - p) * unjudged + p ** len(seen)


def satisfaction(label: Label, gain: str, max_rel: float) -> float:
    """Return the probability that a document satisfies the user."""
    if label is None or label <= 0:
        return 0.0
    return (2**label - 1) / 2**max_rel if gain == "exp2" else label / (max_rel + 1)


# Expected reciprocal rank, as algorithm 2 of Chapelle et al. 2009 computes it.
def err(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Literal["exp2", "linear"] = "exp2",
    max_rel: float | Literal["query"] = 4.0,
) -> float:
    """Follow a user who stops at each document with the probability to be satisfied."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    most = max(judged, default=0.0) if max_rel == "query" else max_rel
    left, value = 1.0, 0.0
    for rank, label in enumerate(ranking[:k], start=1):
        stops = satisfaction(label, gain, most)
        value += left * stops / rank
        left *= 1 - stops
    return value


# pFound: a user whose patience decays, and who stops at what satisfies.
def pfound(
    ranking: Ranking,
    missed: Ranking,  # noqa: ARG001  (as all references have it)
    *,
    k: int | None = None,
    decay: float = 0.85,
) -> float:
    """Follow the user of CatBoost's PFound down the ranking."""
    left, value = 1.0, 0.0
    for label in ranking[:k]:
        satisfies = min(max(label or 0.0, 0.0), 1.0)
        value += left * satisfies
        left *= (1 - satisfies) * decay
    return value


# Normalised expected reciprocal rank: ERR over that of the judged documents, best first.
def nerr(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Literal["exp2", "linear"] = "exp2",
    max_rel: float | Literal["query"] = 4.0,
) -> float:
    """Divide ERR at k by the ERR at k of the best ranking."""
    best = sorted((label for label in [*ranking, *missed] if label is not None), reverse=True)
    possible = err(best, [], k=k, gain=gain, max_rel=max_rel)
    return err(ranking, missed, k=k, gain=gain, max_rel=max_rel) / possible if possible else 0.0


# NERR8: the user model of equation 8.
def nerr8(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
) -> float:
    """Continue with probability 1 - g_i, to rank k."""
    last = k or 1000

    def goes_on(rank: int, gain: float, _total: float) -> float:
        return 1 - gain if rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# NERR9: the user model of equation 9.
def nerr9(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
) -> float:
    """Continue with probability (i / (i + 1)) (1 - g_i), to rank k."""
    last = k or 1000

    def goes_on(rank: int, gain: float, _total: float) -> float:
        return rank / (rank + 1) * (1 - gain) if rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# NERR10: the user model of equation 10.
def nerr10(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    p: float = 0.9,
) -> float:
    """Continue with probability p (1 - g_i)."""

    def goes_on(_rank: int, gain: float, _total: float) -> float:
        return p * (1 - gain)

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# NERR11: the user model of equation 11.
def nerr11(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue with probability ((i + 2T - 1) / (i + 2T))^2 (1 - g_i)."""

    def goes_on(rank: int, gain: float, _total: float) -> float:
        return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2 * (1 - gain)

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# INSQ: a user model whose patience grows with the rank.
def insq(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue with probability ((i + 2T - 1) / (i + 2T))^2."""

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# INST: a user model that adapts to the gain so far.
def inst(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue with probability ((i + T + T_i - 1) / (i + T + T_i))^2, T_i being missing."""

    def goes_on(rank: int, _gain: float, total: float) -> float:
        wanted = T - total
        return ((rank + T + wanted - 1) / (rank + T + wanted)) ** 2

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# BPM: the Bejeweled player model, static.
def bpm(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue while the gain so far is less than T and the rank less than k."""
    last = k or 1000

    def goes_on(rank: int, _gain: float, total: float) -> float:
        return 1.0 if total < T and rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# U-measure: a user model that decays with the text read.
def u(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    L: float = 1000.0,
    cost: float = 1.0,
) -> float:
    """Continue with the share of the users that read on after a document."""

    def left(rank: int) -> float:
        return max(0.0, 1 - cost * (rank - 1) / L)

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return left(rank + 1) / left(rank) if left(rank) else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# TBG: a user model that decays with time.
def tbg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    halflife: float = 224.0,
    cost: float = 1.0,
) -> float:
    """Continue with the probability that is left of one after the time of a document."""

    def goes_on(_rank: int, _gain: float, _total: float) -> float:
        return 2 ** (-cost / halflife)

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# Normalised cumulative utility: the expected blended ratio where users stop.
def ncu(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
    stop: Literal["graded", "rank"] = "graded",
    gamma: float = 0.95,
) -> float:
    """Weight each ratio by the share of the users who stop there."""
    gains, ratios, best = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    if stop == "graded":
        weights = {rank: g for rank, g in enumerate(gains, start=1) if g > 0}
        total = sum(best)
    else:
        ranks = [rank for rank, g in enumerate(gains, start=1) if g > 0]
        weights = {rank: gamma**place for place, rank in enumerate(ranks)}
        total = sum(gamma**place for place in range(sum(g > 0 for g in best)))
    found = sum(weight * ratios[rank - 1] for rank, weight in weights.items())
    return found / total if total else 0.0


# Compatibility: the highest RBO with any ideal ranking, depth by depth.
def compat(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Literal[1, 3, 1000] = 1000,
    p: float = 0.95,
) -> float:
    """Try every ideal ranking, and return the best value."""
    labels = {f"r{rank}": label for rank, label in enumerate(ranking)}
    judged = labels | {f"m{number}": label for number, label in enumerate(missed)}
    relevant = {doc: label for doc, label in judged.items() if label is not None and label > 0}
    if not relevant:
        return 0.0
    groups = [
        [doc for doc, its_label in relevant.items() if its_label == label]
        for label in sorted(set(relevant.values()), reverse=True)
    ]
    # The order of documents that were not retrieved does not matter; long groups keep theirs.
    orders = itertools.product(*(_some_orders(group) for group in groups))
    ideals = [[doc for group in order for doc in group] for order in orders]
    best = max(_overlap(list(labels), ideal, p, k) for ideal in ideals)
    return best / _overlap(ideals[0], ideals[0], p, k)


def _some_orders(group: list[str]) -> list[tuple[str, ...]]:
    return list(itertools.permutations(group)) if len(group) < 5 else [tuple(group)]


def _overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    shares = [
        len(set(one[:d]) & set(other[:d])) / d for d in range(1, min(depth, 200 + len(one)) + 1)
    ]
    rest = len(set(one) & set(other))
    tail = sum(p ** (d - 1) * rest / d for d in range(len(shares) + 1, depth + 1))
    return sum(p ** (d - 1) * share for d, share in enumerate(shares, start=1)) + tail
