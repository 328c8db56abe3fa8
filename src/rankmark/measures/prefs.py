"""Prefs: the fraction of preferences between documents that the ranking fulfils."""

from __future__ import annotations

from typing import Final

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import choice
from rankmark.measures.families.by_group import groups_of, tally
from rankmark.measures.families.preferences import OverPreferences, Preferences, balanced, of_labels
from rankmark.results.explanations.contributions import Contributions


class FulfilledPreferences(OverPreferences):
    """The fraction of preferences that the ranking fulfils.

    Formula: (preferences fulfilled) / (preferences possible). Of two judged documents with
    different labels, the one with the higher label is preferred, which is fulfilled if it was
    retrieved and the other one is ranked lower or was not retrieved. ``counted="implied"`` leaves
    out pairs of which neither was retrieved, ``"retrieved"`` those of which not both were. With
    ``nonrelevant="balanced"``, labels up to 0 are one level, and of these documents the first R in
    rank order count, R being the number of labels above 0, with ``counted="retrieved"`` of those
    retrieved; if there are fewer, documents that were not retrieved take the place of the missing
    ones. Over judgments in groups, pairs are counted in each group; ``average="preferences"`` adds
    up both numbers, ``"groups"`` averages the fraction over a query's groups, ``"pairs"`` averages
    the fraction of a pair's preferences that is fulfilled over pairs of documents.
    Nothing relevant: no special case; 0 without preferences.
    Ties: by the evaluation's rule.
    Unjudged documents: ignored.
    Elsewhere: trec_eval ``prefs_simp``, ``prefs_pair``, ``prefs_avgjg``, ``prefs_avgjg_Rnonrel``;
    with ``_ret`` (``counted="retrieved"``) and ``_imp``. For these, it breaks ties by id ascending;
    its Rnonrel also counts pairs of two non-relevant documents.
    Source: trec_eval 10.0, form_prefs_counts.c, m_prefs_simp.c, m_prefs_avgjg_Rnonrel.c.
    """

    average: str = choice("what is averaged", "preferences", "pairs", "groups")
    counted: str = choice("which pairs count, by what was retrieved", "all", "implied", "retrieved")
    nonrelevant: str = choice("which documents with labels up to 0 count", "all", "balanced")

    name = "Prefs"
    full_name = "share of preferences fulfilled"
    aliases: Aliases = {
        f"prefs_{average}{end}": parameters | counted
        for average, parameters in {
            "simp": {},
            "pair": {"average": "pairs"},
            "avgjg": {"average": "groups"},
            "avgjg_Rnonrel": {"average": "groups", "nonrelevant": "balanced"},
        }.items()
        for end, counted in {
            "": {},
            "_ret": {"counted": "retrieved"},
            "_imp": {"counted": "implied"},
        }.items()
        if (average, end) != ("avgjg_Rnonrel", "_imp")  # trec_eval has none
    }
    formula = "preferences fulfilled / preferences possible"
    latex = r"\frac{\text{preferences fulfilled}}{\text{preferences possible}}"
    depends_on: DependsOn = "preferences"
    reaches_bound = False

    def score(self, a: Alignment) -> Floats:
        groups = groups_of(a)
        if groups is not None:
            counts = tally(a, groups, self.counted, self.nonrelevant)
            return counts.share(self.average, groups)
        of_labels = self._counts(a)
        return ratio(a.sum(of_labels.fulfilled(self.counted)), of_labels.possible(self.counted))

    def contributions(self, a: Alignment) -> Contributions | None:
        if groups_of(a) is not None:
            return None
        counts = self._counts(a)
        lower = counts.fulfilled(self.counted)
        return Contributions(
            lower,
            divisor=counts.possible(self.counted),
            columns={"lower_below": lower},
            written="{lower_below}",
        )

    def _counts(self, a: Alignment) -> Preferences:
        return of_labels(a) if self.nonrelevant == "all" else balanced(a, self.counted)

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have preferences, of documents retrieved or not: (Q,) bool."""
        groups = groups_of(a)
        if groups is not None:
            return groups.add_up(tally(a, groups, "all", "all").possible) > 0
        return of_labels(a).possible("all") > 0


Prefs: Final = FulfilledPreferences()
