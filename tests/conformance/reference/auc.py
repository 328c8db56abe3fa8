"""AUC: the fraction of pairs of a relevant and a non-relevant document in order."""

from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def auc(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "hits"] = "relevant",
    ties: Literal["half", "wrong"] = "half",
) -> float:
    """Compare every pair of the first k; relevant documents beyond k lose theirs."""
    relevant = [label is not None and label >= rel for label in ranking]
    seen = range(len(ranking))[:k]
    hits = [place for place in seen if relevant[place]]
    others = [place for place in seen if not relevant[place]]
    if not hits or not others:
        return float(bool(hits))
    won = 0.0
    for place in hits:
        for other in others:
            if tied(ranking, place, other):
                won += 0.5 if ties == "half" else 0.0
            else:
                won += place < other
    all_relevant = sum(relevant) + sum(label is not None and label >= rel for label in missed)
    return won / (len(others) * (all_relevant if norm == "relevant" else len(hits)))
