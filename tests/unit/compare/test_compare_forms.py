"""Less usual forms of runs, judgments, weights and clusters, and arguments in the wrong place."""

import math
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS = EXAMPLE / "qrels.txt"
QUERIES = [f"q{number}" for number in range(8)]
JUDGED = {query: {f"d{rank}": rank % 3 for rank in range(6)} for query in QUERIES}


def run_of(seed: int) -> dict[str, dict[str, float]]:
    draw = np.random.default_rng(seed)
    return {query: {f"d{rank}": draw.normal() for rank in range(9)} for query in QUERIES}


RUNS = {"old": run_of(1), "new": run_of(2)}


def table() -> pd.DataFrame:
    rows = [
        (name, query, document, score)
        for name, run in RUNS.items()
        for query, ranking in run.items()
        for document, score in ranking.items()
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    return {name: frame[name].tolist() for name in frame}


FORMS: dict[str, Callable[[], Any]] = {
    "columns": lambda: columns(table()),
    "arrays": lambda: {name: table()[name].to_numpy() for name in table()},
    "index": lambda: table().set_index("run"),
    "levels": lambda: table().set_index(["run", "query_id", "doc_id"]),
    "reader": lambda: pl.from_pandas(table()).to_arrow().to_reader(),
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_of_several_runs_are_split(form: str) -> None:
    expected = rm.compare(JUDGED, RUNS, "nDCG")
    found = rm.compare(JUDGED, FORMS[form](), "nDCG")
    assert found.runs == ("old", "new")
    assert found.differences == expected.differences


def test_an_iterator_of_paths_is_a_list_of_them() -> None:
    paths = sorted(EXAMPLE.glob("*.run"))
    assert rm.compare(QRELS, iter(paths), "AP").runs == rm.compare(QRELS, paths, "AP").runs


def test_the_baseline_may_be_a_number_as_the_names_may() -> None:
    assert rm.compare(JUDGED, {1: RUNS["old"], 2: RUNS["new"]}, "AP", baseline=2).baseline == "2"  # type: ignore[arg-type]


def test_evaluations_may_come_with_their_judgments() -> None:
    evaluated = {name: rm.evaluate(JUDGED, run, "AP") for name, run in RUNS.items()}
    expected = rm.compare(None, evaluated).differences
    for qrels in (JUDGED, rm.Qrels(JUDGED), dict(reversed(JUDGED.items()))):
        assert rm.compare(qrels, evaluated).differences == expected
    assert rm.compare(JUDGED, evaluated, ties="docid").differences == expected
    other = JUDGED | {"q0": {"d0": 1}}
    with pytest.raises(rm.MismatchError, match="old was evaluated with other judgments than these"):
        rm.compare(other, evaluated)
    with pytest.raises(rm.InputError, match="so ties cannot be chosen; old has ties 'docid'"):
        rm.compare(JUDGED, evaluated, ties="mean")
    verdict = rm.gate(JUDGED, *evaluated.values(), "AP", max_drop=0.1).conditions[0].decision
    alone = rm.gate(None, *evaluated.values(), "AP", max_drop=0.1).conditions[0].decision
    assert astuple(verdict) == astuple(alone)  # in tuples, one NaN equals itself
    with pytest.raises(rm.MismatchError, match="other judgments"):
        rm.gate(other, *evaluated.values(), "AP", max_drop=0.1)


def test_judgments_of_subtopics_are_read_as_the_evaluations_did() -> None:
    qrels = {"q1": {"a": {"s1": 1, "s2": 1}, "b": {"s1": 1}}, "q2": {"b": {"s1": 1}}}
    runs = {"old": {"q1": {"a": 2, "b": 1}}, "new": {"q1": {"b": 2, "a": 1}}}
    evaluated = {name: rm.evaluate(qrels, run, "alpha_nDCG@2") for name, run in runs.items()}
    assert rm.compare(qrels, evaluated).differences == rm.compare(None, evaluated).differences


MISPLACED: list[tuple[Any, str]] = [
    ((JUDGED, "nDCG@10"), r"runs is 'nDCG@10', which is a measure; the order is compare\(qrels"),
    ((JUDGED, ["nDCG@10", rm.AP], RUNS), "runs is 'nDCG@10', 'AP', which are measures"),
    ((RUNS, JUDGED, "AP"), r"qrels holds several runs; the order is compare\(qrels, runs"),
    ((JUDGED, {1: RUNS["old"], "1": RUNS["new"]}), "two runs have the name '1'"),
    ((JUDGED, pl.LazyFrame({"run": ["a"]})), "LazyFrame, which has no data yet; collect"),
    ((JUDGED, table().drop(columns="run")), "give frames of one run each by name"),
    ((JUDGED, {"run": ["a"], "query_id": ["q"], "doc_id": ["d", "e"]}), "1 to 2 rows"),
    ((JUDGED, {"run": [None], "query_id": ["q"], "doc_id": ["d"]}), "'run' has empty cells"),
    ((JUDGED, {"run": [], "query_id": [], "doc_id": []}), "the table has no rows"),
    ((JUDGED, {"old": RUNS["old"], "new": object()}), "^run 'new': run is "),
    ((JUDGED, {"old": RUNS["old"], "new": {"q": {"d": 1}}}), "^run 'new': none of its 1 quer"),
]


@pytest.mark.parametrize(("arguments", "message"), MISPLACED)
def test_what_is_no_set_of_runs_is_said(arguments: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.compare(*arguments)


def test_a_warning_names_the_run() -> None:
    with pytest.warns(rm.RankmarkWarning, match="^run 'new': it holds no documents"):
        rm.compare(JUDGED, {"old": RUNS["old"], "new": {}}, "AP")


@pytest.mark.slow
def test_queries_have_weights_and_clusters_in_every_form() -> None:
    weights = {query: float(at % 3) for at, query in enumerate(QUERIES)}
    frame = pd.DataFrame({"query_id": [*weights], "value": [*weights.values()]})
    forms: list[Any] = [
        pd.Series(weights),
        frame,
        pl.from_pandas(frame),
        columns(frame),
        frame.to_dict("records"),
    ]
    for name in ("weights", "clusters", "by"):
        given: Any = weights
        expected = rm.compare(JUDGED, RUNS, "AP", **{name: given})
        for form in forms:
            found = rm.compare(JUDGED, RUNS, "AP", **{name: form})
            assert found.differences == expected.differences
            assert [*found.slices] == [*expected.slices]
        wrongs: list[Any] = [[1.0] * 8, np.ones(8), 3, True, b"x", object()]
        for wrong in wrongs:
            with pytest.raises(rm.SchemaError, match=f"{name} is "):
                rm.compare(JUDGED, RUNS, "AP", **{name: wrong})
        twice: Any = pd.Series([1, 2], index=["q0", "q0"])
        with pytest.raises(rm.DuplicateError, match="a query appears twice"):
            rm.compare(JUDGED, RUNS, "AP", **{name: twice})
    several: Any = frame.assign(other=1)
    for name in ("weights", "clusters"):
        with pytest.raises(rm.SchemaError, match="several columns: 'value', 'other'"):
            rm.compare(JUDGED, RUNS, "AP", **{name: several})
    with pytest.raises(rm.SchemaError, match="by is a mapping of mappings"):
        rm.compare(JUDGED, RUNS, "AP", by={"kind": weights})


def test_clusters_and_queries_that_are_left_out_are_told() -> None:
    told = rm.compare(
        JUDGED, RUNS, "AP", clusters=dict.fromkeys(QUERIES[:4], 1) | dict.fromkeys(QUERIES[4:], 2)
    )
    assert (
        "queries belong to 2 clusters, which tests and intervals take into account" in told.legend
    )
    qrels = JUDGED | {"q0": {"d0": 0}}
    result = rm.compare(qrels, RUNS, ["AP", "RR"], no_relevant="nan")
    assert math.isnan(result["old"]["AP"])
    left_out = "AP, RR (1 pair): queries left out because a run has no score: 1 of 8"
    assert left_out in result.legend
    assert any(line.startswith("AP, RR: no mean, as some queries") for line in result.legend)
    scores = {"a": dict.fromkeys("xyz", 1.0), "b": {"x": 2.0, "y": 3.0}, "c": {"x": 2.0}}
    legend = rm.compare_scores(scores).legend
    assert "score (3 pairs): queries left out because a run has no score: 1 to 2 of 3" in legend
