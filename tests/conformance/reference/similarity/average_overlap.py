"""Average overlap, depth by depth."""

import math
import statistics

from conformance.reference.similarity.agreement import Ties, agreement_at
from conformance.reference.similarity.groups import Groups, items_of


def average_overlap(a: Groups, b: Groups, *, k: int | None = None, ties: Ties = "a") -> float:
    """Mean of A_d over the depths that both reach."""
    lengths = [len(items_of(a)), len(items_of(b))]
    if not any(lengths):
        return math.nan
    depths = min(lengths) if k is None else min(*lengths, k)
    if not depths:
        return 0.0
    return statistics.fmean(agreement_at(a, b, d, ties) for d in range(1, depths + 1))
