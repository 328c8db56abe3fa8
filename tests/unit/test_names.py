"""Names: each tool's find the measure meant, the canonical one is a fixed point, errors help."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
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
from rankmark.measures import ALL, suggestions

numbers = st.one_of(st.integers(-5, 50), st.floats(allow_nan=False, allow_infinity=False))
above_zero = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
gains = st.dictionaries(numbers, st.one_of(st.integers(0, 9), above_zero), min_size=1, max_size=5)
VALUES: dict[tuple[str, str] | str, st.SearchStrategy[Any]] = {
    "k": st.none() | st.integers(1, 10**12),
    "rel": numbers,
    "beta": st.integers(1, 9) | above_zero,
    "gain": st.sampled_from(["linear", "exp2"]) | gains,
    "discount": st.just("log2") | st.floats(min_value=1, exclude_min=True, allow_infinity=False),
    "ideal": st.sampled_from(["judged", "retrieved", "k"]),
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
    ("FallOut", "norm"): st.sampled_from(["retrieved", "judged"]),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    one = draw(st.sampled_from(ALL))
    given = {
        name: draw(VALUES[(one.name, name) if (one.name, name) in VALUES else name])
        for name in one.parameters
    }
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
        for spelling in (name, name.lower(), name.upper()):
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
    "roc_auc_score": AUC,
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


UNKNOWN = {
    "nDGC@10": "nDCG",
    "nDCCG": "nDCG",
    "MAPP": "AP",
    "recal@5": "R",
    "precison@5": "P",
    "sucess_1": "Success",
    "reciprank": "RR",
    "Rprecc": "Rprec",
    "num_relret": "NumRelRet",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_answered_with_the_nearest_three(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="there is no measure") as caught:
        rm.measure(name)
    nearest = str(caught.value).partition("did you mean ")[2].rstrip("?").split(", ")
    assert len(nearest) == 3
    assert nearest[0] == UNKNOWN[name]
    assert {rm.measure(one).name for one in nearest} == set(nearest)


MISTAKES = {
    "": (1, "expected the name of a measure"),
    "@10": (1, "expected the name of a measure"),
    "10": (1, "expected the name of a measure"),
    "  nope": (3, "there is no measure 'nope'"),
    "P@": (3, "the cutoff is missing; need a whole number from 1"),
    "P@x": (3, "'x'; need a whole number from 1"),
    "P@0": (3, "need a whole number from 1"),
    "P@-5": (3, "the cutoff is '-5'; need a whole number from 1"),
    "nDCG@-1": (6, "the cutoff is '-1'; need a whole number from 1"),
    "nDCG@1e3": (6, "the cutoff is '1e3'; need a whole number from 1"),
    "nDCG@1,0": (8, "need a whole number from 1"),
    "nDCG@1,2.5": (8, "the cutoff is '2.5'; need a whole number from 1"),
    "nDCG@1,": (8, "expected the name of a measure"),
    "nDCG@1,x": (8, "there is no measure 'x'"),
    "nDCG@1,3@5": (8, "expected the name of a measure"),
    "AP, 10": (5, "'10' follows no cutoff; write AP@10"),
    "P@5, beta": (6, "there is no measure 'beta'"),
    "precision_at_k": (1, "k stands for a number; write P@10"),
    "ndcg@10-": (8, "leave it out"),
    "DCG(gain={[1]: 2})": (11, "expected a value"),
    "P@2.5": (3, "'2.5'; need a whole number from 1"),
    "P@٣": (3, "need a whole number from 1"),
    "P_0": (1, "need a whole number from 1"),
    "P@5x": (3, "'5x'; need a whole number from 1"),
    "P@5 x": (5, "did not expect 'x'"),
    "P@5@10": (3, "'5@10'; need a whole number from 1"),
    "P_5@10": (5, "k is given twice"),
    "P(k=5)@10": (8, "k is given twice"),
    "P(rel=2, rel=3)": (10, "rel is given twice"),
    "P(rel=2": (8, "expected , or )"),
    "P(rel": (6, "expected parameter=value or )"),
    "P(rel=)": (7, "expected a value"),
    "P(rel=2)x": (9, "did not expect 'x'"),
    "P(beta=2)": (3, "P has no parameter 'beta'; it takes k, rel, norm"),
    "Rprec@10": (7, "Rprec has no cutoff; it takes rel"),
    "NumQ(rel=2)": (6, "NumQ has no parameter 'rel'; it takes none"),
    "AP(norm=half)": (4, 'need one of "relevant", "min", "hits", "k"'),
    'AP(norm="half)': (9, "expected a value"),
    "AP(rel=high)": (4, "rel is 'high'; need a finite number"),
    "AP(rel=nan)": (4, "need a finite number"),
    "F(beta=0)": (3, "need a number above 0"),
    "DCG(discount=1)": (5, 'need "log2" or a number above 1'),
    "DCG(gain=cubic)": (5, '"linear", "exp2" or {label: gain}'),
    "DCG(gain={1: -1})": (5, "gains from 0"),
    "DCG(gain={1 2})": (13, "expected label: gain"),
    "DCG(gain={1: 2": (15, "expected , or }"),
    "DCG(gain={})": (5, "{label: gain}"),
    "IPrec@2": (7, "recall is 2; need a number from 0 to 1, or a list of several"),
    "IPrec@-1": (7, "the recall is '-1'; need a number from 0 to 1"),
    "IPrec@x": (7, "the recall is 'x'; need a number from 0 to 1"),
    "IPrec(recall=[])": (7, "need a number from 0 to 1, or a list of several"),
    "IPrec(recall=[0.1, 0.1])": (7, "need a number from 0 to 1, or a list of several"),
    "IPrec(recall=[0.1 0.2])": (19, "expected , or ]"),
    "IPrec(recall=[0.1": (18, "expected , or ]"),
    "IPrec_at_5": (1, "recall is 5; need a number from 0 to 1"),
    "Rprec_mult_0": (1, "multiple is 0; need a number above 0"),
    "Rprec_mult": (1, "there is no measure 'Rprec_mult'; did you mean Rprec"),
    "iprec_at_recall_0.10@5": (22, "recall is given twice"),
    "P_5.5": (1, "need a whole number from 1"),
    "Utility(collection=0)": (9, "need a whole number from 1"),
    'nDCG(ideal="best")@5': (6, 'need one of "judged", "retrieved", "k"'),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_in_a_name_is_told_with_its_position(text: str) -> None:
    position, said = MISTAKES[text]
    with pytest.raises(rm.MeasureError) as caught:
        rm.measure(text)
    assert str(caught.value).startswith(f"measure {text!r}, position {position}: ")
    assert said in str(caught.value)


@given(st.text(alphabet="nDCGAPRk_@().,={}:\"'-0123456789 erlgaip", max_size=25))
def test_any_text_gives_a_measure_or_a_measure_error(text: str) -> None:
    try:
        found = rm.measure(text)
    except rm.MeasureError:
        return
    assert rm.measure(str(found)) == found


@pytest.mark.parametrize("name", [None, 5, 1.5, ["AP"], {"AP"}, b"AP", AP.__class__])
def test_what_is_no_name_at_all_is_refused(name: Any) -> None:
    with pytest.raises((rm.MeasureError, TypeError), match="measure"):
        rm.measure(name)


REFUSED = {
    "ndcg_score": 'ties="mean"',
    "ndcg_score@5": 'ties="mean"',
    "dcg_score_5": "write DCG",
    "RetrievalNormalizedDCG@10": "write nDCG",
    "AveragePrecision": 'AP(norm="min")',
    "MeanAveragePrecision": "write AP",
    "Hole@10": "write Unjudged@k",
    "hole_at_10": "write Unjudged@k",
    "IDCG": "rankmark.explain",
    "gauc": "write AUC",
    "mapk": 'AP(norm="min")@k',
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_with_another_number_elsewhere_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="position 1: ") as caught:
        rm.measure(name)
    assert REFUSED[name] in str(caught.value)


MEANT = {
    "coverage": "StRecall",
    "CatalogCoverage@10": "share of a catalogue",
    "hits_at": "Success@k",
    "mrrs": "RR@10",
    "precision_recall_curve": "rankmark plot precision-recall",
    "balanced_accuracy": "Success@k",
    "gini": "alpha_nDCG",
    "Novelty": "alpha_nDCG",
    "IntraListDiversity": "alpha_nDCG",
    "kendall": "rankmark.compare_rankings",
    "tau@10": "rankmark.compare_rankings",
    "RBO(p=0.9)": "rankmark.compare_rankings",
    "cosine_ndcg@10": "nDCG@10",
    "F2": "F(beta=2)",
    "R2": "not measured here",
    "RMSE": "not measured here",
    "pr_auc": "is AP",
    "partial_auc": "is AUC",
    "specificity": "FallOut",
    "faithfulness": "not measured here",
}


@pytest.mark.parametrize("name", MEANT)
def test_an_unknown_name_is_answered_by_what_it_means(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="there is no measure") as caught:
        rm.measure(name)
    assert MEANT[name] in str(caught.value)
    assert "did you mean" not in str(caught.value)


def test_no_refused_name_is_a_measure_here() -> None:
    for name in suggestions.REFUSED:
        assert name == name.lower().replace("-", "_")
        with pytest.raises(rm.MeasureError):
            rm.measure(name)


@pytest.mark.parametrize(
    "name",
    [
        "P_" + "1" * 5000,
        "P@" + "1" * 5000,
        "P@1," + "1" * 5000,
        "IPrec@" + "1" * 5000,
        "P(rel=" + "1" * 5000 + ")",
        "DCG(gain=" + "{" * 100_000,
        "DCG(gain={1: " + "[" * 100_000,
        "IPrec(recall=" + "[" * 100_000,
        "x" * 100_000,
        "_1" * 50_000,
        "a_" + "1" * 100_000 + "x",
        "(" * 100_000,
        "P(" * 100_000,
        "P," * 100_000,
    ],
    ids=lambda name: name[:12],
)
def test_however_long_or_nested_a_name_is_the_message_is_short(name: str) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        rm.measure(name)
    assert len(str(caught.value)) < 600


def nested(depth: int) -> list[Any]:
    """Put a list into a list, over and over."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [10**5000, "1" * 5000, nested(10_000)], ids=["number", "text", "list"]
)
def test_a_value_that_cannot_be_written_is_refused_in_words(value: Any) -> None:
    for name in ("k", "rel", "gain", "discount"):
        with pytest.raises(rm.MeasureError, match="need ") as caught:
            (nDCG if name in {"gain", "discount"} else P).with_parameters(**{name: value})
        assert len(str(caught.value)) < 400
