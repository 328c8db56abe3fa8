"""Several cutoffs are several measures, wherever measures are asked for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, RR, IPrec, P, nDCG
from rankmark.measures.names import measures
from rankmark.similarity import RBO, TAU
from unit.commands import rankmark_here, told

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"x": 1, "y": 3}}
RUN = {"q1": {"b": 3.0, "z": 2.0, "a": 1.0}, "q2": {"y": 2.0, "x": 1.0}}

NAMES = {
    "nDCG@1,3,5": [nDCG @ 1, nDCG @ 3, nDCG @ 5],
    "nDCG@ 1 , 3": [nDCG @ 1, nDCG @ 3],
    "nDCG@3,3,1": [nDCG @ 3, nDCG @ 1],
    "P.5,10": [P @ 5, P @ 10],
    "P_5,10": [P @ 5, P @ 10],
    "ndcg_cut.5,10": [nDCG @ 5, nDCG @ 10],
    "map_cut.5,10": [AP @ 5, AP @ 10],
    "recall.5,10": [rm.R @ 5, rm.R @ 10],
    "success.1,5": [rm.Success @ 1, rm.Success @ 5],
    "ndcg5,10": [nDCG @ 5, nDCG @ 10],
    "map-l2@5,10": [AP(rel=2) @ 5, AP(rel=2) @ 10],
    "AP(rel=2)@5,10": [AP(rel=2) @ 5, AP(rel=2) @ 10],
    "nDCG(gain={1: 5, 2: 6, 3: 9})@5,10": [nDCG(gain={1: 5, 2: 6, 3: 9}) @ k for k in (5, 10)],
    "nDCG@10,AP": [nDCG @ 10, AP],
    "AP, nDCG@1,3 ,RR@10": [AP, nDCG @ 1, nDCG @ 3, RR @ 10],
    "nDCG@1, 11pt_avg": [nDCG @ 1, IPrec],
    "IPrec@0,.1,0.5": [IPrec(recall=0), IPrec(recall=0.1), IPrec(recall=0.5)],
    "iprec_at_recall.0,.1": [IPrec(recall=0), IPrec(recall=0.1)],
    "Rprec_mult.0.2,0.4": [rm.Rprec(multiple=0.2), rm.Rprec(multiple=0.4)],
    "rbp(p=0.8), RBP(p=0.95)": [rm.RBP(p=0.8), rm.RBP(p=0.95)],
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stands_for_several_measures(name: str) -> None:
    assert list(measures(name)) == NAMES[name]
    assert list(rm.evaluate(QRELS, RUN, name).measures) == NAMES[name]


@pytest.mark.parametrize(
    "cutoffs", [[1, 3], (1, 3), range(1, 4, 2), np.array([1, 3]), iter([1, 3]), [1, 3, 1]]
)
def test_a_measure_at_several_cutoffs_is_a_tuple_of_measures(cutoffs: Any) -> None:
    assert nDCG(gain="exp2") @ cutoffs == (nDCG(gain="exp2") @ 1, nDCG(gain="exp2") @ 3)


def test_one_cutoff_in_a_list_is_a_tuple_all_the_same() -> None:
    assert P @ [5] == (P @ 5,)
    assert P @ np.int64(5) == P @ np.array(5) == P(k=5)
    assert IPrec @ [0.1, 0.5] == (IPrec(recall=0.1), IPrec(recall=0.5))


@pytest.mark.parametrize("cutoffs", [[], [1, 0], [1, -3], [[1]], "13", [None, "3"], [1.5], [True]])
def test_what_is_no_cutoff_is_refused_in_a_list_as_alone(cutoffs: Any) -> None:
    with pytest.raises(rm.MeasureError, match="need"):
        _ = nDCG @ cutoffs


def test_k_takes_one_cutoff_and_says_how_to_ask_for_several() -> None:
    with pytest.raises(rm.MeasureError, match=r"k is \[1, 3\].*nDCG @ \[1, 3\] gives several"):
        nDCG(k=[1, 3])


@pytest.mark.parametrize(
    "asked",
    [
        nDCG @ [1, 3],
        [nDCG @ [1, 3]],
        [list(nDCG @ [1, 3])],
        ["nDCG@1,3"],
        "nDCG@1,3",
        iter([nDCG @ [1], "nDCG@3"]),
        ("nDCG@1", [nDCG @ 3, "nDCG@1"]),
        np.array(["nDCG@1", "nDCG@3"]),
        {"nDCG@1": 1, "nDCG@3": 2},
    ],
)
def test_evaluate_takes_them_in_place_of_one(asked: Any) -> None:
    assert rm.evaluate(QRELS, RUN, asked).names == ["nDCG@1", "nDCG@3"]


def test_each_is_what_it_is_alone() -> None:
    together = rm.evaluate(QRELS, RUN, [nDCG @ [1, 2, 3], "P.1,3"])
    for one in together.measures:
        assert together[one] == rm.evaluate(QRELS, RUN, one)[one]


def test_check_takes_them() -> None:
    report = rm.check(QRELS, RUN, measures=[nDCG @ [1, 3], "P.5,10"])
    assert list(report.measures) == ["nDCG@1", "nDCG@3", "P@5", "P@10"]


def test_what_needs_one_measure_says_so() -> None:
    with pytest.raises(
        rm.MeasureError, match="is 2 measures, nDCG@1, nDCG@3; give one, such as nDCG@1"
    ):
        rm.measure("nDCG@1,3")
    for asked in ("nDCG@1,3", nDCG @ [1, 3]):
        with pytest.raises(rm.MeasureError, match="one measure is explained at a time; found 2"):
            rm.explain(QRELS, RUN, "q1", asked)  # type: ignore[call-overload]
    with pytest.raises(rm.MeasureError, match="is 2 measures"):
        rm.evaluate(QRELS, RUN, "nDCG@1,3")["nDCG@1,3"]
    with pytest.raises(rm.MeasureError, match="is already a measure"):
        rm.Own("P@5,10", labels=len)


def test_explain_takes_a_list_of_one() -> None:
    assert rm.explain(QRELS, RUN, "q1", nDCG @ [3]).measure == nDCG @ 3  # type: ignore[call-overload]


def test_a_curve_takes_them() -> None:
    pytest.importorskip("matplotlib")
    drawn = rm.evaluate(QRELS, RUN, "AP").plot("curve", measures=["nDCG, P", "R"])
    assert len(drawn.lines) == 3


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (5, "measures is 5; need names"),
        (b"AP", "measures is b'AP'; need names"),
        (rm.Own, "need names"),
        (type(nDCG), "need names"),
        ([type(nDCG)], r"is a class of measures; give one of them"),
        ([5], "5 is not a measure; need its name"),
        ([[[["AP"]]]], r"\['AP'\].* is not a measure"),
        ([], "no measure is requested"),
        ([[]], "no measure is requested"),
        ("", "the name of a measure is missing"),
    ],
)
def test_what_is_no_measure_is_refused_in_words(asked: Any, said: str) -> None:
    with pytest.raises(rm.MeasureError, match=said):
        rm.evaluate(QRELS, RUN, asked)
    with pytest.raises(rm.MeasureError, match=said):
        rm.check(QRELS, RUN, measures=asked)


def test_coefficients_take_several_cutoffs() -> None:
    wanted = [TAU @ 1, TAU @ 3, RBO(p=0.9)]
    for asked in ([TAU @ [1, 3], RBO(p=0.9)], "tau@1,3,RBO(p=0.9)", ["tau@1,3", "RBO(p=0.9)"]):
        assert list(rm.compare_rankings(RUN, RUN, asked).coefficients) == wanted
    with pytest.raises(rm.MeasureError, match="'3' follows no cutoff; write tau@3"):
        rm.compare_rankings(RUN, RUN, "tau,3")
    with pytest.raises(rm.MeasureError, match="means 2 coefficients; need one"):
        rm.compare_rankings(RUN, RUN, "tau@1,3")["tau@1,3"]


def test_the_command_line_takes_them(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(
        "".join(f"{q} 0 {d} {x}\n" for q, docs in QRELS.items() for d, x in docs.items())
    )
    run.write_text(
        "".join(f"{q} Q0 {d} 1 {x} t\n" for q, docs in RUN.items() for d, x in docs.items())
    )
    found = rankmark_here("evaluate", qrels, run, "-m", "nDCG@1,3", "-m", "P.1,2, AP")
    assert found.stdout.splitlines()[0].split() == ["run", "nDCG@1", "nDCG@3", "P@1", "P@2", "AP"]
    refused = rankmark_here("explain", qrels, run, "--query", "q1", "-m", "nDCG@1,3")
    assert refused.returncode == 2
    assert told(refused).startswith("one measure is explained at a time")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("recall@10,mrr", {"recall@10": "R@10", "mrr": "RR"}),
        ("ndcg_cut_10, map", {"ndcg_cut_10": "nDCG@10", "map": "AP"}),
        ("nDCG@1,3", {}),
        ("beir", {}),
        ("beir,mrr", {}),
        ("P@5, mrr, P@10", {"P@5": "P@5", "mrr": "RR", "P@10": "P@10"}),
    ],
)
def test_names_in_a_list_with_commas_are_remembered(asked: str, names: dict[str, str]) -> None:
    ev = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, asked)
    assert ev.asked == names
    assert ("mrr is RR" in str(ev)) == ("mrr" in names)
