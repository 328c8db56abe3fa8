"""An option of a gate is declared by its signature, for Python, TOML and the command line."""

import inspect
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import InputError
from rankmark.testing import assert_not_worse
from rankmark.verbs.evaluate.evaluate_options import EvaluateOptions
from rankmark.verbs.gate import gate_config
from rankmark.verbs.gate.gate_options import OF_CONDITIONS, options_of

OPTIONS = [*options_of(rm.gate)]
COLLECTION = Path(rm.__file__).parent / "example"

NOT_IN_THE_FILE = {
    "config": "it names the file",
    "plan": "it has the conditions itself",
    "progress": "a function",
    "threads": "of the machine, not of the decision",
    "memory": "of the machine, not of the decision",
    "mask": "of arrays in memory",
    "lengths": "of arrays in memory",
}
TABLES = {"slices", "conventions"}
VALUES: dict[str, Any] = {
    "max_drop": 0.3,
    "require_better": True,
    "max_query_drop": 0.9,
    "confidence": 0.8,
    "unchanged": "pass",
    "reference": "lsa.run",
    "weights": "weights.txt",
    "draws": "draws.csv",
    "clusters": "clusters.txt",
    "largest_weight": 4.0,
    "largest_cluster": 3.0,
    "by": "kinds.csv",
    "min_slice": 5,
    "small_slices": "warn",
    "anytime": True,
    "bounds": True,
    "worst": 2,
    "score_range": (0, 2),
    "lower_is_better": ["nDCG@10"],
    "pass_score": 0.5,
}
OF_SCORES = ("score_range", "lower_is_better")
OF_FILES = {"reference", "weights", "draws", "clusters", "by"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "bm25.run", "lsa.run"):
        shutil.copy(COLLECTION / name, tmp_path)
    ids = [f"q{n:02}" for n in range(1, 25)]
    (tmp_path / "weights.txt").write_text("".join(f"{q} {n % 3 + 1}\n" for n, q in enumerate(ids)))
    (tmp_path / "clusters.txt").write_text("".join(f"{q} c{n % 12}\n" for n, q in enumerate(ids)))
    drawn = "".join(f"{q},{n % 3}\n" for n, q in enumerate(ids))
    (tmp_path / "draws.csv").write_text("query_id,draws\n" + drawn)
    lines = "".join(f"{q},{'ab'[n % 2]}\n" for n, q in enumerate(ids))
    (tmp_path / "kinds.csv").write_text("query_id,kind\n" + lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: object, new: str = "lsa.run") -> Result:
    return CliRunner().invoke(app, ["gate", "qrels.txt", "bm25.run", new, *map(str, arguments)])


def run_of_scores(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["gate", "--scores", "a.csv", "b.csv", *map(str, arguments)])


def keywords() -> list[str]:
    given = inspect.signature(rm.gate).parameters.values()
    return [
        one.name
        for one in given
        if one.kind is one.KEYWORD_ONLY and one.name not in EvaluateOptions.__annotations__
    ]


def test_every_keyword_has_a_key_in_the_file_or_a_reason_why_not() -> None:
    keys = {*OPTIONS, *gate_config.TABLES, *gate_config._CONVENTIONS}
    for name in (*keywords(), *EvaluateOptions.__annotations__):
        assert name in keys or name in NOT_IN_THE_FILE, f"say why in NOT_IN_THE_FILE: {name}"
        assert not (name in keys and name in NOT_IN_THE_FILE), name
    assert {*OPTIONS} | TABLES <= keys


def test_every_option_has_a_value_to_try() -> None:
    assert [*VALUES] == OPTIONS, "add a value to try of each to VALUES, above"


def asked(name: str) -> dict[str, Any]:
    assert name in VALUES, f"add a value of {name} to VALUES, above"
    chosen = {name: VALUES[name]}
    if name not in {"max_drop", "require_better"}:
        chosen["max_drop"] = 0.3
    if name.startswith("largest_"):
        what = f"{name.removeprefix('largest_')}s"
        chosen[what] = VALUES[what]
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.usefixtures("folder")
def test_an_option_decides_the_same_wherever_it_is_given(name: str) -> None:
    chosen = asked(name)
    given: tuple[str | None, str, str] = ("qrels.txt", "bm25.run", "lsa.run")
    if name in OF_SCORES:
        for file, path in (("bm25.run", "a.csv"), ("lsa.run", "b.csv")):
            found = rm.evaluate("qrels.txt", file, ["nDCG@10"]).to_csv()
            Path(path).write_text(found)
        given = (None, "a.csv", "b.csv")
    if name == "pass_score":
        shutil.copy("lsa.run", "lsa-2.run")
        given = ("qrels.txt", "bm25.run", "lsa*.run")
    in_python = rm.gate(*given, "nDCG@10", **chosen)
    lines = [f"{key} = {json.dumps(value)}" for key, value in chosen.items()]
    Path("gate.toml").write_text("\n".join(lines) + "\n")
    in_file = rm.gate(*given, "nDCG@10", config="gate.toml")
    words: list[object] = []
    for key, value in chosen.items():
        words += [f"--{key.replace('_', '-')}"]
        words += [] if value is True else value if isinstance(value, (list, tuple)) else [value]
    command_line = run_of_scores if name in OF_SCORES else partial(run, new=given[2])
    done = command_line("-m", "nDCG@10", *words, "--format", "json")
    assert done.exit_code in {0, 3}, done.stderr
    assert in_python.to_dict() == in_file.to_dict() == json.loads(done.stdout)
    taken = in_python.options[name]
    taken = list(taken) if name == "lower_is_better" else taken
    assert taken == VALUES[name] or name in OF_FILES
    plain = rm.gate(*given, "nDCG@10", max_drop=0.2)
    assert in_python.to_dict() != plain.to_dict()


@pytest.mark.usefixtures("folder")
def test_the_command_line_takes_precedence_over_the_file_but_not_over_a_condition() -> None:
    Path("gate.toml").write_text(
        'max_drop = 0.3\nconfidence = 0.9\nworst = 4\n[[conditions]]\nmeasure = "AP"\n'
        '[[conditions]]\nmeasure = "RR"\nmax_drop = 0.5\nconfidence = 0.99\n'
    )
    done = run(
        *("--config", "gate.toml", "--max-drop", 0.2, "--confidence", 0.7, "--worst", 1),
        *("--format", "json"),
    )
    found = json.loads(done.stdout)["conditions"]
    assert [(one["max_drop"], one["confidence"]) for one in found] == [(0.2, 0.7), (0.5, 0.99)]
    assert max(len(one["lost"]) for one in found) == 1


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.usefixtures("folder")
def test_a_wrong_value_in_the_file_is_refused_by_its_name(name: str) -> None:
    also = "" if name == "max_drop" else "max_drop = 0.1\n"
    Path("gate.toml").write_text(f'{also}{name} = {{ a = 1 }}\n[[conditions]]\nmeasure = "AP"\n')
    with pytest.raises(InputError, match=rf"gate.toml: .*{name}"):
        rm.gate("qrels.txt", "bm25.run", "lsa.run", config="gate.toml")


def test_options_of_a_condition_are_checked_by_the_condition() -> None:
    assert OF_CONDITIONS == ("max_drop", "require_better", "max_query_drop", "confidence")
    assert not any(options_of(rm.gate)[name] for name in OF_CONDITIONS)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_runs_of_the_file_are_systems_by_name() -> None:
    shutil.copy("lsa.run", "lsa-2.run")
    Path("ci").mkdir()
    Path("ci/gate.toml").write_text(
        'max_drop = 0.3\n[runs]\nmain = "../bm25.run"\nnew = ["../lsa.run", "../lsa-2.run"]\n'
        'glob = "../lsa*.run"\n'
    )
    words = ["gate", "qrels.txt", "main", "new", "--config", "ci/gate.toml", "--format", "json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code in {0, 3}, done.stderr
    found = json.loads(done.stdout)
    assert (found["baseline"], found["new"]) == ("main", "new")
    assert len(found["runs"]["new"]["trials"]) == 2
    result = rm.gate("qrels.txt", "main", "glob", config="ci/gate.toml")
    assert [one.run_name for one in result.new.evaluations] == ["ci/../lsa-2.run", "ci/../lsa.run"]
    both = rm.gate("qrels.txt", "main", {"a": "new", "b": "lsa.run"}, config="ci/gate.toml")
    assert [len(one.new.evaluations) for one in both.candidates.values()] == [2, 1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("runs = 3", "gate.toml: runs: it is 3; write a table: [runs]"),
        ("[runs]\na = []", "gate.toml: runs.a: it is []; need the path of a run"),
        ("[runs]\na = 'no*.run'", "no*.run: no file matches; check the pattern"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_runs_of_the_file_that_cannot_be_are_refused(text: str, words: str) -> None:
    Path("gate.toml").write_text(text)
    words_given = [
        "gate",
        "qrels.txt",
        "bm25.run",
        "a",
        "--config",
        "gate.toml",
        "--max-drop",
        "1%",
    ]
    done = CliRunner().invoke(app, words_given)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"rankmark: {words}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--max-drop", 0.1, "--max-drop", 0.2], "2 --max-drop and 1 -m"),
        (["lsa.run"], "lsa.run is given twice as NEW"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_usage_is_told_as_such(words: list[object], told: str) -> None:
    done = run(*([] if "--max-drop" in words else ["--max-drop", 0.1]), *words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


@pytest.mark.usefixtures("folder")
def test_a_pattern_is_one_system_of_trials_as_in_compare() -> None:
    for number in (10, 2):
        shutil.copy("lsa.run", f"seed{number}.run")
    words = ["qrels.txt", "bm25.run", "seed*.run", "-m", "nDCG@10", "--pass-score", "0.5"]
    done = CliRunner().invoke(app, ["gate", *words, "--max-drop", "0.2", "--format", "json"])
    found = json.loads(done.stdout)
    assert found["new"] == "seed*.run"
    compared = json.loads(CliRunner().invoke(app, ["compare", *words, "--format", "json"]).stdout)
    of_gate, of_compare = found["runs"]["new"], compared["runs"]["seed*"]
    assert [one["run"]["name"] for one in of_gate["trials"]] == ["seed2.run", "seed10.run"]
    assert of_gate["trials"] == of_compare["trials"]
    assert of_gate["reliability"] == [
        row | {"run": "seed*.run"} for row in of_compare["reliability"]
    ]
    assert of_gate["reliability"][0]["pass_score"] == 0.5
    text = CliRunner().invoke(app, ["gate", *words, "--max-drop", "0.2"]).stdout
    assert "Trials, which are averaged within queries:" in text
    assert "seed10 has the same bytes as seed2, so it is no new trial" in text
    assert "to explain one, by the first of 2 trials: rankmark explain" in text


@pytest.mark.usefixtures("folder")
def test_a_record_has_a_system_of_trials_under_its_name() -> None:
    for number in (1, 2):
        shutil.copy("lsa.run", f"seed{number}.run")
    words = ["qrels.txt", "bm25.run", "seed*.run", "-m", "nDCG@10", "--quiet"]
    done = CliRunner().invoke(app, ["gate", *words, "--max-drop", "0.9", "--record", "g.json"])
    assert done.exit_code == 0, done.stderr
    assert rm.verify("g.json").moves == ()
    words = ["qrels.txt", "seed*.run", "-m", "nDCG@10", "--quiet"]
    CliRunner().invoke(app, ["evaluate", *words, "--record", "e.json"])
    assert len(rm.trend(["e.json", "g.json"], run="seed*").rows) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_all_that_a_gate_is_asked_is_recorded_and_found_again() -> None:
    shutil.copy("lsa.run", "lsa-2.run")
    shutil.copy("bm25.run", "bm25-2.run")
    words = [
        *("--max-drop", 0.3, "--weights", "weights.txt", "--by", "kinds.csv", "--min-slice", 14),
        *("--small-slices", "warn", "--bounds", "--record", "r.json"),
    ]
    done = CliRunner().invoke(
        app, ["gate", "qrels.txt", "bm25*.run", "lsa.run", "lsa-2.run", *map(str, words)]
    )
    assert done.exit_code in {0, 3}, done.stderr
    record = json.loads(Path("r.json").read_text())
    assert [one["role"] for one in record["inputs"]] == ["qrels", *["run"] * 4, "weights"]
    assert record["choices"]["systems"] == [["bm25*.run", 2], ["lsa.run", 1], ["lsa-2.run", 1]]
    assert rm.verify("r.json").moves == ()
    Path("weights.txt").write_text(Path("weights.txt").read_text().replace("q01 1", "q01 9"))
    moved = {one.what for one in rm.verify("r.json").moves}
    assert any(what.endswith(".low") for what in moved)


@pytest.mark.parametrize(("copied", "told"), [(True, "the same content"), (False, "the same file")])
@pytest.mark.usefixtures("folder")
def test_a_run_compared_with_itself_is_told(copied: bool, told: str) -> None:
    other = "bm25.run"
    if copied:
        other = "copy.run"
        shutil.copy("bm25.run", other)
    done = CliRunner().invoke(app, ["gate", "qrels.txt", "bm25.run", other, "--max-drop", "0.2"])
    assert done.output.splitlines()[0].endswith(f"{told}, so nothing was compared")


@pytest.mark.usefixtures("folder")
def test_an_assertion_takes_its_conditions_from_a_file() -> None:
    Path("gate.toml").write_text(
        'confidence = 0.8\nmax_drop = 0.3\n[[conditions]]\nmeasure = "AP"\n'
    )
    result = assert_not_worse("qrels.txt", "bm25.run", "lsa.run", config="gate.toml")
    asked = [one.condition for one in result.conditions]
    assert [(str(one.measure), one.confidence) for one in asked] == [("AP", 0.8)]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_the_command_that_explains_is_written_once() -> None:
    done = run("-m", "nDCG@10,AP,RR", "--max-drop", 0.3, "--by", "kinds.csv")
    assert done.stdout.count("rankmark explain") == 1
    assert done.stdout.count("queries that lost most") <= 9
