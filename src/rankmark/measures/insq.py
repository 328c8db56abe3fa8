"""INSQ: a user model whose patience grows with the gain wanted, and with depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class InverseSquares(UserModel):
    """The expected gain per rank of a user who is more likely to continue the deeper the rank.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (2T / (i + 2T - 1))^2, a
    probability of ((i + 2T - 1) / (i + 2T))^2 to continue from rank i; ``T`` is the gain that the
    user wants.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``INSQ-T=1``, ir_measures ``INSQ``, both with k = 1000 as here, but they
    lower labels above max_rel to it; here such labels are refused.
    Source: Moffat, Scholer and Thomas, ADCS 2012; cwl_eval cwl_insq.py.
    """

    T: float = between("the gain that the user wants", 1.0, 0.5, 10**6)

    name = "INSQ"
    full_name = "INSQ, a user model with inverse-square weights"
    aliases: Aliases = {"inverse_squares": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = (2T / (i + 2T - 1))^2"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = \left(\frac{2T}{i + "
        r"2T - 1}\right)^2"
    )

    def reach(self, rank: Floats) -> Floats:
        return (2.0 * self.T / (rank + 2.0 * self.T - 1.0)) ** 2


INSQ = InverseSquares()
