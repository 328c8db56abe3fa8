"""Subtopic recall: how many of a query's subtopics something was found for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment import ratio
from rankmark.measures.by_subtopic import OverSubtopics, found, num_subtopics
from rankmark.measures.parameters import cutoff

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class SubtopicRecall(OverSubtopics):
    """The share of subtopics to which one of the first k documents is relevant.

    Formula: (subtopics to which one of the first k documents is relevant) / S, where S counts the
    subtopics that have a relevant document, retrieved or not.
    Nothing relevant: 0.
    Ties: seen only where they straddle rank k.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``strec@k`` (k to 20 only), ir_measures ``StRecall``, elliot
    ``SRecall``.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003, section 4; ndeval.c 4.5, computeSTRecall.
    """

    k: int | None = cutoff()

    name = "StRecall"
    aliases = {"strec": {}, "SRecall": {}, "S-recall": {}, "subtopic_recall": {}}
    formula = "subtopics met among the first k / S"
    grows_with_k = True
    source = "Zhai, Cohen and Lafferty 2003, SIGIR, section 4; ndeval 4.5, computeSTRecall"

    def score(self, a: Alignment) -> Floats:
        pairs = found(self, a, self.k)
        met = pairs.sum((pairs.seen == 0).astype(np.float64), a)
        return ratio(met, num_subtopics(self, a))


StRecall = SubtopicRecall()
