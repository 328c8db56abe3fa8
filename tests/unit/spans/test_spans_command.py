"""``rankmark spans``: spans measured from the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told
from unit.spans.forms import CHUNKS, FORMS, GOLD, GOLD_ROWS, RETRIEVED, RETRIEVED_ROWS


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with files of spans."""
    FORMS["CSV"](GOLD_ROWS, tmp_path).rename(tmp_path / "gold.csv")
    FORMS["TSV"](RETRIEVED_ROWS, tmp_path).rename(tmp_path / "bm25.tsv")
    (tmp_path / "chunks.json").write_text(json.dumps(CHUNKS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_spans_are_measured_by_default_measures() -> None:
    done = rankmark_here("spans", "gold.csv", "bm25.tsv")
    assert (done.returncode, done.stderr) == (0, "")
    head, means, blank, *notes = done.stdout.splitlines()
    assert head.split() == ["query_id", "SpanRecall", "SpanPrecision", "SpanIoU"]
    found = rm.evaluate_spans(GOLD, RETRIEVED)
    assert means.split() == ["all", *(f"{mean:.4f}" for mean in found.values())]
    assert blank == ""
    assert notes == found.notes


@pytest.mark.usefixtures("files")
def test_each_query_has_a_row_where_it_is_asked_for() -> None:
    asked = ("-m", "SpanRecall@1,2", "-m", "PrecisionOmega", "--chunks", "chunks.json")
    done = rankmark_here("spans", "gold.csv", "bm25.tsv", *asked, "--per-query", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["run", "query_id", "SpanRecall@1", "SpanRecall@2", "PrecisionOmega"]
    found = rm.evaluate_spans(GOLD, RETRIEVED, ["SpanRecall@1,2", "PrecisionOmega"], chunks=CHUNKS)
    assert [row[:2] for row in rows[1:]] == [["bm25", "q1"], ["bm25", "q2"]]
    assert [[float(x) for x in row[2:]] for row in rows[1:]] == found.scores.tolist()
    assert done.stderr.splitlines() == found.notes
    long = rankmark_here("spans", "gold.csv", "bm25.tsv", "--format", "csv", "--long")
    assert long.stdout.splitlines()[0] == "run,measure,value"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown", "latex"])
def test_every_format_is_written_to_a_file_as_to_stdout(form: str) -> None:
    shown = rankmark_here("spans", "gold.csv", "bm25.tsv", "--format", form)
    written = rankmark_here("spans", "gold.csv", "bm25.tsv", "--format", form, "-o", "out")
    assert written.stdout == ""
    assert Path("out").read_text(encoding="utf-8") == shown.stdout
    assert "0.8" in shown.stdout


@pytest.mark.usefixtures("files")
def test_conventions_and_columns_are_those_of_the_function() -> None:
    text = Path("gold.csv").read_text().replace("start", "first")
    Path("other.csv").write_text(text)
    Path("empty.json").write_text('{"q1": [["d1", 0, 100], ["d1", 0, 100]]}')
    options = ("--profile", "chroma", "--empty", "nan", "--column", "start=first", "--quiet")
    done = rankmark_here("spans", "other.csv", "empty.json", *options)
    found = rm.evaluate_spans(GOLD, {"q1": [("d1", 0, 100)] * 2}, profile="chroma", empty="nan")
    _, means, _, *notes = done.stdout.splitlines()
    assert means.split() == ["all", *(f"{mean:.4f}" for mean in found.values())]
    assert notes == ["conventions: queries=judged empty=nan profile=chroma"]
    both = rankmark_here("spans", "gold.csv", "empty.json", "--queries", "both", "--format", "json")
    assert json.loads(both.stdout)["audit"]["averaged"] == 1


@pytest.mark.usefixtures("files")
def test_mistakes_are_told_in_one_line() -> None:
    done = rankmark_here("spans", "gold.csv", "absent.csv")
    assert (done.returncode, "absent.csv" in told(done)) == (1, True)
    done = rankmark_here("spans", "gold.csv", "bm25.tsv", "-m", "SpanRecal")
    assert (done.returncode, "unknown measure of spans" in told(done)) == (2, True)
    done = rankmark_here("spans", "gold.csv", "bm25.tsv", "-m", "PrecisionOmega")
    assert (done.returncode, "needs all chunks" in told(done)) == (2, True)
    Path("bad.csv").write_text("query_id,doc_id,start,end\nq1,d1,9,5\n")
    done = rankmark_here("spans", "bad.csv", "bm25.tsv")
    assert (done.returncode, "ends before it starts" in told(done)) == (1, True)
    done = rankmark_here("spans", "gold.csv", "bm25.tsv", "--column", "begin=x")
    assert done.returncode == 2
    assert rankmark_here("spans", "gold.csv").returncode == 2
    assert rankmark_here("spans", "gold.csv", "bm25.tsv", "-o", "gold.csv").returncode == 2
