"""AUC: the fraction of pairs of a relevant and a non-relevant document in order."""

from fractions import Fraction
from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied

CHOICES = {"max_fpr": (1.0, 0.3)}


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
