"""Options that follow from the signature and the docstring of a verb."""

import subprocess
import sys

import click
import pytest

from rankmark.commands.app import COMMANDS, app
from rankmark.commands.parts.verb_options import Verb, _as_help

BOARD = Verb("verbs.leaderboard.leaderboard:leaderboard")
OURS = [name for name in COMMANDS if name != "trec_eval"]


def options(name: str) -> dict[str, click.Option]:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    return {str(one.name): one for one in command.params if isinstance(one, click.Option)}


def test_a_verb_is_read_as_text() -> None:
    by = BOARD.parameters()["by"]
    assert (by.kind, by.default, by.group()) == ("By", "mean", "Conventions")
    assert by.about().startswith("By the mean of the scores over tasks, or by borda points")
    assert BOARD.words("By") == ["mean", "borda"]
    assert BOARD.words("Over") == ["tasks", "queries", "both"]  # which it imports
    assert BOARD.words("Share") == BOARD.words("Mapping[str, str] | None") == []


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        ("Decimals; None for all.", "Decimals. [default: all]"),
        ("A measure. None means nDCG@10.", "A measure. [default: nDCG@10]"),
        ("A method; None for RBO(p=0.9), tau@10.", "A method. [default: RBO(p=0.9), tau@10]"),
        ('``"mean"`` of all, or\n        ``x``.', "mean of all, or x."),
        ("None of these.", "None of these."),
    ],
)
def test_docstrings_become_help(docstring: str, shown: str) -> None:
    assert _as_help(docstring) == shown


def test_options_have_the_types_of_parameters() -> None:
    found = options("leaderboard")
    assert found["by"].type.choices == ("mean", "borda")  # type: ignore[attr-defined]
    assert (found["confidence"].default, found["resamples"].default) == (0.95, 10_000)
    assert isinstance(found["confidence"].type, click.FloatRange)
    assert (found["lower_is_better"].multiple, found["splits"].opts) == (True, ["--split"])
    assert (
        found["lower_is_better"].help == "Tasks for which a lower score is better; can be repeated."
    )


@pytest.mark.parametrize("name", OURS)
def test_every_option_says_what_it_does(name: str) -> None:
    helps = {option: one.help or "" for option, one in options(name).items()}
    assert [option for option, text in helps.items() if not text.endswith((".", "]"))] == []
    assert [option for option, text in helps.items() if "``" in text or "None" in text] == []


@pytest.mark.parametrize("name", ["leaderboard", "abstention", "compare", "spans"])
def test_help_does_not_load_numpy(name: str) -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom rankmark.commands.app import app\n"
        f"assert CliRunner().invoke(app, [{name!r}, '--help']).exit_code == 0\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
