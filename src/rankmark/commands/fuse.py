"""``rankmark fuse``: fuse several runs into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import print_note
from rankmark.commands.parts.grouped_help import PATH, option
from rankmark.commands.parts.of_verb import Call, command_of, own

if TYPE_CHECKING:
    from rankmark.verbs.convert.row_formats import RowFormat


def _methods() -> list[str]:
    from rankmark.verbs.fuse.methods import ALL  # noqa: PLC0415

    return [each.name for each in ALL]


def _presets() -> list[str]:
    from rankmark.verbs.fuse.presets import PRESETS  # noqa: PLC0415

    return [*PRESETS]


complete_method = options.completed(_methods)


def _as_constant(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> float | str | None:
    if given in {None, "raw", "positive"}:
        return given
    try:
        return float(str(given))
    except ValueError:
        raise click.BadParameter(f"{given!r} is neither a number nor raw or positive") from None


def _as_weights(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> list[float] | None:
    if given is None:
        return None
    try:
        return [float(weight) for weight in given.split(",")]
    except ValueError:
        raise click.BadParameter(f"{given!r} is not a list of numbers, such as 0.3,0.7") from None


def _as_norm(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> str | list[str] | None:
    if given is None or "," not in given:
        return given
    return [norm.strip() for norm in given.split(",")]


@command_of(
    "verbs.fuse.fuse:fuse",
    ["runs..."],
    own("method"),
    option("Method", "--k", type=float, help="The k of RRF."),
    own("preset", "norm", "constant", "weights"),
    options.list_depth,
    own("top"),
    options.list_ties(
        "Documents with equal scores: ordered by id, descending (docid) or ascending (docid-asc), "
        "or as in the file (input); rank uses the rank column instead of scores; mean gives them "
        "the mean of their points. [default: docid, or that of the preset]",
    ),
    own("queries"),
    options.lower_better,
    options.units,
    option(
        "Output",
        "-o",
        "--output",
        metavar="FILE",
        type=PATH,
        help="Write the fused run to a file, in the format that its name says. [default: stdout, "
        "as TREC text]",
    ),
    option(
        "Output",
        "--to",
        type=click.Choice(options.ROW_FORMATS),
        help="Format of the fused run. [default: from the ending of FILE]",
    ),
    option("Output", "--tag", help="Run tag to write. [default: the method]"),
    option(
        "Output",
        "--explain",
        "query",
        metavar="QUERY",
        help="In place of the fused run, show what each list gave the documents of a query: rank, "
        "score, normalised score, and what it adds.",
    ),
    options.quiet,
    options.run_format,
    options.column,
    options.contents,
    options.parents,
    own("memory"),
    options.threads,
    method={
        "flag": ["-m", "--method"],
        "type": str,
        "metavar": "METHOD",
        "shell_complete": complete_method,
    },
    preset={"metavar": "NAME", "shell_complete": options.completed(_presets)},
    norm={
        "type": str,
        "metavar": "NORM",
        "callback": _as_norm,
        "help": "How scores are normalised, list by list: min-max, max, sum, z, rank, borda, l2, "
        "3-sigma, none, ...; or one for each run, NORM,NORM. [default: min-max, for methods that "
        "use scores]",
    },
    constant={"type": str, "metavar": "NUMBER|raw|positive", "callback": _as_constant},
    weights={"type": str, "metavar": "NUMBER,NUMBER,...", "callback": _as_weights},
    top={"type": click.IntRange(min=1)},
    memory={
        "type": str,
        "metavar": "SIZE",
        "help": "Memory for lists, such as 256M or 2G; text files that are larger together are "
        "read twice, a few queries at a time. [default: 512M]",
    },
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
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.verbs.fuse.fuse import fusion_of, write_fused  # noqa: PLC0415
    from rankmark.verbs.fuse.fused_run import votes_of  # noqa: PLC0415
    from rankmark.verbs.fuse.methods import method as method_named  # noqa: PLC0415

    chosen = None if method is None else method_named(method)
    if k is not None:
        chosen = method_named("RRF" if chosen is None else chosen).choose(k=k)
    short = dict(zip(runs, short_names(list(runs)), strict=True))
    lower = [short.get(name, name) for name in lower_better]
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
