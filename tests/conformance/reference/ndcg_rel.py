"""nDCGrel: nDCG as each document with a gain is reached, averaged over these documents."""

from conformance.reference.gains import Discount, Gain, Ranking, gain_of
from conformance.reference.ndcg import ndcg


def ndcg_rel(
    ranking: Ranking, missed: Ranking, *, gain: Gain = "linear", discount: Discount = "log2"
) -> float:
    """Average nDCG at the ranks of documents with a gain; at the end for those not retrieved."""
    values = [
        ndcg(ranking, missed, k=rank, gain=gain, discount=discount)
        for rank, label in enumerate(ranking, start=1)
        if gain_of(label, gain) > 0
    ]
    values += [
        ndcg(ranking, missed, gain=gain, discount=discount)
        for label in missed
        if gain_of(label, gain) > 0
    ]
    return sum(values) / len(values) if values else 0.0
