"""Tables whose rows are yet to come are read in batches, with the bits of the same rows as text."""

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.fs
import pyarrow.parquet
import pytest

import rankmark as rm
from rankmark.data.frames import stream_kinds, streams
from unit.data.test_columnar_files import MEASURES, QRELS, rows_of, table_of, text_of, told


class Unknown:
    """An object that exports a stream, once, and says nothing of its rows."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader.__arrow_c_stream__()


def relation(table: pa.Table) -> Any:
    return pytest.importorskip("duckdb").from_arrow(table)


FORMS: dict[str, Callable[[pa.Table], Any]] = {
    "reader": lambda table: table.to_reader(7),
    "dataset": pa.dataset.dataset,
    "scanner": lambda table: pa.dataset.dataset(table).scanner(batch_size=7),
    "lazy frame": lambda table: pl.from_arrow(table).lazy(),
    "relation": relation,
    "unknown": lambda table: Unknown(table.to_reader(9)),
}
ONCE = ("reader", "unknown")


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_FEW_ROWS", 1000)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
@pytest.mark.parametrize("form", FORMS)
def test_streams_give_the_bits_of_the_text(form: str, order: str, tmp_path: Path) -> None:
    rows = rows_of(order)
    table = table_of(rows, "text")
    expected = told(rm.evaluate(QRELS, text_of(rows, tmp_path / "run.txt"), MEASURES))
    for threads in (1, 3):
        assert told(rm.evaluate(QRELS, FORMS[form](table), MEASURES, threads=threads)) == expected
    run = rm.Run(FORMS[form](table))
    for _ in range(2):
        assert told(rm.evaluate(QRELS, run, MEASURES)) == expected
    if form in ONCE:
        assert told(rm.evaluate(QRELS, pickle.loads(pickle.dumps(run)), MEASURES)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_judgments_may_be_streams(form: str) -> None:
    rows = [(q, d, float(label)) for q, judged in QRELS.items() for d, label in judged.items()]
    table = table_of(rows, "text").rename_columns(["other", "docid", "rel", "qid"])
    found = rm.Qrels(FORMS[form](table))
    assert found.same_judgments_as(rm.Qrels(QRELS))


@pytest.mark.parametrize("form", FORMS)
def test_a_duplicate_in_a_stream_names_both_rows(form: str) -> None:
    rows = [("1", f"{n}", 1.0) for n in range(20)] + [("1", "3", 0.5)]
    with pytest.raises(rm.DuplicateError, match=r"run <frame>: row 20 .*'3'.*first in row 3 "):
        rm.evaluate(QRELS, FORMS[form](table_of(rows, "text")))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "unknown"])
def test_lists_in_a_stream_are_rows_of_queries(form: str) -> None:
    table = pa.table(
        {"qid": ["1", "2"], "docid": [["3", "0"], ["1"]], "score": [[2.0, 1.0], [1.0]]}
    )
    expected = rm.evaluate(QRELS, {"1": {"3": 2.0, "0": 1.0}, "2": {"1": 1.0}}, MEASURES)
    assert rm.evaluate(QRELS, FORMS[form](table), MEASURES).scores.tobytes() == (
        expected.scores.tobytes()
    )


def test_a_stream_that_fails_says_so_after_earlier_faults() -> None:
    def batches(*tables: pa.Table) -> Iterator[pa.RecordBatch]:
        for table in tables:
            yield from table.to_batches()
        raise RuntimeError("the line is dead")

    whole = table_of([("1", "a", 1.0)], "text")
    reader = pa.RecordBatchReader.from_batches(whole.schema, batches(whole))
    with pytest.raises(rm.SchemaError, match="the line is dead"):
        rm.evaluate(QRELS, reader)
    reader = pa.RecordBatchReader.from_batches(whole.schema, batches(whole, whole))
    with pytest.raises((rm.DuplicateError, rm.SchemaError)):
        rm.evaluate(QRELS, reader)


def test_a_long_stream_of_an_unknown_library_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_FEW_ROWS", 20)
    rows = rows_of("grouped")
    expected = told(rm.evaluate(QRELS, table_of(rows, "text"), MEASURES))
    for threads in (1, 3):
        unknown = Unknown(table_of(rows, "text").to_reader(9))
        assert told(rm.evaluate(QRELS, unknown, MEASURES, threads=threads)) == expected
    shuffled = table_of(rows_of("shuffled"), "text")
    with pytest.raises(rm.InputError, match=r"RecordBatchReader\.from_stream"):
        rm.evaluate(QRELS, Unknown(shuffled.to_reader(9)))
    assert rm.evaluate(QRELS, Unknown(shuffled), "AP")  # exports as often as one likes


@pytest.mark.parametrize("own", [{}, {"pre_buffer": False, "buffer_size": 12345}])
def test_a_dataset_reads_a_local_file_in_pieces_unless_options_are_given(
    own: dict[str, Any], tmp_path: Path
) -> None:
    pa.parquet.write_table(table_of(rows_of("grouped"), "text"), tmp_path / "run.parquet")
    kind = pa.dataset.ParquetFileFormat(
        default_fragment_scan_options=pa.dataset.ParquetFragmentScanOptions(**own)
    )
    options = streams._in_pieces(pa.dataset.dataset(tmp_path / "run.parquet", format=kind))
    if own:
        assert options is None
    else:
        assert options.use_buffered_stream
        assert not options.pre_buffer


def test_only_local_files_of_parquet_are_read_in_pieces(tmp_path: Path) -> None:
    table = table_of(rows_of("grouped"), "text")
    assert streams._in_pieces(pa.dataset.dataset(table)) is None
    pa.feather.write_feather(table, tmp_path / "run.feather")
    arrow = pa.dataset.dataset(tmp_path / "run.feather", format="feather")
    assert streams._in_pieces(arrow) is None
    pa.parquet.write_table(table, tmp_path / "run.parquet")
    elsewhere = pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem())
    remote = pa.dataset.dataset("run.parquet", filesystem=elsewhere)
    assert streams._in_pieces(remote) is None


def test_the_progress_bar_of_duckdb_is_off_while_a_relation_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr(stream_kinds, "_is_shown", lambda: False)
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = true")
    shown = "SELECT current_setting('enable_progress_bar_print')"
    relation = connection.sql("SELECT 1 AS one")
    assert connection.execute(shown).fetchall() == [(True,)]
    with stream_kinds.without_progress_bar(relation):
        assert connection.execute(shown).fetchall() == [(False,)]
    assert connection.execute(shown).fetchall() == [(True,)]
    assert (
        connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        == []
    )


def test_a_progress_bar_that_is_off_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr(stream_kinds, "_is_shown", lambda: False)
    connection = duckdb.connect()
    for setting in ("enable_progress_bar", "enable_progress_bar_print"):
        connection.execute("SET enable_progress_bar = true")
        connection.execute(f"SET {setting} = false")
        with stream_kinds.without_progress_bar(connection.sql("SELECT 1 AS one")):
            pass
        assert connection.execute(f"SELECT current_setting('{setting}')").fetchall() == [(False,)]
