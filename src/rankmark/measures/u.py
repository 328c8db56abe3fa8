"""U-measure: gains count less, in a straight line, the more text is read before them."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import positive
from rankmark.measures.families.cwl import UserModel


class UMeasure(UserModel):
    """The expected gain per rank of a user who leaves as text is read, all after an amount of L.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = max(0, 1 - cost (i - 1) /
    L), where ``L`` is the amount of text that no user exceeds, and ``cost`` the amount in each
    document.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``U-L@1000`` with a cost of 1 for every document, and k = 1000 as here, but
    it leaves out rank 1000, which matters for an L of 1000 or more. In the paper the amount depends
    on the length of each document, its end counts, and the sum is not divided; none of these is
    included.
    Source: Sakai and Dou, SIGIR 2013, section 3; cwl_eval cwl_umeasure.py.
    """

    L: float = positive("the amount of text that no user exceeds", 1000.0)
    cost: float = positive("the amount of text in each document", 1.0)

    name = "U"
    full_name = "U measure"
    aliases: Aliases = {"U-measure": {}, "UMeasure": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = max(0, 1 - cost (i "
        "- 1) / L)"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = \max\left(0, 1 - "
        r"\frac{\mathrm{cost}\, (i - 1)}{L}\right)"
    )

    def reach(self, rank: Floats) -> Floats:
        return np.maximum(1.0 - self.cost * (rank - 1.0) / self.L, 0.0)


U = UMeasure()
