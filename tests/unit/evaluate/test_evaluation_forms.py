"""An evaluation as other things: JSON, frames, Arrow, HTML, text."""

import json
import math
import sys
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1, "b": 2}, "文": {"a": 0}}
RUN = {"q1": {"b": 1.0, "a": 2.0}, "文": {"a": 1.0}}
NAMES = ["RR", 'nDCG(gain="exp2")@10', "NumRelRet"]


@pytest.fixture
def ev() -> rm.Evaluation:
    return rm.evaluate(QRELS, RUN, NAMES, no_relevant="skip")


def strict(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_json_is_strict_and_holds_everything(ev: rm.Evaluation) -> None:
    written = strict(ev.to_json())
    assert written == strict(json.dumps(ev.to_dict()))
    assert written["schema"] == 1
    assert written["rankmark"] == rm.__version__
    assert written["settings"] == ev.settings
    assert set(written["audit"]) == set(ev.audit.to_dict())
    assert written["scores"] == dict(ev)
    assert list(written["per_query"]) == ["q1", "文"]


def test_json_holds_numbers_to_the_last_bit(ev: rm.Evaluation) -> None:
    per_query = strict(ev.to_json())["per_query"]
    assert list(per_query["q1"].values()) == ev.scores[0].tolist()


def test_nan_becomes_null(ev: rm.Evaluation) -> None:
    assert strict(ev.to_json())["per_query"]["文"]["RR"] is None
    nan = rm.evaluate(QRELS, RUN, NAMES, no_relevant="nan")
    assert strict(nan.to_json())["scores"]["RR"] is None


def test_gains_that_no_number_can_hold_are_refused() -> None:
    with pytest.raises(rm.MeasureError, match=r"CG\(gain=\"exp2\"\): label 2000 is too high"):
        rm.evaluate({"q": {"a": 2000}}, {"q": {"a": 1.0}}, ['CG(gain="exp2")', "AP"])


def test_json_may_leave_queries_out_and_be_indented(ev: rm.Evaluation) -> None:
    assert "per_query" not in ev.to_dict(per_query=False)
    assert ev.to_json(indent=2).startswith('{\n  "schema"')
    assert "文" in ev.to_json()


def test_what_to_dict_gives_is_the_callers_own(ev: rm.Evaluation) -> None:
    before = ev.to_json()
    written = ev.to_dict()
    written["settings"]["ties"] = written["per_query"]["q1"]["RR"] = "changed"
    assert ev.to_json() == before


def columns_of(ev: rm.Evaluation) -> dict[str, list[Any]]:
    scores = {str(one): ev.scores[:, i].tolist() for i, one in enumerate(ev.measures)}
    return {"query_id": list(ev.queries), **scores}


def same(left: dict[str, list[Any]], right: dict[str, list[Any]]) -> bool:
    def plain(column: list[Any]) -> list[Any]:
        return [None if isinstance(x, float) and math.isnan(x) else x for x in column]

    return {n: plain(c) for n, c in left.items()} == {n: plain(c) for n, c in right.items()}


def test_pandas_gives_a_row_a_query(ev: rm.Evaluation) -> None:
    frame = ev.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert same(frame.to_dict("list"), columns_of(ev))
    assert all(frame[name].dtype == np.float64 for name in NAMES)
    frame.loc[0, "RR"] = 9.0
    assert ev.scores[0, 0] == 1.0


def test_polars_gives_a_row_a_query(ev: rm.Evaluation) -> None:
    frame = ev.to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame.schema == {"query_id": pl.String, **dict.fromkeys(NAMES, pl.Float64)}
    assert same(frame.to_dict(as_series=False), columns_of(ev))


def test_arrow_gives_a_row_a_query(ev: rm.Evaluation) -> None:
    table = ev.to_arrow()
    assert isinstance(table, pa.Table)
    assert table.schema.names == ["query_id", *NAMES]
    assert table.schema.types == [pa.string(), *[pa.float64()] * 3]
    assert same(table.to_pydict(), columns_of(ev))


def test_whoever_speaks_arrow_takes_an_evaluation_as_it_is(ev: rm.Evaluation) -> None:
    assert same(pa.table(ev).to_pydict(), columns_of(ev))
    assert same(pl.DataFrame(pa.table(ev)).to_dict(as_series=False), columns_of(ev))
    assert same(pa.RecordBatchReader.from_stream(ev).read_all().to_pydict(), columns_of(ev))


def test_forms_of_averaged_queries_alone_have_their_rows_only() -> None:
    one = rm.evaluate(QRELS, RUN, NAMES, queries=["文"])
    assert len(one.to_pandas()) == len(one.to_polars()) == len(one.to_arrow()) == 1
    assert list(one.to_dict()["per_query"]) == ["文"]


@pytest.mark.parametrize(
    ("form", "library", "extra"),
    [
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
        ("to_arrow", "pyarrow", "arrow"),
        ("__arrow_c_stream__", "pyarrow", "arrow"),
    ],
)
def test_a_library_that_is_not_there_is_named_with_its_remedy(
    ev: rm.Evaluation, monkeypatch: pytest.MonkeyPatch, form: str, library: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(rm.MissingDependencyError) as caught:
        getattr(ev, form)()
    assert library in str(caught.value)
    assert f"pip install 'rankmark[{extra}]'" in str(caught.value)
    assert isinstance(caught.value, ImportError)


def test_text_shows_means_audit_and_conventions(ev: rm.Evaluation) -> None:
    lines = str(ev).splitlines()
    assert lines[0].split() == ["RR", "1.0000"]
    assert lines[2].split() == ["NumRelRet", "2"]
    assert lines[3] == ev.audit.brief
    assert lines[4].startswith("RR, NumRelRet count labels >= 1 as relevant; labels go up to 2")
    assert lines[5] == "queries=judged ties=docid no_relevant=skip"
    assert len(lines) == 6
    assert str(ev.audit) in ev.to_text(verbose=True).splitlines()


def test_text_leaves_out_what_is_as_usual_unless_it_is_asked_for() -> None:
    found = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR")
    assert str(found).splitlines() == ["RR  1.0000", "judged 1, answered 1"]
    whole = found.to_text(verbose=True).splitlines()
    assert whole[-2:] == [
        "judged 1, answered 1, missing 0, run-only 0, without relevant 0; "
        "0.0% of judged documents tied; Judged@10 100.0%",
        "queries=judged ties=docid no_relevant=zero",
    ]
    other = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR", ties="mean")
    assert str(other).splitlines()[-1] == "queries=judged ties=mean no_relevant=zero"


def test_repr_is_one_line_with_the_means(ev: rm.Evaluation) -> None:
    assert repr(ev).startswith("Evaluation(2 queries: RR=1.0000, ")


def test_html_escapes_what_it_shows(ev: rm.Evaluation) -> None:
    html = ev._repr_html_()
    assert "nDCG(gain=&quot;exp2&quot;)@10" in html
    assert 'gain="' not in html
    assert "1.0000" in html


def test_prepared_sources_show_what_they_hold() -> None:
    assert repr(rm.Qrels(QRELS)) == "Qrels(2 queries, 3 judgments)"
    assert len(rm.Qrels(QRELS)) == 3
