"""Full disks, signals, and unbuffered output: nothing half-written, and nothing left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankmark.data.files.whole_files import whole_file
from unit.commands import SCRIPT

ROOM = 20_000  # bytes that the disk takes


def run_of(lines: int, folder: Path) -> Path:
    path = folder / "big.run"
    path.write_text("".join(f"q{n // 50} Q0 doc{n * 7919:09} 1 {-n} t\n" for n in range(lines)))
    return path


def small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending", ["parquet", "trec.gz", "csv", "jsonl.bz2", "trec.xz", "trec.zst"]
)
def test_a_full_disk_leaves_no_temporary_file(ending: str, tmp_path: Path) -> None:
    run = run_of(20_000, tmp_path)
    done = subprocess.run(
        [SCRIPT, "convert", run, f"out.{ending}", "--as", "run"],
        preexec_fn=small_disk,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert "cannot be written: File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["big.run"]


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stdout_is_an_error_however_it_is_buffered(
    unbuffered: str, tmp_path: Path
) -> None:
    run = run_of(20_000, tmp_path)
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [SCRIPT, "convert", run, "-", "--as", "run", "--to", "csv"],
            preexec_fn=small_disk,
            stdout=out,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"rankmark: the results cannot be written: File too large")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_temporary_file(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "qrels")
    script = (
        "import sys, time; from pathlib import Path; import rankmark.commands as cli, signal\n"
        "from rankmark.data.files.whole_files import whole_file\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)  # nohup has these tests ignore SIGHUP\n"
        "def wait():\n"
        "    with whole_file(Path('out')) as file:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "cli._run = wait\n"
        "cli.main()\n"
    )
    number = getattr(signal, name)
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    assert [path.name for path in tmp_path.iterdir()] == ["qrels"]


def test_a_signal_that_is_ignored_stays_so() -> None:
    script = (
        "import signal, rankmark.commands as cli\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "cli._run = lambda: print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)\n"
        "cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_a_command_that_a_signal_ends_ends_by_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "qrels")
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    process = subprocess.Popen([SCRIPT, "evaluate", "qrels", "run"], cwd=tmp_path)
    time.sleep(0)  # whenever it comes
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == -signal.SIGTERM


def test_a_file_that_cannot_be_closed_is_removed(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_file(tmp_path / "out") as file:
            file.write(b"x")
            os.close(file.fileno())
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        fail()
    assert list(tmp_path.iterdir()) == []
