"""Several gates of one file: rankings, and scores of answers."""

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app

EXAMPLE = Path(rm.__file__).parent / "example"
FILE = """
[[gates]]
name = "rankings"
qrels = "qrels.txt"
baseline = "bm25.run"
run = "lsa.run"
[[gates.conditions]]
measure = "nDCG@10"
max_drop = 0.3

[[gates]]
name = "answers"
baseline = "old.csv"
run = ["new.csv", "other.csv"]
max_drop = 0.2
[[gates.conditions]]
measure = "strict_vital"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "bm25.run", "lsa.run"):
        shutil.copy(EXAMPLE / name, tmp_path)
    for name, score in (("old", 0.5), ("new", 0.5), ("other", 0.1)):
        rows = "".join(f"q{n},{score}\n" for n in range(100))
        (tmp_path / f"{name}.csv").write_text(f"query_id,strict_vital\n{rows}")
    (tmp_path / "gates.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["gate", *words])


@pytest.mark.usefixtures("folder")
def test_all_gates_of_a_file_have_one_exit_code_and_one_report() -> None:
    done = run("gates.toml", "--junit", "gates.xml", "--json", "gates.json", "--markdown", "g.md")
    assert done.exit_code == 0, done.output
    assert "[rankings] lsa.run against bm25.run: the gate holds" in done.stdout
    assert "[answers] 2 candidates against old.csv: new.csv may go live" in done.stdout
    found = json.loads(Path("gates.json").read_text())
    assert (found["verdict"], [*found["gates"]]) == ("holds", ["rankings", "answers"])
    assert re.findall('testsuite name="(\\w+)"', Path("gates.xml").read_text()) == [
        "rankings",
        "answers",
    ]
    assert 'testsuites name="rankmark gate" tests="3" failures="0"' in Path("gates.xml").read_text()
    assert "## `answers`" in Path("g.md").read_text("utf-8")
    alone = rm.gate("qrels.txt", "bm25.run", "lsa.run", "nDCG@10", max_drop=0.3)
    assert found["gates"]["rankings"]["conditions"] == alone.to_dict()["conditions"]


@pytest.mark.usefixtures("folder")
def test_one_gate_that_does_not_hold_fails_all() -> None:
    Path("gates.toml").write_text(FILE.replace('["new.csv", "other.csv"]', '"other.csv"'))
    done = run("gates.toml", "--format", "json")
    assert done.exit_code == 3
    found = json.loads(done.stdout)
    verdicts = [one["verdict"] for one in found["gates"].values()]
    assert (found["verdict"], verdicts) == ("does not hold", ["holds", "does not hold"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_drop = 0.1\n", "it is no file of several gates, which has only [[gates]] tables"),
        (FILE.replace('"answers"', '"rankings"'), "gates[1]: name is 'rankings'; give each gate"),
        (FILE.replace('baseline = "old.csv"', ""), "gates[1].baseline: it is None; need the name"),
        (FILE.replace("max_drop = 0.2", "max_dorp = 0.2"), "max_dorp: there is no such key"),
        (FILE.replace("old.csv", "gone.csv"), "gone.csv: there is no such file"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_file_of_gates_that_will_not_do_is_refused(text: str, said: str) -> None:
    Path("gates.toml").write_text(text)
    done = run("gates.toml")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr


@pytest.mark.usefixtures("folder")
def test_options_of_single_gates_are_keys_of_the_file() -> None:
    done = run("gates.toml", "--max-drop", "0.1")
    assert done.exit_code == 2
    assert "--max-drop of several gates is a key of their file" in done.stderr
    assert run("gates.toml", "--format", "csv").exit_code == 2
