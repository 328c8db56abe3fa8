"""``rankmark leaderboard``: the command of ``leaderboard``."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

TABLE = """model,scifact,nfcorpus,fiqa,arguana,scidocs,trec-covid,touche
large,0.72,0.36,0.45,0.60,0.21,0.80,0.27
base,0.70,0.35,0.43,0.57,0.20,0.78,0.26
small,0.65,0.31,0.36,0.51,0.16,0.71,0.22
new,0.73,,0.45,0.61,0.21,0.81,0.29
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "scores.csv"
    file.write_text(TABLE)
    return str(file)


def test_the_command_shows_what_the_function_finds(table: str) -> None:
    done = rankmark_here("leaderboard", table)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == rm.leaderboard(table).to_text().split()
    assert done.stdout.startswith("large is first of 3 models over 7 tasks")


def test_options_reach_the_function(table: str, tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    tasks = tmp_path / "tasks.txt"
    tasks.write_text("scifact\nfiqa\narguana\n")
    chosen = ("--by", "borda", "--missing", "common", "--lower-is-better", "fiqa", "--seed", "3")
    drawn = ("--resamples", "50", "--confidence", "0.9", "--tasks", f"@{tasks}", "--pairs")
    done = rankmark_here("leaderboard", table, *chosen, *drawn, "--format", "json", "-o", str(file))
    assert done.returncode == 0, done.stderr
    wanted = rm.leaderboard(
        table,
        by="borda",
        missing="common",
        lower_is_better=["fiqa"],
        seed=3,
        resamples=50,
        confidence=0.9,
        tasks=["scifact", "fiqa", "arguana"],
    )
    assert json.loads(file.read_text()) == wanted.to_dict(pairs=True)


def test_rows_are_models_or_pairs(table: str) -> None:
    models = rankmark_here("leaderboard", table, "--format", "csv")
    assert models.stdout.splitlines()[0].startswith("model,rank,mean,low,high,borda")
    assert "not ranked: 1 model" in models.stderr
    pairs = rankmark_here("leaderboard", table, "--format", "csv", "--pairs")
    assert pairs.stdout.splitlines()[0] == (
        "better,worse,difference,low,high,p,separated,"
        "tasks_ahead,tasks_behind,sign_p,ahead_on_more,wins"
    )


@pytest.mark.slow
def test_a_picture_is_written(table: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "ranks.svg"
    done = rankmark_here("leaderboard", table, "--plot", str(picture))
    assert done.returncode == 0, done.stderr
    assert "may be first" in picture.read_text()


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--pairs",), 2, "--pairs is for --format json"),
        (("--over", "queries"), 1, "there are no scores by query; give them in a column"),
        (("--missing", "error"), 1, "1 of 4 models lacks scores of some tasks"),
        (("--tasks", "scifact,nothing"), 1, "no model has a score of task 'nothing'"),
        (("--column", "model=x"), 1, "there is no column 'x'"),
        (("--by", "median"), 2, "'median' is not one of"),
    ],
)
def test_mistakes_are_said_in_a_line(
    table: str, options: tuple[str, ...], code: int, said: str
) -> None:
    done = rankmark_here("leaderboard", table, *options)
    assert done.returncode == code
    assert said in done.stderr


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text("q1 Q0 d1 1 0.5 tag\n")
    done = rankmark_here("leaderboard", str(file))
    assert done.returncode == 1
    assert done.stderr.startswith("rankmark: ")
    assert rankmark_here("leaderboard", "scorse.csv").returncode == 1


@pytest.mark.parametrize("form", ["parquet", "csv", "json", "jsonl"])
@pytest.mark.parametrize("measures", [["nDCG@10"], ["nDCG@10", "AP"]])
def test_scores_by_query_of_evaluate_are_read(
    form: str, measures: list[str], tmp_path: Path
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    example = Path(rm.__file__).parent / "example"
    qrels, *runs = (example / name for name in ("qrels.txt", "bm25.run", "lsa.run"))
    asked = [part for measure in measures for part in ("-m", measure)]
    written = tmp_path / f"scores.{form}"
    args = ["--per-query", "--format", form, "--output", written, "--quiet"]
    command = ["evaluate", qrels, *runs, *asked, *args]
    assert rankmark_here(*map(str, command)).returncode == 0
    board = rm.leaderboard(written, over="queries", resamples=100)
    assert board.tasks == tuple(measures)
    with rm.quiet():
        evaluated = {run.stem: rm.evaluate(qrels, run, measures) for run in runs}
    for one in board.standings:
        wanted = sum(evaluated[one.model].values()) / len(measures)
        assert one.mean == pytest.approx(wanted, abs=1e-12)
