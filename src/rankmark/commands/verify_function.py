"""``rankmark verify-function``: find out which measure a function of yours computes."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import own
from rankmark.verbs.verify_function.cases import LEFT_OUT


@command_of(
    "verbs.verify_function.which_convention:which_convention",
    [click.argument("function", metavar="[MODULE:FUNCTION]", required=False)],
    option(
        "Data",
        "--program",
        metavar="COMMAND",
        help='A program in any language instead, which reads lines such as {"retrieved": '
        '["d2", "d1"], "judged": {"d1": 1}, "k": 3}, and writes a number for each.',
    ),
    own("arguments", "time_limit", "expect", "profile", "leave_out"),
    options.table_or_json,
    options.output,
    options.quiet,
    arguments={
        "group": "Data",
        "type": str,
        "metavar": "WORD,WORD,...",
        "help": "What the arguments are, in their order: labels (in rank order), hits (0 or 1), "
        "scores, retrieved (ids), relevant (ids), judged ({id: label}), ideal (labels), "
        "num_relevant, qrels, run, k; with [] or {} for a list or dict that has one for each "
        "query. [default: what their names suggest]",
    },
    time_limit={"group": "Search", "metavar": "SECONDS"},
    expect={
        "group": "Decision",
        "type": str,
        "metavar": "MEASURE",
        "shell_complete": options.complete_measure,
        "help": "The measure that it should implement, such as nDCG@10; if it does not, the exit "
        "code is 3.",
    },
    profile=options.TOOL | {"group": "Conventions"},
    leave_out={"group": "Decision", "type": click.Choice(LEFT_OUT)},
)
def verify_function(
    call: Call,
    function: str | None,
    program: str | None,
    expect: str | None,
    profile: str | None,
) -> None:
    """Find out which measure your own function computes, by which conventions, or with which bug.

    FUNCTION is called with many small rankings. The answer says in a sentence what it computes, and
    shows its bugs, the smallest ranking for which it differs from the usual measure, with both
    formulas, and what it does with duplicates and queries without relevant documents. The
    module is imported, so its code runs; what it prints goes to stderr.

    The exit code is 3 if it does not implement --expect, 1 if it cannot be loaded or called, and 0
    otherwise.

    \b
      rankmark verify-function metrics.py:recall --arguments retrieved,relevant,k
      rankmark verify-function mymodule:ndcg --expect nDCG@10 --profile sklearn
      rankmark verify-function --program "node ndcg.js" --expect nDCG@10
    """  # noqa: D301  (click reads the backspace)
    if (function is None) == (program is None):
        raise click.UsageError("name a function, or a --program")
    call.prepare(function.rpartition(":")[0] if function else None)
    if profile is not None and expect is None:
        raise click.UsageError("--profile needs the name of a measure as --expect")
    from rankmark.verbs.verify_function.loading import loaded  # noqa: PLC0415
    from rankmark.verbs.verify_function.program import Program  # noqa: PLC0415

    with redirect_stdout(sys.stderr):
        asked = Program(program) if program else loaded(function or "")
        found = call.result(asked, expect=expect, profile=profile)
    call.decide(found)
