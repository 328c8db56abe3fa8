"""``rankmark completion``: what a shell must read to complete words by the Tab key."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from rankmark.cli.faults import told
from rankmark.cli.publishing import put


@click.command(short_help="Print a script for completion by Tab.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that teaches SHELL to complete commands and options.

    \b
      eval "$(rankmark completion bash)"                                  # in ~/.bashrc
      eval "$(rankmark completion zsh)"                                   # in ~/.zshrc
      rankmark completion fish > ~/.config/fish/completions/rankmark.fish
    """  # noqa: D301  (click reads the backspace)
    with told():
        script = get_completion_class(shell)
        assert script is not None  # noqa: S101
        app = context.find_root().command
        put(script(app, {}, "rankmark", "_RANKMARK_COMPLETE").source() + "\n", None)
