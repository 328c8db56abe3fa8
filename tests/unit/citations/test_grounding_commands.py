"""``rankmark nuggets`` and ``rankmark citations``: answers scored from the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.citations import test_citations, test_nuggets
from unit.commands import rankmark_here, told
from unit.spans.forms import FORMS

COMMANDS = {"nuggets": rm.nuggets, "citations": rm.citations}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with files of judged answers."""
    FORMS["CSV"](test_nuggets.ROWS, tmp_path).rename(tmp_path / "nuggets.csv")
    FORMS["CSV"](test_citations.ROWS, tmp_path).rename(tmp_path / "citations.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_table_has_the_means_and_the_notes(name: str) -> None:
    found = COMMANDS[name](f"{name}.csv")  # type: ignore[operator]
    done = rankmark_here(name, f"{name}.csv", columns=500)
    assert (done.returncode, done.stderr) == (0, "")
    head, means, blank, *notes = done.stdout.splitlines()
    assert head.split() == ["query_id", *found.names]
    assert means.split() == ["all", *(f"{mean:.4f}" for mean in found.values())]
    assert (blank, notes) == ("", found.notes)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", COMMANDS)
def test_every_format_says_the_same(name: str) -> None:
    found = COMMANDS[name](f"{name}.csv")  # type: ignore[operator]
    said = json.loads(rankmark_here(name, f"{name}.csv", "--format", "json", "--per-query").stdout)
    assert said == found.to_dict()
    rows = rankmark_here(name, f"{name}.csv", "--format", "csv", "--per-query").stdout
    head, *values = csv.reader(io.StringIO(rows))
    assert head == ["run", "query_id", *found.names]
    assert [[float(x) for x in row[2:]] for row in values] == found.scores.tolist()
    for form in ("markdown", "latex", "jsonl"):
        written = rankmark_here(name, f"{name}.csv", "--format", form, "-o", "out")
        assert written.stdout == ""
        assert found.names[0] in Path("out").read_text(encoding="utf-8").replace("\\_", "_")


@pytest.mark.usefixtures("files")
def test_options_are_those_of_the_functions() -> None:
    done = rankmark_here("citations", "citations.csv", "--passages", "2", "--format", "json")
    scores = json.loads(done.stdout)["scores"]
    assert scores == pytest.approx({"precision": 0.5, "recall": 1 / 3, "F": 0.4})
    done = rankmark_here(
        *("nuggets", "nuggets.csv", "--queries", "q1", "-m", "W", "--partial", "1", "--okay", "1"),
        *("--format", "csv"),
    )
    assert done.stdout == "run,weighted\nnuggets,0.8\n"


@pytest.mark.usefixtures("files")
def test_what_is_wrong_is_told_in_one_line() -> None:
    assert "no such file" in told(rankmark_here("nuggets", "nugets.csv"))
    assert "could be sentence" in told(rankmark_here("citations", "nuggets.csv"))


@pytest.mark.usefixtures("files")
def test_a_score_that_does_not_exist_is_wrong_usage_as_a_measure_is() -> None:
    done = rankmark_here("nuggets", "nuggets.csv", "-m", "f1")
    assert done.returncode == 2
    assert "there is no score 'f1'" in done.stderr
