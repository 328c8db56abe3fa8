"""``rankmark reconcile``: find the conventions that give a number from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.publishing import TABULAR, width_of, write_result
from rankmark.conventions import DECLARED


@command()
@options.qrels
@options.run
@option(
    "Data",
    "--value",
    "values",
    multiple=True,
    metavar="NUMBER",
    help="The number, with all decimals that were printed, such as 0.4310; or MEASURE=NUMBER. "
    "A number above 1 is percent if the measure is at most 1; can be repeated.",
)
@option(
    "Data",
    "--per-query",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Numbers of queries instead: the output of trec_eval -q, or CSV, TSV or JSON with a "
    "column for each measure.",
)
@option(
    "Data",
    "--subset",
    metavar="ID,ID,...|@FILE",
    help="Queries that may have been averaged instead of all.",
)
@options.measure_option(
    "The measure of the number; with several, each has its --value, in the same order. "
    "[default: nDCG@10]"
)
@options.rel
@options.known_conventions
@options.seen
@options.weights
@option(
    "Search",
    "--digits",
    type=click.IntRange(0),
    help="Decimals to compare. [default: those that the numbers show]",
)
@option(
    "Search",
    "--against",
    metavar="TOOL",
    callback=options.known_profile,
    shell_complete=options.complete_profile,
    help="Show query by query where a tool differs on these files, and why; `rankmark "
    "profiles` lists the tools.",
)
@option(
    "Search",
    "--changes",
    type=click.IntRange(0, 5),
    help="The most conventions to change at once. [default: until the number is found, at most 3]",
)
@options.table_or_json
@options.output
@options.quiet
@options.formats
@options.threads
@click.pass_context
def reconcile(
    context: click.Context,
    /,
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    values: tuple[str, ...],
    per_query: str | None,
    subset: str | None,
    form: str,
    output: Path | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    **given: Any,
) -> None:
    """Find the conventions under which RUN has a number that another program printed.

    Ties, the queries averaged, gains, denominators, cutoffs and other conventions are changed, one
    and then several at a time, until some give the number to its last decimal. Each answer shows
    what was changed, who computes so, and the command for it; below stand how many unrelated
    numbers would be explained as well, and what would tell answers apart. If nothing gives the
    number, the nearest are shown, and subsets of the queries that fit; the exit code is 0 in
    either case.

    Conventions that you know, such as --ties input, are kept.

    \b
      rankmark reconcile qrels.txt bm25.run -m AP --value 0.1731
      rankmark reconcile qrels.txt bm25.run --value nDCG@10=0.431 --value AP=0.25
      rankmark reconcile qrels.txt bm25.run -m AP --per-query trec_eval.out
      rankmark reconcile qrels.txt bm25.run -m nDCG@10 --against ranx
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.options import as_queries, beside  # noqa: PLC0415
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.reconcile.reconcile import reconcile as search  # noqa: PLC0415

        measure, value = _numbers(measures, values)
        if not values and per_query is None and given["against"] is None:
            raise click.UsageError("give the number as --value, or --per-query, or --against TOOL")
        for name in DECLARED:
            if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
                given[name] = None
            elif name == "queries":
                given[name] = as_queries(given[name])
        read = [qrels, run, per_query, *beside(given), given["weights"]]
        refuse_conflicts(read, output)
        with Progress():
            found = search(
                qrels,
                run,
                measure,
                value,
                per_query=per_query,
                subset=None if subset is None else as_queries(subset),
                **given,
            )
        is_json = form == "json"
        text = found.to_json(indent=2) if is_json else found.to_text(width=width_of(output))
        write_result(found if form in TABULAR else text + "\n", form, output)


def _numbers(measures: tuple[str, ...], values: tuple[str, ...]) -> tuple[Any, Any]:
    """Pair measures with numbers, which may name their measures."""
    named = ["=" in value.rpartition(")")[2] for value in values]
    if any(named):
        if not all(named):
            raise click.UsageError("write --value as MEASURE=NUMBER for each number, or for none")
        from rankmark.measures.names import every  # noqa: PLC0415

        pairs = [value.rpartition("=") for value in values]
        of = every([name for name, _, _ in pairs])
        each = [one for name, _, _ in pairs for one in every([name])]
        if twice := [one for one in of if each.count(one) > 1]:
            raise click.UsageError(f"--value has two numbers for {twice[0]}; give one")
        if measures and set(of) != set(every(list(measures))):
            raise click.UsageError(
                f"--value has numbers for {', '.join(map(str, of))}, and --measure names "
                f"{', '.join(measures)}; leave --measure out, or name the same measures"
            )
        return (list(measures) or None), {name: number for name, _, number in pairs}
    return (list(measures) or None), (list(values) or None)
