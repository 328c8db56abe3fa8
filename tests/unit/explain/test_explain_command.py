"""``rankmark explain`` as it is typed."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark as in_a_process
from unit.commands import rankmark_here, told

HOME = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (str(HOME / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))


def test_a_number_is_explained_in_eighty_columns() -> None:
    done = rankmark_here("explain", QRELS, BM25, "--query", "q02", "-m", "AP")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == rm.explain(QRELS, BM25, "q02", "AP").to_text() + "\n"
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("form", ["json", "markdown", "html"])
def test_every_format_is_written_to_a_file_as_to_stdout(form: str, tmp_path: Path) -> None:
    asked = ("explain", QRELS, BM25, "--query", "q02", "--format", form)
    path = tmp_path / "out"
    shown, written = rankmark_here(*asked), rankmark_here(*asked, "-o", path)
    assert written.stdout == ""
    assert path.read_text(encoding="utf-8") == shown.stdout
    assert "nDCG@10" in shown.stdout


def test_json_is_what_the_library_gives() -> None:
    done = rankmark_here(
        "explain", QRELS, BM25, "--query", "q02", "--format", "json", "--ties", "mean"
    )
    found = rm.explain(QRELS, BM25, "q02", ties="mean")
    assert json.loads(done.stdout) == json.loads(found.to_json())


def test_two_runs_differ_by_documents_of_a_query_or_by_queries() -> None:
    of_query = rankmark_here("explain", QRELS, BM25, "--query", "q02", "--against", LSA, "-m", "AP")
    assert of_query.stdout == rm.explain(QRELS, BM25, "q02", "AP", against=LSA).to_text() + "\n"
    of_all = rankmark_here("explain", QRELS, BM25, "--against", LSA, "-m", "AP")
    assert of_all.stdout == rm.explain(QRELS, BM25, None, "AP", against=LSA).to_text() + "\n"
    assert "bm25.run" in of_all.stdout.splitlines()[0]


@pytest.mark.slow
def test_a_run_may_come_from_standard_input() -> None:
    with Path(BM25).open("rb") as file:
        done = in_a_process("explain", QRELS, "-", "--query", "q02", stdin=file)
    assert done.stdout == rm.explain(QRELS, BM25, "q02").to_text() + "\n"


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    mistaken = rankmark_here("explain", QRELS, BM25, "--query", "q2")
    assert mistaken.returncode == 1
    assert "query 'q2' is not judged" in told(mistaken)
    lacking = rankmark_here("explain", QRELS, tmp_path / "none.run", "--query", "q02")
    assert lacking.returncode == 1
    assert "none.run" in told(lacking)
    small = rankmark_here("explain", QRELS, BM25, "--query", "q02", "--collection", "1")
    assert small.returncode == 1
    assert "collection is 1" in told(small)
    unknown = rankmark_here("explain", QRELS, BM25, "--query", "q02", "-m", "nDGC@10")
    assert unknown.returncode == 2
    assert "did you mean" in told(unknown)
    nothing = rankmark_here("explain", QRELS, BM25)
    assert nothing.returncode == 2
    assert "--against" in nothing.stderr
    twice = rankmark_here("explain", QRELS, BM25, "--query", "q02", "-m", "AP", "-m", "RR")
    assert twice.returncode == 2
    assert "one measure" in twice.stderr
    whose = rankmark_here("explain", QRELS, BM25, "--against", LSA, "--collection", "9")
    assert whose.returncode == 2
    assert "--query" in whose.stderr
