"""Scores that other programs made: every form of them, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

ROWS = [
    {"run": "a", "query_id": "q1", "clicks": 3, "time": 0.5},
    {"run": "a", "query_id": "q2", "clicks": 1, "time": 0.25},
    {"run": "b", "query_id": "q1", "clicks": 4, "time": 0.75},
    {"run": "b", "query_id": "q2", "clicks": 1, "time": 0.5},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
BY_RUN: dict[str, dict[str, dict[str, Any]]] = {
    run: {
        str(row["query_id"]): {"clicks": row["clicks"], "time": row["time"]}
        for row in ROWS
        if row["run"] == run
    }
    for run in ("a", "b")
}


def expected(result: rm.Comparison) -> None:
    assert result.runs == ("a", "b")
    assert result.queries == ("q1", "q2")
    assert result.measures == ("clicks", "time")
    assert result.scores.tolist() == [[[3, 0.5], [4, 0.75]], [[1, 0.25], [1, 0.5]]]
    assert result.evaluations == {}
    assert result["b"] == {"clicks": 2.5, "time": 0.625}


@pytest.mark.parametrize(
    "scores",
    [ROWS, COLUMNS, BY_RUN, pd.DataFrame(ROWS), pl.DataFrame(ROWS), pl.DataFrame(ROWS).to_arrow(),
     pd.DataFrame(ROWS).set_index(["run", "query_id"]),
     {run: pd.DataFrame([r for r in ROWS if r["run"] == run]).drop(columns="run")
      for run in ("a", "b")}],
    ids=["rows", "columns", "mapping", "pandas", "polars", "arrow", "indexed", "frames by run"],
)  # fmt: skip
def test_every_form_gives_the_same(scores: Any) -> None:
    expected(rm.compare_scores(scores))


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "parquet", "csv.gz"])
def test_files_of_every_format(ending: str, tmp_path: Path) -> None:
    path, frame = tmp_path / f"scores.{ending}", pd.DataFrame(ROWS)
    if ending == "json":
        path.write_text(json.dumps(ROWS))
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    expected(rm.compare_scores(path))


def test_trec_eval_output_of_several_runs(tmp_path: Path) -> None:
    paths = []
    for run, second in (("a", 0.5), ("b", 1.0)):
        paths.append(tmp_path / f"{run}.eval")
        paths[-1].write_text(
            f"runid\tall\t{run}\nmap\tq1\t0.25\nrelstring\tq1\t'1-0'\nmap\tq2\t{second}\n"
            "num_q\tall\t2\nmap\tall\t0.375\n"
        )
    result = rm.compare_scores(paths)
    assert (result.runs, result.measures) == (("a", "b"), ("map",))
    assert result.scores[:, :, 0].tolist() == [[0.25, 0.25], [0.5, 1.0]]


@pytest.mark.slow
def test_real_output_of_trec_eval_agrees_with_our_own_evaluation(shared_data: Path) -> None:
    folder = shared_data / "dl-hard-passage"
    theirs = rm.compare_scores(sorted(folder.glob("*.eval")), ["map", "Rprec", "ndcg_cut_10"])
    ours = rm.compare(
        folder / "dl_hard-passage.qrels",
        str(folder / "*.run"),
        ["AP(rel=2)", "Rprec(rel=2)", "nDCG@10"],
    )
    assert [name.removesuffix(".run") for name in theirs.runs] == list(ours.runs)
    for run in ours.runs:
        assert list(theirs[run].values()) == pytest.approx(list(ours[run].values()), abs=6e-5)
    for theirs_row, ours_row in zip(theirs.differences, ours.differences, strict=True):
        assert theirs_row.difference == pytest.approx(ours_row.difference, abs=1e-4)
        assert theirs_row.p == pytest.approx(ours_row.p, abs=0.02)


def test_one_number_a_query() -> None:
    result = rm.compare_scores({"a": {"q1": 1, "q2": 2}, "b": {"q1": 2, "q2": 2}})
    assert result.measures == ("score",)
    assert result.differences[0].difference == 0.5


def test_missing_scores_are_left_out_and_counted() -> None:
    result = rm.compare_scores({"a": {"q1": 1.0, "q2": 2.0}, "b": {"q2": 5.0, "q3": 1.0}})
    assert result.queries == ("q1", "q2", "q3")
    (row,) = result.differences
    assert (row.n, row.left_out, row.difference) == (1, 2, 3.0)
    assert result["a"]["score"] == 1.5


def test_lower_is_better_as_told_or_as_known() -> None:
    told = rm.compare_scores(ROWS, "time", lower_is_better="time")
    assert told.leaderboard[0].run == "a"
    assert told.differences[0].better == "a"
    known = rm.compare_scores({"a": {"q1": {"MeanRank": 3}}, "b": {"q1": {"MeanRank": 1}}})
    assert known.leaderboard[0].run == "b"
    with pytest.raises(rm.InputError, match="lower_is_better names 'no'"):
        rm.compare_scores(ROWS, lower_is_better="no")


def test_whole_number_ids_of_frames_stay_whole() -> None:
    frame = pd.DataFrame({"run": ["a", "b"], "query_id": [1.0, 1.0], "x": [1, 2]})
    assert rm.compare_scores(frame).queries == ("1",)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "there are no scores"),
        (7, "scores are 7"),
        ([{"query_id": "q1", "x": 1}], "none of its columns could be run"),
        ([{"run": "a", "x": 1}], "could be query_id"),
        ([{"run": "a", "query_id": "q1"}], "no column of scores"),
        ([{"run": "a", "query_id": "q1", "x": "much"}], "column 'x' of row 1 is 'much'"),
        ([{"run": "a", "query_id": "q1", "x": 1}] * 2, "appears twice"),
        ([{"run": "a", "query_id": None, "x": 1}], "is empty"),
        ({"run": ["a"], "query_id": ["q1", "q2"], "x": [1]}, "1 to 2 rows"),
        ({"a": rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "AP")}, "use rm.compare"),
    ],
)
def test_what_is_no_table_is_refused(scores: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.compare_scores(scores)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("word\n", r":1: 'word' is no header"),
        ("run,query_id,x\na,q1\n", r":2: found 2 columns"),
        ("run,query_id,x,x\na,q1,1,1\n", "two columns have the name 'x'"),
        ("map\tq1\t0.5\nmap\tq1\t0.5\n", r":2: map of query 'q1' appears twice"),
        ("map\tq1\t0.5\nword\n", ":2: 'word' is not a measure"),
        ("map\tall\t0.5\n", "only numbers for all queries"),
        ('{"a": 1}\n{"a"\n', ":2: this is not valid JSON"),
    ],
)
def test_files_that_cannot_be_read_are_named_with_their_line(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(text)
    with pytest.raises((rm.ParseError, rm.DuplicateError), match=message) as caught:
        rm.compare_scores(path)
    assert caught.value.where == str(path)


def test_means_that_differ_by_rounding_only_are_equal() -> None:
    given = {"a": [0.1, 0.7], "b": [0.4, 0.4]}
    found = rm.compare_scores(
        {
            "run": np.repeat([*given], 2),
            "query_id": [*range(2)] * 2,
            "P": [*given["a"], *given["b"]],
        }
    )
    assert found["a"] != found["b"]  # in the last digit
    assert [row.rank for row in found.leaderboard] == [1, 1]
    assert (found.differences[0].difference, found.differences[0].better) == (0.0, None)
