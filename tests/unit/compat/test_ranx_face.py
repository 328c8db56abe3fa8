"""rankmark.compat.ranx: ranx's calls, with figures that ranx 0.3.21 gives."""

import re

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark import InputError, MeasureError, RankmarkWarning
from rankmark.compat import ranx
from rankmark.compat.ranx import Qrels, Run, compare, evaluate

# The means of ranx 0.3.21 over a collection with many ties: of a Qrels and a Run, of a Run after
# make_comparable, which sorts a second time and moves ties, and of plain dicts.
FIGURES = {
    "hits": (6.8, 6.8, 6.8),
    "hits@10-l2": (1.2, 0.8, 1.2),
    "hit_rate@1": (0.2, 0.2, 0.2),
    "precision@10": (0.15999999999999998, 0.15999999999999998, 0.18),
    "recall@10-l3": (0.2333333333333333, 0.13333333333333333, 0.18333333333333332),
    "f1@5": (0.14095238095238094, 0.14095238095238094, 0.14095238095238094),
    "f1": (0.3518578718578719, 0.3518578718578719, 0.3518578718578719),
    "r-precision": (0.18343434343434342, 0.18343434343434342, 0.20343434343434344),
    "mrr": (0.3161782661782662, 0.3161782661782662, 0.3161782661782662),
    "mrr@2-l3": (0.2, 0.2, 0.0),
    "map": (0.23207757927515876, 0.2339919366786803, 0.23453742263930838),
    "map@10-l2": (0.08685941043083902, 0.07908163265306123, 0.04868480725623582),
    "dcg@10": (1.824354013509365, 1.5883160847166173, 1.5442527353101394),
    "dcg_burges@10": (3.753975652233371, 3.0458618658551293, 2.740232921844962),
    "ndcg": (0.40153368774230325, 0.4012958930049743, 0.37458677726932327),
    "ndcg@10-l2": (0.17966478854710016, 0.14584373511799203, 0.12731786302249323),
    "ndcg_burges@10-l3": (0.19914437661879683, 0.15307212739772436, 0.1108525628536706),
    "bpref": (0.4398484848484848, 0.48308080808080806, 0.48641414141414147),
    "bpref-l2": (0.37097505668934244, 0.4091269841269842, 0.4028061224489797),
    "rbp.9": (0.4172229234620242, 0.41530948764015785, 0.4107911571082733),
    "rbp@80-l2": (0.36430619364208283, 0.3532346763327885, 0.29292357632951943),
}
QRELS = {f"q{q}": {f"d{i}": (i * 5 + q) % 4 for i in range(q % 3, 40, 3)} for q in range(5)}
RUN = {f"q{q}": {f"d{i}": float((i * 7 + q * 3) % 6) for i in range(40 - 6 * q)} for q in range(5)}
SMALL = {"q2": {"c": 1}, "q1": {"a": 1, "b": 2}}


def three_runs():
    second = {q: {d: s - int(d[1:]) % 5 for d, s in docs.items()} for q, docs in RUN.items()}
    last = {q: {d: -s for d, s in docs.items()} for q, docs in RUN.items()}
    return [Run(RUN, name="bm_25"), Run(second), Run(last, name="last")]


@pytest.mark.parametrize("name", FIGURES)
def test_numbers_are_those_of_ranx_with_its_order_of_ties(name):
    built, comparable, dicts = FIGURES[name]
    assert evaluate(Qrels(QRELS), Run(RUN), name) == pytest.approx(built, rel=1e-12)
    again = evaluate(Qrels(QRELS), Run(RUN), name, make_comparable=True)
    assert again == pytest.approx(comparable, rel=1e-12)
    assert evaluate(QRELS, RUN, name) == pytest.approx(dicts, rel=1e-12)


def test_the_profile_of_ranx_agrees_where_nothing_is_tied():
    run = {q: {d: 100.0 - i * 37 % 101 for i, d in enumerate(docs)} for q, docs in RUN.items()}
    names = [*FIGURES, "dcg@10-l1"]
    names = [name for name in names if not re.fullmatch(r"rbp.*|n?dcg.*-l[23]", name)]
    for name in names:
        profiled = rm.evaluate(QRELS, run, name, profile="ranx")
        (mean,) = profiled.values()
        assert evaluate(Qrels(QRELS), Run(run), name) == pytest.approx(mean, rel=1e-12)


def test_what_is_returned_and_kept_in_the_run():
    qrels, run = Qrels(SMALL), Run({"q1": {"a": 0.5, "b": 0.4}, "q2": {"x": 0.4, "c": 0.1}})
    assert evaluate(qrels, run, "mrr") == evaluate(qrels, run, ["mrr"]) == 0.75
    assert evaluate(qrels, run, ["map", "mrr"]) == {"map": 0.75, "mrr": 0.75}
    by_query = evaluate(qrels, run, "mrr@5", return_mean=False, threads=1)
    assert isinstance(by_query, np.ndarray)
    assert by_query.tolist() == [1.0, 0.5]  # in the order of query ids
    assert evaluate(qrels, run, "mrr", return_std=True) == {"mean": 0.75, "std": 0.25}
    assert run.scores["mrr@5"] == {"q1": 1.0, "q2": 0.5}
    assert run.mean_scores == {"mrr": 0.75, "map": 0.75, "mrr@5": 0.75}
    assert run.std_scores == {"mrr": 0.25}
    untouched = Run({"q1": {"a": 0.5}, "q2": {}})
    assert evaluate(qrels, untouched, "recall@1", save_results_in_run=False) == 0.25
    assert not untouched.scores


def test_make_comparable_changes_the_run_and_not_the_callers_dict():
    given = {"q1": {"a": 0.5}, "q9": {"a": 0.5}}
    run = Run(given)
    assert evaluate(Qrels(SMALL), run, "mrr", make_comparable=True) == 0.5
    assert run.to_dict() == {"q1": {"a": 0.5}, "q2": {}}
    assert run.make_comparable(Qrels({"q1": {"a": 1}})) is run
    assert len(run) == 1
    assert evaluate(SMALL, given, "mrr", make_comparable=True) == 0.5
    assert given == {"q1": {"a": 0.5}, "q9": {"a": 0.5}}


def test_dicts_are_matched_by_query():
    run = {"q1": {"a": 0.5}, "q2": {"c": 1}}  # in another order than the judgments
    assert evaluate(SMALL, run, "mrr", return_mean=False).tolist() == [1.0, 1.0]


def test_queries_may_be_arrays_of_documents_in_order():
    qrels = np.array([[[2, 5], [4, 4], [5, 3], [10, 2]]])
    run = np.array([[[1, 0.5], [2, 0.5], [3, 0.5], [4, 0.5], [5, 0.5]]])
    assert evaluate(qrels, run, "ndcg@10") == pytest.approx(0.61081, abs=1e-5)
    assert evaluate([qrels[0]] * 2, [run[0], run[0][1:]], "mrr", return_mean=False).tolist() == [
        0.5,
        1.0,
    ]
    with pytest.raises(InputError, match="need Qrels"):
        evaluate([[1, 2]], run, "mrr")


def test_judgments_and_runs_are_built_step_by_step():
    qrels, run = Qrels(name="judged"), Run(name="built")
    qrels.add_score("q2", "c", True)
    qrels.add_multi(["q1"], [["a", "b"]], [[1, 2]])
    run.add("q1", ["a", "b"], [1, 3])
    run.add_score("q1", "a", 2)
    assert not run.sorted
    run.add_score("q0", "c", 0.5)
    assert (run.size, len(run), run.name) == (2, 2, "built")
    run.sort()
    assert list(run.keys()) == run.get_query_ids() == ["q0", "q1"]
    assert run["q1"] == {"b": 3.0, "a": 2.0}
    assert repr(run) == str(run.run) == "{'q0': {'c': 0.5}, 'q1': {'b': 3.0, 'a': 2.0}}"
    assert qrels.to_dict() == qrels.qrels == SMALL
    assert qrels.get_doc_ids_and_scores() == [{"b": 2, "a": 1}, {"c": 1}]
    qrels.set_relevance_level(2)
    assert qrels.to_dict() == {"q1": {"b": 1, "a": 0}, "q2": {"c": 0}}
    with pytest.raises(KeyError):
        run["q7"]


def test_labels_are_truncated_with_a_warning():
    with pytest.warns(RankmarkWarning, match="truncated"):
        qrels = Qrels({"q": {"a": 0.9, "b": 1.9}})
    assert qrels.to_dict() == {"q": {"a": 0, "b": 1}}
    labels = {"q": {"a": 0.5, "b": 1.5}}  # of dicts, they are not
    found = evaluate(labels, {"q": {"a": 2, "b": 1}}, ["ndcg", "map", "rbp.5"])
    expected = {"ndcg": 0.6309297535714574, "map": 0.5, "rbp.5": 0.375}  # of ranx
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["json", "trec", "txt", "gz", "parquet", "parq"])
def test_files_are_written_and_read(tmp_path, kind):
    path = str(tmp_path / f"file.{kind}")
    for held in (Qrels(SMALL), Run(RUN, name="x")):
        held.save(path)
        read = type(held).from_parquet if kind.startswith("parq") else type(held).from_file
        found = read(path)
        assert found.to_dict() == held.to_dict()
        if isinstance(found, Run) and kind in {"trec", "txt", "gz"}:
            assert found.name == "x"
    Run(SMALL).save(str(tmp_path / "run.custom"), kind="trec")
    assert Run.from_file(str(tmp_path / "run.custom"), kind="trec", name="y").name == "y"
    text = (tmp_path / "run.custom").read_text()
    assert text == "q1 Q0 b 1 2.0 None\nq1 Q0 a 2 1.0 None\nq2 Q0 c 1 1.0 None"


@pytest.mark.parametrize("kind", ["json", "trec", "gz", "parquet"])
def test_a_file_that_cannot_be_written_is_left_as_it_was(tmp_path, kind, monkeypatch):
    path = tmp_path / f"file.{kind}"
    path.write_bytes(b"before")
    run = Run(RUN)
    monkeypatch.setattr(run, "_in_order", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.save(str(path))
    assert path.read_bytes() == b"before"
    assert [*tmp_path.iterdir()] == [path]


def test_public_files_of_ranx_are_read(shared_data):
    folder = shared_data / "ranx"
    run = {"q1": {"d3": 0.3, "d2": 0.2, "d1": 0.1}, "q2": {"d2": 0.2, "d1": 0.1}}
    for kind in ("json", "trec", "trec.gz"):
        assert Run.from_file(str(folder / f"run.{kind}")).to_dict() == run
        assert Qrels.from_file(str(folder / f"qrels.{kind}"))["q1"] == {"d1": 1, "d2": 2, "d3": 3}
    assert Run.from_parquet(str(folder / "run.parquet"), name="test").to_dict() == run


def test_data_frames_are_read_and_given():
    rows = {"q_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "score": [5, 3, 6]}
    frame = pd.DataFrame(rows)
    qrels = Qrels.from_df(frame.rename(columns={"q_id": "query"}), q_id_col="query")
    assert qrels.to_dict() == {"q1": {"a": 5, "b": 3}, "q2": {"a": 6}}
    assert qrels.to_dataframe().to_dict("list") == rows
    run = Run.from_df(frame.assign(score=[0.5, 0.3, 0.6]), name="mine")
    assert (run.name, run["q1"]) == ("mine", {"a": 0.5, "b": 0.3})
    for wrong in (frame, frame.assign(score=0.5, q_id=[1, 1, 2])):
        with pytest.raises(AssertionError, match="need"):
            Run.from_df(wrong)


def test_a_comparison_has_the_numbers_of_ranx():
    runs = three_runs()
    compared = compare(Qrels(QRELS), runs, ["map@20", "ndcg@10", "mrr"], max_p=0.3)
    assert isinstance(compared, rm.Comparison)
    found = {(one.measure, one.run, one.baseline): one for one in compared.differences}
    assert len(found) == 9
    last = found["mrr", "last", "run_2"]
    assert (last.p, last.significant) == (pytest.approx(0.2917021538496807), True)
    assert not found["map@20", "run_2", "bm_25"].significant
    assert (found["mrr", "last", "bm_25"].wins, found["mrr", "last", "bm_25"].losses) == (2, 1)
    assert round(runs[0].mean_scores["map@20"], 4) == 0.1855
    assert "not corrected; level 0.3" in str(compared)
    single = compare(Qrels(QRELS), runs[:2], "rbp.95-l2", stat_test="fisher", n_permutations=99)
    (one,) = single.differences
    assert 0 < one.p <= 1
    assert one.measure == "rbp.95-l2"


def test_calls_of_pylate_ragflow_and_redis_retrieval_optimizer():
    judged = {"query1": {"1": True, "2": True}, "query2": {"3": True, "4": True}}
    matches = {"query1": {"1": 0.9, "2": 0.8}, "query2": {"3": 0.7, "4": 0.6}}
    scores = evaluate(
        qrels=Qrels(qrels=judged),
        run=Run(run=matches),
        metrics=["ndcg@10", *(f"hits@{k}" for k in (1, 2, 10))],
        make_comparable=True,
    )
    assert scores == {"ndcg@10": 1.0, "hits@1": 1.0, "hits@2": 2.0, "hits@10": 2.0}
    # RAGFlow: queries are texts, one by one as dicts and all together.
    judged = {"what is a rank?": {"c1": 1, "c2": 0}, "and a tie?": {"c3": 1}}
    found = {"what is a rank?": {"c2": 0.9, "c1": 0.4}, "and a tie?": {"c3": 0.4}}
    for query in judged:
        single = evaluate({query: judged[query]}, {query: found[query]}, "ndcg@10")
        assert single == pytest.approx(1 / np.log2(3) if "rank" in query else 1.0)
    together = evaluate(Qrels(judged), Run(found), ["ndcg@10", "map@5", "mrr@10"])
    assert together["mrr@10"] == 0.75
    # redis-retrieval-optimizer: a document that no query has stands for an empty answer.
    qrels = Qrels({"a": {"k": np.int64(1)}, "b": {"no_match": np.int64(1)}})
    run = Run({"a": {"other": 1}, "b": {"no_match": 1}})
    assert evaluate(qrels, run, "f1", make_comparable=True) == 0.5
    assert {m: evaluate(qrels, run, metrics=[m]) for m in ("ndcg", "recall")} == {
        "ndcg": 0.5,
        "recall": 0.5,
    }


@pytest.mark.parametrize("name", ["foo", "NDCG", "map@x", "ndcg-l2@5", "rbp", "map.5", "rbp.0"])
def test_unknown_metrics_are_refused(name):
    with pytest.raises(MeasureError, match=r"supported|persistence"):
        evaluate(Qrels(SMALL), Run(SMALL), name)


def test_misuse_is_refused_as_in_ranx():
    qrels = Qrels(SMALL)
    with pytest.raises(AssertionError, match="make_comparable=True"):
        evaluate(qrels, Run({"q1": {"a": 1}}), "map")
    with pytest.raises(AssertionError, match="negative cutoff"):
        evaluate(qrels, Run(SMALL), "map@-1")
    with pytest.raises(AssertionError, match="give names"):
        evaluate(qrels, Run(SMALL), [3])
    with pytest.raises(NotImplementedError, match="no test 'tukey'; choose student or fisher"):
        compare(qrels, [Run(SMALL)], "map", stat_test="tukey")
    with pytest.raises(AssertionError, match="kind of file"):
        Qrels.from_file("qrels.csv")
    with pytest.raises(TypeError, match="need strings"):
        Run({"q": {1: 0.5}})
    with pytest.raises(TypeError):
        Qrels({"q": {"a": None}})
    with pytest.raises(MeasureError, match="negative gains"):
        evaluate({"q": {"a": -1}}, {"q": {"a": 1}}, "ndcg-l-1")
    with pytest.raises(InputError, match=r"'x'.*name of its own"):
        compare(qrels, [Run(SMALL, name="x"), Run(SMALL, name="x")], "map")
    with pytest.raises(InputError, match="query 'q1' has 5; need"):
        evaluate(SMALL, {"q2": {}, "q1": 5}, "map")
    with pytest.raises(InputError, match=r"query 'q', document 'a'"):
        evaluate(Qrels({"q": {"a": 1}}), Run({"q": {"a": None}}), "map")
    with pytest.raises(InputError, match="run is 5"):
        evaluate(qrels, 5, "map")


@pytest.mark.parametrize("name", ["normalize", "optimize_fusion", "plot"])
def test_what_is_missing_says_so(name):
    with pytest.raises(ImportError, match=f"has no {name}; "):
        getattr(ranx, name)
    with pytest.raises(AttributeError):
        ranx.nothing  # noqa: B018


def test_equal_fused_scores_are_sorted_from_the_order_of_the_runs():
    """Recorded from ranx 0.3.21, whose sort of more than 15 documents is unstable."""
    one = {"q": {f"a{number:02d}": float(number % 3) for number in range(12)}}
    other = {"q": {f"b{number:02d}": float(number % 2) for number in range(9)}}
    fused = ranx.fuse([ranx.Run(one), ranx.Run(other)], norm=None, method="sum")
    assert " ".join(fused["q"]) == (
        "a02 a05 a08 a11 b05 b03 b01 a10 a07 a04 a01 b07 b06 b04 b02 b00 a06 b08 a03 a00 a09"
    )
