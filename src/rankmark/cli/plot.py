"""``rankmark plot``: plots of runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.evaluate import chosen_queries, evaluated
from rankmark.cli.faults import refuse_overwriting, refuse_stdin_twice, reported_errors
from rankmark.errors import InputError
from rankmark.plots.kinds import KINDS, NAMES, refuse
from rankmark.plots.marks.figures import FORMATS, SIZE

if TYPE_CHECKING:
    from rankmark.plots.kinds import Kind
    from rankmark.plots.marks.figures import Format

_WIDTH = max(map(len, NAMES))
_LIST = "\n".join(f"  {kind:<{_WIDTH}}  {facts.shows}" for kind, facts in KINDS.items())


def _as_size(
    _context: click.Context, _parameter: click.Parameter, given: str
) -> tuple[float, float]:
    """Turn WIDTHxHEIGHT into inches."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)x(\d+\.?\d*|\.\d+)", given.strip())
    size = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    if not all(1 <= side <= 50 for side in size):
        raise click.BadParameter(f"{given!r}; need inches from 1 to 50, as in 3.3x2.5")
    return size


def _form(output: Path | None) -> Format:
    """Return the format of a file by its ending; SVG for standard output."""
    to_stdout = output is None or str(output) == "-"
    if to_stdout and sys.stdout is None:
        raise click.UsageError("stdout is closed; name a file: -o picture.svg")
    if output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show plots; name a file: -o picture.svg")
    if output is None or to_stdout:
        return "svg"
    for form in FORMATS:
        if output.suffix.lower() == f".{form}":
            return form
    raise click.BadParameter(
        f"{str(output)!r} has no known format; end it in .svg, .png or .pdf",
        param_hint="'--output'",
    )


@click.command(
    short_help="Plot runs.",
    help="\n\n".join(
        [
            "Plot one or several runs, evaluated against judgments.",
            "QRELS and each RUN are files as for `rankmark evaluate`, or - for stdin. KIND is one "
            "of:",
            f"\b\n{_LIST}",
            "The queries averaged and the conventions are written to stderr, and the most "
            "important ones to the title. Requires matplotlib: pip install 'rankmark[plot]'.",
            "\b\n"
            "  rankmark plot curve qrels.txt bm25.run dense.run -m R@1000 -o recall.svg\n"
            "  rankmark plot differences qrels.txt bm25.run dense.run -m AP -o gains.pdf",
        ]
    ),
)
@click.argument("kind", type=click.Choice(NAMES), metavar="KIND")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@options.measure_option(
    "A measure, such as nDCG@10 or AP(rel=2); a curve takes several. [default: nDCG for curve, "
    "IPrec for precision-recall, nDCG@10 for plots of scores by query]"
)
@options.rel
@click.option("--query", metavar="ID", help="Plot one query; for plots over ranks.")
@click.option(
    "-k",
    "--k",
    type=click.IntRange(min=1),
    help="The last rank, for plots over ranks. [default: the measure's cutoff, else 100 or the "
    "length of the rankings]",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Name of a run; give none, or one for each run. [default: the name of its file]",
)
@click.option(
    "--highlight",
    multiple=True,
    metavar="RUN",
    help="A run in colour, the others being grey; can be repeated. [default: all of up to 7; of "
    "more, the first and the 5 best]",
)
@click.option("--log-k", is_flag=True, help="Make the axis of k logarithmic.")
@click.option("--no-title", is_flag=True, help="Omit the title, as in papers.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.svg|png|pdf",
    help="Write to a file, completely or not at all, in the format of its ending. [default: SVG to "
    "stdout, unless that is a terminal]",
)
@click.option(
    "--size",
    default=f"{SIZE[0]:g}x{SIZE[1]:g}",
    show_default=True,
    metavar="WxH",
    callback=_as_size,
    help="Width and height in inches; 3.3x2.5 fits a column of a paper.",
)
@options.formats
@options.conventions
@options.threads
def plot(
    kind: Kind,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    rel: float | None,
    query: str | None,
    k: int | None,
    names: tuple[str, ...],
    highlight: tuple[str, ...],
    log_k: bool,
    no_title: bool,
    output: Path | None,
    size: tuple[float, float],
    queries: str,
    **options: Any,
) -> None:
    """Draw a plot; its help text above lists the kinds."""
    form = _form(output)
    given = {"by_rank": k is not None, "one_query": query is not None, "along_k": log_k}
    try:
        refuse(kind, len(runs), len(measures), **given)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    if names and len(names) != len(runs):
        raise click.UsageError(f"--name is given {len(names)} times for {len(runs)} runs")
    with reported_errors():
        seen = [name for name in (options["seen"],) if name is not None]
        read = [qrels, *runs, *seen, queries.removeprefix("@")]
        refuse_stdin_twice(*read)
        refuse_overwriting(output, *read)
        from rankmark.measures.names import every  # noqa: PLC0415
        from rankmark.plots.marks.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.plots.plots import Plot  # noqa: PLC0415
        from rankmark.report.notes import notes  # noqa: PLC0415
        from rankmark.report.table_options import TableOptions  # noqa: PLC0415
        from rankmark.report.writing import whole_file  # noqa: PLC0415

        require_matplotlib()  # before large files are read
        needed = every(measures or (KINDS[kind].measure or "Judged@10",), rel=rel)
        evaluations = evaluated(qrels, runs, needed, queries=chosen_queries(queries), **options)
        requested = Plot(
            kind,
            evaluations,
            needed if measures or rel is not None else None,
            query=query,
            k=k,
            names=names or None,
            highlight=highlight or None,
            log_k=log_k,
            title=not no_title,
        )
        drawn = requested.as_file(form, size)
        if output is None or str(output) == "-":
            sys.stdout.buffer.write(drawn)  # without conversion of line ends
            sys.stdout.flush()
        else:
            with whole_file(output) as file:
                file.write(drawn)
        called = TableOptions(names or None)
        print(*notes(evaluations, called), sep="\n", file=sys.stderr)
