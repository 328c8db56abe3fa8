"""The command verify-function."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from rankmark.commands.app import app

CODE = """
import math

print("imported")

def recall(retrieved, relevant, k):
    print("called")
    return len(set(retrieved[:k]) & set(relevant)) / min(k, len(relevant) or 1)

class Metrics:
    @staticmethod
    def hit(retrieved, relevant, k):
        return float(any(doc in relevant for doc in retrieved[:k]))

number = 3
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "own_metrics.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "failing.py").write_text("1 / 0\n")
    for name in ("own_metrics", "broken", "failing"):  # other tests have modules of these names
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield lambda *words: CliRunner().invoke(app, ["verify-function", *words])
    for name in ("own_metrics", "broken", "failing"):
        sys.modules.pop(name, None)


@pytest.mark.slow
def test_a_function_of_a_file_and_of_a_module(run):
    for name in ("own_metrics.py:recall", "./own_metrics.py:recall", "own_metrics:recall"):
        found = run(name)
        assert found.exit_code == 0, found.stderr
        assert found.stdout.startswith('recall computes R(norm="min")@k (recall): divided')
    assert run("own_metrics:Metrics.hit").stdout.startswith("hit computes Success@k")


def test_what_the_code_prints_does_not_spoil_json(run):
    found = run("own_metrics.py:recall", "--format", "json")
    assert json.loads(found.stdout)["measure"] == 'R(norm="min")'
    assert "imported" in found.stderr
    assert "called" in found.stderr


@pytest.mark.slow
def test_exit_codes_of_expectations(run):
    assert run("own_metrics.py:recall", "--expect", "R@10").exit_code == 3
    assert run("own_metrics.py:recall", "--expect", "R(norm=min)@10").exit_code == 0
    words = ("--expect", "R_cap@10", "--profile", "beir")
    assert run("own_metrics.py:recall", *words).exit_code == 0
    assert run("own_metrics.py:recall", "--profile", "beir").exit_code == 2
    assert run("own_metrics.py:recall", "--expect", "nonsense").exit_code == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("own_metrics", "does not name a function"),
        ("own_metrics:recal", "did you mean recall?"),
        ("own_metrics.py:number", "number is 3"),
        ("missing:recall", "there is no module missing here"),
        ("missing.py:recall", "there is no such file"),
        ("broken:recall", "cannot be imported: No module named 'nowhere_to_be_found'"),
        ("failing.py:recall", "cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(run, name, said):
    found = run(name)
    assert found.exit_code == 1
    assert said in found.stderr
    assert found.stderr.strip().splitlines()[-1].startswith("rankmark: ")
    assert not found.stdout


def test_output_to_a_file(run, tmp_path):
    assert run("own_metrics:recall", "-o", "found.json", "--format", "json").exit_code == 0
    assert json.loads((tmp_path / "found.json").read_text())["function"] == "recall"
    assert run("own_metrics.py:recall", "-o", "own_metrics.py").exit_code != 0
    assert "def recall" in (tmp_path / "own_metrics.py").read_text()
