"""Names: each tool's find the measure meant, the canonical one is a fixed point, errors help."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import cases_of, stem_of
from rankmark import (
    AP,
    AUC,
    CG,
    DCG,
    RR,
    Bpref,
    F,
    G,
    IPrec,
    Judged,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rndcg,
    Rprec,
    Success,
    Unjudged,
    Utility,
    binG,
    infAP,
    nDCG,
    nDCGrel,
    yaAP,
)
from rankmark.measures import ALL
from rankmark.measures.base import suggestions
from rankmark.measures.trec_eval_names import FAMILIES

numbers = st.one_of(st.integers(-5, 50), st.floats(allow_nan=False, allow_infinity=False))
above_zero = st.floats(min_value=0, max_value=1e100, exclude_min=True)
gains = st.dictionaries(numbers, st.one_of(st.integers(0, 9), above_zero), min_size=1, max_size=5)
VALUES: dict[tuple[str, str] | str, st.SearchStrategy[Any]] = {
    "k": st.none() | st.integers(1, 10**12),
    "rel": numbers,
    "beta": st.integers(1, 9) | above_zero,
    "gain": st.sampled_from(["linear", "exp2"]) | gains,
    "discount": st.just("log2") | st.floats(min_value=1, exclude_min=True, allow_infinity=False),
    "ideal": st.sampled_from(["judged", "retrieved", "k", "uncut"]),
    "alpha": st.floats(0, 1),
    ("NRBP", "beta"): st.floats(0, 1),
    ("nNRBP", "beta"): st.floats(0, 1),
    ("alpha_DCG", "norm"): st.sampled_from(["perfect", "none"]),
    "average": st.sampled_from(["preferences", "pairs", "groups"]),
    "counted": st.sampled_from(["all", "implied", "retrieved"]),
    "nonrelevant": st.sampled_from(["all", "balanced"]),
    "of": st.sampled_from(["possible", "fulfilled"]),
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "T": st.floats(0.5, 10**6),
    "min_rel": st.integers(-5, 5),
    "max_rel": st.just("query") | st.integers(6, 50),
    ("ERR", "gain"): st.sampled_from(["exp2", "linear"]),
    ("nERR", "gain"): st.sampled_from(["exp2", "linear"]),
    ("AP", "ties"): st.sampled_from(["apart", "together"]),
    ("AUC", "ties"): st.sampled_from(["half", "wrong"]),
    ("AP", "norm"): st.sampled_from(["relevant", "min", "hits", "k"]),
    ("P", "norm"): st.sampled_from(["k", "retrieved"]),
    ("R", "norm"): st.sampled_from(["relevant", "min"]),
    ("Bpref", "norm"): st.sampled_from(["min", "relevant"]),
    ("Unjudged", "norm"): st.sampled_from(["k", "retrieved"]),
    "judged": numbers,
    "aggregate": st.sampled_from(["mean", "gmean"]),
    "precision": st.sampled_from(["rank", "set"]),
    "multiple": above_zero,
    "recall": st.floats(0, 1) | st.lists(st.floats(0, 1), min_size=1, max_size=4, unique=True),
    "rounding": st.sampled_from(["half", "tenth"]),
    "hit": numbers,
    "noise": numbers,
    "miss": numbers,
    "rest": numbers,
    "collection": st.none() | st.integers(1, 10**12),
    ("Q", "norm"): st.sampled_from(["relevant", "min"]),
    ("Q", "beta"): st.integers(0, 10**6) | st.floats(0, 10**6),
    ("RBP", "norm"): st.sampled_from(["endless", "k", "ideal"]),
    ("AUC", "norm"): st.sampled_from(["relevant", "hits"]),
    ("NCG", "norm"): st.sampled_from(["ideal", "all"]),
    "stop": st.sampled_from(["graded", "rank"]),
    "gamma": st.floats(0, 1, exclude_min=True),
    **dict.fromkeys(
        [(name, "beta") for name in ("OMeasure", "PMeasure", "PPlus", "NCU")],
        st.integers(0, 10**6) | st.floats(0, 10**6),
    ),
    "max_fpr": st.floats(0, 1, exclude_min=True),
    ("RecallAtPrecision", "precision"): st.floats(0, 1, exclude_min=True),
    "value": st.sampled_from(["EU", "ETU", "EC", "ETC", "ED"]),
    **{(name, "cost"): above_zero for name in ("TBG", "U")},
    "cost": above_zero | st.dictionaries(numbers, st.floats(0, 9), min_size=1, max_size=4),
    "halflife": above_zero,
    "L": above_zero,
    "percent": st.none() | st.floats(0, 100, exclude_min=True),
    ("WSS", "recall"): st.floats(0, 1, exclude_min=True),
    ("WSS", "rounding"): st.sampled_from(["up", "nearest"]),
    ("FallOut", "norm"): st.sampled_from(["retrieved", "judged"]),
    ("NumRelRet", "aggregate"): st.sampled_from(["sum", "mean"]),
}


def values_of(one: Measure, name: str) -> st.SearchStrategy[Any]:
    """Give values of a parameter: those listed here, or those that the reference is tried with."""
    listed = VALUES.get((one.name, name), VALUES.get(name))
    if listed is not None:
        return listed
    tried = (case.parameters for case in cases_of(stem_of(one)))
    return st.sampled_from([getattr(one, name), *(case[name] for case in tried if name in case)])


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    one = draw(st.sampled_from(ALL))
    given = {name: draw(values_of(one, name)) for name in one.parameters}
    return one.with_parameters(**given)


@given(measures())
def test_the_canonical_name_is_a_fixed_point(one: Measure) -> None:
    found = rm.measure(str(one))
    assert found == one
    assert hash(found) == hash(one)
    assert str(found) == repr(found) == str(one)


@given(measures(), st.sampled_from(["", " ", "\t", "  "]))
def test_blanks_around_marks_and_case_do_not_matter(one: Measure, blank: str) -> None:
    spaced = str(one)
    for mark in "(),=@:{}":
        spaced = spaced.replace(mark, f"{blank}{mark}{blank}")
    assert rm.measure(f"{blank}{spaced}{blank}") == one


@pytest.mark.parametrize("one", ALL, ids=str)
def test_every_name_and_alias_is_found_in_any_case(one: Measure) -> None:
    assert rm.measure(one.name) == one
    for name, parameters in {one.name: {}, **one.aliases}.items():
        spellings = {name, name.lower(), name.upper()} - set(suggestions.REFUSED_AS_WRITTEN)
        spellings -= {"success"}  # trec_eval's, at several cutoffs
        for spelling in spellings if name != "Accuracy" else ():  # refused without a cutoff
            if name in FAMILIES and FAMILIES[name].defaults:  # several without a cutoff
                assert rm.measure(f"{spelling}@5") == one.with_parameters(k=5, **parameters)
            else:
                assert rm.measure(spelling) == one.with_parameters(**parameters)


def test_no_name_means_two_measures() -> None:
    meant: dict[str, Measure] = {}
    for one in ALL:
        for name, parameters in {one.name: {}, **one.aliases}.items():
            spelling = name.lower().replace("-", "_")
            assert meant.setdefault(spelling, one.with_parameters(**parameters)) == one(
                **parameters
            )


CANONICAL = {
    "nDCG@10": nDCG @ 10,
    "AP(rel=2)@100": AP(rel=2) @ 100,
    'nDCG(gain="exp2")@10': nDCG(gain="exp2") @ 10,
    "nDCG(gain='exp2')@10": nDCG(gain="exp2") @ 10,
    "nDCG(gain=exp2)@10": nDCG(gain="exp2") @ 10,
    "nDCG(gain={0: 0, 1: 1, 2: 3})": nDCG(gain={0: 0, 1: 1, 2: 3}),
    "DCG(discount=2)@5": DCG(discount=2) @ 5,
    "DCG(discount=2.5, gain=exp2)": DCG(gain="exp2", discount=2.5),
    'AP(norm="min", rel=2,)@10': AP(rel=2, norm="min") @ 10,
    "F(beta=0.5)@10": F(beta=0.5) @ 10,
    "P(rel=-1)@5": P(rel=-1) @ 5,
    "P()@5": P @ 5,
    "Rprec(rel=2)": Rprec(rel=2),
    "IPrec(recall=[0.2, 0.5,])": IPrec(recall=[0.5, 0.2]),
    "IPrec(recall=[0.2])": IPrec(recall=0.2),
    "Utility(hit=2, noise=-0.5)": Utility(hit=2, noise=-0.5),
}
TREC_EVAL = {
    "num_q": NumQ,
    "num_ret": NumRet,
    "num_rel": NumRel,
    "num_rel_ret": NumRelRet,
    "map": AP,
    "map_cut_100": AP @ 100,
    "Rprec": Rprec,
    "recip_rank": RR,
    "P_5": P @ 5,
    "P.5": P @ 5,
    "P_1000": P @ 1000,
    "recall_100": R @ 100,
    "recall.100": R @ 100,
    "relative_P_10": R(norm="min") @ 10,
    "ndcg": nDCG,
    "ndcg_cut_10": nDCG @ 10,
    "ndcg_cut.10": nDCG @ 10,
    "success_1": Success @ 1,
    "success_10": Success @ 10,
    "set_P": P,
    "set_recall": R,
    "set_relative_P": R(norm="min"),
    "set_F": F,
    "set_map": AP(precision="set"),
    "gm_map": AP(aggregate="gmean"),
    "bpref": Bpref,
    "gm_bpref": Bpref(aggregate="gmean"),
    "infAP": infAP,
    "iprec_at_recall_0.10": IPrec(recall=0.1),
    "iprec_at_recall_1.00": IPrec(recall=1),
    "iprec_at_recall..25": IPrec(recall=0.25),
    "11pt_avg": IPrec,
    "Rprec_mult_0.20": Rprec(multiple=0.2),
    "Rprec_mult_1.00": Rprec,
    "Rprec_mult.5.0": Rprec(multiple=5),
    "utility": Utility,
    "binG": binG,
    "G": G,
    "ndcg_rel": nDCGrel,
    "ndcg_p": nDCG(discount=2),
    "Rndcg": Rndcg,
    "num_nonrel_judged_ret": NumNonrelJudgedRet,
    "unj_5": Unjudged @ 5,
    "yaap": yaAP,
}
IR_MEASURES = {
    "AP": AP,
    "AP@1000": AP @ 1000,
    "MAP": AP,
    "nDCG": nDCG,
    "NDCG@10": nDCG @ 10,
    'nDCG(dcg="exp-log2")@10': nDCG(gain="exp2") @ 10,
    'nDCG(dcg="log2")@10': nDCG @ 10,
    "P(rel=2)@5": P(rel=2) @ 5,
    "R@1000": R @ 1000,
    "RR": RR,
    "MRR": RR,
    "RR(rel=2)@10": RR(rel=2) @ 10,
    "Rprec": Rprec,
    "RPrec": Rprec,
    "Success@10": Success @ 10,
    "Judged@10": Judged @ 10,
    "NumQ": NumQ,
    "NumRet": NumRet,
    "NumRel": NumRel,
    "NumRelRet": NumRelRet,
    "SetP": P,
    "SetR": R,
    "SetRelP": R(norm="min"),
    "SetF": F,
    "SetF(beta=4.)": F(beta=2),
    "SetF(beta=4)": F(beta=2),
    "SetF(beta=1)": F,
    "SetAP": AP(precision="set"),
    "Bpref": Bpref,
    "Bpref(rel=2)": Bpref(rel=2),
    "infAP": infAP,
    "IPrec@0.1": IPrec(recall=0.1),
    "IPrec@0": IPrec(recall=0),
    "IPrec(recall=0.1)": IPrec(recall=0.1),
    "IPrec(rel=2)@.5": IPrec(recall=0.5, rel=2),
}
RANX = {
    "map": AP,
    "map@10": AP @ 10,
    "map-l2": AP(rel=2),
    "map@10-l2": AP(rel=2) @ 10,
    "map-l2@10": AP(rel=2) @ 10,
    "mrr@10": RR @ 10,
    "ndcg@5": nDCG @ 5,
    "ndcg_burges@5": nDCG(gain="exp2") @ 5,
    "dcg@5": DCG @ 5,
    "dcg_burges": DCG(gain="exp2"),
    "precision@5": P @ 5,
    "recall@100": R @ 100,
    "f1@10": F @ 10,
    "hit_rate@5": Success @ 5,
    "r-precision": Rprec,
    "r-precision-l2": Rprec(rel=2),
}
PLAIN = {
    "MAP@100": AP @ 100,
    "MRR@10": RR @ 10,
    "HitRate@5": Success @ 5,
    "Hits@1": Success @ 1,
    "Accuracy@20": Success @ 20,
    "Precision@5": P @ 5,
    "Recall@100": R @ 100,
    "recall_at_10": R @ 10,
    "ndcg_at_10": nDCG @ 10,
    "map_at_100": AP @ 100,
    "precision_at_1": P @ 1,
    "mrr_at_10": RR @ 10,
    "F1": F,
    "CG@3": CG @ 3,
    "hit_ratio@10": Success @ 10,
    "HitRatio@10": Success @ 10,
    "recall_cap@5": R(norm="min") @ 5,
    "RetrievalMAP": AP(norm="hits"),
    "RetrievalMRR@10": RR @ 10,
    "RetrievalRecall@10": R @ 10,
    "RetrievalPrecision@10": P @ 10,
    "RetrievalHitRate@10": Success @ 10,
    "RetrievalRPrecision": Rprec,
    "roc_auc_score": AUC(norm="hits"),
    "ndcg10": nDCG @ 10,
    "ndcg5": nDCG @ 5,
    "P20": P @ 20,
    "MRR10": RR @ 10,
    "average_precision": AP,
    "reciprocal_rank": RR,
    "R-Precision": Rprec,
}
KNOWN = {name: one for table in (CANONICAL, TREC_EVAL, IR_MEASURES, RANX, PLAIN)
         for name, one in table.items()}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_name_of_any_tool_finds_the_measure_that_it_means(name: str) -> None:
    assert rm.measure(name) == KNOWN[name]


def test_a_measure_is_returned_as_it_is() -> None:
    one = AP(rel=2) @ 5
    assert rm.measure(one) is one


@pytest.mark.parametrize(
    "name",
    [
        """Gap(of='R(among="tail")@2')""",
        """Gap(of="R(among='tail')@2", by='"')""",
        """Gap(of='Corrected(of="nDCG(gain=\\"exp2\\")@10", items=100, negatives=10)')""",
        r"""R(among="a\b")@2""",
        r"""R(among="a\\")@2""",
        """R(among="it's \\"quoted\\"")@2""",
    ],
)
def test_names_with_quotes_in_them_are_read_again(name: str) -> None:
    found = rm.measure(name)
    assert rm.measure(str(found)) == found
    assert str(rm.measure(str(found))) == str(found)
