"""Spearman's rho and footrule, from ranks."""

import math
import statistics
from typing import Literal

from conformance.reference.similarity.groups import Groups, completed, items_of, mean_rank, union


def spearman_rho(a: Groups, b: Groups) -> float:
    """Pearson's correlation of the mean ranks."""
    items = union(a, b)
    of_a, of_b = mean_rank(completed(a, items)), mean_rank(completed(b, items))
    x, y = [of_a[item] for item in items], [of_b[item] for item in items]
    if len(set(x)) < 2 or len(set(y)) < 2:
        return math.nan
    return statistics.correlation(x, y)


def spearman_footrule(
    a: Groups,
    b: Groups,
    *,
    form: Literal["full", "top-k"] = "full",
    normalized: bool = True,
) -> float:
    """Sum of the differences of ranks; at k + 1 what a top-k list lacks (Fagin 2003, 3.2)."""
    items = union(a, b)
    behind = max(len(items_of(a)), len(items_of(b))) + 1
    if form == "top-k":
        of_a = {item: mean_rank(a).get(item, behind) for item in items}
        of_b = {item: mean_rank(b).get(item, behind) for item in items}
        most = sum(behind - rank for ranking in (a, b) for rank in mean_rank(ranking).values())
    else:
        of_a, of_b = mean_rank(completed(a, items)), mean_rank(completed(b, items))
        most = len(items) ** 2 // 2
    total = sum(abs(of_a[item] - of_b[item]) for item in items)
    if not normalized:
        return total
    return total / most if most else math.nan
