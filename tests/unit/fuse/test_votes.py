"""What each list gave the documents of a fused run, as ``rm.explain`` shows it."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 2, "d": 1, "z": 1}, "q2": {"b": 1}}
WORDS = {"q1": {"a": 12.0, "b": 8.0, "c": 4.0}, "q2": {"b": 1.0}}
VECTORS = {"q1": {"d": 0.9, "a": 0.5, "b": 0.4}}
RUNS = {"words": WORDS, "vectors": VECTORS}


def test_contributions_add_up_to_the_fused_score() -> None:
    fused = rm.fuse(RUNS, "wsum", weights=[0.25, 0.75])
    votes = rm.explain(QRELS, fused, "q1").votes
    assert votes is not None
    assert votes.weights == (0.25, 0.75)
    assert [document.doc_id for document in votes.documents] == ["d", "a", "b", "c"]
    first, second, third, last = votes.documents
    assert first.votes[0] == (None, None, 0.0, 0.0), "words does not contain it"
    assert first.votes[1] == (1, 0.9, 1.0, 0.75)
    assert second.votes == ((1, 12.0, 1.0, 0.25), (2, 0.5, pytest.approx(0.2), pytest.approx(0.15)))
    assert third.votes[0][:3] == (2, 8.0, 0.5)
    assert last.votes[1] == (None, None, 0.0, 0.0)
    scores = fused.to_dict()["q1"]
    for document in votes.documents:
        assert document.score == scores[document.doc_id]
        assert sum(vote.contribution or 0.0 for vote in document.votes) == document.score


@pytest.mark.parametrize(
    "method", ["RRF(k=2)", "CombMED", "Condorcet", "Borda", "CombMNZ(norm='z')"]
)
@pytest.mark.parametrize("given", [{}, {"depth": 2}, {"top": 2}, {"ties": "mean"}])
def test_a_query_that_is_fused_again_has_the_ranks_of_the_run(method: str, given: Any) -> None:
    fused = rm.fuse(RUNS, method, **given)
    for query, documents in fused.to_dict().items():
        votes = fused.votes(query)
        assert votes is not None
        assert {one.doc_id: one.score for one in votes.documents} == documents
        assert [one.rank for one in votes.documents] == [*range(1, len(documents) + 1)]


def test_methods_that_use_ranks_have_no_normalised_scores_and_others_may_be_no_sums() -> None:
    votes = rm.fuse(RUNS, "RRF(k=60)").votes("q1")
    assert votes is not None
    assert votes.documents[0].doc_id == "a"
    assert votes.documents[0].votes == ((1, 12.0, None, 1 / 61), (2, 0.5, None, 1 / 62))
    median = rm.fuse(RUNS, "CombMED").votes("q1")
    assert median is not None
    assert median.weights is None
    assert {vote.contribution for one in median.documents for vote in one.votes} == {None}


def test_a_query_of_no_run_has_no_votes_and_one_of_one_run_those_of_its_list() -> None:
    fused = rm.fuse(RUNS, "RRF(k=1)")
    assert fused.votes("q9") is None
    votes = fused.votes("q2")
    assert votes is not None
    assert votes.documents[0].votes == ((1, 1.0, None, 0.5), (None, None, None, 0.0))
    assert rm.fuse(RUNS, "RRF(k=1)", queries="all").votes("q2") is None


def test_an_explanation_shows_the_votes_of_its_documents() -> None:
    fused = rm.fuse(RUNS, "wsum", weights=[0.25, 0.75])
    found = rm.explain(QRELS, fused, "q1", "nDCG@2")
    text = found.to_text(width=200)
    assert "What each list gave, by wsum, weights words=0.25 vectors=0.75:" in text
    head, first, *_ = text.partition("vectors=0.75:\n\n")[2].splitlines()
    assert head.split() == ["rank", "document", "fused", "score", "words", "rank", "words", "score",
                            "words", "norm", "words", "adds", "vectors", "rank", "vectors", "score",
                            "vectors", "norm", "vectors", "adds"]  # fmt: skip
    assert first.split() == ["1", "d", "0.7500", "0", "0", "1", "0.9000", "1", "0.7500"]
    written = json.loads(found.to_json())["votes"]
    assert [one["doc_id"] for one in written["documents"]] == ["d", "a"], "those in its table"
    assert written["documents"][0]["lists"]["vectors"]["contribution"] == 0.75
    assert "What each list gave" in found.to_html()
    assert "votes" not in rm.explain(QRELS, WORDS, "q1").to_dict()


def test_a_difference_shows_which_list_lifted_what() -> None:
    fused = rm.fuse(RUNS, "wsum", weights=[0.25, 0.75])
    found = rm.explain(QRELS, WORDS, "q1", "nDCG@2", against=fused)
    text = found.to_text(width=200)
    assert "What each list gave" in text
    assert [one["doc_id"] for one in found.rows] == ["d", "a"]
    assert found.baseline.votes is None
    assert found.other.votes is not None


def test_the_command_shows_the_votes_of_a_query_it_fuses(tmp_path: Path) -> None:
    example = Path(rm.__file__).parent / "example"
    runs = [example / "bm25.run", example / "lsa.run"]
    done = rankmark_here("fuse", *runs, "-m", "wsum", "--top", 4, "--explain", "q06")
    assert (done.returncode, done.stderr) == (0, "")
    votes = rm.fuse(runs, "wsum", top=4).votes("q06")
    assert votes is not None
    assert len(votes.documents) == 4
    assert done.stdout == votes.to_text()
    done = rankmark_here("fuse", *runs, "--explain", "q06", "-o", tmp_path / "votes.txt")
    assert (tmp_path / "votes.txt").read_text().startswith("What each list gave, by RRF(k=60)")
    done = rankmark_here("fuse", *runs, "--explain", "q99")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "rankmark: no run has query 'q99'; check the id\n"
