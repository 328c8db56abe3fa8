"""Names that find no measure: what is wrong with them, where, and what to write instead."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark import P, nDCG
from rankmark.measures.base import suggestions

UNKNOWN = {
    "nDGC@10": "nDCG",
    "nDCCG": "nDCG",
    "MAPP": "AP",
    "recal@5": "R",
    "precison@5": "P",
    "sucess_1": "Success",
    "reciprankk": "RR",
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
    "": (1, "the name of a measure is missing; write NAME"),
    "@10": (1, "the name of a measure is missing; write NAME"),
    "10": (1, "the name of a measure is missing; write NAME"),
    "  nope": (3, "there is no measure 'nope'"),
    "P@": (3, "the cutoff is missing; need a whole number from 1"),
    "P@x": (3, "'x'; need a whole number from 1"),
    "P@0": (3, "need a whole number from 1"),
    "P@-5": (3, "the cutoff is '-5'; need a whole number from 1"),
    "nDCG@-1": (6, "the cutoff is '-1'; need a whole number from 1"),
    "nDCG@1e3": (6, "the cutoff is '1e3'; need a whole number from 1"),
    "nDCG@1,0": (8, "need a whole number from 1"),
    "nDCG@1,2.5": (8, "the cutoff is '2.5'; need a whole number from 1"),
    "nDCG@1,": (8, "the name of a measure is missing; write NAME"),
    "nDCG@1,x": (8, "there is no measure 'x'"),
    "nDCG@1,3@5": (8, "the name of a measure is missing; write NAME"),
    "AP, 10": (5, "'10' follows no cutoff; write AP@10"),
    "P@5, beta": (6, "there is no measure 'beta'"),
    "precision_at_k": (1, "k stands for a number; write P@10"),
    "P@10-": (5, "did not expect '-'"),
    "DCG(gain={[1]: 2})": (11, "expected a value"),
    "P@2.5": (3, "'2.5'; need a whole number from 1"),
    "P@٣": (3, "need a whole number from 1"),
    "P_0": (1, "need a whole number from 1"),
    "P@5x": (3, "'5x'; need a whole number from 1"),
    "P@5 x": (5, "did not expect 'x'"),
    "P@5@10": (4, "did not expect '@10'"),
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
    "AP(norm=half)": (4, 'AP: norm is \'half\'; need one of "relevant", "min", "hits", "k"'),
    'AP(norm="half)': (9, "expected a value"),
    "AP(rel=high)": (4, "rel is 'high'; need a finite number"),
    "AP(rel=nan)": (4, "need a finite number"),
    "F(beta=0)": (3, "need a number above 0"),
    "SetF(beta=0)": (6, "F: beta is 0; need a number above 0"),
    "SetF(beta=x)": (6, "F: beta is 'x'; need a number above 0"),
    "DCG(discount=1)": (5, 'need "log2", "rank" or a number above 1'),
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
    "iprec_at_recall_0.10@5": (22, "recall is given twice"),
    "set_F_0": (1, "need a number above 0"),
    "P_5.5": (1, "need a whole number from 1"),
    "Utility(collection=0)": (9, "need a whole number from 1"),
    'nDCG(ideal="best")@5': (6, 'need one of "judged", "retrieved", "k", "uncut"'),
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


@pytest.mark.parametrize("name", [None, 5, 1.5, ["AP"], {"AP"}, b"AP", P.__class__])
def test_what_is_no_name_at_all_is_refused(name: Any) -> None:
    with pytest.raises((rm.MeasureError, TypeError), match="measure"):
        rm.measure(name)


REFUSED = {
    "rbp": 'RBP(max_rel="query")',
    "rbp, AP": "write RBP where labels are 0 and 1",
    "rbp.95": "RBP(p=0.95, max_rel=m)",
    "rbp.8@10": "RBP(p=0.8)",
    "rbp.95-l1": "RBP(p=0.95, max_rel=m)",
    "rbp.95-l2": "write RBP(p=0.95, rel=2)",
    "RBP.95-L2": "ranx's is 2 times as much",
    "rbp@95-l2": "write RBP(p=0.95, rel=2)",
    "rbp_p=0.8": "write RBP(p=0.8) where labels are 0 and 1",
    "hits@10": "NumRelRet@k",
    "hits": "NumRelRet@k",
    "hits@10-l2": "NumRelRet@k",
    "hits-l2": "NumRelRet@k",
    "Accuracy": 'AUC(norm="hits")',
    "accuracy(rel=2)": 'AUC(norm="hits")',
    "ndcg@10-l2": "write nDCG(gain={0: 0, 1: 0, 2: 2, 3: 3})@10",
    "dcg-l2": "write DCG(gain={0: 0, 1: 0, 2: 2, 3: 3})",
    "ndcg-l5": "write nDCG(gain={0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 5, 6: 6}), with every label",
    "ndcg_burges@5-l2": "write nDCG(gain={0: 0, 1: 0, 2: 3, 3: 7})@5",
    "utility_1,0,0,2": "write Utility(hit=1, noise=0, miss=0, rest=2, collection=N)",
    "rbp_resid": "write RBPResidual",
    "RetrievalFallOut@10": "write FallOut",
    "RetrievalAUROC": 'AUC(norm="hits")',
    "ndcg_score": 'ties="mean"',
    "ndcg_score@5": 'ties="mean"',
    "dcg_score_5": "write DCG",
    "RetrievalNormalizedDCG@10": "write nDCG",
    "AveragePrecision": 'AP(norm="min")',
    "MeanAveragePrecision": "write AP",
    "IDCG": "rankmark.explain",
    "gauc": 'weights="NumRet"',
    "RetrievalRecallAtFixedPrecision": "write RecallAtPrecision",
    "relstring_10": "rankmark.explain",
    "runid": "name of each run",
    "recall": "write R@5,10,15,20,30,100,200,500,1000 for trec_eval's, R for ranx's",
    "rbp@95": "write RBP@95",
    "HitK@10": "NumRelRet@k",
    "NDCGK_10": "write nDCG@k",
    "retrieval_auroc": 'AUC(norm="hits")',
    "retrieval_fall_out@5": "write FallOut",
    "retrieval_normalized_dcg": "write nDCG",
    "mapk": 'AP(norm="min")@k',
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_with_another_number_elsewhere_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="position 1: ") as caught:
        rm.measure(name)
    assert REFUSED[name] in str(caught.value)


MEANT = {
    "coverage": "StRecall",
    "hits_at": "Success@k",
    "mrrs": "RR@10",
    "PrecisionAtRecall": "IPrec@0.5",
    "precision_recall_curve": "rankmark plot precision-recall",
    "balanced_accuracy": "Success@k",
    "Novelty": "alpha_nDCG",
    "kendall": "rankmark.compare_rankings",
    "tau@10": "rankmark.compare_rankings",
    "RBO(p=0.9)": "rankmark.compare_rankings",
    "p-MRR": "rankmark.p_mrr",
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "P_" + "1" * 5000,
        "P@" + "1" * 5000,
        "P@1," + "1" * 5000,
        "IPrec@" + "1" * 5000,
        "P(rel=" + "1" * 5000 + ")",
        "DCG(gain=" + "{" * 10_000,
        "DCG(gain={1: " + "[" * 10_000,
        "IPrec(recall=" + "[" * 10_000,
        "x" * 10_000,
        "_1" * 5_000,
        "a_" + "1" * 10_000 + "x",
        "(" * 10_000,
        "P(" * 10_000,
        "P," * 10_000,
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


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("CTR", "Success@k"),
        ("click through rate", "Success@k"),
        ("TP", "NumRelRet@k"),
        ("false positives", "NumNonrelJudgedRet@k"),
        ("mean average precision", "write AP for all relevant documents"),
        ("normalised discounted cumulative gain@10", "write nDCG"),
        ("mean reciprocal rank", "write RR"),
        ("rank-biased precision", "write RBP"),
        ("hit rate", "write Success"),
        ("k=10", "write it after a measure, as in nDCG@10"),
        ("rel = 2", r"write it as in AP\(rel=2\)"),
    ],
)
def test_names_in_words_are_answered_by_the_measure_they_mean(name: str, told: str) -> None:
    with pytest.raises(rm.MeasureError, match=told):
        rm.measure(name)


@pytest.mark.parametrize(
    "name", ["rel={0}:AP", "{0}={0}", "k={0}", "AP({0})", "AP({0}=1)", "{0}@{0}"]
)
def test_a_very_long_name_is_shown_in_part(name: str) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        rm.measure(name.format("1a" * 5000))
    assert len(str(caught.value)) < 800
