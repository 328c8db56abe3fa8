"""Aggregates besides the mean: what they are, what they refuse, and how they are shown."""

import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}, "q4": {"d": 1}}
RUN = {"q1": {"a": 2.0}, "q2": {"x": 2.0, "b": 1.0}, "q3": {"x": 9.0, "y": 8.0, "c": 7.0}}
RR = [1.0, 1 / 2, 1 / 3, 0.0]


def evaluated(**conventions: Any) -> rm.Evaluation:
    return rm.evaluate(QRELS, RUN, ["RR", "NumRet"], **conventions)


def of(ranks: list[int]) -> rm.Evaluation:
    """Give an evaluation in which RR is 1 through each rank; 0 for rank 0."""
    qrels = {str(query): {"a": 1} for query in range(len(ranks))}
    run = {
        str(query): {f"x{i}": 2.0 for i in range(rank - 1)} | {"a" if rank else "z": 1.0}
        for query, rank in enumerate(ranks)
    }
    return rm.evaluate(qrels, run, "RR")


@given(ranks=st.lists(st.integers(0, 12), min_size=1, max_size=30), percent=st.integers(1, 99))
def test_aggregates_are_those_of_the_standard_library(ranks: list[int], percent: int) -> None:
    ev = of(ranks)
    scores = [1 / rank if rank else 0.0 for rank in ranks]
    wanted = {
        "mean": statistics.fmean(scores),
        "median": statistics.median(scores),
        "gmean": statistics.geometric_mean([max(score, 1e-5) for score in scores]),
        "min": min(scores),
        "q0": min(scores),
        "max": max(scores),
        "q100": max(scores),
    }
    if len(scores) > 1:
        wanted["stdev"] = statistics.stdev(scores)
        cuts = statistics.quantiles(scores, n=100, method="inclusive")
        wanted[f"q{percent}"] = cuts[percent - 1]
    for how, value in wanted.items():
        assert ev.aggregate("RR", how) == pytest.approx(value, rel=1e-12, abs=1e-12), how
    assert ev.aggregate("RR") == ev["RR"]


@given(
    ranks=st.lists(st.integers(0, 6), min_size=1, max_size=6),
    weights=st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any),
)
def test_a_weight_counts_a_query_as_often_as_it_says(ranks: list[int], weights: list[int]) -> None:
    weights = weights[: len(ranks)]
    given_weights = {str(query): weight for query, weight in enumerate(weights)}
    repeated = [rank for rank, weight in zip(ranks, weights, strict=True) for _ in range(weight)]
    for how in ("mean", "gmean"):
        if repeated:
            wanted = of(repeated).aggregate("RR", how)
            found = of(ranks).aggregate("RR", how, weights=given_weights)
            assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        else:
            with pytest.raises(rm.InputError, match="all queries averaged have weight 0"):
                of(ranks).aggregate("RR", how, weights=given_weights)


def test_counts_are_averaged_where_an_aggregate_is_asked_for() -> None:
    ev = evaluated()
    assert ev["NumRet"] == 6.0
    assert ev.aggregate("NumRet", "mean") == 1.5
    assert ev.aggregate("num_ret", "median") == 1.5
    assert ev.aggregate("NumRet", "max") == 3.0


def test_aggregates_are_over_the_queries_that_are_averaged() -> None:
    assert evaluated(queries="both").aggregate("RR", "min") == pytest.approx(1 / 3)
    assert evaluated(queries=["q4", "q2"]).aggregate("RR", "max") == 0.5
    qrels = QRELS | {"q5": {"e": 0}}
    skipped = rm.evaluate(qrels, RUN, "RR", queries=["q1", "q5"], no_relevant="skip")
    assert skipped.aggregate("RR", "min") == 1.0
    assert skipped.aggregate("RR", "mean", weights={"q1": 2}) == 1.0
    undefined = rm.evaluate(qrels, RUN, "RR", no_relevant="nan")
    assert all(math.isnan(undefined.aggregate("RR", how)) for how in ("mean", "max", "q50"))
    nothing = rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "RR", no_relevant="skip")
    assert all(math.isnan(nothing.aggregate("RR", how)) for how in ("mean", "min", "gmean"))


def test_the_spread_of_one_query_is_not_a_number() -> None:
    assert math.isnan(evaluated(queries=["q1"]).aggregate("RR", "stdev"))


@pytest.mark.parametrize("how", ["avg", "q", "q101", "q-1", "quantile", "Mean", "", None, 5])
def test_an_aggregate_that_does_not_exist_is_refused(how: Any) -> None:
    with pytest.raises(rm.InputError, match=r"aggregate is .*; need one of mean, median, gmean"):
        evaluated().aggregate("RR", how)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"q1": 1}, r"without a weight: 3, 'q2', 'q3', 'q4'; give each a weight"),
        (dict.fromkeys(QRELS, -1), "'q1' is -1; need a finite number from 0"),
        (dict.fromkeys(QRELS, math.nan), "is nan"),
        (dict.fromkeys(QRELS, math.inf), "is inf"),
        (dict.fromkeys(QRELS, "1"), "is '1'"),
        (dict.fromkeys(QRELS, True), "is True"),
        (dict.fromkeys(QRELS, None), "is None"),
        (dict.fromkeys(QRELS, 0.0), "all queries averaged have weight 0"),
    ],
)
def test_weights_that_will_not_do_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(rm.InputError, match=said):
        evaluated().aggregate("RR", weights=weights)


@pytest.mark.parametrize("how", ["median", "stdev", "min", "max", "q25"])
def test_weights_are_refused_where_nobody_knows_what_they_mean(how: str) -> None:
    with pytest.raises(
        rm.InputError, match=f"weights go with mean and gmean; leave them out for {how}"
    ):
        evaluated().aggregate("RR", how, weights=dict.fromkeys(QRELS, 1))


def test_weights_of_other_queries_are_not_looked_at() -> None:
    weights = {"q1": 1.0, "q2": 3.0, "q9": -5.0}
    ev = evaluated(queries=["q1", "q2"])
    assert ev.aggregate("RR", weights=weights) == (1.0 + 3 * 0.5) / 4
    numbered = rm.evaluate([["a"], ["b"]], [["a"], ["x", "b"]], "RR")
    assert numbered.aggregate("RR", weights={0: 1, 1: 3}) == (1.0 + 3 * 0.5) / 4


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with qrels and a run, and go there."""
    qrels = "".join(f"{q} 0 {d} {n}\n" for q, ds in QRELS.items() for d, n in ds.items())
    run = "".join(f"{q} Q0 {d} 1 {s} t\n" for q, ds in RUN.items() for d, s in ds.items())
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "a.run").write_text(run)
    (tmp_path / "weights").write_text("q1 1\nq2\t3\n\nq3 0\nq4 0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = ("evaluate", "qrels", "a.run", "-m", "RR", "-m", "NumRet")


@pytest.mark.usefixtures("here")
def test_aggregates_are_rows_of_the_table_in_the_order_asked() -> None:
    done = rankmark_here(*COMMAND, "--aggregate", "median, max,q50,median")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()[:5]] == [
        ["run", "aggregate", "RR", "NumRet"],
        ["a", "median", "0.4167", "1.5000"],
        ["a", "max", "1.0000", "3.0000"],
        ["a", "q50", "0.4167", "1.5000"],
        [],
    ]


@pytest.mark.usefixtures("here")
def test_aggregates_stand_below_the_rows_of_queries() -> None:
    done = rankmark_here(*COMMAND, "--aggregate", "mean,min", "--per-query")
    rows = [line.split() for line in done.stdout.splitlines()[: len(QRELS) + 3]]
    assert rows[0] == ["run", "query_id", "aggregate", "RR", "NumRet"]
    assert [row[:3] for row in rows[1:]] == [
        *(["a", query, f"{score:.4f}"] for query, score in zip(QRELS, RR, strict=True)),
        ["a", "all", "mean"],
        ["a", "all", "min"],
    ]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_aggregates_stand_beside_the_scores_of_json(form: str) -> None:
    plain, asked = (
        json.loads(rankmark_here(*COMMAND, "--queries", "q1", "--format", form, *more).stdout)
        for more in ([], ["--aggregate", "max,stdev"])
    )
    run, other = (asked["runs"][0], plain["runs"][0]) if form == "json" else (asked, plain)
    aggregates = run.pop("aggregates")
    assert run == other
    assert aggregates == {
        "max": {"RR": 1.0, "NumRet": 1.0},
        "stdev": {"RR": None, "NumRet": None},
    }


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_aggregates_are_rows_in_every_format_of_tables(form: str) -> None:
    done = rankmark_here(*COMMAND, "--aggregate", "min,max", "--format", form)
    lines = [line.replace("|", " ").replace("&", " ").split() for line in done.stdout.splitlines()]
    for row in (["a", "min", "0.0000", "0.0000"], ["a", "max", "1.0000", "3.0000"]):
        assert row in [line[:4] for line in lines]


@pytest.mark.usefixtures("here")
def test_weights_are_read_from_a_file_and_named_in_the_table() -> None:
    done = rankmark_here(*COMMAND, "--aggregate", "mean", "--weights", "weights")
    assert done.stdout.splitlines()[1].split() == ["a", "weighted", "mean", "0.6250", "1.7500"]
    done = rankmark_here(
        *COMMAND, "--aggregate", "mean", "--weights", "-", "--format", "jsonl", "--queries", "q1",
        input="q1 2.5",
    )  # fmt: skip
    run = json.loads(done.stdout)
    assert run["aggregates"] == {"weighted mean": {"RR": 1.0, "NumRet": 1.0}}
    assert run["settings"]["weights"] == {"q1": 2.5}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("q1 1\nq2\n", "weights:2: 'q2' does not end in a weight; write `qid weight`"),
        ("q1 -1\n", "weights:1: 'q1 -1' does not end in a weight"),
        ("q1 inf\n", "weights:1: 'q1 inf' does not end in a weight"),
        ("q1 nan\n", "weights:1: 'q1 nan' does not end in a weight"),
        ("q1 1\n\nq1 2\n", "weights:3: query 'q1' appears twice; keep one of the two lines"),
        ("q1 1\n", "weights: averaged queries without a weight: 3, 'q2', 'q3', 'q4'"),
    ],
)
def test_a_file_of_weights_that_will_not_do_is_told_by_its_line(weights: str, said: str) -> None:
    Path("weights").write_text(weights)
    done = rankmark_here(*COMMAND, "--aggregate", "gmean", "--weights", "weights")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"rankmark: {said}")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--aggregate", "average"], "aggregate is 'average'; need one of mean"),
        (["--aggregate", "mean,,min"], "aggregate is ''; need one of mean"),
        (["--aggregate", "mean,q5", "--weights", "weights"], "leave them out for q5"),
    ],
)
def test_aggregates_that_do_not_exist_are_wrong_usage(options: list[str], said: str) -> None:
    done = rankmark_here(*COMMAND, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
