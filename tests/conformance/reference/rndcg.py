"""Rndcg: nDCG at the sizes of the grades, where an ideal list drops to a lower gain."""

from conformance.reference.gains import Discount, Gain, Ranking, gain_of
from conformance.reference.ndcg import ndcg


def rndcg(
    ranking: Ranking, missed: Ranking, *, gain: Gain = "linear", discount: Discount = "log2"
) -> float:
    """Average nDCG@c over the numbers c of documents of a gain or a better one, and nDCG@n."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    gains = [worth for label in judged if (worth := gain_of(label, gain)) > 0]
    cutoffs = [sum(worth >= level for worth in gains) for level in set(gains)]
    if gains and len(ranking) > len(gains):
        cutoffs.append(len(ranking))
    values = [ndcg(ranking, missed, k=k, gain=gain, discount=discount) for k in cutoffs]
    return sum(values) / len(values) if values else 0.0
