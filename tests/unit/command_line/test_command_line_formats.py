"""Results in each format, on stdout and in files that are written whole or not at all."""

import csv
import io
import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn, get_args

import pytest

import rankmark as rm
from rankmark.commands.parts import options
from rankmark.verbs.evaluate.result_tables import Format
from unit.commands import rankmark_here, told

QRELS = "q1 0 a 1\nq1 0 b 0\nq,2 0 c 0\n"
RUN = "q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq1 Q0 x 3 0 t\nq,2 Q0 c 1 1 t\n"
MEASURES = ["-m", "RR", "-m", 'nDCG(gain="exp2")', "-m", "NumRet"]
NDCG = 0.6309297535714575  # 1 / log2(3)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a|b_.run").write_text(RUN)
    (tmp_path / "c.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)


def written(form: str, *options: str) -> str:
    done = rankmark_here(
        "evaluate", "qrels", "a|b_.run", "c.run", *MEASURES, "--format", form, *options
    )
    assert done.returncode == 0
    return done.stdout


def strict(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_csv_holds_numbers_in_full_and_nothing_else() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", "--per-query", "--no-relevant", "nan"))))
    queries = [(run, query) for run in ("a|b_", "c") for query in ("q1", "q,2")]
    assert [(row["run"], row["query_id"]) for row in rows] == queries
    assert float(rows[0]['nDCG(gain="exp2")']) == NDCG
    assert rows[1]["RR"] == ""


def test_json_is_one_strict_document_with_a_schema() -> None:
    document = strict(written("json", "--per-query", "--no-relevant", "nan"))
    assert document["schema"] == 1
    assert document["rankmark"] == rm.__version__
    assert document["settings"]["no_relevant"] == "nan"
    assert document["settings"]["measures"] == ["RR", 'nDCG(gain="exp2")', "NumRet"]
    first, second = document["runs"]
    assert (first["run"]["name"], second["run"]["name"]) == ("a|b_.run", "c.run")
    assert (first["name"], second["name"]) == ("a|b_", "c")
    assert len(first["run"]["sha256"]) == len(first["qrels"]["sha256"]) == 64
    assert first["run"]["sha256"] == second["run"]["sha256"]
    assert first["per_query"]["q1"]["RR"] == 0.5
    assert first["per_query"]["q,2"]["RR"] is None
    assert first["audit"]["judged"] == 2


def test_jsonl_is_one_run_a_line() -> None:
    lines = [strict(line) for line in written("jsonl").splitlines()]
    assert [line["run"]["name"] for line in lines] == ["a|b_.run", "c.run"]
    assert all(line["schema"] == 1 and "per_query" not in line for line in lines)
    assert lines[0]["scores"]["NumRet"] == 4.0


def test_markdown_escapes_bars_and_aligns_numbers() -> None:
    lines = written("markdown").splitlines()
    assert lines[0] == '| run | RR | nDCG(gain="exp2") | NumRet |'
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2] == "| a\\|b_ | 0.2500 | 0.3155 | 4 |"
    assert len(lines) == 4


def test_latex_escapes_and_has_columns_of_numbers() -> None:
    text = written("latex")
    assert "a|b\\_ & 0.2500 & 0.3155 & 4 \\\\" in text
    columns = "{@{}l S[table-format=1.4] S[table-format=1.4] S[table-format=1.0]@{}}"
    assert text.count(f"\\begin{{tabular}}{columns}") == text.count("\\end{tabular}") == 1
    assert "no\\_relevant=zero" in text.partition("\\caption{")[2].splitlines()[0]
    assert text.splitlines()[0] == "% \\usepackage{booktabs,siunitx}"


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_what_is_pasted_is_alone_on_stdout(form: str) -> None:
    done = rankmark_here("evaluate", "qrels", "c.run", "--format", form)
    assert "judged 2, answered 2" in done.stderr
    assert "conventions: " not in done.stderr
    assert "judged 2" not in done.stdout


def test_a_table_lines_up_its_columns() -> None:
    lines = written("table", "--per-query").splitlines()
    rows = lines[: lines.index("")]
    assert rows[0].split() == ["run", "query_id", "RR", 'nDCG(gain="exp2")', "NumRet"]
    assert len(rows) == 7
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown", "latex"])
def test_a_file_gets_what_stdout_would_have_got(form: str) -> None:
    on_stdout = written(form)
    assert written(form, "--output", "out") == ""
    assert Path("out").read_text(encoding="utf-8") == on_stdout


def test_an_output_file_is_replaced_whole() -> None:
    Path("out").write_text("old " * 1000)
    written("json", "-o", "out")
    strict(Path("out").read_text())
    assert sorted(path.name for path in Path().iterdir()) == ["a|b_.run", "c.run", "out", "qrels"]


@pytest.mark.parametrize(
    "arguments", [["absent"], ["c.run", "-m", "nope"], ["c.run", "--queries", "nope"]], ids=" ".join
)
def test_a_failure_leaves_the_old_file_and_nothing_else(arguments: list[str]) -> None:
    Path("out").write_text("old")
    done = rankmark_here("evaluate", "qrels", *arguments, "-o", "out")
    assert done.returncode in (1, 2)
    assert Path("out").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["a|b_.run", "c.run", "out", "qrels"]


def test_an_output_that_cannot_be_written_is_told() -> None:
    for output in ("absent/out", "qrels/out"):
        done = rankmark_here("evaluate", "qrels", "c.run", "-o", output)
        assert done.returncode == 1
        assert told(done).startswith(f"{output}: cannot be written: ")
    assert not list(Path().glob(".*"))


def test_a_folder_is_no_output() -> None:
    Path("folder").mkdir()
    done = rankmark_here("evaluate", "qrels", "c.run", "-o", "folder")
    assert (done.returncode, done.stdout) in {(1, ""), (2, "")}
    assert "folder" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(Path("folder").iterdir()) == []
    assert not list(Path().glob(".*"))


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


@posix
def test_an_output_file_has_the_rights_of_any_new_file() -> None:
    Path("ordinary").touch()
    written("csv", "-o", "out")
    assert stat.S_IMODE(Path("out").stat().st_mode) == stat.S_IMODE(Path("ordinary").stat().st_mode)


@posix
def test_a_link_is_followed_and_stays_a_link() -> None:
    Path("behind").touch()
    Path("link").symlink_to("behind")
    written("csv", "-o", "link")
    assert Path("link").is_symlink()
    assert Path("behind").read_text().startswith("run,")


@posix
def test_a_pipe_is_written_to_and_stays_a_pipe() -> None:
    os.mkfifo("pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    written("csv", "-o", "pipe")
    assert Path("pipe").is_fifo()
    reader.join(10)
    assert got[0].startswith("run,")


def test_the_formats_offered_are_those_that_can_be_written() -> None:
    # Written twice, as reading the one from the other would load NumPy for `rankmark --help`.
    assert tuple(options.FORMATS) == get_args(Format)
