"""Long work tells how far it has come, and ends at once on Ctrl-C."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics import mean_intervals, randomise_pairs
from rankmark.verbs.report.write_report import report_page
from rankmark.work_progress import steps, told_to

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX terminal")

QUERIES = [f"q{at}" for at in range(90)]
QRELS = {query: {"a": 2, "b": 1, "c": 0} for query in QUERIES}
RUNS = {
    name: {query: {"a": at % step, "b": 1.5, "c": 2.5} for at, query in enumerate(QUERIES)}
    for step, name in enumerate(("one", "two", "three"), 2)
}


class Heard(list[tuple[str, int, int]]):
    """What was told."""

    def __call__(self, what: str, done: int, total: int) -> None:
        self.append((what, done, total))

    @property
    def whats(self) -> set[str]:
        """What was done from the first step to the last."""
        begun = {what for what, done, _ in self if done == 0}
        return {what for what, done, total in self if done == total and what in begun}


def test_steps_are_told_one_by_one_and_only_to_those_who_listen() -> None:
    heard = Heard()
    assert [*steps("working", "ab", 2)] == ["a", "b"]
    with told_to(heard):
        assert [*steps("working", "ab", 2)] == ["a", "b"]
    assert [*steps("working", "ab", 2)] == ["a", "b"]
    assert heard == [("working", 0, 2), ("working", 1, 2), ("working", 2, 2)]


@pytest.mark.slow
def test_every_long_part_of_a_report_tells_how_far_it_is() -> None:
    heard = Heard()
    with told_to(heard):
        report_page(rm.compare(QRELS, RUNS, ["RR", "nDCG"], resamples=5000))
    assert heard.whats == {
        "testing",
        "computing intervals",
        "measuring effects",
        "looking at ties",
        "listing documents",
        "writing the page",
    }


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_of_draws_are_told_in_order_for_any_number_of_threads(threads: int) -> None:
    scores = np.random.default_rng(5).normal(size=(60, 3))
    heard = Heard()
    with told_to(heard):
        randomise_pairs(scores, resamples=30_000, threads=threads)
        mean_intervals(scores, resamples=3000, threads=threads)
    for what in ("testing", "resampling"):
        told = [(done, total) for one, done, total in heard if one == what]
        assert told == [(done, len(told) - 1) for done in range(len(told))]
        assert len(told) > 3


@pytest.fixture(scope="module")
def long_work(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Give the arguments of a comparison that draws for minutes."""
    folder = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(3)
    queries = range(2000)
    qrels = "".join(f"{query} 0 d0 1\n{query} 0 d1 1\n" for query in queries)
    (folder / "qrels").write_text(qrels)
    for name in ("x", "y", "z"):
        places = rng.random((2000, 5)).argsort(axis=1).tolist()
        lines = [
            f"{query} Q0 d{place} {rank} {-rank} t\n"
            for query, order in zip(queries, places, strict=True)
            for rank, place in enumerate(order, 1)
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    runs = [str(folder / f"{name}.run") for name in ("x", "y", "z")]
    return [str(folder / "qrels"), *runs, "-m", "nDCG@3", "--resamples", "500000000"]


@pytest.mark.slow
def test_a_bar_shows_the_testing_and_ctrl_c_takes_it_away(long_work: list[str]) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rankmark", "compare", *long_work]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(theirs)
        text = b""
        while b"testing" not in text:
            text += os.read(ours, 1000)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert time.monotonic() - sent < 5
    rest = b""
    try:
        while piece := os.read(ours, 10_000):
            rest += piece
    except OSError:  # the terminal has no other side any more
        pass
    os.close(ours)
    assert rest.endswith(b"\x1b[2K")  # the line of the bar is erased
    assert b"Traceback" not in rest


@pytest.mark.slow
def test_quiet_shows_no_bar(long_work: list[str], tmp_path: Path) -> None:
    script = (
        "from rankmark.commands.parts import progress; progress._PATIENCE = 0.0;"
        "import sys, threading, time;"
        "from rankmark.commands.app import app; app()"
    )
    few = [*long_work[:-1], "50000", "--output", str(tmp_path / "out")]
    shown = {}
    for options in ([], ["--quiet"]):
        ours, theirs = pty.openpty()
        command = [sys.executable, "-c", script, "compare", *few, *options]
        with subprocess.Popen(command, stderr=theirs) as process:
            os.close(theirs)
            text = b""
            try:
                while piece := os.read(ours, 10_000):
                    text += piece
            except OSError:
                pass
            assert process.wait(timeout=60) == 0
        os.close(ours)
        shown[bool(options)] = text
    assert shown[True] == b""
    assert b"\x1b[" in shown[False]


@pytest.mark.slow
def test_ctrl_c_in_python_does_not_wait_for_draws_that_were_begun() -> None:
    code = """
import numpy as np, rankmark as rm
from rankmark.statistics import randomise_pairs
scores = np.random.default_rng(5).normal(size=(3000, 8))
randomise_pairs(scores[:100], resamples=100, threads=2)
print("drawing", flush=True)
try:
    randomise_pairs(scores, resamples=500_000_000, threads=2)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"drawing\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"stopped\n"
        assert process.wait(timeout=30) == 0


def test_more_draws_than_can_be_made_are_refused() -> None:
    with pytest.raises(rm.errors.InputError, match="resamples is 600000000; need at most 536,870"):
        rm.compare(QRELS, RUNS, "RR", resamples=600_000_000)
