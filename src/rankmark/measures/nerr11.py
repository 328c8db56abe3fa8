"""NERR11: nearly ERR, for a user who also stops as in INSQ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class NearlyErrWanting(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or as in INSQ.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (2T / (i + 2T - 1))^2 (1
    - g_1) ... (1 - g_(i-1)); ``T`` is the gain that the user wants.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ11``, ir_measures ``NERR11``, both with k = 1000 as here.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11.
    """

    T: float = between("the gain that the user wants", 1.0, 0.5, 10**6)

    name = "NERR11"
    full_name = "nearly expected reciprocal rank, discounted as in INSQ"
    aliases: Aliases = {"NERReq11": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = (2T / (i + 2T - "
        "1))^2 (1 - g_1) ... (1 - g_(i-1))"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = \left(\frac{2T}{i + "
        r"2T - 1}\right)^2\, (1 - g_1) \cdots (1 - g_{i - 1})"
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return (2.0 * self.T / (rank + 2.0 * self.T - 1.0)) ** 2


NERR11 = NearlyErrWanting()
