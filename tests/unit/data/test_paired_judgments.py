"""Sets of judgments brought together by ids, in every order and form."""

import random

import numpy as np
import pytest

import rankmark as rm
from rankmark._core import paired_judgments
from rankmark.data.preparing.paired_inputs import documents_of, pair_judgments

Labels = dict[str, dict[str, float]]


def drawn(seed: int, queries: int = 40, documents: int = 30) -> Labels:
    generator = random.Random(seed)
    found = {}
    for query in generator.sample(range(queries), queries * 2 // 3):
        docs = generator.sample(range(documents), generator.randint(1, documents))
        found[f"q{query}"] = {f"doc-{doc}": generator.randint(0, 3) for doc in docs}
    return found


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_are_those_of_the_same_query_and_document(threads: int) -> None:
    for seed in range(5):
        a, b = rm.Qrels(drawn(seed)), rm.Qrels(drawn(seed + 100))
        at = paired_judgments(a.judgments, b.judgments, threads).tolist()
        row = 0
        of_b = {
            (query, doc): number
            for number, (query, doc) in enumerate(
                (query, doc) for query, labels in b.by_query().items() for doc in labels
            )
        }
        for query, labels in a.by_query().items():
            for doc in labels:
                assert at[row] == of_b.get((query, doc), -1)
                row += 1


def test_every_pair_has_the_labels_of_all_judges() -> None:
    sets = [drawn(1), drawn(2), drawn(3)]
    judges = [rm.Qrels(one) for one in sets]
    paired = pair_judgments(judges, 2)
    documents = documents_of(judges, paired, np.arange(len(paired.query)))
    seen = set()
    for at, (query, doc) in enumerate(zip(paired.query.tolist(), documents, strict=True)):
        name = paired.query_ids[query]
        seen.add((name, doc))
        for judge, labels in enumerate(sets):
            wanted = labels.get(name, {}).get(doc, np.nan)
            assert np.array_equal(paired.labels[judge, at], wanted, equal_nan=True)
    assert len(seen) == len(documents)
    assert seen == {(q, d) for one in sets for q, of in one.items() for d in of}
    assert (np.diff(paired.query) >= 0).all()


def test_arrays_and_sets_pair_with_what_has_ids() -> None:
    dense = rm.Qrels(np.array([[1, 0, 2]]))
    paired = pair_judgments([dense, rm.Qrels({"0": {"0": 2, "2": 1}})], 1)
    assert paired.labels[0].tolist() == [1, 0, 2]
    assert np.array_equal(paired.labels[1], [2, np.nan, 1], equal_nan=True)


def test_rows_that_do_not_exist_are_refused() -> None:
    qrels = rm.Qrels({"q": {"a": 1}})
    with pytest.raises(IndexError, match="there is no such row"):
        qrels.judgments.documents_of_rows(np.array([1]))
