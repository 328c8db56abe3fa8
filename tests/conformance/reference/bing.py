"""binG: how many non-relevant documents one reads before each relevant one."""

import math

from conformance.reference.gains import Ranking


def bing(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Average 1 / log2(2 + non-relevant documents above) over the relevant documents."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    read_in_vain = 0
    total = 0.0
    for label in ranking:
        if label is not None and label >= rel:
            total += 1 / math.log2(2 + read_in_vain)
        else:
            read_in_vain += 1
    return total / relevant if relevant else 0.0
