"""Subtopic recall: the fraction of subtopics, or of their weights, that was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff, gain
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    chance_of_cover,
    documents_of,
    found,
    is_new,
    num_subtopics,
)
from rankmark.measures.families.gains import Gained
from rankmark.measures.families.novelty import greedy
from rankmark.results.explanations.contributions import Contributions


class SubtopicRecall(Gained, OverSubtopics):
    """The fraction of subtopics to which one of the first k documents is relevant.

    Formula: (subtopics to which one of the first k documents is relevant) / S, where S is the
    number of subtopics with a relevant document, retrieved or not. With ``gain``, the sum over
    subtopics of the highest gain of the first k documents, divided by that of all judged
    documents: "linear", the label itself; "exp2", 2^label - 1; or {label: gain}, which must not
    fall. So labels say what a subtopic is worth, such as a nugget that is vital, and how far a
    document covers it. Labels below ``rel`` have no gain.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``strec@k`` (k to 20 only), ir_measures ``StRecall``, elliot
    ``SRecall``. Where subtopics are groups of documents of which one is enough, such as the hops of
    a question, it is the mean share of groups found, and ``Groups@k`` is a name of it.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003, section 4; ndeval.c 4.5, computeSTRecall.
    """

    k: int | None = cutoff()
    gain: Any = gain("the gain of a label for a subtopic", "binary")

    name = "StRecall"
    full_name = "subtopic recall"
    aliases: Aliases = {
        "strec": {},
        "SRecall": {},
        "S-recall": {},
        "subtopic_recall": {},
        "Groups": {},
    }
    formula = "(subtopics covered by the first k documents) / S"
    latex = r"\frac{\text{subtopics covered by the first } k \text{ documents}}{S}"
    grows_with_k = True

    def score(self, a: Alignment) -> Floats:
        def covered(at: SubtopicRecall) -> Floats:
            pairs = found(at, a, self.k)
            return pairs.sum(is_new(pairs), a)

        return ratio(self._over_levels(a, covered), self._most(a))

    def contributions(self, a: Alignment) -> Contributions:
        def new_of_document(at: SubtopicRecall) -> Floats:
            pairs = found(at, a, self.k)
            return pairs.by_document(is_new(pairs), a)

        pairs = found(self, a, self.k)
        new = self._over_levels(a, new_of_document)
        return Contributions(
            new,
            divisor=self._most(a),
            columns={"relevant_to": pairs.by_document(np.ones(len(pairs.row)), a), "new": new},
            written="{new}",
        )

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return at each rank the document with the most new subtopics; None if they weigh."""
        return greedy(self, a, self.k, alpha=1.0) if self.gain == "binary" else None

    def _expected(self, a: Alignment) -> Floats:
        """Return the expected fraction: the mean of the probabilities to cover each subtopic."""

        def expected(at: SubtopicRecall) -> Floats:
            return chance_of_cover(at, a, self.k)

        return ratio(self._over_levels(a, expected), self._most(a))

    def _most(self, a: Alignment) -> Floats:
        """Return the sum over subtopics of the highest gain of a judged document: (Q,) float64."""
        return self._over_levels(a, lambda at: num_subtopics(at, a))

    def _over_levels(self, a: Alignment, count: Callable[[SubtopicRecall], Floats]) -> Floats:
        """Sum what counts of the subtopics covered by labels from each one on, times its gain.

        A subtopic with the highest label l is covered at every label to l, and each adds what its
        gain exceeds that of the label below.
        """
        if self.gain == "binary":
            return count(self)
        label = np.unique(documents_of(self, a).judged.label)
        label = label[label >= self.rel]
        added = np.diff(self.gains(label), prepend=0.0)
        if (added < 0).any():
            at = int(np.argmax(added < 0))
            raise MeasureError(
                f"the gain of label {label[at]:g} is below that of label {label[at - 1]:g}",
                "give higher labels at least the same gain",
                where=str(self),
            )
        levels = [self.with_parameters(rel=float(one), gain="binary") for one in label]
        parts = [more * count(level) for more, level in zip(added, levels, strict=True) if more]
        return sum(parts[1:], parts[0]) if parts else 0.0 * count(self)

    # The best order of tied documents depends on the documents above.
    tie_handling: TieHandling = TieHandling(_expected, sorted_is_best=False)


StRecall: Final = SubtopicRecall()
