"""``rankmark gate`` in a shell: exit codes, files, and ids that nobody would wish for."""

import dataclasses
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt  # which rich brings

import rankmark as rm
from rankmark.commands.app import app
from rankmark.results.github_markdown import one_line
from unit.commands import rankmark_here, told

COLLECTION = Path(rm.__file__).parent / "example"
HOSTILE = [
    "<script>alert(1)</script>",
    "]]>&amp;\"'",
    "a|b`c``d",
    "$(touch${IFS}pwned)",
    "`id`;#",
    "-rf",
    "--help",
    "@everyone",
    "www.example.com",
    "esc\x1b[2Jbell\x07",
    "bidi\u202eevil",
    "caf\u00e9\u732b",
    "it's",
    "back\\slash",
    "bytes\udcff\udc80",
    "\x01\x7f\x9f",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("qrels.txt", "bm25.run", "lsa.run"):
        shutil.copy(COLLECTION / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(*arguments: object) -> Result:
    """Run ``rankmark gate`` in this process, which takes a tenth of the time.

    The mean may fall by 0.01 unless the arguments say by how much, or name a configuration.
    """
    words = [*map(str, arguments)]
    if not {"--max-drop", "--require-better", "--config"} & {*words}:
        words += ["--max-drop", "0.01"]
    return CliRunner().invoke(app, ["gate", *words])


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "qrels.txt", "".join(f"{q} 0 a 1\n" for q in HOSTILE))
    write(tmp_path / "old.run", "".join(f"{q} Q0 a 1 1 old\n" for q in HOSTILE))
    lines = "".join(f"{q} Q0 b 1 2 new\n{q} Q0 a 2 1 new\n" for q in HOSTILE)
    write(tmp_path / "new run.txt", lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["bm25.run", "bm25.run"], 3),
        (["bm25.run", "bm25.run", "--unchanged", "pass"], 0),
        (["bm25.run", "bm25.run", "--max-query-drop", "0.05"], 0),
        (["bm25.run", "lsa.run", "--max-drop", "0.25"], 0),
        (["bm25.run", "lsa.run", "-m", "R@100", "--require-better"], 0),
        (["lsa.run", "bm25.run", "-m", "R@100"], 3),
        (["bm25.run", "lsa.run"], 3),
        (["bm25.run", "no.run"], 1),
        (["bm25.run", "lsa.run", "--confidence", "2"], 2),
        (["bm25.run", "lsa.run", "--max-drop", "much"], 2),
        (["bm25.run", "lsa.run", "--max-drop", "1"], 2),
        (["bm25.run", "lsa.run", "-m", "nDGC"], 2),
        (["bm25.run", "lsa.run", "-m", "AP", "--max-drop", "0.1", "--max-drop", "0.2"], 2),
        (["bm25.run"], 2),
        (["bm25.run", "lsa.run", "--config", "qrels.txt"], 1),
        (["bm25.run", "lsa.run", "--junit", "qrels.txt"], 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_exit_code_says_what_was_decided(options: list[str], code: int) -> None:
    done = gate("qrels.txt", *options)
    assert done.exit_code == code, done.stderr
    assert ("Traceback" in done.stderr) is False
    assert bool(done.stdout) == (code in {0, 3})


@pytest.mark.usefixtures("folder")
def test_wrong_usage_names_options_as_they_are_typed() -> None:
    assert (
        "--max-drop is 'much'"
        in gate("qrels.txt", "bm25.run", "lsa.run", "--max-drop", "much").stderr
    )
    looks = gate("qrels.txt", "bm25.run", "lsa.run", "--max-query-drop", "0")
    assert "--max-query-drop" in looks.stderr
    assert "max_query_drop" not in looks.stderr


@pytest.mark.slow
def test_several_formats_are_written_at_once(folder: Path) -> None:
    files = ["--json", "a.json", "--junit", "a.xml", "--markdown", "a.md"]
    done = gate("qrels.txt", "bm25.run", "lsa.run", *files)
    assert done.exit_code == 3
    assert json.loads(Path("a.json").read_text())["verdict"] == "cannot tell"
    root = ElementTree.parse(folder / "a.xml").getroot()
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "1", "1")
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("type") == "cannot tell"
    assert "<details>" in Path("a.md").read_text()
    for form, file in (("json", "a.json"), ("junit", "a.xml"), ("markdown", "a.md")):
        again = gate("qrels.txt", "bm25.run", "lsa.run", "--format", form)
        assert again.stdout == Path(file).read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["a.json", "a.md", "a.xml", "bm25.run", "lsa.run", "qrels.txt"]
    )


@pytest.mark.usefixtures("hostile")
def test_hostile_ids_stay_text_in_xml_and_markdown() -> None:
    done = gate(
        *("qrels.txt", "old.run", "new run.txt", "-m", "RR", "--worst", 99),
        *("--junit", "a.xml", "--markdown", "a.md", "--json", "a.json"),
    )
    assert done.exit_code == 3
    assert "\x1b" not in done.stdout
    root = ElementTree.parse("a.xml").getroot()
    text = "".join(root.itertext())
    assert "<script>alert(1)</script>: -0.5000" in text
    assert "esc\\x1b[2Jbell\\x07" in text
    page = Path("a.md").read_text(encoding="utf-8")
    table = page.split("```")[0]
    assert "<script" not in table
    assert "\u202e" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f]", page)
    rows = [line for line in page.splitlines() if line.startswith("| ") and "0.5000" in line]
    assert len(rows) == len(HOSTILE) + 1
    for row in rows:
        assert re.fullmatch(r"\| (`[^`|]+`|<code>[^<>`|]+</code>)( \| [^|]*)+ \|", row)
    assert len(json.loads(Path("a.json").read_text())["conditions"][0]["lost"]) == len(HOSTILE)


def test_names_of_slices_and_runs_stay_text_too() -> None:
    name = "<b>`|\x1b\n@x"
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    run = {query: {"a": 1.0} for query in qrels}
    result = rm.gate(
        qrels, run, run, rm.Condition("RR", 0.9, slice=name), slices={name: list(qrels)}
    )
    result = dataclasses.replace(result, new=dataclasses.replace(result.new, name=name))
    page = result.to_markdown()
    assert MarkdownIt("commonmark", {"html": True}).enable("table").render(page).count("<b>") == 0
    assert name not in result.to_junit()
    assert "\x1b" not in str(result) + page + result.to_junit()
    first, *_ = str(result).splitlines()
    assert first.startswith("<b>`|\\x1b\\n@x against baseline: the gate holds")


def test_what_markdown_shows_is_what_the_ids_are(hostile: Path) -> None:
    gate("qrels.txt", "old.run", "new run.txt", "-m", "RR", "--worst", 99, "--markdown", "a.md")
    render = MarkdownIt("commonmark", {"html": True}).enable("table").render
    page = render((hostile / "a.md").read_text(encoding="utf-8"))
    shown = [html.unescape(text) for text in re.findall("<td><code>(.*?)</code></td>", page)]
    assert shown[1:] == [one_line(query) for query in HOSTILE]


@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are lines for a shell")
def test_every_explain_command_reaches_the_program_as_it_was_meant(hostile: Path) -> None:
    gate(
        *("qrels.txt", "old.run", "new run.txt", "-m", "RR(rel=1)", "--worst", 99),
        *("--ties", "docid-asc", "--depth", "5", "--json", "a.json"),
    )
    lost = json.loads(Path("a.json").read_text())["conditions"][0]["lost"]
    commands = [query["explain"] for query in lost]
    assert all(command.endswith(" --ties docid-asc --depth 5") for command in commands)
    assert all("RR" in command and command.isprintable() for command in commands)
    script = "rankmark() { printf '%s\\0' \"$@\"; }\n" + "\n".join(commands)
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=True)
    words = [word.decode("utf-8", "surrogateescape") for word in done.stdout.split(b"\0")]
    assert [word[8:] for word in words if word.startswith("--query=")] == HOSTILE
    assert not (hostile / "pwned").exists()
    explained = CliRunner().invoke(app, words[: words.index("explain", 1)])
    assert explained.output.startswith("RR of query <script>alert(1)</script>: ")


CONFIG = """
confidence = 0.9
max_drop = 0.2

[conventions]
ties = "docid-asc"
queries = "judged"

[slices]
first = ["q01", "q02", "q03", "q04", "q05", "q06"]
last = "last.txt"

[[conditions]]
measure = "nDCG@10"
slice = ["first", "last"]

[[conditions]]
measure = "R@100"
require_better = true

[[conditions]]
measure = "P@10"
max_drop = "50%"
confidence = 0.8
"""


@pytest.mark.slow
def test_conditions_and_slices_come_from_a_file(folder: Path) -> None:
    sub = folder / "ci"
    sub.mkdir()
    (sub / "gate.toml").write_text(CONFIG)
    (sub / "last.txt").write_text("q19\nq20\nq21\nq22\nq23\n")  # beside the file
    done = gate(
        *("qrels.txt", "bm25.run", "lsa.run", "--config", "ci/gate.toml"),
        *("-m", "RR", "--max-drop", "0.3", "--format", "json"),
    )
    found = json.loads(done.stdout)
    asked = [
        (one["name"], one["max_drop"], one["require_better"], one["confidence"])
        for one in found["conditions"]
    ]
    assert asked == [
        ("nDCG@10, first", 0.2, False, 0.9),
        ("nDCG@10, last", 0.2, False, 0.9),
        ("R@100", 0.2, True, 0.9),
        ("P@10", "50%", False, 0.8),
        ("RR", 0.3, False, 0.9),
    ]
    assert found["settings"]["ties"] == "docid-asc"
    assert found["slices"] == {"first": 6, "last": 5}
    again = gate(
        *("qrels.txt", "bm25.run", "lsa.run", "--config", "ci/gate.toml"),
        *("--ties", "docid", "--format", "json"),
    )
    assert json.loads(again.stdout)["settings"]["ties"] == "docid"


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_each_measure_may_have_a_margin_of_its_own() -> None:
    pairs = ["-m", "AP", "--max-drop", "2%", "-m", "P@1,5", "--max-drop", "0.1"]
    done = gate("qrels.txt", "bm25.run", "lsa.run", *pairs, "--format", "json")
    asked = [(one["name"], one["max_drop"]) for one in json.loads(done.output)["conditions"]]
    assert asked == [("AP", "2%"), ("P@1", 0.1), ("P@5", 0.1)]


@pytest.mark.slow
def test_each_value_of_an_attribute_is_a_slice(folder: Path) -> None:
    lines = "".join(f"q{n:02},{'ab'[n % 2]},{'xy'[n % 3 == 0]}\n" for n in range(1, 25))
    (folder / "attributes.csv").write_text("query_id,intent,length\n" + lines)
    (folder / "gate.toml").write_text(
        """by = "attributes.csv"\nmax_drop = 0.3\n[slices]\nfirst = ["q01", "q02"]\n"""
        """[[conditions]]\nmeasure = "AP"\nslice = "*"\n"""
        """[[conditions]]\nmeasure = "RR"\nslice = "intent=a"\n"""
    )
    result = rm.gate("qrels.txt", "bm25.run", "lsa.run", config="gate.toml")
    values = ["intent=a", "intent=b", "length=x", "length=y"]
    assert [one.condition.slice for one in result.conditions] == [*values, "first", "intent=a"]
    assert result.slices["length=y"] == 8
    done = gate("qrels.txt", "bm25.run", "lsa.run", "-m", "AP", "--by", "attributes.csv")
    assert [line.partition("  ")[0] for line in done.output.splitlines()[3:8]] == [
        "AP",
        *(f"AP, {value}" for value in values),
    ]
    with pytest.raises(rm.InputError, match="there is no slice 'z'; there are: intent=a"):
        rm.gate(
            "qrels.txt",
            "bm25.run",
            "lsa.run",
            rm.Condition("AP", 0.1, slice="z"),
            by="attributes.csv",
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = = 3", "gate.toml:1: it is not TOML: "),
        ("a = " + "[" * 10_000, "gate.toml: it is nested too deeply"),
        ("a." * 100_000 + "a = 1", "gate.toml: it is nested too deeply"),
        ("max_dorp = 1", "gate.toml: max_dorp: there is no such key; did you mean max_drop? "),
        ("[[conditions]]\nmesure = 'AP'", "gate.toml: conditions[0].mesure: there is no such key"),
        ("[[conditions]]\nmax_drop = 0.1", "gate.toml: conditions[0]: it names no measure"),
        ("[[conditions]]\nmeasure = 'nDGC'", "gate.toml: conditions[0]: measure 'nDGC'"),
        (
            "max_drop=0.1\n[[conditions]]\nmeasure='AP'\n[[conditions]]\nmeasure='AP'\nslice='x'",
            "gate.toml: conditions[1].slice: there is no slice 'x'; there are: none",
        ),
        ("[[conditions]]\nmeasure='AP'\nmax_drop='x'", "gate.toml: conditions[0]: max_drop is 'x'"),
        ("conditions = 3", "gate.toml: conditions: it is 3; write [[conditions]] tables"),
        ("[slices]\na = 3", "gate.toml: slices.a: it is 3; need a list of query ids"),
        ("[conventions]\ntie = 'x'", "gate.toml: conventions.tie: there is no such key"),
        ("[conventions]\nties = 'x'", "gate.toml: ties is 'x'; need one of docid"),
        ("by = 1", "gate.toml: by: it is 1; need the name of a file"),
        (
            "[conventions]\nseen = 1",
            "gate.toml: conventions.seen: it is 1; need the name of a file",
        ),
        (
            "[conventions]\nparents = 1",
            "gate.toml: conventions.parents: it is 1; need the name of a file",
        ),
        (
            "[[conditions]]\nmeasure='AP'\nslice=[1]",
            "gate.toml: conditions[0].slice: it is 1; need names of slices",
        ),
        ("anytime = 1", "gate.toml: anytime is 1; need True or False"),
        ("slices = 1", "gate.toml: slices: it is 1; write a table: [slices]"),
        ("[slices]\na = 'none.txt'", "none.txt: there is no such file"),
    ],
)
def test_what_a_file_of_conditions_cannot_say_is_refused_with_the_place(
    folder: Path, text: str, words: str
) -> None:
    (folder / "gate.toml").write_text(text)
    with pytest.raises(rm.InputError) as caught:
        rm.gate("qrels.txt", "bm25.run", "lsa.run", config="gate.toml")
    assert str(caught.value).startswith(words)


@pytest.mark.slow
def test_a_file_of_conditions_that_is_missing_or_no_text_is_refused(folder: Path) -> None:
    done = rankmark_here("gate", "qrels.txt", "bm25.run", "lsa.run", "--config", "none.toml")
    assert told(done) == "none.toml: there is no such file; check the path"
    (folder / "gate.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(rm.ParseError, match="it is not UTF-8"):
        rm.gate("qrels.txt", "bm25.run", "lsa.run", config="gate.toml")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="pipefail is bash's")
@pytest.mark.usefixtures("folder")
def test_in_a_pipeline_the_exit_code_is_the_verdict() -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script = """
        set -o pipefail
        cat lsa.run | rankmark gate qrels.txt bm25.run - --max-drop 0.01 | true; echo $?
    """
    done = subprocess.run(
        ["bash", "-c", script],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == ["3"]
    assert done.stderr == ""


def workflow(page: Path) -> tuple[str, dict[str, str], str]:
    """Give the search of the workflow, the inputs of its gate, and the script for a shell."""
    text = page.read_text(encoding="utf-8")
    (yaml,) = re.findall(r"^```text\n(name: .*?)^```$", text, re.M | re.S)
    (script,) = re.findall(r"^```sh\n(rankmark gate .*?)^```$", text, re.M | re.S)
    (config,) = re.findall(r"^```text\n(confidence = .*?)^```$", text, re.M | re.S)
    Path("eval/gate.toml").write_text(config)
    (search,) = re.findall(r"^ +- run: (.+?) +#", yaml, re.M)
    lines = yaml.partition(" with:\n")[2].replace("options: |\n", "options: ")
    inputs: dict[str, str] = {}
    for line in lines.splitlines():
        name, _, value = line.partition(" #")[0].strip().rpartition(": ")
        name = name or [*inputs][-1]  # a further line of the last one
        inputs[name] = f"{inputs.get(name, '')}\n{value}".strip()
    return search, {f"GATE_{name.upper()}": value for name, value in inputs.items()}, script


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the workflow's lines are for a shell")
def test_the_workflow_of_the_page_works_as_copied(root: Path, folder: Path) -> None:
    (folder / "eval").mkdir()
    search, inputs, script = workflow(root / "docs" / "how-to" / "ci.md")
    Path("eval/rare.txt").write_text("q18\nq19\nq20\nq21\nq22\nq23\n")
    shutil.copy("qrels.txt", "eval/qrels.txt")
    shutil.copy("bm25.run", "eval/baseline.run")
    Path("search.py").write_text("print(open('lsa.run').read(), end='')")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": "summary.md", **inputs}

    def shell(line: str) -> int:
        return subprocess.run(
            ["bash", "-c", line], env=environment, check=False, timeout=60
        ).returncode

    assert shell(search) == 0
    assert shell(f"python {root / '.github' / 'gate.py'}") == 3
    assert "### " in Path("summary.md").read_text(encoding="utf-8")
    assert ElementTree.parse("gate.xml").getroot().get("tests") == "5"
    assert shell("rankmark verify decision.json") == 0
    shutil.copy("bm25.run", "new.run")
    assert shell(script) == 3  # 24 queries cannot show it, even if nothing changes
    config = Path("eval/gate.toml")
    config.write_text('unchanged = "pass"\n' + config.read_text())
    assert shell(script) == 0
