"""Pipes, links and outputs that are inputs: told in a line, and never waited for without end."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.commands.parts.faults import reported_errors
from unit.commands import rankmark_here, told

EXAMPLE = Path(rm.__file__).parent / "example"
GATE = ("gate", "qrels", "a.run", "b.run")
CONFIG = 'weights = "weights"\n[[conditions]]\nmeasure = "AP"\nmax_drop = 0.5\n'
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes in folders")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, of in (("qrels", "qrels.txt"), ("a.run", "bm25.run"), ("b.run", "lsa.run")):
        shutil.copy(EXAMPLE / of, name)
    queries = sorted({line.split()[0] for line in Path("qrels").read_text().splitlines()})
    Path("weights").write_text("".join(f"{query} 1\n" for query in queries))
    return tmp_path


def piped(name: str, text: str) -> None:
    os.mkfifo(name)
    threading.Thread(target=lambda: Path(name).write_text(text), daemon=True).start()


def test_a_configuration_and_slices_may_come_through_pipes() -> None:
    piped("config", CONFIG)
    assert rankmark_here(*GATE, "--config", "config").returncode in {0, 3}
    piped("slices", Path("weights").read_text())
    done = rankmark_here("compare", *GATE[1:], "-m", "AP", "--by", "slices", "--format", "json")
    assert done.returncode == 0, done.stderr


def test_an_open_file_of_slices_is_read_once() -> None:
    with Path("weights").open("rb") as file:
        compared = rm.compare(*GATE[1:2], {"a": "a.run", "b": "b.run"}, "AP", by=file, resamples=9)
    assert len(compared.slices) == 1


def test_an_output_over_a_file_that_a_configuration_or_record_names_is_refused() -> None:
    Path("gate.toml").write_text(CONFIG)
    before = Path("weights").read_bytes(), Path("qrels").read_bytes()
    done = rankmark_here(*GATE, "--config", "gate.toml", "-o", "weights")
    assert (done.returncode, "weights is an input file" in done.stderr) == (2, True)
    assert rankmark_here("evaluate", *GATE[1:3], "-m", "AP", "--record", "made").returncode == 0
    done = rankmark_here("verify", "made", "-o", "qrels")
    assert (done.returncode, "qrels is an input file" in done.stderr) == (2, True)
    assert (Path("weights").read_bytes(), Path("qrels").read_bytes()) == before


def test_a_record_behind_a_link_to_itself_is_told() -> None:
    Path("loop").symlink_to("loop")
    done = rankmark_here("evaluate", *GATE[1:3], "-m", "AP", "--record", "loop")
    assert (done.returncode, told(done)) == (1, "loop: this link points to itself; choose another")


def test_json_of_slices_that_is_nested_too_deeply_is_told() -> None:
    Path("deep").write_text("[" * 100_000)
    with pytest.raises(rm.ParseError):
        rm.compare("qrels", {"a": "a.run"}, "AP", by="deep")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("can't start new thread"), "memory is full"),
        (SystemError("f returned NULL without setting an exception"), "memory is full"),
        (ImportError("x.so: failed to map segment"), "a library cannot be loaded: x.so: failed"),
    ],
)
def test_memory_that_is_full_is_no_bug_of_ours(
    error: Exception, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        with reported_errors():
            raise error

    with pytest.raises(SystemExit, match="1"):
        fail()
    assert said in capsys.readouterr().err


def test_a_cell_with_a_carriage_return_stays_one_row_of_csv() -> None:
    made = rm.evaluate({"q\rx": {"a": 1}, "\n=1": {"a": 1}}, {"q\rx": {"a": 1.0}}, "AP")
    assert made.to_csv() == 'query_id,AP\n"q\rx","1.0"\n"\n=1",0.0\n'
    assert made.to_csv(safe=True) == "query_id,AP\nq\\rx,1.0\n'\\n=1,0.0\n"
