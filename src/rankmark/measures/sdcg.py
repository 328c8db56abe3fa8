"""SDCG: DCG divided by that of k documents with the highest gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class ScaledDiscountedCumulativeGain(UserModel):
    """DCG at k divided by the DCG of k documents with a gain of 1.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = 1 / log2(i + 1), which is
    a probability of log(i + 1) / log(i + 2) to continue from rank i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NDCG-k@k``, ir_measures ``SDCG@k``, which requires a cutoff.
    nDCG(ideal="k") differs: there the query's highest label takes the place of max_rel.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008, section 4.2; cwl_eval cwl_dcg.py.
    """

    name = "SDCG"
    full_name = "scaled discounted cumulative gain"
    aliases: Aliases = {"scaled_discounted_cumulative_gain": {}, "SDCG-k": {}}
    formula = "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = 1 / log2(i + 1)"
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = \frac{1}{\log_2(i + "
        r"1)}"
    )

    def reach(self, rank: Floats) -> Floats:
        return 1.0 / np.log2(rank + 1.0)


SDCG = ScaledDiscountedCumulativeGain()
