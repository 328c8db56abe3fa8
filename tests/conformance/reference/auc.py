"""AUC: the share of pairs, one relevant and one not, in order."""

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
    """Look at every pair of the first k; one with a relevant document beyond is lost."""
    relevant = [label is not None and label >= rel for label in ranking]
    seen = range(len(ranking))[:k]
    wanted = [place for place in seen if relevant[place]]
    others = [place for place in seen if not relevant[place]]
    if not wanted or not others:
        return float(bool(wanted))
    won = 0.0
    for place in wanted:
        for other in others:
            if tied(ranking, place, other):
                won += 0.5 if ties == "half" else 0.0
            else:
                won += place < other
    all_relevant = sum(relevant) + sum(label is not None and label >= rel for label in missed)
    return won / (len(others) * (all_relevant if norm == "relevant" else len(wanted)))
