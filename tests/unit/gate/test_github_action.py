"""The action for GitHub: what it runs, writes and annotates."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankmark as rm

ROOT = Path(__file__).parents[3]
EXAMPLE = Path(rm.__file__).parent / "example"
RUNS = {"same": ("lsa.run", "holds", 0), "other": ("bm25.run", "cannot tell", 3)}

pytestmark = pytest.mark.slow


def act(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    files = {name: str(folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    named = {f"GATE_{name}": value for name, value in given.items()}
    return subprocess.run(
        [sys.executable, ROOT / ".github" / "gate.py"],
        env={**os.environ, **files, **named},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("case", RUNS)
def test_the_verdict_becomes_summary_output_and_annotation(case: str, tmp_path: Path) -> None:
    run, verdict, code = RUNS[case]
    # The margin is one that 24 queries can show.
    done = act(
        tmp_path,
        QRELS=str(EXAMPLE / "qrels.txt"),
        BASELINE=str(EXAMPLE / "lsa.run"),
        RUN=f"{EXAMPLE / run}\n",
        MEASURES="nDCG@10\nAP(rel=2, ties=mean)\n",
        MAX_DROP="0.125",
        OPTIONS="--confidence=0.9\n",
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"verdict={verdict}\n"
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8")
    assert verdict in summary
    assert "nDCG@10" in summary
    assert summary.startswith("### ")
    annotations = re.findall("^::(notice|error) title=(.*?)::(.*)$", done.stdout, re.MULTILINE)
    assert len(annotations) == 2
    kind, title, reason = annotations[1]
    assert (kind == "notice") == (title.endswith("holds"))
    assert title.startswith('AP(rel=2%2C ties="mean")%3A ')
    assert reason


def test_without_judgments_scores_are_gated(tmp_path: Path) -> None:
    for name in ("old", "new"):
        rows = "".join(f"q{n},0.5\n" for n in range(100))
        (tmp_path / f"{name}.csv").write_text(f"query_id,strict_vital\n{rows}")
    done = act(
        tmp_path,
        BASELINE=str(tmp_path / "old.csv"),
        RUN=str(tmp_path / "new.csv"),
        MEASURES="strict_vital",
        MAX_DROP="0.05",
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "verdict=holds\n"


def test_wrong_input_leaves_no_verdict(tmp_path: Path) -> None:
    done = act(tmp_path, QRELS="missing.txt", BASELINE="a", RUN="b", MAX_DROP="0.1")
    assert done.returncode == 1
    assert "missing.txt" in done.stderr
    assert re.search("^::error title=rankmark gate::rankmark: missing.txt: ", done.stdout)
    assert "missing.txt" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8")
    assert not (tmp_path / "GITHUB_OUTPUT").exists()


def test_wrong_usage_is_an_annotation_too(tmp_path: Path) -> None:
    done = act(
        tmp_path,
        QRELS=str(EXAMPLE / "qrels.txt"),
        BASELINE=str(EXAMPLE / "lsa.run"),
        RUN=str(EXAMPLE / "bm25.run"),
        OPTIONS="--no-such-option",
    )
    assert done.returncode == 2
    (line,) = re.findall("^::error title=rankmark gate::(.*)$", done.stdout, re.MULTILINE)
    assert "--no-such-option" in line


def test_inputs_may_have_blank_lines_indentation_and_options_with_spaces(tmp_path: Path) -> None:
    done = act(
        tmp_path,
        QRELS=str(EXAMPLE / "qrels.txt"),
        BASELINE=str(EXAMPLE / "bm25.run"),
        RUN=f"{EXAMPLE / 'lsa.run'}\n\n   {EXAMPLE / 'overlap.run'}\n",
        MAX_DROP="0.3",
        OPTIONS=f"\n  --junit '{tmp_path / 'a gate.xml'}'\n  --markdown={tmp_path / 'b c.md'}\n",
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a gate.xml").exists()
    assert (tmp_path / "b c.md").exists()
    assert "2 candidates against" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8")


@pytest.mark.parametrize(("unchanged", "code"), [("pass", 0), ("decide", 3), ("", 3)])
def test_a_pull_request_that_changes_no_ranking_passes_unless_it_is_to_be_decided(
    unchanged: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "new.run").write_bytes((EXAMPLE / "bm25.run").read_bytes())
    done = act(
        tmp_path,
        QRELS=str(EXAMPLE / "qrels.txt"),
        BASELINE=str(EXAMPLE / "bm25.run"),
        RUN=str(tmp_path / "new.run"),
        MAX_DROP="2%",
        UNCHANGED=unchanged,
    )
    assert done.returncode == code, done.stderr
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text("utf-8")
    assert "both files have the same content" in summary
    assert ("passed by policy" if code == 0 else "--unchanged pass") in summary + done.stdout


def test_inputs_are_those_that_are_declared_and_passed_on() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    inputs, steps = text.split("\noutputs:\n")
    declared = {*re.findall(r"^  ([\w-]+):$", inputs.partition("\ninputs:\n")[2], re.MULTILINE)}
    assert declared == {*re.findall(r"inputs\.([\w-]+)", steps)}
    passed = {*re.findall(r"GATE_(\w+): ", steps)}
    script = (ROOT / ".github" / "gate.py").read_text("utf-8")
    (named,) = re.findall(r"_INPUTS = \((.*)\)", script)
    assert passed == {*re.findall(r"\w+", named)}
    run = [line for line in steps.splitlines() if "run:" in line or line.startswith('        "')]
    assert not any("${{" in line for line in run)  # an input must not become a command
