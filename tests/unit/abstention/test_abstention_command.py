"""``rankmark abstention``: the command of ``abstention``."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25 = f"{EXAMPLE}/qrels.txt", f"{EXAMPLE}/bm25.run"


def test_the_command_shows_what_the_function_finds() -> None:
    done = rankmark_here("abstention", QRELS, BM25, "-m", "RR@10", "--resamples", "50")
    found = rm.abstention(QRELS, BM25, "RR@10", resamples=50)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == f"{found.to_text()}\n".split()


def test_options_reach_the_function(tmp_path: Path) -> None:
    options = ("--signal", "diff1", "--threshold", "1", "--threshold", "0.5", "--tied", "input")
    file = tmp_path / "found.json"
    drawn = ("--seed", "3", "--resamples", "20", "--confidence", "0.9", "--rel", "2")
    done = rankmark_here(
        *("abstention", QRELS, BM25, "-m", "RR@10", *options, *drawn),
        *("--format", "json", "-o", str(file)),
    )
    assert done.returncode == 0, done.stderr
    wanted = rm.abstention(
        QRELS,
        BM25,
        "RR@10",
        signal="diff1",
        thresholds=[1, 0.5],
        tied="input",
        seed=3,
        resamples=20,
        confidence=0.9,
        rel=2,
    )
    assert json.loads(file.read_text()) == wanted.to_dict()


def test_rows_are_queries_in_csv() -> None:
    done = rankmark_here("abstention", QRELS, BM25, "--resamples", "1", "--format", "csv")
    assert done.stdout.splitlines()[0] == "query_id,answerable,confidence,value"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_both_tables_are_written_to_be_pasted_and_the_notes_apart(form: str) -> None:
    done = rankmark_here("abstention", QRELS, BM25, "--resamples", "5", "--format", form)
    found = rm.abstention(QRELS, BM25, resamples=5)
    assert done.stdout == (found.to_markdown() if form == "markdown" else found.to_latex())
    assert done.stdout.count("AUROC") == 1
    assert done.stdout.count("false positives") == 1
    assert done.stderr.splitlines()[-1].startswith("conventions: queries=judged ties=docid signal")
    quiet = rankmark_here(
        "abstention", QRELS, BM25, "--resamples", "5", "--format", form, "--quiet"
    )
    assert "answerable" in done.stderr
    assert "answerable" not in quiet.stderr
    assert quiet.stderr.splitlines()[-1] == done.stderr.splitlines()[-1]


def test_json_lines_are_one_line() -> None:
    done = rankmark_here("abstention", QRELS, BM25, "--resamples", "5", "--format", "jsonl")
    (line,) = done.stdout.splitlines()
    assert json.loads(line) == rm.abstention(QRELS, BM25, resamples=5).to_dict()


def test_units_are_counted(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\np 0 b 0\n")
    (tmp_path / "chunks.run").write_text("q Q0 a#1 1 2 x\nq Q0 a#2 2 1 x\np Q0 b#1 1 0.5 x\n")
    done = rankmark_here(
        "abstention", f"{tmp_path}/qrels.txt", f"{tmp_path}/chunks.run", "--unit", "#"
    )
    assert "; 3 units -> 2 documents, 1.50 each" in " ".join(done.stdout.split())
    assert "unit=#" in done.stdout


def test_a_picture_is_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "risk.svg"
    done = rankmark_here("abstention", QRELS, BM25, "--resamples", "5", "--plot", str(picture))
    assert done.returncode == 0, done.stderr
    assert "share of queries answered" in picture.read_text()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("-m", "RR", "-m", "AP"), 2, "give one --measure"),
        (("-m", "DCG@5"), 2, "DCG@5 is not a share of success"),
        (("--no-relevant", "skip"), 1, "no_relevant does not apply"),
        (("--signal", "mean"), 2, "'mean' is not one of"),
    ],
)
def test_mistakes_are_said_in_a_line(options: tuple[str, ...], code: int, said: str) -> None:
    done = rankmark_here("abstention", QRELS, BM25, *options)
    assert done.returncode == code
    assert said in done.stderr


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_queries_are_shown_if_asked_for(form: str) -> None:
    asked = ("abstention", QRELS, BM25, "--resamples", "5", "--format", form)
    found = rm.abstention(QRELS, BM25, resamples=5)
    query, value = found.queries[1], found.judged.value[1]
    for per_query in (True, False):
        done = rankmark_here(*asked, *["--per-query"] * per_query)
        rows = [line.split() for line in done.stdout.splitlines()]
        of_query = [row for row in rows if query in row]
        assert [f"{value:.4f}" in row for row in of_query] == [True] * per_query
