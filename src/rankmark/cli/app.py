"""The commands and what they share. Commands import what they need only when they run."""

from __future__ import annotations

from typing import Annotated

import typer

from rankmark.cli.demo import demo
from rankmark.cli.evaluate import evaluate
from rankmark.cli.measures import measures
from rankmark.version import __version__

app = typer.Typer(
    help="Measure how good a ranking is, and see why the number is what it is.",
    epilog="Results go to stdout, everything else to stderr. "
    "Exit code 0: done; 1: the input is wrong; 2: wrong usage.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(evaluate)
app.command()(measures)
app.command()(demo)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"rankmark {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Measure how good a ranking is, and see why the number is what it is."""
