"""Conventions are declared once: whoever lists them agrees, and takes one that is added."""

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import rankmark as rm
from rankmark.cli.app import app
from rankmark.conventions import DECLARED, Conventions
from rankmark.reconciling import tool_differences
from rankmark.scoring.choices import Choices

COMMANDS = ("evaluate", "compare", "explain", "gate", "power", "report", "plot", "reconcile")


@pytest.mark.parametrize("name", DECLARED)
def test_evaluate_has_each_convention_with_its_default(name):
    assert inspect.signature(rm.evaluate).parameters[name].default == DECLARED[name].default
    assert name in Choices.__annotations__
    assert name in Conventions().to_dict()


@pytest.mark.parametrize("name", DECLARED)
def test_other_signatures_have_each_convention(name):
    from rankmark.spark import evaluate

    assert inspect.signature(rm.reconcile).parameters[name].default is None
    assert inspect.signature(evaluate).parameters[name].default == DECLARED[name].default
    taken = (*tool_differences._BEFORE_FORMULA, *tool_differences._AFTER_FORMULA)
    assert taken.count(name) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_have_each_convention_with_its_words_and_default(name):
    command = app.get_command(click.Context(app), name)
    options = {option.name: option for option in command.params}
    for one in DECLARED.values():
        option = options[one.name]
        assert option.is_flag == one.is_flag
        assert one.is_flag or option.get_default(click.Context(command)) == one.default
        if one.words and one.name != "queries":
            assert (*option.type.choices,) == one.words


@pytest.mark.parametrize("name", DECLARED)
def test_the_page_on_conventions_has_each(name):
    page = Path(__file__).parents[2] / "docs" / "conventions.md"
    assert f"`{name}" in page.read_text(encoding="utf-8")


ADDED = """
    backwards: bool = field(
        default=False, metadata=_option("Read rankings from their end.")
    )
    profile: str | None = None
"""
ASKS = """
import click
from rankmark.cli.app import app
from rankmark.conventions import Conventions
from rankmark.reconciling.calls import Inputs
from rankmark.measures import AP
from rankmark.gating.explain_command import ExplainCommand
from rankmark.gating.gate_config import read_config

chosen = Conventions(backwards=True)
assert str(chosen).endswith(" backwards=True"), chosen
assert chosen.to_dict()["backwards"] is True
for name in {commands}:
    options = [one.name for one in app.get_command(click.Context(app), name).params]
    assert "backwards" in options, name
assert read_config("gate.toml", {{}}).conventions == {{"backwards": True}}
line = ExplainCommand.of("q", "a", "b", {{"backwards": True}}).line("q1", AP)
assert line.endswith("--backwards"), line
command = Inputs("q", "a", {{}}).command([AP], {{"backwards": True}})
assert command.endswith("--backwards"), command
try:
    Conventions(backwards="yes")
except ValueError as error:
    assert "need True or False" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.slow
def test_a_convention_that_is_declared_is_taken_everywhere(tmp_path):
    """A copy of the package has one more; only what it does to a ranking is not written."""
    package = tmp_path / "rankmark"
    shutil.copytree(Path(rm.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    conventions = package / "conventions.py"
    text = conventions.read_text(encoding="utf-8")
    assert text.count("\n    profile: str | None = None\n") == 1
    conventions.write_text(
        text.replace("\n    profile: str | None = None\n", ADDED), encoding="utf-8"
    )
    (tmp_path / "gate.toml").write_text(
        '[[conditions]]\nmeasure = "AP"\nmax_drop = 0.1\n[conventions]\nbackwards = true\n'
    )
    asks = ASKS.format(commands=COMMANDS)
    done = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
