"""``rankmark fuse``: fuse several runs into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import print_note
from rankmark.commands.parts.grouped_help import further, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.tables import called
from rankmark.commands.parts.verb_options import further_own, numbers_in, own, parsed

if TYPE_CHECKING:
    from rankmark.verbs.convert.row_formats import RowFormat


def _methods() -> list[str]:
    from rankmark.verbs.fuse.methods import ALL  # noqa: PLC0415

    return [each.name for each in ALL]


def _presets() -> list[str]:
    from rankmark.verbs.fuse.presets import PRESETS  # noqa: PLC0415

    return [*PRESETS]


complete_method = options.completed(_methods)


def _as_constant(given: str) -> float | str:
    return given if given in {"raw", "positive"} else float(given)


def _as_norm(given: str) -> str | list[str]:
    return [norm.strip() for norm in given.split(",")] if "," in given else given


@command_of(
    "verbs.fuse.fuse:fuse",
    ["runs..."],
    own("method"),
    option("Method", "--k", type=float, help="The k of RRF."),
    own("preset", "norm"),
    further_own("constant"),
    own("weights", "depth", "top"),
    further_own("ties", "queries"),
    options.lower_better,
    options.units,
    options.output_option(
        "Write the fused run to a file, in the format that its name says. [default: stdout, as "
        "TREC text]",
        "FILE",
    ),
    option(
        "Output",
        "--to",
        type=click.Choice(options.ROW_FORMATS),
        help="Format of the fused run. [default: from the ending of FILE]",
    ),
    further(option("Output", "--tag", help="Run tag to write. [default: the method]")),
    option(
        "Output",
        "--explain",
        "query",
        metavar="QUERY",
        help="In place of the fused run, show what each list gave the documents of a query: rank, "
        "score, normalised score, and what it adds.",
    ),
    options.quiet,
    options.lists,
    further_own("memory"),
    options.threads,
    method={
        "flag": ["-m", "--method"],
        "type": str,
        "metavar": "METHOD",
        "shell_complete": complete_method,
    },
    preset={"metavar": "NAME", "shell_complete": options.completed(_presets)},
    norm={
        "metavar": "NORM",
        "callback": parsed(_as_norm),
        "help": "How scores are normalised, list by list: min-max, max, sum, z, rank, borda, l2, "
        "3-sigma, none, ...; or one for each run, NORM,NORM. [default: min-max, for methods that "
        "use scores]",
    },
    constant={
        "metavar": "NUMBER|raw|positive",
        "callback": parsed(_as_constant, "{!r} is neither a number nor raw or positive"),
    },
    weights={
        "metavar": "NUMBER,NUMBER,...",
        "callback": parsed(numbers_in, "{!r} is not a list of numbers, such as 0.3,0.7"),
    },
    top={"type": click.IntRange(min=1)},
    memory={"type": str, "metavar": "SIZE"},
)
def fuse(
    call: Call,
    runs: tuple[str, ...],
    method: str | None,
    k: float | None,
    lower_better: tuple[str, ...],
    to: RowFormat | None,
    tag: str | None,
    query: str | None,
    memory: str | None,
    threads: int | None,
) -> None:
    """Fuse several runs into one, query by query.

    Each RUN is a file as for `rankmark evaluate`, or - for stdin. The fused run is written to
    stdout, or to a file; what was fused to stderr: how many documents are in more than one list,
    which are tied, which lists have equal scores only, and what --depth cut. Scores are written
    with up to 17 digits, so that they are read as the same numbers.

    \b
      rankmark fuse bm25.run dense.run -o fused.run
      rankmark fuse bm25.run dense.run -m wsum --weights 0.3,0.7 -o fused.run
      rankmark fuse bm25.run dense.run --preset weaviate -o fused.run.gz
    """  # noqa: D301  (click reads the backspace)
    call.prepare()
    if query is not None and not (to is tag is None):
        raise click.UsageError("--explain writes a table, for which --to and --tag say nothing")
    if k is not None and call.given["preset"] is not None:
        raise click.UsageError("--k and --preset exclude each other; a preset has its own k")
    from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
    from rankmark.commands.parts.writing import width_of, write_output  # noqa: PLC0415
    from rankmark.data.contract.reading_options import Reading  # noqa: PLC0415
    from rankmark.errors import InputError, shown  # noqa: PLC0415
    from rankmark.verbs.fuse.fuse import fusion_of, write_fused  # noqa: PLC0415
    from rankmark.verbs.fuse.fused_run import votes_of  # noqa: PLC0415
    from rankmark.verbs.fuse.methods import method as method_named  # noqa: PLC0415

    chosen = None if method is None else method_named(method)
    if k is not None:
        chosen = method_named("RRF" if chosen is None else chosen).choose(k=k)
    lower = called(lower_better, runs)
    fusion = fusion_of(list(runs), chosen, lower_better=lower, **call.given)
    if query is not None:
        votes = votes_of(fusion, query, fusion.top)
        if votes is None:
            raise InputError(f"no run has query {shown(query)}", "check the id")
        write_output(votes.to_text(width=width_of(call.output)), call.output)
        return
    with Progress(list(runs)) as progress:
        reading = Reading.of(threads=threads, memory=memory, progress=progress.update)
        audit = write_fused(fusion, str(call.output or "-"), to, tag, reading)
    for note in [fusion.conventions(), *([] if call.quiet else str(audit).splitlines())]:
        print_note(note)
