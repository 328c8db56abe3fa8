"""Files of other formats at the command line: recognised, shown, and overridden."""

import gzip
import json
from pathlib import Path

import pytest

from unit.commands import rankmark_here, told

QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\tc\t2\n"
RUN = "who,item,bm25\nq1,a,1\nq1,b,2\nq2,c,1\n"
TREC_RUN = "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n"
COLUMNS = ["--column", "query_id=who", "--column", "score=bm25"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with judgments and runs of several formats, and go there."""
    (tmp_path / "qrels.tsv").write_text(QRELS)
    (tmp_path / "qrels.trec").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    (tmp_path / "run.csv").write_text(RUN)
    (tmp_path / "run.gz").write_bytes(gzip.compress(TREC_RUN.encode()))
    (tmp_path / "run.trec").write_text(TREC_RUN)
    (tmp_path / "run.tsv").write_text("q1\tb\t7\nq1\ta\t9\nq2\tc\t1\n")
    (tmp_path / "run.json").write_text('{"q1": ["b", "a"], "q2": {"c": 1}}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_what_files_were_taken_for_stands_below_the_table() -> None:
    runs = ["run.gz", "run.trec", "run.json"]
    done = rankmark_here("evaluate", "qrels.tsv", *runs, "-m", "RR(rel=1)")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:4]] == ["0.7500"] * 3
    assert done.stdout.splitlines()[-3:] == [
        "qrels.tsv read as beir: query_id=query-id, doc_id=corpus-id, label=score",
        "run.gz read as trec in gzip",
        "run.json read as json",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_plain_trec_text_needs_no_word() -> None:
    done = rankmark_here("evaluate", "qrels.trec", "run.trec", "-m", "RR")
    assert "read as" not in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("qrels", ["qrels.tsv", "qrels.trec"])
def test_columns_are_named_for_the_side_that_has_them(qrels: str) -> None:
    columns = COLUMNS if qrels == "qrels.trec" else COLUMNS[2:]
    Path("named.csv").write_text(RUN if qrels == "qrels.trec" else RUN.replace("who", "qid"))
    done = rankmark_here("evaluate", qrels, "named.csv", "-m", "RR", *columns)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split() == ["named", "0.7500"]
    assert ", doc_id=item, score=bm25" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_column_of_an_unknown_name_is_refused_with_the_option_that_names_it() -> None:
    done = rankmark_here("evaluate", "qrels.trec", "run.csv")
    assert done.returncode == 1
    assert "no column has a usual name for query_id" in told(done)
    assert "--column query_id=NAME" in told(done)
    done = rankmark_here("evaluate", "qrels.trec", "run.csv", *COLUMNS[:2], "-m", "RR")
    assert done.returncode == 1
    assert "'bm25' holds numbers, which would be left unread" in told(done)
    assert "--column score=bm25" in told(done)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_formats_are_overridden() -> None:
    refused = rankmark_here("evaluate", "qrels.trec", "run.tsv", "-m", "RR")
    assert refused.returncode == 1
    assert "choose --run-format msmarco" in told(refused)
    done = rankmark_here("evaluate", "qrels.trec", "run.tsv", "-m", "RR", "--run-format", "msmarco")
    assert done.stdout.splitlines()[1].split() == ["run", "0.7500"]
    assert "run.tsv read as msmarco" in done.stdout
    done = rankmark_here("evaluate", "qrels.tsv", "run.trec", "--qrels-format", "trec")
    assert told(done).startswith("qrels.tsv:1: found 3 columns, need 4")


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_json_holds_what_was_taken_beside_each_file() -> None:
    options = ["-m", "RR", "--format", "json", *COLUMNS]
    done = rankmark_here("evaluate", "qrels.trec", "run.csv", *options)
    (run,) = json.loads(done.stdout)["runs"]
    assert run["qrels"]["form"] == "trec"
    assert run["run"]["form"] == "csv"
    assert run["run"]["columns"] == {"query_id": "who", "doc_id": "item", "score": "bm25"}
    done = rankmark_here("evaluate", "qrels.trec", "run.gz", "-m", "RR", "--format", "jsonl")
    assert json.loads(done.stdout)["run"]["packing"] == "gzip"


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_any_format_may_come_from_standard_input() -> None:
    done = rankmark_here("evaluate", "qrels.tsv", "-", "-m", "RR", input='{"q1": ["b", "a"]}')
    assert done.stdout.splitlines()[1].split() == ["<stdin>", "0.2500"]
    done = rankmark_here("evaluate", "-", "run.trec", "-m", "RR", input=QRELS)
    assert done.stdout.splitlines()[1].split() == ["run", "0.7500"]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--column", "score"], 2, "'score'; need ROLE=NAME"),
        (["--column", "score="], 2, "'score='; need ROLE=NAME"),
        (["--column", "user=who"], 2, "ROLE one of query_id, doc_id, score, label, rank"),
        (["--column", "score=a", "--column", "score=b"], 2, "score is given twice"),
        (["--run-format", "xls"], 2, "'xls' is not one of 'trec'"),
        (["--column", "score=x"], 1, "columns does not apply to these inputs"),
    ],
)
def test_options_that_will_not_do_are_refused(options: list[str], code: int, said: str) -> None:
    done = rankmark_here("evaluate", "qrels.trec", "run.trec", *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in " ".join(done.stderr.split())
