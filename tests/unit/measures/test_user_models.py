"""User models and pair counts as values: names find them, and what makes no sense is refused."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import (
    AP,
    AUC,
    BPM,
    ERR,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    OPA,
    RBP,
    SDCG,
    CoverageError,
    FallOut,
    MeanRank,
    Measure,
    Q,
    RankingLoss,
    RBPResidual,
    nDCG,
    nERR,
)

NAMES = {
    "RBP": RBP,
    "rbp(p=0.8)": RBP(p=0.8),
    "RBP(p=0.5,rel=2)": RBP(p=0.5, rel=2),
    "rbp_residual": RBPResidual,
    "ERR@20": ERR @ 20,
    "nERR@10": nERR @ 10,
    "Q-measure": Q,
    "Q@10": Q @ 10,
    "MSnDCG@10": nDCG @ 10,
    "INST": INST @ 1000,
    "INST(T=2., max_rel=3)": INST(T=2, max_rel=3),
    "INSQ(min_rel=1, max_rel=4)": INSQ(min_rel=1, max_rel=4),
    "SDCG(max_rel=4)@10": SDCG(max_rel=4) @ 10,
    "BPM(T=2, max_rel=4)@10": BPM(T=2, max_rel=4) @ 10,
    "NERR8(max_rel=4)@10": NERR8(max_rel=4) @ 10,
    "NERR10(p=0.8)": NERR10(p=0.8),
    "nerr11@20": NERR11 @ 20,
    "RBP(max_rel=query)": RBP(max_rel="query"),
    "average_precision_score": AP(norm="hits", ties="together"),
    "label_ranking_average_precision_score": AP(ties="together"),
    "LRAP": AP(ties="together"),
    "label_ranking_loss": RankingLoss,
    "coverage_error": CoverageError,
    "AUROC": AUC,
    "RocAUC@10": AUC(norm="hits") @ 10,
    "ordered_pair_accuracy": OPA,
    "fall_out@10": FallOut @ 10,
    "mean_rank": MeanRank,
}


@pytest.mark.parametrize(("name", "meant"), NAMES.items(), ids=str)
def test_a_name_of_another_tool_finds_what_it_means(name: str, meant: Measure) -> None:
    assert rm.measure(name) == meant
    assert rm.measure(str(meant)) == meant


def test_a_user_model_always_says_how_far_the_user_may_look() -> None:
    assert str(INST) == "INST@1000"
    assert INST(k=None) == INST == INST @ 1000 != INST @ 10


WRONG = [
    (RBP, {"p": 1}, "RBP: p is 1; need a number between 0 and 1"),
    (RBP, {"p": 0}, "need a number between 0 and 1"),
    (RBP, {"max_rel": "all"}, "max_rel is 'all'; need a finite number, \"query\""),
    (RBP, {"max_rel": 1, "min_rel": 1}, "RBP: max_rel is 1 and min_rel 1; need a max_rel above"),
    (ERR, {"max_rel": None}, 'ERR: max_rel is None; need a number above 0, or "query"'),
    (ERR, {"max_rel": 0}, "need a number above 0"),
    (ERR, {"gain": {1: 1}}, 'need one of "exp2", "linear"'),
    (INST, {"T": 0.25}, "INST: T is 0.25; need a number from 0.5 to 1,000,000"),
    (INSQ, {"T": float("inf")}, "need a number from 0.5"),
    (BPM, {"T": 0}, "need a number above 0"),
    (Q, {"beta": -1}, "need a number from 0"),
    (INST, {"k": 0}, "need a whole number from 1"),
]


@pytest.mark.parametrize(("one", "parameters", "said"), WRONG)
def test_what_makes_no_sense_is_told_with_what_does(
    one: Measure, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        one(**parameters)
    assert said in str(caught.value)


@pytest.mark.parametrize("one", [ERR, nERR, RBP(max_rel=4), INST(max_rel=4), BPM(max_rel=4)])
def test_a_label_above_the_greatest_is_refused_and_not_cut_down(one: Measure) -> None:
    with pytest.raises(rm.MeasureError, match=r"label 5 is above max_rel=4; .*max_rel=5"):
        one([1, 2], missed=[5])
    assert one(max_rel=5)([1, 2], missed=[5]) > 0


def test_a_user_who_may_look_too_far_is_refused() -> None:
    for one in (SDCG, INSQ, NERR8, NERR10, NERR11):
        with pytest.raises(
            rm.MeasureError, match="sums over every rank; need a cutoff to 10,000,000"
        ):
            (one @ 10_000_001)([1])
    for closed in (INST, BPM):
        assert (closed @ 10_000_001)([1]) > 0


def test_inst_needs_no_rank_by_rank_sum_to_be_exact() -> None:
    # The tail that INST sums by a series, against one term after another.
    for wanted in (0.5, 1.0, 7.25, 1000.0):
        gains = np.zeros(5000)
        gains[[0, 3, 4, 700]] = 1.0
        left = wanted - np.cumsum(gains)
        rank = np.arange(1.0, 5001.0)
        reach = np.cumprod(((rank + wanted + left - 1) / (rank + wanted + left)) ** 2)
        reach = np.append(1.0, reach[:-1])
        value = float(reach @ gains / reach.sum())
        found = INST(T=wanted, k=5000)(gains.tolist())
        assert found == pytest.approx(value, rel=1e-12), wanted


def test_what_else_is_measured_does_not_move_the_last_bit() -> None:
    qrels = {"q": {f"d{n}": n % 5 - 1 for n in range(40)}}
    run = {"q": {f"d{n}": float(n * 7 % 40) for n in range(40)}}
    models = [one(max_rel=4) for one in (INST, INSQ, SDCG, BPM, NERR8, NERR10, NERR11)]
    together = rm.evaluate(qrels, run, [*models, "Judged", "CG", "OPA"])
    for one in models:
        assert rm.evaluate(qrels, run, one)[one] == together[one]


def test_the_residual_is_what_rbp_gains_if_all_that_is_unknown_is_relevant() -> None:
    labels = [1, None, 0, None, 1]
    best = [1 if label is None else label for label in labels] + [1] * 2000
    assert RBP(labels) + RBPResidual(labels) == pytest.approx(RBP(best), rel=1e-12)


# A user reaches rank 2 with this probability, and gains there what the first relevant document has.
SECOND = 1 / np.log2(3)


@pytest.mark.parametrize(
    ("parameters", "value"),
    [
        ({"value": "EU"}, SECOND / (1 + SECOND)),
        ({"value": "ETU"}, SECOND),
        ({"value": "ED"}, 1 + SECOND),
        ({"value": "EC"}, 1),
        ({"value": "ETC"}, 1 + SECOND),
        ({"value": "EC", "cost": 2}, 2),
        ({"value": "ETC", "cost": 2}, 2 * (1 + SECOND)),
        ({"value": "ETC", "cost": {0: 3, 1: 4}}, 3 + 4 * SECOND),  # relevant or not
        ({"value": "EC", "cost": {0: 3, 1: 4}}, (3 + 4 * SECOND) / (1 + SECOND)),
        ({"value": "ETC", "cost": {0: 3}}, 3 + SECOND),  # all others cost 1
        ({"value": "ETC", "cost": {1: 4, 2: 8}}, 1 + 4 * SECOND),
    ],
    ids=str,
)
def test_gains_costs_and_depth_of_a_user_are_those_worked_by_hand(
    parameters: dict[str, Any], value: float
) -> None:
    measure = SDCG(**parameters) @ 2
    qrels, run = {"q": {"a": 0, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    assert rm.evaluate(qrels, run, measure)[measure] == pytest.approx(value, rel=1e-14)
    assert measure([0, 1]) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "one",
    [
        *(model(T=wanted) for model in (INST, INSQ, NERR11) for wanted in (0.5, 2)),
        *(SDCG, NERR8, NERR9, NERR10(p=0.5), rm.TBG(halflife=7), rm.U(L=9)),
    ],
    ids=str,
)
def test_every_user_reads_the_first_document(one: Measure) -> None:
    for label in (0, 1):
        assert (one(value="ED") @ 1)([label]) == pytest.approx(1)
        assert (one(value="ETU") @ 1)([label]) == pytest.approx(label)
    assert (one(value="ED") @ 2)([0, 0]) > 1


TIED = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}}


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
@pytest.mark.parametrize(
    ("one", "value"),
    [
        (AP(ties="together"), (1 / 3 + 2 / 4) / 2),
        (AUC, (1.0 + 0.0) / 4),
        (AUC(ties="wrong"), 0.0),
        (RankingLoss, 1.0),
        (CoverageError, 4.0),
        (OPA, 0.0),
    ],
    ids=str,
)
def test_a_tie_is_a_tie_whatever_rule_the_evaluation_has(
    one: Measure, value: float, ties: Any
) -> None:
    qrels = {"q": {"b": 1, "d": 1, "a": 0}}
    assert rm.evaluate(qrels, TIED, one, ties=ties)[one] == pytest.approx(value)


def test_a_tie_that_a_cutoff_divides_is_cut_by_the_rule_of_the_evaluation() -> None:
    one = AP(ties="together") @ 2
    assert rm.evaluate({"q": {"c": 1}}, TIED, one)[one] == 1 / 2
    assert rm.evaluate({"q": {"c": 1}}, TIED, one, ties="docid-asc")[one] == 0


def test_pairs_are_counted_among_many_labels() -> None:
    dice = np.random.default_rng(5)
    labels = dice.integers(0, 50, 120).astype(float)
    scores = dice.integers(0, 30, 120).astype(float)
    above = scores[:, None] > scores[None, :]
    better = labels[:, None] > labels[None, :]
    qrels = {"q": {f"d{n}": label for n, label in enumerate(labels.tolist())}}
    run = {"q": {f"d{n}": score for n, score in enumerate(scores.tolist())}}
    assert rm.evaluate(qrels, run, OPA)[OPA] == (above & better).sum() / better.sum()
