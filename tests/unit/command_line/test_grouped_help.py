"""Help shows options in groups, and fits a terminal of 80 columns."""

import click
import pytest
from click.testing import CliRunner

from rankmark.commands.app import COMMANDS, app
from rankmark.commands.parts.grouped_help import OTHER, group_of

OURS = [name for name in COMMANDS if name != "trec_eval"]  # whose help is trec_eval's
OF_PYTHON = ["Data", "Measures", "Conventions", "Reading"]
"""The groups of parameters in the docstrings of functions."""
GROUPS = ["Data", "Measures", "Method", "Conventions", "Sample", "Statistics", "Search", "Decision"]
GROUPS += ["Tables", "Picture", "Page", "Output", "Reading", OTHER]


def command(name: str) -> click.Command:
    found = app.get_command(click.Context(app), name)
    assert found is not None
    return found


def shown(name: str) -> str:
    return CliRunner().invoke(app, [name, "--help"], terminal_width=80).stdout


@pytest.mark.parametrize("name", OURS)
def test_every_option_is_in_a_group(name: str) -> None:
    options = [one for one in command(name).params if isinstance(one, click.Option)]
    assert [one.name for one in options if group_of(one) not in GROUPS[:-1]] == []


@pytest.mark.parametrize("name", OURS)
def test_every_option_is_shown_under_its_group(name: str) -> None:
    _, *parts = shown(name).split(":\n  -")
    assert sum(part.count("\n  -") + 1 for part in parts) == len(
        [one for one in command(name).params if isinstance(one, click.Option)] + ["--help"]
    )


@pytest.mark.parametrize("name", ["evaluate", "compare", "explain", "gate", "plot", "report"])
def test_groups_have_the_names_of_those_in_python_and_one_order(name: str) -> None:
    lines = shown(name).splitlines()
    groups = [line.removesuffix(":") for line in lines if line[:1].isupper() and line[-1] == ":"]
    assert {*OF_PYTHON, "Output"} <= {*groups}
    assert groups == [one for one in GROUPS if one in groups]


@pytest.mark.parametrize("name", OURS)
def test_help_fits_80_columns(name: str) -> None:
    assert [line for line in shown(name).splitlines() if len(line) > 80] == []
