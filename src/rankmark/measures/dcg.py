"""Discounted cumulative gain: the sum of gains, discounted by rank."""

from __future__ import annotations

from typing import Any

from rankmark.measures.base.measure import Aliases, DependsOn, TermOf
from rankmark.measures.base.parameters import discount
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.discounted_gain import DiscountedGain
from rankmark.measures.families.gains import SignedGain, losses, weighable


class DiscountedCumulativeGain(SignedGain, DiscountedGain):
    """The sum of the gains of the first k documents, each divided by the discount of its rank.

    Formula: sum of g_i / log2(i + 1) over ranks i <= k; ``gain`` is "linear", the label itself;
    "exp2", 2^label - 1; "binary", 1 for labels above 0; or {label: gain}. ``discount`` is "log2",
    log2(i + 1); "rank", i; or the base b of Järvelin's: 1 if i < b, else log_b(i). ``negative`` is
    "zero": labels below 0 gain nothing; or "keep": they are losses, as of documents that mislead,
    of the label, 2^label - 1 or 1. A mapping has the gains of all labels. With ``weighted``, the
    gain of each document is multiplied by its weight.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0.
    Elsewhere: ranx ``dcg@k`` and, with exp2, ``dcg_burges@k``; scikit-learn ``dcg_score`` (which
    averages over ties). LensKit does not discount rank 2 either: ``discount=2``.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, equation 2; Burges et al., ICML 2005.
    """

    discount: Any = discount()
    negative: str = losses()

    name = "DCG"
    full_name = "discounted cumulative gain"
    aliases: Aliases = {"dcg_burges": {"gain": "exp2"}, "discounted_cumulative_gain": {}}
    common = weighable(SignedGain.common)
    formula = "sum of g_i / log2(i + 1) over the ranks i <= k"
    latex = r"\sum_{i \le k} \frac{g_i}{\log_2(i + 1)}"
    depends_on: DependsOn = "grades"
    grows_with_k = True
    tie_handling = ADDITIVE
    term_of: TermOf | None = "label"


DCG: DiscountedCumulativeGain = DiscountedCumulativeGain()
