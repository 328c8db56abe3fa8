"""NERR8: nearly ERR, for a user whom only gain stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class NearlyErrContent(UserModel):
    """The expected gain per rank of a user who stops, satisfied, with probability g_i.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (1 - g_1) ... (1 -
    g_(i-1)), which is a probability of 1 - g_i to continue from rank i < k.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ8@k``, ir_measures ``NERR8@k``, which refuses to be without a
    cutoff. Only nERR is ERR normalised.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 8.
    """

    name = "NERR8"
    full_name = "nearly expected reciprocal rank, without discount"
    aliases: Aliases = {"NERReq8": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = (1 - g_1) ... (1 - "
        "g_(i-1))"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = (1 - g_1) \cdots (1 "
        r"- g_{i - 1})"
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return np.ones_like(rank)


NERR8 = NearlyErrContent()
