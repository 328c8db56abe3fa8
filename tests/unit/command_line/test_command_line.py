"""``rankmark`` as a user runs it: results on stdout, all else on stderr, and exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.measures import ALL
from unit.commands import SCRIPT, rankmark, rankmark_here, told

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n"
GOOD = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 1 t\n"
BAD = "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq9 Q0 z 1 1 t\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with qrels and two runs, and go there."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(GOOD)
    (tmp_path / "bad.run").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_several_runs_make_one_table_in_the_order_given() -> None:
    asked = ("-m", "RR(rel=1)", "-m", "P(rel=1)@1")
    done = rankmark_here("evaluate", "qrels", "good.run", "bad.run", *asked)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["run", "RR", "P@1"],
        ["good", "0.6667", "0.6667"],
        ["bad", "0.1667", "0.0000"],
    ]
    assert lines[4] == (
        "both runs: judged 3; good answered 2, missing 1; bad answered 1, missing 2, run-only 1"
    )
    assert lines[5:] == ["Judged@10: good 66.7%, bad 33.3%"]


@pytest.mark.usefixtures("here")
def test_counts_that_one_run_does_not_share_are_not_said_of_all_runs() -> None:
    Path("same.run").write_bytes(Path("good.run").read_bytes())
    done = rankmark_here("evaluate", "qrels", "good.run", "same.run", "bad.run", "-m", "RR(rel=1)")
    assert done.stdout.splitlines()[5] == (
        "2 of 3 runs: judged 3, answered 2, missing 1; but bad answered 1, missing 2, run-only 1"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_without_measures_six_are_shown() -> None:
    done = rankmark_here("evaluate", "qrels", "good.run")
    shown = ["nDCG@10", "AP", "RR@10", "R@100", "P@10", "Judged@10"]
    assert done.stdout.splitlines()[0].split() == ["run", *shown]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_conventions_are_the_words_of_the_library() -> None:
    options = ["--queries", "both", "--ties", "input", "--no-relevant", "skip", "--depth", "1"]
    done = rankmark_here("evaluate", "qrels", "bad.run", "-m", "AP", *options, "--judged-only")
    assert done.returncode == 0
    conventions = "queries=both ties=input no_relevant=skip depth=1 judged_only=True"
    assert done.stdout.splitlines()[-1] == f"conventions: {conventions}"
    listed = rankmark_here("evaluate", "qrels", "good.run", "-m", "RR", "--queries", "q1,q3")
    assert listed.stdout.splitlines()[1].split() == ["good", "0.5000"]


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_threads_change_nothing() -> None:
    outputs = {
        rankmark_here("evaluate", "qrels", "good.run", "bad.run", "--threads", threads).stdout
        for threads in (1, 3)
    }
    assert len(outputs) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_one_file_may_come_from_standard_input() -> None:
    done = rankmark_here("evaluate", "qrels", "-", "-m", "RR", input=GOOD)
    assert done.stdout.splitlines()[1].split() == ["<stdin>", "0.6667"]
    done = rankmark_here("evaluate", "-", "good.run", "-m", "RR", input=QRELS)
    assert done.stdout.splitlines()[1].split() == ["good", "0.6667"]
    both = rankmark_here("evaluate", "-", "-", input=QRELS)
    assert both.returncode in (1, 2)
    assert "stdin" in told(both)


MISTAKES = {
    "a line": ("q1 Q0 a 1 2 t\nq1 Q0 b\n", "wrong.run:2: found 3 columns, need 6"),
    "a score": ("q1 Q0 a 1 nan t\n", "wrong.run:1: score is NaN"),
    "a duplicate": (GOOD + "q1 Q0 a 3 0 t\n", "wrong.run:4: document 'a' appears twice"),
    "no query that is judged": ("p Q0 a 1 1 t\n", "wrong.run: none of its 1 queries is judged"),
    "qrels for a run": (QRELS, "wrong.run:1: found 4 columns, need 6"),
    "bytes that are not UTF-8": (b"q1 Q0 \xff\xfe\n", "wrong.run:1: found 3 columns"),
}


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_input_is_one_line_and_exit_code_1(mistake: str) -> None:
    data, said = MISTAKES[mistake]
    Path("wrong.run").write_bytes(data if isinstance(data, bytes) else data.encode())
    for runs in (["wrong.run"], ["good.run", "wrong.run"]):
        done = rankmark_here("evaluate", "qrels", *runs)
        assert done.returncode == 1
        assert told(done).startswith(said)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent", "good.run"], "absent: there is no such file"),
        (["qrels", "absent"], "absent: there is no such file"),
        (["qrels", "."], "./bad.run: this is neither Parquet nor Arrow"),
        (
            ["qrels", "good.run", "--queries", "q1,nope"],
            "1 requested query has no judgments: 'nope'",
        ),
        (["good.run", "qrels"], "good.run: these are not judgments: the lines look like a run"),
    ],
)
def test_a_file_that_will_not_do_is_named(arguments: list[str], said: str) -> None:
    done = rankmark_here("evaluate", *arguments)
    assert done.returncode == 1
    assert told(done).startswith(said)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate"],
        ["evaluate", "qrels"],
        ["evaluate", "qrels", "good.run", "-m", "nope"],
        ["evaluate", "qrels", "good.run", "-m", "P@0"],
        ["evaluate", "qrels", "good.run", "--format", "xml"],
        ["evaluate", "qrels", "good.run", "--ties", "random"],
        ["evaluate", "qrels", "good.run", "--depth", "0"],
        ["evaluate", "qrels", "good.run", "--threads", "0"],
        ["evaluate", "qrels", "good.run", "--unknown"],
        ["measures", "nope"],
        ["unknown"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    done = rankmark_here(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr
    if "nope" in arguments:
        assert "did you mean" in told(done)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_a_warning_goes_to_stderr_and_the_result_to_stdout() -> None:
    Path("shares").write_text("q1 0 a 0.5\n")
    done = rankmark_here("evaluate", "shares", "good.run", "-m", "AP", "--format", "json")
    assert done.returncode == 0
    assert done.stderr.startswith("rankmark: warning: AP: no label reaches rel=1")
    assert len(done.stderr.splitlines()) == 1
    assert json.loads(done.stdout)["runs"][0]["scores"] == {"AP": 0.0}


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes")
@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "qrels", "good.run"],
        ["evaluate", "qrels", "good.run", "--format", "csv"],
        ["measures"],
        ["measures", "nDCG"],
        ["demo"],
        ["--version"],
        ["--help"],
        ["evaluate", "--help"],
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_reason_to_complain(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [SCRIPT, *arguments], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(writing)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", ["table", "csv", "latex", "json"])
def test_notes_that_cannot_be_written_change_no_result(form: str) -> None:
    arguments = [SCRIPT, "evaluate", "qrels", "good.run", "--format", form]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=full, check=False)
    whole = subprocess.run(arguments, capture_output=True, check=True)
    assert (done.returncode, done.stdout) == (0, whole.stdout)


@pytest.mark.usefixtures("here")
def test_slices_in_a_table_without_a_column_of_queries_name_its_columns() -> None:
    Path("slices.csv").write_text("model,intent\nq1,local\n")
    done = rankmark("compare", "qrels", "good.run", "bad.run", "--by", "slices.csv")
    told = "none of its columns could be query_id; it has model, intent; call the column"
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


@pytest.mark.usefixtures("here")
def test_a_line_of_a_megabyte_is_shown_in_part() -> None:
    Path("slices").write_text("x" * 1_000_000)
    done = rankmark("compare", "qrels", "good.run", "bad.run", "--by", "slices")
    assert done.returncode == 1
    assert "is not a query id and a value; write" in done.stderr
    assert len(done.stderr) < 500


@pytest.mark.slow
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("options", [["--format", "table"], ["--format", "json"], ["-o", "out"]])
def test_ids_that_are_no_utf_8_are_shown_somehow(options: list[str]) -> None:
    Path("latin").write_bytes("q\xe9 0 a 1\n".encode("latin-1"))
    Path("latin.run").write_bytes("q\xe9 Q0 a 1 1 t\n".encode("latin-1"))
    arguments = ["evaluate", "latin", "latin.run", "-m", "AP", "--per-query", *options]
    done = rankmark(*arguments, env={"PYTHONIOENCODING": "utf-8:strict"}, encoding=None)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_ids_that_the_terminal_cannot_show_are_shown_somehow() -> None:
    Path("cjk").write_text("文 0 a 1\n", encoding="utf-8")
    Path("cjk.run").write_text("文 Q0 a 1 1 t\n", encoding="utf-8")
    for form in ("table", "json"):
        arguments = ["evaluate", "cjk", "cjk.run", "-m", "AP", "--per-query", "--format", form]
        done = rankmark(*arguments, env={"PYTHONIOENCODING": "ascii"})
        assert "Traceback" not in done.stderr
        assert done.returncode == 0


def test_the_version_is_shown() -> None:
    done = rankmark_here("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"rankmark {rm.__version__}\n", "")


@pytest.mark.slow
def test_help_teaches_by_example() -> None:
    done = rankmark_here("--help")
    assert done.returncode == 0
    for word in ("evaluate", "measures", "demo", "Exit code 0"):
        assert word in done.stdout
    done = rankmark_here("evaluate", "-h")
    assert done.returncode == 0
    for word in ("--per-query", "--queries", "--ties", "qid iter docid label", "rankmark evaluate"):
        assert word in done.stdout


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rankmark", "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == f"rankmark {rm.__version__}\n"


@pytest.mark.slow
def test_the_demo_shows_three_systems_and_what_to_see() -> None:
    done = rankmark_here("demo")
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("bm25.run", "lsa.run", "overlap.run", "nDCG@10", "missing 1", "What to see"):
        assert word in done.stdout


@pytest.mark.slow
def test_measures_are_listed_and_explained() -> None:
    listed = rankmark_here("measures").stdout
    assert all(f"  {one.name}" in listed for one in ALL)
    page = rankmark_here("measures", "ndcg_cut_10").stdout
    assert page.startswith(
        "nDCG@10: normalised discounted cumulative gain\n\nnDCG = DCG_k / IDCG_k\n"
    )
    for word in (
        "Formula:",
        "Nothing relevant:",
        "Elsewhere:",
        "Source:",
        "Values: 0 to 1",
        "k=10",
    ):
        assert word in page


@pytest.mark.slow
def test_a_page_of_a_measure_says_how_queries_become_one_and_what_is_better() -> None:
    page = rankmark_here("measures", "gm_map").stdout
    assert "Over queries: the geometric mean, where values below 0.00001 count as that.\n" in page
    assert "Values: 0 to 1; lower is better.\n" in rankmark_here("measures", "unj_5").stdout
    assert "Rprec_mult_NUMBER" not in rankmark_here("measures", "AP").stdout
    page = rankmark_here("measures", "Rprec_mult_0.2").stdout
    assert "Rprec_mult_NUMBER, Rprec_mult_avgjg_NUMBER." in page
