"""``rankmark reconcile`` as it is typed."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

EXAMPLE = Path(rm.__file__).parent / "example"


@pytest.fixture(autouse=True)
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with the example collection."""
    for name in ("qrels.txt", "lsa.run", "overlap.run"):
        shutil.copy(EXAMPLE / name, tmp_path)
    monkeypatch.chdir(tmp_path)


def test_the_answer_names_the_change_and_the_command() -> None:
    done = rankmark_here("reconcile", "qrels.txt", "lsa.run", "--value", "0.5622")
    assert done.returncode == 0
    assert done.stdout.startswith("lsa.run: given nDCG@10 0.5622; without any change nDCG@10 0.53")
    assert "1. only queries in both files (trec_eval 9 without -c, pytrec_eval)" in done.stdout
    assert "   rankmark evaluate qrels.txt lsa.run -m nDCG@10 --queries both\n" in done.stdout


def test_the_command_of_an_answer_gives_the_number() -> None:
    arguments = ["qrels.txt", "overlap.run", "-m", "AP", "--value", "0.4412", "--format", "json"]
    arguments += ["--changes", "1"]
    content = json.loads(rankmark_here("reconcile", *arguments).stdout)
    assert content["reached"] is bool(content["answers"])
    for answer in content["answers"] + content["nearest"]:
        words = shlex.split(answer["command"])[1:]
        found = json.loads(rankmark_here(*words, "--format", "json").stdout)
        if not answer["then"] and "--aggregate" not in words:
            ((mean,),) = [one["scores"].values() for one in found["runs"]]
            assert mean == pytest.approx(answer["values"]["AP"])


def test_that_nothing_gives_a_number_is_no_error() -> None:
    arguments = ["qrels.txt", "lsa.run", "--value", "nDCG@10=0.9123", "--value", "AP=0.0011"]
    done = rankmark_here("reconcile", *arguments, "--changes", "1")
    assert done.returncode == 0
    assert "no conventions give this: " in done.stdout
    assert "\nnearest:\n1. " in done.stdout


def test_known_conventions_and_subsets_are_options() -> None:
    arguments = [
        "qrels.txt",
        "overlap.run",
        "-m",
        "RR@10",
        "--ties",
        "docid-asc",
        "--format",
        "json",
    ]
    mean = rm.evaluate(
        "qrels.txt", "overlap.run", "RR@10", ties="docid-asc", queries=["q01", "q02"]
    )
    number = f"RR@10={mean['RR@10']:.4f}"
    done = rankmark_here("reconcile", *arguments, "--value", number, "--subset", "q01,q02")
    content = json.loads(done.stdout)
    assert "ties" not in content["tried"]
    commands = [answer["command"] for answer in content["answers"]]
    wanted = "rankmark evaluate qrels.txt overlap.run -m RR@10 --queries q01,q02 --ties docid-asc"
    assert wanted in commands


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the number as --value, or --per-query, or --against TOOL"),
        (["--value", "AP=0.1", "--value", "0.2"], "write --value as MEASURE=NUMBER for each"),
        (["--value", "AP=0.1", "--value", "map=0.2"], "--value has two numbers for AP"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], message: str) -> None:
    done = rankmark_here("reconcile", "qrels.txt", "lsa.run", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_wrong_input_is_told_in_one_line() -> None:
    done = rankmark_here("reconcile", "qrels.txt", "lsa.run", "--value", "much")
    assert done.returncode == 1
    assert told(done) == "value is 'much'; need a number such as 0.4312"


def test_numbers_name_the_measures_that_are_asked_for() -> None:
    files = ("qrels.txt", "lsa.run")
    unknown = rankmark_here("reconcile", *files, "--value", "FOO=0.19")
    assert unknown.returncode == 2
    assert "there is no measure 'FOO'" in unknown.stderr
    other = rankmark_here("reconcile", *files, "-m", "RR", "--value", "AP=0.19")
    assert other.returncode == 2
    assert "--value has numbers for AP, and --measure names RR" in other.stderr
