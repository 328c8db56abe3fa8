"""Slices of the queries: the same comparison in each, corrected together."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark import statistics
from rankmark.verbs.compare.statistics_choices import enough_resamples

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS = EXAMPLE / "qrels.txt"
RUNS = str(EXAMPLE / "*.run")
QUERIES = rm.evaluate(QRELS, EXAMPLE / "bm25.run", "AP").queries
HALVES = {query: ("short", "long")[at % 2] for at, query in enumerate(QUERIES)}


def sliced(by: Any = HALVES, **options: Any) -> rm.Comparison:
    return rm.compare(QRELS, RUNS, ["nDCG@10", "AP"], by=by, **options)


def test_a_slice_is_the_comparison_of_its_queries_alone() -> None:
    result = sliced(correction="none")
    assert list(result.slices) == ["long", "short"]
    for name, part in result.slices.items():
        own = [query for query in QUERIES if HALVES[query] == name]
        alone = rm.compare(QRELS, RUNS, ["nDCG@10", "AP"], queries=own, correction="none")
        assert part.queries == tuple(own)
        assert part.scores.tobytes() == alone.scores.tobytes()
        for row, expected in zip(part.differences, alone.differences, strict=True):
            assert (row.slice, row.difference, row.p) == (name, expected.difference, expected.p)


def test_p_values_of_one_measure_are_corrected_over_pairs_and_slices() -> None:
    result = sliced(test="t")
    for measure in result.measures:
        rows = result.slices.differences.where(measure=measure)
        expected = statistics.adjust([row.p for row in rows], "holm")
        assert [row.adjusted_p for row in rows] == expected.adjusted.tolist()
        assert {row.family for row in rows} == {6}
    assert {row.family for row in result.differences} == {3}


def test_family_all_corrects_over_pairs_measures_slices_and_the_whole() -> None:
    result = sliced(test="t", family="all")
    rows = [*result.slices.differences, *result.differences]
    assert {row.family for row in rows} == {18}
    expected = statistics.adjust([row.p for row in rows], "holm").adjusted
    assert [row.adjusted_p for row in rows] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("form", ["frame", "polars", "tsv", "csv", "lines", "columns"])
def test_every_form_of_attributes(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": list(HALVES), "length": list(HALVES.values())})
    path = tmp_path / f"queries.{form}"
    by: Any = {"frame": frame, "polars": pl.from_pandas(frame), "columns": frame.to_dict("list")}
    if form in by:
        given = by[form]
    else:
        separator = {"tsv": "\t", "csv": ",", "lines": " "}[form]
        frame.to_csv(path, sep=separator, index=False, header=form != "lines")
        given = path
    assert sliced(given).slices.differences == sliced().slices.differences


def test_several_attributes_name_their_slices() -> None:
    frame = pd.DataFrame(
        {"qid": list(HALVES), "length": list(HALVES.values()), "language": ["en"] * len(HALVES)}
    )
    assert list(sliced(frame).slices) == ["length=long", "length=short", "language=en"]


def test_queries_without_a_value_are_a_slice_of_their_own() -> None:
    result = sliced({QUERIES[0]: "first"})
    assert list(result.slices) == ["first", "(no value)"]
    assert len(result.slices["(no value)"].queries) == len(QUERIES) - 1


def test_a_slice_that_contradicts_the_whole_is_named() -> None:
    queries = [f"q{i}" for i in range(40)]
    baseline = dict.fromkeys(queries, 0.5)
    run = {query: 0.9 if i < 30 else 0.3 - i / 1000 for i, query in enumerate(queries)}
    result = rm.compare_scores(
        {"old": baseline, "new": {q: v + i / 1000 for i, (q, v) in enumerate(run.items())}},
        by={query: "easy" if i < 30 else "hard" for i, query in enumerate(queries)},
    )
    (line,) = result.slices.warnings
    assert line == (
        "score: new is better than old over all queries, but significantly worse in hard "
        "(10 queries)"
    )
    assert result.slices.worst("score", "new") == "hard"
    written = json.loads(result.to_json())
    assert written["warnings"] == [line]
    assert written["slices"]["hard"]["queries"] == 10
    assert set(result.slices.to_pandas()["slice"]) == {"easy", "hard"}


@pytest.mark.parametrize(
    ("by", "options", "message"),
    [
        ({"no": "x"}, {}, "has no value of"),
        ({}, {}, "has no value"),
        (7, {}, "by is 7"),
        (pd.DataFrame({"query_id": ["q", "q"], "x": [1, 2]}), {}, "appears twice"),
        (pd.DataFrame({"query_id": ["q"]}), {}, "no column but the query ids"),
        (HALVES, {"correction": "max-t"}, "max-t cannot be combined with slices"),
    ],
)
def test_what_makes_no_slices_is_refused(by: Any, options: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        _ = sliced(by, **options).slices


def test_the_legend_names_the_family_of_the_slices() -> None:
    qrels = {f"q{at}": {"a": 1} for at in range(8)}
    runs = {
        name: {query: {"a": at % (2 + shift), "b": 1} for at, query in enumerate(qrels)}
        for shift, name in enumerate(("old", "new"))
    }
    kinds = {query: at % 3 for at, query in enumerate(qrels)}
    each = rm.compare(qrels, runs, ["RR", "P@1"], by=kinds)
    assert {row.family for row in each.slices.differences} == {3}
    assert "p-values in slices are corrected for 3 tests: all slices together" in each.legend
    every = rm.compare(qrels, runs, ["RR", "P@1"], by=kinds, family="all")
    assert any("for 8 tests, over all measures and slices;" in line for line in every.legend)
    assert not any("in slices are" in line for line in every.legend)


def test_a_column_of_the_judgments_makes_slices(tmp_path: Path) -> None:
    judged = tmp_path / "qrels.csv"
    rows = [line.split() for line in QRELS.read_text().splitlines()]
    lines = [f"{query},{doc},{label},{HALVES[query]},{doc}" for query, _, doc, label in rows]
    judged.write_text("\n".join(["query_id,doc_id,label,length,other", *lines]))
    runs = sorted(EXAMPLE.glob("*.run"))
    columns = {"query_id": "query_id", "doc_id": "doc_id", "label": "label"}
    found = rm.compare(judged, runs, ["nDCG@10", "AP"], by="length", qrels_columns=columns)
    assert found.slices.differences == sliced().slices.differences
    frame = pd.read_csv(judged, dtype=str).astype({"label": int})
    again = rm.compare(frame, runs, ["nDCG@10", "AP"], by="length", qrels_columns=columns)
    assert again.slices.differences == sliced().slices.differences
    with pytest.raises(rm.SchemaError, match="has several values for query"):
        rm.compare(judged, runs, "AP", by="other", qrels_columns=columns)
    for qrels in (judged, QRELS):
        with pytest.raises(rm.InputError, match="no such file, and the judgments have no such"):
            rm.compare(qrels, runs, "AP", by="lenght")


def in_slices(slices: int, **options: Any) -> rm.Comparison:
    """Compare two runs, one of which is better on nearly all of 40 queries of each slice."""
    rng = np.random.default_rng(1)
    queries = [f"q{number}" for number in range(40 * slices)]
    gains = rng.normal(0.05, 0.05, len(queries))
    scores = {"a": dict.fromkeys(queries, 0.4), "b": dict(zip(queries, 0.4 + gains, strict=True))}
    rows = [(run, query, score) for run, of in scores.items() for query, score in of.items()]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "score"])
    by = {query: f"s{at % slices}" for at, query in enumerate(queries)}
    return rm.compare_scores(frame, by=by, **options)


@pytest.mark.slow
def test_resamples_are_enough_for_all_slices_together() -> None:
    many = in_slices(30)
    assert many.chosen.resamples == 20 * 30 / 0.05
    assert sum(row.significant for row in many.slices.differences) >= 28
    assert not any("can be significant" in line for line in many.legend)
    assert in_slices(30, family="all").chosen.resamples == 20 * 31 / 0.05
    assert in_slices(30, correction="none").chosen.resamples == 10_000


@pytest.mark.slow
def test_a_smallest_p_above_the_level_is_told() -> None:
    few = in_slices(30, resamples=400)
    assert not any(row.significant for row in few.slices.differences)
    line = next(line for line in few.legend if "can be significant" in line)
    assert line == (
        "in slices, score: no difference can be significant: the smallest possible p is 0.0025, "
        "corrected 0.075, and the level is 0.05; take more resamples, or the t test"
    )
    assert line in str(few)
    assert line in few.to_dict()["legend"]
    together = in_slices(30, resamples=400, family="all").legend
    assert any(line.startswith("no difference can be significant") for line in together)
    least = [
        *(in_slices(30, resamples=400, correction=c).legend for c in ("bh", "hochberg", "none")),
    ]
    assert not any("can be significant" in line for lines in least for line in lines)


@pytest.mark.parametrize(
    ("correction", "hypotheses", "resamples"),
    [
        ("holm", 3, 10_000),
        ("holm", 136, 54_400),
        ("none", 136, 10_000),
        ("max-t", 1225, 10_000),
        ("by", 10, 11_716),
        ("holm", 2992, 500_000),
        ("holm", 30_000, 1_200_000),
        ("holm", 10**6, 2_000_000),
    ],
)
def test_resamples_grow_with_the_family(correction: Any, hypotheses: int, resamples: int) -> None:
    assert enough_resamples(correction, hypotheses, 0.05) == resamples
