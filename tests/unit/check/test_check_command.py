"""``rankmark check`` as a user runs it, and what its JSON and its text look like."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq2 Q0 c 1 3 t\n"
BAD = RUN + "q2 Q0 c 2 1 t\nq2 Q0 d 3 nan t\nq2 Q0\n"
TIES = RUN + "q2 Q0 d 2 3 t\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with qrels and runs, and go there."""
    for name, text in {"qrels": QRELS, "good": RUN, "bad": BAD, "ties": TIES, "none": ""}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["qrels"], 0),
        (["qrels", "good"], 0),
        (["qrels", "ties"], 0),
        (["qrels", "bad"], 1),
        (["qrels", "good", "none"], 0),
        (["qrels", "absent"], 1),
        (["good", "qrels"], 1),
    ],
)
def test_only_errors_fail(arguments: list[str], code: int) -> None:
    for form in ("text", "json"):
        done = rankmark_here("check", *arguments, "--format", form)
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.endswith("\n")


@pytest.mark.usefixtures("here")
def test_the_text_names_files_findings_and_places_within_80_columns() -> None:
    text = rankmark_here("check", "qrels", "bad", "ties").stdout
    lines = text.splitlines()
    assert lines[0] == "4 errors (bad), 2 warnings in judgments and 2 runs"
    assert max(map(len, lines)) <= 80
    files = [line for line in lines if line and not line.startswith(" ")]
    assert files[1:] == ["qrels: judgments", "2 runs", "side by side"]
    bad = text[text.index("2 runs") : text.index("side by side")]
    codes = [line.split()[1].rstrip(":") for line in bad.splitlines() if line[2:3].isupper()]
    assert codes == ["unreadable", "duplicates", "conflicting", "nan", "ties"]
    for part in (
        "\n  ERROR unreadable: in 1 of 2 runs\n",
        "\n    bad: 1 line cannot be read; line 6: found 2 columns, need 6",
        "\n    at      line 4 (q2, c)\n",
        "\n    effect  evaluate refuses it",
        "\n    do      find out where it comes from; remove or replace it\n",
    ):
        assert part in bad


@pytest.mark.usefixtures("here")
def test_a_clean_check_is_said_to_be_one() -> None:
    assert (
        rankmark_here("check", "qrels", "good").stdout.splitlines()[0]
        == "nothing found in judgments and 1 run"
    )


@pytest.mark.usefixtures("here")
def test_the_json_has_one_form() -> None:
    document = json.loads(rankmark_here("check", "qrels", "bad", "ties", "--format", "json").stdout)
    assert list(document) == ["schema", "rankmark", "ok", "measures", "files", "together"]
    assert (document["schema"], document["rankmark"]) == (1, rm.__version__)
    assert document["ok"] is False
    assert document["measures"] == ["nDCG@10", "AP", "RR@10", "R@100", "P@10", "Judged@10"]
    assert [(one["name"], one["kind"]) for one in document["files"]] == [
        ("qrels", "qrels"),
        ("bad", "run"),
        ("ties", "run"),
    ]
    for one in document["files"]:
        assert list(one) == ["name", "kind", "sha256", "facts", "findings"]
        assert len(one["sha256"]) == 64
        for finding in one["findings"]:
            always = ["code", "severity", "count", "what", "places", "effect", "remedy"]
            assert list(finding) in [always, [*always, "consequence", "moves"]]
            assert finding["severity"] in {"error", "warning", "note"}
            assert finding["count"] >= 1
            assert len(finding["places"]) <= 3
            for place in finding["places"]:
                assert set(place) <= {"line", "row", "query_id", "doc_id"}
    duplicates = next(x for x in document["files"][1]["findings"] if x["code"] == "duplicates")
    assert duplicates["places"] == [{"line": 4, "query_id": "q2", "doc_id": "c"}]


@pytest.mark.usefixtures("here")
def test_measures_are_those_asked_for() -> None:
    Path("graded").write_text(QRELS + "q2 0 d 2\n")
    said = [("-m", "AP"), ("-m", "AP(rel=1)"), ("-m", "nDCG@10")]
    found = [
        "WARNING graded:" in rankmark_here("check", "graded", *measure).stdout for measure in said
    ]
    assert found == [True, False, False]
    done = rankmark_here("check", "graded", "-m", "nope")
    assert done.returncode == 2
    assert "did you mean" in told(done)


def test_the_report_may_go_to_a_file(here: Path) -> None:
    done = rankmark_here("check", "qrels", "bad", "--format", "json", "--output", "report.json")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert json.loads((here / "report.json").read_text())["ok"] is False


@pytest.mark.usefixtures("here")
def test_one_file_may_come_from_standard_input() -> None:
    done = rankmark_here("check", "qrels", "-", input=TIES)
    assert done.returncode == 0
    assert "<stdin>: run" in done.stdout
    assert "WARNING ties" in done.stdout
    both = rankmark_here("check", "-", "-", input=QRELS)
    assert both.returncode == 1
    assert "stdin is given for several files" in told(both)


@pytest.mark.usefixtures("here")
def test_ids_of_any_bytes_are_shown(here: Path) -> None:
    (here / "odd").write_bytes(b"q1 0 caf\xe9 1\nq1 0 caf\xe9 1\nq1 0 \xe6\x96\x87 1\n")
    for form in ("text", "json"):
        done = rankmark_here("check", "odd", "--format", form)
        assert done.returncode == 1
        assert "caf" in done.stdout
        assert "Traceback" not in done.stderr


def test_formats_and_columns_may_be_said(here: Path) -> None:
    (here / "odd").write_text("{} 0 a 1\n{} 0 b 0\n")
    (here / "run.csv").write_text("user,thing,bm25\n{},a,1\n{},b,0.5\n")
    refused = rankmark_here("check", "odd", "run.csv")
    assert refused.returncode == 1
    assert "choose with --qrels-format trec" in " ".join(refused.stdout.split())
    said = ("--qrels-format", "trec", "--run-format", "csv", "--threads", "1")
    columns = ("--column", "doc_id=thing", "--column", "score=bm25")
    done = rankmark_here("check", "odd", "run.csv", *said, *columns)
    assert (done.returncode, done.stderr) == (0, "")
    assert "  columns         query_id=user, doc_id=thing, score=bm25\n" in done.stdout


@pytest.mark.usefixtures("here")
def test_an_option_that_serves_no_file_is_one_line() -> None:
    done = rankmark_here("check", "qrels", "good", "--column", "doc_id=x")
    assert done.returncode == 1
    assert told(done).startswith("columns does not apply to these inputs")


def test_what_evaluate_warns_of_is_in_the_report_alone(here: Path) -> None:
    (here / "run.csv").write_text("user,item,title\nq1,a,One\n")
    done = rankmark_here("check", "qrels", "run.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  WARNING no-numbers: " in done.stdout


def test_a_report_is_counted_in_short(here: Path) -> None:
    report = rm.check(here / "qrels", here / "bad")
    assert repr(report) == "CheckReport(2 files: 4 errors, 0 warnings, 0 notes)"
    assert json.loads(report.to_json()) == report.to_dict()
