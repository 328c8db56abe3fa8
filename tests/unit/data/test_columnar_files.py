"""Parquet and Arrow files, read in batches, give what the same rows give as TREC text."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

import rankmark as rm

MEASURES = ["nDCG@5", "AP", "RR", "P@3", "num_ret"]
QRELS = {f"{q}": {f"{d}": (q + d) % 3 for d in range(0, 40, 3)} for q in range(25)}
Row = tuple[str, str, float]


def rows_of(order: str) -> list[Row]:
    """Return a run of 30 queries, of which 5 are not judged, with ties."""
    chance = random.Random(7)
    rows = [
        (f"{q}", f"{d}", float(chance.randrange(8)))
        for q in range(30)
        for d in chance.sample(range(40), 1 + q % 13)
    ]
    if order == "shuffled":
        chance.shuffle(rows)
    elif order == "returning":  # one query in the last rows again
        rows = rows[3:] + rows[:3]
    return rows


def text_of(rows: list[Row], path: Path) -> Path:
    path.write_text("".join(f"{q} Q0 {d} 0 {s!r} x\n" for q, d, s in rows))
    return path


def table_of(rows: list[Row], ids: str) -> pa.Table:
    queries, documents, scores = (list(column) for column in zip(*rows, strict=True))
    types: dict[str, Any] = {
        "text": pa.string(),
        "large": pa.large_string(),
        "view": pa.string_view(),
    }
    if ids == "whole":
        columns = [pa.array(map(int, values), pa.int32()) for values in (queries, documents)]
    elif ids == "dictionary":
        columns = [pa.array(values).dictionary_encode() for values in (queries, documents)]
    else:
        columns = [pa.array(values, types[ids]) for values in (queries, documents)]
    return pa.table({"other": documents, "docid": columns[1], "sim": scores, "qid": columns[0]})


def write_parquet(table: pa.Table, path: Path, rows: int) -> None:
    parquet.write_table(table, path, row_group_size=rows)


def write_file(table: pa.Table, path: Path, rows: int) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


def write_stream(table: pa.Table, path: Path, rows: int) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


def write_feather(table: pa.Table, path: Path, rows: int) -> None:
    feather.write_feather(table, path, chunksize=rows, compression="zstd")


WRITERS: dict[str, Callable[[pa.Table, Path, int], None]] = {
    "parquet": write_parquet,
    "arrow": write_file,
    "arrows": write_stream,
    "feather": write_feather,
}


def told(evaluation: rm.Evaluation) -> Any:
    """Return all that must not depend on the form."""
    audit = evaluation.audit.to_dict()
    return evaluation.queries, evaluation.scores.tobytes(), audit


@pytest.fixture(scope="module", params=["grouped", "shuffled", "returning"])
def expected(request: Any, tmp_path_factory: Any) -> tuple[list[Row], Any]:
    rows = rows_of(request.param)
    text = text_of(rows, tmp_path_factory.mktemp("text") / "run.txt")
    return rows, told(rm.evaluate(QRELS, text, MEASURES))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "ids"),
    [
        *[("parquet", ids) for ids in ("text", "large", "whole", "dictionary")],
        *[("arrow", ids) for ids in ("text", "view", "dictionary")],
        *[("arrows", "whole"), ("feather", "large")],
    ],
)
def test_batches_of_any_size_give_the_bits_of_the_text(
    expected: Any, form: str, ids: str, tmp_path: Path
) -> None:
    rows, wanted = expected
    for number in (7, 1000) if ids != "text" else (1,):
        path = tmp_path / f"run{number}.{form}"
        WRITERS[form](table_of(rows, ids), path, number)
        for threads in (1, 3):
            assert told(rm.evaluate(QRELS, path, MEASURES, threads=threads)) == wanted


def test_interleaved_rows_are_gathered_within_a_bound(tmp_path: Path) -> None:
    rows = [(f"{n % 7}", f"document {n}", float(n % 11)) for n in range(7_000)]
    path, text = tmp_path / "run.parquet", text_of(rows, tmp_path / "run.txt")
    write_parquet(table_of(rows, "text"), path, 1000)
    text.write_text(text.read_text().replace("document ", "document-"))
    qrels = {f"{q}": {f"document {n}": 1 for n in range(q, 500, 7)} for q in range(7)}
    dashed = {q: {d.replace(" ", "-"): 1 for d in judged} for q, judged in qrels.items()}
    expected = told(rm.evaluate(dashed, text, MEASURES))
    assert told(rm.evaluate(qrels, path, MEASURES, memory="64K")) == expected


@pytest.mark.parametrize("form", WRITERS)
def test_judgments_are_read_in_batches_too(form: str, tmp_path: Path) -> None:
    rows = [(q, d, float(label)) for q, judged in QRELS.items() for d, label in judged.items()]
    table = table_of(rows, "text").rename_columns(["other", "docid", "rel", "qid"])
    WRITERS[form](table, tmp_path / f"qrels.{form}", 4)
    run = {q: {d: float(s) for d, s in judged.items()} for q, judged in QRELS.items()}
    expected = rm.evaluate(QRELS, run, MEASURES)
    found = rm.evaluate(tmp_path / f"qrels.{form}", run, MEASURES)
    assert found.scores.tobytes() == expected.scores.tobytes()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("form", WRITERS)
def test_a_fault_names_the_row_of_the_file(form: str, threads: int, tmp_path: Path) -> None:
    rows = rows_of("grouped")
    table = table_of(rows, "text")
    scores: list[float | None] = list(table["sim"].to_pylist())
    scores[57] = None
    scores[101] = None
    path = tmp_path / f"run.{form}"
    WRITERS[form](table.set_column(2, "sim", pa.array(scores)), path, 10)
    with pytest.raises(rm.SchemaError, match=rf"run\.{form}: row 57 \(from 0\): 'sim' is null"):
        rm.evaluate(QRELS, path, threads=threads)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("form", WRITERS)
def test_a_duplicate_names_both_rows_and_comes_before_later_faults(
    form: str, threads: int, tmp_path: Path
) -> None:
    rows = [("1", f"{n}", 1.0) for n in range(20)] + [("1", "3", 0.5), ("2", "a", float("nan"))]
    path = tmp_path / f"run.{form}"
    WRITERS[form](table_of(rows, "text"), path, 5)
    with pytest.raises(rm.DuplicateError, match=r"row 20 .*'3'.*'1', first in row 3 "):
        rm.evaluate(QRELS, path, threads=threads)


def test_a_rank_column_orders_a_run_without_scores(tmp_path: Path) -> None:
    table = pa.table({"qid": ["1"] * 3, "docid": ["a", "b", "c"], "rank": [3, 1, 2]})
    parquet.write_table(table, tmp_path / "run.parquet", row_group_size=2)
    found = rm.evaluate({"1": {"b": 1}}, tmp_path / "run.parquet", "RR")
    assert found["RR"] == 1.0
    table = table.drop_columns(["rank"])
    parquet.write_table(table, tmp_path / "run.parquet", row_group_size=2)
    assert rm.evaluate({"1": {"c": 1}}, tmp_path / "run.parquet", "RR")["RR"] == 1 / 3


def test_all_verbs_read_arrow_files(tmp_path: Path) -> None:
    rows = rows_of("shuffled")
    text, path = text_of(rows, tmp_path / "run.txt"), tmp_path / "run.arrow"
    write_file(table_of(rows, "text"), path, 9)
    one, other = (rm.explain(QRELS, run, "12", "AP") for run in (text, path))
    assert one.to_dict()["rows"] == other.to_dict()["rows"]
    assert rm.check(QRELS, path).ok == rm.check(QRELS, text).ok
    comparison = rm.compare(QRELS, {"text": text, "arrow": path}, ["AP"])
    assert comparison.to_dict()
    rm.convert(path, tmp_path / "back.run", kind="run")
    again = rm.evaluate(QRELS, tmp_path / "back.run", MEASURES)
    assert again.scores.tobytes() == rm.evaluate(QRELS, text, MEASURES).scores.tobytes()


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_arrow_files_that_were_joined_are_refused(compression: str | None, tmp_path: Path) -> None:
    parts = []
    for query in ("q", "r"):
        texts = pa.array([query] * 3).dictionary_encode()
        table = pa.table({"query_id": texts, "doc_id": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
        options = ipc.IpcWriteOptions(compression=compression)
        with ipc.new_file(tmp_path / query, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=2)
        parts.append((tmp_path / query).read_bytes())
    one, joined = tmp_path / "one.arrow", tmp_path / "joined.arrow"
    one.write_bytes(parts[0])
    assert rm.evaluate({"q": {"b": 1}}, one, "RR")["RR"] == 0.5
    joined.write_bytes(b"".join(parts))
    with pytest.raises(rm.ParseError, match="several Arrow files in one"):
        rm.evaluate({"q": {"b": 1}}, joined, "RR")
