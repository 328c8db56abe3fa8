"""``rankmark search-calls``: several searches evaluated from the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

HEAD = "query_id,call,doc_id,rank,tokens"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with judgments and calls."""
    rows = [HEAD, *(f"q1,1,d{n},{n},900" for n in range(1, 11)), "q1,2,right,1,200", "q2,1,z,1,100"]
    (tmp_path / "calls.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 right 1\nq2 0 z 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_the_tables_have_the_ways_and_the_means_after_each_call() -> None:
    done = rankmark_here(
        "search-calls", "qrels.txt", "calls.csv", "-m", "RR@10", "-m", "R", columns=200
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["how", "RR@10", "R"]
    assert [line[0] for line in lines[1:7]] == [
        *("interleave", "concatenate", "union", "first", "last", "best")
    ]
    assert lines[1][1:] == ["0.7500", "1.0000"]
    assert lines[8] == ["after", "call", "queries", "RR@10", "R"]
    assert lines[9:11] == [["1", "2", "0.5000", "0.5000"], ["2", "1", "0.7500", "1.0000"]]
    assert "tokens 1,200" in done.stdout


@pytest.mark.usefixtures("files")
def test_every_format_says_the_same() -> None:
    found = rm.evaluate_calls("qrels.txt", "calls.csv", ["RR@10"], how="best")
    asked = ("search-calls", "qrels.txt", "calls.csv", "-m", "RR@10", "--how", "best")
    said = json.loads(rankmark_here(*asked, "--format", "json", "--per-query").stdout)
    assert said == json.loads(found.to_json())
    head, *rows = csv.reader(io.StringIO(rankmark_here(*asked, "--format", "csv").stdout))
    assert head == ["run", "how", "RR@10"]
    assert {row[1]: float(row[2]) for row in rows} == {
        way: values["RR@10"] for way, values in found.ways.items()
    }
    by_query = rankmark_here(*asked, "--format", "csv", "--per-query").stdout.splitlines()
    assert by_query == ["run,query_id,RR@10", "calls,q1,1.0", "calls,q2,1.0"]
    for form in ("markdown", "latex"):
        assert "concatenate" in rankmark_here(*asked, "--format", form).stdout


@pytest.mark.usefixtures("files")
@pytest.mark.slow
def test_the_curve_is_drawn() -> None:
    done = rankmark_here("search-calls", "qrels.txt", "calls.csv", "-m", "R", "--plot", "curve.svg")
    assert done.returncode == 0
    assert "calls" in Path("curve.svg").read_text(encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_what_is_wrong_is_told_in_one_line() -> None:
    assert "no such file" in told(rankmark_here("search-calls", "qrels.txt", "call.csv"))
    assert "SessionDCG" in told(
        rankmark_here("search-calls", "qrels.txt", "calls.csv", "-m", "SessionDCG(b=2)")
    )
    assert "no column 'words'" in told(
        rankmark_here("search-calls", "qrels.txt", "calls.csv", "--cost", "words")
    )


def test_judgments_that_a_model_failed_to_give_count_as_not_judged(files: Path) -> None:
    (files / "qrels.txt").write_text("q1 0 right 1\nq1 0 d1 -\nq2 0 z 1\nq2 0 y -1\n", "utf-8")
    words = ("search-calls", "qrels.txt", "calls.csv", "-m", "RR@10", "--format", "json")
    assert 'choose failed="unjudged", or --failed unjudged' in told(rankmark_here(*words))
    found = json.loads(rankmark_here(*words, "--failed", "-1").stdout)
    assert found["audit"]["failed"] == 2
    assert found["scores"] == {"RR@10": 0.75}
    assert "without a label, as it failed, 2" in rankmark_here(*words[:-2], "--failed", "-1").stdout
    qrels = rm.Qrels("qrels.txt", failed=-1)
    assert rm.evaluate_calls(qrels, "calls.csv", "RR@10").audit.failed == 2
    with pytest.raises(rm.InputError, match="already prepared; give their failed to Qrels"):
        rm.evaluate_calls(qrels, "calls.csv", failed=-1)
