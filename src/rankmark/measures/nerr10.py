"""NERR10: nearly ERR, for a user who also stops as in RBP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import probability
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class NearlyErrPersistent(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or as in RBP.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = p^(i-1) (1 - g_1) ... (1
    - g_(i-1)), which is a probability of p (1 - g_i) to continue from rank i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ10``, ir_measures ``NERR10``, both with k = 1000 as here.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10.
    """

    p: float = probability("the probability to continue after a document without gain", 0.9)

    name = "NERR10"
    full_name = "nearly expected reciprocal rank, discounted as in RBP"
    aliases: Aliases = {"NERReq10": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = p^(i-1) (1 - g_1) "
        "... (1 - g_(i-1))"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = p^{i - 1}\, (1 - "
        r"g_1) \cdots (1 - g_{i - 1})"
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return self.p ** (rank - 1.0)


NERR10 = NearlyErrPersistent()
