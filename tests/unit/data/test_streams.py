"""Paths, streams, pipes and packed files: wherever the bytes come from, the result is the same."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmark as rm

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = b"q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n"
WANTED = {"q1": 0.5, "q2": 1.0}


def evaluated(qrels: object, run: object) -> dict[str, float]:
    return rm.evaluate(qrels, run, ["RR"]).per_query("RR")  # type: ignore[arg-type]


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels"
    path.write_bytes(QRELS)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.write_bytes(RUN)
    return path


def test_paths_are_text_or_path_objects(qrels: Path, run: Path) -> None:
    assert evaluated(qrels, run) == evaluated(str(qrels), str(run)) == WANTED


def test_file_objects_are_binary_or_text(qrels: Path, run: Path) -> None:
    with qrels.open("rb") as binary, run.open(encoding="utf-8") as text:
        assert evaluated(binary, text) == WANTED
    assert evaluated(io.BytesIO(QRELS), io.StringIO(RUN.decode())) == WANTED


def test_a_file_object_is_read_from_where_it_stands() -> None:
    stream = io.BytesIO(b"no qrels at all\n" + QRELS)
    stream.readline()
    assert evaluated(stream, io.BytesIO(RUN)) == WANTED


def test_text_streams_keep_ids_of_any_script() -> None:
    qrels, run = io.StringIO("q 0 文 1\n"), io.StringIO("q Q0 文 1 1 t\n")
    assert evaluated(qrels, run) == {"q": 1.0}


def test_a_callers_file_object_stays_open(run: Path) -> None:
    with run.open("rb") as stream:
        rm.Run(stream)
        assert not stream.closed


def test_prepared_sources_are_read_as_often_as_one_likes(qrels: Path, run: Path) -> None:
    for judged, retrieved in [(qrels, run), (io.BytesIO(QRELS), io.BytesIO(gzip.compress(RUN)))]:
        prepared, system = rm.Qrels(judged), rm.Run(retrieved)
        assert evaluated(prepared, system) == WANTED
        assert evaluated(prepared, system) == WANTED


def test_a_path_is_read_anew_at_each_evaluation(qrels: Path, run: Path) -> None:
    system = rm.Run(run)
    assert evaluated(qrels, system) == WANTED
    run.write_bytes(RUN.replace(b" 2 t", b" 0 t"))
    assert evaluated(qrels, system) == {"q1": 1.0, "q2": 1.0}


@pytest.mark.parametrize("name", ["run.gz", "run", "run.txt"])
def test_gzip_is_known_by_content_whatever_the_name(tmp_path: Path, name: str) -> None:
    packed = tmp_path / name
    packed.write_bytes(gzip.compress(RUN))
    assert evaluated(io.BytesIO(gzip.compress(QRELS)), packed) == WANTED


def test_a_plain_file_named_gz_is_plain(tmp_path: Path, qrels: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(RUN)
    assert evaluated(qrels, path) == WANTED


def test_gzip_of_several_members_is_read_whole(qrels: Path) -> None:
    packed = gzip.compress(RUN[:28]) + gzip.compress(RUN[28:])
    assert evaluated(qrels, io.BytesIO(packed)) == WANTED


def test_a_gzip_of_nothing_is_an_empty_file() -> None:
    with pytest.raises(rm.ParseError, match="holds no judgments"):
        rm.Qrels(io.BytesIO(gzip.compress(b"")))


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: packed[:-6],
        lambda packed: packed[: len(packed) // 2],
        lambda packed: packed[:20] + b"\0\0\0\0" + packed[24:],
        lambda packed: packed[:-8] + b"\0" * 8,
        lambda packed: packed[:2],
    ],
    ids=["cut at the end", "cut in half", "data changed", "checksum changed", "magic alone"],
)
def test_damaged_gzip_is_told(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "damaged.gz"
    path.write_bytes(damage(gzip.compress(QRELS)))
    with pytest.raises(rm.ParseError, match="the gzip data is damaged") as caught:
        rm.Qrels(path)
    assert (caught.value.where, caught.value.line) == (str(path), None)


def script(code: str) -> list[str]:
    return [sys.executable, "-c", "import rankmark as rm, sys\n" + code]


PRINT_RR = "print(rm.evaluate(sys.argv[1], sys.argv[2], ['RR'])['RR'])"


@pytest.mark.slow
def test_a_dash_is_standard_input_from_a_pipe(qrels: Path, run: Path) -> None:
    for arguments, data in [
        ((qrels, "-"), RUN),
        (("-", run), QRELS),
        (("-", run), gzip.compress(QRELS)),
    ]:
        done = subprocess.run(
            [*script(PRINT_RR), *arguments], input=data, capture_output=True, check=True, timeout=60
        )
        assert done.stdout == b"0.75\n"


@pytest.mark.slow
def test_a_dash_is_standard_input_from_a_file(qrels: Path, run: Path) -> None:
    with run.open("rb") as stream:
        done = subprocess.run(
            [*script(PRINT_RR), qrels, "-"],
            stdin=stream,
            capture_output=True,
            check=True,
            timeout=60,
        )
    assert done.stdout == b"0.75\n"


@pytest.mark.slow
def test_a_mistake_in_standard_input_is_told_as_such(qrels: Path) -> None:
    code = "try: rm.evaluate(sys.argv[1], '-')\nexcept rm.ParseError as e: print(e.where, e.line)"
    done = subprocess.run(
        [*script(code), qrels],
        input=b"q1 Q0 a 1 1 t\nq1\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode() == "<stdin> 2\n"


def written_to_a_pipe(path: Path, parts: list[bytes]) -> threading.Thread:
    """Write parts into a named pipe, each on its own."""
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            for part in parts:
                pipe.write(part)
                time.sleep(0.05)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    return writer


pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
PACKED = gzip.compress(RUN)


@pipes
@pytest.mark.parametrize(
    "parts",
    [
        [RUN],
        [RUN[:1], RUN[1:20], RUN[20:]],
        [PACKED],
        [PACKED[:1], PACKED[1:]],
        [PACKED[:9], PACKED[9:]],
    ],
    ids=["whole", "in parts", "gzip", "gzip from its first byte on", "gzip in parts"],
)
def test_a_named_pipe_is_read_once_and_kept(
    tmp_path: Path, qrels: Path, parts: list[bytes]
) -> None:
    writer = written_to_a_pipe(tmp_path / "pipe", parts)
    system = rm.Run(tmp_path / "pipe")
    assert evaluated(qrels, system) == WANTED
    assert evaluated(qrels, system) == WANTED
    writer.join(10)


@pytest.mark.slow
@pipes
def test_a_named_pipe_that_was_read_is_hashed_without_it(tmp_path: Path, qrels: Path) -> None:
    code = (
        "import os, threading\n"
        "os.mkfifo(sys.argv[2])\n"
        f"write = lambda: open(sys.argv[2], 'wb').write({RUN!r})\n"
        "threading.Thread(target=write, daemon=True).start()\n"
        "print(rm.evaluate(sys.argv[1], sys.argv[2], ['RR']).to_dict()['run']['sha256'])\n"
    )
    done = subprocess.run(
        [*script(code), qrels, tmp_path / "pipe"], capture_output=True, check=True, timeout=5
    )
    assert done.stdout.decode().strip() == hashlib.sha256(RUN).hexdigest()


@pytest.mark.slow
def test_nothing_is_left_open(tmp_path: Path, qrels: Path) -> None:
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(RUN))
    done = subprocess.run(
        [*script("rm.evaluate(sys.argv[1], sys.argv[2])"), qrels, packed],
        env=os.environ | {"PYTHONDEVMODE": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "ResourceWarning" not in done.stderr


def test_frames_of_spark_connect_are_referred_to_rankmark_spark() -> None:
    qrels = {"q": {"a": 1}}

    class DataFrame:
        """What a frame of Spark Connect seems to offer."""

        columns = schema = sparkSession = ()

        def mapInArrow(self) -> None: ...

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise AttributeError("_jdf")

    told = "is a DataFrame of Spark Connect; call rankmark.spark.evaluate"
    DataFrame.__module__ = "pyspark.sql.connect.dataframe"
    for call in (
        lambda: rm.evaluate(DataFrame(), {"q": {"a": 1.0}}),
        lambda: rm.evaluate(qrels, DataFrame()),
        lambda: rm.compare(qrels, DataFrame()),
        lambda: rm.compare(qrels, {"a": DataFrame()}),
    ):
        with pytest.raises(rm.SchemaError, match=told):
            call()
    del DataFrame.__arrow_c_stream__
    DataFrame.__module__ = "pyspark.sql.classic.dataframe"
    with pytest.raises(rm.SchemaError, match="run is a DataFrame of Spark; call"):
        rm.evaluate(qrels, DataFrame())
