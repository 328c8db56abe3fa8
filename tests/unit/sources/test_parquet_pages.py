"""Parquet's pages as several writers write them, and what becomes of damaged ones."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet as written

import rankmark as rm
from rankmark._core import ParquetFault, ParquetFooter, ParquetRows, Table, numbered
from rankmark.sources.batches.read_at import ReadAt
from rankmark.sources.files import parquet, parquet_pages
from unit.sources.test_columnar_files import MEASURES, QRELS, rows_of, table_of, told


@pytest.fixture
def by_pyarrow(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note how many rows each table has that pyarrow reads."""
    rows: list[int] = []
    real = parquet.tables_of

    def counted(*args: Any) -> Iterator[Table]:
        for table in real(*args):
            rows.append(len(table))
            yield table

    monkeypatch.setattr(parquet, "tables_of", counted)
    return rows


def write_with_polars(table: pa.Table, path: Path) -> None:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    frame.write_parquet(path)


def write_with_duckdb(table: pa.Table, path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    duckdb.from_arrow(table).write_parquet(str(path))


def write_with_checksums(table: pa.Table, path: Path) -> None:
    written.write_table(table, path, write_page_checksum=True, data_page_version="2.0")


WRITERS = {
    "pyarrow": written.write_table,
    "checksums": write_with_checksums,
    "polars": write_with_polars,
    "duckdb": write_with_duckdb,
}


@pytest.mark.parametrize("ids", ["text", "whole"])
@pytest.mark.parametrize("writer", WRITERS)
def test_what_a_writer_writes_by_default_is_read_by_the_core(
    writer: str, ids: str, tmp_path: Path, by_pyarrow: list[int]
) -> None:
    table = table_of(rows_of("grouped"), ids)
    WRITERS[writer](table, tmp_path / "run.parquet")
    assert told(rm.evaluate(QRELS, tmp_path / "run.parquet", MEASURES)) == told(
        rm.evaluate(QRELS, table, MEASURES)
    )
    assert by_pyarrow == []


def test_pyarrow_goes_on_where_the_core_stops(
    tmp_path: Path, by_pyarrow: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("1", f"{n}", float(n)) for n in range(3000)]
    table = table_of(rows, "text")
    scores: list[float | None] = [score for _, _, score in rows]
    scores[2500] = None
    table = table.set_column(2, "sim", pa.array(scores))
    written.write_table(table, tmp_path / "run.parquet", data_page_size=4096, write_batch_size=100)
    monkeypatch.setattr(parquet, "MOST_ROWS", 500)
    with pytest.raises(rm.SchemaError, match=r"row 2500 .*'sim'.* null"):
        rm.evaluate(QRELS, tmp_path / "run.parquet")
    assert sum(by_pyarrow) < 1500


def file_of(**options: Any) -> bytes:
    file = io.BytesIO()
    table = pa.table({"id": [f"{n:07}" for n in range(300)]})
    written.write_table(table, file, **options)
    return file.getvalue()


def read_ids(data: bytes, most: int = 100) -> list[str]:
    file = io.BytesIO(data)
    footer = parquet_pages.footer_of(file)
    assert footer is not None
    ids: list[str] = []
    for table in parquet_pages.tables_of_group(file, footer, 0, ["id"], ["u"], most):
        codes, known = numbered(table, 0)
        ids += [known[code] for code in codes]
    return ids


def test_a_page_that_does_not_match_its_checksum_is_refused() -> None:
    data = file_of(write_page_checksum=True, compression="none", use_dictionary=False)
    assert len(read_ids(data)) == 300
    damaged = data.replace(b"0000123", b"0000124")
    assert damaged != data
    with pytest.raises(ParquetFault):
        read_ids(damaged)
    without = file_of(compression="none", use_dictionary=False)
    assert read_ids(without.replace(b"0000123", b"0000124"))[123] == "0000124"


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_bytes_that_are_lost_are_noticed(compression: str, dictionary: bool) -> None:
    data = file_of(compression=compression, use_dictionary=dictionary)
    footer = parquet_pages.footer_of(io.BytesIO(data))
    assert footer is not None
    for size in (4, 10, 40):
        file = io.BytesIO(data[:size])
        with pytest.raises(ParquetFault):
            [*parquet_pages.tables_of_group(file, footer, 0, ["id"], ["u"], 100)]


def test_a_footer_that_is_none_is_refused() -> None:
    for footer in (b"", b"\xff", b"\x2c" * 200, b"\x4c" * 1000, b"\x29\xff\xff\xff\xff\x0f"):
        with pytest.raises(ParquetFault):
            ParquetFooter(footer)


def test_errors_of_reading_and_unpacking_reach_the_caller() -> None:
    data = file_of(compression="zstd")
    footer = parquet_pages.footer_of(io.BytesIO(data))
    assert footer is not None

    def read(place: int, into: memoryview) -> None:
        into[:] = data[place : place + len(into)]

    def fails(*_: Any) -> Any:
        raise RuntimeError("no")

    for functions in ((fails, fails), (read, fails)):
        rows = ParquetRows(footer, 0, ["id"], ["u"], len(data), *functions)
        with pytest.raises(RuntimeError, match="no"):
            rows.next(10)
    rows = ParquetRows(footer, 0, ["id"], ["u"], len(data), read, lambda *_: b"short")
    with pytest.raises(ParquetFault):
        rows.next(10)
    with pytest.raises(TypeError):
        ParquetRows(footer, 0, ["id"], ["u"], len(data), read, lambda *_: 1).next(10)
    for wrong in (["i"], ["g"], ["+l"], []):
        with pytest.raises(ParquetFault):
            ParquetRows(footer, 0, ["id"], wrong, len(data), read, fails)
    with pytest.raises(IndexError):
        ParquetRows(footer, 1, ["id"], ["u"], len(data), read, fails)


@pytest.mark.parametrize("has_preadv", [True, False])
def test_bytes_are_read_into_memory(
    has_preadv: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_preadv:
        monkeypatch.delattr("os.preadv", raising=False)
    path = tmp_path / "bytes"
    path.write_bytes(b"0123456789")
    with path.open("rb") as file, ReadAt(file.fileno()) as read:
        buffer = bytearray(4)
        read.seek(5)
        assert read.readinto(buffer) == 4
        assert (buffer, read.tell()) == (b"5678", 9)
        assert read.readinto(buffer) == 1
        assert (buffer, read.tell()) == (b"9678", 10)
        assert read.readinto(buffer) == 0
