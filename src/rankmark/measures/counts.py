"""Numbers of queries and documents, summed over queries: NumQ, NumRet, NumRel and others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, judgment, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions


class _Count(Measure):
    """A number that depends on no formula of relevance, and is summed over queries."""

    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    aggregate: Aggregate = "sum"
    tie_handling = ADDITIVE


class NumberOfQueries(_Count):
    """The number of queries averaged.

    Formula: 1 for each query, summed over queries.
    Nothing relevant: counted as well.
    Ties: do not matter.
    Unjudged documents: ignored.
    Elsewhere: trec_eval ``num_q``, ir_measures ``NumQ``.
    Source: trec_eval 10.0, m_num_q.c.
    """

    name = "NumQ"
    full_name = "number of queries"
    aliases: Aliases = {"num_q": {}}
    formula = "1 for each query"
    latex = r"1 \text{ for each query}"
    bounds: tuple[float, float] = (1.0, 1.0)

    def score(self, a: Alignment) -> Floats:
        return np.ones(len(a.retrieved))

    def contributions(self, a: Alignment) -> Contributions:
        nothing = np.zeros(len(a.rank))
        return Contributions(nothing, rest=self.score(a), rest_is="the query itself", frame="1")

    def needs(self) -> Needs:
        """Use no labels."""
        return Needs(lowest=np.inf)


NumQ: Final = NumberOfQueries()


class NumberRetrieved(_Count):
    """The number of documents retrieved, at most k for a query.

    Formula: min(n, k), summed over queries.
    Nothing relevant: counted as well.
    Ties: do not matter.
    Unjudged documents: counted.
    Elsewhere: trec_eval ``num_ret``, ir_measures ``NumRet`` (its ``NumRet(rel=1)`` is NumRelRet).
    Source: trec_eval 10.0, m_num_ret.c.
    """

    k: int | None = cutoff()

    name = "NumRet"
    full_name = "number of documents retrieved"
    aliases: Aliases = {"num_ret": {}}
    formula = "min(n, k)"
    latex = r"\min(n, k)"
    grows_with_k = True

    def score(self, a: Alignment) -> Floats:
        return np.minimum(a.retrieved, a.cutoff(self.k))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            a.within(self.k).astype(np.float64),
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{retrieved}" if self.k is None else f"min({{retrieved}}, {self.k})",
            numbers={"retrieved": a.retrieved.astype(np.float64)},
        )

    def needs(self) -> Needs:
        """Use no labels."""
        return Needs(lowest=np.inf, deepest=self.k)


NumRet: Final = NumberRetrieved()


class NumberRelevant(_Count):
    """The number of relevant documents, retrieved or not.

    Formula: R, summed over queries.
    Nothing relevant: 0.
    Ties: do not matter.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``num_rel`` (which counts labels above 0 under ``-c -l2``), ir_measures
    ``NumRel``.
    Source: trec_eval 10.0, m_num_rel.c.
    """

    rel: float = threshold()

    name = "NumRel"
    full_name = "number of relevant documents"
    aliases: Aliases = {"num_rel": {}}
    formula = "R"
    latex = r"R"

    def score(self, a: Alignment) -> Floats:
        return a.num_relevant(self.rel)

    def contributions(self, a: Alignment) -> Contributions:
        found = a.found(self.rel, None)
        return Contributions(
            a.relevant(self.rel).astype(np.float64),
            missed=lambda query, label: (label >= self.rel).astype(np.float64),  # noqa: ARG005
            frame="{found} + {missed}",
            numbers={"found": found, "missed": self.score(a) - found},
        )


NumRel: Final = NumberRelevant()


class NumberRelevantRetrieved(_Count):
    """The number of relevant documents among the first k.

    Formula: h_k, summed over queries; with ``aggregate="mean"`` averaged. Without a cutoff, among
    all retrieved.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``num_rel_ret``, ir_measures ``NumRelRet``; ranx ``hits`` is
    aggregate="mean".
    Source: trec_eval 10.0, m_num_rel_ret.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    aggregate: Any = choice("how query scores are combined", "sum", "mean")

    name = "NumRelRet"
    full_name = "number of relevant documents retrieved"
    aliases: Aliases = {"num_rel_ret": {}}
    formula = "h_k"
    latex = r"h_k"
    grows_with_k = True
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return a.found(self.rel, self.k)

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.hits(self.rel, self.k).astype(np.float64))


NumRelRet: Final = NumberRelevantRetrieved()


class NumberNonrelevantJudgedRetrieved(_Count):
    """The number of documents among the first k that were judged not relevant.

    Formula: N_k, the documents among the first k with a label from ``judged`` to below ``rel``,
    summed over queries. Without a cutoff, among all retrieved.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: not counted, nor are labels below ``judged``, as in trec_eval.
    Elsewhere: trec_eval ``num_nonrel_judged_ret``.
    Source: trec_eval 10.0, m_num_nonrel_judged_ret.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    judged: float = judgment()

    name = "NumNonrelJudgedRet"
    full_name = "number of documents retrieved that are judged not relevant"
    aliases: Aliases = {"num_nonrel_judged_ret": {}}
    formula = "N_k"
    latex = r"N_k"
    grows_with_k = True
    promoting_helps = False
    more_is_better = False

    def merit(self, label: Floats) -> Floats:
        """Return the lowest merit for the documents that count."""
        return np.where((label >= self.judged) & (label < self.rel), 0.0, 1.0)

    def score(self, a: Alignment) -> Floats:
        return a.count(self._judged_nonrelevant(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(self._judged_nonrelevant(a).astype(np.float64))

    def _judged_nonrelevant(self, a: Alignment) -> Bools:
        return a.nonrelevant(self.rel, self.judged) & a.within(self.k)

    def needs(self) -> Needs:
        """Use all judged documents."""
        return Needs(lowest=min(self.rel, self.judged), deepest=self.k)


NumNonrelJudgedRet: Final = NumberNonrelevantJudgedRetrieved()
