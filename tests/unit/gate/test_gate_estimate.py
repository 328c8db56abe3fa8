"""Gates over an estimate from human labels and LLM labels."""

import math
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import rankmark as rm
from rankmark.errors import InputError, NotEvaluatedError
from rankmark.statistics.reweighting import smallest_margin
from unit.estimate.test_estimate import MODEL, PEOPLE, RUNS

THREE = {**RUNS, "again": RUNS["new"]}


def estimated(runs: Any = RUNS, measures: Any = "nDCG@10", **choices: Any) -> rm.Estimate:
    return rm.estimate(PEOPLE, MODEL, runs, measures, **choices)


def test_a_bound_of_95_percent_is_an_end_of_the_estimates_interval_of_90() -> None:
    found = estimated(measures=["nDCG@10", "RR"], confidence=0.9)
    result = rm.gate(found, max_drop=0.1)
    assert (result.baseline_name, result.new_name, result.verdict) == ("old", "new", "holds")
    assert [str(one.condition.measure) for one in result.conditions] == ["nDCG@10", "RR"]
    for one in result.conditions:
        row = found.difference("new", "old", str(one.condition.measure))
        decision = one.decision
        assert (decision.difference, decision.n) == (row.estimate, row.found.n)
        assert (decision.low, decision.high) == pytest.approx((row.low, row.high), rel=1e-12)
        if decision.p > 1e-12:
            assert row.ends(1 - 2 * decision.p)[0] == pytest.approx(-0.1, abs=1e-9)


def test_students_intervals_give_students_bounds() -> None:
    found = estimated(interval="t", confidence=0.9)
    (one,) = rm.gate(found, max_drop=0.1).conditions
    row, decision = found.difference(), one.decision
    assert (decision.low, decision.method) == (pytest.approx(row.low), "Student's t")
    t = (row.estimate + 0.1) / row.found.error
    assert decision.p == pytest.approx(stats.t.sf(t, row.found.degrees), rel=1e-9)


def test_normal_intervals_give_normal_bounds() -> None:
    found = estimated(interval="normal", confidence=0.9)
    decision = rm.gate(found, max_drop=0.1).conditions[0].decision
    assert decision.low == pytest.approx(found.difference().low, rel=1e-12)
    assert decision.method == "normal quantiles"


def test_the_runs_may_change_places_whichever_the_estimate_has_first() -> None:
    there = rm.gate(estimated(), "old", "new", max_drop=0.1).conditions[0].decision
    back = rm.gate(estimated(), "new", "old", max_drop=0.1).conditions[0].decision
    assert (back.difference, back.low, back.high) == (-there.difference, -there.high, -there.low)
    assert (back.baseline, back.other) == (there.other, there.baseline)
    assert (back.wins, back.losses) == (there.losses, there.wins)


def test_verdicts_exit_codes_and_words_are_those_of_a_gate() -> None:
    assert rm.gate(estimated(), "new", "old", max_drop=0.04).verdict == "does not hold"
    assert rm.gate(estimated(), "new", "old", max_drop=0.09).verdict == "cannot tell"
    held = rm.gate(estimated(), "new", "old", max_drop=0.2)
    assert (held.verdict, held.exit_code) == ("holds", 0)
    assert "of the estimate (gains and losses, Korn-Graubard)" in str(held)
    better = rm.gate(estimated(interval="t"), require_better=True)
    assert "needed: above 0" in str(better)
    assert "40 of 120 queries are judged by people" in str(better)
    assert "do not allow for rare large losses" in str(better)
    assert 'tests="1" failures="0"' in better.to_junit()
    assert better.to_dict()["sample"].startswith("40 of 120 queries")


def test_a_measure_of_which_less_is_better_is_turned_round() -> None:
    found = estimated(measures="MeanRank")
    decision = rm.gate(found, max_drop=0.5, max_query_drop=8).conditions[0].decision
    row = found.difference("new", "old")
    assert decision.difference == row.estimate < 0
    assert decision.verdict == "holds"
    assert decision.low < row.estimate < decision.high
    assert rm.gate(found, "new", "old", max_drop=0.0, max_query_drop=8).verdict == "does not hold"


def test_candidates_share_the_error() -> None:
    result = rm.gate(estimated(THREE), max_drop=0.1)
    assert {*result.candidates} == {"new", "again"}
    assert result.conditions[0].decision.confidence == pytest.approx(0.975)
    assert rm.gate(estimated(THREE, baseline="new"), max_drop=0.1).baseline_name == "new"


def test_runs_without_a_difference_hold_as_they_would_in_a_gate_of_people() -> None:
    same = estimated({"old": RUNS["old"], "same": RUNS["old"]})
    decision = rm.gate(same, max_drop=0.1).conditions[0].decision
    assert decision.verdict == "holds"
    assert decision.low == pytest.approx(-smallest_margin(decision.n))
    tight = rm.gate(same, max_drop=0.01)
    assert (tight.verdict, tight.conditions[0].decision.p) == ("cannot tell", 0.5)


def test_by_t_they_have_no_interval_and_are_passed_if_that_is_asked() -> None:
    same = estimated({"old": RUNS["old"], "same": RUNS["old"]}, interval="t")
    result = rm.gate(same, max_drop=0.1)
    assert result.verdict == "cannot tell"
    assert "there is no interval of this difference" in str(result)
    assert math.isnan(result.conditions[0].decision.low)
    assert rm.gate(same, max_drop=0.1, unchanged="pass").verdict == "holds"


def test_a_file_has_the_conditions(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text('[[conditions]]\nmeasure = "nDCG@10"\nmax_drop = 0.1\n')
    assert rm.gate(estimated(), config=file).verdict == "holds"


@pytest.mark.parametrize(
    ("given", "choices", "said"),
    [
        ((), {"max_drop": "1%"}, "give max_drop in these units"),
        ((), {"max_drop": 0.1, "max_query_drop": 0.5}, "neither slices nor max_query_drop"),
        ((), {"max_drop": 0.1, "anytime": True}, "anytime cannot be chosen for an estimate"),
        ((), {"max_drop": 0.1, "weights": {"q1": 1}}, "weights cannot be chosen for an estimate"),
        ((), {"max_drop": 0.1, "slices": {"a": ["q1"]}}, "slices cannot be chosen"),
        ((), {"max_drop": 0.1, "ties": "mean"}, "ties cannot be chosen for an estimate"),
        (("nDCG@10",), {"max_drop": 0.1}, "the estimate has no run 'nDCG@10'; it has 'old', 'new'"),
        (("old", "old"), {"max_drop": 0.1}, "a run is named twice"),
        (("old", 3), {"max_drop": 0.1}, "new is 3; need the name of a run"),
    ],
)
def test_what_an_estimate_cannot_decide_is_refused(given: Any, choices: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rm.gate(estimated(), *given, **choices)


def test_a_measure_or_a_pair_that_was_not_estimated_is_refused() -> None:
    with pytest.raises(NotEvaluatedError, match="RR"):
        rm.gate(estimated(), "old", "new", "RR", max_drop=0.1)
    against_old = estimated(THREE, baseline="old")
    with pytest.raises(NotEvaluatedError):
        rm.gate(against_old, "new", "again", max_drop=0.1)


def test_a_gate_without_runs_says_so() -> None:
    with pytest.raises(InputError, match="base or new is None; give the baseline, and the new run"):
        rm.gate(PEOPLE, max_drop=0.1)
