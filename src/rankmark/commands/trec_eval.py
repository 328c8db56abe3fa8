"""``rankmark trec_eval``: the command line of trec_eval."""

from __future__ import annotations

import sys

import click


class _Verbatim(click.Command):
    """A command whose arguments are parsed elsewhere; its options are only shown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.args = args
        return args


_OPTIONS = [
    click.Option(names, is_flag=not takes_value, expose_value=False)
    for names, takes_value in (
        (["-q", "--query_eval_wanted"], False),
        (["-m", "--measure"], True),
        (["-c", "--complete_rel_info_wanted"], False),
        (["-l", "--level_for_rel"], True),
        (["-n", "--nosummary"], False),
        (["-M", "--Max_retrieved_per_topic"], True),
        (["-N", "--Number_docs_in_coll"], True),
        (["-J", "--Judged_docs_only"], False),
        (["-R", "--Rel_info_format"], True),
        (["-T", "--Results_format"], True),
        (["-Z", "--Zscore"], True),
        (["-D", "--Debug_level"], True),
        (["-o", "--Output_old_results_format"], False),
        (["-h", "--help"], False),
        (["-v", "--version"], False),
        (["--as"], True),
        (["--bug-compatible"], False),
    )
]


@click.command(
    "trec_eval",
    cls=_Verbatim,
    params=_OPTIONS,
    add_help_option=False,
)
@click.pass_context
def trec_eval(ctx: click.Context) -> None:
    """Evaluate with the options and output of trec_eval.

    \b
      rankmark trec_eval -q -m official qrels.txt bm25.run
      rankmark trec_eval -h
    """  # noqa: D301  (click reads the backspace)
    from rankmark.compat.trec_eval import main  # noqa: PLC0415

    sys.exit(main(ctx.args))
