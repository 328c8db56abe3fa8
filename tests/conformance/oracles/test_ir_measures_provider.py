"""Computed by rankmark's provider, every measure of ir_measures has the number it has without."""

from collections.abc import Iterator
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, ERR, RR, Accuracy, P, nDCG

from conformance.agreement import agrees
from conformance.diverse_cases import Diverse, diverse_collections
from conformance.oracles.voices import (
    IR_MEASURES,
    bearable_collections,
    bearable_long_collections,
    ir_measure,
    ir_measures_says,
    whole,
)
from generators.effort import examples
from generators.random_collections import Collection
from rankmark.compat import ir_measures as face
from rankmark.compat.ir_measures import RankmarkProvider, install, uninstall
from rankmark.compat.ir_measures.provider import meaning_of

OURS = RankmarkProvider()
NAMES = (
    "P@3", "P(rel=2)@10", "P(judged_only=True)@3", "R@2", "R(rel=2)@1000", "R(judged_only=True)@2",
    "Success@1", "Success(rel=2, judged_only=True)@3", "Rprec", "Rprec(rel=2)", "RR", "RR(rel=2)",
    "RR(judged_only=True)", "RR@1", "RR(rel=2)@5", "AP", "AP@3", "AP(rel=2, judged_only=True)@5",
    "nDCG", "nDCG@3", "nDCG(judged_only=True)@5", "nDCG(gains={1: 3, 2: 1})@3",
    "nDCG(gains={0: 1})", "Bpref", "Bpref(rel=2)", "infAP", "infAP(rel=2)", "NumQ", "NumRel",
    "NumRet", "NumRet(rel=2)", "SetP", "SetP(relative=True)", "SetP(judged_only=True)",
    "SetR(rel=2)", "SetF", "SetF(beta=4.)", "SetF(beta=0.25, rel=2)", "SetAP", "SetAP(rel=2)",
    "IPrec@0.1", "IPrec(rel=2)@0.5", "IPrec@0.333", "Judged", "Judged@3",
)  # fmt: skip
USER_MODELS = (
    "RBP(rel=1)", "RBP(rel=2, p=.95)", "INST(max_rel=4)", "INST(max_rel=2, min_rel=1, T=2.5)",
    "INSQ(max_rel=3)", "SDCG(max_rel=1)@10", "SDCG(max_rel=4, min_rel=1)@3", "BPM(max_rel=2)@3",
    "NERR8(max_rel=1)@10", "NERR9(max_rel=4)@10", "NERR10(max_rel=3, p=.5)",
    "NERR11(max_rel=4, T=3.)",
)  # fmt: skip
DIVERSE = (
    "ERR_IA@3", "nERR_IA(rel=2)@5", "alpha_DCG@5", "alpha_nDCG@3", "alpha_nDCG(alpha=.25)@20",
    "NRBP", "nNRBP", "NRBP(alpha=.25, beta=.75)", "AP_IA", "AP_IA(rel=2)", "P_IA@3", "StRecall@5",
)  # fmt: skip


def assert_same(collection: Collection, names: tuple[str, ...]) -> None:
    measures = [ir_measure(name) for name in names]
    assert all(OURS.supports(measure) for measure in measures)
    wanted = ir_measures_says(*collection, measures)
    found: dict[str, dict[str, float]] = {str(measure): {} for measure in measures}
    for metric in OURS.iter_calc(measures, whole(collection.qrels), dict(collection.run)):
        found[str(metric.measure)][metric.query_id] = metric.value
    for name, values in wanted.items():
        here = meaning_of(ir_measure(name)).measure
        agrees("ir_measures", here, found[name], values, rel=1e-9, abs=1e-9)


@examples(40)
@given(collection=bearable_collections())
def test_every_measure_has_the_number_that_it_has_without(collection: Collection) -> None:
    assert_same(collection, NAMES)


@examples(15)
@given(collection=bearable_collections())
def test_every_user_model_has_the_number_that_it_has_without(collection: Collection) -> None:
    pytest.importorskip("cwl")
    assert_same(collection, USER_MODELS)


@examples(3)
@given(collection=bearable_long_collections())
def test_long_rankings_have_the_numbers_that_they_have_without(collection: Collection) -> None:
    assert_same(collection, (*NAMES, *USER_MODELS))


@examples(25)
@given(collection=diverse_collections())
def test_every_measure_of_diversity_has_the_number_that_it_has_without(
    collection: Diverse,
) -> None:
    pytest.importorskip("pyndeval")
    qrels = [
        ir_measures.Qrel(query, doc, int(label), subtopic)
        for query, of in collection.qrels.items()
        for subtopic, labels in of.items()
        for doc, label in labels.items()
    ]
    run = [
        ir_measures.ScoredDoc(query, doc, score)
        for query, scores in collection.run.items()
        for doc, score in scores.items()
    ]
    for name in DIVERSE:  # together, all but the first alpha give 0: see the ledger
        measure = ir_measure(name)
        wanted = {m.query_id: m.value for m in IR_MEASURES.iter_calc([measure], qrels, run)}
        found = {m.query_id: m.value for m in OURS.iter_calc([measure], iter(qrels), iter(run))}
        wanted = {query: 0.0 if value != value else value for query, value in wanted.items()}  # noqa: PLR0124
        agrees("ir_measures", meaning_of(measure).measure, found, wanted, rel=1e-9, abs=1e-9)


@examples(15)
@given(
    labels=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1),
    ranking=st.lists(st.sampled_from("abcdefghxyz"), unique=True, min_size=1),
    p=st.sampled_from([0.5, 0.95]),
)
def test_compatibility_ends_where_the_longer_list_does(
    labels: dict[str, int], ranking: list[str], p: float
) -> None:
    # Distinct scores above 0: among equal ones, and below 0, its ideal is not the nearest.
    scores = {doc: 1.0 / place for place, doc in enumerate(ranking, 1)}
    assert_same(Collection({"q": labels, "r": labels}, {"q": scores}), (f"Compat(p={p})",))


QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"a": 0}}
RUN = {"2": {"b": 1.0, "a": 1.0}, "1": {"a": 3.0, "x": 2.5, "c": 2.0}, "unjudged": {"a": 1.0}}
ROWS = [ir_measures.ScoredDoc(q, d, score) for q, of in RUN.items() for d, score in of.items()]
JUDGED = [ir_measures.Qrel(q, d, label) for q, of in QRELS.items() for d, label in of.items()]
MEASURES = [AP, RR @ 5, nDCG @ 2, P(rel=2) @ 1]
WANTED = IR_MEASURES.calc_aggregate(MEASURES, QRELS, RUN)


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Give frames as PyTerrier has them, with more columns than are needed."""
    run = pd.DataFrame(ROWS).assign(docid=range(len(ROWS)), rank=0, query="terms", label=9)
    return pd.DataFrame(JUDGED).assign(docid=7, text="some"), run


@pytest.fixture
def installed() -> Iterator[None]:
    with install():
        yield


@pytest.mark.parametrize("form", ["dicts", "rows", "generators", "frames"])
def test_every_form_gives_the_same_numbers(form: str) -> None:
    qrels: Any
    run: Any
    qrels, run = {
        "dicts": (QRELS, RUN),
        "rows": (JUDGED, ROWS),
        "generators": (iter(JUDGED), iter(ROWS)),
        "frames": frames(),
    }[form]
    assert face.calc_aggregate(MEASURES, qrels, run) == WANTED


def test_an_evaluator_takes_any_number_of_runs() -> None:
    evaluator = face.evaluator(MEASURES, iter(JUDGED))
    assert type(evaluator).__name__ == "RankmarkEvaluator"
    empty = pd.DataFrame({"query_id": [], "doc_id": [], "score": []})
    assert evaluator.calc_aggregate(iter(ROWS)) == WANTED
    for run in (RUN, ROWS, frames()[1]):
        assert evaluator.calc_aggregate(run) == WANTED
        assert evaluator.calc(run).aggregated == WANTED
    for nothing in (empty, {}, iter([]), {"unjudged": {"a": 1.0}}, {"1": {}}):
        assert set(evaluator.calc_aggregate(nothing).values()) == {0.0}


def test_queries_come_in_the_order_of_the_run_and_missing_ones_last() -> None:
    metrics = list(face.iter_calc([RR], QRELS, RUN))
    assert [(m.query_id, m.value) for m in metrics] == [("2", 0.5), ("1", 1.0), ("3", 0.0)]


def test_no_judgments_have_no_mean() -> None:
    assert str(face.calc_aggregate([AP], {}, RUN)[AP]) == "nan"
    assert list(face.iter_calc([AP], [], ROWS)) == []


def test_the_last_row_of_a_document_counts() -> None:
    twice = [*ROWS, ir_measures.ScoredDoc("1", "a", -1.0)]
    assert face.calc_aggregate(MEASURES, JUDGED, pd.DataFrame(twice)) == (
        IR_MEASURES.calc_aggregate(MEASURES, JUDGED, twice)
    )


def test_ids_that_are_numbers_are_returned_as_they_came() -> None:
    qrels, run = frames()
    qrels["query_id"], run = qrels["query_id"].astype(int), run[run.query_id != "unjudged"]
    run = run.assign(query_id=run["query_id"].astype(int))
    found = {m.query_id: m.value for m in face.iter_calc([AP], qrels, run)}
    assert found == pytest.approx({2: 0.5, 1: 5 / 6, 3: 0.0})


def test_installing_changes_the_default_pipeline_until_it_is_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [provider.NAME for provider in ir_measures.DefaultPipeline.providers]
    asked: list[Any] = []
    evaluator = RankmarkProvider._evaluator
    monkeypatch.setattr(
        RankmarkProvider,
        "_evaluator",
        lambda self, measures, qrels: asked.append(measures) or evaluator(self, measures, qrels),
    )
    with install():
        install()
        now = [provider.NAME for provider in ir_measures.DefaultPipeline.providers]
        assert now == [names[0], "rankmark", *names[1:]]
        assert names[0] == "runtime"
        assert AP.calc_aggregate(QRELS, RUN) == WANTED[AP]
        assert ir_measures.calc_aggregate(MEASURES, QRELS, RUN) == WANTED
        assert len(asked) == 2
        assert "rankmark" in ir_measures.providers.registry
    uninstall()
    assert [provider.NAME for provider in ir_measures.DefaultPipeline.providers] == names
    assert "rankmark" not in ir_measures.providers.registry
    assert AP.calc_aggregate(QRELS, RUN) == WANTED[AP]
    assert len(asked) == 2


@pytest.mark.usefixtures("installed")
def test_other_measures_are_left_to_other_providers() -> None:
    own = ir_measures.define_byquery(lambda _, run: float(len(run)), name="Length")
    qrels, run = frames()
    found = ir_measures.calc_aggregate([own, AP, Accuracy], qrels, run)
    assert found == {own: 1.5, AP: WANTED[AP], Accuracy: found[Accuracy]}
    assert found[Accuracy] > 0
    unknown = ("Accuracy", "Compat(normalize=False)", "RBP", "RBP(rel=1)@3", "P(rel=1)@0")
    assert [name for name in unknown if OURS.supports(ir_measure(name))] == []
    with pytest.raises(AssertionError, match="cutoff"):
        OURS.supports(P)
    needed = ir_measures.define(lambda *_: [], name="Own", run_inputs=["query_id", "text"])
    assert set(ir_measures.run_inputs([AP])) == {"query_id", "doc_id", "score"}
    assert set(ir_measures.run_inputs([needed, AP])) == {"query_id", "doc_id", "score", "text"}


def test_what_stops_ir_measures_is_computed() -> None:
    ids = {"PLAIN-1": {"a": 1}}, {"PLAIN-1": {"a": 1.0}}  # gdeval takes numbers only
    assert face.calc_aggregate([ERR @ 5], *ids)[ERR @ 5] == 1 / 16
    asked = [ir_measures.alpha_nDCG(alpha=alpha) @ 3 for alpha in (0.5, 0.9)]
    qrels = [ir_measures.Qrel("q", doc, 1, topic) for doc, topic in ("a1", "b1", "c2")]
    ranked = [ir_measures.ScoredDoc("q", doc, -place) for place, doc in enumerate("abc")]
    assert min(face.calc_aggregate(asked, qrels, ranked).values()) > 0.9
    two = ir_measures.NumRel(rel=2)
    assert face.calc_aggregate([two], QRELS, RUN) == {two: 1}
    nothing = {"1": {}}, {"1": {"a": 1.0}}
    assert face.calc_aggregate([AP], *nothing) == {AP: 0.0}


def test_all_names_of_ir_measures_are_there_and_its_functions_are_ours() -> None:
    found: dict[str, Any] = {}
    exec("from rankmark.compat.ir_measures import *", found)
    assert set(ir_measures.__all__) <= set(found)
    assert found["calc_aggregate"] == face.calc_aggregate != ir_measures.calc_aggregate
    assert face.parse_trec_measure("ndcg_cut_10") == [nDCG @ 10]
    assert {"AP", "install", "lazylibs"} <= set(dir(face))
    assert not hasattr(face, "MAPP")


IN_ORDER = (
    "NumQ", "NumRet", "NumRel", "NumRet(rel=1)", "AP", "Rprec", "Bpref", "RR", "IPrec@0.1", "P@5",
    "P@10", "R@5", "R@1000", "infAP", "nDCG", "nDCG@5", "nDCG@10", "AP@5", "AP@100", "Success@1",
    "SetP", "SetP(relative=True)", "SetR", "SetAP", "SetF",
)  # fmt: skip


def test_results_have_the_order_that_ir_measures_gives_them_whatever_the_hash_seed() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    measures = [ir_measure(name) for name in (*IN_ORDER[::2], *IN_ORDER[1::2])]
    without = [str(metric.measure) for metric in ir_measures.iter_calc(measures, qrels, run)]
    assert without == [*IN_ORDER]
    with install():
        found = [str(metric.measure) for metric in ir_measures.iter_calc(measures, qrels, run)]
        means = ir_measures.calc_aggregate(measures, qrels, run)
    assert found == without
    assert [*map(str, means)] == without


def test_means_have_the_order_of_the_measures_that_were_requested() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    measures = [ir_measure(name) for name in reversed(IN_ORDER)]
    assert [*face.calc_aggregate(iter(measures), qrels, run)] == measures
    assert [*OURS.calc_aggregate(measures, qrels, run)] == measures
