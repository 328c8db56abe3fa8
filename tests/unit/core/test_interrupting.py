"""Ctrl-C ends the reading at once, and reading a run takes little memory."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

BLOCK = b"".join(b"%%s Q0 document-%d %d %d tag\n" % (i, i, -i) for i in range(1000))
PATIENCE = 1.0  # seconds; a fifth of one is promised

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals"),
]


def write_run(path: Path, queries: int) -> Path:
    """Write a grouped run of 1,000 documents a query, 33 KB each."""
    with path.open("wb") as file:
        for query in range(queries):
            file.write(BLOCK.replace(b"%s", b"q%d" % query))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Give qrels and a run of 130 MB."""
    folder = tmp_path_factory.mktemp("big")
    qrels = folder / "qrels"
    qrels.write_text("".join(f"q{i} 0 document-{i % 1000} 1\n" for i in range(2000)))
    return qrels, write_run(folder / "run", 3800)


# Reads the file over and over, so that the signal always comes in the middle of it.
READING = """
import sys, time, rankmark as rm
qrels, run, threads = rm.Qrels(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, ["RR"])  # imports what it needs
print("reading", flush=True)
try:
    while True:
        rm.evaluate(qrels, run, ["RR"], threads=threads)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def interrupted(code: str, *arguments: str, after: float) -> float:
    """Run code, send Ctrl-C once it reads, and say after how many seconds it stopped."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        time.sleep(after)
        sent = time.monotonic()
        reader.send_signal(signal.SIGINT)
        assert reader.stdout.readline() == b"stopped\n"
        took = time.monotonic() - sent
        assert reader.communicate(timeout=30)[1] == b""
        assert reader.returncode == 0
    return took


def test_ctrl_c_is_a_keyboard_interrupt_within_a_moment(files: tuple[Path, Path]) -> None:
    for threads in ("1", "2"):
        assert interrupted(READING, *map(str, files), threads, after=0.05) < PATIENCE


MAKING = {
    "dicts": "run = {q: dict(zip(ids, row)) for q, row in zip(ids, scores.tolist())}",
    "dicts of other numbers": "run = {q: dict(zip(ids, row)) for q, row in zip(ids, scores)}",
    "lists": "run = {q: ids for q in ids}",
    "a frame": "run = pa.table({'qid': np.repeat(ids, 2000), 'docid': ids * 2000})",
    "a frame in disorder": "run = pa.table({'qid': ids * 2000, 'docid': np.repeat(ids, 2000)})",
    "an array": "run, qrels = scores, rm.Qrels(scores.round())",
}
EVALUATING = """
import sys
import numpy as np
import pyarrow as pa
import rankmark as rm
scores = np.random.default_rng(7).random((2000, 2000))
ids = [str(i) for i in range(2000)]
qrels = rm.Qrels({q: ["7"] for q in ids})
exec(sys.argv[1])
print("reading", flush=True)
try:
    while True:
        rm.evaluate(qrels, run, ["RR"], threads=2)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("form", MAKING)
def test_ctrl_c_ends_the_reading_of_what_is_in_memory(form: str) -> None:
    assert interrupted(EVALUATING, MAKING[form], after=0.2) < PATIENCE


ENDLESS = """
import io, time
from pyarrow import csv
import rankmark as rm
class File(io.RawIOBase):  # read by a thread of Arrow's own, and signals come to the main thread
    def readable(self):
        return True
    def read(self, size=-1):
        return b"q,d,1\\n" * 100 if time.monotonic() < end else b""
end = time.monotonic() + 10
print("reading", flush=True)
try:
    names = ["qid", "docid", "score"]
    rm.Run(csv.open_csv(File(), csv.ReadOptions(block_size=1000, column_names=names)))
except KeyboardInterrupt:
    print("stopped", flush=True)
    end = 0  # Arrow's thread aborts or hangs, without rankmark too, if it reads while Python ends
    time.sleep(0.3)
"""


def test_ctrl_c_ends_the_reading_of_a_stream() -> None:
    assert interrupted(ENDLESS, after=0.5) < PATIENCE


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_the_command_with_130(files: tuple[Path, Path], threads: str) -> None:
    qrels, run = files
    # The run is named many times over, so that reading takes far longer than starting.
    arguments = [str(qrels), *[str(run)] * 100, "--threads", threads]
    reader = subprocess.Popen(
        [sys.executable, "-m", "rankmark", "evaluate", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.0)
    assert reader.poll() is None
    sent = time.monotonic()
    reader.send_signal(signal.SIGINT)
    out, err = reader.communicate(timeout=30)
    assert time.monotonic() - sent < PATIENCE
    assert (reader.returncode, out, err) == (130, b"", b"")


def test_ctrl_c_ends_the_command_while_it_waits_for_input(files: tuple[Path, Path]) -> None:
    reader = subprocess.Popen(
        [sys.executable, "-m", "rankmark", "evaluate", str(files[0]), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.0)
    sent = time.monotonic()
    reader.send_signal(signal.SIGINT)
    reader.wait(timeout=30)
    assert time.monotonic() - sent < PATIENCE
    assert (reader.returncode, *reader.communicate()) == (130, b"", b"")


def test_a_progress_function_that_raises_stops_the_reading(files: tuple[Path, Path]) -> None:
    class EnoughError(Exception):
        pass

    def enough(_: int) -> None:
        raise EnoughError

    def evaluate_often(*sources: Path, **options: Any) -> None:
        for _ in range(100):
            rm.evaluate(*sources, ["RR"], **options)

    for threads in (1, 2):
        with pytest.raises(EnoughError):
            evaluate_often(*files, threads=threads, progress=enough)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_told_in_rising_counts_of_bytes(files: tuple[Path, Path], threads: int) -> None:
    told: list[int] = []
    while not told:
        rm.evaluate(*files, ["RR"], threads=threads, progress=told.append)
    assert told == sorted(told)
    assert told[0] >= 0
    assert told[-1] <= files[1].stat().st_size


def test_progress_of_a_comparison_is_told_with_the_number_of_the_run(
    files: tuple[Path, Path],
) -> None:
    told: list[tuple[int, int]] = []
    rm.compare_rankings(files[1], files[1], progress=lambda *one: told.append(one))
    assert {number for number, _ in told} == {0, 1}
    assert 0 < max(done for _, done in told) <= files[1].stat().st_size


def test_progress_of_a_check_is_told_with_the_number_of_the_file(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    # A check takes ten times as long as an evaluation.
    files = files[0], write_run(tmp_path / "run", 400)
    told: list[tuple[int, int]] = []
    while not told:
        rm.check(*files, progress=lambda number, done: told.append((number, done)))
    assert [number for number, _ in told] == sorted(number for number, _ in told)
    done = [some for number, some in told if number == 1]
    assert done == sorted(done)
    assert 0 <= done[0] <= done[-1] <= files[1].stat().st_size


PEAK = """
import resource, sys, rankmark as rm
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rm.evaluate({"q": {"d": 1}}, {"q": {"d": 1}})
before = peak()
rm.evaluate(sys.argv[1], sys.argv[2], threads=2)
print((peak() - before) * (1 if sys.platform == "darwin" else 1024))
"""


def test_a_grouped_run_takes_little_memory(files: tuple[Path, Path]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *map(str, files)], capture_output=True, check=True, timeout=60
    )
    assert int(done.stdout) < 64 << 20
