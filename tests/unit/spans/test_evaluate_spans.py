"""``evaluate_spans``: forms, orders, errors, and what its result can do."""

import io
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark import spans
from rankmark.answers.spans.given_spans import ROLES
from rankmark.commands.spans import _ROLES
from rankmark.errors import (
    InputError,
    MeasureError,
    MismatchError,
    NotEvaluatedError,
    ParseError,
    RankmarkWarning,
    SchemaError,
)
from unit.plot.plotted import title
from unit.spans.forms import CHUNKS, FORMS, GOLD, GOLD_ROWS, RETRIEVED, RETRIEVED_ROWS

ASKED = ["SpanRecall@1", "SpanRecall", "SpanPrecision", "SpanIoU", "SpanF", "SegmentRecall"]
WANTED = [
    [0.0, 0.6, 0.15, 30 / 220, 0.24, 0.0],
    [1.0, 1.0, 10 / 40, 0.25, 0.4, 1.0],
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_values(form: str, tmp_path: Path) -> None:
    made = FORMS[form]
    gold, retrieved = made(GOLD_ROWS, tmp_path), made(RETRIEVED_ROWS, tmp_path)
    found = rm.evaluate_spans(gold, retrieved, ASKED)
    assert found.queries == ("q1", "q2")
    assert found.scores.tolist() == [pytest.approx(row, abs=1e-15) for row in WANTED]
    plain = rm.evaluate_spans(GOLD, RETRIEVED, ASKED)
    assert found.scores.tobytes() == plain.scores.tobytes()
    assert found == plain


@pytest.mark.parametrize("form", FORMS)
def test_all_chunks_come_in_every_form_too(form: str, tmp_path: Path) -> None:
    rows = [
        {"doc_id": document, "start": start, "end": end}
        for document, ends in CHUNKS.items()
        for start, end in ends
    ]
    wanted = rm.evaluate_spans(GOLD, RETRIEVED, "PrecisionOmega", chunks=CHUNKS)
    found = rm.evaluate_spans(GOLD, RETRIEVED, "PrecisionOmega", chunks=FORMS[form](rows, tmp_path))
    assert found.scores.tolist() == wanted.scores.tolist() == [[0.25], [0.25]]


def test_files_of_json_may_hold_lists_by_query(tmp_path: Path) -> None:
    for name, given in (("gold", GOLD), ("retrieved", RETRIEVED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(given))
    found = rm.evaluate_spans(tmp_path / "gold.json", tmp_path / "retrieved.json", ASKED)
    assert found == rm.evaluate_spans(GOLD, RETRIEVED, ASKED)
    assert found.to_dict()["gold"]["form"] == "file"
    assert len(found.to_dict()["retrieved"]["sha256"]) == 64


def test_an_open_file_is_read() -> None:
    file = io.StringIO("query_id,doc_id,start,end\nq1,d,0,10\n")
    assert rm.evaluate_spans({"q1": [("d", 0, 10)]}, file, "SpanF")["SpanF"] == 1.0


def test_spans_of_a_mapping_may_have_names() -> None:
    named = {
        query: [{"doc": d, "start_index": s, "end_index": e} for d, s, e in rows]
        for query, rows in GOLD.items()
    }
    assert rm.evaluate_spans(named, RETRIEVED, ASKED).scores.tolist() == [
        pytest.approx(row, abs=1e-15) for row in WANTED
    ]
    arrays = {"q1": np.array([[1, 0, 5], [1, 5, 10]])}  # documents with numbers
    assert rm.evaluate_spans(arrays, {"q1": [(1, 0, 10)]}, "SpanF")["SpanF"] == 1.0


def test_scores_order_chunks_and_equal_ones_stay_in_their_order() -> None:
    gold = {"q": [("d", 0, 10)]}
    low, high = ("d", 0, 10, 0.1), ("d", 50, 60, 0.9)
    assert rm.evaluate_spans(gold, {"q": [low, high]}, "SpanRecall@1")["SpanRecall@1"] == 0.0
    tied = {"q": [("d", 0, 10, 0.5), ("d", 50, 60, 0.5)]}
    assert rm.evaluate_spans(gold, tied, "SpanRecall@1")["SpanRecall@1"] == 1.0
    columns = {
        "query_id": ["q", "q"],
        "doc_id": ["d", "d"],
        "start": [0, 50],
        "end": [10, 60],
    }
    for order, wanted in (
        ({}, 1.0),
        ({"score": [0.1, 0.9]}, 0.0),
        ({"rank": [2, 1]}, 0.0),
        ({"rank": [1, 2], "score": [0.1, 0.9]}, 0.0),
        ({"rank": [2, 1], "score": [None, None]}, 0.0),
    ):
        found = rm.evaluate_spans(gold, columns | order, "SpanRecall@1")
        assert found["SpanRecall@1"] == wanted, order


def test_a_table_may_name_chunks_and_its_columns_otherwise() -> None:
    frame = pd.DataFrame(
        {
            "question": ["q", "q"],
            "chunk_id": ["c2", "c1"],
            "doc_id": ["d", "d"],
            "from_char": [50, 0],
            "up_to": [60, 10],
        }
    )
    columns = {"start": "from_char", "end": "up_to"}
    found = rm.evaluate_spans({"q": [("d", 0, 10)]}, frame, "SpanRecall@1", columns=columns)
    assert found["SpanRecall@1"] == 0.0
    assert "<retrieved> read as: query_id=question, doc_id=doc_id, start=from_char, end=up_to" in (
        found.notes
    )
    with pytest.raises(SchemaError, match="none of its columns could be start; it has question"):
        rm.evaluate_spans({"q": [("d", 0, 10)]}, frame)


def test_queries_without_gold_are_ignored_and_without_chunks_count_0() -> None:
    gold = {"q1": [("d", 0, 10)], "q2": [("d", 0, 10)], "q3": [("d", 5, 6)]}
    retrieved = {"q1": [("d", 0, 10)], "other": [("d", 0, 1)], "q3": []}
    found = rm.evaluate_spans(gold, retrieved, ["SpanRecall", "SpanPrecision"])
    assert found.per_query("SpanRecall") == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    audit = found.audit
    assert (audit.judged, audit.answered, audit.missing, audit.averaged) == (3, 1, 2, 3)
    assert (audit.run_only, audit.run_only_examples) == (1, ("other",))
    both = rm.evaluate_spans(gold, retrieved, "SpanPrecision", queries="both")
    assert (both.queries, both["SpanPrecision"], both.audit.averaged) == (("q1",), 1.0, 1)
    left_out = rm.evaluate_spans(gold, retrieved, ["SpanRecall", "SpanPrecision"], empty="nan")
    assert left_out.means == {"SpanRecall": 1 / 3, "SpanPrecision": 1.0}
    assert left_out.audit.undefined == {"SpanRecall": 0, "SpanPrecision": 2}
    assert "undefined: SpanPrecision for 2" in str(left_out)


def test_what_overlaps_and_what_is_repeated_is_said() -> None:
    gold = {"q": [("d", 0, 10), ("d", 5, 15), ("e", 5, 15), ("d", 15, 20)]}
    retrieved = {"q": [("d", 0, 10), ("d", 0, 10), ("d", 0, 11), ("d", 0, 10)]}
    audit = rm.evaluate_spans(gold, retrieved).audit
    assert (audit.gold, audit.overlapping, audit.retrieved, audit.repeated) == (4, 2, 4, 2)
    assert "2 of which overlap others; 4 chunks, 2 of which are repeated" in str(audit)


WRONG: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "end before start": (
        {"q": [("d", 10, 5)]},
        RETRIEVED,
        InputError,
        r"the span of row 1, \[10, 5\) in document 'd' for query 'q', ends before it starts",
    ),
    "empty gold": (
        {"q": [("d", 1, 2), ("d", 5, 5)]},
        RETRIEVED,
        InputError,
        "row 2, .* is empty",
    ),
    "not found": ({"q": [("d", -1, 5)]}, RETRIEVED, InputError, "str.find returns -1"),
    "several": (
        {"q": [("d", 9, 5), ("d", 8, 5)]},
        RETRIEVED,
        InputError,
        "the span of row 1, .*, as is 1 other",
    ),
    "no gold span": ({"q1": []}, RETRIEVED, InputError, "query 'q1' has no gold span"),
    "no gold": ({}, RETRIEVED, InputError, "gold holds no rows"),
    "nothing retrieved at all": (GOLD, {}, InputError, "retrieved holds no rows"),
    "NaN": ({"q": [("d", math.nan, 5)]}, RETRIEVED, SchemaError, "start of row 1 is nan"),
    "infinite": ({"q": [("d", 0, math.inf)]}, RETRIEVED, SchemaError, "end of row 1 is inf"),
    "too large": ({"q": [("d", 0, 1 << 60)]}, RETRIEVED, SchemaError, "need a finite number"),
    "far too large": (
        {"q": [("d", 0, 10**400)]},
        RETRIEVED,
        SchemaError,
        "end of row 1 is 1000",
    ),
    "no number": ({"q": [("d", "a", 5)]}, RETRIEVED, SchemaError, "start of row 1 is 'a'"),
    "truth": ({"q": [("d", False, 5)]}, RETRIEVED, SchemaError, "start of row 1 is False"),
    "no id": ({"q": [(None, 1, 5)]}, RETRIEVED, InputError, "doc_id of row 1 is empty"),
    "too short": ({"q": [(1, 5)]}, RETRIEVED, SchemaError, r"need \(doc_id, start, end\)"),
    "one span": ({"q": ("d", 1, 5)}, RETRIEVED, SchemaError, "gold has 'd'"),
    "text": ({"q": "d"}, RETRIEVED, SchemaError, "gold of 'q' is 'd'"),
    "scores of some": (
        GOLD,
        {"q1": [("d", 0, 1, 0.5), ("d", 0, 1)]},
        SchemaError,
        "or also score, rank, in all rows",
    ),
    "scores of some queries": (
        GOLD,
        {"q1": [("d", 0, 1, 0.5)], "q2": [("d", 0, 1)]},
        SchemaError,
        "score of row 2 is None",
    ),
    "scores that are none": (
        GOLD,
        {"q1": [("d", 0, 1, "x")]},
        SchemaError,
        "score of row 1 is 'x'",
    ),
    "number": (5, RETRIEVED, SchemaError, "gold is 5; need"),
    "columns of one": ({"start": 1, "end": 2}, RETRIEVED, SchemaError, "gold is {'start': 1"),
    "uneven": (
        {"query_id": ["q"], "doc_id": ["d"], "start": [0, 1], "end": [1]},
        RETRIEVED,
        SchemaError,
        "columns have 1 to 2 rows",
    ),
    "two ends": (
        pd.DataFrame({"query_id": [1], "doc_id": [1], "start": [0], "end_s": [1], "stop": [1]}),
        RETRIEVED,
        SchemaError,
        "several columns: 'end_s', 'stop' could be end",
    ),
    "no query in common": ({"z": [("d", 0, 5)]}, RETRIEVED, MismatchError, "no query in common"),
    "no such file": ("absent.csv", RETRIEVED, InputError, "absent.csv"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_refused_in_words(case: str) -> None:
    gold, retrieved, kind, told = WRONG[case]
    with pytest.raises(kind, match=told):
        rm.evaluate_spans(gold, retrieved)


def test_lines_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("query_id,doc_id,start,end\nq,d,0\n")
    with pytest.raises(ParseError, match=r"gold.csv:2: found 3 columns, need 4"):
        rm.evaluate_spans(path, RETRIEVED)
    path.write_text("query_id,doc_id,start,end\nq,d,0,x\n")
    with pytest.raises(SchemaError, match=r"gold\.csv:2: end is 'x'"):
        rm.evaluate_spans(path, RETRIEVED)


def test_options_are_checked() -> None:
    for options, told in (
        ({"queries": "all"}, "queries is 'all'"),
        ({"empty": 0}, "empty is 0"),
        ({"profile": "ragas"}, "profile is 'ragas'"),
        ({"columns": {"begin": "x"}}, "columns names 'begin'; need one of query_id"),
        ({"columns": {"start": 5}}, "is 5; need the name of a column"),
        ({"columns": "start"}, "columns is 'start'"),
    ):
        with pytest.raises(InputError, match=told):
            rm.evaluate_spans(GOLD, RETRIEVED, **options)  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="no input has a column 'x' for start"):
        rm.evaluate_spans(pd.DataFrame(GOLD_ROWS), RETRIEVED, columns={"start": "x"})
    with pytest.raises(TypeError, match="Did you mean 'chunks'"):
        rm.evaluate_spans(GOLD, RETRIEVED, chunk=CHUNKS)  # type: ignore[call-arg]


def test_documents_that_never_meet_are_warned_of() -> None:
    with pytest.warns(RankmarkWarning, match="have no document in common") as warned:
        rm.evaluate_spans({"q": [("d", 0, 1)]}, {"q": [("e", 0, 1)]})
    assert warned[0].filename == __file__


def test_an_empty_chunk_takes_a_place_and_no_length() -> None:
    retrieved = {"q": [("d", 5, 5), ("d", 0, 10)]}
    found = rm.evaluate_spans({"q": [("d", 0, 10)]}, retrieved, ["SpanRecall@1", "SpanPrecision"])
    assert found.scores.tolist() == [[0.0, 1.0]]


def test_touching_intervals_have_nothing_in_common() -> None:
    found = rm.evaluate_spans({"q": [("d", 0, 10)]}, {"q": [("d", 10, 20)]}, "SpanRecall")
    assert found["SpanRecall"] == 0.0


@pytest.fixture
def found() -> rm.SpanEvaluation:
    return rm.evaluate_spans(GOLD, RETRIEVED, ASKED)


def test_a_result_maps_names_to_means(found: rm.SpanEvaluation) -> None:
    assert list(found) == ASKED
    assert found["SpanRecall"] == 0.8 == found[spans.SPAN_RECALL]
    assert found["spanrecall @ 1"] == 0.5
    assert "SpanRecall@7" not in found
    with pytest.raises(NotEvaluatedError, match="SpanRecall@7 was not evaluated; this evaluation"):
        found["SpanRecall@7"]
    with pytest.raises(NotEvaluatedError, match="unknown measure of spans"):
        found["nDCG"]
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != rm.evaluate_spans(GOLD, RETRIEVED, ASKED, empty="nan")
    assert not found.scores.flags.writeable
    assert repr(found).startswith("SpanEvaluation(2 queries: SpanRecall@1=0.5000")


def test_under_a_profile_a_plain_name_means_that_of_the_profile() -> None:
    found = rm.evaluate_spans(GOLD, RETRIEVED, "SpanPrecision", profile="chroma")
    assert found.names == ['SpanPrecision(count="sum")']
    assert found["SpanPrecision"] == found['SpanPrecision(count="sum")']
    assert found.settings["profile"] == "chroma"


def test_a_result_is_a_table_json_and_html(found: rm.SpanEvaluation) -> None:
    assert found.to_pandas().columns.tolist() == ["query_id", *ASKED]
    assert found.to_polars().shape == (2, 7)
    assert found.to_csv().splitlines()[0] == f"query_id,{','.join(ASKED)}"
    assert found.long.to_pandas()["value"].tolist() == found.scores.reshape(-1).tolist()
    written = json.loads(found.to_json())
    assert written["scores"] == found.means
    assert written["per_query"]["q1"]["SpanRecall"] == 0.6
    assert written["settings"]["measures"]["SpanRecall@1"] == {
        "gold": "merge",
        "budget": None,
        "k": 1,
    }
    assert "per_query" not in found.to_dict(per_query=False)
    assert "SpanRecall" in found._repr_html_()


def test_two_systems_are_compared_by_their_scores(found: rm.SpanEvaluation) -> None:
    other = {"q1": [("d1", 200, 300), ("d1", 0, 100)], "q2": [("d2", 0, 5)]}
    after = rm.evaluate_spans(GOLD, other, ASKED)
    compared = rm.compare_scores({"before": found, "after": after}, baseline="before")
    rows = {row.measure: row.difference for row in compared.differences}
    assert rows == pytest.approx({name: after[name] - found[name] for name in ASKED})
    low, high = found.intervals()["SpanRecall"]
    (row,) = (r for r in compared.leaderboard if (r.run, r.measure) == ("before", "SpanRecall"))
    assert (low, high) == (row.low, row.high)
    narrow = found.intervals(confidence=0.5)["SpanRecall"]
    assert low < narrow[0] < found["SpanRecall"] < narrow[1] <= high == 1.0


def test_a_result_is_drawn(found: rm.SpanEvaluation) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot()
    assert title(ax) == "2 queries, queries=judged, empty=zero"
    pyplot.close("all")
    none = rm.evaluate_spans(GOLD, {"q1": [], "q2": []}, ["SpanPrecision"], empty="nan")
    with pytest.raises(InputError, match="all values are undefined"):
        none.plot()


def test_the_command_reads_the_columns_that_the_function_does() -> None:
    assert tuple(role.name for role in ROLES) == _ROLES


def test_a_measure_may_be_given_alone_or_with_several_cutoffs() -> None:
    found = rm.evaluate_spans(GOLD, RETRIEVED, spans.SPAN_RECALL @ [1, 2])
    assert found.names == ["SpanRecall@1", "SpanRecall@2"]
    default = rm.evaluate_spans(GOLD, RETRIEVED, chunks=CHUNKS)
    assert default.names == ["SpanRecall", "SpanPrecision", "SpanIoU", "PrecisionOmega"]
    with pytest.raises(MeasureError, match="no measure was requested"):
        rm.evaluate_spans(GOLD, RETRIEVED, [])
