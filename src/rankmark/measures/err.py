"""Expected reciprocal rank: 1 / rank at which a user is expected to be satisfied."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.alignment.tie_probabilities import stop_places
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, cutoff, greatest
from rankmark.measures.base.requirements import ABOVE_ZERO
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.cwl import previous
from rankmark.measures.families.normalized_gain import highest, refuse_higher
from rankmark.measures.families.possible_losses import of_expected_rank
from rankmark.results.explanations.contributions import Contributions


class ExpectedReciprocalRank(Measure):
    """The expected 1 / rank at which a user stops, satisfied by the document there.

    Formula: sum of (1 / i) s_i (1 - s_1) ... (1 - s_(i-1)) over ranks i <= k; s_i, the probability
    to be satisfied, is (2^label - 1) / 2^max_rel, or with ``gain="linear"`` label / (max_rel + 1).
    ``max_rel`` is the highest label of the scale, 4 by default, or "query", the highest label of
    the query. Labels above it are refused; those below 0 count as 0.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: satisfy no user.
    Elsewhere: gdeval and ir_measures ``ERR@k`` (max_rel is 4 whatever the labels, values have five
    decimals), Elasticsearch ``expected_reciprocal_rank`` with its maximum_relevance; rankeval takes
    the query's highest; pyNTCIREVAL is "linear".
    Source: Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, equations 4 and 5, algorithm 2.
    """

    k: int | None = cutoff()
    gain: str = choice("how labels become probabilities", "exp2", "linear")
    max_rel: float | str = greatest(4.0)

    name = "ERR"
    full_name = "expected reciprocal rank"
    aliases: Aliases = {"expected_reciprocal_rank": {}}
    formula = "sum of (1 / i) s_i (1 - s_1) ... (1 - s_(i-1)) over the ranks i <= k"
    latex = r"\sum_{i \le k} \frac{1}{i}\, s_i\, (1 - s_1) \cdots (1 - s_{i - 1})"
    depends_on: DependsOn = "grades"
    reaches_bound = False
    grows_with_k = True

    def needs(self) -> Needs:
        """Use labels above 0, and the highest of each query."""
        return Needs(lowest=ABOVE_ZERO, deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        arriving, content = self._stops(a)
        return a.sum(arriving * content / a.rank)

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the largest loss, to a cutoff of 12, or a bound of it."""
        if self.max_rel == "query":
            return None
        most = float(self.max_rel)
        satisfied = most / (most + 1) if self.gain == "linear" else 1.0 - 2.0**-most
        return of_expected_rank(moved, self.k, satisfied)

    def contributions(self, a: Alignment) -> Contributions:
        arriving, content = self._stops(a)
        return Contributions(
            arriving * content / a.rank,
            columns={"content": content, "arriving": arriving},
            written="{arriving} * {content}/{rank}",
        )

    def _stops(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the probabilities to arrive at each document, and to be satisfied by it: (H,)."""
        content = self._content(a) * a.within(self.k)
        return previous(a, a.cumprod(1.0 - content), start=1.0), content

    def _expected(self, a: Alignment) -> Floats:
        """Weight each rank by the probability that the user stops there."""
        if a.tie_first is None:
            return self.score(a)
        rows = stop_places(a, self._content(a), self.k)
        return rows.sum(1.0 / rows.rank)

    tie_handling: TieHandling = TieHandling(_expected)

    def _content(self, a: Alignment) -> Floats:
        """Return the probability that each document satisfies the user: (H,) float64."""
        label = np.maximum(a.label, 0.0)
        if self.max_rel == "query":
            most = np.maximum(a.spread(highest(a)), 0.0)
        else:
            refuse_higher(self, a, float(self.max_rel))
            most = np.full(len(label), float(self.max_rel))
        if self.gain == "linear":
            return label / (most + 1.0)
        # (2^label - 1) / 2^max_rel, without overflow.
        return np.exp2(label - most) - np.exp2(-most)


ERR = ExpectedReciprocalRank()
