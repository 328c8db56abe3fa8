"""``rankmark plot``: pictures of runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.evaluate import chosen_queries, evaluated
from rankmark.cli.faults import refuse_overwriting, refuse_stdin_twice, told
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
    """Find the format in the file's name; standard output takes SVG."""
    to_stdout = output is None or str(output) == "-"
    if to_stdout and sys.stdout is None:
        raise click.UsageError("stdout is closed; name a file: -o picture.svg")
    if output is None and sys.stdout.isatty():
        raise click.UsageError("a terminal shows no pictures; name a file: -o picture.svg")
    if output is None or to_stdout:
        return "svg"
    for form in FORMATS:
        if output.suffix.lower() == f".{form}":
            return form
    raise click.BadParameter(
        f"{str(output)!r} names no format; end it in .svg, .png or .pdf", param_hint="'--output'"
    )


@click.command(
    short_help="Draw pictures of runs.",
    help="\n\n".join(
        [
            "Draw a picture of one or several runs scored against judgments.",
            "QRELS and each RUN are files as `rankmark evaluate` reads them, - for stdin. KIND is "
            "one of:",
            f"\b\n{_LIST}",
            "Who was averaged, and the conventions in force, go to stderr; the title names what "
            "matters of them. Needs matplotlib: pip install 'rankmark[plot]'.",
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
    "A measure, such as nDCG@10 or AP(rel=2); for a curve, several. [default: nDCG; for "
    "precision-recall IPrec; where each query's score is drawn nDCG@10]"
)
@click.option("--query", metavar="ID", help="Show one query, where the picture goes down ranks.")
@click.option(
    "-k",
    "--k",
    type=click.IntRange(min=1),
    help="The last rank, where the picture goes down ranks. [default: the measure's cutoff, else "
    "100 or where rankings end]",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="What to call a run; given for none, or once for each. [default: its file's name]",
)
@click.option(
    "--highlight",
    multiple=True,
    metavar="RUN",
    help="A run that has a colour, the others standing back in grey; may be given several times. "
    "[default: all of up to 7; of more, the first and the 5 best]",
)
@click.option("--log-k", is_flag=True, help="Make the axis of k logarithmic.")
@click.option("--no-title", is_flag=True, help="Leave the title out, as for a figure in print.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.svg|png|pdf",
    help="Write to a file, whole or not at all; its ending says the format. [default: SVG to "
    "stdout, unless that is a terminal]",
)
@click.option(
    "--size",
    default=f"{SIZE[0]:g}x{SIZE[1]:g}",
    show_default=True,
    metavar="WxH",
    callback=_as_size,
    help="Width and height in inches; 3.3x2.5 fits a column of print.",
)
@options.formats
@options.conventions
@options.threads
def plot(
    kind: Kind,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
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
    """Draw a picture; the help is put together above, as it lists the kinds."""
    form = _form(output)
    taken = {"by_rank": k is not None, "one_query": query is not None, "along_k": log_k}
    try:
        refuse(kind, len(runs), len(measures), **taken)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    if names and len(names) != len(runs):
        raise click.UsageError(f"--name is given {len(names)} times for {len(runs)} runs")
    with told():
        seen = [name for name in (options["seen"],) if name is not None]
        read = [qrels, *runs, *seen, queries.removeprefix("@")]
        refuse_stdin_twice(*read)
        refuse_overwriting(output, *read)
        from rankmark.plots.marks.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.plots.plots import Plot  # noqa: PLC0415
        from rankmark.report.notes import notes  # noqa: PLC0415
        from rankmark.report.writing import whole_file  # noqa: PLC0415

        require_matplotlib()  # better said before large files are read
        asked = measures or (KINDS[kind].measure or "Judged@10",)
        evaluations = evaluated(qrels, runs, asked, queries=chosen_queries(queries), **options)
        requested = Plot(
            kind,
            evaluations,
            measures or None,
            query=query,
            k=k,
            names=names or None,
            highlight=highlight or None,
            log_k=log_k,
            title=not no_title,
        )
        drawn = requested.as_file(form, size)
        if output is None or str(output) == "-":
            sys.stdout.buffer.write(drawn)  # as it is, whatever letters and line ends are wanted
            sys.stdout.flush()
        else:
            with whole_file(output) as file:
                file.write(drawn)
        print(*notes(evaluations), sep="\n", file=sys.stderr)
