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
    click.Option(names, is_flag=not takes_value, expose_value=False, help=about)
    for names, takes_value, about in (
        (["-q", "--query_eval_wanted"], False, "Print the values of each query, too."),
        (["-m", "--measure"], True, "A measure or set, with parameters after a point."),
        (["-c", "--complete_rel_info_wanted"], False, "Average over all judged queries."),
        (["-l", "--level_for_rel"], True, "The lowest relevant label."),
        (["-n", "--nosummary"], False, "Print no values over all queries."),
        (["-M", "--Max_retrieved_per_topic"], True, "Use so many first documents of each ranking."),
        (["-N", "--Number_docs_in_coll"], True, "The size of the collection."),
        (["-J", "--Judged_docs_only"], False, "Remove unjudged documents."),
        (["-R", "--Rel_info_format"], True, "qrels, prefs, qrels_prefs or qrels_jg."),
        (["-T", "--Results_format"], True, "trec_results."),
        (["-Z", "--Zscore"], True, "Print z-scores, by the means and deviations in this file."),
        (["-D", "--Debug_level"], True, "Evaluate only the query behind the point, as in 1.301."),
        (["-o", "--Output_old_results_format"], False, "Ignored."),
        (["-h", "--help"], False, "Explain the options and the measures given."),
        (["-v", "--version"], False, "Print the version."),
        (["--as"], True, "The version of trec_eval, 9 or 10. [default: 10]"),
        (["--bug-compatible"], False, "Reproduce its defects."),
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
