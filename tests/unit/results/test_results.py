"""What every result can become: JSON of its dict, and its table in three libraries."""

import json
import math
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.results.per_query import ByQuery
from unit.results.made_results import NEW, QRELS, RESULTS, made

COLUMNS = {
    "comparison": ["run", "query_id", "AP", "RR"],
    "comparison of scores": ["run", "query_id", "score"],
    "evaluation": ["query_id", "nDCG@10", "AP"],
    "comparison of rankings": ["query_id", "tau", "RBO(p=0.9)"],
    "no difference": [
        *("measure", "baseline", "run", "query_id"),
        *("doc_id", "label", "difference", "total"),
    ],
    "difference of means": [
        *("measure", "baseline", "run", "query_id", "baseline_value", "run_value"),
        *("difference", "contribution", "total"),
    ],
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


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_becomes_json_and_the_same_table_in_every_library(name: str) -> None:
    found = made(name)
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


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_written_in_every_form(name: str) -> None:
    found = made(name)
    text, html = found.to_text(), found._repr_html_()
    markdown, latex = found.to_markdown(), found.to_latex()
    assert "\n" in text or name == "no difference"
    assert not text.endswith("\n")
    assert str(found) == text or isinstance(found, ByQuery)
    assert "| --- |" in markdown or "| ---: |" in markdown or name == "no difference"
    assert latex.count(r"\begin{table}") == latex.count(r"\bottomrule") > 0 or latex == ""
    assert html.startswith("<div style='overflow-x:auto'>")
    assert html.endswith("</div>")
    assert html.count("<table>") == html.count("</table>") > 0 or name == "no difference"
    assert "\n" not in repr(found)


def test_choices_of_to_dict_are_choices_of_to_json() -> None:
    ev = made("evaluation")
    assert "per_query" not in json.loads(ev.to_json(per_query=False))
    with pytest.raises(TypeError, match="per_document"):
        ev.to_json(per_document=True)


def test_means_are_a_mapping_that_nobody_can_change_from_without() -> None:
    ev = made("evaluation")
    assert ev.means == dict(ev) == {"nDCG@10": ev["nDCG@10"], "AP": ev["AP"]}
    ev.means["AP"] = 7.0
    assert ev.means["AP"] == ev["AP"] < 1
    compared = made("comparison of rankings")
    assert compared.means == dict(compared)


def test_an_explanation_s_table_adds_up() -> None:
    found = rm.explain(QRELS, NEW, "q2", "AP")
    assert found.to_pandas()["contribution"].sum() == pytest.approx(found.value)
