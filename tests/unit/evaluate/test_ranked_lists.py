"""Ranked lists of many queries at once are those that explain shows for each."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.preparing.ranked_queries import first_documents
from rankmark.verbs.evaluate.ranked_lists import ranked_lists

MEASURES = ["nDCG@3", "AP(rel=2)", "RR", "RBP", "ERR", "Bpref", "MeanRank", "AUC", "Judged@5"]
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"ties": "input"},
    {"ties": "docid-asc"},
    {"judged_only": True},
    {"depth": 6},
    {"drop_self": True},
    {"precision": "float32"},
    {"duplicates": "best"},
    {"no_relevant": "one"},
    {"queries": "both"},
]


def collection(seed: int = 3) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Make judgments and a run with ties, unjudged documents and queries without answers."""
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(6):
        query = f"q{number}"
        judged = random.permutation(30)[:14]
        qrels[query] = {
            f"d{at}": int(label)
            for at, label in zip(judged, random.integers(-1, 4, 14), strict=True)
        }
        if number % 5:
            found = random.permutation(30)[:20]
            scores = np.round(random.random(20) * 8) / 8
            run[query] = {f"d{at}": float(score) for at, score in zip(found, scores, strict=True)}
            run[query][query] = 0.5
    return qrels, run


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
def test_ranks_labels_and_contributions_are_those_of_explain(conventions: dict[str, Any]) -> None:
    ev = rm.evaluate(*collection(), MEASURES, **conventions)
    lists = ranked_lists(ev, ev.queries, 5)
    for at, query in enumerate(ev.queries):
        begin, end = lists.starts[at : at + 2]
        ids = lists.doc_ids[begin:end]
        for name in ev.names:
            explained = ev.explain(query, name)
            rows = {row["doc_id"]: row for row in explained.rows if row["rank"] is not None}
            for place in range(begin, end):
                row = rows.get(lists.doc_ids[place])
                if row is None:  # below the cutoff
                    assert lists.contributions[name][place] == 0
                    continue
                assert lists.rank[place] == row["rank"]
                expected = math.nan if row["label"] is None else row["label"]
                assert lists.label[place] == pytest.approx(expected, nan_ok=True)
                assert lists.contributions[name][place] == pytest.approx(row["contribution"])
            missed = {row["doc_id"] for row in explained.missed if row["label"] > 0}
            assert {doc_id for doc_id, _ in lists.missed[at]} == missed
        everything = [row["doc_id"] for row in ev.explain(query, "RBP").rows if row["rank"]]
        assert ids[:5] == everything[:5]


@pytest.mark.parametrize("ties", ["mean", "best", "worst"])
def test_contributions_are_unknown_if_ties_have_no_order(ties: Any) -> None:
    ev = rm.evaluate(*collection(), MEASURES, ties=ties)
    assert ranked_lists(ev, ev.queries, 5).contributions == {}


def test_contributions_of_a_subclass_that_scores_otherwise_are_unknown() -> None:
    class Doubled(type(rm.AP)):  # type: ignore[misc]
        name = "Doubled"

        def score(self, a: Any) -> Any:
            return 2 * super().score(a)

    ev = rm.evaluate(*collection(), [Doubled(), "AP"])
    assert [*ranked_lists(ev, ev.queries, 5).contributions] == ["AP"]


def test_relevant_documents_below_the_first_ones_keep_their_ranks() -> None:
    run = {"q": {f"d{at:03}": -at for at in range(200)}}
    ev = rm.evaluate({"q": {"d004": 1, "d150": 2, "d160": 0, "x": 1}}, run, "AP")
    lists = ranked_lists(ev, ["q"], 3)
    assert lists.rank.tolist() == [1, 2, 3, 5, 151]
    assert lists.doc_ids == ["d000", "d001", "d002", "d004", "d150"]
    assert lists.missed == [[("x", 1.0)]]


def test_files_and_ranks_without_scores_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("".join(f"q Q0 d{at} {at} {at % 3} tag\n" for at in range(1, 30)))
    by_rank = rm.evaluate({"q": {"d2": 1}}, path, "RR", ties="rank")
    assert ranked_lists(by_rank, ["q"], 4).doc_ids == ["d1", "d2", "d3", "d4"]
    by_score = rm.evaluate({"q": {"d2": 1}}, path, "RR")
    assert ranked_lists(by_score, ["q"], 4).doc_ids == ["d8", "d5", "d29", "d26", "d2"]


def test_lists_and_arrays_have_ranked_lists() -> None:
    ev = rm.evaluate([[1, 2], [3]], [[5, 1, 2], [4, 3]], "RR")
    assert ranked_lists(ev, ["1"], 2).doc_ids == ["4", "3"]
    labels, scores = np.array([[0, 1, 0], [1, 0, 0]]), np.array([[3.0, 2, 1], [1, 2, 3]])
    ev = rm.evaluate(labels, scores, "RR")
    assert ranked_lists(ev, ev.queries, 2).doc_ids == ["0", "1", "2", "1", "0"]


def test_a_query_without_a_ranking_has_no_documents() -> None:
    ev = rm.evaluate({"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}, "RR")
    kept = ev._kept
    first = first_documents(*kept.read(), ev.conventions, [1, 0], 3)
    assert (first.starts.tolist(), first.doc_ids) == ([0, 0, 1], ["d"])
