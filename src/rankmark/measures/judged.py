"""The fractions of the retrieved documents that are judged, unjudged, or judged for no query."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, judgment
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions


class _Share(Measure):
    """A share of the first k documents, whatever is relevant."""

    depends_on: DependsOn = "judged"
    nothing_relevant: float | None = None
    promoting_helps = False
    tie_handling = ADDITIVE


class JudgedShare(_Share):
    """The fraction of the first k documents that are judged, relevant or not.

    Formula: (judged documents among the first k) / min(k, n). An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures. Labels below 0 count as judged.
    Elsewhere: ir_measures ``Judged@k`` (which fails on an empty list); trec_eval's ``unj_k`` and
    BEIR's ``Hole@k`` are fractions of unjudged documents, divided by k: Unjudged and Hole.
    Source: ir_measures 0.4.3, judged_provider.py.
    """

    k: int | None = cutoff()

    name = "Judged"
    full_name = "share of documents judged"
    aliases: Aliases = {"judged_share": {}}
    formula = "(documents judged among the first k) / min(k, n)"
    latex = r"\frac{\text{documents judged among the first } k}{\min(k, n)}"
    term_of: TermOf | None = "label"

    def needs(self) -> Needs:
        """Use only documents that were retrieved."""
        return Needs(deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        return ratio(a.count(a.within(self.k)), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.within(self.k).astype(np.float64), divisor=self._divisor(a))

    def _divisor(self, a: Alignment) -> Floats:
        return np.minimum(a.retrieved, a.cutoff(self.k))


Judged: Final = JudgedShare()


class UnjudgedShare(_Share):
    """The fraction of the first k documents that are unjudged.

    Formula: (unjudged documents among the first k) / k; a shorter ranking is padded with judged
    ones, unless ``norm="retrieved"``: divided by min(k, n). An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures. Labels below ``judged`` count as unjudged, as in
    trec_eval; Judged counts every label as judged.
    Elsewhere: trec_eval ``unj_k``. Hole counts documents that are not judged for any query.
    Source: trec_eval 10.0, m_unjudged.c.
    """

    k: int | None = cutoff()
    judged: float = judgment()
    norm: str = choice("what the count is divided by", "k", "retrieved")

    name = "Unjudged"
    full_name = "share of documents unjudged"
    aliases: Aliases = {"unj": {}, "unjudged_share": {}}
    formula = "(documents unjudged among the first k) / k"
    latex = r"\frac{\text{documents unjudged among the first } k}{k}"
    more_is_better = False

    def score(self, a: Alignment) -> Floats:
        retrieved = np.minimum(a.retrieved, a.cutoff(self.k))
        return ratio(retrieved - a.found(self.judged, self.k), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            (a.within(self.k) & ~a.relevant(self.judged)).astype(np.float64),
            divisor=self._divisor(a),
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{unjudged} / {divisor}",
            numbers={"unjudged": np.minimum(a.retrieved, cutoff) - a.found(self.judged, self.k)},
        )

    def _divisor(self, a: Alignment) -> Floats:
        k = a.cutoff(self.k)
        return k if self.norm == "k" else np.minimum(a.retrieved, k)

    def needs(self) -> Needs:
        """Use all judged documents."""
        return Needs(lowest=self.judged, deepest=self.k)


Unjudged: Final = UnjudgedShare()


class HoleShare(_Share):
    """The fraction of the first k documents that are judged for no query at all.

    Formula: (documents among the first k that are judged for no query) / k; a shorter ranking is
    padded with judged ones. An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures, unless they are judged for another query. Labels below 0
    count as judged.
    Elsewhere: BEIR's and MTEB's ``Hole@k``; BEIR averages over all judged queries, as here, and
    MTEB over those in the run. Unjudged is the fraction not judged for their query.
    Source: Thakur et al., BEIR, NeurIPS 2021; BEIR 2.2.0, retrieval/custom_metrics.py.
    """

    k: int | None = cutoff()

    name = "Hole"
    full_name = "share of documents judged for no query"
    aliases: Aliases = {}
    formula = "(documents judged for no query among the first k) / k"
    latex = r"\frac{\text{documents judged for no query among the first } k}{k}"
    depends_on: DependsOn = "anywhere"
    more_is_better = False

    def needs(self) -> Needs:
        """Use only documents that were retrieved."""
        return Needs(deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        return ratio(self._holes(a), a.cutoff(self.k))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            np.zeros(len(a.rank)),
            divisor=cutoff,
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{holes} / {divisor}",
            numbers={"holes": self._holes(a)},
        )

    def _holes(self, a: Alignment) -> Floats:
        """Count the unjudged documents; evaluations judge each for all queries, or for none."""
        return np.minimum(a.retrieved, a.cutoff(self.k)) - a.count(a.within(self.k))


Hole: Final = HoleShare()
