"""Rows of Parquet files that tasks read themselves, so that none passes through the JVM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, NamedTuple

from rankmark.data.files.columnar import prove_rows
from rankmark.data.files.several_files import values_in
from rankmark.errors import InputError, ParseError, RankmarkError, SchemaError
from rankmark.spark.file_systems import FoundFile, Place, place_of
from rankmark.spark.frame_columns import FrameColumns, arrow_type

UNREADABLE = "rankmark cannot read the file"
_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_ROWS = 1 << 16  # of a batch
_BUFFER_BYTES = 1 << 16  # of each column of a file on disk
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class Split(NamedTuple):
    """The row groups of a file that begin in a range of its bytes, as if all rows were as long.

    Their true places are not asked for: in a damaged file they may lie where no task looks, and
    pyarrow ends the process if the footer contradicts itself there.
    """

    path: str
    begin: int
    end: int
    size: int

    def groups(self, rows: Sequence[int]) -> list[int]:
        """Return the numbers of its row groups, of those of a file with so many rows each."""
        places = (self.size * before // max(sum(rows), 1) for before in accumulate(rows, initial=0))
        return [
            group
            for group, place in zip(range(len(rows)), places, strict=False)
            if self.begin <= place < self.end
        ]


class ParquetRows(NamedTuple):
    """The rows of files, divided among tasks.

    Parameters
    ----------
    system
        The file system of pyarrow that has them.
    is_local
        Whether they are on disk.
    tasks
        What each task reads.
    """

    system: Any
    is_local: bool
    tasks: tuple[tuple[Split, ...], ...]

    def batches(self, task: int, columns: FrameColumns) -> Iterator[Any]:
        """Read the rows of a task as Arrow batches with these columns.

        Raises
        ------
        InputError
            If a file is no longer there.
        SchemaError
            If a file lacks a column, or has it with another type.
        ParseError
            If a file is damaged.
        """
        for split in self.tasks[task]:
            yield from self._batches(split, columns)

    def _batches(self, split: Split, columns: FrameColumns) -> Iterator[Any]:
        """Read the row groups of a part of a file."""
        with _opened(self.system, split.path) as file:
            parquet = _parquet(file)
            held = set(parquet.schema_arrow.names)
            values = {
                name: value for name, value in values_in(split.path).items() if name not in held
            }
            self._refuse_others(split.path, columns, fields_of(parquet.schema_arrow, values))
            metadata = parquet.metadata
            rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
            prove_rows(sum(rows), metadata.num_rows, split.path)
            groups = split.groups(rows)
            if not groups:
                return
            stored = [name for name, _ in columns.stored if name not in values]
            query = columns.names[columns.query]
            options: dict[str, Any] = {"metadata": metadata, "pre_buffer": not self.is_local}
            if query in stored and columns.types[columns.query] == "string":
                # Ids of queries repeat, and are numbered by their dictionaries.
                options["read_dictionary"] = [query]
            if self.is_local:
                options["buffer_size"] = _BUFFER_BYTES
            parquet = _parquet(file, **options)
            for group in groups:
                read = 0
                for batch in parquet.iter_batches(
                    _ROWS, row_groups=[group], columns=stored, use_threads=False
                ):
                    read += batch.num_rows
                    yield _as_planned(batch, columns, values)
                prove_rows(read, rows[group], split.path)

    @staticmethod
    def _refuse_others(path: str, columns: FrameColumns, fields: dict[str, str]) -> None:
        """Refuse a file whose columns are not those of the first one."""
        for name, of in columns.stored:
            if name not in fields:
                raise SchemaError(
                    f"there is no column {name!r}, which the first file has",
                    "files that are read together need the same columns",
                    where=path,
                )
            if fields[name] != of:
                raise SchemaError(
                    f"{name!r} holds {fields[name]}, and {of} in the first file",
                    "write the files with the same types, or give a DataFrame",
                    where=path,
                )


def read_by_tasks(
    given: Any, name: str, filesystem: Any, session: Any
) -> tuple[ParquetRows, list[tuple[str, str]], str]:
    """Find files, and divide them among tasks as Spark does.

    Parameters
    ----------
    given
        A path, a pattern or a URL, or several.
    name
        The name of the argument, for messages.
    filesystem
        A file system of pyarrow or fsspec; None to find it by the URL.
    session
        The Spark session, whose settings say how large a task is.

    Returns
    -------
    tuple
        The rows; the names of the columns with their types, as Spark writes these; and the name of
        the files.

    Raises
    ------
    InputError
        If there are no files, or one cannot be read.
    ParseError
        If the first one is not Parquet, or is damaged.
    SchemaError
        If they belong to a table with a log.
    """
    place = place_of(given, name, filesystem, lambda key: _hadoop(session, key))
    files = place.files()
    fields = _fields_of_first(place, files[0].path)
    tasks = _divided(files, session)
    return ParquetRows(place.system, place.is_local, tasks), [*fields.items()], place.name


def _fields_of_first(place: Place, path: str) -> dict[str, str]:
    """Return the names of a file's columns with their types."""
    try:
        with _opened(place.system, path) as file:
            magic = bytes(file.read(len(_MAGIC)))
            if magic == _ENCRYPTED:
                raise ParseError(
                    "this Parquet file is encrypted", "give a DataFrame that reads it", where=path
                )
            if magic != _MAGIC:
                raise ParseError(
                    "this is not Parquet, and tasks read Parquet only",
                    "give a DataFrame, or write the rows as Parquet, as `rankmark convert` does",
                    where=path,
                )
            schema = _parquet(file).schema_arrow
            return fields_of(schema, values_in(path))
    except RankmarkError:
        raise
    except OSError as error:
        raise InputError(f"it cannot be read: {error}", "check the file", where=path) from None


def fields_of(schema: Any, values: dict[str, str]) -> dict[str, str]:
    """Return the names of columns with their types, as Spark writes these.

    Columns that the folders of a path name are text.
    """
    return dict.fromkeys(values, "string") | {
        field.name: spark_type(field.type) for field in schema
    }


def spark_type(of: Any) -> str:
    """Return the type that Spark reads a type of Arrow as."""
    import pyarrow as pa  # noqa: PLC0415

    kinds = pa.types
    if kinds.is_dictionary(of):
        return spark_type(of.value_type)
    if kinds.is_list(of) or kinds.is_large_list(of):
        return f"array<{spark_type(of.value_type)}>"
    if kinds.is_struct(of):
        return f"struct<{','.join(f'{one.name}:{spark_type(one.type)}' for one in of)}>"
    if kinds.is_decimal(of):
        return f"decimal({of.precision},{of.scale})"
    return _TYPES.get(str(of), str(of))


_TYPES = {
    **dict.fromkeys(("string", "large_string", "string_view"), "string"),
    **dict.fromkeys(("binary", "large_binary", "binary_view"), "binary"),
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "uint8": "smallint",
    "int32": "int",
    "uint16": "int",
    "int64": "bigint",
    "uint32": "bigint",
    "uint64": "decimal(20,0)",
    "float": "float",
    "double": "double",
    "null": "void",
}


def _divided(files: Sequence[FoundFile], session: Any) -> tuple[tuple[Split, ...], ...]:
    """Divide files among tasks, as Spark does with maxPartitionBytes and openCostInBytes.

    A task has neighbouring parts of the files, so that rows keep their order.
    """
    most = _bytes_of(session, "spark.sql.files.maxPartitionBytes", 128 << 20)
    opening = _bytes_of(session, "spark.sql.files.openCostInBytes", 4 << 20)
    whole = sum(file.size + opening for file in files)
    most = min(most, max(opening, whole // _cores(session)))
    tasks: list[tuple[Split, ...]] = []
    some: list[Split] = []
    size = 0
    for file in files:
        for begin in range(0, file.size, most):
            end = min(begin + most, file.size)
            if some and size + end - begin > most:
                tasks.append(tuple(some))
                some, size = [], 0
            some.append(Split(file.path, begin, end, file.size))
            size += end - begin + opening
    return (*tasks, tuple(some))


def _bytes_of(session: Any, key: str, usual: int) -> int:
    """Return a setting in bytes."""
    text = str(session.conf.get(key, str(usual))).lower().removesuffix("b")
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    if text[-1:] in units:
        return int(text[:-1]) << units[text[-1]]
    return int(text)


def _cores(session: Any) -> int:
    """Return how many tasks run at the same time, as far as the session knows."""
    try:
        return int(session.sparkContext.defaultParallelism)
    except Exception:  # over Spark Connect there is no context
        return int(session.conf.get("spark.sql.leafNodeDefaultParallelism", None) or 2)


def _hadoop(session: Any, key: str) -> str | None:
    """Return a setting of Hadoop's configuration, None if it is not set."""
    try:
        value = session.sparkContext._jsc.hadoopConfiguration().get(key)
    except Exception:  # over Spark Connect only the session's own settings are known
        value = session.conf.get(f"spark.hadoop.{key}", None)
    return None if value is None else str(value)


def _as_planned(batch: Any, columns: FrameColumns, values: dict[str, str]) -> Any:
    """Return the columns in their order and types, those that folders name included.

    Ids of queries may stay a dictionary.
    """
    import pyarrow as pa  # noqa: PLC0415

    arrays = []
    for name, of in columns.stored:
        if of.startswith("array"):
            arrays.append(batch.column(name))
            continue
        wanted = arrow_type(of)
        if name in values:
            value = None if values[name] == _NO_VALUE else values[name]
            array = pa.repeat(pa.scalar(value, pa.string()), batch.num_rows)
        else:
            array = batch.column(name)
        numbered = name == columns.names[columns.query] and pa.types.is_dictionary(array.type)
        if array.type != wanted and not (numbered and of == "string"):
            array = array.cast(wanted)
        arrays.append(array)
    return pa.record_batch(arrays, names=[name for name, _ in columns.stored])


@contextmanager
def _opened(system: Any, path: str) -> Iterator[Any]:
    """Open a file; errors of the file system let Spark repeat the task."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        with system.open_input_file(path) as file:
            yield file
    except FileNotFoundError:
        raise InputError("there is no such file", "check the path", where=path) from None
    except pa.ArrowInvalid as error:
        raise ParseError(
            f"the Parquet data is damaged ({str(error).splitlines()[0]})",
            "write it again",
            where=path,
        ) from None
    except OSError as error:
        raise RuntimeError(f"{UNREADABLE} {path}: {error}") from error


def _parquet(file: Any, **options: Any) -> Any:
    from pyarrow import parquet  # noqa: PLC0415

    return parquet.ParquetFile(file, page_checksum_verification=True, **options)
