"""A gate over several candidates, trials, weights and slices."""

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import rankmark as rm
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.statistics.margin_decision import decide_margin
from rankmark.testing import assert_not_worse
from unit.gate.gated_runs import BETTER, OLD, QUERIES, UNSURE, WORSE, gate, judged, run_of, scores


def test_a_gate_holds_if_one_candidate_may_go_live_and_the_best_comes_first() -> None:
    result = gate({"worse": run_of(WORSE), "same": run_of(OLD), "better": run_of(BETTER)})
    assert (result.verdict, result.exit_code, result.new_name) == ("holds", 0, "better")
    assert list(result.candidates) == ["better", "same", "worse"]
    assert result.passing == ("better", "same")
    assert [one.verdict for one in result.candidates.values()] == [
        *("holds", "holds", "does not hold"),
    ]
    assert str(result).startswith(
        "3 candidates against baseline: 2 may go live, best first: better, same\n"
    )
    written = json.loads(result.to_json())
    assert written["passing"] == ["better", "same"]
    assert [one["name"] for one in written["candidates"]] == ["better", "same", "worse"]
    assert [*result.to_pandas()["run"]] == ["better", "same", "worse"]


def test_no_candidate_may_go_live_if_none_holds() -> None:
    result = gate({"worse": run_of(WORSE), "unsure": run_of(UNSURE)}, max_drop=0.0001)
    assert (result.verdict, result.exit_code, result.passing) == ("does not hold", 3, ())
    assert "none may go live" in str(result)


def test_candidates_share_the_error_so_that_bounds_p_and_verdicts_agree() -> None:
    alone = gate(run_of(UNSURE)).conditions[0]
    shared = gate({"a": run_of(UNSURE), "b": run_of(WORSE), "c": run_of(BETTER)})
    one = shared.candidates["a"].conditions[0]
    assert one.decision.confidence == pytest.approx(1 - 0.05 / 3)
    assert one.decision.low < alone.decision.low
    assert one.decision.p == pytest.approx(alone.decision.p)
    assert one.adjusted_p == pytest.approx(min(1, 3 * alone.decision.p))
    for each in shared.candidates.values():
        (found,) = each.conditions
        assert (found.verdict == "holds") == (found.decision.low > -0.05)
        assert (found.verdict == "holds") == (found.adjusted_p < 0.05)


@pytest.mark.slow
def test_a_candidate_that_holds_alone_need_not_hold_among_many() -> None:
    new = [rank + (n % 14 == 0) for n, rank in enumerate(OLD)]
    assert gate(run_of(new), max_drop=0.04).verdict == "holds"
    many = {f"c{n}": run_of(new) for n in range(30)}
    assert gate(many, max_drop=0.04).verdict == "cannot tell"


def test_formats_say_which_candidates_pass() -> None:
    result = gate({"better": run_of(BETTER), "worse": run_of(WORSE)})
    page = result.to_markdown()
    assert page.startswith("### ✅ 2 candidates against `baseline`: `better` may go live")
    root = ElementTree.fromstring(result.to_junit())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("2", "0", "1")
    skipped = root.find("testsuite/testcase/skipped")
    assert skipped is not None
    assert (skipped.get("message") or "").startswith("does not hold: ")
    failing = gate({"worse": run_of(WORSE), "worst": run_of(WORSE)})
    root = ElementTree.fromstring(failing.to_junit())
    assert (root.get("failures"), root.get("skipped")) == ("2", "0")
    assert "may go live" in result._repr_html_()


def test_systems_are_told_apart_by_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, ranks in (("main", OLD), ("branch", BETTER)):
        Path(folder).mkdir()
        Path(folder, "x.json").write_text(json.dumps(run_of(ranks)))
    result = gate("branch/x.json", "main/x.json")
    assert (result.baseline_name, result.new_name) == ("main/x.json", "branch/x.json")
    assert gate("main/x.json", "main/x.json").new_name == "main/x.json"
    assert gate({"baseline": run_of(BETTER), "x": run_of(OLD)}).new_name == "baseline"


def test_trials_are_one_system_with_their_scores_averaged() -> None:
    seeds = [run_of(BETTER), run_of(UNSURE), run_of(OLD)]
    result = gate(seeds, [run_of(OLD), run_of(UNSURE)])
    (found,) = result.conditions
    new = (scores(BETTER) + scores(UNSURE) + scores(OLD)) / 3
    old = (scores(OLD) + scores(UNSURE)) / 2
    expected = decide_margin(old, new, 0.05)
    assert found.decision.low == pytest.approx(expected.low)
    assert found.decision.other == pytest.approx(new.mean())
    of_base, of_new = result.reliabilities
    assert (of_base.trials, of_new.trials) == (2, 3)
    assert of_new.worst_mean == pytest.approx(scores(UNSURE).mean())
    assert of_new.worst == "trial 2"
    assert result.to_dict()["runs"]["new"]["reliability"] == [of_new.to_dict()]
    row = next(
        line
        for line in str(result).split("\n")
        if {of_new.run, of_new.worst} <= {*re.split("  +", line)}
    )
    compared = rm.compare(judged(), {of_new.run: seeds, "old": run_of(OLD)}, "RR", test="t")
    assert row.split() in [line.split() for line in str(compared).split("\n")]
    assert "trials: each query counts once" not in str(result)
    weighted = gate(seeds, weights={f"q{n}": 1 + n % 4 for n in range(QUERIES)})
    assert "trials: each query counts once" in str(weighted)
    named = gate({"seeds": seeds, "alone": run_of(OLD)})
    assert len(named.candidates["seeds"].new.evaluations) == 3
    assert len(named.candidates["alone"].new.evaluations) == 1


def test_a_run_in_any_form_is_not_taken_for_several_systems() -> None:
    lists = {f"q{n}": ["d1", "a"] for n in range(QUERIES)}
    frame = pd.DataFrame(
        [
            (query, doc, 2.0 - place)
            for query, docs in lists.items()
            for place, doc in enumerate(docs)
        ],
        columns=["query_id", "doc_id", "score"],
    )
    rows = frame.to_dict("records")
    columns = frame.to_dict("list")
    for new in (lists, frame, rows, columns, rm.Run(lists)):
        result = gate(new)
        assert len(result.candidates) == 1
        assert result.conditions[0].decision.other == pytest.approx(0.5)
    several = gate({"lists": lists, "frame": frame, "run": rm.Run(lists)})
    assert {one.conditions[0].decision.other for one in several.candidates.values()} == {0.5}


@pytest.mark.slow
def test_evaluations_may_be_candidates_and_trials() -> None:
    ranks = (OLD, OLD, BETTER, BETTER, WORSE)
    old, again, new, more, other = (rm.evaluate(judged(), run_of(r), "RR") for r in ranks)
    result = rm.gate(None, [old, again], {"a": [new, more], "b": other}, "RR", max_drop=0.05)
    assert result.passing == ("a",)
    assert len(result.baseline.evaluations) == 2
    with pytest.raises(SchemaError, match="some runs are evaluations, and some are not"):
        rm.gate(judged(), old, {"a": new, "b": run_of(WORSE)}, "RR", max_drop=0.05)


def test_a_system_without_runs_and_two_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="a system has no runs"):
        gate([])
    with pytest.raises(DuplicateError, match="two runs have the name"):
        gate({"1": run_of(OLD), 1: run_of(BETTER)})


def test_weights_are_those_of_decide_margin() -> None:
    weights = {f"q{n}": 1 + n % 4 for n in range(QUERIES)}
    (found,) = gate(run_of(UNSURE), weights=weights).conditions
    expected = decide_margin(
        scores(OLD), scores(UNSURE), 0.05, weights=[weights[f"q{n}"] for n in range(QUERIES)]
    )
    assert found.decision.low == pytest.approx(expected.low)
    assert found.decision.effective == pytest.approx(expected.effective)
    assert found.decision.effective < QUERIES
    assert found.to_dict()["effective"] == pytest.approx(expected.effective)
    text = str(gate(run_of(UNSURE), weights=weights))
    assert f"200 queries are worth {expected.effective:.1f} of equal weight" in text
    assert "are worth" not in str(gate(run_of(UNSURE)))


def test_weights_and_clusters_of_a_slice_are_those_of_its_queries() -> None:
    weights = {f"q{n}": 1 + n % 4 for n in range(QUERIES)}
    clusters = {f"q{n}": n // 4 for n in range(QUERIES)}
    half = [f"q{n}" for n in range(100)]
    asked = rm.Condition("RR", 0.1, slice="half")
    result = rm.gate(
        judged(), run_of(OLD), run_of(UNSURE), asked, slices={"half": half}, weights=weights,
        clusters=clusters,
    )  # fmt: skip
    expected = decide_margin(
        scores(OLD)[:100],
        scores(UNSURE)[:100],
        0.1,
        weights=[weights[query] for query in half],
        clusters=[clusters[query] for query in half],
    )
    assert result.conditions[0].decision.low == pytest.approx(expected.low)
    assert result.conditions[0].decision.clusters == 25


def test_a_slice_without_any_weight_is_refused_by_its_name() -> None:
    weights = {f"q{n}": int(n > 5) for n in range(QUERIES)}
    asked = rm.Condition("RR", 0.1, slice="none")
    with pytest.raises(InputError, match="slice 'none': all of its queries have weight 0"):
        rm.gate(judged(), run_of(OLD), run_of(OLD), asked, slices={"none": ["q1"]}, weights=weights)


KINDS = {f"q{n}": "rare" if n < 2 else f"kind {n // 2 % 3 + 9}" for n in range(QUERIES)}


def test_slices_are_in_natural_order_and_each_measure_has_to_hold_in_each() -> None:
    result = gate(run_of(BETTER), by=KINDS, max_drop=0.2)
    names = ["RR", "RR, kind 9", "RR, kind 10", "RR, kind 11", "RR, rare"]
    assert [one.name for one in result.conditions] == names


@pytest.mark.parametrize(
    ("policy", "verdict", "names"),
    [
        ("fail", "cannot tell", 5),
        ("warn", "holds", 5),
        ("ignore", "holds", 4),
    ],
)
def test_a_slice_too_small_to_decide_follows_the_policy(
    policy: Any, verdict: str, names: int
) -> None:
    result = gate(run_of(BETTER), by=KINDS, max_drop=0.2, small_slices=policy)
    assert (result.verdict, len(result.conditions)) == (verdict, names)
    assert "1 slice has too few queries to hold even if nothing changed" in str(result)
    assert result.ignored_slices == ({"rare": 2} if policy == "ignore" else {})
    small = [one.name for one in result.conditions if one.small]
    assert small == ([] if policy == "ignore" else ["RR, rare"])
    if policy == "warn":
        root = ElementTree.fromstring(result.to_junit())
        assert (root.get("failures"), root.get("skipped")) == ("0", "1")
        assert "(cannot tell)" in str(result)


@pytest.mark.slow
def test_a_drop_that_a_small_slice_shows_counts_unless_it_is_ignored() -> None:
    new = run_of([10 if KINDS[f"q{n}"] == "kind 9" else rank for n, rank in enumerate(BETTER)])
    chosen = {"by": KINDS, "max_drop": 0.2, "min_slice": 90}
    assert gate(new, **chosen, small_slices="warn").verdict == "does not hold"
    assert gate(new, **chosen, small_slices="ignore").verdict == "holds"
    result = gate(run_of(BETTER), by=KINDS, max_drop=0.2, min_slice=3, small_slices="warn")
    assert "1 slice has fewer than 3 queries: 'rare'" in str(result)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"small_slices": "skip"}, "need one of fail, warn, ignore"),
        ({"min_slice": 0}, "need a whole number from 1"),
        ({"anytime": 1}, "need True or False"),
        ({"worst": -1}, "need a whole number from 0"),
        ({"unchanged": "skip"}, "need one of decide, pass"),
    ],
)
def test_options_that_cannot_be_are_refused(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        gate(run_of(BETTER), **choices)


def test_a_condition_that_has_queries_instead_of_keywords_is_refused() -> None:
    old, new = run_of(OLD), run_of(BETTER)
    for verb in (rm.gate, rm.gate_power):
        with pytest.raises(InputError, match="the condition on 'RR' has 'q1'; need a number, or"):
            verb(judged(), old, new, {"RR": {"q1": 5}})


def test_an_empty_run_is_wrong_input_and_not_a_gate_that_does_not_hold() -> None:
    for new in ({}, {"q1": {}}):
        with pytest.raises(InputError, match="it holds no documents"):
            gate(new)
    with pytest.raises(InputError, match="it holds no documents"):
        gate(run_of(OLD), {"q1": {}})
    with pytest.raises(InputError, match="it holds no documents"):
        gate({"a": run_of(OLD), "b": {"q1": {}}})


def test_a_run_that_holds_although_it_is_worse_is_told() -> None:
    new = [rank + (n % 3 == 0) for n, rank in enumerate(OLD)]
    result = gate(run_of(new), max_drop=0.3)
    assert result.verdict == "holds"
    assert result.conditions[0].is_worse
    assert "; but a drop was shown: with the same confidence at most -0." in str(result)
    assert "a drop was shown" not in str(gate(run_of(BETTER)))


def test_the_same_run_is_told_from_one_with_the_same_scores() -> None:
    run = run_of(OLD)
    assert gate(run, run).same == "object"
    same = gate(run_of(OLD))
    assert same.same == "scores"
    assert "both have the same score for every query" in str(same).splitlines()[0]
    assert gate(run_of(BETTER)).same == ""


def test_rows_of_a_table_are_in_one_unit() -> None:
    result = rm.gate(judged(), run_of(OLD), run_of(BETTER), {"RR": "20%", "P@1": 0.3})
    lines = str(result).splitlines()[3:5]
    assert lines[0].split()[1:] != []
    numbers = [line.split()[4:] for line in lines]
    assert all(cell.endswith("%") or cell == ">" for cell in numbers[0])
    assert not any("%" in cell for cell in numbers[1])


def test_every_format_has_wins_ties_and_losses() -> None:
    result = gate(run_of(UNSURE))
    d = result.conditions[0].decision
    counts = f"{d.wins}/{d.ties}/{d.losses}"
    for written in (str(result), result.to_markdown(), result.to_junit(), result._repr_html_()):
        assert counts in written
    one = json.loads(result.to_json())["conditions"][0]
    assert (one["wins"], one["ties"], one["losses"]) == (d.wins, d.ties, d.losses)


@pytest.mark.slow
def test_conditions_that_fail_come_first_and_few_reasons_are_given() -> None:
    kinds = {f"q{n}": n % 40 for n in range(QUERIES)}
    result = gate(run_of(BETTER), by=kinds, max_drop=0.2)
    lines = str(result).splitlines()
    assert lines[0].endswith("(41 conditions: 1 holds, 40 cannot tell)")
    assert lines[3].startswith("RR, 0 ")
    assert "cannot tell" in lines[3]
    assert lines[43].startswith("RR ")
    assert len(lines) < 75
    assert "35 more are undecided; JSON has the reason for each" in lines


def test_assertions_take_all_options_of_the_gate() -> None:
    result = assert_not_worse(
        judged(), [run_of(OLD)], {"a": run_of(BETTER), "b": run_of(WORSE)}, "RR", max_drop=0.05,
    )  # fmt: skip
    assert result.passing == ("a",)
    with pytest.raises(AssertionError, match="none may go live"):
        assert_not_worse(
            judged(), run_of(OLD), {"a": run_of(WORSE), "b": run_of(WORSE)}, "RR", max_drop=0.05
        )


def test_results_are_equal_if_all_that_is_written_is() -> None:
    a, b = (gate({"x": run_of(BETTER), "y": run_of(WORSE)}) for _ in range(2))
    assert a.to_dict() == b.to_dict()
    assert not math.isnan(a.conditions[0].adjusted_p)
