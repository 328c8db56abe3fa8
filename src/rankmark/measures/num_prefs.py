"""NumPrefs: how many pairs of documents judges prefer one of, or the ranking agrees about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.alignment import segment_sum
from rankmark.measures.by_group import tally
from rankmark.measures.in_pairs import of_labels
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import choice

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class NumberPreferences(Measure):
    """The number of preferences, or of those that the ranking fulfils.

    Formula: P, or with ``of="fulfilled"`` F, of Prefs, summed over queries.
    Nothing relevant: no special case.
    Ties: by the evaluation's rule.
    Unjudged documents: not seen.
    Elsewhere: trec_eval ``prefs_num_prefs_poss``, ``prefs_num_prefs_ful``,
    ``prefs_num_prefs_ful_ret``, which break ties by id ascending.
    Source: trec_eval 10.0, m_prefs_num_prefs_poss.c, m_prefs_num_prefs_ful.c.
    """

    of: str = choice("what is counted", "possible", "fulfilled")
    counted: str = choice("which pairs count, by what was retrieved", "all", "implied", "retrieved")

    name = "NumPrefs"
    aliases = {
        "prefs_num_prefs_poss": {},
        "prefs_num_prefs_ful": {"of": "fulfilled"},
        "prefs_num_prefs_ful_ret": {"of": "fulfilled", "counted": "retrieved"},
    }
    formula = "preferences, possible or fulfilled"
    sees = "preferences"
    bounds = (0.0, float("inf"))
    nothing_relevant = None
    promoting_helps = False
    aggregate = "sum"
    source = "trec_eval 10.0, m_prefs_num_prefs_poss.c, m_prefs_num_prefs_ful.c"

    def merit(self, label: Floats) -> Floats:
        """Order tied documents by their labels, whatever they are."""
        worth: Floats = label - label.min(initial=0.0) + 1.0
        return worth

    def score(self, a: Alignment) -> Floats:
        if a.groups is not None:
            counts = tally(a, self.counted, "all")
            each = counts.possible if self.of == "possible" else counts.fulfilled
            return segment_sum(each, a.groups.judged.starts)
        labels = of_labels(a)
        if self.of == "possible":
            return labels.possible(self.counted)
        return labels.fulfilled(self.counted)


NumPrefs = NumberPreferences()
