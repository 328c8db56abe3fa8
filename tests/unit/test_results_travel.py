"""Sources, results, measures and errors go to other processes, and come back the same."""

import copy
import gzip
import io
import multiprocessing
import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.errors import RankmarkError
from rankmark.measures import ALL
from rankmark.similarity.coefficient_names import coefficient

LABELS = np.array([[1, 0, 2, 0], [0, 1, 0, 0], [2, 2, 1, 0]])
SCORES = np.array([[0.3, 0.9, 0.7, 0.7], [0.5, 0.1, 0.2, 0.9], [0.9, 0.8, 0.8, 0.1]])
MEASURES = ["nDCG@10", "AP", "RR", "HitRate@2"]
EXAMPLE = Path(rm.__file__).parent / "example"


def nested(matrix: Any) -> dict[str, dict[str, float]]:
    return {f"q{q}": {f"d{d}": n for d, n in enumerate(row)} for q, row in enumerate(matrix)}


def frame(matrix: Any, number: str) -> dict[str, list[Any]]:
    rows = [(q, d, n) for q, held in nested(matrix.tolist()).items() for d, n in held.items()]
    return dict(
        zip(("query_id", "doc_id", number), map(list, zip(*rows, strict=True)), strict=True)
    )


FORMS: dict[str, tuple[Any, Any]] = {
    "dicts": (nested(LABELS.tolist()), nested(SCORES.tolist())),
    "lists": ({"a": ["x", "y"], "b": {"z"}}, {"a": ["y", "z"], "b": ["z"]}),
    "one query": ({"x": 1}, ["y", "x"]),
    "arrays": (LABELS, SCORES),
    "ids": (LABELS, np.argsort(-SCORES, axis=1)[:, :3]),
    "sparse": (scipy.sparse.csr_matrix(LABELS), scipy.sparse.csr_matrix(SCORES)),
    "pandas": (pd.DataFrame(frame(LABELS, "label")), pd.DataFrame(frame(SCORES, "score"))),
    "polars": (pl.DataFrame(frame(LABELS, "label")), pl.DataFrame(frame(SCORES, "score"))),
    "rank": (
        pl.DataFrame(frame(LABELS, "label")),
        pl.DataFrame({"query_id": ["q0", "q0"], "doc_id": ["d2", "d0"], "rank": [1, 2]}),
    ),
    "files": (EXAMPLE / "qrels.txt", EXAMPLE / "bm25.run"),
}


def sent(one: Any) -> Any:
    return pickle.loads(pickle.dumps(one))


def same(one: rm.Evaluation, other: rm.Evaluation) -> None:
    assert one == other
    assert hash(one) == hash(other)
    assert one.scores.tobytes() == other.scores.tobytes()
    assert not other.scores.flags.writeable
    assert str(one) == str(other)
    assert one.to_json() == other.to_json()
    assert one.audit == other.audit
    assert one.asked == other.asked


def prepared(form: str) -> tuple[rm.Qrels, rm.Run]:
    qrels, run = FORMS[form]
    return rm.Qrels(qrels), rm.Run(run, contents="ids") if form == "ids" else rm.Run(run)


@pytest.mark.parametrize("form", FORMS)
def test_prepared_sources_travel(form: str) -> None:
    qrels, run = prepared(form)
    ev = rm.evaluate(qrels, run, MEASURES)
    same(ev, rm.evaluate(sent(qrels), sent(run), MEASURES))
    same(ev, rm.evaluate(sent(sent(qrels)), sent(sent(run)), MEASURES))
    assert repr(sent(qrels)) == repr(qrels)
    assert repr(sent(run)) == repr(run)
    assert rm.check(sent(qrels), sent(run)).to_dict() == rm.check(qrels, run).to_dict()


@pytest.mark.parametrize("form", FORMS)
def test_evaluations_travel_and_still_explain_themselves(form: str) -> None:
    qrels, run = prepared(form)
    for ev in (rm.evaluate(qrels, run, MEASURES), rm.evaluate(qrels, run, "AP", depth=2)):
        came = sent(ev)
        same(ev, came)
        query = ev.queries[0]
        assert str(came.explain(query)) == str(ev.explain(query))
        assert (came.bounds, came.tie_interval) == (ev.bounds, ev.tie_interval)
        assert copy.copy(ev) == copy.deepcopy(ev) == ev


def test_judgments_by_subtopic_and_by_group_travel(tmp_path: Path) -> None:
    by_subtopic = {"q": {"red": {"a": 1, "b": 1}, "blue": {"a": 1, "c": 0}}}
    qrels = rm.Qrels(by_subtopic, subtopics=True)
    run = {"q": {"a": 1.0, "c": 0.9, "b": 0.8}}
    asked = ["alpha_nDCG@3", "StRecall@1", "AP"]
    same(rm.evaluate(qrels, run, asked), rm.evaluate(sent(qrels), run, asked))
    by_subtopic["q"]["red"]["c"] = 1
    same(rm.evaluate(qrels, run, asked), rm.evaluate(sent(qrels), run, asked))
    path = tmp_path / "prefs.txt"
    path.write_text("q j1 s a 2\nq j1 s b 1\nq j2 s c 1\nq j2 s a 0\n")
    groups = rm.Qrels(path, format="prefs")
    ev = rm.evaluate(groups, run, "Prefs")
    same(ev, rm.evaluate(sent(groups), run, "Prefs"))
    same(ev, sent(ev))


def test_a_stream_travels_as_its_bytes() -> None:
    text = b"q Q0 a 1 0.5 t\nq Q0 b 2 0.4 t\n"
    run = rm.Run(io.BytesIO(text))
    same(rm.evaluate({"q": {"b": 1}}, run, "RR"), rm.evaluate({"q": {"b": 1}}, sent(run), "RR"))


def test_large_data_stays_where_it_is() -> None:
    dice = np.random.default_rng(0)
    labels, scores = (dice.random((100, 200)) < 0.01).astype(float), dice.random((100, 200))
    ev = rm.evaluate(labels, scores, ["nDCG@10"])
    size = len(pickle.dumps(ev))
    assert size < labels.nbytes / 4
    came = sent(ev)
    same(ev, came)
    with pytest.raises(rm.ChangedError, match="was not pickled with the evaluation"):
        came.explain("3")


def test_all_measures_travel() -> None:
    for one in (*ALL, rm.nDCG @ 10, rm.AP(rel=2) @ 5, rm.nDCG(gain={0: 0, 1: 1, 2: 5})):
        for other in (sent(one), copy.copy(one), copy.deepcopy(one)):
            assert other == one
            assert hash(other) == hash(one)
            assert str(other) == str(one)


def first_label(labels: Any) -> float:
    return float(labels[0]) if len(labels) and labels[0] == labels[0] else 0.0


def test_measures_of_ones_own_travel_with_functions_of_modules() -> None:
    own = rm.Own("first label", labels=first_label) @ 3
    assert sent(own) == own
    ev = rm.evaluate(*FORMS["dicts"], [own, "AP"])
    same(ev, sent(ev))


def test_coefficients_and_comparisons_travel() -> None:
    runs = EXAMPLE / "bm25.run", EXAMPLE / "lsa.run"
    for one in ("RBO", "tau", "tauAP"):
        assert sent(coefficient(one)) == coefficient(one)
    for a, b in (runs, (FORMS["dicts"][1], FORMS["dicts"][1])):
        compared = rm.compare_rankings(a, b)
        came = sent(compared)
        assert came == compared
        assert str(came) == str(compared)
        assert came.to_json() == compared.to_json()
        assert dict(compared) == compared.means
    tuned = rm.tune_fusion(EXAMPLE / "qrels.txt", runs, step=0.5, k=60)
    assert sent(tuned).to_json() == tuned.to_json()
    assert str(sent(tuned.bounds)) == str(tuned.bounds)
    judges = [rm.Qrels(EXAMPLE / "qrels.txt")] * 2
    agreed = rm.compare_judgments(judges[0], judges[1], runs={"bm25": runs[0], "lsa": runs[1]})
    assert sent(agreed).to_json() == agreed.to_json()
    assert str(sent(agreed)) == str(agreed)


@pytest.mark.slow
def test_reports_and_explanations_travel() -> None:
    qrels, a, b = (EXAMPLE / name for name in ("qrels.txt", "bm25.run", "lsa.run"))
    report = rm.check(qrels, a, b)
    told = rm.explain(qrels, a, rm.Qrels(qrels).query_ids[0], "nDCG@10")
    differ = rm.explain(qrels, a, told.query, "nDCG@10", against=b)
    over_all = rm.explain(qrels, a, measure="nDCG@10", against=b)
    for one in (report, told, differ, over_all):
        for other in (sent(one), copy.copy(one), copy.deepcopy(one)):
            assert str(other) == str(one)
            assert other.to_dict() == one.to_dict()
    runs = {"bm25": a, "lsa": b}
    for same in (
        rm.compare(qrels, runs, "AP"),
        rm.gate(qrels, a, b, max_drop=0.1),
        rm.power(qrels, a, b),
    ):
        assert sent(same) == copy.deepcopy(same) == same
        assert hash(sent(same)) == hash(same)
    ev = rm.evaluate(qrels, a)
    assert sent(ev.audit) == ev.audit
    assert sent(ev.conventions) == ev.conventions


ERRORS: dict[str, Callable[[], Any]] = {
    "ParseError": lambda: rm.Qrels(io.BytesIO(b"q 0 a x\n")),
    "DuplicateError": lambda: rm.Qrels(io.BytesIO(b"q 0 a 1\nq 0 a 1\n")),
    "MismatchError": lambda: rm.evaluate({"a": {"x": 1}}, {"b": {"x": 1.0}}),
    "SchemaError": lambda: rm.evaluate({"a": {"x": 1}}, {"a": {"x": None}}),
    "MeasureError": lambda: rm.measure("nothing@3"),
    "NotEvaluatedError": lambda: rm.evaluate({"a": {"x": 1}}, {"a": ["x"]}, "RR")["AP"],
    "InputError": lambda: rm.Qrels("/no/such/file"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_travel_with_all_that_they_say(name: str) -> None:
    with pytest.raises(RankmarkError) as caught:
        ERRORS[name]()
    error = caught.value
    assert type(error).__name__ == name
    error.add_note("of a caller's")
    for other in (sent(error), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert other.args == error.args
        assert vars(other) == vars(error)


def test_errors_with_more_to_say_travel() -> None:
    missing = rm.MissingDependencyError("pandas", "pandas", "to_pandas")
    assert str(sent(missing)) == str(missing)
    for error in (
        rm.ParseError("it is wrong", "mend it", where="a.run", line=3),
        rm.DuplicateError("twice", "keep one", where="a.run", line=7),
    ):
        assert (sent(error).where, sent(error).line) == (error.where, error.line)
        assert str(sent(error)) == str(error)


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_evaluations_are_made_in_other_processes(method: str) -> None:
    qrels = rm.Qrels(EXAMPLE / "qrels.txt")
    runs: list[Any] = [EXAMPLE / name for name in ("bm25.run", "lsa.run", "overlap.run")]
    runs.append(rm.Run(runs[0]))
    here = [rm.evaluate(qrels, run) for run in runs]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        there = list(pool.map(rm.evaluate, [qrels] * len(runs), runs, timeout=120))
        failure = pool.submit(rm.evaluate, qrels, "/no/such/file").exception(timeout=120)
    for one, other in zip(here, there, strict=True):
        same(one, other)
    assert isinstance(failure, rm.InputError)
    assert "no such file" in str(failure)


@pytest.mark.slow
def test_many_threads_share_judgments_and_runs(tmp_path: Path) -> None:
    packed, as_json = tmp_path / "run.gz", tmp_path / "run.json"
    text = (EXAMPLE / "bm25.run").read_bytes()
    packed.write_bytes(gzip.compress(text))
    as_json.write_text('{"q": {"a": 0.5}}')
    qrels = rm.Qrels(EXAMPLE / "qrels.txt")
    expected = rm.evaluate(qrels, EXAMPLE / "bm25.run", MEASURES)
    shared = rm.Run(packed)
    asked: list[Any] = [MEASURES, "nDCG@3", ["AP(rel=2)", "Bpref"], "R@100"]
    alone = [rm.evaluate(rm.Qrels(EXAMPLE / "qrels.txt"), EXAMPLE / "bm25.run", m) for m in asked]

    def work(turn: int) -> bool:
        run = shared if turn % 2 else rm.Run(EXAMPLE / "bm25.run")
        number = turn % len(asked)
        ev = rm.evaluate(qrels, run, asked[number])
        return ev.scores.tobytes() == alone[number].scores.tobytes() and bool(str(ev))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(200)))
    assert expected.scores.tobytes() == alone[0].scores.tobytes()


def test_an_evaluation_is_a_mapping() -> None:
    ev = rm.evaluate(*FORMS["dicts"], MEASURES)
    assert isinstance(ev, Mapping)
    assert list(ev) == ev.names == ["nDCG@10", "AP", "RR", "Success@2"]
    assert len(ev) == 4
    assert dict(ev) == {**ev} == ev.means
    assert list(ev.items()) == list(dict(ev).items())
    for name in ("AP", "map", rm.AP, "HitRate@2", "Success@2"):
        assert name in ev
    for name in ("P@5", "no such measure", "", 7, None, ["AP"], rm.P @ 5):
        assert name not in ev
        assert ev.get(name, "default") == "default"  # type: ignore[call-overload]
    with pytest.raises(
        rm.MeasureError,
        match="P@5 was not evaluated; this evaluation has nDCG@10, AP, RR, Success@2",
    ):
        ev["P@5"]
    with pytest.raises(KeyError, match="there is no measure 'nonsense'"):
        ev["nonsense"]
    assert ev == dict(ev)
    assert dict(ev) == ev
    assert ev != {"AP": 1.0}
    assert ev == rm.evaluate(*FORMS["dicts"], MEASURES)
    assert ev != rm.evaluate(*FORMS["dicts"], MEASURES, depth=1)
    assert ev != rm.evaluate(*FORMS["dicts"], MEASURES[:2])
    assert {ev, rm.evaluate(*FORMS["dicts"], MEASURES)} == {ev}
    assert pd.Series(ev).to_dict() == dict(ev)
    assert str(ev).startswith("nDCG@10    ")


def test_equal_means_of_other_queries_are_no_equal_evaluations() -> None:
    judged = {"a": {"x": 1}, "b": {"x": 1}}
    one = rm.evaluate(judged, {"a": ["x"]}, "RR")
    other = rm.evaluate(judged, {"b": ["x"]}, "RR")
    assert dict(one) == dict(other)
    assert one != other
    undefined = [rm.evaluate({"a": {"x": 0}}, {"a": ["x"]}, "RR", no_relevant="nan")] * 2
    assert undefined[0] == sent(undefined[1])
    assert hash(undefined[0]) == hash(sent(undefined[1]))


def test_the_names_asked_for_are_kept() -> None:
    ev = rm.evaluate(*FORMS["dicts"], ["HitRate@2", "ndcg_cut_10", "RR", rm.P @ 1, "nDCG@1,3"])
    names = {"HitRate@2": "Success@2", "ndcg_cut_10": "nDCG@10", "RR": "RR"}
    assert ev.asked == names == ev.to_dict()["asked"]
    assert ev["HitRate@2"] == ev["Success@2"]
    assert "asked for: HitRate@2 is Success@2, ndcg_cut_10 is nDCG@10" in str(ev)
    assert "asked for" not in str(rm.evaluate(*FORMS["dicts"], ["RR", rm.P @ 1]))


def test_an_evaluation_is_no_run() -> None:
    ev = rm.evaluate(*FORMS["dicts"], MEASURES)
    with pytest.raises(rm.SchemaError, match="run is Evaluation, which contains scores"):
        rm.evaluate(FORMS["dicts"][0], ev)
