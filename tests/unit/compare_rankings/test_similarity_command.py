"""``rankmark similarity``: two runs compared from the command line."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark as in_a_process
from unit.commands import rankmark_here, told

EXAMPLE = Path(rm.__file__).parent / "example"
BM25, LSA = (f"{EXAMPLE}/{name}.run" for name in ("bm25", "lsa"))


def test_two_runs_are_compared_by_default_coefficients() -> None:
    done = rankmark_here("similarity", BM25, LSA)
    assert (done.returncode, done.stderr) == (0, "")
    head, means, blank, *notes = done.stdout.splitlines()
    assert head.split() == ["query_id", "RBO(p=0.9)", "tau@10", "overlap@10"]
    found = rm.compare_rankings(BM25, LSA)
    assert means.split() == ["all", *(f"{mean:.4f}" for mean in tuple(found.values()))]
    assert blank == ""
    assert notes == found.notes


def test_k_cuts_what_has_no_cutoff_of_its_own() -> None:
    done = rankmark_here(
        "similarity", BM25, LSA, "--k", 5, "-m", "tau", "-m", "RBO@3", "--format", "json"
    )
    assert list(json.loads(done.stdout)["scores"]) == ["tau@5", "RBO(p=0.9)@3"]


def test_each_query_has_a_row_where_it_is_asked_for() -> None:
    done = rankmark_here("similarity", BM25, LSA, "--per-query", "--format", "csv", "-m", "tau")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    found = rm.compare_rankings(BM25, LSA, "tau")
    assert rows[0] == ["run_a", "run_b", "query_id", "tau"]
    assert {tuple(row[:2]) for row in rows[1:]} == {("bm25", "lsa")}
    assert {row[2]: float(row[3]) for row in rows[1:]} == found.per_query("tau")
    assert done.stderr.splitlines() == found.notes


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown", "latex"])
def test_every_format_is_written_to_a_file_as_to_stdout(form: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    shown = rankmark_here("similarity", BM25, LSA, "--format", form)
    written = rankmark_here("similarity", BM25, LSA, "--format", form, "-o", path)
    assert written.stdout == ""
    assert path.read_text(encoding="utf-8") == shown.stdout
    assert "0." in shown.stdout


@pytest.mark.slow
def test_a_run_may_come_from_standard_input() -> None:
    with Path(BM25).open("rb") as file:
        done = in_a_process("similarity", "-", LSA, "--format", "json", stdin=file)
    assert json.loads(done.stdout)["scores"] == rm.compare_rankings(BM25, LSA).to_dict()["scores"]


def test_mistakes_are_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 one t\n")
    (tmp_path / "other").write_text("q1 Q0 a 1 1 t\n")
    done = rankmark_here("similarity", tmp_path / "run", LSA)
    assert (done.returncode, "run:1: " in told(done)) == (1, True)
    done = rankmark_here("similarity", tmp_path / "other", LSA)
    assert (done.returncode, "have no query in common" in told(done)) == (1, True)
    done = rankmark_here("similarity", BM25, LSA, "-m", "rbo(q=1)")
    assert (done.returncode, "position 5: RBO has no parameter 'q'" in told(done)) == (2, True)
    assert rankmark_here("similarity", BM25).returncode == 2
    assert rankmark_here("similarity", BM25, tmp_path / "absent").returncode == 1
