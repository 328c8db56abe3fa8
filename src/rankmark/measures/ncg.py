"""Normalised cumulative gain: the gain of the first documents, over that of an ideal ranking."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import choice, percentage, size
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.gains import GainAtCutoff, weighable
from rankmark.measures.families.screening import screened
from rankmark.results.explanations.contributions import Contributions


class NormalizedCumulativeGain(GainAtCutoff):
    """The gain of the first k documents, divided by that of the first k of an ideal ranking.

    Formula: cg_k / icg_k, the gain of the first k and that of the first k of all judged documents,
    by gain; ``gain`` as in CG. With ``norm="all"`` divided by the gain of all judged documents.
    With ``percent``, only that percentage of the ``collection`` counts, to the nearest whole
    number, and to the even one of two; by default, it has as many documents as were retrieved or
    judged, whichever is greater. Without a cutoff, k is the number retrieved. With ``weighted``,
    the gain of each document is multiplied by its weight.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NCG@k of the TREC Deep Learning tracks. In reports of CLEF's task on
    technology-assisted review, NCG@10 is at 10% of the documents: NCG(norm="all", percent=10); for
    labels 0 and 1 it is the recall there, tar_eval's ``recall@10.0%``. Weighted by inverse
    propensities, it is the propensity-scored precision ``PSP@k`` of extreme classification, whose
    tools divide the sums over all queries; with norm="all", recall estimated by self-normalised
    inverse propensities.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, section 2.3; Craswell et al., TREC 2019
    Deep Learning track; tar_eval, eval_measures_2018.py; Jain, Prabhu and Varma, KDD 2016; Yang et
    al., RecSys 2018.
    """

    percent: float | None = percentage("the cutoff as a percentage of the documents")
    norm: str = choice("what the gain is divided by", "ideal", "all")
    collection: int | None = size("the number of documents of which percent is taken")

    name = "NCG"
    full_name = "normalised cumulative gain"
    aliases: Aliases = {
        "normalized_cumulative_gain": {},
        "PSP": {"weighted": True},
        "weighted_recall": {"gain": "binary", "norm": "all", "weighted": True},
    }
    common = weighable(GainAtCutoff.common)
    formula = "cg_k / icg_k"
    latex = r"\frac{\mathrm{cg}_k}{\mathrm{icg}_k}"
    depends_on: DependsOn = "grades"
    tie_handling = ADDITIVE

    def needs(self) -> Needs:
        """Use all judged documents to count them; else those with a gain, as many as ranks."""
        needs = super().needs()
        if self.percent is not None:
            return needs._replace(lowest=-np.inf, ideal=None)
        return needs if self.norm == "ideal" else needs._replace(ideal=None)

    def score(self, a: Alignment) -> Floats:
        return ratio(a.sum(self._counted(a)), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(
            self._counted(a),
            divisor=self._divisor(a),
            columns={"gain": self.gains(a.label)},
            written="{gain}",
        )

    def _cutoff(self, a: Alignment) -> Floats:
        """Return the last rank that counts: (Q,) float64."""
        if self.percent is None:
            if self.collection is not None:
                raise MeasureError(
                    "collection is the number of documents of which percent is taken",
                    "give percent",
                    where=str(self),
                )
            return a.cutoff(self.k)
        share = np.rint(screened(self, a, self.collection) * self.percent / 100.0)
        return share if self.k is None else np.minimum(share, self.k)

    def _counted(self, a: Alignment) -> Floats:
        return np.where(a.rank <= a.spread(self._cutoff(a)), self.gains(a.label), 0.0)

    def _divisor(self, a: Alignment) -> Floats:
        gains = self.ideal_gains(a)
        if self.norm == "all":
            return a.ideal_sum(gains)
        cutoff = np.repeat(self._cutoff(a), np.diff(a.ideal_starts))
        return a.ideal_sum(np.where(a.ideal_rank() <= cutoff, gains, 0.0))


NCG = NormalizedCumulativeGain()
