"""``rankmark completion``: a script for completion in the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.writing import write_output


@command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script with which SHELL completes commands, options and names of measures.

    \b
      eval "$(rankmark completion bash)"  # in ~/.bashrc
      eval "$(rankmark completion zsh)"   # in ~/.zshrc
      rankmark completion fish > ~/.config/fish/completions/rankmark.fish
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        script = get_completion_class(shell)
        assert script is not None  # noqa: S101
        app = context.find_root().command
        write_output(script(app, {}, "rankmark", "_RANKMARK_COMPLETE").source() + "\n", None)
