"""Whether a document was found for every subtopic, or group."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment
from rankmark.data.alignment.tie_probabilities import last_ranks, tie_columns
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    documents_of,
    found,
    is_new,
    num_subtopics,
)
from rankmark.measures.families.novelty import greedy
from rankmark.results.explanations.contributions import Contributions

_MOST_GROUPS = 12  # that a tie may decide: all sets of them are counted, 4096 for 12


class EveryGroup(OverSubtopics):
    """1 if for every subtopic one of the first k documents is relevant, else 0.

    Formula: 1 if S > 0 and the first k documents cover S subtopics, else 0, where S is the number
    of subtopics with a relevant document, retrieved or not. A subtopic can be any group of
    documents of which one is enough, such as the pages that answer one hop of a question.
    Nothing relevant: 0.
    Ties: matter only across rank k. Expected values are exact if at most 12 subtopics of a query
    depend on them.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: the hit rate for several hops, all of which need evidence; AutoRAG's judgments
    ``[[a, b], [c]]`` are such groups.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003, section 4, for the subtopics covered.
    """

    k: int | None = cutoff()

    name = "AllGroups"
    full_name = "all groups found"
    aliases: Aliases = {"all_groups": {}, "AllSubtopics": {}}
    formula = "1 if (subtopics covered by the first k documents) = S > 0, else 0"
    latex = (
        r"1 \text{ if } (\text{subtopics covered by the first } k \text{ documents}) = S > 0, "
        r"\text{ else } 0"
    )
    grows_with_k = True
    reaches_bound = False  # with more than k subtopics

    def score(self, a: Alignment) -> Floats:
        pairs, subtopics = found(self, a, self.k), num_subtopics(self, a)
        covered = pairs.sum(is_new(pairs), a)
        return ((subtopics > 0) & (covered == subtopics)).astype(np.float64)

    def contributions(self, a: Alignment) -> Contributions:
        pairs = found(self, a, self.k)
        new = pairs.by_document(is_new(pairs), a)
        covered = a.cumsum(new)
        return Contributions(
            ((new > 0) & (covered == a.spread(num_subtopics(self, a)))).astype(np.float64),
            columns={
                "relevant_to": pairs.by_document(np.ones(len(pairs.row)), a),
                "new": new,
                "covered": covered,
            },
        )

    def ideal_ranking(self, a: Alignment) -> Alignment:
        """Return at each rank the document with the most new subtopics."""
        return greedy(self, a, self.k, alpha=1.0)

    def out_of_reach(self, a: Alignment) -> Bools | None:
        """Return which queries have more subtopics than k documents can be relevant to: (Q,) bool.

        If documents are relevant to several subtopics, the k documents with the most are taken to
        share none, so a few more queries may be out of reach.
        """
        if self.k is None:
            return None
        starts, _ = documents_of(self, a).judged.relevant(self.rel)
        most = np.diff(starts)[documents_of(self, a).ideal_document]
        order = np.lexsort((-most, a.ideal_query()))
        within = a.ideal_rank() <= self.k
        return a.ideal_sum((most[order] * within).astype(np.float64)) < num_subtopics(self, a)

    def _expected(self, a: Alignment) -> Floats | None:
        """Return the probability that every subtopic is covered; None if too many are tied."""
        first, last = tie_columns(a)
        limit = a.spread(last_ranks(a, self.k).astype(np.float64)).astype(np.int64)
        pairs = found(self, a, None)
        sure = (last <= limit)[pairs.row]
        maybe = ((first <= limit) & (last > limit))[pairs.row]
        subtopics = num_subtopics(self, a)
        values = np.zeros(len(a.retrieved))
        for query in range(len(values)):
            here = pairs.query == query
            done = np.unique(pairs.subtopic[here & sure])
            tied = here & maybe & ~np.isin(pairs.subtopic, done)
            left = np.unique(pairs.subtopic[tied])
            if subtopics[query] == 0 or len(done) + len(left) < subtopics[query]:
                continue
            if not len(left):
                values[query] = 1.0
                continue
            if len(left) > _MOST_GROUPS:
                return None
            row = pairs.row[tied]
            at = int(row[0])
            values[query] = _chance_of_each(
                [row[pairs.subtopic[tied] == one] for one in left],
                size=int(last[at] - first[at] + 1),
                taken=int(limit[at] - first[at] + 1),
            )
        return values

    tie_handling: TieHandling = TieHandling(_expected, sorted_is_best=False)


def _chance_of_each(groups: list[Ints], *, size: int, taken: int) -> float:
    """Return the probability that a random choice of documents has one of each group.

    By inclusion and exclusion over the sets of groups of which none is chosen, in whole numbers.

    Parameters
    ----------
    groups
        The documents of each group among those tied.
    size, taken
        How many documents are tied, and how many of them are chosen.
    """
    members = [frozenset(group.tolist()) for group in groups]
    ways = 0
    for number in range(len(members) + 1):
        for avoided in combinations(members, number):
            without = size - len(frozenset().union(*avoided))
            ways += (-1) ** number * comb(without, taken)
    return ways / comb(size, taken)


AllGroups: Final = EveryGroup()
