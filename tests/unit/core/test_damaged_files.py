"""Damaged files are refused, whatever the damage, and never end the process."""

import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

import rankmark as rm

FUZZER = Path(__file__).parents[2] / "fuzz" / "files" / "damaged_files.py"
QRELS = {"q": {"d3": 1, "3": 1}}
ROWS = 1000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it limits its memory")
def test_of_hundreds_of_damaged_files_each_is_refused_or_read() -> None:
    done = subprocess.run(
        [sys.executable, FUZZER, "--files", "8"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 faults in 192 files" in done.stdout


def run_of(text: pa.DataType) -> pa.Table:
    return pa.table(
        {
            "query_id": pa.array(["q"] * ROWS),
            "doc_id": pa.array([f"d{i}" for i in range(ROWS)]).cast(text),
            "score": [float(-i) for i in range(ROWS)],
        }
    )


def written(table: pa.Table, path: Path) -> bytes:
    if path.suffix == ".arrows":
        with ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif path.suffix == ".arrow":
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        feather.write_feather(table, path, compression="uncompressed")
    return path.read_bytes()


def offsets_of(table: pa.Table, column: str) -> bytes:
    (chunk,) = table[column].chunks
    return chunk.buffers()[1].to_pybytes()


def converted(path: Path) -> None:
    rm.convert(path, path.with_suffix(".trec"), kind="run")


READERS: list[Callable[[Path], object]] = [
    lambda path: rm.evaluate(QRELS, path, "RR"),
    lambda path: rm.evaluate(QRELS, path, "RR", threads=2),
    lambda path: rm.explain(QRELS, path, "q", "RR"),
    lambda path: rm.compare_rankings(path, path, "RBO(p=0.9)"),
    converted,
]


def refused_by_all(path: Path, said: str) -> None:
    for read in READERS:
        with pytest.raises(rm.InputError, match=said):
            read(path)
    assert not rm.check(QRELS, path).ok


@pytest.mark.parametrize("last", [2**31 - 1, 5000, 10**6])
@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".feather"])
def test_text_that_ends_behind_its_buffer_is_refused(
    tmp_path: Path, suffix: str, last: int
) -> None:
    table = run_of(pa.string())
    path = tmp_path / f"run{suffix}"
    data = written(table, path)
    offsets = offsets_of(table, "doc_id")[: 4 * (ROWS + 1)]
    assert data.count(offsets) == 1
    path.write_bytes(data.replace(offsets, offsets[:-4] + last.to_bytes(4, "little")))
    refused_by_all(path, "the Arrow data is damaged")


@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".feather"])
def test_more_rows_than_buffers_hold_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    data = written(run_of(pa.string()), path)
    rows = ROWS.to_bytes(8, "little")
    assert rows in data
    path.write_bytes(data.replace(rows, (5000).to_bytes(8, "little")))
    refused_by_all(path, "the Arrow data is damaged")


@pytest.mark.parametrize("suffix", [".arrow", ".parquet"])
def test_names_of_columns_that_are_no_text_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"run{suffix}"
    table = run_of(pa.string())
    if suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        written(table, path)
    path.write_bytes(path.read_bytes().replace(b"doc_id", b"do\xff_id"))
    refused_by_all(path, "data is damaged .*codec can't decode")


def test_a_part_that_is_larger_than_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.arrows"
    data = written(run_of(pa.string()), path)
    message = ipc.read_message(pa.py_buffer(data[data.index(b"\xff\xff\xff\xff", 4) :]))
    length = len(message.body).to_bytes(8, "little")
    path.write_bytes(data.replace(length, (2**60).to_bytes(8, "little"), 1))
    refused_by_all(path, "the Arrow data is damaged")


@pytest.mark.slow
def test_pages_of_parquet_that_do_not_fit_their_checksums_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    table = run_of(pa.string())
    parquet.write_table(table, path, write_page_checksum=True, use_dictionary=False)
    data = path.read_bytes()
    group = parquet.ParquetFile(path).metadata.row_group(0)
    assert rm.evaluate(QRELS, path, "RR")["RR"] == 0.25
    for column in map(group.column, range(group.num_columns)):
        end = column.data_page_offset + column.total_compressed_size  # the last page's data
        for bit in range(8 * 8):
            changed = bytearray(data)
            changed[end - 1 - bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            with pytest.raises(rm.ParseError, match="CRC checksum verification failed"):
                rm.evaluate(QRELS, path, "RR")
    refused_by_all(path, "CRC checksum verification failed")


@pytest.mark.slow
def test_parquet_whose_description_of_a_column_is_damaged_is_refused(tmp_path: Path) -> None:
    # pyarrow's RowGroupMetaData.column() ends the process where reading raises an error.
    path = tmp_path / "run.parquet"
    parquet.write_table(run_of(pa.string()), path)
    data = path.read_bytes()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    outcomes = []
    for at in range(begin, len(data) - 8, 2):
        changed = bytearray(data)
        changed[at] ^= 0x20
        path.write_bytes(changed)
        try:
            outcomes.append(rm.evaluate(QRELS, path, "RR")["RR"])
        except rm.InputError as error:
            outcomes.append(str(error).partition("(")[2])
    assert any("histogram size mismatch" in f"{outcome}" for outcome in outcomes)


def mixed_folder(folder: Path, first: pa.DataType, second: pa.DataType) -> set[int]:
    """Write two files whose ids have different types; return the documents."""
    documents: list[int] = []
    for name, kind, begin in (("a", first, 10**15), ("b", second, 2 * 10**15)):
        ids = [*range(begin, begin + 3000)]
        held = [Decimal(one) for one in ids] if pa.types.is_decimal(kind) else ids
        columns = {"query_id": ["7"] * 3000, "doc_id": pa.array(held, kind)}
        scores = [float(one % 9973) for one in ids]
        parquet.write_table(pa.table({**columns, "score": scores}), folder / f"{name}.parquet")
        documents += ids
    return {*documents}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds", [(pa.int64(), pa.decimal256(40, 0)), (pa.decimal128(20, 0), pa.uint64())]
)
def test_files_with_ids_of_several_types_are_read_as_one(
    tmp_path: Path, kinds: tuple[Any, Any]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    documents = mixed_folder(folder, *kinds)
    rm.convert(folder, tmp_path / "run.trec", kind="run")
    lines = (tmp_path / "run.trec").read_text().splitlines()
    assert {int(line.split()[2]) for line in lines} == documents
    text = {"7": {str(one): one % 3 for one in documents}}
    for source in (folder, tmp_path / "run.trec"):
        found = rm.evaluate(text, source, ["nDCG@10", "AP", "num_ret"])
        assert found["num_ret"] == 6000
        assert rm.compare_rankings(folder, source, "RBO(p=0.9)")["RBO(p=0.9)"] == pytest.approx(1)
        assert rm.check(text, source).ok
