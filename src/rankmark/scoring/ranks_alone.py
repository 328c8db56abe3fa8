"""Scores of a run of which only the ranks of some documents are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Alignment
from rankmark.errors import InputError, MeasureError
from rankmark.scoring.query_scores import score
from rankmark.scoring.ties import Case, midranked

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure

_LONGER = 1000  # documents: a number that this many more would change is not known


class RanksAlone(NamedTuple):
    """What is known of the documents of which no rank was given, and how tied ones count.

    Parameters
    ----------
    name
        The name of the run.
    has_length
        Whether it is known how many documents were ranked.
    has_unplaced
        Whether a judged document that is not relevant has no rank.
    midranks
        Whether ranks may lie between two.
    """

    name: str
    has_length: bool
    has_unplaced: bool
    midranks: bool

    @classmethod
    def of(cls, qrels: Qrels, run: Run, a: Alignment, conventions: Conventions) -> RanksAlone:
        """Look at a run that was matched with judgments.

        Raises
        ------
        InputError
            If ranks lie between two, or several documents have the same, and the rule for ties is
            not that of middle ranks.
        """
        midranks = conventions.unordered == "midrank"
        query = np.repeat(np.arange(len(a.retrieved)), np.diff(a.starts))
        same = (query[1:] == query[:-1]) & (a.rank[1:] == a.rank[:-1])
        if not midranks and (a.tie_first is not None or same.any()):
            raise InputError(
                "some ranks lie between two, or are those of several documents",
                'these are the middles of ties: choose ties="midrank"',
                where=run.name,
            )
        unplaced = np.count_nonzero(qrels.labels <= 0) > np.count_nonzero(a.label <= 0)
        return cls(run.name, run.source.has_length, bool(unplaced), midranks)

    def score(self, measure: Measure, a: Alignment) -> Floats:
        """Score each query: (Q,) float64.

        Raises
        ------
        MeasureError
            If the value depends on documents of which nothing is known.
        """
        asks_others = measure.depends_on in {"anywhere", "subtopics", "preferences"}
        if asks_others or (self.has_unplaced and measure.needs().lowest <= 0):
            raise self._unknown(measure, "which other documents were ranked", "")
        values = self._score(measure, a)
        if not self.has_length:
            longer = self._score(measure, a.with_columns(retrieved=a.retrieved + _LONGER))
            if not np.array_equal(values, longer, equal_nan=True):
                raise self._unknown(
                    measure, "how many documents were ranked", "give rm.Run candidates=, or "
                )
        return values

    def _score(self, measure: Measure, a: Alignment) -> Floats:
        if measure.judged_only:
            raise self._unknown(measure, "which other documents are judged", "")
        if not self.midranks:
            return score(measure, a)
        return score(measure, midranked(measure, [Case.certain(a)])[1])

    def _unknown(self, measure: Measure, what: str, remedy: str) -> MeasureError:
        return MeasureError(
            f"it needs to know {what}, and {self.name} has the ranks of targets alone",
            f"{remedy}give the scores of all documents, or leave the measure out",
            where=str(measure),
        )
