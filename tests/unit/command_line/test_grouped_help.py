"""Help shows the options of the task on a screen, and all options in groups."""

import re

import click
import pytest
from click.testing import CliRunner

from rankmark.commands.app import COMMANDS, app
from rankmark.commands.app import GROUPS as GROUPS_OF_COMMANDS
from rankmark.commands.parts.grouped_help import OTHER, group_of, is_further

OURS = [name for name in COMMANDS if name != "trec_eval"]  # whose help is trec_eval's
OF_PYTHON = ["Data", "Measures", "Conventions", "Reading"]
"""The groups of parameters in the docstrings of functions."""
GROUPS = ["Data", "Measures", "Method", "Conventions", "Sample", "Statistics", "Search", "Decision"]
GROUPS += ["Tables", "Picture", "Page", "Output", "Reading", OTHER]


def command(name: str) -> click.Command:
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found


def shown(name: str, asked: str = "--help-all", columns: int = 80) -> str:
    done = CliRunner().invoke(app, [name, asked], terminal_width=columns)
    assert done.exit_code == 0
    return done.stdout


def options_of(name: str) -> list[click.Option]:
    return [one for one in command(name).params if isinstance(one, click.Option)]


def named(help_text: str) -> set[str]:
    """Give the options that have a line."""
    lines = re.findall(r"^  (-.*?)(?:  |$)", help_text, re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|, )(--?[\w-]+)", line)}


def test_groups_hold_every_command_once_and_ten_come_first() -> None:
    grouped = [name for commands in GROUPS_OF_COMMANDS.values() for name in commands]
    assert len(grouped) == len({*grouped}) == len(COMMANDS)
    first = "evaluate check explain compare gate report plot fuse convert demo"
    assert " ".join(GROUPS_OF_COMMANDS["Everyday"]) == first
    text = CliRunner().invoke(app, ["--help"], terminal_width=80).stdout
    assert re.findall(r"^  (\w[\w-]*)  ", text, re.MULTILINE) == grouped
    lines = text.splitlines()
    assert {f"{name}:" for name in GROUPS_OF_COMMANDS} <= {*lines}


@pytest.mark.parametrize("name", OURS)
def test_help_fits_a_screen_and_names_the_option_that_shows_the_rest(name: str) -> None:
    text = shown(name, "--help", columns=100)
    assert len(text.splitlines()) <= 40
    further = [one for one in options_of(name) if is_further(one)]
    assert ("--help-all" in text) == bool(further or "\f" in (command(name).help or ""))
    assert named(text) - {"-h", "--help", "--help-all"} == {
        opt for one in options_of(name) if one not in further for opt in one.opts
    }


@pytest.mark.parametrize("name", OURS)
def test_help_all_shows_every_option_and_the_whole_text(name: str) -> None:
    text = shown(name)
    assert named(text) == {"-h", "--help", "--help-all"}.union(
        *(one.opts for one in options_of(name))
    )
    words = " ".join((command(name).help or "").replace("\b", "").replace("\f", "").split())
    assert words in " ".join(text.split())


def test_help_of_evaluate_is_that_of_its_task() -> None:
    assert named(shown("evaluate", "--help")) > {"-m", "--measure", "--per-query", "--format", "-o"}
    assert "conventions (--queries, --ties, ...)" in " ".join(shown("evaluate", "--help").split())


@pytest.mark.parametrize("name", OURS)
def test_every_option_is_in_a_group(name: str) -> None:
    assert [one.name for one in options_of(name) if group_of(one) not in GROUPS[:-1]] == []


@pytest.mark.parametrize("name", OURS)
def test_every_option_is_shown_under_its_group(name: str) -> None:
    _, *parts = shown(name).split(":\n  -")
    assert sum(part.count("\n  -") + 1 for part in parts) == len(
        [*options_of(name), "--help", "--help-all"]
    )


@pytest.mark.parametrize("name", ["evaluate", "compare", "explain", "gate", "plot", "report"])
def test_groups_have_the_names_of_those_in_python_and_one_order(name: str) -> None:
    lines = shown(name).splitlines()
    groups = [line.removesuffix(":") for line in lines if line[:1].isupper() and line[-1] == ":"]
    assert {*OF_PYTHON, "Output"} <= {*groups}
    assert groups == [one for one in GROUPS if one in groups]


@pytest.mark.parametrize("asked", ["--help", "--help-all"])
@pytest.mark.parametrize("name", OURS)
def test_help_fits_80_columns(name: str, asked: str) -> None:
    assert [line for line in shown(name, asked).splitlines() if len(line) > 80] == []
