"""Frames of any library go in by the names of their columns, and are refused by row and column."""

import subprocess
import sys
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}}
RUN = {"q1": {"b": 0.9, "c": 0.5, "x": 0.2}, "q2": {"x": 2.0, "d": 1.0}}
MEASURES = ["nDCG", "AP", "RR"]
WANTED = rm.evaluate(QRELS, RUN, MEASURES).scores.tolist()
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


def run_frame(*names: str) -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=list(names), orient="row")


def taken(source: Any, **options: Any) -> dict[str, Any]:
    return rm.Run(source, **options).source.description()


@pytest.mark.parametrize("query", ["query_id", "qid", "Query-ID", "topic", "userId", "session id"])
@pytest.mark.parametrize("document", ["doc_id", "docno", "corpus-id", "item", "ItemID", "pid"])
@pytest.mark.parametrize("score", ["score", "sim", "Rating", "prediction"])
def test_columns_are_found_by_the_names_of_the_field(query: str, document: str, score: str) -> None:
    ev = rm.evaluate(QRELS, run_frame(query, document, score), MEASURES)
    assert ev.scores.tolist() == WANTED
    columns = {"query_id": query, "doc_id": document, "score": score}
    assert ev.settings["run"] == {"form": "frame", "columns": columns}
    assert ev.to_dict()["run"]["columns"] == columns


def test_columns_that_are_named_otherwise_are_told() -> None:
    columns = {"query_id": "frage", "doc_id": "antwort", "score": "punkte"}
    told = rm.Run(run_frame("frage", "antwort", "punkte"), columns=columns)
    assert rm.evaluate(QRELS, told, MEASURES).scores.tolist() == WANTED
    ev = rm.evaluate(QRELS, run_frame("frage", "antwort", "punkte"), MEASURES, columns=columns)
    assert ev.scores.tolist() == WANTED


def test_two_columns_that_could_be_meant_are_an_error_that_names_both() -> None:
    chunks = frame(qid=["1"], docno=["d7"], chunk_id=[7], rank=[0], score=[1.0])
    with pytest.raises(rm.SchemaError, match=r"run <frame>: 'docno' and 'chunk_id' could both be"):
        rm.Run(chunks)
    assert taken(chunks, columns={"doc_id": "docno"})["columns"]["doc_id"] == "docno"


def test_a_column_that_is_not_there_is_named_beside_those_that_are() -> None:
    with pytest.raises(
        rm.SchemaError, match=r"no column has a usual name for doc_id.*'qid', 'text'"
    ):
        rm.Run(frame(qid=["1"], text=["d"]))
    with pytest.raises(rm.SchemaError, match=r"there is no column 'docno' for doc_id; .*'text'"):
        rm.Run(frame(qid=["1"], text=["d"]), columns={"doc_id": "docno"})
    with pytest.raises(
        rm.SchemaError,
        match="columns names 'doc', which is not a role; need one of query_id, doc_id, score,",
    ):
        rm.Run(frame(qid=["1"]), columns={"doc": "qid"})
    with pytest.raises(rm.SchemaError, match=r"put the role first: columns={'query_id': 'frage'}"):
        rm.Run(frame(frage=["1"]), columns={"frage": "query_id"})


def test_a_name_that_two_columns_have_is_refused() -> None:
    twice = pd.DataFrame([["q1", "d", "e"]], columns=["qid", "docno", "docno"])
    with pytest.raises(rm.SchemaError, match="several columns are named 'docno'"):
        rm.Run(twice, columns={"doc_id": "docno"})


def test_a_run_without_scores_is_ordered_by_rank_and_says_so() -> None:
    ranked = frame(qid=["q"] * 3, docid=["a", "b", "c"], position=[3, 1, 2])
    ev = rm.evaluate({"q": {"c": 1}}, ranked, "RR")
    assert (ev["RR"], ev.settings["run"]["order"]) == (0.5, "rank")


def test_a_run_with_neither_scores_nor_ranks_is_ordered_as_given_and_says_so() -> None:
    ev = rm.evaluate({"q": {"c": 1}}, frame(qid=["q"] * 3, docid=["a", "b", "c"]), "RR")
    assert (ev["RR"], ev.settings["run"]["order"]) == (1 / 3, "as given")


def test_ranks_are_trusted_beside_scores_only_where_asked_for() -> None:
    both = frame(qid=["q"] * 2, docid=["a", "b"], rank=[2, 1], score=[9.0, 1.0])
    assert rm.evaluate({"q": {"b": 1}}, both, "RR")["RR"] == 0.5
    assert rm.evaluate({"q": {"b": 1}}, both, "RR", ties="rank")["RR"] == 1.0
    assert "order" not in taken(both)
    with pytest.raises(rm.InputError, match='needs a rank column, and run <frame> has none; use "'):
        rm.evaluate({"q": {"b": 1}}, both.drop("rank"), "RR", ties="rank")


def test_judgments_without_labels_are_all_relevant() -> None:
    relevant = frame(user=[7, 7], item=[1, 3])
    assert rm.evaluate(relevant, {7: [1, 2, 3]}, "P@3")["P@3"] == 2 / 3


def test_judgments_may_call_their_labels_scores_as_beir_does() -> None:
    beir = pl.DataFrame({"query-id": ["q"], "corpus-id": ["d"], "score": [2]})
    ev = rm.evaluate(beir, {"q": ["d"]}, "CG@1")
    assert ev["CG@1"] == 2.0
    assert ev.settings["qrels"]["columns"]["label"] == "score"


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame, pa.table])
@pytest.mark.parametrize("column", ["qid", "docid", "score"])
def test_a_null_is_refused_by_row_and_column(library: Any, column: str) -> None:
    columns: dict[str, list[Any]] = {"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, 2.0]}
    columns[column][1] = None
    found = rf"^run <frame>: row 1 \(from 0\): '{column}' is null; drop the row, or fill it$"
    with pytest.raises(rm.SchemaError, match=found):
        rm.evaluate({"q": {"a": 1}}, library(columns))


@pytest.mark.parametrize("wrong", [None, pd.NA, float("nan")], ids=repr)
@pytest.mark.parametrize("column", ["qid", "docid", "score"])
def test_a_null_among_objects_is_refused_as_well(wrong: Any, column: str) -> None:
    columns: dict[str, list[Any]] = {"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, 2.0]}
    columns[column][1] = wrong
    objects = pd.DataFrame({name: pd.Series(held, dtype=object) for name, held in columns.items()})
    with pytest.raises(rm.SchemaError, match=rf"row 1 \(from 0\): '{column}' is null"):
        rm.evaluate({"q": {"a": 1}}, objects)


def test_a_score_that_is_nan_is_refused_by_row() -> None:
    scores = frame(qid=["q", "q"], docid=["a", "b"], score=[1.0, float("nan")])
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): 'score' is NaN"):
        rm.evaluate({"q": {"a": 1}}, scores)


def test_a_document_that_stands_twice_is_refused_with_both_rows() -> None:
    twice = frame(qid=["q", "p", "q"], docid=["d", "d", "d"], label=[1, 2, 1])
    found = (
        r"^qrels <frame>: row 2 \(from 0\): document 'd' appears twice for query 'q', first in row"
    )
    with pytest.raises(rm.DuplicateError, match=found):
        rm.Qrels(twice)
    with pytest.raises(rm.DuplicateError, match=r"^run <frame>: row 2 "):
        rm.evaluate({"q": {"d": 1}}, twice.rename({"label": "score"}))


@pytest.mark.parametrize("dtype", [object, "str"])
def test_an_index_of_any_kind_does_no_harm(dtype: Any) -> None:
    rows = pd.DataFrame(ROWS, columns=["qid", "docid", "score"])
    rows = rows.astype({"qid": dtype, "docid": dtype})
    rows.index = pd.Index([object() for _ in ROWS])
    assert rm.evaluate(QRELS, rows, MEASURES).scores.tolist() == WANTED


def test_columns_of_pandas_need_not_be_called_by_text() -> None:
    rows = pd.DataFrame(ROWS)
    told = rm.Run(rows, columns={"query_id": 0, "doc_id": 1, "score": 2})
    assert rm.evaluate(QRELS, told, MEASURES).scores.tolist() == WANTED
    assert told.source.description()["columns"] == {"query_id": "0", "doc_id": "1", "score": "2"}


def test_what_can_be_read_only_once_is_read_once_and_kept() -> None:
    run = rm.Run(run_frame("qid", "docid", "score").to_arrow().to_reader())
    for _ in range(2):
        assert rm.evaluate(QRELS, run, MEASURES).scores.tolist() == WANTED


def test_a_stream_that_was_read_already_is_not_taken_for_an_empty_one() -> None:
    reader = run_frame("qid", "docid", "score").to_arrow().to_reader()
    rm.evaluate(QRELS, reader)
    with pytest.warns(
        rm.RankmarkWarning, match="holds no documents, .* iterator that was read before"
    ):
        rm.evaluate(QRELS, reader)


def test_frames_without_rows_are_refused_as_judgments() -> None:
    with pytest.raises(
        rm.InputError,
        match="qrels <frame>: it holds no judgments; need a row at least; a stream can be read",
    ):
        rm.Qrels(run_frame("qid", "docid", "score").clear())
    with pytest.warns(rm.RankmarkWarning, match="<frame>: it holds no documents"):
        rm.evaluate(QRELS, run_frame("qid", "docid", "score").clear())


def test_a_library_that_fails_to_hand_over_is_quoted() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("the connection was closed")

    with pytest.raises(
        rm.SchemaError,
        match="Broken could not be exported as Arrow data: the connection was closed",
    ):
        rm.Run(Broken())


def test_a_single_column_is_no_table() -> None:
    class Single:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.chunked_array([[1, 2]]).__arrow_c_stream__()

    with pytest.raises(
        rm.SchemaError, match=r"single column of whole numbers; give a table with columns"
    ):
        rm.Run(Single())


def test_frames_are_never_changed() -> None:
    rows = pd.DataFrame(ROWS, columns=["qid", "docid", "score"], index=list("abcde"))
    before = rows.copy()
    rm.evaluate(QRELS, rows, MEASURES, depth=1, judged_only=True)
    pd.testing.assert_frame_equal(rows, before)


@pytest.mark.slow
def test_pandas_goes_in_where_pyarrow_is_not_installed() -> None:
    code = f"""
import sys
sys.modules["pyarrow"] = None
import pandas as pd
import rankmark as rm
rows = pd.DataFrame({ROWS!r}, columns=["qid", "docid", "score"])
kinds = [object, "str", "category"]
frames = [rows.astype({{"qid": kind, "docid": kind}}) for kind in kinds]
for frame in [*frames, frames[0].astype({{"score": "Float64"}})]:
    assert rm.evaluate({QRELS!r}, frame, {MEASURES!r}).scores.tolist() == {WANTED!r}, frame.dtypes
try:
    frames[2].loc[1, "qid"] = None
    rm.Run(frames[2])
except rm.SchemaError as error:
    assert "row 1 (from 0): 'qid' is null" in str(error), error
else:
    raise AssertionError("a null went in")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_frames_are_read_without_importing_their_libraries() -> None:
    code = """
import sys
import rankmark as rm
class Frame:
    def __arrow_c_stream__(self, requested_schema=None):
        raise RuntimeError("asked")
try:
    rm.Run(Frame())
except rm.SchemaError as error:
    assert "asked" in str(error)
rm.evaluate([("q", "d", 1)], [("q", "d", 0.5)])
loaded = {"pandas", "polars", "pyarrow", "scipy", "torch"} & set(sys.modules)
assert not loaded, loaded
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
