"""A name that another tool prints or takes gives its number here, or is refused."""

import math
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval

import rankmark as rm
from conformance.agreement import agrees, count
from conformance.oracles.three_queries import QRELS, RUN
from conformance.oracles.trec_eval_names import case_of, printed
from conformance.oracles.voices import ir_measure, ir_measures_says, xgboost_says
from rankmark.measures.names import measures


def ours(name: str, **conventions: Any) -> dict[str, float]:
    """Give the number of each query for a name of another tool."""
    ev = rm.evaluate(QRELS, RUN, name, **conventions)
    return ev.per_query(ev.measures[0])


@pytest.mark.parametrize("name", ["ndcg@2-", "ndcg-", "map@3-", "map-", "pre@4-", "pre-"])
def test_a_minus_finds_what_xgboost_says(name: str) -> None:
    pytest.importorskip("xgboost")
    greatest = 2 if name.startswith("ndcg") else 1
    labels = [min(label, greatest) for label in (2, 0, 1, 1, 0, 0, 0, 2, 1)]
    scores, sizes = [4.0, 3.0, 2.0, 1.0, 2.0, 1.0, 3.0, 2.0, 1.0], [4, 2, 3]
    qrels = rm.Qrels(np.array(labels, dtype=float), groups=np.array(sizes))
    ev = rm.evaluate(qrels, np.array(scores), name, ties="input")
    (mean,) = ev.values()
    agrees("XGBoost", name, mean, xgboost_says(labels, scores, sizes, name), abs=2e-6)


def test_accuracy_without_a_cutoff_is_a_share_of_pairs_in_ir_measures() -> None:
    for name in ("Accuracy", "Accuracy@3", "Accuracy(rel=2)"):
        (said,) = ir_measures_says(QRELS, RUN, [ir_measure(name)]).values()
        pairs = ours(name.replace("Accuracy", "AUC").replace("AUC(", 'AUC(norm="hits", ')
                     if "(" in name else name.replace("Accuracy", 'AUC(norm="hits")'))  # fmt: skip
        agrees("ir_measures", "AUC", {q: pairs[q] for q in said}, said)
    assert ir_measures.Accuracy.NAME == "Accuracy"
    with pytest.raises(rm.MeasureError, match="share of pairs"):
        rm.measure("Accuracy")


RANX_REFUSED = {
    "rbp.95-l2": lambda run: 2 * ours_of("RBP(p=0.95, rel=2)", run),
    "rbp.95": lambda run: 2 * ours_of("RBP(p=0.95, max_rel=2)", run),
    "hits@3": lambda run: ours_of("NumRelRet@3", run),
    "ndcg@3-l2": lambda run: ours_of("nDCG(gain={0: 0, 1: 0, 2: 2})@3", run),
    "ndcg_burges@3-l2": lambda run: ours_of("nDCG(gain={0: 0, 1: 0, 2: 3})@3", run),
}


def ours_of(name: str, run: str) -> float:
    """Give the number of one query."""
    return rm.evaluate(QRELS, RUN, name).per_query(name)[run]


@pytest.mark.parametrize("name", RANX_REFUSED)
def test_what_is_written_instead_of_a_name_of_ranx_gives_its_number(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="ranx"):
        rm.measure(name)
    ranx = pytest.importorskip("ranx")
    said = ranx.evaluate(ranx.Qrels(QRELS), ranx.Run(RUN), name, return_mean=False)
    found = [RANX_REFUSED[name](query) for query in sorted(QRELS)]
    named = {"r": "RBP", "h": "NumRelRet", "n": "nDCG"}[name[0]]
    agrees("ranx", named, found, list(said))


def test_rbp_of_ranx_is_as_the_paper_has_it_but_with_labels_for_gains() -> None:
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    theirs = 0.05 * 0.95 * 2  # by its source: (1 - p) times the sum of label times p^(i-1)
    ours = rm.evaluate(qrels, run, "RBP(p=0.95, rel=2)")["RBP(p=0.95, rel=2)"]
    assert 2 * ours == pytest.approx(theirs) == pytest.approx(0.095)
    with pytest.raises(rm.MeasureError, match="write RBP@95 for the first 95 documents"):
        rm.measure("rbp@95")
    assert math.isclose(rm.evaluate(qrels, run, "RBP@95")["RBP@95"], 0.1 * (1 + 0.9))


@pytest.mark.parametrize("file", ["out.test.meas_params", "out.test.a"])
def test_every_name_that_trec_eval_prints_finds_its_measure(shared_data: Path, file: str) -> None:
    for name, _ in printed(shared_data / "trec_eval-test" / file):
        if "=" in name:  # labels that are not named keep their value
            (case,) = [case_of(name)]
            ranked = [1, 0, None, 3, 2, 4, -1]
            assert rm.measure(name)(ranked) == case.ours(ranked)  # type: ignore[union-attr]
        elif case := case_of(name):
            assert rm.measure(name) == case.ours


REQUESTED = (
    "iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.5.0,0.2,0.35",
    "utility.2,-1,0,0", "11pt_avg..25,.5,.75", "ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23.4",
    "success.2,5,20",
)  # fmt: skip


def test_parameters_as_trec_eval_takes_them_give_what_it_prints(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    ev = rm.evaluate(folder / "qrels.test", folder / "results.test", REQUESTED)
    said = printed(folder / "out.test.meas_params")
    names = dict.fromkeys(name for name, _ in said)
    found = {name: rm.measure(name) for name in names}
    assert set(found.values()) == set(ev.measures)
    for (name, query), figure in said.items():
        value = ev[found[name]] if query == "all" else ev.per_query(found[name])[query]
        assert f"{value:.4f}" == figure, (name, query)
        count("trec_eval", found[name])


FAMILIES = ("ndcg_cut", "map_cut", "success", "relative_P", "Rprec_mult")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_name_alone_gives_all_that_trec_eval_prints_under_it(name: str) -> None:
    said = pytrec_eval.RelevanceEvaluator(QRELS, {name}).evaluate(RUN)
    ev = rm.evaluate(QRELS, RUN, name)
    for query, values in said.items():
        found = [ev.per_query(measure)[query] for measure in ev.measures]
        agrees("pytrec_eval", ev.measures[0], found, list(values.values()))


def test_precision_alone_is_over_the_whole_ranking_and_results_say_so() -> None:
    ev = rm.evaluate(QRELS, RUN, "P")
    said = pytrec_eval.RelevanceEvaluator(QRELS, {"set_P"}).evaluate(RUN)
    assert ev.per_query("P") == pytest.approx({q: values["set_P"] for q, values in said.items()})
    assert "trec_eval's P is P@5,10,15,20,30,100,200,500,1000" in str(ev)
    assert "trec_eval" not in str(rm.evaluate(QRELS, RUN, "set_P"))


def test_levels_of_recall_are_those_that_trec_eval_prints(shared_data: Path) -> None:
    names = {name for name, _ in printed(shared_data / "trec_eval-test" / "out.test.a")}
    for family in ("iprec_at_recall", "unj"):
        known = [name for name in names if name.startswith(f"{family}_")]
        assert set(measures(family)) == {rm.measure(name) for name in known}


@pytest.mark.parametrize("square", ["0.5", "4", "1"])
def test_set_f_with_a_number_finds_what_trec_eval_says(square: str) -> None:
    said = pytrec_eval.RelevanceEvaluator(QRELS, {f"set_F.{square}"}).evaluate(RUN)
    for name in (f"set_F_{square}", f"set_F.{square}"):
        agrees("pytrec_eval", "F", ours(name), {q: values["set_F"] for q, values in said.items()})


def test_weights_and_points_are_those_of_the_formulas_of_trec_eval() -> None:
    assert ours("utility_2,-1,-3,0")["q2"] == 2 * 2 - 1 * 3 - 3 * 0
    assert ours("utility_2,-1,-3,0")["q1"] == 2 * 3 - 1 * 2 - 3 * 1
    assert ours("11pt_avg_.25,.5")["q1"] == pytest.approx((1 + 2 / 3) / 2)


def test_every_name_that_cwl_eval_prints_finds_its_number() -> None:
    pytest.importorskip("cwl")
    from cwl.ruler.measures import cwl_bpm, cwl_dcg, cwl_insq, cwl_inst, cwl_nerr, cwl_rbp
    from cwl.ruler.ranking import Ranking

    gains, found = [0.5, 0.0, 1.0, 0.25], 0.0
    for theirs in (
        cwl_rbp.RBPCWLMetric(0.8),
        cwl_dcg.NDCGCWLMetric(3),
        cwl_inst.INSTCWLMetric(1.0),
        cwl_inst.INSTCWLMetric(2.5),
        cwl_insq.INSQCWLMetric(2.0),
        cwl_bpm.BPMCWLMetric(1.0, 20),
        cwl_nerr.NERReq8CWLMetric(3),
        cwl_nerr.NERReq9CWLMetric(3),
        cwl_nerr.NERReq10CWLMetric(0.9),
        cwl_nerr.NERReq11CWLMetric(2.0),
    ):
        docs = {f"d{at}": gain for at, gain in enumerate(gains)}
        ranking = Ranking("q", list(docs.values()), [1.0] * len(docs), max_n=1000)
        said = theirs.measure(ranking)
        (found,) = rm.evaluate({"q": docs}, {"q": list(docs)}, theirs.metric_name).values()
        agrees("cwl_eval", theirs.metric_name, found, getattr(said, "EU", said))
    assert found > 0


TORCHMETRICS = {
    "RetrievalMAP": "retrieval_average_precision",
    "RetrievalMRR": "retrieval_reciprocal_rank",
    "RetrievalPrecision": "retrieval_precision",
    "RetrievalRecall": "retrieval_recall",
    "RetrievalHitRate": "retrieval_hit_rate",
    "RetrievalRPrecision": "retrieval_r_precision",
}


@pytest.mark.parametrize("name", TORCHMETRICS)
def test_classes_and_functions_of_torchmetrics_are_one_measure(name: str) -> None:
    measure = rm.measure(name)
    assert measure == rm.measure(TORCHMETRICS[name])
    functional = pytest.importorskip("torchmetrics").functional.retrieval
    torch = pytest.importorskip("torch")
    labels = [0, 1, 0, 1, 1]
    scores = torch.tensor([5.0, 4.0, 3.0, 2.0, 1.0])
    said = getattr(functional, TORCHMETRICS[name])(scores, torch.tensor(labels))
    agrees("torchmetrics", measure, measure(labels), float(said))


def test_all_trec_is_what_trec_eval_prints_of_it(shared_data: Path) -> None:
    names = [name for name, _ in printed(shared_data / "trec_eval-test" / "out.test.a")]
    known = [case.ours for name in names if (case := case_of(name))]
    assert set(known) == set(measures("all_trec"))
    assert set(names) - {name for name in names if case_of(name)} == {"runid", "rbp", "rbp_resid"}


@pytest.mark.parametrize(("name", "file"), [("all_prefs", "prefs"), ("qrels_jg", "qrels_jg")])
def test_nicknames_are_what_trec_eval_prints_of_them(
    shared_data: Path, name: str, file: str
) -> None:
    names = {name for name, _ in printed(shared_data / "trec_eval-test" / f"out.test.{file}")}
    known = {one for name in names - {"runid", "num_q"} for one in measures(name)}
    assert known == set(measures(name))
