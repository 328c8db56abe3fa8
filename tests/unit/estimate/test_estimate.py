"""Estimates from a few human labels and many LLM labels."""

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics.prediction_powered import prediction_powered

QUERIES, JUDGED = 120, 40


def collection() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return human labels and LLM labels of all queries, and two runs."""
    rng = np.random.default_rng(3)
    people: dict[str, Any] = {}
    model: dict[str, Any] = {}
    runs: dict[str, Any] = {"old": {}, "new": {}}
    for number in range(QUERIES):
        query = f"q{number}"
        labels = rng.integers(0, 4, 8)
        noise = rng.integers(-1, 2, 8) * (rng.random(8) < 0.5)
        people[query] = {f"d{at}": int(one) for at, one in enumerate(labels)}
        model[query] = {
            f"d{at}": int(one) for at, one in enumerate(np.clip(labels + noise + 1, 0, 3))
        }
        for run, spread in (("old", 4.0), ("new", 1.5)):
            scores = labels + spread * rng.standard_normal(8)
            runs[run][query] = {f"d{at}": float(one) for at, one in enumerate(scores)}
    return people, model, runs


ALL_PEOPLE, MODEL, RUNS = collection()
PEOPLE = {query: ALL_PEOPLE[query] for query in [*ALL_PEOPLE][:JUDGED]}


def write_files(folder: Path) -> None:
    """Write people.txt, model.txt, old.run and new.run."""
    rm.convert(PEOPLE, folder / "people.txt", kind="qrels")
    rm.convert(MODEL, folder / "model.txt", kind="qrels")
    for name, run in RUNS.items():
        rm.convert(run, folder / f"{name}.run", kind="run")


def estimated(**changes: Any) -> rm.Estimate:
    given: dict[str, Any] = {"people": PEOPLE, "model": MODEL, "runs": RUNS, "measures": "nDCG@10"}
    return rm.estimate(**(given | changes))


def test_means_and_differences_are_those_of_the_statistics() -> None:
    found = estimated(measures=["nDCG@10", "RR"])
    assert [(one.measure, one.run) for one in found.means] == [
        ("nDCG@10", "old"),
        ("nDCG@10", "new"),
        ("RR", "old"),
        ("RR", "new"),
    ]
    scores = {
        (judge, run): list(rm.evaluate(labels, RUNS[run], "nDCG@10").per_query("nDCG@10").values())
        for judge, labels in (("people", ALL_PEOPLE), ("model", MODEL))
        for run in RUNS
    }
    expected = prediction_powered(
        np.r_[
            np.subtract(scores["people", "new"], scores["people", "old"])[:JUDGED],
            [math.nan] * (QUERIES - JUDGED),
        ],
        np.subtract(scores["model", "new"], scores["model", "old"]),
        between=(-1.0, 1.0),
    )
    one = found.difference("new", "old", "nDCG@10")
    assert one.estimate == pytest.approx(expected.estimate)
    assert (one.low, one.high) == pytest.approx((expected.interval.low, expected.interval.high))
    assert one.p == pytest.approx(expected.p)
    assert one.effective_n > 1.3 * JUDGED


def test_people_alone_have_the_numbers_of_compare() -> None:
    found = estimated(interval="t").difference()
    compared = rm.compare(PEOPLE, RUNS, "nDCG@10", interval="t").differences[0]
    people = found.found.people
    assert people.estimate == pytest.approx(compared.difference)
    assert (people.low, people.high) == pytest.approx((compared.low, compared.high))
    alone = estimated(method="human", interval="t").difference()
    assert (alone.low, alone.high) == pytest.approx((compared.low, compared.high))


def test_the_model_alone_has_the_mean_of_evaluate() -> None:
    for run in RUNS:
        mean = estimated().mean(run)
        assert mean.found.model.estimate == pytest.approx(
            rm.evaluate(MODEL, RUNS[run], "nDCG@10")["nDCG@10"]
        )


def test_the_first_line_decides() -> None:
    found = estimated()
    assert str(found).splitlines()[0] == found.decision
    row = found.difference()
    assert found.decision.startswith(
        f"new is better than old by {row.estimate:.4f} nDCG@10 (95%: {row.low:+.4f} to"
    )
    assert "40 queries judged by people, with the model's labels of 80 others, are worth" in (
        found.decision
    )
    same = estimated(runs={"a": RUNS["old"], "b": RUNS["old"]})
    assert same.decision.startswith("Cannot tell whether b or a is better: the difference in")
    # In 40 queries, a share of 1 - 0.025^(1/40) may be missing, and be lost or won.
    most = 1 - 0.025 ** (1 / 40)
    assert (same.difference().low, same.difference().high) == pytest.approx((-most, most))
    by_t = estimated(runs={"a": RUNS["old"], "b": RUNS["old"]}, interval="t")
    assert by_t.decision.startswith("The difference of b - a in nDCG@10 is unknown: all 40")
    close = {
        f"close {at}": RUNS["old"] | {query: RUNS["new"][query] for query in [*MODEL][at::20]}
        for at in (0, 1)
    }
    several = estimated(runs={"old": RUNS["old"], **close})
    least, most = (end(row.effective_n for row in several.differences) for end in (min, max))
    assert several.decision.startswith("None of the 3 differences in nDCG@10 is significant. 40")
    assert several.decision.endswith(f"worth {least:,.1f} to {most:,.1f} judged by people alone.")
    single = estimated(runs={"old": RUNS["old"]})
    assert single.decision.startswith("old has nDCG@10 0.")
    assert single.differences == ()
    with pytest.raises(rm.InputError, match="a single run"):
        single.difference()


def test_a_measure_where_less_is_better_is_told_so() -> None:
    found = estimated(measures="MeanRank")
    assert found.difference().estimate < 0
    assert found.decision.startswith("new is better than old by")


@pytest.mark.parametrize("form", ["file", "frame", "qrels"])
def test_the_form_of_the_input_does_not_matter(form: str, tmp_path: Path) -> None:
    expected = estimated().to_csv()
    labels = {"people": PEOPLE, "model": MODEL}
    if form == "file":
        for name, one in labels.items():
            rm.convert(one, tmp_path / f"{name}.txt", kind="qrels")
        for name, run in RUNS.items():
            rm.convert(run, tmp_path / f"{name}.run", kind="run")
        given: dict[str, Any] = {name: tmp_path / f"{name}.txt" for name in labels}
        given["runs"] = [tmp_path / "old.run", tmp_path / "new.run"]
    elif form == "frame":
        pandas = pytest.importorskip("pandas")
        given = {
            name: pandas.DataFrame(
                [(q, d, label) for q, of in one.items() for d, label in of.items()],
                columns=["query_id", "doc_id", "label"],
            )
            for name, one in labels.items()
        }
        given["runs"] = pandas.DataFrame(
            [
                (r, q, d, s)
                for r, run in RUNS.items()
                for q, of in run.items()
                for d, s in of.items()
            ],
            columns=["run", "query_id", "doc_id", "score"],
        )
    else:
        given = {name: rm.Qrels(one) for name, one in labels.items()}
    assert estimated(**given).to_csv() == expected


def test_a_chosen_sample_is_refused_unless_it_is_stated_to_be_random() -> None:
    scores = rm.evaluate(MODEL, RUNS["old"], "nDCG@10").per_query("nDCG@10")
    best = sorted(scores, key=lambda query: -scores[query])[:JUDGED]
    chosen = {query: ALL_PEOPLE[query] for query in best}
    with pytest.raises(rm.InputError, match="do not look like a random sample: by the model, the"):
        estimated(people=chosen)
    assert "as stated" in estimated(people=chosen, random=True).sample
    differ = rm.evaluate(MODEL, RUNS["new"], "nDCG@10").per_query("nDCG@10")
    order = sorted(scores, key=lambda query: -abs(scores[query] - differ[query]))
    with pytest.raises(rm.InputError, match="sizes of new - old"):
        estimated(people={query: ALL_PEOPLE[query] for query in order[:JUDGED]})
    with pytest.raises(rm.InputError, match="their probabilities are not given"):
        estimated(random=False)


@pytest.mark.parametrize("kind", ["mapping", "plan", "csv", "frame", "lines"])
def test_probabilities_come_in_many_forms(kind: str, tmp_path: Path) -> None:
    plan = rm.choose_queries(MODEL, RUNS, "nDCG@10", n=30, method="active")
    people = {query: ALL_PEOPLE[query] for query in plan.chosen}
    expected = estimated(people=people, probabilities=plan.probabilities)
    given: Any = plan.probabilities
    if kind == "plan":
        given = plan
    elif kind == "frame":
        given = plan.to_pandas()
    elif kind == "csv":
        given = tmp_path / "plan.csv"
        given.write_text(plan.to_csv())
    elif kind == "lines":
        given = tmp_path / "plan.txt"
        given.write_text("".join(f"{q} {p!r}\n" for q, p in plan.probabilities.items()))
    found = estimated(people=people, probabilities=given)
    assert found.to_csv() == expected.to_csv()
    assert found.sample == "drawn with the probabilities given"


def test_strata_come_from_a_plan() -> None:
    plan = rm.choose_queries(MODEL, RUNS, "nDCG@10", n=30, method="stratified")
    people = {query: ALL_PEOPLE[query] for query in plan.chosen}
    found = estimated(people=people, strata=plan)
    assert found.to_csv() == estimated(people=people, strata=plan.strata).to_csv()
    assert found.sample == "a random sample of each of 4 strata"
    both = estimated(people=people, strata=plan, probabilities=plan)
    assert both.difference().estimate == found.difference().estimate


def test_queries_that_a_plan_did_not_choose_are_refused() -> None:
    plan = rm.choose_queries(MODEL, RUNS, "nDCG@10", n=30, method="active")
    with pytest.raises(rm.InputError, match="the plan did not choose"):
        estimated(probabilities=plan)
    few = {query: ALL_PEOPLE[query] for query in plan.chosen[:25]}
    with pytest.warns(rm.RankmarkWarning, match="5 of the 30 queries that were chosen"):
        estimated(people=few, probabilities=plan)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "max-t", "none"])
def test_corrections_widen_intervals_and_raise_p(correction: Any) -> None:
    runs = RUNS | {"mixed": {q: RUNS["old" if at % 2 else "new"][q] for at, q in enumerate(MODEL)}}
    found = estimated(runs=runs, correction=correction)
    for row in found.differences:
        assert row.adjusted_p >= row.p - 0.003
        assert row.family == (1 if correction == "none" else 3)
        assert row.significant == (row.adjusted_p <= 0.05)
        if row.significant:
            assert row.adjusted_low >= 0 or row.adjusted_high <= 0
    widths = [row.adjusted_high - row.adjusted_low for row in found.differences]
    plain = [row.high - row.low for row in found.differences]
    if correction in {"max-t", "bonferroni"}:
        assert all(one > other for one, other in zip(widths, plain, strict=True))
    based = estimated(runs=runs, correction=correction, baseline="new")
    assert [row.name for row in based.differences] == ["old - new", "mixed - new"]


def several_runs() -> dict[str, Any]:
    """Return runs of which some differ significantly and others do not, in both directions."""
    rng = np.random.default_rng(8)
    return {
        name: {
            query: {doc: label + spread * rng.standard_normal() for doc, label in labels.items()}
            for query, labels in ALL_PEOPLE.items()
        }
        for name, spread in (("a", 1.2), ("b", 4.5), ("c", 1.3), ("d", 6.0), ("e", 2.0))
    }


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_people_alone_are_corrected_as_compare_corrects_them(correction: Any) -> None:
    runs = several_runs()
    found = estimated(runs=runs, correction=correction, interval="t")
    compared = rm.compare(PEOPLE, runs, "nDCG@10", test="t", correction=correction, interval="t")
    others = {(row.run, row.baseline): row for row in compared.differences}
    for row in found.differences:
        assert row.baseline is not None
        other = others[row.run, row.baseline]
        ends = (row.people_adjusted_low, row.people_adjusted_high)
        assert ends == pytest.approx((other.adjusted_low, other.adjusted_high))
        assert row.to_dict()["people_adjusted_low"] == ends[0]
    alone = estimated(runs=runs, correction=correction, method="human", interval="t")
    for row, both in zip(alone.differences, found.differences, strict=True):
        assert (row.adjusted_low, row.adjusted_high) == row.people_shown == both.people_shown


def test_an_end_that_is_0_is_not_part_of_the_interval() -> None:
    found = estimated(runs=several_runs())
    lines = str(found).splitlines()
    open_ended = [row for row in found.differences if 0.0 in (row.adjusted_low, row.adjusted_high)]
    assert open_ended
    for row in open_ended:
        assert row.significant
        assert row.excludes_zero
        line = next(line for line in lines if line.startswith(f"{row.name} "))
        end = f"(0, {row.adjusted_high:+.4f}]"
        assert (end if row.adjusted_low == 0 else f"[{row.adjusted_low:+.4f}, 0)") in line
    assert "(95%: above 0, to +" in found.decision or " to below 0). " in found.decision
    assert any("where one ends at 0, it leaves 0 out" in note for note in found.notes)
    assert "ends at 0" not in str(estimated(runs=several_runs(), correction="max-t"))


def test_a_significant_difference_whose_interval_contains_0_is_named() -> None:
    found = estimated(runs=several_runs())
    apart = [row for row in found.differences if row.significant and not row.excludes_zero]
    told = [note for note in found.notes if "significant, but the interval contains 0" in note]
    assert len(told) == bool(apart)
    made = found.differences[0]
    row = replace(made, significant=True, adjusted_low=-0.1, adjusted_high=0.2, family=10)
    told = [
        note
        for note in replace(found, differences=(row, *found.differences[1:])).notes
        if "significant, but the interval contains 0" in note
    ]
    assert len(told) == 1
    assert told[0].startswith(f"{row.name}")


def test_a_complete_and_finite_set_needs_no_estimate() -> None:
    found = estimated(people=ALL_PEOPLE, runs=several_runs(), finite=True)
    largest = max(found.differences, key=lambda row: abs(row.estimate))
    assert found.decision == (
        f"{largest.run} is worse than {largest.baseline} by {-largest.estimate:.4f} nDCG@10, the "
        "largest of 10 differences. People judged all 120 queries."
    )
    assert [note for note in found.notes if "no intervals: people judged all" in note]
    same = estimated(people=ALL_PEOPLE, runs={"a": RUNS["old"], "b": RUNS["old"]}, finite=True)
    assert same.decision == "b and a have the same nDCG@10. People judged all 120 queries."


def test_families_may_have_all_measures() -> None:
    found = estimated(measures=["nDCG@10", "RR"], family="all")
    assert [row.family for row in found.differences] == [2, 2]


def test_the_half_width_says_how_many_labels_are_needed() -> None:
    found = estimated(half_width=0.05)
    needed = found.difference().labels_for(0.05)
    assert needed.alone is not None
    assert needed.with_model is None or needed.with_model < needed.alone
    assert any(
        note.startswith("for an interval of ±0.05 for new - old, nDCG@10") for note in found.notes
    )
    assert found.to_dict()["labels_needed"][0]["alone"] == needed.alone
    several = estimated(runs=several_runs(), half_width=0.05).notes
    assert any(note.startswith("for a single interval of ±0.05 for") for note in several)


def test_few_labels_are_warned_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match="people judged 19 queries"):
        estimated(people={query: PEOPLE[query] for query in [*PEOPLE][:19]})


def test_a_finite_set_is_narrower() -> None:
    finite, usual = estimated(finite=True).difference(), estimated().difference()
    assert finite.high - finite.low < usual.high - usual.low
    assert finite.estimate == pytest.approx(usual.estimate, abs=0.02)


def test_queries_restrict_both_sets_of_labels() -> None:
    some = [*MODEL][20:100]
    found = estimated(queries=some)
    assert found.mean().found.n == 20
    assert found.mean().found.others == 60
    cut = {query: PEOPLE[query] for query in some[:20]}
    within = estimated(people=cut, model={query: MODEL[query] for query in some})
    assert found.to_csv() == within.to_csv()


def test_queries_that_the_model_did_not_judge_are_refused() -> None:
    with pytest.raises(rm.MismatchError, match="the model did not judge 80 of the 120 queries"):
        estimated(people=MODEL, model=PEOPLE)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"measures": "NumRel"}, "adds up over queries"),
        ({"baseline": "x"}, "baseline is 'x'"),
        ({"half_width": 0.0}, "half_width"),
        ({"strata": {"q1": "a"}}, "strata has none for 119"),
        ({"probabilities": {"q1": 0.5}}, "probabilities has none for 39"),
        ({"probabilities": dict.fromkeys(MODEL, "x")}, "need a number"),
        ({"probabilities": dict.fromkeys(MODEL, 2)}, "probability of query 'q0' is 2"),
        ({"runs": {"a": iter([RUNS["old"]])}}, "can be read once"),
        ({"correction": "bh"}, "correction is 'bh'"),
        ({"finite": "yes"}, "finite is 'yes'"),
    ],
)
def test_what_is_impossible_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises((rm.RankmarkError, TypeError), match=told):
        estimated(**changes)


def test_results_travel_and_are_written() -> None:
    found = estimated(measures=["nDCG@10", "RR"])
    assert pickle.loads(pickle.dumps(found)).to_csv() == found.to_csv()
    written = json.loads(found.to_json())
    assert written["decision"] == found.decision
    assert written["means"][0]["lambda"] == found.mean().found.lam
    assert len(found.to_csv().splitlines()) == 1 + 4 + 2
    with pytest.raises(rm.NotEvaluatedError, match="AP was not estimated"):
        found.plot("AP")
    with pytest.raises(rm.NotEvaluatedError, match="nothing was estimated for run x"):
        found.mean("x")


@pytest.mark.slow
def test_the_plot_shows_three_rows_for_each_difference() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = estimated().plot(ax=Figure(layout="constrained").add_subplot())
    assert [one.get_text() for one in ax.get_yticklabels()] == [
        "new - old: people alone",
        "people and model",
        "model alone",
    ]
    assert ax.get_xlabel() == "difference in nDCG@10"


def test_queries_whose_stratum_is_nan_are_refused() -> None:
    strata = {query: math.nan if query == "q3" else "head" for query in MODEL}
    with pytest.raises(rm.InputError, match="strata has none for 1 of 120 queries: 'q3'"):
        estimated(strata=strata)
