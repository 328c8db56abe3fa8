"""Programs that parse trec_eval's output can parse ours."""

import re
from pathlib import Path

import pytest

from rankmark.compat.trec_eval import main

FILES = ["qrels.test", "results.test"]


@pytest.fixture
def printed(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Print as Pyserini and Anserini ask, and give the output."""
    monkeypatch.chdir(shared_data / "trec_eval-test")
    assert main(["-c", "-q", "-m", "official", "-m", "ndcg_cut.10", *FILES]) == 0
    return capsys.readouterr().out


def test_pyserini_finds_a_metric_between_tabs(printed: str) -> None:
    # pyserini/2cr/_base.py: three fields between tabs, the second "all"; runid is no number.
    found = {}
    for line in printed.splitlines():
        parts = line.split("\t")
        if len(parts) == 3 and parts[1] == "all" and parts[0].strip() != "runid":
            found[parts[0].strip()] = float(parts[2])
    assert found["map"] == 0.1785
    assert found["num_q"] == 3
    assert len(found) == 30


def test_pyserini_finds_a_query_in_the_second_of_three_fields(printed: str) -> None:
    # pyserini/eval/trec_eval.py splits every line, and keeps the last measure.
    found = {line.split("\t")[1]: line.split("\t")[2] for line in printed.rstrip().split("\n")}
    assert found.keys() == {"301", "302", "303", "all"}
    assert float(found["all"]) > 0


def test_anserini_splits_at_white_space_and_needs_exit_code_0(printed: str) -> None:
    # io/anserini/eval/TrecEval.java reads rows of three.
    rows = [re.split(r"\s+", line.strip()) for line in printed.splitlines()]
    assert {len(row) for row in rows} == {3}
    assert ["num_rel", "301", "474"] in rows
    assert main(["-m", "nonsense", *FILES]) != 0


def test_umbrela_finds_ndcg_by_its_pattern(printed: str) -> None:
    found = re.search(r"ndcg_cut_10\s+all\s+([0-9.]+)", printed)
    assert found is not None
    assert float(found[1]) > 0


def test_rank_llm_reads_the_last_field_of_the_line_of_all(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # rank_llm passes one measure, and strips and splits what is printed.
    monkeypatch.chdir(shared_data / "trec_eval-test")
    assert main(["-c", "-m", "ndcg_cut.10", *FILES]) == 0
    (line,) = capsys.readouterr().out.rstrip().split("\n")
    assert line.split("\t")[-1] == re.split(r"\s+", line)[-1] != "0.0000"
