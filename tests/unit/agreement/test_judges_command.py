"""``rankmark judges``: the command of ``compare_judgments``."""

import csv
import io
import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (f"{EXAMPLE}/{name}" for name in ("qrels.txt", "bm25.run", "lsa.run"))


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Labels of a model: those of people, every fourth one higher."""
    lines = Path(QRELS).read_text(encoding="utf-8").splitlines()
    changed = []
    for number, line in enumerate(lines):
        query, _, doc, label = line.split()
        changed.append(f"{query} 0 {doc} {int(label) + (number % 4 == 0)}\n")
    path = tmp_path / "llm.txt"
    path.write_text("".join(changed), encoding="utf-8")
    return str(path)


def test_the_command_shows_what_the_function_finds(model: str) -> None:
    done = rankmark_here("judges", QRELS, model)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == rm.compare_judgments(QRELS, model).to_text().split()


def test_every_option_reaches_the_function(model: str, tmp_path: Path) -> None:
    by = tmp_path / "kinds.txt"
    queries = rm.Qrels(QRELS).query_ids
    by.write_text("".join(f"{query} {at % 2}\n" for at, query in enumerate(queries)))
    options = ("--rel", "3", "--labels", "0,1,2,3,4,5", "--relabel", "4=3", "--failed", "1")
    options += ("--missing", "0", "--interval", "bootstrap", "--confidence", "0.9", "--seed", "4")
    options += ("--resamples", "50", "--name", "qrels=people", "--by", str(by), "--pairs", "common")
    runs = ("--runs", BM25, "--runs", LSA, "-m", "RR@10")
    done = rankmark_here("judges", QRELS, model, *options, *runs, "--format", "json")
    assert done.returncode == 0, done.stderr
    wanted = rm.compare_judgments(
        QRELS,
        model,
        rel=3,
        labels=[0, 1, 2, 3, 4, 5],
        relabel={4: 3},
        failed=1,
        missing=0,
        interval="bootstrap",
        confidence=0.9,
        seed=4,
        resamples=50,
        names=["people", "llm"],
        by=str(by),
        pairs="common",
        runs=[BM25, LSA],
        measure="RR@10",
    )
    assert json.loads(done.stdout) == wanted.to_dict(per_query=False)


def test_rows_are_figures_or_queries(model: str) -> None:
    found = rm.compare_judgments(QRELS, model)
    done = rankmark_here("judges", QRELS, model, "--format", "csv")
    assert done.stdout == found.to_csv()
    assert found.summary in done.stderr
    done = rankmark_here("judges", QRELS, model, "--format", "csv", "--per-query")
    rows = [*csv.DictReader(io.StringIO(done.stdout))]
    assert [row["query_id"] for row in rows] == [*found.queries]


@pytest.mark.parametrize("runs", [(), ("--runs", BM25, "--runs", LSA)])
def test_markdown_and_latex_have_all_tables_and_nothing_else(
    model: str, runs: tuple[str, ...]
) -> None:
    found = rm.compare_judgments(QRELS, model, runs=[BM25, LSA] if runs else None)
    for form, begins in (("markdown", "| all pairs |"), ("latex", "% \\usepackage")):
        done = rankmark_here("judges", QRELS, model, *runs, "--format", form)
        assert done.stdout.startswith(begins)
        assert "labels" in done.stderr
        count = len(found._grids())
        if form == "markdown":
            assert done.stdout.count("| --- |") == count == done.stdout.count("\n\n") + 1
        else:
            assert done.stdout.count("\\begin{table}") == count
            assert "{all}" in done.stdout
    assert len(rm.compare_judgments(QRELS, model)._grids()) == 4
    done = rankmark_here("judges", QRELS, model, "--format", "markdown", "--per-query")
    assert done.stdout.count("\n") == 2 + len(rm.Qrels(QRELS).query_ids)


def test_quiet_leaves_out_the_audit_and_not_what_numbers_mean(model: str) -> None:
    done = rankmark_here("judges", QRELS, model, "--quiet")
    assert "intervals:" in done.stdout
    assert "pairs of a query and a document judged by" not in done.stdout
    assert done.stdout.startswith("llm labels ")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["confusion", "queries", "systems"])
def test_plots_are_written(model: str, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "plot.svg"
    runs = ("--runs", f"{EXAMPLE}/*.run")
    done = rankmark_here("judges", QRELS, model, *runs, "--plot", str(file), "--plot-kind", kind)
    assert done.returncode == 0, done.stderr
    drawn = file.read_text(encoding="utf-8")
    words = {"confusion": "share of the row", "queries": "llm higher", "systems": "by llm"}
    assert words[kind] in drawn


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-m", "AP"), "--measure is for runs"),
        (("--plot-kind", "systems"), "--plot-kind systems is for runs"),
        (("--relabel", "4"), "need LABEL=LABEL"),
        (("--labels", "0;1"), "need labels"),
        (("--name", "none=x"), "names no judge; need FILE=NAME"),
        (("--runs", LSA, "-m", "AP", "-m", "RR"), "give one --measure"),
    ],
)
def test_wrong_options_are_wrong_usage(model: str, options: tuple[str, ...], message: str) -> None:
    done = rankmark_here("judges", QRELS, model, *options)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_a_mistyped_file_is_one_line(model: str) -> None:
    done = rankmark_here("judges", QRELS, f"{model}x")
    assert done.returncode == 1
    assert told(done) == f"{model}x: there is no such file; check the path"
    done = rankmark_here("judges", QRELS, model, "--runs", "nowhere/*.run")
    assert told(done) == "nowhere/*.run: no file matches; check the pattern"
