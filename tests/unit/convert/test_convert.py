"""What is converted evaluates as what it was made from; nothing is half-written."""

import io
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.random_collections import Collection, collections
from rankmark.verbs.convert.row_formats import ROW_FORMATS
from unit.commands import rankmark_here, told

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2.5}}
RUN = {"q2": {"c": 0.5}, "q1": {"x": 1e-7, "a": 3.0, "b": 3.0}}
MEASURES = ["nDCG@3", "AP", "RR", "NumRet", "Judged@2"]


@given(
    collection=collections(least=1),
    formats=st.tuples(
        st.sampled_from(ROW_FORMATS),
        st.sampled_from([form for form in ROW_FORMATS if form not in {"beir", "msmarco"}]),
    ),
    packing=st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
)
def test_what_is_written_evaluates_to_the_same_bits(
    collection: Collection, formats: tuple[Any, Any], packing: str, ties: Any
) -> None:
    qrels, run = collection.without_empty_queries
    run = {
        query: {doc: max(min(score, 1e308), -1e308) for doc, score in docs.items()}
        for query, docs in run.items()
    }
    if not qrels or not run:
        return
    wanted = rm.evaluate(qrels, run, MEASURES, ties=ties)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}{packing}") for name in ("qrels", "run")]
        try:
            rm.convert(qrels, paths[0], kind="qrels", to=formats[0])
            rm.convert(run, paths[1], kind="run", to=formats[1])
        except rm.InputError as error:
            assert "ids" in str(error)  # noqa: PT017  (blanks, a query that begins with #)
            assert not any(path.exists() for path in paths[1:])
            return
        ev = rm.evaluate(*paths, MEASURES, ties=ties, qrels_format=None)
    assert ev.queries == wanted.queries
    assert ev.scores.tobytes() == wanted.scores.tobytes()


@pytest.mark.parametrize(
    ("form", "qrels", "run"),
    [
        (
            "trec",
            "q1 0 a 1\nq1 0 b 0\nq2 0 c 2.5\n",
            "q2 Q0 c 1 0.5 rankmark\nq1 Q0 a 1 3 rankmark\nq1 Q0 b 2 3 rankmark\n"
            "q1 Q0 x 3 1e-07 rankmark\n",
        ),
        (
            "csv",
            "query_id,doc_id,label\nq1,a,1\nq1,b,0\nq2,c,2.5\n",
            "query_id,doc_id,score,rank\nq2,c,0.5,1\nq1,a,3,1\nq1,b,3,2\nq1,x,1e-07,3\n",
        ),
        (
            "jsonl",
            '{"query_id": "q1", "doc_id": "a", "label": 1}\n'
            '{"query_id": "q1", "doc_id": "b", "label": 0}\n'
            '{"query_id": "q2", "doc_id": "c", "label": 2.5}\n',
            '{"query_id": "q2", "doc_id": "c", "score": 0.5, "rank": 1}\n'
            '{"query_id": "q1", "doc_id": "a", "score": 3, "rank": 1}\n'
            '{"query_id": "q1", "doc_id": "b", "score": 3, "rank": 2}\n'
            '{"query_id": "q1", "doc_id": "x", "score": 1e-07, "rank": 3}\n',
        ),
    ],
)
def test_rows_are_written_query_by_query_and_best_first(
    form: Any, qrels: str, run: str, tmp_path: Path
) -> None:
    rm.convert(QRELS, tmp_path / "qrels", kind="qrels", to=form)
    rm.convert(RUN, tmp_path / "run", kind="run", to=form)
    assert (tmp_path / "qrels").read_text() == qrels
    assert (tmp_path / "run").read_text() == run


@pytest.mark.parametrize(
    "source",
    [
        {"q": ["b", "a", "c"]},
        pl.DataFrame({"qid": ["q"] * 3, "docid": ["a", "b", "c"], "rank": [2, 1, 3]}),
        [("q", "b"), ("q", "a"), ("q", "c")],
        rm.Run({"q": {"a": 0.5, "b": 7, "c": -1}}),
    ],
)
def test_an_order_becomes_scores_that_fall(source: Any, tmp_path: Path) -> None:
    rm.convert(source, tmp_path / "run.trec", kind="run")
    lines = [line.split() for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert [(line[2], line[3]) for line in lines] == [("b", "1"), ("a", "2"), ("c", "3")]
    scores = [float(line[4]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 3


def test_arrays_are_written_with_their_numbers_as_ids(tmp_path: Path) -> None:
    rm.convert(np.array([[0.5, 2.0]]), tmp_path / "run.csv", kind="run")
    assert (tmp_path / "run.csv").read_text().splitlines()[1:] == ["0,1,2,1", "0,0,0.5,2"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("q 0 a 1\n", "qrels"),
        ("q Q0 a 1 0.5 t\n", "run"),
        ("q\ta\t1\nq\tb\t2\n", "run"),
        ("query-id\tcorpus-id\tscore\nq\ta\t1\n", "qrels"),
        ("qid,docid,rel\nq,a,1\n", "qrels"),
        ("qid,docid,rank\nq,a,1\n", "run"),
    ],
)
def test_what_a_file_holds_is_known_by_its_columns(content: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(content)
    rm.convert(path, tmp_path / "out.csv")
    number = {"qrels": "label", "run": "score"}[kind]
    assert number in (tmp_path / "out.csv").read_text().splitlines()[0]


@pytest.mark.parametrize("content", ["qid,docid,score\nq,a,1\n", '{"q": {"a": 1}}'])
def test_what_may_be_either_is_asked_for(content: str, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text(content)
    with pytest.raises(
        rm.InputError,
        match="this may be judgments or a run; say which: --as qrels",
    ):
        rm.convert(path, tmp_path / "out.trec")
    for kind in ("qrels", "run"):
        rm.convert(path, tmp_path / "out.trec", kind=kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "form", "said"),
    [
        (
            {"q": ["a b"]},
            "trec",
            "some ids cannot be written: 'a b', because columns are separated by blanks",
        ),
        ({"#q": ["a"]}, "trec", "'#q'"),
        ({"q": ["a\nb"]}, "csv", "choose another format, such as --to jsonl"),
        ({"q": [" a"]}, "tsv", "a table cannot contain such ids"),
        ({"q": {"a": math.inf}}, "jsonl", "JSON has no infinite numbers"),
        (
            {"q": [""]},
            "parquet",
            "some ids cannot be written: ''",
        ),
    ],
)
def test_ids_that_would_not_be_read_back_are_refused(
    run: Any, form: Any, said: str, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("as it was")
    with pytest.raises(rm.InputError) as caught:
        rm.convert(run, tmp_path / "out", kind="run", to=form)
    assert said in str(caught.value)
    assert (tmp_path / "out").read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_ids_that_are_no_text_keep_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(b"q Q0 \xff\xfe 1 0.5 t\n")
    rm.convert(tmp_path / "run.txt", tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == b"q Q0 \xff\xfe 1 0.5 t\n"
    with pytest.raises(rm.InputError, match="JSON contains only Unicode text"):
        rm.convert(tmp_path / "run.txt", tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"to": "xml", "kind": "run"}, "to is 'xml'; need one of trec, msmarco, beir, csv"),
        ({"kind": "run"}, "the name does not end in a known format"),
        ({"to": "csv"}, "kind is None; need one of qrels, run"),
        ({"to": "csv", "kind": "both"}, "kind is 'both'; need one of qrels, run"),
    ],
)
def test_what_is_not_clear_is_asked_for(options: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match=said):
        rm.convert(RUN, tmp_path / "out", **options)
    with pytest.raises(rm.InputError, match="a prepared run"):
        rm.convert(rm.Run(RUN), tmp_path / "out.csv", kind="qrels")


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): the number is NaN"):
        rm.convert({"q": {"a": 1, "b": math.nan}}, tmp_path / "out.csv", kind="run")
    with pytest.raises(rm.InputError, match="there is nothing to write"):
        rm.convert({}, tmp_path / "out.csv", kind="run")


@pytest.mark.slow
def test_the_command_converts_files_and_streams(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q Q0 a 1 0.5 t\nq Q0 b 2 0.25 t\n")
    done = rankmark_here("convert", tmp_path / "run.txt", tmp_path / "run.parquet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = rankmark_here("convert", tmp_path / "run.parquet", "-", "--to", "csv")
    assert done.stdout == "query_id,doc_id,score,rank,tag\nq,a,0.5,1,t\nq,b,0.25,2,t\n"
    done = rankmark_here("convert", "-", "-", "--to", "trec", "--tag", "mine", input=done.stdout)
    assert done.stdout == "q Q0 a 1 0.5 mine\nq Q0 b 2 0.25 mine\n"
    done = rankmark_here("convert", "-", "-", "--to", "csv", input='{"q": {"a": 1}}')
    assert "--as qrels or --as run" in told(done)
    assert done.returncode == 1


@pytest.mark.slow
def test_the_command_tells_mistakes_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 0.5 t\nq Q0 b 2 high t\n")
    done = rankmark_here("convert", path, tmp_path / "out.csv")
    assert told(done).startswith(f"{path}:2: score 'high' is not a number")
    assert [one.name for one in tmp_path.iterdir()] == ["run.txt"]
    done = rankmark_here("convert", tmp_path / "no.txt", tmp_path / "out.csv")
    assert "there is no such file" in told(done)


def test_standard_output_may_be_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = io.StringIO()
    monkeypatch.setattr("sys.stdout", taken)
    rm.convert({"q": ["ä"]}, "-", kind="qrels", to="tsv")
    assert taken.getvalue() == "query_id\tdoc_id\tlabel\nq\tä\t1\n"
