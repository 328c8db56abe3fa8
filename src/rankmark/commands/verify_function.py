"""``rankmark verify-function``: find out which measure a function of yours computes."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import leave_stdout, refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.publishing import TABULAR, width_of, write_result
from rankmark.verbs.verify_function.cases import LEFT_OUT


@command()
@click.argument("function", metavar="MODULE:FUNCTION")
@option(
    "Data",
    "--arguments",
    metavar="WORD,WORD,...",
    help="What the arguments are, in their order: labels (in rank order), hits (0 or 1), scores, "
    "retrieved (ids), relevant (ids), judged ({id: label}), ideal (labels), num_relevant, qrels, "
    "run, k; with [] or {} for a list or dict that has one for each query. "
    "[default: what their names suggest]",
)
@option(
    "Search",
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="The longest time that a call may take.",
)
@option(
    "Decision",
    "--expect",
    metavar="MEASURE",
    shell_complete=options.complete_measure,
    help="The measure that it should implement, such as nDCG@10; if it does not, the exit code "
    "is 3.",
)
@option(
    "Conventions",
    "--profile",
    metavar="TOOL",
    callback=options.known_profile,
    shell_complete=options.complete_profile,
    help="The tool whose version of the measure it should implement; `rankmark profiles` lists the "
    "tools.",
)
@option(
    "Decision",
    "--leave-out",
    multiple=True,
    type=click.Choice(LEFT_OUT),
    help="Cases in which it may differ from the measure: tied scores, labels below 0, unjudged "
    "documents, nothing relevant, nothing retrieved; can be repeated.",
)
@options.table_or_json
@options.output
@options.quiet
def verify_function(
    function: str,
    arguments: str | None,
    time_limit: float,
    expect: str | None,
    profile: str | None,
    leave_out: tuple[str, ...],
    form: str,
    output: Path | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
) -> None:
    """Find out which measure your own function computes, by which conventions, or with which bug.

    FUNCTION is called with many small rankings. The answer says in a sentence what it computes, and
    shows its bugs, the smallest ranking for which it differs from the usual measure, with both
    formulas, and what it does with duplicates and queries without relevant documents. The
    module is imported, so its code runs; what it prints goes to stderr.

    The exit code is 3 if it does not implement --expect, 1 if it cannot be loaded or called, and 0
    otherwise.

    \b
      rankmark verify-function mymodule:ndcg
      rankmark verify-function metrics.py:recall --arguments retrieved,relevant,k
      rankmark verify-function mymodule:ndcg --expect nDCG@10 --profile sklearn
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.verify_function.loading import loaded  # noqa: PLC0415
        from rankmark.verbs.verify_function.which_convention import which_convention  # noqa: PLC0415

        refuse_conflicts([function.rpartition(":")[0]], output)
        if profile is not None and expect is None:
            raise click.UsageError("--profile needs the name of a measure as --expect")
        with Progress(), redirect_stdout(sys.stderr):
            found = which_convention(
                loaded(function),
                arguments=arguments,
                expect=expect,
                profile=profile,
                leave_out=leave_out,
                time_limit=time_limit,
            )
        is_json = form == "json"
        text = found.to_json(indent=2) if is_json else found.to_text(width=width_of(output))
        try:
            write_result(found if form in TABULAR else text + "\n", form, output)
        except BrokenPipeError:  # the reader has ended, which changes nothing about the answer
            leave_stdout()
        if not found:
            sys.exit(found.exit_code)
