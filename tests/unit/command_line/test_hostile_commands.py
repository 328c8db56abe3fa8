"""Commands whose files or streams fail: one line, exit code 1 or 2, and nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rankmark.commands.parts.faults import reported_errors
from unit.commands import SCRIPT, Done, rankmark, rankmark_here, told

pytestmark = pytest.mark.slow

COMMANDS = {
    "evaluate": ("evaluate", "qrels", "run"),
    "explain": ("explain", "qrels", "run", "--query", "q"),
    "check": ("check", "qrels", "run"),
    "similarity": ("similarity", "run", "run"),
    "convert": ("convert", "qrels", "-", "--to", "csv", "--as", "qrels"),
    "measures": ("measures",),
    "completion": ("completion", "bash"),
    "demo": ("demo",),
    "help": ("--help",),
}
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes streams")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\n")
    Path("run").write_text("q 0 a 1 1.0 t\n")
    return tmp_path


def redirected(how: str, *arguments: str) -> Done:
    line = " ".join(map("'{}'".format, (SCRIPT, *arguments)))
    return subprocess.run(
        ["sh", "-c", f"{line} {how}"], capture_output=True, encoding="utf-8", check=False
    )


def quiet(done: Done, *codes: int) -> None:
    assert done.returncode in codes
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 4


@pytest.mark.slow
@needs_full
@needs_shell
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_behind_stdout_is_one_line(command: str) -> None:
    done = redirected(">/dev/full", *COMMANDS[command])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "rankmark: the results cannot be written: No space left on device\n"


@needs_shell
@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_stdout_or_stderr_is_no_trace(command: str) -> None:
    quiet(redirected(">&-", *COMMANDS[command]), 0, 1)
    done = redirected("2>&-", *COMMANDS[command])
    assert done.returncode == 0
    assert done.stdout
    quiet(redirected("| true", *COMMANDS[command]), 0)


@needs_full
@pytest.mark.parametrize(
    "command", [("evaluate", "qrels", "run"), ("explain", "qrels", "run", "--query", "q")]
)
def test_a_full_disk_behind_output_is_one_line(command: tuple[str, ...]) -> None:
    for form in ("table", "json", "csv"):
        if command[0] == "explain" and form == "csv":
            continue
        done = rankmark(*command, "--format", form, "-o", "/dev/full")
        assert told(done) == (
            "/dev/full: cannot be written: No space left on device; choose another path"
        )
        assert done.returncode == 1


def test_an_output_that_cannot_be_is_one_line_and_leaves_nothing(files: Path) -> None:
    (files / "folder").mkdir()
    before = sorted(files.rglob("*"))
    for output in ("folder", "no/such/file", "x" * 300, "", "qrels/beneath"):
        done = rankmark("evaluate", "qrels", "run", "-o", output)
        assert done.returncode in {1, 2}
        assert "Traceback" not in done.stderr
    assert sorted(files.rglob("*")) == before


@pytest.mark.parametrize(
    "text",
    ['{"q": {"\\ud800": 1}}', '{"q": {"a": %s}}' % ("9" * 5000), "[" * 100_000, "\0"],
    ids=["half a surrogate pair", "a number too long", "nested", "NUL"],
)
def test_a_file_that_cannot_be_read_is_one_line(text: str, files: Path) -> None:
    path = files / "hostile.json"
    path.write_text(text)
    for command in (
        ("evaluate", path, "run"),
        ("evaluate", "qrels", path),
        ("explain", "qrels", path, "--query", "q"),
        ("similarity", path, "run"),
        ("convert", path, "out.trec", "--as", "run"),
    ):
        done = rankmark_here(*command)
        assert told(done).startswith(str(path))
        assert done.returncode == 1
    assert not (files / "out.trec").exists()
    assert rankmark_here("check", "qrels", path).returncode == 1


@pytest.mark.parametrize("value", ["9" * 5000, "-1", "nan", "1e999", os.fsdecode(b"\xff\xfe")])
def test_a_value_that_cannot_be_is_told_without_a_trace(value: str) -> None:
    for option in ("--depth", "-m", "--queries", "--threads", "--column", "--weights"):
        if (option, value) == ("--depth", "9" * 5000):
            continue
        done = rankmark_here("evaluate", "qrels", "run", option, value)
        assert done.returncode in {1, 2}, option
        assert done.stderr, option
        assert "Traceback" not in done.stderr, option


def test_what_nobody_foresaw_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(error: BaseException) -> None:
        with reported_errors():
            raise error

    for error in (ZeroDivisionError("by\nzero"), RecursionError("deep"), MemoryError()):
        with pytest.raises(SystemExit) as ended:
            fail(error)
        assert ended.value.code == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("rankmark: ")
    with pytest.raises(click.UsageError):  # click's own have words of their own
        fail(click.UsageError("wrong"))
    monkeypatch.setenv("RANKMARK_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        fail(ZeroDivisionError())
