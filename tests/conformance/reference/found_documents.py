"""What is found: numbers, shares and places of relevant documents."""

import math
import statistics
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from conformance.reference.gains import Gain, Ranking, gain_of
from conformance.reference.ranking import tied
from conformance.reference.screening import relevant, screened

ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
CHOICES = {
    "rprec.multiple": (1.0, 0.2, 0.35, 5.0),
    "recall_at_precision.precision": (0.5, 0.75),
    "wss.recall": (0.95, 0.5, 1.0),
    "utility.hit": (1.0, 2.0),
    "utility.noise": (-1.0, 0.5),
    "utility.miss": (0.0, -0.25),
    "utility.rest": (0.0, 0.01),
    "iprec.recall": (ELEVEN, 0.0, 0.1, 0.5, (0.25, 1.0)),
}


# The number of queries: every evaluated query counts one.
def num_q(_ranking: Ranking, _missed: Ranking) -> float:
    """1, whatever was retrieved or judged."""
    return 1.0


# The number of relevant documents.
def num_rel(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """How many judged documents are relevant, retrieved or not."""
    return float(sum(label is not None and label >= rel for label in [*ranking, *missed]))


# The number of documents retrieved.
def num_ret(ranking: Ranking, _missed: Ranking, *, k: int | None = None) -> float:
    """How many documents there are among the first k, judged or not."""
    return float(len(ranking) if k is None else len(ranking[:k]))


# The number of relevant documents retrieved.
def num_rel_ret(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """How many of the first k documents are relevant."""
    seen = ranking if k is None else ranking[:k]
    return float(sum(label is not None and label >= rel for label in seen))


# The number of documents retrieved that were judged not relevant.
def num_nonrel_judged_ret(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    judged: float = 0.0,
) -> float:
    """Count the labels among the first k from ``judged`` to below ``rel``."""
    looked_at = ranking if k is None else ranking[:k]
    return float(len([1 for label in looked_at if label is not None and judged <= label < rel]))


# Judged: the fraction of the first k documents that are judged.
def judged(ranking: Ranking, _missed: Ranking, *, k: int | None = None) -> float:
    """Count the judged documents among the first k, and divide by min(k, n)."""
    seen = list(ranking if k is None else ranking[:k])
    if not seen:
        return 0.0
    return (len(seen) - seen.count(None)) / len(seen)


# Unjudged: the fraction of the first k documents that are unjudged.
def unjudged(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    judged: float = 0.0,
    norm: Literal["k", "retrieved"] = "k",
) -> float:
    """Count documents without a label, or with one below ``judged``, and divide by k or n."""
    cutoff = len(ranking) if k is None else k
    unjudged_labels = [label for label in ranking[:cutoff] if label is None or label < judged]
    looked_at = cutoff if norm == "k" else len(ranking[:cutoff])
    return len(unjudged_labels) / looked_at if looked_at else 0.0


# Whether all relevant documents were found.
def all_relevant(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if no relevant document is below rank k or missed, and there is one, else 0."""
    found = [label is not None and label >= rel for label in ranking]
    below = found[k:] if k is not None else []
    if any(below) or any(label is not None and label >= rel for label in missed):
        return 0.0
    return 1.0 if any(found) else 0.0


# Mean rank of the relevant documents.
def mean_rank(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Average the ranks; missed relevant documents follow the last one."""
    ranks = [
        rank for rank, label in enumerate(ranking, start=1) if label is not None and label >= rel
    ]
    num_missed = sum(label is not None and label >= rel for label in missed)
    ranks += [len(ranking) + place for place in range(1, num_missed + 1)]
    return statistics.fmean(ranks) if ranks else 0.0


# Adjusted mean rank: the mean rank over that of a random order of all candidates.
def amr(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Divide the mean rank by the mean of the ranks of all candidates."""
    candidates = len(ranking) + sum(label is not None and label >= rel for label in missed)
    by_chance = statistics.fmean(range(1, candidates + 1)) if candidates else 1.0
    return mean_rank(ranking, missed, rel=rel) / by_chance


# Adjusted mean rank index: how far the mean rank is from that of a random order.
def amri(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Count the ranks above the first one, and compare with those of all candidates."""
    found = mean_rank(ranking, missed, rel=rel)
    candidates = len(ranking) + sum(label is not None and label >= rel for label in missed)
    if not found or candidates < 2:
        return 0.0
    return 1.0 - (found - 1.0) / (statistics.fmean(range(1, candidates + 1)) - 1.0)


# Coverage error: the depth at which all relevant documents have been seen.
def coverage_error(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Return the end of the last relevant document's tie, or count on for missed documents."""
    num_missed = sum(label is not None and label >= rel for label in missed)
    if num_missed:
        return len(ranking) + num_missed
    depth = 0
    for place, label in enumerate(ranking):
        if label is not None and label >= rel:
            depth = max(other + 1 for other in range(len(ranking)) if tied(ranking, place, other))
    return depth


# Precision: the fraction of the first k documents that are relevant.
def p(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["k", "retrieved"] = "k",
) -> float:
    """Hits among the first k, divided by k or by the number retrieved."""
    cutoff = len(ranking) if k is None else k
    hits = 0
    for label in ranking[:cutoff]:
        if label is not None and label >= rel:
            hits += 1
    looked_at = cutoff if norm == "k" else min(len(ranking), cutoff)
    return hits / looked_at if looked_at else 0.0


# Recall: the share of the relevant documents that was found.
def r(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "min"] = "relevant",
) -> float:
    """Hits among the first k, divided by all relevant documents, or by those that k can hold."""
    cutoff = len(ranking) if k is None else k
    found = [label for label in ranking[:cutoff] if label is not None and label >= rel]
    everything = [label for label in [*ranking, *missed] if label is not None and label >= rel]
    wanted = len(everything)
    if norm == "min":
        wanted = min(wanted, cutoff)
    return len(found) / wanted if wanted else 0.0


# F, one minus van Rijsbergen's E: the harmonic mean of precision and recall.
def f(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    beta: float = 1.0,
) -> float:
    """Weight recall beta times as much as precision, in a harmonic mean."""
    cutoff = len(ranking) if k is None else k
    hits = sum(label is not None and label >= rel for label in ranking[:cutoff])
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    if hits == 0:
        return 0.0
    precision = hits / cutoff
    recall = hits / relevant
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


# Fall-out: the fraction of the non-relevant documents that are among the first k.
def fall_out(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["retrieved", "judged"] = "retrieved",
) -> float:
    """Count the non-relevant documents of the ranking, or of the judgments."""
    if norm == "retrieved":
        nonrelevant = [label is None or label < rel for label in ranking]
        total = sum(nonrelevant)
    else:
        nonrelevant = [label is not None and label < rel for label in ranking]
        total = sum(nonrelevant) + sum(label is not None and label < rel for label in missed)
    return sum(nonrelevant[:k]) / total if total else 0.0


# Success: whether a relevant document was found.
def success(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if a relevant document is among the first k, else 0."""
    for rank, label in enumerate(ranking, start=1):
        if k is not None and rank > k:
            return 0.0
        if label is not None and label >= rel:
            return 1.0
    return 0.0


# R-precision: precision at the rank that equals the number of relevant documents.
def rprec(ranking: Ranking, missed: Ranking, *, rel: float = 1.0, multiple: float = 1.0) -> float:
    """Hits among the first R documents, or a multiple of R, divided by as many."""
    relevant = 0
    for label in [*ranking, *missed]:
        if label is not None and label >= rel:
            relevant += 1
    cutoff = math.floor(relevant * multiple + 0.9)
    if cutoff == 0:
        return 0.0
    hits = 0
    for label in ranking[:cutoff]:
        if label is not None and label >= rel:
            hits += 1
    return hits / cutoff


# Recall at fixed precision: the last rank at which precision is kept.
def recall_at_precision(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    precision: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Try every rank."""
    hits = [label is not None and label >= rel for label in ranking]
    relevant = sum(hits) + sum(label is not None and label >= rel for label in missed)
    ranks = range(1, len(hits[:k]) + 1)
    recalls = [
        sum(hits[:i]) / relevant for i in ranks if sum(hits[:i]) / i >= precision > 0 < relevant
    ]
    return max(recalls, default=0.0)


# Work saved over sampling: read down to a recall, and count what is left.
def wss(
    ranking: Ranking,
    missed: Ranking,
    *,
    recall: float = 0.95,
    rel: float = 1.0,
    rounding: Literal["up", "nearest"] = "up",
    collection: int | None = None,
) -> float:
    """Return the share of documents not read, less that of random sampling; 0 if never reached."""
    found = relevant(ranking, rel)
    num_relevant = sum(found) + sum(relevant(missed, rel))
    exact = Fraction(str(recall)) * num_relevant
    wanted = max(round(exact) if rounding == "nearest" else math.ceil(exact), 1)
    size = screened(ranking, missed, collection)
    for read in range(1, len(ranking) + 1):
        if sum(found[:read]) >= wanted:
            return (size - read) / size - (1 - recall)
    return 0.0


# Utility: the weighted sum of the four cells of the contingency table.
def utility(
    ranking: Ranking,
    missed: Ranking,
    *,
    rel: float = 1.0,
    hit: float = 1.0,
    noise: float = -1.0,
    miss: float = 0.0,
    rest: float = 0.0,
    collection: int | None = None,
) -> float:
    """Add up the weights of all documents of the collection."""
    total = 0.0
    for label in ranking:
        total += hit if label is not None and label >= rel else noise
    others = (collection or 0) - len(ranking)
    for label in missed:
        if label is not None and label >= rel:
            total += miss
            others -= 1
    return total + rest * others


# Interpolated precision: the best precision at a recall or beyond.
def iprec(
    ranking: Ranking,
    missed: Ranking,
    *,
    recall: float | Sequence[float] = ELEVEN,
    rel: float = 1.0,
    rounding: Literal["half", "tenth"] = "half",
) -> float:
    """Average, over the recalls, the best precision at any rank that has as many hits or more."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    recalls = [recall] if isinstance(recall, (int, float)) else list(recall)
    total = 0.0
    for level in recalls:
        if rounding == "half":
            wanted = math.floor(Fraction(level * relevant) + Fraction(1, 2))
        else:
            wanted = math.floor(level * relevant + 0.9)
        best = 0.0
        for rank in range(1, len(ranking) + 1):
            hits = sum(label is not None and label >= rel for label in ranking[:rank])
            if hits >= wanted:
                best = max(best, hits / rank)
        total += best
    return total / len(recalls)


EPSILON = 0.00001


# Inferred average precision, as Yilmaz and Aslam derive it: an expected precision at each hit.
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


# Reciprocal rank: one over the rank of the first relevant document.
def rr(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 / rank of the first hit; 0 where there is none within the first k."""
    for rank, label in enumerate(ranking, start=1):
        if label is not None and label >= rel:
            return 1 / rank if k is None or rank <= k else 0.0
    return 0.0


# G: the gain of each document, discounted by the gain missed so far.
def g(ranking: Ranking, missed: Ranking, *, gain: Gain = "linear") -> float:
    """Go down the ranking and an ideal one, whose gains count as at least 1."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    ideal = sorted((gain_of(label, gain) for label in judged), reverse=True)
    gained = ideal_gained = total = 0.0
    for place, label in enumerate(ranking):
        earned = gain_of(label, gain)
        best = ideal[place] if place < len(ideal) else 0.0
        gained += earned
        ideal_gained += max(best, 1.0)
        total += earned / math.log2(2 + ideal_gained - gained)
    return total / sum(ideal) if sum(ideal) else 0.0
