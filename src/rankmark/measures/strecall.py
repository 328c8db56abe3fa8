"""Subtopic recall: the fraction of subtopics for which a document was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.alignment import ratio
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    chance_of_cover,
    found,
    is_new,
    num_subtopics,
)
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
    ``SRecall``. Where subtopics are groups of documents of which one is enough, such as the hops of
    a question, it is the mean share of groups found, and ``Groups@k`` is a name of it.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003, section 4; ndeval.c 4.5, computeSTRecall.
    """

    k: int | None = cutoff()

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
        pairs = found(self, a, self.k)
        return ratio(pairs.sum(is_new(pairs), a), num_subtopics(self, a))

    def contributions(self, a: Alignment) -> Contributions:
        pairs = found(self, a, self.k)
        new = pairs.by_document(is_new(pairs), a)
        return Contributions(
            new,
            divisor=num_subtopics(self, a),
            columns={"relevant_to": pairs.by_document(np.ones(len(pairs.row)), a), "new": new},
            written="{new}",
        )

    def ideal_ranking(self, a: Alignment) -> Alignment:
        """Return at each rank the document with the most new subtopics."""
        return greedy(self, a, self.k, alpha=1.0)

    def _expected(self, a: Alignment) -> Floats:
        """Return the expected fraction: the mean of the probabilities to cover each subtopic."""
        return ratio(chance_of_cover(self, a, self.k), num_subtopics(self, a))

    # The best order of tied documents depends on the documents above.
    tie_handling: TieHandling = TieHandling(_expected, sorted_is_best=False)


StRecall: Final = SubtopicRecall()
