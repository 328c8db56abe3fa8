"""Programs in the place of functions: they answer cases, and what goes wrong is said."""

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from rankmark.commands.app import app
from rankmark.errors import InputError
from rankmark.testing import Program, known_cases, which_convention

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "own-function.md"
LOOP = "import json, sys\nfor line in sys.stdin:\n    case = json.loads(line)\n    "
HITS = "hits = sum(case['judged'].get(d, 0) >= 1 for d in case['retrieved'][:case['k']])\n    "
PRECISION = f"{LOOP}{HITS}print(hits / case['k'], flush=True)"


def python(code, *words):
    return Program([sys.executable, "-c", code, *words])


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = {*threading.enumerate()}
    yield
    assert {*threading.enumerate()} <= before


@pytest.mark.slow
def test_a_program_is_identified_as_a_function_is():
    found = which_convention(python(PRECISION, "precision"), expect="P@10")
    assert found
    assert found.sentence == "precision computes P@k (precision)."
    assert found.arguments == "retrieved, judged, k"
    assert {edge.aspect: edge.does for edge in found.edges} == {
        "duplicates": "twice",
        "no_relevant": "zero",
        "empty": "zero",
    }
    assert json.loads(found.bugs[0].call)["retrieved"] == ["d4", "d4", "d3", "d2"]


@pytest.mark.slow
def test_a_program_is_given_what_its_arguments_say():
    code = LOOP + "print(sum(case['h'][:case['k']]) / (case['num_relevant'] or 1), flush=True)"
    found = which_convention(python(code), arguments="h=hits, num_relevant, k", expect="R@5")
    assert found
    assert found.measure == "R"


@pytest.mark.slow
def test_a_mistake_of_a_program_is_shown_with_its_case():
    code = LOOP + HITS + "print(hits / len(case['retrieved'][:case['k']] or [1]), flush=True)"
    found = which_convention(python(code), expect="P@10")
    assert not found
    assert found.measure == 'P(norm="retrieved")'
    assert json.loads(found.difference.call).keys() == {"retrieved", "judged", "k"}


@pytest.mark.slow
def test_null_is_nan_and_an_error_is_a_refusal():
    if_none = "if not any(case['judged'].values()): print({}, flush=True); continue\n    "
    code = LOOP + if_none + HITS + "print(hits / case['k'], flush=True)"
    found = which_convention(python(code.format("'null'")))
    assert {edge.aspect: edge.does for edge in found.edges}["no_relevant"] == "nan"
    found = which_convention(python(code.format("json.dumps({'error': 'nothing relevant'})")))
    edge = next(edge for edge in found.edges if edge.aspect == "no_relevant")
    assert (edge.does, edge.words) == ("refuses", "raises nothing relevant")
    assert edge.kind == "convention"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import time; time.sleep(60)", "no answer within 1 s to {"),
        ("print(input() and 0.5)", "it ended with exit code 0 after 1 answer, when it was given {"),
        ("import sys; sys.exit('out of cases')", "after 0 answers, .* stderr: out of cases; it"),
        ("import os, time; os.close(1); time.sleep(60)", "it closed its output after 0 answers"),
        (LOOP + "print('ndcg', 0.5, flush=True)", "is 'ndcg 0.5'; it must write one number"),
        (LOOP + "print('0,5', flush=True)", "is '0,5'; it must write one number"),
        (LOOP + "print(flush=True)", "is an empty line; it must write one number"),
        (LOOP + 'print(\'{"error": 1, "value": 2}\', flush=True)', "it must write one number"),
        (LOOP + "print('9' * 10**6, flush=True)", "it wrote more lines|is '9999"),
        (LOOP + "print(0.5); print(0.5, flush=True)", "it wrote more lines than .* '0.5'; it must"),
        ("while True: print(0.5)", "it wrote more lines than"),
        (LOOP + "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "is '\\ufffd'"),
    ],
)
@pytest.mark.slow
def test_what_is_wrong_with_a_program_is_refused(code, said):
    begun = time.monotonic()
    with pytest.raises(InputError, match=said) as error:
        which_convention(python(code), time_limit=1)
    assert sys.executable in str(error.value)
    assert time.monotonic() - begun < 20


@pytest.mark.slow
def test_more_lines_at_the_end_are_refused():
    code = f"{PRECISION}\nprint('done')"
    with pytest.raises(InputError, match="it wrote more lines than it was given cases, such as 'd"):
        which_convention(python(code))


def test_a_program_that_cannot_be_started_is_refused():
    with pytest.raises(InputError, match=r"cat: it cannot be started: .* no shell reads them"):
        which_convention(Program("no-such-program-anywhere | cat"))
    for command in ("", [], [""], 3, "'a", ["a", 3]):
        with pytest.raises(InputError, match="the command"):
            Program(command)
    with pytest.raises(InputError, match="give it to which_convention"):
        Program("cat")([])


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of Unix")
@pytest.mark.slow
def test_ctrl_c_ends_at_once(tmp_path):
    waiting = tmp_path / "waiting"
    code = f"import pathlib, sys; pathlib.Path({str(waiting)!r}).touch(); sys.stdin.read()"
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nfrom rankmark.testing import Program, which_convention\n"
        f"which_convention(Program([sys.executable, '-c', {code!r}]), time_limit=60)"
    )
    cli = f"{sys.executable} -c {json.dumps(code)}"
    for words in ([script], ["-m", "rankmark", "verify-function", "--program", cli]):
        waiting.unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE)
        while not waiting.exists() and process.poll() is None:
            time.sleep(0.05)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert time.monotonic() - begun < 5
        assert process.returncode in {130, -signal.SIGINT}
        assert not said or b"KeyboardInterrupt" in said


@pytest.mark.parametrize(("language", "file"), [("js", "ndcg.js"), ("sh", "recall.sh")])
@pytest.mark.slow
def test_the_programs_of_the_page_do_what_it_shows(language, file, tmp_path, monkeypatch):
    interpreter = {"js": "node", "sh": "sh"}[language]
    if shutil.which(interpreter) is None or shutil.which("awk") is None:
        pytest.skip(f"{interpreter} or awk is not installed")
    page = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
    (tmp_path / file).write_text(code)
    monkeypatch.chdir(tmp_path)
    shown = re.search(rf"```text\n\$ (rankmark verify-function .*{file}.*)\n((?:.*\n)*?)```", page)
    words = [*Program(shown[1]).words][1:]
    assert CliRunner().invoke(app, words).output.rstrip().startswith(shown[2].rstrip())


def test_one_of_a_function_and_a_program_is_named():
    for words in ([], ["json:dumps", "--program", "cat"]):
        found = CliRunner().invoke(app, ["verify-function", *words])
        assert found.exit_code == 2
        assert "name a function, or a --program" in found.stderr


def test_known_cases_have_the_values_of_trec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {"nDCG@k": "ndcg_cut", "AP@k": "map_cut", "R@k": "recall", "P@k": "P"}
    cases = known_cases()
    assert {case["kind"] for case in cases} == {
        *("ordinary", "ties", "unjudged", "negative", "no_relevant", "empty")
    }
    for case in cases:
        assert case["retrieved"] == sorted(
            case["run"], key=lambda doc: (case["run"][doc], doc), reverse=True
        )
        if not case["run"]:
            assert {*case["values"].values()} == {0}
            continue
        asked = {f"{name}.{case['k']}" for name in names.values()}
        tool = pytrec_eval.RelevanceEvaluator({"q": case["judged"]}, asked)
        found = tool.evaluate({"q": case["run"]})["q"]
        for ours, theirs in names.items():
            expected = found[f"{theirs}_{case['k']}"]
            assert case["values"][ours] == pytest.approx(expected, abs=1e-9)
        first = [case["judged"].get(doc, 0) >= 1 for doc in case["retrieved"][: case["k"]]]
        assert case["values"]["RR@k"] == (1 / (first.index(True) + 1) if any(first) else 0)


def test_cases_are_written_as_a_document_and_as_lines():
    found = CliRunner().invoke(app, ["cases", "-m", "nDCG(gain=exp2)", "-m", "Rprec"])
    document = json.loads(found.stdout)
    assert document["cases"] == known_cases(["nDCG(gain=exp2)", "Rprec"])
    assert document["cases"][0]["values"].keys() == {'nDCG(gain="exp2")@k', "Rprec"}
    lines = CliRunner().invoke(app, ["cases", "--format", "jsonl"]).stdout.splitlines()
    assert [json.loads(line) for line in lines] == known_cases()
    assert "leave it out" in CliRunner().invoke(app, ["cases", "-m", "nDCG@10"]).stderr
    assert "measure of labels" in CliRunner().invoke(app, ["cases", "-m", "alpha_nDCG"]).stderr
