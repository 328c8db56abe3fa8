"""NumPrefs: the number of preferences that are possible, or that the ranking fulfils."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn
from rankmark.measures.base.parameters import choice
from rankmark.measures.families.by_group import groups_of, tally
from rankmark.measures.families.preferences import OverPreferences, lower_than, of_labels
from rankmark.results.explanations.contributions import Contributions


class NumberPreferences(OverPreferences):
    """The number of preferences that are possible, or that the ranking fulfils.

    Formula: the preferences possible, or with ``of="fulfilled"`` fulfilled, as in Prefs, summed
    over queries.
    Nothing relevant: no special case.
    Ties: by the evaluation's rule.
    Unjudged documents: ignored.
    Elsewhere: trec_eval ``prefs_num_prefs_poss``, ``prefs_num_prefs_ful``,
    ``prefs_num_prefs_ful_ret``, which break ties by id ascending.
    Source: trec_eval 10.0, m_prefs_num_prefs_poss.c, m_prefs_num_prefs_ful.c.
    """

    of: str = choice("what is counted", "possible", "fulfilled")
    counted: str = choice("which pairs count, by what was retrieved", "all", "implied", "retrieved")

    name = "NumPrefs"
    full_name = "number of preferences"
    aliases: Aliases = {
        "prefs_num_prefs_poss": {},
        "prefs_num_prefs_ful": {"of": "fulfilled"},
        "prefs_num_prefs_ful_ret": {"of": "fulfilled", "counted": "retrieved"},
    }
    formula = "preferences possible, or preferences fulfilled"
    latex = r"\text{preferences possible, or preferences fulfilled}"
    depends_on: DependsOn = "preferences"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    aggregate: Aggregate = "sum"

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return all judged documents by label; None if any ranking gives the same number."""
        return super().ideal_ranking(a) if self.of == "fulfilled" else None

    def score(self, a: Alignment) -> Floats:
        groups = groups_of(a)
        if groups is not None:
            counts = tally(a, groups, self.counted, "all")
            return groups.add_up(counts.possible if self.of == "possible" else counts.fulfilled)
        labels = of_labels(a)
        if self.of == "possible":
            return labels.possible(self.counted)
        return a.sum(labels.fulfilled(self.counted))

    def contributions(self, a: Alignment) -> Contributions | None:
        if groups_of(a) is not None:
            return None
        labels = of_labels(a)
        if self.of == "fulfilled":
            lower = labels.fulfilled(self.counted)
            return Contributions(lower, columns={"lower_below": lower}, written="{lower_below}")
        lower = labels.over(self.counted)
        of_missed = labels.possible(self.counted) - a.sum(lower)
        return Contributions(
            lower,
            missed=self._over_lower(a),
            columns={"lower": lower},
            written="{lower}",
            frame="{sum} + {of_missed}" if of_missed.any() else "",  # of one query
            numbers={"of_missed": of_missed},
        )

    def _over_lower(self, a: Alignment) -> Callable[[Ints, Floats], Floats] | None:
        """Return a function that counts the preferences of documents that were not retrieved."""
        if self.counted == "retrieved":
            return None
        if self.counted == "implied":
            return lambda query, label: lower_than(query, label, a.starts, a.label)
        return lambda query, label: lower_than(query, label, a.ideal_starts, a.ideal_label)


NumPrefs: Final = NumberPreferences()
