"""Ordered pair accuracy: the fraction of pairs with different labels that are in order."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.tie_handling import TOGETHER
from rankmark.measures.families.preferences import OverPreferences, of_labels
from rankmark.measures.families.tied import tied
from rankmark.results.explanations.contributions import Contributions


class OrderedPairAccuracy(OverPreferences):
    """The fraction of pairs of judged documents with different labels that are in order.

    Formula: (pairs in which the higher label is above) / (pairs with different labels), over judged
    documents, at least one of each pair retrieved; documents not retrieved are below all others.
    Nothing relevant: 0; what matters is that labels differ: a query without judged documents with
    different labels counts as one without relevant documents.
    Ties: documents with equal scores are tied, whatever the evaluation's rule, and no tied pair is
    in order.
    Unjudged documents: in no pair.
    Elsewhere: TF-Ranking ``OPAMetric``, rax ``opa_metric``, for rows in which every document is
    judged.
    Source: TensorFlow Ranking, metrics_impl.py, OPAMetric; rax, opa_metric.
    """

    name = "OPA"
    full_name = "ordered pair accuracy"
    aliases: Aliases = {"ordered_pair_accuracy": {}}
    formula = "pairs in order / pairs of different labels"
    latex = r"\frac{\text{pairs in order}}{\text{pairs of different labels}}"
    depends_on: DependsOn = "grades"
    tie_handling = TOGETHER

    def score(self, a: Alignment) -> Floats:
        lower, pairs = self._pairs(a)
        return ratio(a.sum(lower), pairs)

    def contributions(self, a: Alignment) -> Contributions:
        lower, pairs = self._pairs(a)
        return Contributions(lower, pairs, columns={"lower_below": lower}, written="{lower_below}")

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have different labels, of documents retrieved or not: (Q,) bool."""
        return of_labels(a).possible("all") > 0

    def _pairs(self, a: Alignment) -> tuple[Floats, Floats]:
        """Count the lower labels below each document, (H,), and the pairs of each query, (Q,)."""
        levels, level = np.unique(a.ideal_label, return_inverse=True)
        code = np.searchsorted(levels, a.label)
        query = query_of_rows(a.starts)
        # One number for query and label, so searches stay within the query.
        judged = np.sort(a.ideal_query() * len(levels) + level)
        kept = np.sort(query * len(levels) + code)
        each = query * len(levels) + code
        judged_lower, judged_higher = _lower_and_higher(judged, each, a.ideal_starts, query)
        kept_lower, kept_higher = _lower_and_higher(kept, each, a.starts, query)
        lower = _lower_below(a, query, code) + (judged_lower - kept_lower)
        missed = judged_lower + judged_higher - kept_lower - kept_higher
        return lower, a.sum(kept_lower + missed)


def _lower_and_higher(keys: Ints, each: Ints, starts: Ints, query: Ints) -> tuple[Floats, Floats]:
    """Count the rows of the same query with a lower label, and with a higher one: (n,) each."""
    lower = np.searchsorted(keys, each, side="left") - starts[:-1][query]
    higher = starts[1:][query] - np.searchsorted(keys, each, side="right")
    return lower.astype(np.float64), higher.astype(np.float64)


def _lower_below(a: Alignment, query: Ints, code: Ints) -> Floats:
    """Count the documents below each one with a lower label, without tied ones: (H,) float64.

    The highest bit in which two labels differ is 1 in the higher label. So each bit is compared
    separately, among documents whose labels agree in the bits above.
    """
    # Within a tie the lowest label comes first, so no tied pair is in order.
    order = np.lexsort((code, tied(a, None).begin))
    query, code = query[order], code[order]
    below = np.zeros(len(code))
    for bit in range(int(code.max(initial=0)).bit_length()):
        prefix = code >> (bit + 1)
        together = np.lexsort((prefix, query))  # stable: ranks still rise
        below[order[together]] += _zeros_after(
            (code[together] >> bit) & 1 == 1, query[together], prefix[together]
        )
    return below


def _zeros_after(ones: Bools, query: Ints, prefix: Ints) -> Floats:
    """Count the zeros after each one with the same query and prefix; 0 for zeros: (n,)."""
    end = np.ones(len(ones), dtype=bool)
    end[:-1] = (query[1:] != query[:-1]) | (prefix[1:] != prefix[:-1])
    zeros = np.cumsum(~ones)
    run = np.cumsum(end) - end
    return np.where(ones, zeros[np.flatnonzero(end)][run] - zeros, 0.0)


OPA = OrderedPairAccuracy()
