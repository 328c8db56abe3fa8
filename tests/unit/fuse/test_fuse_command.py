"""``rankmark fuse``: what it writes to stdout, to files and to stderr."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app

A = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 t\nq2 Q0 x 1 1 t\n"
B = "q1 Q0 b 1 9 t\nq1 Q0 d 2 8 t\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "a.run", tmp_path / "b.run"]
    for path, text in zip(paths, (A, B), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["fuse", *arguments])


def test_the_fused_run_goes_to_stdout_and_the_audit_to_stderr(files: list[str]) -> None:
    found = run(*files)
    assert found.exit_code == 0
    assert found.stdout.splitlines() == [
        f"q1 Q0 b 1 {1 / 62 + 1 / 61!r} RRF(k=60)",
        f"q1 Q0 a 2 {1 / 61!r} RRF(k=60)",
        f"q1 Q0 d 3 {1 / 62!r} RRF(k=60)",
        f"q1 Q0 c 4 {1 / 63!r} RRF(k=60)",
        f"q2 Q0 x 1 {1 / 61!r} RRF(k=60)",
    ]
    notes = found.stderr.splitlines()
    assert notes[0] == "RRF(k=60); queries any; ties docid"
    assert notes[1].startswith("fused 2 queries, 1 of them in all runs; of 5 documents, 20.0%")


def test_options_mean_what_they_mean_in_python(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    given = "-m wsum --norm z,min-max --constant 0.5 --weights 0.3,0.7 --depth 2 --ties docid-asc"
    found = run(*files, *given.split(), "--queries", "all", "-o", str(out), "--tag", "mine")
    assert found.exit_code == 0, found.stderr
    expected = rm.fuse(
        files,
        "wsum",
        norm=["z", "min-max"],
        constant=0.5,
        weights=[0.3, 0.7],
        depth=2,
        ties="docid-asc",
        queries="all",
    )
    assert rm.fuse([out], "CombMAX", norm="none", ties="docid-asc").to_dict() == expected.to_dict()
    assert out.read_text().splitlines()[0].endswith(" mine")


@pytest.mark.parametrize("name", ["fused.run.gz", "fused.csv", "fused.jsonl", "fused.json"])
def test_the_name_says_the_format(name: str, files: list[str], tmp_path: Path) -> None:
    out = tmp_path / name
    found = run(*files, "-o", str(out), "--quiet", "--k", "10")
    assert (found.exit_code, found.stderr) == (0, "RRF(k=10); queries any; ties docid\n")
    again = rm.fuse([out], "CombMAX", norm="none").to_dict()
    assert again == rm.fuse(files, "RRF(k=10)").to_dict()


def test_presets_and_lower_scores(files: list[str]) -> None:
    assert "qdrant-rrf: RRF(k=2, origin=0" in run(*files, "--preset", "qdrant").stderr
    found = run(*files, "--lower-better", files[1], "-m", "CombSUM", "--top", "1")
    assert found.stdout.split()[2] == "d"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-m", "RFF"], 2, "unknown method of fusion 'RFF'; did you mean RRF? choose from RRF"),
        (["-m", "rhubarb"], 2, "unknown method of fusion 'rhubarb'; choose from RRF"),
        (["--weights", "1"], 1, "weights has 1 number, and there are 2 runs"),
        (["--weights", "a,b"], 2, "is not a list of numbers"),
        (["--constant", "many"], 2, "neither a number nor raw or positive"),
        (["--preset", "solr"], 1, "preset is 'solr'"),
        (["--preset", "elastic"], 1, "need one of elasticsearch-rrf, elasticsearch-linear"),
        (["--memory", "much"], 1, "memory is 'much'"),
        (["-o", "out.xyz"], 1, "does not end in a known format; end it in .csv, .tsv"),
        (["-m", "wsum", "--k", "3"], 1, "has no parameter 'k'"),
        (["--tag", "two words"], 1, "cannot be written"),
    ],
)
def test_mistakes_are_one_line_without_a_traceback(
    arguments: list[str], code: int, said: str, files: list[str]
) -> None:
    found = run(*files, *arguments)
    assert found.exit_code == code
    assert said in found.stderr
    assert "Traceback" not in found.output


def test_a_missing_and_a_mistyped_file_are_named(files: list[str], tmp_path: Path) -> None:
    assert "no.run" in run(files[0], "no.run").stderr
    (tmp_path / "bad.run").write_text("q1 Q0 a 1 x t\n")
    found = run(files[0], str(tmp_path / "bad.run"))
    assert found.exit_code == 1
    assert "bad.run:1" in found.stderr


def test_an_input_is_not_overwritten(files: list[str]) -> None:
    found = run(*files, "-o", files[0])
    assert found.exit_code == 2
    assert Path(files[0]).read_text() == A


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--explain", "q1", "--to", "json"), "--explain writes a table"),
        (("--explain", "q1", "--tag", "mine"), "--explain writes a table"),
        (("--k", "10", "--preset", "qdrant"), "--k and --preset exclude each other"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    files: list[str], options: tuple[str, ...], said: str
) -> None:
    found = run(*files, *options)
    assert (found.exit_code, found.stdout) == (2, "")
    assert said in found.stderr


def test_one_query_is_not_called_queries(files: list[str]) -> None:
    assert "b: 1 query, 2 documents" in run(*files).stderr
