"""Averages over relevant documents, and over pairs of documents."""

import math
import statistics
from fractions import Fraction
from itertools import combinations
from typing import Literal

from conformance.reference.blended import blended, preferred
from conformance.reference.gains import Gain, Ranking, gain_of
from conformance.reference.ranking import tied
from conformance.reference.screening import relevant, screened

CHOICES = {
    "auc.max_fpr": (1.0, 0.3),
}


# Average precision: the precision at each relevant document's rank, averaged.
def ap(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "min", "hits", "k"] = "relevant",
    precision: Literal["rank", "set"] = "rank",
    ties: Literal["apart", "together"] = "apart",
    aggregate: Literal["mean", "gmean"] = "mean",  # noqa: ARG001  (of queries, not of documents)
) -> float:
    """Sum the precision of every hit within k, at its rank or at the end, and divide by ``norm``.

    Together, the documents of a tie all stand at the last rank that it has within k.
    """
    cutoff = len(ranking) if k is None else k
    relevant = [label is not None and label >= rel for label in ranking]
    seen = range(len(ranking))[:cutoff]
    total = 0.0
    for place in seen:
        if relevant[place]:
            end = place
            if ties == "together":
                end = max(other for other in seen if tied(ranking, place, other))
            if precision == "set":
                end = cutoff - 1
            total += sum(relevant[:cutoff][: end + 1]) / (end + 1)
    hits = sum(relevant[:cutoff])
    wanted = sum(relevant) + sum(label is not None and label >= rel for label in missed)
    divisor = {"relevant": wanted, "min": min(wanted, cutoff), "hits": hits, "k": cutoff}[norm]
    return total / divisor if divisor else 0.0


# yaAP, Robertson's smoothed log-odds of average precision.
def yaap(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """The logarithm of one plus the precisions found over one plus those lost."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    hits = 0
    found = 0.0
    for rank, label in enumerate(ranking, start=1):
        if label is not None and label >= rel:
            hits += 1
            found += hits / rank
    lost = relevant - found
    return math.log(1 + found) - math.log(1 + lost)


# binG: relevant documents discounted by the number of non-relevant ones above.
def bing(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Average 1 / log2(2 + non-relevant documents above) over the relevant documents."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    nonrelevant_above = 0
    total = 0.0
    for label in ranking:
        if label is not None and label >= rel:
            total += 1 / math.log2(2 + nonrelevant_above)
        else:
            nonrelevant_above += 1
    return total / relevant if relevant else 0.0


# The area below the curve of recall, trapezoid by trapezoid.
def recall_area(
    ranking: Ranking, missed: Ranking, *, rel: float = 1.0, collection: int | None = None
) -> float:
    """Divide the area of the ranking by that of one with all relevant documents first."""
    found = relevant(ranking, rel)
    num_relevant = sum(found) + sum(relevant(missed, rel))
    size = screened(ranking, missed, collection)

    def area(hits: list[bool]) -> float:
        total, so_far = 0.0, 0
        for hit in [*hits, *[False] * (size - len(hits))]:
            total += so_far + hit / 2
            so_far += hit
        return total

    ideal = area([True] * num_relevant)
    return area(found) / ideal if ideal else 0.0


# Bpref: the number of judged non-relevant documents above each relevant one.
def bpref(
    ranking: Ranking,
    missed: Ranking,
    *,
    rel: float = 1.0,
    judged: float = 0.0,
    norm: Literal["min", "relevant"] = "min",
    aggregate: Literal["mean", "gmean"] = "mean",  # noqa: ARG001  (of queries, not of documents)
) -> float:
    """Count, for every relevant document retrieved, the non-relevant ones above it."""
    everything = [label for label in [*ranking, *missed] if label is not None]
    relevant = len([label for label in everything if label >= rel])
    nonrelevant = len([label for label in everything if judged <= label < rel])
    divisor = min(relevant, nonrelevant) if norm == "min" else relevant
    total = 0.0
    for place, label in enumerate(ranking):
        if label is None or label < rel:
            continue
        nonrelevant_above = 0
        for other in ranking[:place]:
            if other is not None and judged <= other < rel:
                nonrelevant_above += 1
        total += 1 - min(nonrelevant_above, relevant) / divisor if nonrelevant_above else 1
    return total / relevant if relevant else 0.0


# AUC: the fraction of pairs of a relevant and a non-relevant document in order.
def auc(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "hits"] = "relevant",
    ties: Literal["half", "wrong"] = "half",
    max_fpr: float = 1.0,
) -> float:
    """Compare every pair of the first k; relevant documents beyond k lose theirs."""
    relevant = [label is not None and label >= rel for label in ranking]
    seen = range(len(ranking))[:k]
    hits = [place for place in seen if relevant[place]]
    others = [place for place in seen if not relevant[place]]
    missing = (
        sum(relevant) + sum(label is not None and label >= rel for label in missed) - len(hits)
    )
    if others and max_fpr < 1:
        return _partial(ranking, hits, others, missing if norm == "relevant" else 0, ties, max_fpr)
    if not hits or not others:
        return float(bool(hits))
    won = 0.0
    for place in hits:
        for other in others:
            if tied(ranking, place, other):
                won += 0.5 if ties == "half" else 0.0
            else:
                won += place < other
    return won / (len(others) * (len(hits) + (missing if norm == "relevant" else 0)))


def _partial(
    ranking: Ranking, hits: list[int], others: list[int], missing: int, ties: str, max_fpr: float
) -> float:
    """Add up trapezoids below the curve, one for each document that is not relevant."""
    if not hits and not missing:
        return 0.0
    area = Fraction(0)
    last = Fraction(str(max_fpr)) * len(others)
    for hit in hits:
        higher = sum(other < hit and not tied(ranking, hit, other) for other in others)
        level = sum(tied(ranking, hit, other) for other in others)
        if ties == "wrong":
            area += max(last - higher - level, 0)
        else:
            for other in range(higher, len(others)):
                # The share of this step that is below the last rate, and the curve's height there.
                width = min(max(last - other, 0), 1)
                start = min(Fraction(other - higher, level), 1) if level else 1
                end = min((other - higher + width) / Fraction(level), 1) if level else 1
                area += width * (start + end) / 2
    share = area / (len(others) * (len(hits) + missing))
    chance = Fraction(str(max_fpr)) ** 2 / 2
    return float((1 + (share - chance) / (Fraction(str(max_fpr)) - chance)) / 2)


# Ranking loss: the fraction of pairs of a relevant and another document out of order.
def ranking_loss(
    ranking: Ranking, missed: Ranking, *, k: int | None = None, rel: float = 1.0
) -> float:
    """Count the pairs lost to a document above, to a tie, and to not being among the first k."""
    seen = range(len(ranking))[:k]
    relevant = [place for place, label in enumerate(ranking) if label is not None and label >= rel]
    num_missed = sum(label is not None and label >= rel for label in missed)
    if not relevant and not num_missed:
        return 0.0
    others = [place for place in seen if place not in relevant]
    if not others:
        return 0.0 if any(place in seen for place in relevant) else 1.0
    lost = num_missed * len(others)
    for place in relevant:
        for other in others:
            lost += place not in seen or other < place or tied(ranking, place, other)
    return lost / (len(others) * (len(relevant) + num_missed))


# Ordered pair accuracy: the fraction of pairs with different labels in order.
def opa(ranking: Ranking, missed: Ranking) -> float:
    """Compare every pair of judged documents, at least one of them retrieved."""
    pairs = right = 0
    judged = [(place, label) for place, label in enumerate(ranking) if label is not None]
    for (above, first), (below, second) in combinations(judged, 2):
        pairs += first != second
        right += first > second and not tied(ranking, above, below)
    for _, label in judged:
        for other in missed:
            pairs += other is not None and label != other
            right += other is not None and label > other
    return right / pairs if pairs else 0.0


# Q-measure: the blended ratio at each relevant document's rank, averaged.
def q(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
    norm: Literal["relevant", "min"] = "relevant",
) -> float:
    """Blend hits with gain, of the ranking and of the best one, at every rank that has a gain."""
    cutoff = len(ranking) if k is None else k
    best = sorted(
        (gain_of(label, gain) for label in [*ranking, *missed] if label is not None), reverse=True
    )
    gains = [gain_of(label, gain) for label in ranking]
    total = 0.0
    for rank in range(1, min(cutoff, len(ranking)) + 1):
        if gains[rank - 1] > 0:
            hits = sum(g > 0 for g in gains[:rank])
            total += (hits + beta * sum(gains[:rank])) / (rank + beta * sum(best[:rank]))
    relevant = sum(g > 0 for g in best)
    divisor = relevant if norm == "relevant" else min(relevant, cutoff)
    return total / divisor if divisor else 0.0


# O-measure: the blended ratio where the first gain is.
def o_measure(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Look for the first document with a gain."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    return next((ratio for g, ratio in zip(gains, ratios, strict=False) if g > 0), 0.0)


# P-measure: the blended ratio where the highest gain is first met.
def p_measure(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Look for the preferred document."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    rank = preferred(gains)
    return ratios[rank - 1] if rank else 0.0


# P-plus: the mean blended ratio down to the preferred document.
def p_plus(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Average over the documents with a gain down to the preferred one."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    rank = preferred(gains)
    passed = [ratio for g, ratio in zip(gains[:rank], ratios, strict=False) if g > 0]
    return statistics.fmean(passed) if passed else 0.0
