"""Under its profile, every name of a tool gives the tool's number: random collections."""

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.test_pytrec_eval import NAMES as TREC_EVAL_NAMES
from conformance.oracles.voices import (
    bearable_collections,
    bearable_long_collections,
    ir_measure,
    ir_measures_says,
    pytrec_eval_says,
    scikit_learn_says,
)
from generators.random_collections import SCORES, Collection

pytestmark = pytest.mark.filterwarnings("ignore:.*may differ from")
FEW = settings(max_examples=10)

IR_MEASURES_NAMES = (
    "P@1", "P(rel=2)@3", "R@5", "R(rel=2)@1000", "AP", "AP(rel=2)@5", "MAP@3", "RR", "RR(rel=2)",
    "RR@1", "RR@3", "RR(rel=2)@10", "MRR@5", "Rprec", "nDCG", "nDCG@3", "NDCG@10",
    "Success(rel=2)@3", "Bpref", "infAP(rel=2)", "IPrec@0.1", "IPrec(recall=0.5, rel=2)",
    "SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=4.)", "SetAP(rel=2)", "NumRet",
    "NumRet(rel=2)", "Judged@1", "Judged@10",
)  # fmt: skip
JUDGED_ONLY_NAMES = ("P(judged_only=True)@2", "nDCG(judged_only=True)@3")
CWL_NAMES = (
    "RBP(rel=1)", "RBP(rel=2, p=0.5)", "SDCG(max_rel=4)@3", "BPM(T=1.0, max_rel=4)@5",
    "INST(max_rel=4)", "INSQ(T=2.0, max_rel=4)", "NERR8(max_rel=4)@5", "NERR9(max_rel=4)@3",
    "NERR10(max_rel=4)", "NERR11(T=1.0, max_rel=4)",
)  # fmt: skip


def assert_same(
    collection: Collection,
    profile: str,
    said: dict[str, dict[str, float]],
    tolerance: float = 1e-9,
) -> None:
    """Compare every query that has a number there, and the mean of these."""
    ev = rm.evaluate(*collection, list(said), profile=profile)
    for name, expected in said.items():
        found = ev.per_query(name)
        agrees(profile, ev.asked[name], found, expected, rel=tolerance, abs=tolerance)
        total = sum if ev.measures[ev.column(name)].aggregate == "sum" else np.mean
        mean = total(list(expected.values()))
        agrees(profile, ev.asked[name], ev[name], mean, rel=tolerance, abs=tolerance)


def without_rndcg(names: Iterable[str]) -> list[str]:
    """Leave out what the profile declares as not reproduced."""
    return [name for name in names if name != "Rndcg"]


@FEW
@given(collection=bearable_collections(scores=SCORES))
def test_every_name_gives_the_number_of_pytrec_eval(collection: Collection) -> None:
    names = without_rndcg(TREC_EVAL_NAMES)
    assert_same(collection, "pytrec_eval", pytrec_eval_says(*collection, names))
    assert_same(collection, "trec_eval9", pytrec_eval_says(*collection, ["map", "ndcg_cut_5"]))


@settings(max_examples=4)
@given(collection=bearable_long_collections())
def test_long_rankings_give_the_numbers_of_pytrec_eval(collection: Collection) -> None:
    names = without_rndcg(TREC_EVAL_NAMES)
    assert_same(collection, "pytrec_eval", pytrec_eval_says(*collection, names))


@FEW
@given(collection=bearable_collections(scores=SCORES))
def test_every_name_gives_the_number_of_ir_measures(collection: Collection) -> None:
    theirs = {name: ir_measure(name) for name in IR_MEASURES_NAMES}
    if min(min(labels.values()) for labels in collection.qrels.values()) >= 0:
        theirs |= {name: ir_measure(name) for name in JUDGED_ONLY_NAMES}
    said = ir_measures_says(*collection, theirs.values())
    expected = {name: said[str(measure)] for name, measure in theirs.items()}
    assert_same(collection, "ir_measures", expected)


@FEW
@given(collection=bearable_collections(scores=(1.0, 0.0, 2.5, 7.0, 7.0 + 2**-50)))
def test_user_models_give_the_numbers_of_ir_measures(collection: Collection) -> None:
    theirs = {name: ir_measure(name) for name in CWL_NAMES}
    said = ir_measures_says(*collection, theirs.values())
    expected = {name: said[str(measure)] for name, measure in theirs.items()}
    assert_same(collection, "ir_measures", expected)


@FEW
@given(collection=bearable_collections())
def test_counts_of_ir_measures_are_of_the_queries_answered(collection: Collection) -> None:
    said = ir_measures_says(*collection, [ir_measure("NumQ"), ir_measure("NumRel")])
    ev = rm.evaluate(*collection, ["NumQ", "NumRel", "AP"], profile="ir_measures")
    for name in ("NumQ", "NumRel"):
        assert ev[name] == sum(said[name].values())
        assert list(ev.per_query(name)) == collection.both
    assert list(ev.per_query("AP")) == list(collection.qrels)


@FEW
@given(collection=bearable_collections(labels=(0.0, 1.0)))
def test_functions_give_the_numbers_of_scikit_learn(collection: Collection) -> None:
    # It takes the documents that were scored, two at least, whose labels it has.
    rows = {
        query: [(collection.qrels[query].get(doc, 0.0), score) for doc, score in scores.items()]
        for query, scores in collection.run.items()
        if query in collection.qrels and len(scores) > 1
    }
    if not rows:
        return
    qrels = {
        query: {str(at): label for at, (label, _) in enumerate(of)} for query, of in rows.items()
    }
    run = {
        query: {str(at): score for at, (_, score) in enumerate(of)} for query, of in rows.items()
    }
    names = {
        "ndcg_score": {}, "ndcg_score(k=3)": {"k": 3}, "dcg_score": {}, "dcg_score(k=2)": {"k": 2},
        "average_precision_score": {}, "label_ranking_average_precision_score": {},
        "label_ranking_loss": {}, "coverage_error": {},
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("warnings.warn", lambda *_, **__: None)  # nothing is relevant
        said = {
            name: {q: scikit_learn_says(of, name.partition("(")[0], **k) for q, of in rows.items()}
            for name, k in names.items()
        }
    assert_same(Collection(qrels, run), "sklearn", said)
