"""The command ``rankmark``. A subcommand is imported when it is called, and help imports all."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from rankmark.errors import one_line
from rankmark.version import __version__

# In the order of the help. The module of a command has its name, except for power.
_COMMANDS = (
    "evaluate",
    "compare",
    "explain",
    "reconcile",
    "check",
    "gate",
    "verify",
    "similarity",
    "power",
    "plot",
    "report",
    "convert",
    "measures",
    "profiles",
    "trec_eval",
    "demo",
    "completion",
)
_MODULES = {"power": "power_analysis"}


class _Commands(click.Group):
    """Import a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        module = import_module(f"rankmark.cli.{_MODULES.get(name, name)}")
        command: click.Command = getattr(module, name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; names in its messages cannot change the terminal."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error)["message"] = "\n".join(map(one_line, error.message.split("\n")))
            raise


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try: rankmark demo, then rankmark evaluate QRELS RUN -m nDCG@10. "
    "Results go to stdout, everything else to stderr. "
    "Exit code 0: success; 1: invalid input; 2: wrong usage; 3: a gate that does not hold.",
)
@click.version_option(__version__, message="rankmark %(version)s")
def app() -> None:
    """Measure the quality of rankings, and explain the numbers."""
