"""A name that ir_measures reads gives its number here, or is refused."""

import pytest
from hypothesis import given, settings

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.three_queries import QRELS, RUN
from conformance.oracles.voices import bearable_collections, ir_measure, ir_measures_says
from generators.random_collections import Collection
from rankmark.measures.names import measures

HERE = {
    "SetP(relative=True)": 'R(norm="min")',
    "SetP(rel=2, relative=True)": 'R(rel=2, norm="min")',
    "SetP(relative=False)": "P",
    "NumRet(rel=1)": "NumRelRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)",
    "P(cutoff=3)": "P@3",
    "AP(rel=2, judged_only=False)": "AP(rel=2)",
    "P(judged_only=True)@2": "P(judged_only=True)@2",
    "SetP(judged_only=True, relative=True)": 'R(norm="min", judged_only=True)',
    "nDCG(cutoff=2)": "nDCG@2",
    "IPrec(recall=0.5)": "IPrec(recall=0.5)",
    "IPrec@0.2": "IPrec(recall=0.2)",
    "SDCG(dcg='log2', max_rel=2)@3": "SDCG(max_rel=2)@3",
    "NERR10(p=0.8, max_rel=2)": "NERR10(max_rel=2, p=0.8)",
}
JUDGED_ONLY = (
    "P(judged_only=True)@2", "RR(judged_only=True)", "Rprec(judged_only=True)",
    "R(judged_only=True)@3", "AP(judged_only=True)", "AP(rel=2, judged_only=True)@3",
    "nDCG(judged_only=True)", "nDCG(judged_only=True)@2", "SetP(judged_only=True)",
    "SetAP(judged_only=True)", "SetF(judged_only=True)", "Success(judged_only=True)@1",
)  # fmt: skip


@pytest.mark.parametrize("name", HERE)
def test_its_parameters_find_what_it_says(name: str) -> None:
    (measure,) = measures(name)
    expected = rm.measure(HERE[name])
    assert measure == expected
    (said,) = ir_measures_says(QRELS, RUN, [ir_measure(name)]).values()
    agrees("ir_measures", measure, rm.evaluate(QRELS, RUN, name).per_query(measure), said)


@settings(max_examples=25)
@given(collection=bearable_collections(labels=(0.0, 1.0, 2.0)))
def test_measures_of_judged_documents_only_agree_in_one_evaluation(collection: Collection) -> None:
    theirs = {name: ir_measure(name) for name in (*JUDGED_ONLY, "AP", "P@2")}
    said = ir_measures_says(*collection, theirs.values())
    ev = rm.evaluate(*collection, list(theirs))
    for name, measure in theirs.items():
        agrees("ir_measures", name, ev.per_query(name), said[str(measure)], abs=1e-9)


def test_gains_keep_other_labels() -> None:
    gains = ir_measure("nDCG(gains={2: 9})")
    said = ir_measures_says(QRELS, RUN, [ir_measure("P@1"), gains])[str(gains)]
    ev = rm.evaluate(QRELS, RUN, "nDCG(gains={2: 9})")
    agrees("ir_measures", "nDCG", ev.per_query(ev.measures[0]), said)
    with pytest.raises(rm.MeasureError, match="label 1 has no gain"):
        rm.evaluate(QRELS, RUN, "nDCG(gain={2: 9})")


# What its own tests of parsing read, and P, which is precision over the whole ranking here.
PARSED = {
    "AP": "AP",
    "MAP": "AP",
    "P@10": "P@10",
    "P(rel=2)@10": "P(rel=2)@10",
    'nDCG(dcg="exp-log2")@10': 'nDCG(gain="exp2")@10',
    'nDCG(dcg="exp-log2", cutoff=20)@10': 'nDCG(gain="exp2")@10',
    'nDCG(dcg="exp-log2", cutoff=20)': 'nDCG(gain="exp2")@20',
    "IPrec(rel=2)@0.2": "IPrec(rel=2)@0.2",
    "IPrec(rel=2, recall=0.4)@0.2": "IPrec(rel=2)@0.2",
    "IPrec(rel=2, recall=0.4)": "IPrec(rel=2)@0.4",
    "P_5,10": "P@5, P@10",
    "P.5,10": "P@5, P@10",
    "ndcg_cut.5,10": "nDCG@5, nDCG@10",
    "ndcg_cut_5,10": "nDCG@5, nDCG@10",
    "ndcg_cut": "nDCG@5,10,15,20,30,100,200,500,1000",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "set_relative_P": "SetRelP",
    "set_map": "SetAP",
    "set_F.1.0,0.25,4": "F, F(beta=0.5), F(beta=2)",
}


@pytest.mark.parametrize("name", PARSED)
def test_names_of_its_tests_are_read(name: str) -> None:
    assert measures(name) == measures(PARSED[name])
