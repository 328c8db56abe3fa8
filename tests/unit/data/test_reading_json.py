"""JSON and Parquet: every shape that people write, and what is refused."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from generators.file_formats import parquet
from unit.readings import judgments, rankings

WANTED = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"c": 2.0}}


def written(*documents: Any) -> bytes:
    """Write one document a line."""
    return "\n".join(json.dumps(document, ensure_ascii=False) for document in documents).encode()


QRELS = {
    "an object": written(WANTED),
    "an object behind a byte order mark": b"\xef\xbb\xbf" + written(WANTED),
    "an object, indented": json.dumps(WANTED, indent=4).encode(),
    "a list of rows": written(
        [
            {"query_id": "q1", "doc_id": "a", "label": 1},
            {"doc_id": "b", "label": 0.0, "query_id": "q1", "note": None},
            {"query_id": "q2", "doc_id": "c", "label": 2},
        ]
    ),
    "a row a line": written(
        {"query-id": "q1", "corpus-id": "a", "score": 1},
        {"query-id": "q1", "corpus-id": "b", "score": 0},
        {"query-id": "q2", "corpus-id": "c", "score": 2},
    ),
    "a query a line": written({"q1": {"a": 1, "b": 0}}, {"q2": {"c": 2}}),
    "a query a line, one of them twice": written(
        {"q1": {"a": 1}}, {"q2": {"c": 2}}, {"q1": {"b": 0}}
    ),
    "a query and its documents a line": written(
        {"query_id": "q1", "query_text": ["x"], "docs": {"a": 1, "b": 0}},
        {"query_id": "q2", "docs": {"c": 2}},
    ),
    "a query and its rows a line": written(
        {"qid": "q1", "results": [{"docid": "a", "grade": 1}, {"docid": "b", "grade": 0}]},
        {"qid": "q2", "results": [{"docid": "c", "grade": 2}]},
    ),
    "rows by query": written(
        {
            "q1": [{"doc_id": "a", "label": 1}, {"doc_id": "b", "label": 0}],
            "q2": [{"doc_id": "c", "label": 2}],
        }
    ),
    "blank lines between": written({"q1": {"a": 1, "b": 0}})
    + b"\r\n\r\n \n"
    + written({"q2": {"c": 2}}),
}


@pytest.mark.parametrize("shape", QRELS)
def test_judgments_of_every_shape_read_the_same(shape: str) -> None:
    assert judgments(io.BytesIO(QRELS[shape])) == WANTED


def test_numbers_for_ids_are_the_same_ids_as_text() -> None:
    rows = [{"user": 1, "item": 10, "rating": 2}, {"user": "1", "item": "11", "rating": 1}]
    rows.append({"user": 1.0, "item": 12.0, "rating": 0})
    assert judgments(io.BytesIO(written(rows))) == {"1": {"10": 2.0, "11": 1.0, "12": 0.0}}


def test_lists_of_ids_are_relevant_ones() -> None:
    wanted = {"q": {"a": 1.0, "b": 1.0}}
    for document in ({"q": ["a", "b"]}, {"qid": "q", "relevant": ["a", "b"]}):
        assert judgments(io.BytesIO(written(document))) == wanted


RUNS = {
    "scores": written({"q": {"a": 1, "b": 3, "c": 2.5}}),
    "lists": written({"q": ["b", "c", "a"]}),
    "lists in lines": written({"qid": "q", "ranking": ["b", "c", "a"]}),
    "a list in two lines": written({"q": ["b", "c"]}, {"p": ["x"]}, {"q": ["a"]}),
    "rows with ranks": written(
        *(
            {"qid": "q", "docid": doc_id, "rank": rank}
            for doc_id, rank in (("a", 3), ("b", 1), ("c", 2))
        )
    ),
    "rows in order": written(*({"qid": "q", "docid": doc_id} for doc_id in "bca")),
    "rows with scores, and ranks that lie": written(
        *(
            {"qid": "q", "docid": doc_id, "rank": rank, "score": -rank / 4}
            for doc_id, rank in zip("abc", (3, 1, 2), strict=True)
        )
    ),
}


@pytest.mark.parametrize("shape", RUNS)
def test_runs_are_ordered_by_score_else_by_rank_else_as_they_are_given(shape: str) -> None:
    assert rankings(io.BytesIO(RUNS[shape]), "abc") == {"q": ["b", "c", "a"]}


def test_ranks_are_trusted_where_that_is_asked_for_and_there_are_some() -> None:
    rows = [{"qid": "q", "docid": d, "rank": r, "score": r} for d, r in (("a", 2), ("b", 1))]
    run = rm.Run(io.BytesIO(written(*rows)))
    for _ in range(2):
        assert rm.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 0.5
        assert rm.evaluate({"q": {"b": 1}}, run, "RR", ties="rank")["RR"] == 1.0
    for document in ({"q": {"a": 1}}, {"q": ["a"]}):
        with pytest.raises(rm.InputError, match="needs ranks, and this file has none"):
            rm.evaluate({"q": {"a": 1}}, io.BytesIO(written(document)), ties="rank")


def test_infinite_scores_rank_and_big_numbers_are_infinite() -> None:
    data = b'{"q": {"a": 1, "b": Infinity, "c": -Infinity, "d": 1e999, "e": 1' + b"0" * 400 + b"}}"
    assert rankings(io.BytesIO(data), "abcde") == {"q": ["e", "d", "b", "a", "c"]}


def test_fields_of_any_name_can_be_chosen() -> None:
    columns = {"query_id": "who", "doc_id": "what", "label": "how"}
    data = written({"who": "q", "what": "d", "how": 2})
    assert rm.Qrels(io.BytesIO(data), columns=columns).source.description() == {
        "form": "jsonl", "columns": columns,
    }  # fmt: skip
    nested = written({"who": "q", "docs": [{"what": "d", "how": 2}]})
    assert rm.Qrels(io.BytesIO(nested), columns=columns).rows == 1


MISTAKES = {
    "a broken document": (b'{"q": {"d": 1, 2}}', rm.ParseError, 1, "not valid JSON (Expecting"),
    "a broken document, deep in it": (
        b'{\n"q": {\n"d": 1\n"e": 2}}',
        rm.ParseError,
        4,
        "delimiter",
    ),
    "a document that ends early": (b'{\n"q": {"d": 1}', rm.ParseError, 2, "not valid JSON"),
    "a broken line": (b'{"q": {"d": 1}}\n\n{"q": {"e": 1}\n', rm.ParseError, 3, "not valid JSON"),
    "a line that is no object": (
        b'{"q": {"d": 1}}\n[1]\n',
        rm.SchemaError,
        None,
        ":2: found [1]; need",
    ),
    "a document twice in an object": (
        b'{"q": {"d": 1, "d": 2}}',
        rm.DuplicateError,
        None,
        "'d' appears",
    ),
    "a query twice in an object": (
        b'{"q": {"d": 1}, "q": {}}',
        rm.DuplicateError,
        None,
        "'q' appears",
    ),
    "a document twice in lines": (
        b'{"q": {"d": 1}}\n{"q": {"d": 1}}\n',
        rm.DuplicateError,
        None,
        ":2, query 'q': document 'd' appears twice",
    ),
    "a document twice in a list": (
        b'{"q": ["d", "d"]}',
        rm.DuplicateError,
        None,
        "'d' appears twice",
    ),
    "a number and text that are one id": (
        b'{"q": ["1", 1]}',
        rm.DuplicateError,
        None,
        "'1' appears",
    ),
    "NaN": (b'{"q": {"d": NaN}}', rm.SchemaError, None, "'q', document 'd': label is NaN"),
    "infinity": (b'{"q": {"d": 1e999}}', rm.SchemaError, None, "label is infinite"),
    "a label in quotes": (
        b'{"q": {"d": "1"}}',
        rm.SchemaError,
        None,
        "label is '1'; need a number",
    ),
    "no label": (b'{"q": {"d": null}}', rm.SchemaError, None, "label is null"),
    "no id": (b'{"q": [null]}', rm.SchemaError, None, "the document id is null"),
    "an id that is a fraction": (
        b'{"q": [1.5]}',
        rm.SchemaError,
        None,
        "id is 1.5; need text or",
    ),
    "an id beyond what floats tell apart": (
        b'{"q": [9007199254740993.0]}',
        rm.SchemaError,
        None,
        "need text or a whole number",
    ),
    "an empty id": (b'{"q": {"": 1}}', rm.SchemaError, None, "the document id is empty"),
    "an empty query id": (b'{"": {"d": 1}}', rm.SchemaError, None, "the query id is empty"),
    "an id that is a list": (b'{"q": [["d"]]}', rm.SchemaError, None, "id is ['d']"),
    "nothing that can be documents": (
        b'{"qid": "q", "docs": 5}',
        rm.SchemaError,
        None,
        "found 5; give",
    ),
    "two that may be documents": (
        b'{"qid": "q", "docs": {}, "hits": {}}',
        rm.SchemaError,
        None,
        "both 'docs' and 'hits'",
    ),
    "a row with a field less": (
        b'{"qid": "q", "docid": "d", "rel": 1}\n{"qid": "q", "docid": "e"}',
        rm.SchemaError,
        None,
        ":2: field 'rel', which the first row has, is missing; add it to the fields 'qid', 'docid'",
    ),
    "rows without ids": (
        b'[{"a": 1}]',
        rm.SchemaError,
        None,
        "entry 1: no column has a usual name for query_id",
    ),
    "a list of no objects": (b'["d"]', rm.SchemaError, None, "entry 1: found 'd'; need an object"),
    "nothing": (b"{}", rm.ParseError, None, "holds no judgments"),
    "nothing in a list": (b"[]", rm.ParseError, None, "holds no judgments"),
    "not UTF-8": (b'{"q":\n{"\xff": 1}}', rm.ParseError, 2, "not UTF-8"),
    "objects without end": (b'[{"q":' * 100_000, rm.ParseError, None, "nested too deeply"),
    "a number without end": (
        b'{"q": {"d": ' + b"1" * 10_000 + b"}}",
        rm.ParseError,
        None,
        "more than 4,300 digits",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_file_and_find(tmp_path: Path, mistake: str) -> None:
    data, kind, line, said = MISTAKES[mistake]
    path = tmp_path / "my.data"
    path.write_bytes(data)
    with pytest.raises(kind) as caught:
        rm.Qrels(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert said in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 300
    if line is not None:
        assert getattr(caught.value, "line", None) == line


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_document_without_an_end_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr("rankmark.data.files.json_text.MOST_BYTES", 1 << 22)
    monkeypatch.setattr("rankmark.data.files.json_text._LONG", 1 << 18)
    path = tmp_path / f"run.{form}"
    begin = b'{"query_id": "q", "docs": {"a": 1}}\n' if form == "jsonl" else b'{"q":'
    for filled, said in ((b"\0", "found a NUL byte"), (b" ", "has more than 4,194,304 bytes")):
        path.write_bytes(begin + filled * (1 << 23))
        for read in (
            lambda: rm.evaluate({"q": {"a": 1}}, path, "RR", run_format=form),
            lambda: rm.explain({"q": {"a": 1}}, path, "q", "RR", run_format=form),
            lambda: rm.Qrels(path, format=form),
            lambda: rm.convert(path, tmp_path / "out.csv", kind="run", format=form),
        ):
            with pytest.raises(rm.ParseError, match=said):
                read()


def test_a_file_is_read_anew_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b'{"q": {"a": 2, "b": 1}}')
    run = rm.Run(path)
    assert rm.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 0.5
    path.write_bytes(b'{"q": {"a": 2, "b": 3.5}}')
    assert rm.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 1.0


pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def tabled(**columns: Any) -> io.BytesIO:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    out.seek(0)
    return out


def test_parquet_reads_as_the_other_formats_do() -> None:
    assert judgments(io.BytesIO(parquet(WANTED, "qrels"))) == WANTED
    run = tabled(qid=[1, 1, 1], docid=pa.array(["a", "b", "c"]).dictionary_encode(), rank=[3, 1, 2])
    assert rankings(run, "abc", queries=["1"]) == {"1": ["b", "c", "a"]}
    ordered = tabled(qid=["q"] * 3, docid=["b", "c", "a"])
    assert rankings(ordered, "abc") == {"q": ["b", "c", "a"]}
    trusted = tabled(qid=["q", "q"], docid=["a", "b"], rank=[2, 1], score=[9.0, 8.0])
    assert rankings(trusted, "ab", ties="rank") == {"q": ["b", "a"]}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"qid": ["q", None], "docid": ["a", "b"]}, "row 1 .*: 'qid' is null"),
        ({"qid": ["q", "q"], "docid": ["a", None]}, "row 1 .*: 'docid' is null"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "rel": [1, None]}, "'rel' is null"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "rel": [1.0, float("nan")]}, "'rel' is NaN"),
        ({"qid": ["q", "q"], "docid": ["a", "b"], "topic": ["q", "q"]}, "could both be query_id"),
    ],
)
def test_parquet_with_a_mistake_is_refused(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(rm.SchemaError, match=said):
        rm.Qrels(tabled(**columns))


def test_damaged_parquet_is_told(tmp_path: Path) -> None:
    path = tmp_path / "qrels.parquet"
    path.write_bytes(parquet(WANTED, "qrels")[:-7])
    with pytest.raises(rm.ParseError, match="the Parquet data is damaged") as caught:
        rm.Qrels(path)
    assert (caught.value.where, caught.value.line) == (str(path), None)


@pytest.mark.usefixtures("shared_data")
def test_what_other_tools_wrote_is_read(shared_data: Path) -> None:
    folder = shared_data / "ranx"
    scores = {
        (qrels, run): rm.evaluate(folder / qrels, folder / run, ["nDCG", "AP"]).scores.tobytes()
        for qrels in ("qrels.trec", "qrels.trec.gz", "qrels.json", "qrels.parquet")
        for run in ("run.trec", "run.trec.gz", "run.json", "run.parquet")
    }
    assert len(set(scores.values())) == 1


LISTED = {
    "qrels": [["q1", "a", 0], ["q1", "b", 1], ["q2", "a", "2"]],
    "run": [["q1", "a", 0.9], ["q1", "b", 0.4], ["q2", "a", "1e-2"], ["q2", "b", 0.001]],
}


@pytest.mark.parametrize("by_line", [False, True])
@pytest.mark.parametrize("header", [False, True])
def test_rows_may_be_lists(tmp_path: Path, header: bool, by_line: bool) -> None:
    paths = []
    for kind, rows in LISTED.items():
        path = tmp_path / f"{kind}.{'jsonl' if by_line else 'json'}"
        named = ["query_id", "doc_id", "label" if kind == "qrels" else "score"]
        told = [named, *rows] if header else rows
        path.write_text("\n".join(map(json.dumps, told)) if by_line else json.dumps(told))
        paths.append(path)
    assert rm.evaluate(*paths, ["RR", "R@1"]).means == {"RR": 0.75, "R@1": 0.5}
    assert rm.explain(*paths, "q1", measure="RR").value == 0.5


def test_rows_as_lists_may_be_told_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("[1, 50, 9]\n[1, 51, 12]\n")
    with pytest.raises(rm.SchemaError, match=r'jsonl:1: found \[1, 50, 9\]; .*\["query_id", "doc_'):
        rm.evaluate({"1": [51]}, path)
    places = {"query_id": 0, "doc_id": 1, "score": 2}
    assert rm.evaluate({"1": [51]}, path, "RR", run_columns=places)["RR"] == 1
    path.write_text('["q", "a", 9]\n["q", "b"]\n')
    with pytest.raises(rm.SchemaError, match=r"jsonl:2: .*; need rows of 3 fields, like the first"):
        rm.evaluate({"q": ["a"]}, path)
