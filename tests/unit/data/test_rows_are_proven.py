"""Files of columns with fewer rows than they promise are refused or told, whatever reads them."""

import io
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import fs, ipc, parquet

import rankmark as rm
from rankmark.spark.frame_columns import columns_of_fields
from rankmark.spark.parquet_rows import ParquetRows, Split

ROWS = 60
QRELS = {f"q{q}": {f"d{d}": 1 for d in range(20 * q, 20 * q + 20, 3)} for q in range(3)}
TABLE = pa.table(
    {
        "query_id": [f"q{row // 20}" for row in range(ROWS)],
        "doc_id": [f"d{row}" for row in range(ROWS)],
        "score": [float(row * 37 % 61) for row in range(ROWS)],
    }
)
AS_JUDGMENTS = TABLE.set_column(2, "label", pa.array([row % 3 for row in range(ROWS)]))
RUN = {
    query: {document: float(int(document[1:]) * 37 % 61) for document in judged}
    for query, judged in QRELS.items()
}


def parquet_of(table: pa.Table, **options: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=20, **options)
    return file.getvalue()


def with_no_values(data: bytes) -> bytes:
    """Set how many values the first page after the dictionary has to 0; others follow it."""
    assert data[32] == 0x28  # 20, as Thrift writes it
    return data[:32] + b"\0" + data[33:]


def read_as_run(path: Path) -> None:
    rm.evaluate(QRELS, path, "AP")


def read_by_threads(path: Path) -> None:
    rm.evaluate(QRELS, path, "AP", threads=2)


def converted(path: Path) -> None:
    rm.convert(path, path.with_suffix(".trec"), kind="run")


def compared(path: Path) -> None:
    rm.compare_rankings(path, QRELS, "RBO(p=0.9)")


def fused(path: Path) -> None:
    rm.fuse([path, RUN], "rrf")


def explained(path: Path) -> None:
    rm.explain(QRELS, path, "q2", "AP")


def read_in_folder(path: Path) -> None:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    (folder / path.name).write_bytes(path.read_bytes())
    rm.evaluate(QRELS, folder, "AP")


def read_by_task(path: Path) -> int:
    """Count the rows that a task of Spark reads of a Parquet file."""
    fields = [("query_id", "string"), ("doc_id", "string"), ("score", "double")]
    columns = columns_of_fields(fields, "run", None, where="run")
    size = path.stat().st_size
    tasks = ((Split(str(path), 0, size, size),),)
    batches = ParquetRows(fs.LocalFileSystem(), True, tasks).batches(0, columns)
    return sum(batch.num_rows for batch in batches)


READERS = [read_as_run, read_by_threads, read_in_folder, converted, compared, fused, explained]


@pytest.mark.parametrize("read", [*READERS, read_by_task])
def test_parquet_with_fewer_rows_than_its_footer_says_is_refused(
    read: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(with_no_values(parquet_of(TABLE, compression="none")))
    assert parquet.read_metadata(path).num_rows == ROWS
    with pytest.raises(rm.ParseError, match=r"it has \d+ rows, and \d+ by its footer"):
        read(path)


def test_judgments_are_proven_too(tmp_path: Path) -> None:
    path = tmp_path / "qrels.parquet"
    path.write_bytes(with_no_values(parquet_of(AS_JUDGMENTS, compression="none")))
    with pytest.raises(rm.ParseError, match="it has 0 rows, and 20 by its footer"):
        rm.evaluate(path, RUN, "AP")


def arrow_of(new: Callable[..., ipc.RecordBatchStreamWriter]) -> tuple[bytes, list[int]]:
    """Return the data, and where each batch of 20 rows ends."""
    file, ends = io.BytesIO(), []
    with new(file, TABLE.schema) as writer:
        for batch in TABLE.to_batches(max_chunksize=20):
            writer.write_batch(batch)
            ends.append(file.tell())
    return file.getvalue(), ends


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_a_stream_without_its_end_warns_with_the_rows_that_were_read(
    batches: int, tmp_path: Path
) -> None:
    data, ends = arrow_of(ipc.new_stream)
    path = tmp_path / "run.arrows"
    path.write_bytes(data[: ends[batches - 1]])
    rows = 20 * batches
    with pytest.warns(rm.RankmarkWarning, match=f"ends after {rows} rows without its mark"):
        assert rm.evaluate(QRELS, path, "AP").audit.rows == rows
    for read in READERS:
        with pytest.warns(rm.RankmarkWarning, match="without its mark of the end"):
            read(path)
    path.write_bytes(data)
    assert rm.evaluate(QRELS, path, "AP").audit.rows == ROWS


def test_streams_that_polars_writes_have_an_end(tmp_path: Path) -> None:
    frame = pl.from_arrow(TABLE)
    assert isinstance(frame, pl.DataFrame)
    frame.write_ipc_stream(tmp_path / "run.arrows")
    frame.write_ipc(tmp_path / "run.arrow")
    for path in tmp_path.iterdir():
        assert rm.evaluate(QRELS, path, "AP").audit.rows == ROWS


def test_two_streams_in_one_file_are_refused(tmp_path: Path) -> None:
    data, _ = arrow_of(ipc.new_stream)
    path = tmp_path / "run.arrows"
    path.write_bytes(data + data)
    for read in READERS:
        with pytest.raises(rm.ParseError, match="bytes follow the end of the Arrow stream"):
            read(path)


def test_a_cut_arrow_file_is_refused(tmp_path: Path) -> None:
    data, ends = arrow_of(ipc.new_file)
    path = tmp_path / "run.arrow"
    for end in (*ends, len(data) - 1):
        path.write_bytes(data[:end])
        with pytest.raises(rm.ParseError, match="the Arrow data is damaged"):
            rm.evaluate(QRELS, path, "AP")


def test_an_arrow_file_whose_footer_names_fewer_batches_is_refused(tmp_path: Path) -> None:
    data, _ = arrow_of(ipc.new_file)
    footer = len(data) - 10 - int.from_bytes(data[-10:-6], "little")
    at = data.index(b"\3\0\0\0", footer)
    path = tmp_path / "run.arrow"
    for batches in range(3):
        path.write_bytes(data[:at] + bytes([batches]) + data[at + 1 :])
        with ipc.open_file(path) as file:
            assert file.num_record_batches == batches
        for read in READERS:
            with pytest.raises(rm.ParseError, match="the file holds more than its footer tells"):
                read(path)


def read_alone(path: Path) -> int:
    """Count the rows that are evaluated."""
    return rm.evaluate(QRELS, path, "AP", threads=1).audit.rows


FILES: dict[str, Callable[[], bytes]] = {
    "parquet": lambda: parquet_of(TABLE, compression="none"),
    "parquet v2": lambda: parquet_of(TABLE, compression="zstd", data_page_version="2.0"),
    "parquet of small pages": lambda: parquet_of(
        TABLE, use_dictionary=False, data_page_size=64, write_batch_size=8
    ),
    "arrow": lambda: arrow_of(ipc.new_file)[0],
    "arrow stream": lambda: arrow_of(ipc.new_stream)[0],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_no_damaged_byte_loses_a_row_in_silence(kind: str, tmp_path: Path) -> None:
    data = FILES[kind]()
    path = tmp_path / "run"
    readers = [read_alone, read_by_task] if kind.startswith("parquet") else [read_alone]
    told = 0
    for number, at in enumerate(range(4, len(data) - 4, len(data) // 80)):
        changed = data[at] ^ 1 << number % 8 if number % 3 else 0
        path.write_bytes(data[:at] + bytes([changed]) + data[at + 1 :])
        for read in readers:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", rm.RankmarkWarning)
                    rows = read(path)
            except (rm.RankmarkError, rm.RankmarkWarning, RuntimeError):  # tasks are repeated
                told += 1
            else:
                assert rows == ROWS, f"byte {at} became {changed}"
    assert told > 0
