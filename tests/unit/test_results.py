"""What every result can become: JSON of its dict, and its table in three libraries."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.results.row_tables import Rows
from rankmark.results.slices import Slices

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "w": 1}}
OLD = {"q1": {"b": 3.0, "a": 2.0, "z": 2.0}, "q2": {"x": 1.0}}
NEW = {"q1": {"a": 3.0, "c": 2.0}, "q2": {"y": 2.0, "x": 1.0, "w": 0.5}}

RESULTS: dict[str, Any] = {
    "evaluation": lambda: rm.evaluate(QRELS, OLD, ["nDCG@10", "AP"]),
    "comparison": lambda: rm.compare(QRELS, {"old": OLD, "new": NEW}, ["AP", "RR"]),
    "leaderboard": lambda: RESULTS["comparison"]().leaderboard,
    "differences of runs": lambda: RESULTS["comparison"]().differences,
    "comparison of one run": lambda: rm.compare(QRELS, {"old": OLD}, "AP"),
    "comparison of scores": lambda: rm.compare_scores({"a": {"q": 1}, "b": {"q": 2, "r": 1}}),
    "slices": lambda: (
        rm.compare(QRELS, {"old": OLD, "new": NEW}, "AP", by={"q1": "long", "q2": "short"}).slices
    ),
    "comparison of rankings": lambda: rm.compare_rankings(OLD, NEW, ["tau", "RBO"]),
    "p-MRR": lambda: rm.p_mrr({"q1": ["a", "c"]}, OLD, NEW),
    "comparison of leaderboards": lambda: rm.compare_leaderboards(
        {"s": 0.5, "t": 1}, {"s": 0.5, "t": 0.4}
    ),
    "explanation": lambda: rm.explain(QRELS, NEW, "q2", "AP"),
    "explanation of an unknown sum": lambda: rm.explain(QRELS, OLD, "q1", "Bpref"),
    "difference": lambda: rm.explain(QRELS, OLD, "q2", "AP", against=NEW),
    "no difference": lambda: rm.explain(QRELS, OLD, "q1", "AP", against=OLD),
    "difference of means": lambda: rm.explain(QRELS, OLD, measure="AP", against=NEW),
    "power": lambda: rm.power(QRELS, OLD, NEW, "AP", resamples=100),
    "power of one query": lambda: rm.power(QRELS, OLD, NEW, "AP", queries=["q1"]),
    "check": lambda: rm.check(QRELS, OLD, NEW),
    "gate": lambda: rm.gate(QRELS, OLD, NEW, {"AP": 0.1}, rm.Condition("nDCG@10", "2%")),
}

COLUMNS = {
    "comparison": ["run", "query_id", "AP", "RR"],
    "comparison of scores": ["run", "query_id", "score"],
    "evaluation": ["query_id", "nDCG@10", "AP"],
    "comparison of rankings": ["query_id", "tau", "RBO(p=0.9)"],
    "p-MRR": ["query_id", "doc_id", "original_rank", "new_rank", "p_mrr"],
    "comparison of leaderboards": ["name", "score_a", "rank_a", "score_b", "rank_b"],
    "no difference": ["doc_id", "label", "difference", "total"],
    "difference of means": ["query_id", "baseline", "other", "difference", "contribution", "total"],
    "check": [
        "file",
        "kind",
        "code",
        "severity",
        "count",
        "what",
        "effect",
        "remedy",
        "consequence",
    ],
}


def plain(value: Any) -> Any:
    """Bring what three libraries hold to one form: a missing number is None."""
    if isinstance(value, float) and math.isnan(value):
        return None
    return [*value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_becomes_json_and_the_same_table_in_every_library(name: str) -> None:
    found = RESULTS[name]()
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
    assert found.to_json(indent=2).count("\n") > 2
    table = found.to_arrow()
    assert isinstance(table, pa.Table)
    rows = [{k: plain(v) for k, v in row.items()} for row in table.to_pylist()]
    assert [*table.column_names] == [*found.to_pandas().columns] == found.to_polars().columns
    if name in COLUMNS:
        assert table.column_names == COLUMNS[name]
    streamed = pa.RecordBatchReader.from_stream(found).read_all()
    assert [{k: plain(v) for k, v in row.items()} for row in streamed.to_pylist()] == rows
    by_polars = [{k: plain(v) for k, v in row.items()} for row in found.to_polars().to_dicts()]
    assert by_polars == rows
    by_pandas = found.to_pandas().astype(object).to_dict("records")
    assert [{k: plain(v) for k, v in row.items()} for row in by_pandas] == rows
    assert isinstance(found.to_pandas(), pd.DataFrame)
    assert len(rows) > 0 or name == "no difference"


def test_choices_of_to_dict_are_choices_of_to_json() -> None:
    ev = RESULTS["evaluation"]()
    assert "per_query" not in json.loads(ev.to_json(per_query=False))
    with pytest.raises(TypeError, match="per_document"):
        ev.to_json(per_document=True)


def test_means_are_a_mapping_that_nobody_can_change_from_without() -> None:
    ev = RESULTS["evaluation"]()
    assert ev.means == dict(ev) == {"nDCG@10": ev["nDCG@10"], "AP": ev["AP"]}
    ev.means["AP"] = 7.0
    assert ev.means["AP"] == ev["AP"] < 1
    compared = RESULTS["comparison of rankings"]()
    assert compared.means == dict(compared)


def test_an_explanation_s_table_adds_up() -> None:
    found = rm.explain(QRELS, NEW, "q2", "AP")
    assert found.to_pandas()["contribution"].sum() == pytest.approx(found.value)


def test_the_page_on_results_has_a_section_for_each_with_its_attributes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    sections = {text.partition("\n")[0]: text for text in page.split("\n## ")[1:]}
    for make in RESULTS.values():
        found = make()
        if isinstance(found, (Rows, Slices)):  # parts of a comparison
            continue
        section = sections[type(found).__name__] + sections["Methods of every result"]
        if isinstance(found, rm.RankingComparison):
            section += sections["Evaluation"]
        public = {name for name in dir(found) if not name.startswith("_")}
        public -= {"rankings", "shares_judgments", "refer_to", "hold"}  # for plots, and for verbs
        public -= {name for name in dir(dict) if not name.startswith("_")} - {"values"}
        unknown = {name for name in public if not re.search(rf"\b{name}\b", section)}
        assert unknown == set(), type(found)
        assert type(found).__name__ in rm.__all__
