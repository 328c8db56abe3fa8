"""``rankmark trec_eval``: the command line of trec_eval."""

from __future__ import annotations

import sys

import click


class _Verbatim(click.Command):
    """A command whose arguments are parsed elsewhere."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = args
        return args


@click.command(
    "trec_eval",
    cls=_Verbatim,
    add_help_option=False,
    short_help="Evaluate as trec_eval does: its options, names, output and exit codes.",
)
@click.pass_context
def trec_eval(ctx: click.Context) -> None:
    """Evaluate as trec_eval does: its options, names, output and exit codes.

    \b
      rankmark trec_eval -q -m official qrels.txt bm25.run
      rankmark trec_eval -h
    """  # noqa: D301  (click reads the backspace)
    from rankmark.compat.trec_eval import main  # noqa: PLC0415

    sys.exit(main(ctx.args))
