"""binG: relevant documents discounted by the number of non-relevant ones above."""

import math

from conformance.reference.gains import Ranking


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
