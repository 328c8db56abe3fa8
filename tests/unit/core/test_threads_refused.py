"""A system that starts no threads, and threads that the interpreter leaves behind."""

import contextlib
import gzip
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

resource = pytest.importorskip("resource", reason="Windows has no such limits")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory of threads")

READS = """
import resource, sys
import rankmark as rm
QRELS = {"q1": {"d1": 1}}
rm.evaluate(QRELS, {"q1": {"d1": 1.0}}, "RR")
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (100 << 20),) * 2)
try:
    print(rm.evaluate(QRELS, sys.argv[1], "RR", threads=4)["RR"])
except rm.InputError as error:
    print(error)
"""


def run_file(folder: Path) -> Path:
    path = folder / "run"
    path.write_text("".join(f"q{i % 500} Q0 d{i} 0 {-i} x\n" for i in range(100_000)))
    return path


def want_large_stacks() -> None:
    """Let every new thread want 1 GiB of addresses."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, most))


def told(script: str, *given: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, given)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=want_large_stacks if script is READS else None,
    )


@pytest.mark.slow
def test_without_threads_text_is_read_by_the_caller(tmp_path: Path) -> None:
    done = told(READS, run_file(tmp_path))
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


@pytest.mark.slow
def test_without_threads_packed_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(run_file(tmp_path).read_bytes(), 1))
    done = told(READS, path)
    assert done.returncode == 0, done.stderr
    assert "the system starts no more threads; unpack the file first" in done.stdout


LEAVES = """
import sys, threading, time
import rankmark as rm
from rankmark.verbs.evaluate import evaluate

def work():
    while True:
        rm.evaluate({"q1": {"d1": 1}}, sys.argv[1], "RR", threads=2)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_a_program_may_end_while_its_daemons_read(tmp_path: Path, packed: bool) -> None:
    path = run_file(tmp_path)
    if packed:
        path = tmp_path / "run.gz"
        path.write_bytes(gzip.compress(run_file(tmp_path).read_bytes(), 1))
    for tenths in (1, 4):
        done = told(LEAVES, path, tenths / 10)
        assert (done.returncode, done.stderr) == (0, "")


# A block as large as the file is read in one piece. It ends after the interpreter has forgotten its
# threads, and then asks for the lock. Meanwhile the last function that the interpreter calls waits
# for the end of the standard input.
READS_ON = """
import ctypes, os, sys, threading, time
from rankmark import _core
layout = _core.TextLayout(
    separator="", columns=4, query=0, document=2, number=3, rank=None, begin=0, labels=True,
    by_rank=False, more_columns=False, wanted="",
)
source = os.open(sys.argv[1], os.O_RDONLY)

def read():
    print("begun", flush=True)
    _core.qrels_from_file(source, layout, 1, 1 << 30, None)

threading.Thread(target=read, daemon=True).start()
time.sleep(0.05)
ctypes.pythonapi.Py_AtExit(ctypes.CDLL(None).getchar)
"""


@pytest.mark.slow
def test_a_daemon_may_read_on_when_the_interpreter_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("".join(f"q{i % 500} 0 document{i} 1\n" for i in range(700_000)))
    with subprocess.Popen(
        [sys.executable, "-c", READS_ON, path], stdin=PIPE, stdout=PIPE, stderr=PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"begun\n"
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(3)
        _, told = program.communicate(timeout=60)
    assert (program.returncode, told) == (0, b"")
