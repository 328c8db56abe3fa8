"""``rankmark abstain``: the command of ``abstention``."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25 = f"{EXAMPLE}/qrels.txt", f"{EXAMPLE}/bm25.run"


def test_the_command_shows_what_the_function_finds() -> None:
    done = rankmark_here("abstain", QRELS, BM25, "-m", "RR@10", "--resamples", "50")
    found = rm.abstention(QRELS, BM25, "RR@10", resamples=50)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == f"{found.to_text()}\n".split()


def test_options_reach_the_function(tmp_path: Path) -> None:
    options = ("--signal", "diff1", "--threshold", "1", "--threshold", "0.5", "--tied", "input")
    file = tmp_path / "found.json"
    drawn = ("--seed", "3", "--resamples", "20", "--confidence", "0.9", "--rel", "2")
    done = rankmark_here(
        "abstain", QRELS, BM25, "-m", "RR@10", *options, *drawn, "--format", "json", "-o", str(file)
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
    done = rankmark_here("abstain", QRELS, BM25, "--resamples", "1", "--format", "csv")
    assert done.stdout.splitlines()[0] == "query_id,answerable,confidence,value"


def test_a_picture_is_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "risk.svg"
    done = rankmark_here("abstain", QRELS, BM25, "--resamples", "5", "--plot", str(picture))
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
    done = rankmark_here("abstain", QRELS, BM25, *options)
    assert done.returncode == code
    assert said in done.stderr
