"""``rankmark reconcile``: find the conventions that give a number from elsewhere."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own
from rankmark.conventions import DECLARED


@command_of(
    "verbs.reconcile.reconcile:reconcile",
    ["qrels", "run"],
    option(
        "Data",
        "--value",
        "values",
        multiple=True,
        metavar="NUMBER",
        help="The number, with all decimals that were printed, such as 0.4310; or MEASURE=NUMBER. "
        "A number above 1 is percent if the measure is at most 1; can be repeated.",
    ),
    own("per_query"),
    further_own("subset"),
    options.measure_option(
        "The measure of the number; with several, each has its --value, in the same order. "
        "[default: nDCG@10]"
    ),
    options.rel,
    options.known_conventions,
    options.seen,
    options.of_items,
    options.weights,
    further_own("digits"),
    own("against", "changes"),
    options.table_or_json,
    options.output,
    options.quiet,
    options.formats,
    options.threads,
    per_query={"group": "Data"},
    subset={"group": "Data", "type": str, "metavar": "ID,ID,...|@FILE"},
    digits={"group": "Search"},
    against=options.TOOL | {"group": "Search"},
    changes={"group": "Search", "type": click.IntRange(0, 5)},
)
def reconcile(
    call: Call, qrels: str, run: str, measures: tuple[str, ...], values: tuple[str, ...]
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
    measure, value = _numbers(measures, values)
    if not values and call.given["per_query"] is None and call.given["against"] is None:
        raise click.UsageError("give the number as --value, or --per-query, or --against TOOL")
    unknown: dict[str, Any] = {name: None for name in DECLARED if not call.is_given(name)}
    call.write(call.result(qrels, run, measure, value, **unknown), notes=[])


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
