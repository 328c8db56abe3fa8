"""Time-biased gain: gains count half for each half-life of time that passes before them."""

from __future__ import annotations

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import positive
from rankmark.measures.families.cwl import UserModel


class TimeBiasedGain(UserModel):
    """The expected gain per rank of a user who leaves as time passes, at the same pace for all.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = 2^(-cost (i - 1) /
    halflife), where ``halflife`` is the time in which half of the users leave, and ``cost`` the
    time that each document takes.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``TBG-H@224`` with a cost of 1 for every document, and k = 1000 as here; it
    is RBP(norm="k") with p = 2^(-cost / h). In the paper the time depends on the length and the
    label of each document, and the sum is not divided; neither is included.
    Source: Smucker and Clarke, SIGIR 2012, section 3; cwl_eval cwl_tbg.py.
    """

    halflife: float = positive("the time in which half of the users leave", 224.0)
    cost: float = positive("the time that each document takes", 1.0)

    name = "TBG"
    full_name = "time-biased gain"
    aliases: Aliases = {"time_biased_gain": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = 2^(-cost (i - 1) / "
        "halflife)"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = 2^{-\mathrm{cost}\, "
        r"(i - 1) / \mathrm{halflife}}"
    )

    def reach(self, rank: Floats) -> Floats:
        return 0.5 ** (self.cost * (rank - 1.0) / self.halflife)


TBG = TimeBiasedGain()
