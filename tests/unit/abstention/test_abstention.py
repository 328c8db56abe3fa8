"""``abstention``: areas, decisions at thresholds and intervals, against slow definitions."""

import io
import itertools
import json
import math
import subprocess
import sys
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.answers.abstention import curves
from rankmark.answers.abstention.curves import Judged

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}, "q4": {"d": 0}, "q5": {"e": 1}}
RUN = {"q1": {"a": 9.0}, "q2": {"b": 5.0}, "q3": {"c": 6.0}, "q4": {"d": 2.0}}
TEN = (
    [0.9, 0.1, 0.8, 0.3, 0.5, 0.7, 0.2, 0.6, 0.4, 0.0],
    [1, 0, 0.5, 1, 0.2, 0.9, 0.1, 0, 0.3, 0.4],
)

# Values, not their intervals, are looked at unless a test asks for resamples of its own.
abstention = partial(rm.abstention, resamples=5)


def judged(confidence: Any, value: Any, answerable: Any = None) -> Judged:
    """Make queries, which are all answerable by default."""
    kind = np.ones(len(value), dtype=bool) if answerable is None else np.array(answerable)
    return Judged(np.array(confidence, float), np.array(value, float), kind)


# nAUC as MTEB computes it: values of its own function.
@pytest.mark.parametrize(
    ("confidence", "value", "wanted"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0, 0.25, 0.5, 0.75, 1], 1.0),
        ([0.5, 0.4, 0.3, 0.2, 0.1], [0, 0.25, 0.5, 0.75, 1], -1.0),
        ([0.9, 0.1, 0.8, 0.3, 0.5], [1, 0, 0.5, 1, 0.2], 0.6),
        (*TEN, 0.529303),
    ],
)
@pytest.mark.parametrize("tied", ["mean", "input"])
def test_nauc_is_that_of_mteb(confidence: Any, value: Any, wanted: float, tied: Any) -> None:
    assert curves.nauc(judged(confidence, value), tied) == pytest.approx(wanted, abs=5e-7)


@pytest.mark.parametrize("tied", ["mean", "input"])
def test_nauc_is_undefined_where_leaving_out_has_no_effect(tied: Any) -> None:
    assert math.isnan(curves.nauc(judged([0.1, 0.2, 0.3], [0.3, 0.3, 0.3]), tied))
    assert math.isnan(curves.nauc(judged([0.1], [1.0]), tied))


def test_constant_confidence_has_no_nauc_unless_the_order_of_the_queries_counts() -> None:
    assert curves.nauc(judged([0.7] * 4, [0, 1, 0, 1])) == 0.0
    assert curves.nauc(judged([0.7] * 7, [0.1, 0.7, 0.3, 0.9, 0.2, 0.2, 0.4])) == 0.0
    assert curves.nauc(judged([0.7] * 4, [0, 1, 0, 1]), "input") == pytest.approx(
        0.513514, abs=5e-7
    )


def test_the_order_of_the_judgments_decides_only_if_asked_for() -> None:
    queries, found = ["q0", "q1", "q2", "q3"], ["x", "a", "x", "a"]
    run = {query: {document: 0.7} for query, document in zip(queries, found, strict=True)}
    for order in (queries, queries[::-1]):
        qrels = {query: {"a": 1} for query in order}
        value = [float("a" in run[query]) for query in order]
        for tied in ("mean", "input"):
            nauc = abstention(qrels, run, "RR@10", tied=tied).nauc.estimate
            assert nauc == pytest.approx(curves.nauc(judged([0.7] * 4, value), tied), abs=1e-12)


def mteb_curve(confidence: Any, value: Any) -> list[float]:
    """Drop the least confident, the first of equal ones first, at each rate."""
    order = sorted(range(len(value)), key=lambda query: confidence[query])
    dropped = [min(round(rate * len(value)), len(value) - 1) for rate in curves.RATES]
    return [fmean(value[query] for query in order[number:]) for number in dropped]


def area(values: list[float]) -> float:
    """Integrate over the rates by trapezoids."""
    pairs = zip(itertools.pairwise(values), itertools.pairwise(curves.RATES), strict=True)
    return sum((one + two) / 2 * (end - begin) for (one, two), (begin, end) in pairs)


levels = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 0.7, 1.0])
some_queries = st.lists(st.tuples(levels, levels, st.booleans()), min_size=1, max_size=30)


@given(queries=some_queries)
def test_nauc_in_input_order_is_its_definition(queries: list[tuple[float, float, bool]]) -> None:
    confidence, value, _ = map(list, zip(*queries, strict=True))
    curve, oracle = mteb_curve(confidence, value), mteb_curve(value, value)
    flat = fmean(value) * curves.RATES[-1]
    found = curves.nauc(judged(confidence, value), "input")
    if abs(area(oracle) - flat) < 1e-12:
        assert math.isnan(found)
    else:
        wanted = (area(curve) - flat) / (area(oracle) - flat)
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-11)


few_queries = st.lists(st.tuples(st.sampled_from([1.0, 2.0, -math.inf]), levels), max_size=5)


@given(queries=few_queries.filter(bool))
def test_ties_are_the_mean_over_all_orders(queries: list[tuple[float, float]]) -> None:
    confidence, value = map(list, zip(*queries, strict=True))
    orders = [
        order
        for order in itertools.permutations(range(len(value)))
        if all(confidence[a] >= confidence[b] for a, b in itertools.pairwise(order))
    ]
    means = [
        fmean(fmean(value[query] for query in order[:kept]) for order in orders)
        for kept in range(1, len(value) + 1)
    ]
    found = judged(confidence, value)
    assert curves.kept_means(*found[:2]) == pytest.approx(means, abs=1e-12)
    coverage, risk = curves.risk_coverage(found)
    assert coverage.tolist() == [(place + 1) / len(value) for place in range(len(value))]
    assert risk == pytest.approx([1 - mean for mean in means], abs=1e-12)
    assert curves.aurc(found) == pytest.approx(1 - fmean(means), abs=1e-12)


@given(queries=some_queries)
def test_auroc_counts_pairs(queries: list[tuple[float, float, bool]]) -> None:
    confidence, value, answerable = map(list, zip(*queries, strict=True))
    pairs = [
        0.5 if one == two else float(one > two)
        for one, is_one in zip(confidence, answerable, strict=True)
        for two, is_two in zip(confidence, answerable, strict=True)
        if is_one and not is_two
    ]
    found = curves.auroc(judged(confidence, value, answerable))
    if pairs:
        assert found == pytest.approx(fmean(pairs), abs=1e-12)
    else:
        assert math.isnan(found)


def share(part: int, whole: int) -> float:
    """Divide; NaN for no whole."""
    return part / whole if whole else math.nan


@given(
    queries=st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, 3.0, -math.inf]), levels, st.booleans()), min_size=1
    ),
    threshold=st.sampled_from([0.5, 1.0, 2.0, 2.5, 3.0, 4.0, math.inf, -math.inf]),
)
def test_decisions_are_counted_query_by_query(
    queries: list[tuple[float, float, bool]], threshold: float
) -> None:
    answered = [sure >= threshold and sure > -math.inf for sure, _, _ in queries]
    kinds = [is_answerable for *_, is_answerable in queries]
    yes = [one for one, kind in zip(answered, kinds, strict=True) if kind]
    no = [one for one, kind in zip(answered, kinds, strict=True) if not kind]
    right, lost, wrong = no.count(False), yes.count(False), no.count(True)
    value = [
        (value if is_answerable else 0.0) if one else float(not is_answerable)
        for one, (_, value, is_answerable) in zip(answered, queries, strict=True)
    ]
    confidence, values, _ = map(list, zip(*queries, strict=True))
    own = judged(confidence, np.where(kinds, values, 0.0), kinds)
    found = curves.decisions(own, np.array([threshold]))
    wanted = {
        "threshold": threshold,
        "answered": share(answered.count(True), len(queries)),
        "recall": share(yes.count(True), len(yes)),
        "false_positive_rate": share(wrong, len(no)),
        "precision": share(right, right + lost),
        "f1": share(2 * right, 2 * right + lost + wrong) if no else math.nan,
        "value": fmean(value),
    }
    numbers = {name: column.tolist()[0] for name, column in found._asdict().items()}
    assert numbers == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_an_empty_result_is_rewarded_where_there_is_no_answer() -> None:
    found = abstention(QRELS, RUN, "RR@10")
    assert found.counts == {
        "queries": 5, "answerable": 3, "unanswerable": 2, "returned_nothing": 1,
    }  # fmt: skip
    assert found.judged.confidence.tolist() == [9.0, 5.0, 6.0, 2.0, -math.inf]
    assert found.auroc.estimate == 3 / 6  # q1 above both, q2 above q4, q5 below both
    assert found.at(-math.inf).value == 2 / 5  # q1 and q2 are found
    assert found.at(5.0).value == 3 / 5  # and q4 is rightly not answered
    assert found.at(9.5).value == 2 / 5
    silent = abstention(QRELS, {"q1": {"a": 9.0}, "q2": {"b": 5.0}}, "RR@10")
    assert silent.at(0.0).value == 4 / 5  # nothing is returned for q3 and q4
    assert silent.auroc.estimate == 5 / 6  # q5 ties with both
    assert (silent.at(0.0).recall, silent.at(0.0).false_positive_rate) == (2 / 3, 0.0)


def test_the_best_threshold_has_the_highest_f1_and_is_the_lowest_of_these() -> None:
    qrels = {f"q{number}": {"a": int(number < 3)} for number in range(6)}
    run = {f"q{number}": {"a": 10.0 - number} for number in range(6)}
    found = abstention(qrels, run, "Success@1")
    assert (found.best.threshold, found.best.f1, found.auroc.estimate) == (8.0, 1.0, 1.0)
    assert found.best.value == 1.0
    assert found.aurc.estimate == pytest.approx(fmean([0, 0, 0, 1 / 4, 2 / 5, 3 / 6]))
    upside_down = abstention(qrels, run, "Success@1", signal={q: int(q[1]) for q in run})
    assert upside_down.auroc.estimate == 0.0
    assert upside_down.best.threshold == math.inf  # to answer nothing is right for half of them
    assert upside_down.best.f1 == 2 / 3
    assert json.loads(upside_down.to_json())["best"]["threshold"] is None


def test_confidence_by_scores() -> None:
    run = {"q1": {"a": 0.9, "b": 0.5, "c": 0.4}, "q2": {"a": 0.3}, "q4": {}}
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"a": 1}, "q4": {"a": 0}}
    wanted = {"max": [0.9, 0.3], "std": [0.216025, 0.0], "diff1": [0.4, 0.0]}
    for rule, first in wanted.items():
        found = abstention(qrels, run, "RR", signal=rule)  # type: ignore[arg-type]
        assert found.judged.confidence.tolist() == pytest.approx(
            [*first, -math.inf, -math.inf], abs=5e-7
        )


def test_the_form_of_the_run_does_not_matter() -> None:
    rows = "".join(
        f"{query} Q0 {doc} 1 {score} x\n" for query, of in RUN.items() for doc, score in of.items()
    )
    wanted = abstention(QRELS, RUN, "RR@10").to_dict()
    found = abstention(QRELS, io.StringIO(rows), "RR@10").to_dict()
    assert found["areas"] == wanted["areas"]
    assert found["per_query"] == wanted["per_query"]


def test_conventions_of_the_evaluation_apply() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 2}, "q3": {"a": 1}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 2.0}, "q4": {"a": 3.0}}
    assert abstention(qrels, run, "RR", rel=2).counts["unanswerable"] == 2
    assert abstention(qrels, run, "RR(rel=2)").counts["answerable"] == 1
    assert abstention(qrels, run, "RR", queries="both").queries == ("q1", "q2")
    chosen = abstention(qrels, run, "RR", queries=["q2"], signal={"q2": 1})
    assert chosen.judged.confidence.tolist() == [1.0]


def test_intervals_are_drawn_by_query_with_a_seed() -> None:
    rng = np.random.default_rng(7)
    answerable = rng.random(200) < 0.7
    scores = answerable + rng.normal(size=200)
    qrels = {f"q{at}": {"a": int(kind)} for at, kind in enumerate(answerable)}
    run = {f"q{at}": {"a": score} for at, score in enumerate(scores)}
    found = rm.abstention(qrels, run, "RR", resamples=400)
    one = found.auroc
    assert one.low < one.estimate < one.high
    n, others = answerable.sum(), (~answerable).sum()
    error = math.sqrt(one.estimate * (1 - one.estimate) / min(n, others))  # at most
    assert 0.02 < one.high - one.low < 4 * error
    again = rm.abstention(qrels, run, "RR", resamples=400)
    assert again.intervals == found.intervals
    other = rm.abstention(qrels, run, "RR", resamples=400, seed=1)
    assert other.auroc.low != one.low
    narrow = rm.abstention(qrels, run, "RR", resamples=400, confidence=0.5)
    assert one.low < narrow.auroc.low < narrow.auroc.high < one.high
    assert len(found.thresholds) == 10
    assert found.thresholds[0] == scores.min()


def test_what_is_undefined_says_why() -> None:
    found = abstention({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, "RR")
    assert math.isnan(found.auroc.estimate)
    assert found.auroc.undefined == "all queries are answerable, or none is"
    assert found.intervals["F1"].undefined == "no query is unanswerable"
    assert "AUROC: all queries are answerable, or none is" in str(found)
    assert found.to_dict()["areas"]["AUROC"]["estimate"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "DCG@10"}, "DCG@10 is not a share of success from 0 to 1"),
        ({"measure": "FallOut@10"}, "is not a share of success"),
        ({"measure": "Judged@10"}, "Judged@10 does not depend on what is relevant"),
        ({"signal": "mean"}, "signal is"),
        ({"signal": 3}, "signal is 3; choose one of max, std, diff1, or give {query id: number}"),
        ({"signal": {"q1": 1}}, "signal lacks 3 of 4 queries: 'q2', 'q3', 'q4'"),
        ({"signal": dict.fromkeys(RUN, "x")}, "the signal of query 'q1' is 'x'"),
        ({"signal": dict.fromkeys(RUN, math.nan)}, "need a finite number"),
        ({"thresholds": []}, "give at least one number"),
        ({"thresholds": [math.nan]}, "give at least one number"),
        ({"rates": [0.5]}, "give at least two from 0 to below 1"),
        ({"rates": [0.0, 1.0]}, "give at least two from 0 to below 1"),
        ({"confidence": 1.0}, "confidence"),
        ({"tied": "best"}, "tied is"),
        ({"no_relevant": "skip"}, "no_relevant does not apply to abstention"),
    ],
)
def test_mistakes_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises((rm.InputError, rm.MeasureError)) as caught:
        abstention(QRELS, RUN, **({"measure": "RR@10"} | options))
    assert said in str(caught.value)


def test_a_run_without_scores_needs_a_given_confidence() -> None:
    lists = {query: [*of] for query, of in RUN.items()}
    with pytest.raises(rm.SchemaError, match="no scores, from which confidence is taken"):
        abstention(QRELS, lists, "RR@10")
    sure = {query: of[next(iter(of))] for query, of in RUN.items()}
    found = abstention(QRELS, lists, "RR@10", signal=sure)
    assert found.auroc.estimate == abstention(QRELS, RUN, "RR@10").auroc.estimate
    assert "signal=given" in str(found)


def test_what_is_exported() -> None:
    found = abstention(QRELS, RUN, "RR@10", thresholds=[6, 2])
    assert [one.threshold for one in found.decisions] == [2.0, 6.0]
    written = json.loads(found.to_json())
    assert written["schema"] == 1
    assert written["areas"]["AUROC"]["estimate"] == found.auroc.estimate
    assert written["thresholds"][1] == found.at(6).to_dict()
    assert written["per_query"]["q5"] == {"answerable": True, "confidence": None, "value": 0.0}
    assert found.to_csv().splitlines()[3] == "q3,false,6.0,0.0"
    assert "AUROC=0.5000" in repr(found)
    assert "per_query" not in found.to_dict(per_query=False)
    with pytest.raises(rm.InputError, match="give a number"):
        found.at(math.nan)


def test_curves_are_plotted() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    found = abstention(QRELS, RUN, "RR@10")
    ax = found.plot(ax=Figure().add_subplot())
    assert np.array_equal(ax.lines[0].get_ydata(), found.risk_coverage()[1])
    assert "AURC 0.3867" in ax.get_title(loc="left")
    ax = found.plot("thresholds", ax=Figure().add_subplot())
    assert ax.lines[0].get_ydata().tolist() == [2 / 3, 2 / 3, 1 / 3, 1 / 3]  # type: ignore[union-attr]
    with pytest.raises(rm.InputError, match="choose risk or thresholds"):
        found.plot("roc", ax=Figure().add_subplot())  # type: ignore[arg-type]
    empty = abstention({"q": {"a": 1}, "r": {"a": 0}}, {"r": {"a": 1.0}, "q": {}}, "RR")
    assert empty.counts["returned_nothing"] == 1


def test_dicts_that_the_garbage_collector_does_not_list_are_read_again() -> None:
    code = """
import gc
import rankmark as rm
qrels = {f"q{i}": {"a": i % 2, "b": 0} for i in range(300)}
run = {q: {"a": 0.5 + i / 1000, "b": 0.4} for i, q in enumerate(qrels)}
gc.freeze()
print(rm.abstention(qrels, run, "RR", resamples=5).auroc.estimate > 0.5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("True", "")
