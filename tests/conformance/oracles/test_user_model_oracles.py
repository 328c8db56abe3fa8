"""We agree with the tools that have user models: cwl_eval, gdeval, pyNTCIREVAL, trec_eval."""

import importlib.util
import itertools
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees, count
from conformance.oracles.trec_eval_names import printed
from conformance.oracles.voices import bearable_collections, ir_measure, ir_measures_says
from generators.effort import examples
from generators.random_collections import Collection, long_collections

cwl_eval = pytest.mark.skipif(
    importlib.util.find_spec("cwl") is None, reason="cwl_eval is not installed"
)
gdeval = pytest.mark.skipif(
    shutil.which("perl") is None, reason="gdeval is a Perl script, and Perl is not installed"
)
ntcireval = pytest.mark.skipif(
    importlib.util.find_spec("pyNTCIREVAL") is None, reason="pyNTCIREVAL is not installed"
)

NAMES_OF_CWL = {
    "RBP(rel=1)": 'RBP(p=0.8, norm="k")@1000',
    "RBP(rel=2, p=.95)": 'RBP(rel=2, p=0.95, norm="k")@1000',
    **{
        name: name
        for name in (
            "INST(max_rel=4)",
            "INST(max_rel=4, min_rel=1, T=2.5)",
            "INSQ(max_rel=4)",
            "INSQ(max_rel=4, T=2.5)",
            "SDCG(max_rel=4)@1",
            "SDCG(max_rel=4, min_rel=1)@10",
            "BPM(max_rel=4)@3",
            "BPM(max_rel=4, T=1.5)@10",
            "NERR8(max_rel=4)@10",
            "NERR9(max_rel=4)@10",
            "NERR10(max_rel=4, p=.5)",
            "NERR11(max_rel=4, T=3.)",
        )
    },
}


def assert_cwl_eval_agrees(collection: Collection) -> None:
    """Compare every answered query; cwl_eval leaves tied documents as they come: none tie here."""
    theirs = {name: ir_measure(name) for name in NAMES_OF_CWL}
    said = ir_measures_says(*collection, theirs.values())
    ev = rm.evaluate(*collection, list(NAMES_OF_CWL.values()))
    for name, ours in NAMES_OF_CWL.items():
        wanted = said[str(theirs[name])]
        agrees("cwl_eval", ours, ev.per_query(ours), wanted, rel=1e-9, abs=1e-12)


def without_ties(collection: Collection) -> Collection:
    """Give each document of a run a score of its own."""
    run = {
        query_id: {doc_id: float(-place) for place, doc_id in enumerate(scores)}
        for query_id, scores in collection.run.items()
    }
    return Collection(collection.qrels, run)


@cwl_eval
@given(collection=bearable_collections().map(without_ties))
def test_user_models_agree_with_cwl_eval(collection: Collection) -> None:
    assert_cwl_eval_agrees(collection)


@cwl_eval
@examples(10)
@given(collection=long_collections(labels=(-1.0, 0.0, 1.0, 2.0, 3.0, 4.0)).map(without_ties))
def test_user_models_of_long_rankings_agree_with_cwl_eval(collection: Collection) -> None:
    assert_cwl_eval_agrees(collection)


@cwl_eval
@examples(10)
@given(
    labels=st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=12),
    missed=st.lists(st.sampled_from([0.0, 1.0]), max_size=2),
)
def test_models_of_time_and_text_agree_with_cwl_eval(
    labels: list[float], missed: list[float]
) -> None:
    from cwl.ruler.measures.cwl_tbg import TBGCWLMetric
    from cwl.ruler.measures.cwl_umeasure import UMeasureCWLMetric
    from cwl.ruler.ranking import Ranking

    for name, theirs, cost in (
        ("TBG-H@22", TBGCWLMetric(22), 1.0),
        ("TBG(halflife=224, cost=30, max_rel=1)", TBGCWLMetric(224), 30.0),
        ("U-L@10", UMeasureCWLMetric(10), 1.0),
        ("U(L=50, cost=7.5, max_rel=1)", UMeasureCWLMetric(50), 7.5),
    ):
        costs = [cost] * len(labels)
        said = theirs.measure(Ranking("q", labels, costs, max_cost=cost, min_cost=cost))
        found = rm.measure(name)(labels, missed=missed)
        agrees("cwl_eval", name, found, said, rel=1e-9, abs=1e-12)


COSTS = {0.0: 2.0, 0.25: 5.0, 1.0: 7.5}


@cwl_eval
@examples(10)
@given(labels=st.lists(st.sampled_from([None, 0.0, 0.25, 1.0]), min_size=1, max_size=12))
def test_totals_and_costs_agree_with_cwl_eval(labels: list[float | None]) -> None:
    from cwl.ruler.cwl_ruler import INSQCWLMetric, INSTCWLMetric, NDCGCWLMetric, TBGCWLMetric
    from cwl.ruler.measures.cwl_nerr import NERReq9CWLMetric
    from cwl.ruler.ranking import Ranking

    gains = [math.nan if label is None else label for label in labels]
    costs = [1.0 if label is None else COSTS[label] for label in labels]
    for ours, theirs in (
        (rm.SDCG(max_rel=1, k=10), NDCGCWLMetric(10)),
        (rm.NERR9(max_rel=1, k=10), NERReq9CWLMetric(10)),
        (rm.INSQ(max_rel=1), INSQCWLMetric(1)),
        (rm.INST(max_rel=1, T=2), INSTCWLMetric(2)),
        (rm.TBG(max_rel=1, halflife=22), TBGCWLMetric(22)),
    ):
        has_time = ours.name == "TBG"  # where costs are the time, which is the same for all here
        asked = Ranking("q", gains, [1.0] * len(costs) if has_time else costs)
        asked.total_qrel_gain = sum(gain for gain in gains if not math.isnan(gain))
        theirs.measure(asked)
        said = dict(zip(("EU", "ETU", "EC", "ETC", "ED"), theirs.get_scores(), strict=True))
        for value, wanted in said.items():
            priced = ours(value=value) if has_time else ours(value=value, cost=COSTS)
            # The few users who would go on after rank 1000 are in no total of cwl_eval.
            close = 0.01 if ours.name in {"INSQ", "INST"} and value in {"ETU", "ETC"} else 1e-9
            assert priced(labels) == pytest.approx(wanted, rel=close, abs=1e-12), priced


def test_costs_of_labels_are_averaged_over_ties() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    costs = {0: 4.0, 1: 2.0}
    measure = rm.SDCG(value="EC", cost=costs, k=2)
    orders = [measure(list(order)) for order in itertools.permutations([1, 0, None])]
    found = {
        ties: rm.evaluate(qrels, run, measure, ties=ties)[measure]
        for ties in ("mean", "best", "worst")
    }
    assert found == pytest.approx(
        {"mean": sum(orders) / 6, "best": min(orders), "worst": max(orders)}
    )
    assert rm.evaluate({"q": {"c": 0}}, run, measure, no_relevant="one")[measure] > 1
    assert rm.INSQ(value="ED")([0]) == rm.INSQ(value="ED")([1]) > 1
    assert "unknown" in rm.INST(value="ED").explain([1]).formula
    assert rm.INST(value="ETU").explain([1, 0, 1]).value == rm.INST(value="ETU")([1, 0, 1])


@gdeval
@examples(8)
@given(
    qrels=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-2, 4), min_size=1),
    ranking=st.lists(st.sampled_from("abcdefghxyz"), unique=True, min_size=1),
)
def test_expected_reciprocal_rank_agrees_with_gdeval(
    qrels: dict[str, int], ranking: list[str]
) -> None:
    # It takes whole numbers for queries, prints five decimals, and nothing where nothing is found.
    run = {"1": {doc_id: -float(place) for place, doc_id in enumerate(ranking)}}
    for k in (1, 5, 20):
        said = ir_measures_says({"1": qrels}, run, [ir_measure(f"ERR@{k}")])[f"ERR@{k}"]
        found = rm.evaluate({"1": qrels}, run, f"ERR@{k}")[f"ERR@{k}"]
        agrees("gdeval", "ERR", found, said.get("1", 0.0), abs=0.51e-5)


def ntcireval_says(name: str, ranking: list[Any], missed: list[int], *arguments: Any) -> float:
    """Ask pyNTCIREVAL, whose labels are levels 0 to 3, worth 0 to 3."""
    from pyNTCIREVAL import metrics

    judged = [label for label in [*ranking, *missed] if label is not None]
    of_level = [judged.count(level) for level in range(4)]
    asked = getattr(metrics, name)(of_level, [1, 2, 3], *arguments)
    return float(asked.compute(list(enumerate(ranking))))


@ntcireval
@given(
    ranking=st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=12),
    missed=st.lists(st.sampled_from([0, 1, 2, 3]), max_size=5),
    k=st.integers(1, 14),
)
def test_measures_of_ntcir_agree_with_pyntcireval(
    ranking: list[Any], missed: list[int], k: int
) -> None:
    if not any([*ranking, *missed]):
        return  # it divides by zero
    for ours, name, arguments in (
        (rm.Q, "QMeasure", (1.0,)),
        (rm.Q(norm="min", k=k), "QMeasure", (1.0, k)),
        (rm.Q(norm="min", beta=2, k=k), "QMeasure", (2.0, k)),
        (rm.OMeasure, "OMeasure", (1.0,)),
        (rm.PMeasure(beta=2), "PMeasure", (2.0,)),
        (rm.PPlus, "PPlusMeasure", (1.0,)),
        (rm.NCU, "NCUguBR", ([1, 2, 3], 1.0)),
        (rm.measure("NCUguP"), "NCUguP", ([1, 2, 3],)),
        (rm.NCU(stop="rank", beta=0.5, gamma=0.9), "NCUrbBR", (0.9, 0.5)),
        (rm.measure("NCUrbP"), "NCUrbP", (0.95,)),
        (rm.ERR(gain="linear", max_rel=3), "ERR", ()),
        (rm.nERR(gain="linear", max_rel=3, k=k), "nERR", (k,)),
        (rm.RBP(p=0.95, max_rel=3), "RBP", (0.95,)),
        (rm.measure("MSnDCG") @ k, "MSnDCG", (k,)),
        (rm.nDCG(discount=3, k=k), "nDCG", (3, k)),
    ):
        said = ntcireval_says(name, ranking, missed, *arguments)
        found = ours(ranking, missed=missed)
        agrees("pyNTCIREVAL", ours, found, said, rel=1e-12, abs=1e-12)


OUTPUTS = (
    ("out.test.a", "qrels.test", "results.test", {}, 1),
    ("out.test.aq", "qrels.test", "results.test", {}, 4),
    ("out.test.aqc", "qrels.test", "results.trunc", {"queries": "judged"}, 4),
    ("out.test.aqcM", "qrels.test", "results.trunc", {"queries": "judged", "depth": 100}, 4),
    ("out.test.aql", "qrels.rel_level", "results.test", {}, 4),
)


@pytest.mark.parametrize(("output", "qrels", "run", "conventions", "figures"), OUTPUTS)
def test_rank_biased_precision_is_what_trec_eval_printed(
    *,
    shared_data: Path,
    output: str,
    qrels: str,
    run: str,
    conventions: dict[str, Any],
    figures: int,
) -> None:
    folder = shared_data / "trec_eval-test"
    theirs = {key[1]: value for key, value in printed(folder / output).items() if key[0] == "rbp"}
    measure = rm.RBP(max_rel="query")
    ev = rm.evaluate(folder / qrels, folder / run, measure, **{"queries": "both", **conventions})
    found = {"all": ev[measure], **ev.per_query(measure)}
    assert len(theirs) == figures
    assert {query_id: f"{found[query_id]:.4f}" for query_id in theirs} == theirs
    count("trec_eval", measure, figures)


@pytest.mark.parametrize(("output", "qrels", "run", "conventions", "figures"), OUTPUTS[1:2])
def test_the_residual_is_what_trec_eval_printed_where_something_is_unjudged(
    *,
    shared_data: Path,
    output: str,
    qrels: str,
    run: str,
    conventions: dict[str, Any],
    figures: int,
) -> None:
    folder = shared_data / "trec_eval-test"
    said = printed(folder / output)
    theirs = {key[1]: value for key, value in said.items() if key[0] == "rbp_resid"}
    ev = rm.evaluate(
        folder / qrels, folder / run, rm.RBPResidual, **{"queries": "both", **conventions}
    )
    found = {"all": ev[rm.RBPResidual], **ev.per_query(rm.RBPResidual)}
    assert len(theirs) == figures
    assert {query_id: f"{found[query_id]:.4f}" for query_id in theirs} == theirs
    count("trec_eval", rm.RBPResidual, figures)
