"""Measures over subtopics with every choice of their parameters, and random judgments for them."""

import inspect
import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st

from conformance.cases import Case, reference, stem_of
from conformance.reference.ranking import Ties, ranked
from generators.random_collections import DOC_IDS, QUERY_IDS, dice
from rankmark.measures import ALL

STEMS = [stem_of(measure) for measure in ALL if measure.depends_on == "subtopics"]
CHOICES: Mapping[str, tuple[Any, ...]] = {
    "k": (None, 1, 2, 3, 5, 1000),
    "rel": (1.0, 2.0),
    "alpha": (0.5, 0.3, 0.0, 1.0),
    "beta": (0.5, 0.8),
    "norm": ("perfect", "none"),
    "gain": ("binary", "linear", "exp2", {1: 0.5, 2: 2, 3: 2}),
}
# Ids as people have them, in files too: no blanks.
SUBTOPIC_IDS = ("1", "2", "10", "a,b", "ü", "0")
LABELS = (0.0, 1.0, 1.0, 2.0, 3.0, -1.0, 0.5)
SCORES = (1.0, 0.0, 2.5, -3.5, 7.0, 7.0 + 2**-50)

Judgments = dict[str, dict[str, dict[str, float]]]


class Diverse(NamedTuple):
    """Judgments by query and subtopic, and a run."""

    qrels: Judgments
    run: dict[str, dict[str, float]]

    def documents(self, query_id: str) -> dict[str, dict[str, float]]:
        """Give the judged documents of a query, each with its subtopics."""
        found: dict[str, dict[str, float]] = {}
        for subtopic, labels in self.qrels[query_id].items():
            for doc_id, label in labels.items():
                found.setdefault(doc_id, {})[subtopic] = label
        return found

    @property
    def plain(self) -> dict[str, dict[str, float]]:
        """Give each document its greatest label over subtopics."""
        return {
            query_id: {d: max(of.values()) for d, of in self.documents(query_id).items()}
            for query_id in self.qrels
        }


def diverse_cases(stem: str) -> list[Case]:
    """List a measure with every combination of its parameters, defaults left unsaid."""
    signature = inspect.signature(reference(stem))
    keywords = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    return [
        Case(
            stem,
            {
                p.name: value
                for p, value in zip(keywords, chosen, strict=True)
                if value != p.default
            },
        )
        for chosen in itertools.product(*(CHOICES[p.name] for p in keywords))
    ]


def all_diverse_cases() -> list[Case]:
    """List every measure over subtopics with every combination of its parameters."""
    return [case for stem in STEMS for case in diverse_cases(stem)]


def seen_by_reference(collection: Diverse, ties: Ties = "docid") -> dict[str, tuple[Any, ...]]:
    """Give the documents of each judged query: retrieved, missed, and all by id."""
    found = {}
    for query_id in collection.qrels:
        judged = collection.documents(query_id)
        retrieved = ranked(collection.run.get(query_id, {}), ties)
        found[query_id] = (
            [judged.get(doc_id) for doc_id in retrieved],
            [judged[doc_id] for doc_id in judged if doc_id not in retrieved],
            [judged[d] for d in sorted(judged, key=str.encode, reverse=True)],
        )
    return found


query_ids = st.lists(st.sampled_from(QUERY_IDS), unique=True, min_size=1, max_size=4)
NO_BLANKS = [doc_id for doc_id in DOC_IDS if not set(doc_id) & set(' "\u00a0')]
document_ids = st.lists(st.sampled_from(NO_BLANKS), unique=True, min_size=1, max_size=9)
numbers_of_subtopics = st.integers(1, 5)


@st.composite
def diverse_collections(draw: st.DrawFn) -> Diverse:
    """Give judgments and a run that share a query; one query has two subtopics at least."""
    ids, doc_ids, thrown = draw(query_ids), draw(document_ids), draw(dice)

    def some(of: list[str], values: tuple[float, ...], least: int) -> dict[str, float]:
        chosen = thrown.sample(of, thrown.randint(least, len(of)))
        return {doc_id: thrown.choice(values) for doc_id in chosen}

    qrels: Judgments = {}
    run: dict[str, dict[str, float]] = {}
    for query_id in ids:
        count = max(draw(numbers_of_subtopics), 2 if query_id == ids[0] else 1)
        subtopics = thrown.sample(SUBTOPIC_IDS, count)
        qrels[query_id] = {subtopic: some(doc_ids, LABELS, 1) for subtopic in subtopics}
        if query_id == ids[0] or thrown.random() < 0.5:
            run[query_id] = some([*doc_ids, "unjudged", "other"], SCORES, 1)
    return Diverse(qrels, run)
