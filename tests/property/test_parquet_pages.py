"""Pages that the core reads hold what pyarrow reads of them, whatever the writer's options."""

import io
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as written

from rankmark._core import ParquetFault, Table, numbered, numbers
from rankmark.errors import InputError
from rankmark.sources.files import parquet, parquet_pages
from rankmark.sources.files.input_file import InputFile
from rankmark.sources.files.random_access import OnDisk

COLUMNS = ["query", "document", "score"]
TEXTS = [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
WHOLE = [pa.int32(), pa.int64(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float32(), pa.float64()]
RARE = [pa.int16(), pa.float16(), pa.bool_(), pa.decimal128(9, 2)]  # left to pyarrow

ids = st.one_of(
    st.integers(0, 12).map(str),
    st.integers(0, 2**31 - 1).map(str),
    st.text(max_size=20).filter(lambda text: text.isprintable()),
)
COMPRESSIONS = ["none", "snappy", "zstd"]
RARE_COMPRESSIONS = ["gzip", "brotli", "lz4"]  # left to pyarrow, too


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw ids that repeat or do not, with scores, and how their columns are declared."""
    rows = draw(st.integers(1, 120))
    few = draw(st.lists(ids, min_size=1, max_size=8))
    stretch = draw(st.integers(1, 50))
    queries = [few[row // stretch % len(few)] for row in range(rows)]
    if draw(st.booleans()):
        pool = draw(st.lists(ids, min_size=1, max_size=40))
        documents = [pool[row * 7 % len(pool)] for row in range(rows)]
    else:
        documents = [f"{row * 7919 % 10007}" for row in range(rows)]
    kinds = [draw(st.sampled_from(TEXTS)), draw(st.sampled_from(TEXTS))]
    if all(text.isdigit() and text == str(int(text)) for text in queries + documents):
        kinds = [draw(st.sampled_from(TEXTS + WHOLE)) for _ in kinds]
    scores = [float(row * 31 % 17) for row in range(rows)]
    score = draw(st.sampled_from(WHOLE + FLOATS))
    columns = [column_of(queries, kinds[0]), column_of(documents, kinds[1])]
    columns.append(pa.array(scores).cast(score))
    nullable = draw(st.booleans())
    fields = [
        pa.field(name, column.type, nullable) for name, column in zip(COLUMNS, columns, strict=True)
    ]
    others = pa.array([{"document": row} for row in range(rows)])  # a nested column of one's name
    return pa.table(
        [columns[0], others, *columns[1:]],
        pa.schema([fields[0], pa.field("nested", others.type), *fields[1:]]),
    )


def column_of(texts: list[str], kind: pa.DataType) -> pa.Array:
    if kind in WHOLE:
        return pa.array([int(text) for text in texts], kind)
    if pa.types.is_dictionary(kind):
        return pa.array(texts).dictionary_encode()
    return pa.array([text.encode() for text in texts]).cast(kind)


writers = st.fixed_dictionaries(
    {
        "compression": st.sampled_from(COMPRESSIONS),
        "data_page_version": st.sampled_from(["1.0", "2.0"]),
        "use_dictionary": st.one_of(st.booleans(), st.just(["query"])),
        "data_page_size": st.sampled_from([1, 64, 700, 1 << 20]),
        "dictionary_pagesize_limit": st.sampled_from([1, 100, 1 << 20]),
        "write_batch_size": st.sampled_from([1, 7, 1024]),
        "row_group_size": st.sampled_from([13, 50, 1000]),
        "write_page_checksum": st.booleans(),
        "write_statistics": st.booleans(),
        "store_schema": st.booleans(),
    }
)


def file_of(table: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    written.write_table(table, file, **options)
    return file.getvalue()


def told(data: bytes, most: int) -> tuple[list[Any], int]:
    """Return the rows, group by group, or the refusal; and how many tables pyarrow made."""
    file = OnDisk(InputFile(io.BytesIO(data)))
    rows: list[Any] = []
    by_pyarrow = 0

    def counted(*args: Any) -> Iterator[Table]:
        nonlocal by_pyarrow
        for table in real(*args):
            by_pyarrow += 1
            yield table

    real = parquet.tables_of
    with (
        mock.patch.object(parquet, "tables_of", counted),
        mock.patch.object(parquet, "MOST_ROWS", most),
    ):
        try:
            for fragment in parquet.fragments_of(file, COLUMNS, {}):
                rows.append(fragment.place)
                group: list[Any] = []
                for table in fragment.tables():
                    columns: list[Any] = []
                    for place in (0, 1):
                        codes, known = numbered(table, place)
                        columns.append([known[code] for code in codes])
                    columns.append([repr(number) for number in numbers(table, 2)])
                    group.extend(zip(*columns, strict=True))
                rows.append(group)
        except InputError as error:
            rows.append(str(error))
    return rows, by_pyarrow


def by_pyarrow_alone(data: bytes, most: int) -> list[Any]:
    with mock.patch.object(parquet, "footer_of", return_value=None):
        rows, tables = told(data, most)
    assert tables > 0
    return rows


@given(table=tables(), options=writers, most=st.sampled_from([1, 10, 64, 1 << 16]))
def test_the_core_reads_what_pyarrow_reads(
    table: pa.Table, options: dict[str, Any], most: int
) -> None:
    data = file_of(table, **options)
    rows, tables = told(data, most)
    assert tables == 0
    assert rows == by_pyarrow_alone(data, most)


@given(table=tables(), options=writers, most=st.sampled_from([10, 1 << 16]), data=st.data())
def test_what_the_core_does_not_read_is_left_to_pyarrow(
    table: pa.Table, options: dict[str, Any], most: int, data: st.DataObject
) -> None:
    what = data.draw(st.sampled_from(["rare type", "encoding", "nested", "compression"]))
    place = table.schema.get_field_index("score")
    if what == "rare type":
        kind = data.draw(st.sampled_from(RARE))
        values = pa.array([row % 2 for row in range(len(table))], pa.int8()).cast(kind)
        table = table.set_column(place, "score", values)
    elif what == "compression":
        options |= {"compression": data.draw(st.sampled_from(RARE_COMPRESSIONS))}
    elif what == "encoding":
        options |= {"use_dictionary": False, "column_encoding": {"score": "BYTE_STREAM_SPLIT"}}
        table = table.set_column(place, "score", table["score"].cast(pa.float64()))
    else:
        table = table.drop_columns("nested").set_column(
            0, "query", pa.array([[row] for row in range(len(table))])
        )
    file = file_of(table, **options)
    if what == "nested":
        with pytest.raises(ParquetFault):
            next(pages_of(file, ["query", "document", "score"]))
        return
    rows, tables = told(file, most)
    assert tables > 0
    assert rows == by_pyarrow_alone(file, most)


def pages_of(data: bytes, names: list[str]) -> Iterator[Table]:
    file = io.BytesIO(data)
    footer = parquet_pages.footer_of(file)
    assert footer is not None
    return parquet_pages.tables_of_group(file, footer, 0, names, ["u"] * len(names), 10)


@given(table=tables(), options=writers, row=st.integers(0, 119))
def test_a_missing_value_is_named_as_by_pyarrow(
    table: pa.Table, options: dict[str, Any], row: int
) -> None:
    row %= len(table)
    place = table.schema.get_field_index("document")
    values = table["document"].combine_chunks().to_pylist()
    values[row] = None
    kind = table.schema.field("document").type
    table = table.set_column(place, "document", pa.array(values, kind))
    data = file_of(table, **options)
    most = 10
    assert told_error(data, most) == told_error(data, most, alone=True)


def told_error(data: bytes, most: int, *, alone: bool = False) -> str:
    """Return the fault of the first table that has one."""
    file = OnDisk(InputFile(io.BytesIO(data)))
    footer = mock.patch.object(parquet, "footer_of", return_value=None)
    with mock.patch.object(parquet, "MOST_ROWS", most), footer if alone else mock.MagicMock():
        for fragment in parquet.fragments_of(file, COLUMNS, {}):
            first = fragment.place.first
            for table in fragment.tables():
                try:
                    numbered(table, 1)
                except Exception as error:
                    column, row, *words = error.args
                    return f"{column} {first + row} {words}"
                first += len(table)
    raise AssertionError("nothing is missing")
