"""Work saved over sampling: the documents left unread once a recall is reached."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.data.alignment.tie_probabilities import is_cut, spans_of
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import choice, fraction, threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.screening import Screening
from rankmark.results.explanations.contributions import Contributions


class WorkSavedOverSampling(Screening):
    """The fraction of the documents left unread at a recall, less what sampling would leave.

    Formula: (collection - i) / collection - (1 - recall), where i is the first rank with h_i >=
    recall * R; 0 if that recall is never reached. ``collection`` is by default the number of
    documents retrieved or judged, whichever is greater. recall * R is rounded up to a whole number
    of documents, or with ``rounding="nearest"`` to the nearest one, and to the even one of two.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant, but they are read.
    Elsewhere: CLEF's tar_eval ``wss_95`` is rounding="nearest", and ``wss_100`` recall=1. ASReview
    compares with sampled documents that are found at whole numbers, so its ``wss`` differs.
    Source: Cohen, Hersh, Peterson and Yen, JAMIA 13(2), 2006; tar_eval, eval_measures_2018.py.
    """

    recall: float = fraction("the recall to reach", 0.95)
    rel: float = threshold()
    rounding: str = choice("how a fraction of a document is rounded", "up", "nearest")

    name = "WSS"
    full_name = "work saved over sampling"
    aliases: Aliases = {
        "work_saved_over_sampling": {},
        "wss_95": {"rounding": "nearest"},
        "wss_100": {"recall": 1.0},
    }
    at = "recall"
    formula = (
        "(collection - i) / collection - (1 - recall) at the first rank i with h_i >= recall * R"
    )
    latex = (
        r"\frac{\mathrm{collection} - i}{\mathrm{collection}} - (1 - \mathrm{recall}) \text{ "
        r"at the first rank } i \text{ with } h_i \ge \mathrm{recall} \cdot R"
    )
    depends_on: DependsOn = "order"
    bounds: tuple[float, float] = (-1.0, 1.0)
    reaches_bound = False

    def score(self, a: Alignment) -> Floats:
        at, rank = self._reached(a)
        return np.where(a.count(at) > 0, self.recall - ratio(rank, self.screened(a)), 0.0)

    def contributions(self, a: Alignment) -> Contributions:
        at, rank = self._reached(a)
        screened = self.screened(a)
        is_reached = a.count(at) > 0
        return Contributions(
            at * (a.spread(screened) - a.rank),
            divisor=screened,
            rest=np.where(is_reached, self.recall - 1.0, 0.0),
            rest_is="left by sampling",
            columns={"found": self._found(a)},
            frame="({screened} - {reached}) / {screened} - (1 - {recall})"
            if is_reached.any()
            else "0",  # of one query
            numbers={
                "screened": screened,
                "reached": rank,
                "recall": np.full(len(rank), self.recall),
            },
        )

    def _found(self, a: Alignment) -> Floats:
        return a.cumsum(a.relevant(self.rel).astype(np.float64))

    def _wanted(self, a: Alignment) -> Floats:
        """Return how many relevant documents reach the recall: (Q,) float64, at least 1."""
        wanted = self.recall * a.num_relevant(self.rel)
        # 0.95 x 20 may be 19.000000000000004
        rounded = np.rint(wanted) if self.rounding == "nearest" else np.ceil(wanted - 1e-9)
        return np.maximum(rounded, 1.0)

    def _reached(self, a: Alignment) -> tuple[Bools, Floats]:
        """Return the document that reaches the recall, (H,) bool, and its rank or 0, (Q,)."""
        at: Bools = a.relevant(self.rel) & (self._found(a) == a.spread(self._wanted(a)))
        return at, a.first(at, a.rank.astype(np.float64))

    def _expected(self, a: Alignment) -> Floats | None:
        """Use the mean rank of the document, unless a cut tie decides whether it is there."""
        if is_cut(a):
            return None
        rows = np.flatnonzero(a.relevant(self.rel))
        spans = spans_of(a, rows)
        found = self._found(a)[rows]
        before = found[spans.begin] - 1.0
        of_tie = self._wanted(a)[spans.query] - before
        here = (of_tie >= 1) & (of_tie <= spans.judged)
        # The mean place of the j-th of m marked among s drawn in any order is j (s + 1) / (m + 1).
        place = spans.first - 1.0 + of_tie * (spans.size + 1.0) / (spans.judged + 1.0)
        saved = np.zeros(len(a.retrieved))
        screened = self.screened(a)
        query = spans.query[here]
        saved[query] = self.recall - place[here] / screened[query]
        return saved

    # Where a depth cuts ties, a recall that is never reached may be better than one reached late.
    tie_handling: TieHandling = TieHandling(_expected, sorted_is_best=False)


WSS = WorkSavedOverSampling()
