"""Profiles on the command line: --profile, rankmark profiles, configurations and records."""

import json
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\n"
RUN = "q1 Q0 b 2 0.5 x\nq1 Q0 a 1 0.5 x\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


def scores(*arguments: object) -> dict[str, float]:
    done = rankmark_here("evaluate", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    found: dict[str, float] = run["scores"]
    return found


def test_options_replace_the_conventions_of_a_profile_at_their_defaults_too(
    files: tuple[Path, Path],
) -> None:
    profile = (*files, "-m", "recip_rank", "--profile", "trec_eval9")
    assert scores(*profile) == {"RR": 0.5}
    assert scores(*profile, "--queries", "judged") == {"RR": 0.25}
    assert scores(*profile, "--ties", "docid-asc") == {"RR": 1.0}
    by_rank = (*files, "-m", "MRR@10", "--profile", "msmarco")
    assert scores(*by_rank) == {"RR@10": 0.5}
    assert scores(*by_rank, "--ties", "docid") == {"RR@10": 0.25}


def test_json_names_the_profile_with_its_version(files: tuple[Path, Path]) -> None:
    done = rankmark_here("evaluate", *files, "--profile", "ranx", "-m", "mrr", "--format", "json")
    profile = json.loads(done.stdout)["settings"]["profile"]
    assert profile == {"name": "ranx", "tool": "ranx", "version": "0.3.21", "differences": []}


def test_a_table_has_the_decimals_that_the_tool_prints(files: tuple[Path, Path]) -> None:
    beir = ("evaluate", *files, "--profile", "beir", "-m", "MRR@10", "--quiet")
    assert "0.25000" in rankmark_here(*beir).stdout
    assert "0.250\n" in rankmark_here(*beir, "--digits", "3").stdout
    assert "25.000" in rankmark_here(*beir, "--percent").stdout


@pytest.mark.parametrize("profile", ["nosuch", "ranx(ties=nosuch)", "ranx(gain=exp2)", "ranx("])
def test_a_profile_that_does_not_exist_is_one_line(files: tuple[Path, Path], profile: str) -> None:
    done = rankmark_here("evaluate", *files, "--profile", profile)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_profiles_are_listed_and_shown() -> None:
    listed = rankmark_here("profiles").stdout
    assert [line.split()[0] for line in listed.splitlines()[:2]] == ["trec_eval10", "trec_eval9"]
    assert rankmark_here("profiles", "ranx").stdout == f"{rm.profile('ranx')}\n"
    shown = json.loads(rankmark_here("profiles", "ranx", "--format", "json").stdout)
    assert shown == json.loads(json.dumps(rm.profile("ranx").to_dict()))
    every = json.loads(rankmark_here("profiles", "--format", "json").stdout)
    assert [one["name"] for one in every] == [one.name for one in rm.profiles()]
    assert rankmark_here("profiles", "nosuch").returncode == 2


def test_records_of_a_profile_are_verified(files: tuple[Path, Path], tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    # P alone is nine measures in trec_eval, and set_P, which is P here, is one.
    measures = ("-m", "set_P,map", "--profile", "trec_eval9", "--queries", "judged")
    done = rankmark_here("evaluate", *files, *measures, "--record", record)
    assert done.returncode == 0, done.stderr
    assert rm.verify(record).same


@pytest.mark.slow
def test_a_gates_configuration_may_have_a_profile(files: tuple[Path, Path], tmp_path: Path) -> None:
    config = tmp_path / "gate.toml"
    config.write_text('[[conditions]]\nmeasure = "AP"\nmax_drop = 0.1\n[conventions]\n')
    with config.open("a") as file:
        file.write('profile = "xgboost"\n')
    result = rm.gate(*files, files[1], config=config)
    assert result.new.evaluation.names == ['AP(norm="min")']
