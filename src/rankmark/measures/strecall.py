"""Subtopic recall: the fraction of subtopics for which a document was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.alignment import ratio
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.families.by_subtopic import OverSubtopics, Pairs, found, num_subtopics
from rankmark.measures.families.novelty import greedy

if TYPE_CHECKING:
    from rankmark.alignment import Alignment
    from rankmark.array_types import Floats


class SubtopicRecall(OverSubtopics):
    """The fraction of subtopics to which one of the first k documents is relevant.

    Formula: (subtopics to which one of the first k documents is relevant) / S, where S is the
    number of subtopics with a relevant document, retrieved or not.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``strec@k`` (k to 20 only), ir_measures ``StRecall``, elliot
    ``SRecall``.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003, section 4; ndeval.c 4.5, computeSTRecall.
    """

    k: int | None = cutoff()

    name = "StRecall"
    full_name = "subtopic recall"
    aliases: Aliases = {"strec": {}, "SRecall": {}, "S-recall": {}, "subtopic_recall": {}}
    formula = "(subtopics covered by the first k documents) / S"
    latex = r"\frac{\text{subtopics covered by the first } k \text{ documents}}{S}"
    grows_with_k = True

    def score(self, a: Alignment) -> Floats:
        pairs = found(self, a, self.k)
        return ratio(pairs.sum(_is_new(pairs), a), num_subtopics(self, a))

    def contributions(self, a: Alignment) -> Contributions:
        pairs = found(self, a, self.k)
        new = pairs.by_document(_is_new(pairs), a)
        return Contributions(
            new,
            divisor=num_subtopics(self, a),
            columns={"relevant_to": pairs.by_document(np.ones(len(pairs.row)), a), "new": new},
            written="{new}",
        )

    def ideal_ranking(self, a: Alignment) -> Alignment:
        """Return at each rank the document with the most new subtopics."""
        return greedy(self, a, self.k, alpha=1.0)


def _is_new(pairs: Pairs) -> Floats:
    """Return 1 for the first document of each subtopic, 0 for the others: (m,) float64."""
    new: Floats = (pairs.seen == 0).astype(np.float64)
    return new


StRecall: Final = SubtopicRecall()
