"""Several runs as one: forms of runs, leaderboard, differences, and what is refused."""

import copy
import io
import itertools
import json
import math
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark import statistics

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS = EXAMPLE / "qrels.txt"
FILES = {name: EXAMPLE / f"{name}.run" for name in ("bm25", "lsa", "overlap")}
MEASURES = ["nDCG@10", "AP", "Success@5"]


def compared(**options: Any) -> rm.Comparison:
    return rm.compare(QRELS, FILES, MEASURES, **options)


def run_frame() -> pd.DataFrame:
    parts = [
        pd.read_csv(
            path,
            sep=r"\s+",
            names=["query_id", "q0", "doc_id", "rank", "score", "tag"],
            dtype={"query_id": str, "doc_id": str},
        )[["query_id", "doc_id", "score"]].assign(run=name)
        for name, path in FILES.items()
    ]
    return pd.concat(parts)


def test_means_are_those_of_evaluate_to_the_bit() -> None:
    result = compared()
    for name, path in FILES.items():
        alone = rm.evaluate(QRELS, path, MEASURES)
        assert result.evaluations[name] == alone
        assert result[name] == alone.means
        assert [row.mean for row in result.leaderboard.where(run=name)] == [*alone.values()]
        assert result.per_query(name, "AP") == alone.per_query("AP")


@pytest.mark.parametrize(
    "runs",
    [
        [str(path) for path in FILES.values()],
        tuple(FILES.values()),
        {name: rm.Run(path) for name, path in FILES.items()},
        {name: str(path) for name, path in FILES.items()},
        run_frame(),
        pl.from_pandas(run_frame()),
        pl.from_pandas(run_frame()).to_arrow(),
        run_frame().rename(columns={"run": "system"}),
    ],
    ids=["list", "tuple", "prepared", "paths", "pandas", "polars", "arrow", "system"],
)
def test_every_form_of_runs_gives_the_same(runs: Any) -> None:
    result = rm.compare(QRELS, runs, MEASURES)
    assert result.runs == tuple(FILES)
    assert result.leaderboard == compared().leaderboard
    assert result.scores.tobytes() == compared().scores.tobytes()


def test_a_pattern_names_files_in_natural_order(tmp_path: Path) -> None:
    assert rm.compare(QRELS, str(EXAMPLE / "*.run"), "AP").runs == tuple(sorted(FILES))
    for number in (9, 10, 11):
        shutil.copy(FILES["bm25"], tmp_path / f"run{number}.run")
    found = rm.compare(QRELS, str(tmp_path / "*.run"), "AP", test="t")
    assert found.runs == ("run9", "run10", "run11")


def test_names_that_files_share_are_told_apart(tmp_path: Path) -> None:
    paths = []
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "bm25.run")
        paths[-1].write_bytes(FILES["bm25"].read_bytes())
    result = rm.compare(QRELS, paths, "AP")
    assert result.runs == ("old/bm25", "new/bm25")
    assert (result.differences[0].difference, result.differences[0].p) == (0, 1)
    assert result.differences[0].warning == "all differences are 0"


@pytest.mark.slow
def test_evaluations_are_compared_without_reading_again() -> None:
    evaluations = {name: rm.evaluate(QRELS, path, MEASURES) for name, path in FILES.items()}
    result = rm.compare(None, evaluations)
    assert result.leaderboard == compared().leaderboard
    assert rm.compare(None, [*evaluations.values()]).runs == tuple(FILES)
    assert rm.compare(None, evaluations, "AP").measures == ("AP",)


def test_all_pairs_are_compared_unless_there_is_a_baseline() -> None:
    assert compared().pairs == [*itertools.combinations(FILES, 2)]
    against = compared(baseline="lsa")
    assert against.pairs == [("lsa", "bm25"), ("lsa", "overlap")]
    assert {row.baseline for row in against.differences} == {"lsa"}
    assert all(set(row.better_than) <= {"lsa"} for row in against.leaderboard if row.run != "lsa")


def test_a_difference_is_the_run_minus_the_baseline() -> None:
    result = compared()
    for row in result.differences:
        expected = result[row.run][row.measure] - result[row.baseline][row.measure]
        assert row.difference == pytest.approx(expected, abs=1e-12)
        assert row.low <= row.difference <= row.high
        assert row.better == (row.run if row.difference > 0 else row.baseline)
        assert row.wins + row.ties + row.losses == row.n == len(result.queries)


def test_figures_are_those_of_the_statistics_room() -> None:
    result = compared(baseline="bm25", resamples=2000, seed=3)
    bm25, lsa = (result.scores[:, result.runs.index(name), 0] for name in ("bm25", "lsa"))
    row = result.differences.where(run="lsa", measure="nDCG@10")[0]
    test = statistics.randomisation_test(bm25, lsa, resamples=2000, seed=3)
    assert (row.p, row.smallest_p) == (test.p, test.smallest_p)
    interval = statistics.mean_interval(lsa - bm25, method="t")
    assert (row.low, row.high) == (interval.low, interval.high)
    effect = statistics.effect_size(bm25, lsa)
    assert (row.d_z, row.cliffs_delta, row.wins) == (effect.d_z, effect.cliffs_delta, effect.wins)
    of_measure = [one.p for one in result.differences if one.measure == "nDCG@10"]
    assert [one.adjusted_p for one in result.differences if one.measure == "nDCG@10"] == (
        statistics.adjust(of_measure, "holm").adjusted.tolist()
    )


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "bootstrap"])
@pytest.mark.parametrize("correction", ["holm", "hochberg", "bonferroni", "bh", "by", "none"])
def test_every_test_with_every_correction(test: Any, correction: Any) -> None:
    result = compared(test=test, correction=correction, resamples=200)
    for row in result.differences:
        assert row.undefined or 0 < row.p <= row.adjusted_p <= 1
        assert row.significant == (row.adjusted_p <= 0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "correction"),
    [
        ("randomisation", "tukey"),
        ("t", "tukey"),
        ("randomisation", "max-t"),
        ("bootstrap", "max-t"),
    ],
)
def test_corrections_that_know_the_scores(test: Any, correction: Any) -> None:
    for row in compared(test=test, correction=correction, resamples=200).differences:
        assert row.undefined or 0 < row.adjusted_p <= 1
        assert row.family == 3


def test_a_family_of_all_measures_corrects_for_all() -> None:
    assert {row.family for row in compared(test="t").differences} <= {0, 1, 2, 3}
    assert {row.family for row in compared(test="t", family="all").differences} == {9}


def test_shares_get_wilsons_interval_and_no_single_point() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(10)}
    result = rm.compare(qrels, {"one": {q: {"a": 1} for q in qrels}}, ["Success@1", "RR"])
    row = result.leaderboard[0]
    assert (row.method, row.mean, row.high) == ("Wilson", 1.0, 1.0)
    assert row.low == pytest.approx(0.7225, abs=1e-4)
    assert len(result.differences) == 0
    pair = rm.compare(
        qrels,
        {"one": {q: {"a": 1} for q in qrels}, "two": {q: {"b": 1, "a": 0} for q in qrels}},
        "Success@1",
    )
    (difference,) = pair.differences
    assert (difference.method, difference.difference, difference.low) == ("Newcombe", -1.0, -1.0)
    assert -0.65 < difference.high < -0.55
    forced = rm.compare(qrels, {"one": {q: {"a": 1} for q in qrels}}, "RR", interval="t")
    assert forced.leaderboard[0].undefined.startswith("all values are 1")


def test_lower_is_better_turns_ranks_wins_and_words() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    good = {q: {"a": 2, "b": 1} for q in qrels}
    bad = {q: {"a": 1, "b": 2} for q in qrels}
    result = rm.compare(qrels, {"bad": bad, "good": good}, rm.measure("MeanRank"))
    assert [row.run for row in result.leaderboard] == ["good", "bad"]
    (row,) = result.differences
    assert (row.difference, row.better, row.wins, row.losses) == (-1.0, "good", 4, 0)
    assert any("lower is better" in line for line in result.legend)


def test_counts_are_sums_and_geometric_means_are_not_tested() -> None:
    result = rm.compare(QRELS, FILES, ["NumRelRet", 'AP(aggregate="gmean")'], baseline="bm25")
    counts = result.differences.where(measure="NumRelRet")
    for row in counts:
        assert row.difference == pytest.approx(
            result[row.run]["NumRelRet"] - result["bm25"]["NumRelRet"]
        )
    for row in result.differences.where(measure=result.measures[1]):
        assert "geometric mean" in row.undefined
        assert math.isnan(row.p)


def test_queries_that_all_answer_are_compared_where_both_is_asked_for() -> None:
    qrels = {q: {"a": 1} for q in ("q1", "q2", "q3")}
    runs = {"x": {q: {"a": 1} for q in ("q1", "q2")}, "y": {q: {"a": 1} for q in ("q2", "q3")}}
    with pytest.warns(rm.RankmarkWarning, match="1 of 2 queries are answered by all runs"):
        result = rm.compare(qrels, runs, "RR", queries="both")
    assert result.queries == ("q2",)
    assert {one.queries for one in result.evaluations.values()} == {("q2",)}
    with pytest.raises(rm.MismatchError, match="no judged query is answered by all runs"):
        rm.compare(qrels, {"x": {"q1": {"a": 1}}, "y": {"q2": {"a": 1}}}, "RR", queries="both")


def test_queries_without_a_score_are_left_out_and_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}}
    runs = {name: {q: {"a": 1, "b": 0.5} for q in qrels} for name in ("x", "y")}
    result = rm.compare(qrels, runs, "RR", no_relevant="skip")
    assert (result.leaderboard[0].n, result.leaderboard[0].left_out) == (2, 1)
    assert result.leaderboard[0].mean == 0.75
    assert (result.differences[0].n, result.differences[0].left_out) == (2, 1)


def test_ties_that_could_reverse_a_difference_are_named() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    tied = {q: {"a": 1.0, "b": 1.0} for q in qrels}
    clear = {q: {"a": 0.5, "b": 1.0} for q in qrels}
    better = {q: {"a": 1.0} for q in qrels}
    result = rm.compare(qrels, {"tied": tied, "clear": clear, "better": better}, "RR")
    of_pair = {(row.baseline, row.run): row.reversible_by for row in result.differences}
    assert of_pair["clear", "better"] == "nothing"
    assert of_pair["tied", "better"] == "ties"
    assert of_pair["tied", "clear"] == ""  # equal means
    judged = rm.compare(
        qrels, {"one": {"q1": {"x": 2, "a": 1}}, "two": {"q1": {"a": 1}}}, "RR", bounds=True
    )
    assert judged.differences[0].reversible_by == "unjudged"


def test_resamples_suffice_for_the_family_and_seeds_repeat() -> None:
    many = {f"run{i}": FILES["bm25"] for i in range(40)}
    by_holm = rm.compare(QRELS, many, "AP", correction="holm")
    assert by_holm.chosen.resamples == 20 * 780 / 0.05
    assert rm.compare(QRELS, many, "AP").chosen.resamples == 10_000  # by the largest t of all
    assert compared().chosen.resamples == 10_000
    assert compared(seed=7).differences == compared(seed=7, threads=1).differences
    drawn = compared(seed=None).settings["seed"]
    assert isinstance(drawn, int)
    assert drawn != compared(seed=None).settings["seed"]


def test_a_comparison_travels_and_is_written() -> None:
    result = compared()
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other.leaderboard == result.leaderboard
        assert other.differences == result.differences
    frame = result.to_pandas()
    assert list(frame.columns) == ["run", "query_id", *MEASURES]
    assert len(frame) == len(FILES) * len(result.queries)
    assert result.to_polars().equals(pl.from_pandas(frame))
    assert result.to_arrow().to_pylist() == frame.to_dict("records")
    assert len(result.leaderboard.to_polars()) == 9
    assert "adjusted_p" in result.differences.to_pandas()
    written = json.loads(result.to_json(per_query=True))
    assert written["settings"]["test"] == "randomisation"
    assert written["settings"]["seed"] == 0
    assert written["runs"]["bm25"]["per_query"]
    assert len(written["differences"]) == 9
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0] = 1


def test_other_names_of_measures_are_found() -> None:
    assert compared().per_query("bm25", "map") == compared().per_query("bm25", "AP")
    with pytest.raises(rm.NotEvaluatedError):
        compared().per_query("bm25", "RR")
    with pytest.raises(rm.NotEvaluatedError, match="run 'no' was not compared"):
        compared()["no"]


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ({}, {}, "runs is empty"),
        ([], {}, "runs is an empty list"),
        (7, {}, "runs is int"),
        ({"q1": {"a": 1.0}}, {}, "runs looks like one run"),
        ({"a": 1.0}, {}, "compare_scores takes scores"),
        ([{"q1": {"a": 1.0}}], {}, "runs without names"),
        (["a.run", "a.run"], {}, "two runs have the name 'a.run'"),
        (FILES, {"baseline": "no"}, "need one of bm25, lsa, overlap"),
        (FILES, {"test": "z"}, "test is 'z'"),
        (FILES, {"correction": "z"}, "correction is 'z'"),
        (FILES, {"confidence": 95}, "confidence is 95"),
        (FILES, {"resamples": 0}, "resamples is 0"),
        (FILES, {"seed": -1}, "seed is -1"),
        (FILES, {"test": "t", "correction": "max-t"}, "max-t belongs to the bootstrap and"),
        (FILES, {"correction": "tukey", "baseline": "lsa"}, "tukey is for all pairs"),
        (FILES, {"ties": "no"}, "ties is 'no'"),
        (str(EXAMPLE), {}, "it is a folder"),
        (str(EXAMPLE / "no*.run"), {}, "no file matches"),
        (run_frame().drop(columns="run"), {}, "needs a column run"),
        (run_frame().assign(run=None), {}, "has empty cells"),
        (run_frame(), {"columns": {"run": "no"}}, "has no column 'no'"),
    ],
)
def test_what_cannot_be_compared_is_refused(runs: Any, options: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.compare(QRELS, runs, "AP", **options)


@pytest.mark.slow
def test_evaluations_that_differ_are_refused_with_what_differs() -> None:
    bm25 = rm.evaluate(QRELS, FILES["bm25"], "AP")
    some = list(bm25.queries)[:2]
    others = {
        "different conventions: ties 'docid' and 'input'": {"ties": "input"},
        "different conventions: queries": {"queries": some},
    }
    for message, options in others.items():
        lsa = rm.evaluate(QRELS, FILES["lsa"], "AP", **options)  # type: ignore[arg-type]
        with pytest.raises(rm.MismatchError, match=message):
            rm.compare(None, {"bm25": bm25, "lsa": lsa})
    qrels = {"q1": {"a": 1}}
    elsewhere = rm.evaluate(qrels, {"q1": {"a": 1}}, "AP")
    with pytest.raises(rm.MismatchError, match="on different queries"):
        rm.compare(None, {"bm25": bm25, "other": elsewhere})
    changed = rm.evaluate({"q1": {"b": 1}}, {"q1": {"a": 1}}, "AP")
    with pytest.raises(rm.MismatchError, match="with different judgments"):
        rm.compare(None, {"one": elsewhere, "two": changed})
    with pytest.raises(rm.MismatchError, match="no measure in common"):
        rm.compare(None, {"one": bm25, "two": rm.evaluate(QRELS, FILES["lsa"], "RR")})
    with pytest.raises(rm.MismatchError, match="with other judgments than these"):
        rm.compare(qrels, {"one": bm25, "two": bm25})
    with pytest.raises(rm.InputError, match="so ties cannot be chosen"):
        rm.compare(None, {"one": bm25, "two": bm25}, ties="input")
    with pytest.raises(rm.SchemaError, match="some runs are evaluations"):
        rm.compare(None, {"one": bm25, "two": FILES["lsa"]})


def test_a_broken_run_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.run"
    broken.write_text("q1 Q0 d1 1 much tag\n")
    with pytest.raises(rm.ParseError, match=r"broken\.run:1"):
        rm.compare(QRELS, [FILES["bm25"], broken], "AP")


def test_one_query_leaves_nothing_to_test() -> None:
    qrels = {"q1": {"a": 1}}
    result = rm.compare(qrels, {"x": {"q1": {"a": 1}}, "y": {"q1": {"b": 1, "a": 0}}}, "RR")
    (row,) = result.differences
    assert row.p == row.smallest_p == 1.0
    assert "no p-value below 1" in row.warning
    assert result.leaderboard[0].undefined or result.leaderboard[0].method == "Wilson"
    assert np.isfinite(row.difference)


def test_measures_and_queries_that_can_be_read_once_serve_all_runs() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(4)}
    runs = {run: {query: {run: 1.0} for query in qrels} for run in "ab"}
    chosen = (name for name in ["RR", "P@5"])
    found = rm.compare(qrels, runs, chosen, queries=io.StringIO("q1\nq2\n"))
    assert (found.measures, found.queries) == (("RR", "P@5"), ("q1", "q2"))


def test_what_is_unknown_of_one_measure_is_known_of_another() -> None:
    qrels = rm.Qrels({f"q{n}": {"s1": {"a": 1}, "s2": {"b": 1}} for n in range(9)}, subtopics=True)
    runs = {
        "one": {f"q{n}": {"a": 3.0, "x": 2.0} for n in range(9)},
        "two": {f"q{n}": {"x": 3.0, "y": 2.0, "a": 1.0} for n in range(9)},
    }
    found = rm.compare(qrels, runs, ["P@2", "alpha_nDCG@10"], bounds=True, test="t")
    assert [row.reversible_by for row in found.differences] == ["unjudged", ""]
    with pytest.raises(rm.MeasureError, match="unavailable for subtopic"):
        _ = found.evaluations["one"].bounds
