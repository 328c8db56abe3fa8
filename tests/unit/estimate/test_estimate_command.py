"""``rankmark estimate`` and ``rankmark choose-queries`` on files."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app
from unit.estimate.test_estimate import ALL_PEOPLE, MODEL, PEOPLE, RUNS, write_files

FILES = ("people.txt", "model.txt", "old.run", "new.run")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


@pytest.mark.usefixtures("here")
def test_the_command_has_the_numbers_of_the_function() -> None:
    found = rm.estimate(PEOPLE, MODEL, RUNS, "nDCG@10")
    printed = run("estimate", *FILES)
    assert printed.exit_code == 0
    assert printed.stdout.splitlines()[0] == found.decision
    rows = [*csv.DictReader(io.StringIO(run("estimate", *FILES, "--format", "csv").stdout))]
    assert float(rows[2]["estimate"]) == found.difference().estimate
    assert rows[2]["significant"] == str(found.difference().significant).lower()
    written = json.loads(run("estimate", *FILES, "--format", "json", "-m", "RR").stdout)
    assert written["means"][0]["measure"] == "RR"
    assert written["people"]["sha256"]
    assert "| new - old |" in run("estimate", *FILES, "--format", "markdown").stdout
    assert r"\begin{tabular}" in run("estimate", *FILES, "--format", "latex").stdout


@pytest.mark.parametrize("method", ["stratified", "active"])
def test_what_choose_writes_is_what_estimate_reads(method: str, here: Path) -> None:
    words = ("choose-queries", *FILES[1:], "-n", "30", "--method", method)
    done = run(*words, "--format", "csv", "-o", "plan.csv", "--to-judge", "ids.txt")
    assert done.exit_code == 0, done.output
    ids = (here / "ids.txt").read_text().split()
    assert len(ids) == 30
    rm.convert({query: ALL_PEOPLE[query] for query in ids}, "chosen.txt", kind="qrels")
    option = "--strata" if method == "stratified" else "--probabilities"
    printed = run("estimate", "chosen.txt", *FILES[1:], option, "plan.csv")
    assert printed.exit_code == 0, printed.output
    assert "30 queries judged by people, with the model's labels of 90 others" in printed.stdout
    refused = run("estimate", *FILES, "--probabilities", "plan.csv")
    assert refused.exit_code == 1
    assert "the plan did not choose" in refused.stderr


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("estimate", "peopel.txt", *FILES[1:]), 1, "peopel.txt: there is no such file"),
        (("estimate", *FILES[:2]), 2, "RUN..."),
        (("estimate", *FILES, "--baseline", "x"), 2, "names no run"),
        (("estimate", *FILES, "-o", "old.run"), 2, "is an input file"),
        (("estimate", FILES[1], FILES[0], *FILES[2:]), 1, "the model did not judge 80"),
        (("choose-queries", *FILES[1:]), 2, "'-n'"),
        (("choose-queries", *FILES[1:], "-n", "500"), 1, "n is 500"),
        (("choose-queries", *FILES[1:], "-n", "9", "--strata", "0"), 2, "need at least 1"),
        (("choose-queries", *FILES[1:], "-n", "9", "--strata", "none.csv"), 1, "strata is given"),
    ],
)
def test_mistakes_are_told(words: tuple[str, ...], code: int, told: str) -> None:
    done = run(*words)
    assert done.exit_code == code, done.output
    assert told in done.output
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_plot_is_written(here: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run("estimate", *FILES, "--plot", "e.svg", "--quiet").exit_code == 0
    assert "people and model" in (here / "e.svg").read_text()
