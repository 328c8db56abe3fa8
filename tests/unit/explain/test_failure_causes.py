"""Why relevant documents are not among the first k of a run, or of a pipeline."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics.shares import ratio_interval, share_interval
from unit.commands import rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))
JUDGED = {
    "q1": {"gone": 1, "never": 1, "lost": 1, "tied": 1, "below": 2, "first": 1, "bad": 0},
    "q2": {"absent": 1},
    "q3": {"bad": 0},
}
STAGES = {
    "retrieved": {"q1": ["below", "bad", "first", "lost", "tied"]},
    "fused": {"q1": ["first", "lost", "below"]},
    "reranked": {"q1": {"first": 5, "z": 3, "tied": 3, "x": 2, "below": 1}},
}


def causes(*given: Any, **options: Any) -> list[tuple[str, int]]:
    return [(one.cause, one.documents) for one in rm.failure_causes(*given, **options).causes]


def test_each_document_has_the_cause_that_it_meets_first() -> None:
    corpus = [doc for docs in JUDGED.values() for doc in docs if doc != "gone"]
    found = rm.failure_causes(JUDGED, STAGES, "R@2", corpus=corpus)
    assert [(row["doc_id"], row["cause"], row["stage"], row["rank"]) for row in found.rows] == [
        ("gone", "gone from the corpus", None, None),
        ("never", "not retrieved", None, None),
        ("lost", "lost between stages", "fused", 2),
        ("tied", "tied across the cutoff", "reranked", 3),
        ("below", "below the cutoff", "reranked", 5),
        ("absent", "query missing", None, None),
    ]
    assert [row["earlier"] for row in found.rows] == [None, None, "fused", None, "retrieved", None]
    assert [one.cause for one in found.causes] == [
        "gone from the corpus",
        "query missing",
        "not retrieved",
        "lost between fused and reranked",
        "tied across the cutoff",
        "below the cutoff",
    ]
    assert found.causes[-1].per_query == {"q1": 1}
    assert found.causes[-1].ranks == (5, 5, 5)
    assert sum(one.share for one in found.causes) == pytest.approx(1)
    text = str(found)
    assert text.startswith("6 of 7 relevant documents of 2 queries are not among the first 2 of ")
    assert "lost between fused and reranked: q1" in text


def test_a_document_that_is_retrieved_is_not_gone() -> None:
    assert causes({"q": {"a": 1, "b": 0}}, {"run": {"q": ["b", "a"]}}, "R@1", corpus=["b"]) == [
        ("below the cutoff", 1)
    ]


def test_ids_that_the_corpus_writes_otherwise_are_told() -> None:
    qrels = {"q": {f"D{n}": 1 for n in range(9)}}
    corpus = ["D0", *(f"d{n}" for n in range(1, 9))]
    with pytest.warns(rm.RankmarkWarning, match="8 of the 8 documents that are gone"):
        found = rm.failure_causes(qrels, {"run": {"q": ["D0"]}}, "R@5", corpus=corpus)
    assert [(one.cause, one.documents) for one in found.causes] == [("gone from the corpus", 8)]


def test_queries_that_cannot_be_won_may_be_left_out() -> None:
    qrels = {"p": {"a": 1}, "q": {"b": 1}}
    run = {"run": {"p": ["x"], "q": ["x"]}}
    found = rm.failure_causes(qrels, run, "R@1", corpus=["b", "x"], unwinnable="skip")
    assert [(one.cause, one.documents) for one in found.causes] == [("not retrieved", 1)]
    said = "1 query has no relevant document left in the corpus, and is left out: 'p'"
    assert said in found.notes
    found = rm.failure_causes(qrels, run, "R@1", corpus=["b", "x"])
    assert said not in found.notes


def test_without_a_cutoff_documents_are_retrieved_by_a_run() -> None:
    found = rm.failure_causes({"q": {"a": 1, "b": 1}}, {"old": {"q": ["a"]}}, "R")
    assert found.where == "retrieved"
    assert str(found).startswith("1 of 2 relevant documents of 1 query is not retrieved by old\n")
    found = rm.failure_causes({"q": {"a": 1}}, {"old": {"q": ["b", "c", "a"]}}, "R@1")
    assert "ranks (median)" in str(found)


def test_trials_of_a_system_are_no_stages_and_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [f"new.{trial}.run" for trial in "123"]
    for path in paths:
        Path(path).write_text(Path(BM25).read_text())
    message = r"^new\.\*\.run: a system of 3 trials; name one"
    for given in (
        "new.*.run",
        ["new.*.run"],
        {"a": "new.*.run"},
        {"a": paths},
        [BM25, "new.*.run"],
    ):
        with pytest.raises(rm.InputError, match=message):
            rm.failure_causes(QRELS, given, "R@5")
    assert rm.failure_causes(QRELS, paths, "R@5").pipelines[0].stages == ("new.1", "new.2", "new.3")
    for run in ("new.*.run", paths):
        with pytest.raises(rm.InputError, match=message):
            rm.explain(QRELS, run, "q07", "R@5")
    with pytest.raises(rm.InputError, match=message):
        rm.explain(QRELS, BM25, measure="R@5", against="new.*.run")
    for more in (["--causes"], ["--query", "q07"]):
        done = rankmark_here("explain", QRELS, "new.*.run", "-m", "R@5", *more)
        assert "new.*.run: a system of 3 trials; name one" in done.stderr


def test_what_does_not_fit_into_a_budget_is_below_the_cutoff() -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"run": {"q": ["a", "x", "b"]}}
    costs = {"a": 400, "x": 500, "b": 300}
    found = rm.failure_causes(qrels, run, "R@tokens(1000)", document_costs=costs)
    assert [(one.cause, one.documents) for one in found.causes] == [
        ("not retrieved", 1),
        ("below the cutoff", 1),
    ]
    assert "not within tokens(1000) of run" in str(found)


def test_documents_are_lost_as_their_chunks_are_combined() -> None:
    qrels = {"q": {"a": 1}}
    run = {"chunks": {"q": {"a#1": 9, "b#1": 8, "b#2": 7, "c#1": 6}}}
    lost = [("lost as units were combined", 1)]
    assert causes(qrels, run, "R@1", unit="#", combine="sum") == lost
    assert causes(qrels, run, "R@1", unit="#") == []
    deep = {"chunks": {"q": {"b#1": 8, "b#2": 7, "a#1": 6}}}
    assert causes(qrels, deep, "R@2", unit="#", unit_depth=2) == lost
    parents = {"1": "a", "2": "b", "3": "b", "4": "c"}
    mapped = {"chunks": {"q": {"1": 9, "2": 8, "3": 7, "4": 6}}}
    assert causes(qrels, mapped, "R@1", parents=parents, combine="sum") == lost


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("nDCG@10", {}),
        ("R(rel=2)@5", {"ties": "docid-asc"}),
        ("AP", {"depth": 20}),
        ("P@10", {"judged_only": True}),
        ("Bpref", {}),
        ("R@10", {"queries": ["q01", "q05", "q17"]}),
    ],
)
def test_explain_says_the_same_of_each_query(measure: str, options: dict[str, Any]) -> None:
    (run,) = rm.failure_causes(QRELS, LSA, measure, **options).pipelines
    assert run.relevant_by_query
    for query, relevant in run.relevant_by_query.items():
        explained = rm.explain(QRELS, LSA, query, measure, **options)
        of_query = [one for one in run.failures if one.query_id == query]
        assert explained.counts["tp"] + explained.counts["fn"] == relevant
        assert explained.counts["fn"] == len(of_query)
        below = {one.doc_id: one.rank for one in of_query if one.rank is not None}
        assert below == {row["doc_id"]: row["rank"] for row in explained.below}
        missed = {row["doc_id"] for row in explained.missed}
        assert {one.doc_id for one in of_query if one.rank is None} <= missed


def test_every_form_has_the_same_causes() -> None:
    qrels = np.array([[1, 0, 2, 1], [0, 1, 0, 0]])
    scores = np.array([[0.1, 0.9, 0.8, 0.2], [0.4, 0.3, 0.2, 0.1]])
    by_id = [
        {str(q): {str(d): row[d] for d in range(4)} for q, row in enumerate(given.tolist())}
        for given in (qrels, scores)
    ]
    found = causes(qrels, {"run": scores}, "R@1")
    assert found == causes(by_id[0], {"run": by_id[1]}, "R@1") == [("below the cutoff", 4)]
    rows = [(q, d, s) for q, docs in by_id[1].items() for d, s in docs.items()]
    lists = {q: sorted(docs, key=docs.__getitem__)[::-1] for q, docs in by_id[1].items()}
    assert found == causes(qrels, scores, "R@1")
    for run in (by_id[1], rm.Run(by_id[1]), rows, lists):
        assert causes(by_id[0], run, "R@1") == found


def test_two_runs_tell_what_has_another_cause() -> None:
    found = rm.failure_causes(QRELS, BM25, "R@10", against=LSA)
    changes = {(one["baseline_cause"], one["run_cause"]): one["documents"] for one in found.changes}
    assert changes["not retrieved", "found"] == 10
    gained = sum(n for (_, after), n in changes.items() if after == "found")
    lost = sum(n for (before, _), n in changes.items() if before == "found")
    first, second = (len(run.failures) for run in found.pipelines)
    assert first - second == gained - lost
    assert rm.failure_causes(QRELS, LSA, "R@10").pipelines == found.pipelines[1:]
    with pytest.raises(rm.DuplicateError, match="two runs have the name lsa"):
        rm.failure_causes(QRELS, LSA, against=LSA)


def test_slices_add_up_to_the_whole() -> None:
    by = {f"q{n:02}": "odd" if n % 2 else "even" for n in range(1, 25)}
    found = rm.failure_causes(QRELS, LSA, "R@10", by=by)
    (run,) = found.pipelines
    for whole in found.causes:
        parts = [
            one.documents
            for queries in found.slices.values()
            for one in run.causes(0.95, queries)
            if one.cause == whole.cause
        ]
        assert sum(parts) == whole.documents
    assert "By slice:" in str(found)


def test_a_share_allows_for_several_documents_of_a_query() -> None:
    parts, wholes = np.array([0.0, 3.0, 0.0, 3.0]), np.full(4, 3.0)
    wide = ratio_interval(parts, wholes)
    narrow = share_interval([0, 1] * 6)
    assert wide.estimate == narrow.estimate == 0.5
    assert wide.low < narrow.low
    assert ratio_interval(np.zeros(4), wholes).high == share_interval([0] * 4).high


def test_nothing_that_failed_is_said() -> None:
    found = rm.failure_causes({"q": {"a": 1}}, {"run": {"q": ["a"]}}, "R@1")
    assert str(found).startswith("all 1 relevant document of 1 query is among the first 1 of run")
    assert found.causes == []
    assert found.changes == []
    assert len(found.to_pandas()) == 0


def test_measures_by_subtopic_have_their_relevant_documents() -> None:
    qrels = {"q": {"1": {"a": 1, "b": 0}, "2": {"b": 1, "c": 0}}}
    assert causes(qrels, {"run": {"q": ["c", "a"]}}, "alpha_nDCG@1") == [
        ("not retrieved", 1),
        ("below the cutoff", 1),
    ]


def test_what_has_no_relevant_documents_is_refused() -> None:
    with pytest.raises(rm.SchemaError, match="run is Evaluation"):
        rm.failure_causes(QRELS, {"lsa": rm.evaluate(QRELS, LSA)})
    with pytest.raises(rm.InputError, match="history is given, and no measure needs it"):
        rm.failure_causes(QRELS, LSA, history=QRELS)
    with pytest.raises(rm.MeasureError, match="looks at items"):
        rm.failure_causes(QRELS, LSA, "MIUF@10")
    with pytest.raises(rm.MeasureError, match="that of one measure"):
        rm.failure_causes(QRELS, LSA, "R@5,10")


def test_the_command_takes_stages_and_writes_every_form(tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("bread-01\n")
    words = ["explain", QRELS, BM25, LSA, "--causes", "-m", "R@10", "--corpus", ids]
    told = json.loads(rankmark_here(*words, "--format", "json").stdout)
    assert told["pipelines"][0]["stages"] == ["bm25", "lsa"]
    assert {one["cause"] for one in told["pipelines"][0]["causes"]} == {
        "gone from the corpus",
        "lost between bm25 and lsa",
        "below the cutoff",
    }
    rows = rankmark_here(*words, "--format", "csv").stdout.splitlines()
    assert rows[0] == "run,query_id,doc_id,label,cause,stage,rank,earlier"
    assert len(rows) - 1 == told["pipelines"][0]["not_found"]
    assert "| below the cutoff |" in rankmark_here(*words, "--format", "markdown").stdout
    text = rankmark_here(*words, "--all-rows").stdout
    assert all(row.split(",")[2] in text for row in rows[1:])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([LSA], "several RUNs are stages, for --causes"),
        (["--query", "q01", "--corpus", QRELS], "--corpus is for --causes"),
        (["--causes", "--query", "q01"], "--query is of one query, and --causes of all"),
        (["--causes", "--plot", "x.svg"], "--plot draws the score of one query"),
        (["--causes", "-m", "R@5", "-m", "AP"], "a cutoff is that of one measure"),
    ],
)
def test_options_that_do_not_go_together_are_refused(more: list[str], message: str) -> None:
    done = rankmark_here("explain", QRELS, BM25, *more)
    assert done.returncode == 2
    assert message in done.stderr


def test_two_runs_may_average_other_queries() -> None:
    qrels, by = {"p": {"a": 1}, "q": {"b": 1}}, {"p": "one", "q": "two"}
    both = {"one": {"p": ["x"], "q": ["x"]}}, {"other": {"p": ["a"]}}
    found = rm.failure_causes(qrels, both[0], "R@1", against=both[1], by=by, queries="both")
    assert [len(run.relevant_by_query) for run in found.pipelines] == [2, 1]
    assert str(found).count("By slice:") == 1
