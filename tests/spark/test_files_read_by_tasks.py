"""Parquet files that tasks read themselves give the numbers of the DataFrames, to the bit."""

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import rankmark as rm
import rankmark.spark
from rankmark.spark.file_systems import place_of, s3_options
from rankmark.spark.frame_columns import columns_of_fields
from rankmark.spark.parquet_rows import read_by_tasks
from spark.spark_frames import assert_same, bits

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100", "Bpref", "Judged@10"]
Side = Mapping[Any, Mapping[Any, Any]]


def rows_of(side: Side, number: str, seed: int = 1) -> pa.Table:
    """Return judgments or a run as a table of rows in random order."""
    rows = [(q, d, value) for q, by in side.items() for d, value in by.items()]
    columns = zip(*random.Random(seed).sample(rows, len(rows)), strict=True)
    return pa.table(dict(zip(["query_id", "doc_id", number], map(list, columns), strict=True)))


def write(folder: Path, table: pa.Table, *, files: int = 3, rows: int = 11, **options: Any) -> Path:
    """Write a table as files with row groups of so many rows, beside files that hold none."""
    folder.mkdir(parents=True)
    share = -(-len(table) // files)
    for file in range(files):
        part = table.slice(file * share, share)
        pq.write_table(part, folder / f"part-{file}.parquet", row_group_size=rows, **options)
    (folder / "_SUCCESS").touch()
    (folder / ".hidden.parquet").write_bytes(b"none")
    return folder


def collection(seed: int, queries: int = 30) -> tuple[Side, Side]:
    dice = random.Random(seed)
    qrels = {
        f"q{q}": {f"d{d}": dice.choice([0, 1, 1, 2]) for d in dice.sample(range(40), 9)}
        for q in range(queries)
    }
    run = {
        f"q{q}": {f"d{d}": dice.randint(0, 20) / 4 for d in dice.sample(range(40), 25)}
        for q in range(1, queries + 2)
    }
    return qrels, run


@pytest.fixture
def small_tasks(spark: Any) -> Iterator[Any]:
    """Give a session whose tasks read a few hundred bytes each."""
    names = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = {name: spark.conf.get(name) for name in names}
    spark.conf.set(names[0], "3000b")
    spark.conf.set(names[1], "1")
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def test_files_have_the_numbers_of_frames_and_of_memory(small_tasks: Any, tmp_path: Path) -> None:
    spark = small_tasks
    qrels, run = collection(1)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"), files=2)
    ranked = write(tmp_path / "run", rows_of(run, "score"))
    whole = rm.evaluate(qrels, run, MEASURES)
    found = rankmark.spark.evaluate(judged, f"{ranked}/*.parquet", MEASURES, spark=spark)
    assert_same(found, whole)
    frames = [spark.read.parquet(str(folder)) for folder in (judged, ranked)]
    of_frames = rankmark.spark.evaluate(*frames, MEASURES)
    assert bits(found.means) == bits(of_frames.means)
    assert found.audit == of_frames.audit
    assert found.settings["run"]["form"] == "parquet"
    mixed = rankmark.spark.evaluate(frames[0], [str(ranked)], MEASURES)
    assert_same(mixed, whole)
    without_session = rankmark.spark.evaluate(str(judged), f"file://{ranked}", MEASURES)
    assert bits(without_session.means) == bits(dict(whole))


@pytest.mark.parametrize("bytes_of_task", [300, 1000, 1 << 20])
@pytest.mark.parametrize("rows", [7, 1000])
def test_every_row_is_read_by_one_task(tmp_path: Path, bytes_of_task: int, rows: int) -> None:
    table = rows_of(collection(2, 12)[1], "score")
    folder = write(tmp_path / "run", table, rows=rows)

    class Conf:
        def get(self, key: str, usual: Any = None) -> Any:
            return str(bytes_of_task) if "maxPartitionBytes" in key else usual and "1"

    class Session:
        conf = Conf()

    read, fields, _ = read_by_tasks(folder, "run", None, Session())
    columns = columns_of_fields(fields, "run", None, where="run")
    batches = [batch for task in range(len(read.tasks)) for batch in read.batches(task, columns)]
    found = pa.Table.from_batches(batches)
    types = [pa.string(), pa.string(), pa.float64()]
    assert found.cast(pa.schema([*zip(columns.names, types, strict=True)])).equals(table)
    sizes = [sum(one.end - one.begin for one in splits) for splits in read.tasks]
    assert max(sizes) <= max(bytes_of_task, 1)
    assert sum(sizes) == sum(path.stat().st_size for path in folder.glob("part-*"))


@pytest.mark.parametrize(
    ("query", "document", "score", "label"),
    [
        (pa.int64(), pa.int32(), pa.float32(), pa.int8()),
        (pa.uint16(), pa.uint64(), pa.int64(), pa.bool_()),
        (pa.large_string(), pa.binary(), pa.decimal128(21, 2), pa.float64()),
        (pa.dictionary(pa.int32(), pa.string()), pa.string_view(), pa.float64(), pa.uint8()),
    ],
    ids=str,
)
def test_columns_of_any_type(
    spark: Any, tmp_path: Path, query: Any, document: Any, score: Any, label: Any
) -> None:
    dice = random.Random(5)
    qrels = {str(q): {str(d): d % 2 for d in dice.sample(range(12), 6)} for q in range(9)}
    run = {str(q): {str(d): d % 5 for d in dice.sample(range(12), 9)} for q in range(1, 11)}
    types = {"query_id": query, "doc_id": document, "score": score, "relevance": label}
    for name, side, number in (("qrels", qrels, "relevance"), ("run", run, "score")):
        table = rows_of(side, number)
        columns = []
        for column in table.column_names:
            of = types[column]
            values = table.column(column)
            if pa.types.is_integer(of) and column != number:
                values = values.cast(pa.int64())
            columns.append(values.cast(of))
        write(tmp_path / name, pa.table(columns, names=table.column_names))
    found = rankmark.spark.evaluate(tmp_path / "qrels", tmp_path / "run", MEASURES, spark=spark)
    assert_same(found, rm.evaluate(qrels, run, MEASURES))


def test_folders_with_values_are_columns(spark: Any, tmp_path: Path) -> None:
    qrels, run = collection(3, 6)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"))
    table = rows_of(run, "score")
    runs = {"bm25": run, "dense": {q: {d: -s for d, s in by.items()} for q, by in run.items()}}
    for name, by_query in runs.items():
        for query, scores in by_query.items():
            folder = tmp_path / "runs" / f"run={name}" / f"query_id={query}"
            one = rows_of({query: scores}, "score").drop_columns("query_id")
            write(folder, one, files=1)
    ranked = tmp_path / "runs" / "run=bm25"
    found = rankmark.spark.evaluate(judged, ranked, MEASURES, spark=spark)
    assert_same(found, rm.evaluate(qrels, run, MEASURES))
    pattern = f"{tmp_path}/runs/**/*.parquet"
    compared = rankmark.spark.compare(judged, pattern, ["AP"], spark=spark, resamples=99)
    expected = rm.compare(qrels, runs, ["AP"], resamples=99)
    assert str(compared.leaderboard) == str(expected.leaderboard)
    assert str(compared.differences) == str(expected.differences)
    write(ranked / "query_id=__HIVE_DEFAULT_PARTITION__", table.drop_columns("query_id"), files=1)
    with pytest.raises(rm.SchemaError, match="'query_id' is null"):
        _ = rankmark.spark.evaluate(judged, ranked, MEASURES, spark=spark).means


@pytest.mark.parametrize("given", ["pyarrow", "fsspec", "URL of fsspec"])
def test_any_file_system(spark: Any, tmp_path: Path, given: str) -> None:
    fsspec = pytest.importorskip("fsspec")
    qrels, run = collection(4, 8)
    write(tmp_path / "qrels", rows_of(qrels, "relevance"), files=1)
    write(tmp_path / "run", rows_of(run, "score"))
    paths, system = ["qrels", "run/part-[0-9].parquet"], None
    if given == "pyarrow":
        system = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    elif given == "fsspec":
        system = fsspec.filesystem("dir", path=str(tmp_path), fs=fsspec.filesystem("file"))
    else:
        paths = [f"local://{tmp_path}/{path}" for path in paths]
    found = rankmark.spark.evaluate(*paths, MEASURES, spark=spark, filesystem=system)
    assert bits(found.means) == bits(dict(rm.evaluate(qrels, run, MEASURES)))


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("_delta_log/00000000000000000000.json", "Delta Lake"),
        (".hoodie/hoodie.properties", "Hudi"),
        ("metadata/v1.metadata.json", "Iceberg"),
    ],
)
def test_files_of_a_table_with_a_log_are_refused(
    spark: Any, tmp_path: Path, log: str, told: str
) -> None:
    qrels, run = collection(3, 6)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"))
    ranked = write(tmp_path / "run" / "date=2026-11-24", rows_of(run, "score"))
    rankmark.spark.evaluate(judged, ranked, spark=spark)
    file = tmp_path / "run" / log
    file.parent.mkdir()
    file.touch()
    for path in (tmp_path / "run", ranked, ranked / "*.parquet"):
        with pytest.raises(rm.SchemaError, match=f"table of {told}, whose log.*DataFrame"):
            rankmark.spark.evaluate(judged, path, spark=spark)


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[30:60] = bytes(byte ^ 255 for byte in data[30:60])
    path.write_bytes(data)


def another_type(path: Path) -> None:
    table = pq.read_table(path)
    score = table.column("score").cast(pa.float32())
    pq.write_table(table.set_column(2, "score", score), path)


def without_ids(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns("doc_id"), path)


@pytest.mark.parametrize(
    ("change", "kind", "told"),
    [
        (damaged, rm.RankmarkError, "part-2.parquet"),
        (another_type, rm.SchemaError, "'score' holds float, and double in the first file"),
        (without_ids, rm.SchemaError, "there is no column 'doc_id', which the first file has"),
        (Path.unlink, rm.InputError, "there is no such file"),
        (lambda path: path.write_bytes(b""), rm.RankmarkError, "part-2.parquet"),
    ],
    ids=["damaged", "another type", "without a column", "deleted", "empty"],
)
def test_a_later_file_that_cannot_be_read_is_named(
    spark: Any, tmp_path: Path, change: Callable[[Path], Any], kind: type[Exception], told: str
) -> None:
    qrels, run = collection(3, 6)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"))
    ranked = write(tmp_path / "run", rows_of(run, "score"))
    planned = rankmark.spark.evaluate(judged, ranked, MEASURES, spark=spark)
    change(ranked / "part-2.parquet")
    with pytest.raises(kind, match=told):
        _ = planned.means


def test_what_is_no_file_of_rows_is_refused_before_the_job(spark: Any, tmp_path: Path) -> None:
    qrels, run = collection(3, 6)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"))
    write(tmp_path / "run", rows_of(run, "score"))
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 0.5 tag\n")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(40))
    (tmp_path / "closed.parquet").write_bytes(b"PARE" + bytes(40))
    (tmp_path / "none").mkdir()
    write(tmp_path / "other", pa.table({"query_id": ["q1"], "score": [1.0]}), files=1)
    ways: list[tuple[Any, type[Exception], str]] = [
        (tmp_path / "run.txt", rm.ParseError, "this is not Parquet"),
        (tmp_path / "cut.parquet", rm.ParseError, "damaged"),
        (tmp_path / "closed.parquet", rm.ParseError, "encrypted"),
        (tmp_path / "none", rm.InputError, "no file matches"),
        (tmp_path / "missing*", rm.InputError, "no file matches"),
        ([], rm.InputError, "need a path"),
        ([str(judged), "s3://bucket/x"], rm.InputError, "several file systems: file, s3"),
        ("nothing://x/y", rm.InputError, "filesystem="),
        (tmp_path / "other", rm.SchemaError, "doc_id"),
        (7, rm.SchemaError, "it is int; need a Spark DataFrame, or the paths"),
    ]
    for path, kind, told in ways:
        with pytest.raises(kind, match=told):
            rankmark.spark.evaluate(judged, path, MEASURES, spark=spark)
    with pytest.raises(rm.InputError, match="need a SparkSession"):
        rankmark.spark.evaluate(judged, tmp_path / "run", MEASURES, spark="local")


def test_a_message_names_the_files(spark: Any, tmp_path: Path) -> None:
    qrels, run = collection(3, 6)
    judged = write(tmp_path / "qrels", rows_of(qrels, "relevance"))
    table = rows_of(run, "score")
    ranked = write(tmp_path / "run", pa.concat_tables([table, table.slice(0, 1)]))
    with pytest.raises(rm.DuplicateError, match=r"run: document 'd\d+' appears twice") as error:
        _ = rankmark.spark.evaluate(judged, ranked, MEASURES, spark=spark).means
    assert str(ranked) in str(error.value)


def test_keys_of_s3_come_from_hadoop() -> None:
    settings = {
        "fs.s3a.access.key": "mine",
        "fs.s3a.secret.key": "hidden",
        "fs.s3a.bucket.logs.access.key": "theirs",
        "fs.s3a.endpoint": "http://minio:9000",
        "fs.s3a.endpoint.region": "eu-central-1",
    }
    found = s3_options("logs", settings.get, fs)
    assert found == {
        "access_key": "theirs",
        "secret_key": "hidden",
        "region": "eu-central-1",
        "endpoint_override": "minio:9000",
        "scheme": "http",
    }
    place = place_of(["s3a://logs/a=1/*.parquet", "s3a://logs/b"], "run", None, settings.get)
    assert [*place.paths] == ["logs/a=1/*.parquet", "logs/b"]
    assert isinstance(place.system, fs.S3FileSystem)
    settings |= {"fs.s3a.endpoint": "minio:9000", "fs.s3a.connection.ssl.enabled": "false"}
    assert s3_options("other", settings.get, fs)["scheme"] == "http"
    assert s3_options("other", settings.get, fs)["access_key"] == "mine"
