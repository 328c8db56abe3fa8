"""Hypothesis strategies for realistic judgments and runs, and worse ones.

Hypothesis chooses what matters and is to be made small: how many there are, and which few values.
Which document has which value, and in which order, is thrown with seeded dice: a choice of
Hypothesis for each of these takes ten times as long as the test.
"""

import math
import random
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st

Qrels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]

LABELS = (0.0, 1.0, 2.0, 3.0, 4.0, 0.5, 1.5, -1.0, -2.0)
WHOLE_LABELS = tuple(label for label in LABELS if label == int(label))
# Few enough that most documents tie; -0.0 ties with 0.0, and the last two only in single precision.
SCORES = (1.0, 0.0, -0.0, 2.5, -3.5, 1e300, -1e-300, math.inf, -math.inf, 7.0, 7.0 + 2**-50)
SINGLE_PRECISION_SCORES = (1.0, 0.0, -0.0, 2.5, -3.5, 0.125, 1024.5, -0.75)
# Prefixes of one another, hashes, commas, brackets, spaces that are not separators, and letters
# whose order differs between code units (UTF-16) and bytes.
DOC_IDS = (
    "d", "d1", "d10", "d2", "D", "#d", "d#2", "a,b", "x(y)", "ü", "u\u0308", "文書",
    "\uff5e", "😀", "n\u00a0b", "0", "00", "http://d/?q=1", '"d"', "NaN",
)  # fmt: skip
QUERY_IDS = ("q", "q1", "q10", "1", "01", "é", "q#1", "PLAIN-2", "😀", "1.0")

dice = st.integers(0, 2**32).map(random.Random)


class Collection(NamedTuple):
    """Judgments and a run."""

    qrels: Qrels
    run: Run

    @property
    def both(self) -> list[str]:
        """The queries that were judged and answered, in judgment order."""
        return [query_id for query_id in self.qrels if query_id in self.run]

    @property
    def without_empty_queries(self) -> "Collection":
        """The collection without queries that have no rows, which files cannot contain."""
        return Collection(
            {query_id: labels for query_id, labels in self.qrels.items() if labels},
            {query_id: scores for query_id, scores in self.run.items() if scores},
        )


@cache
def few_of(values: tuple[float, ...]) -> st.SearchStrategy[list[float]]:
    """Draw up to four of the values."""
    return st.lists(st.sampled_from(values), min_size=1, max_size=4)


@cache
def sizes(least: int) -> st.SearchStrategy[int]:
    """Draw a number of documents."""
    return st.integers(least, len(DOC_IDS))


id_lists = st.lists(st.sampled_from(QUERY_IDS), unique=True, min_size=1, max_size=5)


@st.composite
def collections(
    draw: st.DrawFn,
    *,
    labels: Sequence[float] = LABELS,
    scores: Sequence[float] = SCORES,
    least: int = 0,
) -> Collection:
    """Draw judgments and a run that share at least one query; others may be in one only.

    ``least`` is the minimum number of rows of a query; the shared one always has a row.
    """
    shared, *others = draw(id_lists)
    thrown = draw(dice)

    def side(values: Sequence[float]) -> dict[str, dict[str, float]]:
        ids = [shared, *(one for one in others if thrown.random() < 0.5)]
        found = {}
        for query_id in thrown.sample(ids, len(ids)):
            few = draw(few_of(tuple(values)))
            size = draw(sizes(max(least, query_id == shared)))
            found[query_id] = {doc: thrown.choice(few) for doc in thrown.sample(DOC_IDS, size)}
        return found

    return Collection(side(labels), side(scores))


@st.composite
def long_collections(draw: st.DrawFn, *, labels: Sequence[float] = LABELS) -> Collection:
    """Draw three queries of up to 300 documents, few of them judged or nearly all, some tied."""
    thrown = draw(dice)
    size = draw(st.sampled_from([20, 100, 300]))
    share_judged = draw(st.sampled_from([0.02, 0.3, 0.95]))
    distinct_scores = draw(st.sampled_from([2, 30, 100_000]))
    doc_ids = [f"d{number}" for number in range(size)]
    qrels: Qrels = {}
    run: Run = {}
    for query_id in ("a", "b", "c"):
        judged = [doc_id for doc_id in doc_ids if thrown.random() < share_judged] or ["d0"]
        retrieved = [doc_id for doc_id in doc_ids if thrown.random() < 0.8] or ["d1"]
        thrown.shuffle(judged)
        thrown.shuffle(retrieved)
        qrels[query_id] = {doc_id: thrown.choice(labels) for doc_id in judged}
        run[query_id] = {doc_id: thrown.randrange(distinct_scores) / 8 for doc_id in retrieved}
    return Collection(qrels, run)
