"""Bpref: how few documents judged non-relevant are above each relevant one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.data.alignment.tie_probabilities import is_cut
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, judgment, threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.tied import count_above, count_to_end, tied
from rankmark.results.explanations.contributions import Contributions


class BinaryPreference(Measure):
    """The fraction of judged non-relevant documents (R at most) below each relevant one, averaged.

    Formula: (sum of 1 - min(N_i, R) / min(R, N) over the relevant ranks i) / R, where N_i documents
    judged not relevant are above rank i, of N in all, retrieved or not. ``norm="relevant"`` divides
    by R instead of min(R, N).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: ignored, as are labels below ``judged``; trec_eval treats labels below 0 as
    unjudged. ``judged=-2`` counts junk with the label -2 as non-relevant.
    Elsewhere: trec_eval, pytrec_eval, ir_measures and ranx ``bpref`` use "min" (ranx gives NaN if
    nothing is judged non-relevant); the paper of 2004 and TF-Ranking's ``use_trec_version=False``
    "relevant". ``gm_bpref`` is aggregate="gmean". Before version 8, trec_eval counted only
    retrieved documents in N.
    Source: Buckley and Voorhees, SIGIR 2004; trec_eval 10.0, m_bpref.c and bpref_bug.
    """

    rel: float = threshold()
    judged: float = judgment()
    norm: str = choice("the number of non-relevant documents to compare with", "min", "relevant")
    aggregate: Any = choice("how query scores are combined", "mean", "gmean")

    name = "Bpref"
    full_name = "binary preference"
    aliases: Aliases = {"binary_preference": {}, "gm_bpref": {"aggregate": "gmean"}}
    formula = "(sum of 1 - min(N_i, R) / min(R, N) over the relevant ranks i) / R"
    latex = (
        r"\frac{1}{R} \sum_{\text{relevant } i} \left(1 - \frac{\min(N_i, R)}{\min(R, "
        r"N)}\right)"
    )
    depends_on: DependsOn = "judged"

    def score(self, a: Alignment) -> Floats:
        relevant = a.num_relevant(self.rel)
        return self._from_beaten(a, relevant, np.minimum(self._above(a), a.spread(relevant)))

    def contributions(self, a: Alignment) -> Contributions:
        relevant, above = a.num_relevant(self.rel), self._above(a)
        to_beat = self._to_beat(a, relevant)
        beaten = np.minimum(above, a.spread(relevant))
        return Contributions(
            self._beating(a, to_beat, beaten),
            divisor=relevant,
            columns={"nonrelevant_above": above},
            written="(1 - min({nonrelevant_above}, {relevant})/{to_beat})",
            numbers={"relevant": relevant, "to_beat": np.maximum(to_beat, 1.0)},  # 0 of 0 is 0
        )

    def _above(self, a: Alignment) -> Floats:
        return a.cumsum(a.nonrelevant(self.rel, self.judged).astype(np.float64))

    def _expected(self, a: Alignment) -> Floats | None:
        """Average over the numbers of non-relevant documents of the tie above, equally likely."""
        if is_cut(a):
            return None
        relevant, nonrelevant = a.num_relevant(self.rel), a.nonrelevant(self.rel, self.judged)
        tie, most = tied(a, None), a.spread(relevant)
        before = count_above(a, nonrelevant, tie)
        level = count_to_end(a, nonrelevant, tie) - before
        # Of the sums before, before + 1, ..., before + level, the first are less than most.
        less = np.clip(most - before, 0.0, level + 1.0)
        beaten = less * before + less * (less - 1.0) / 2.0 + (level + 1.0 - less) * most
        return self._from_beaten(a, relevant, beaten / (level + 1.0))

    tie_handling: TieHandling = TieHandling(_expected)

    def _from_beaten(self, a: Alignment, relevant: Floats, beaten: Floats) -> Floats:
        return ratio(a.sum(self._beating(a, self._to_beat(a, relevant), beaten)), relevant)

    def _to_beat(self, a: Alignment, relevant: Floats) -> Floats:
        if self.norm == "relevant":
            return relevant
        return np.minimum(relevant, a.num_relevant(min(self.rel, self.judged)) - relevant)

    def _beating(self, a: Alignment, to_beat: Floats, beaten: Floats) -> Floats:
        lost = ratio(beaten, a.spread(to_beat))
        return np.where(a.relevant(self.rel), 1.0 - lost, 0.0)

    def needs(self) -> Needs:
        """Use all judged documents."""
        return Needs(lowest=min(self.rel, self.judged))


Bpref: Final = BinaryPreference()
