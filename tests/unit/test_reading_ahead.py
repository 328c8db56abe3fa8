"""Files that are read while NumPy is imported: the same results, messages and exit codes."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.cli.app import app
from rankmark.conventions import Conventions
from rankmark.errors import RankmarkError
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.names import every
from rankmark.sources import match
from rankmark.sources.contract.source_options import NO_OPTIONS
from rankmark.sources.files import reading_ahead
from rankmark.sources.files.begin_reading import begin_reading
from rankmark.sources.files.file_source import FileSource
from rankmark.sources.files.files import InputFile


@pytest.fixture
def files(tmp_path):
    """Judgments of every label from -1 to 3, and a run with ties, both written some time ago."""
    rng = random.Random(7)
    paths = qrels, run = tmp_path / "some.qrels", tmp_path / "some.run"
    with qrels.open("w") as file:
        for query in range(30):
            for doc in rng.sample(range(60), 25):
                file.write(f"q{query} 0 d{doc} {rng.randint(-1, 3)}\n")
    with run.open("w") as file:
        for query in range(32):
            for doc in rng.sample(range(60), 40):
                file.write(f"q{query} Q0 d{doc} 0 {rng.randint(0, 12)} tag\n")
    for path in paths:
        os.utime(path, (1e9, 1e9))
    return paths


@pytest.fixture(autouse=True)
def _nothing_else_is_read(monkeypatch):
    monkeypatch.setattr(reading_ahead, "_reading", None)


def begin(files, **conventions):
    sources = [
        FileSource(InputFile(path), kind, NO_OPTIONS)
        for path, kind in zip(files, ("qrels", "run"), strict=True)
    ]
    begin_reading(*sources, Conventions(**conventions), memory=None, threads=2)
    return reading_ahead._reading


def matched(files, conventions, measures):
    needs = needs_of(every(measures))
    return match(rm.Qrels(files[0]), rm.Run(files[1]), Conventions(**conventions), needs=needs)


@pytest.mark.parametrize("measures", [["AP"], ["RR@3"], ["nDCG@1", "P@5"], ["Bpref"], ["Judged@5"]])
@pytest.mark.parametrize(
    "conventions",
    [
        {},
        {"ties": "docid-asc"},
        {"ties": "input", "depth": 7},
        {"judged_only": True},
        {"precision": "float32"},
    ],
)
def test_what_is_read_ahead_is_aligned_to_the_same_columns(files, measures, conventions):
    expected, expected_facts = matched(files, conventions, measures)
    reading = begin(files, **conventions)
    alignment, facts = matched(files, conventions, measures)
    assert reading.qrels.ended.is_set()
    assert reading_ahead._reading is None  # it was used
    for name in ("starts", "rank", "label", "retrieved", "tie_first", "tie_last", "ideal_label"):
        one, other = getattr(alignment, name), getattr(expected, name)
        assert (one is None) == (other is None)
        assert one is None or (one.dtype == other.dtype and np.array_equal(one, other)), name
    for one, other in zip(facts, expected_facts, strict=True):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


def test_a_file_that_changes_is_read_again(files):
    before = rm.evaluate(*files, "AP")["AP"]
    reading = begin(files)
    reading.run.ended.wait()
    lines = files[1].read_text().splitlines()
    files[1].write_text("".join(f"{line}\n" for line in lines if "1 0 " not in line))
    after = rm.evaluate(*files, "AP")["AP"]
    assert after != before
    assert after == rm.evaluate(*files, "AP")["AP"]


def test_other_conventions_than_those_read_for_are_read_again(files):
    reading = begin(files, ties="docid-asc")
    assert rm.evaluate(*files, "AP", ties="docid")["AP"] != pytest.approx(
        rm.evaluate(*files, "AP", ties="docid-asc")["AP"]
    )
    assert reading.run.ended.wait(10)


@pytest.mark.parametrize("faulty", [0, 1])
def test_a_fault_is_reported_as_if_nothing_had_been_read_ahead(files, faulty):
    with files[faulty].open("a") as file:
        file.write("q1 0\n")
    os.utime(files[faulty], (1e9, 1e9))
    with pytest.raises(RankmarkError) as expected:
        rm.evaluate(*files, "AP")
    begin(files)
    with pytest.raises(RankmarkError) as found:
        rm.evaluate(*files, "AP")
    assert str(found.value) == str(expected.value)
    assert str(files[faulty]) in str(found.value)


def test_progress_is_reported_while_waiting(files, monkeypatch):
    reading = begin(files)
    reading.run.ended.wait()
    reported = []

    class Ended:
        """Ends when it is asked for the third time."""

        def wait(self, _seconds):
            return len(reported) == 2

    monkeypatch.setattr(reading.run, "ended", Ended())
    rm.evaluate(*files, "AP", progress=reported.append)
    assert reported == [0, 0]


COMMAND = """
import sys
from rankmark.cli import main
from rankmark.sources.files import reading_ahead
run = reading_ahead.run
def noted(*arguments, **options):
    found = run(*arguments, **options)
    print("read ahead:", found is not None, file=sys.stderr)
    return found
reading_ahead.run = noted
assert "numpy" not in sys.modules
main()
"""


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("options", "ahead"),
    [
        (["-m", "R@3", "--ties", "mean", "--rel", "2"], True),
        (["-m", "AP", "--ties", "rank"], False),
    ],
)
def test_the_command_reads_ahead(files, options, ahead):
    arguments = ["evaluate", *map(str, files), *options, "--format", "json"]
    done = command(*arguments)
    assert done.returncode == 0
    assert f"read ahead: {ahead}\n" in done.stderr
    assert done.stdout == CliRunner().invoke(app, arguments).stdout  # which imported NumPy before


def test_wrong_usage_comes_before_wrong_files(files):
    with files[0].open("a") as file:
        file.write("q1 0\n")
    done = command("evaluate", *files, "-m", "Nothing")
    assert done.returncode == 2
    assert "Nothing" in done.stderr
