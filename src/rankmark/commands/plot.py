"""``rankmark plot``: plots of runs."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, cast

import click

from rankmark.commands.compare import STATISTICS, against, tests
from rankmark.commands.parts import options
from rankmark.commands.parts.faults import print_note
from rankmark.commands.parts.grouped_help import further, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.options import picture_format
from rankmark.commands.parts.tables import named_baseline, names_of_runs
from rankmark.commands.parts.verb_options import options_of, parsed
from rankmark.commands.parts.writing import write_picture
from rankmark.errors import InputError
from rankmark.results.drawing.figures import SIZE, require_matplotlib
from rankmark.verbs.plot.kinds import COMPARED, KINDS, NAMES, refuse, refuse_compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.measures import Measure
    from rankmark.results.drawing.figures import Format
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.plot.kinds import ComparedKind, Kind

_METHOD = "verbs.evaluate.plot_methods:plot"
_SHOWS = {kind: facts.shows for kind, facts in KINDS.items()} | COMPARED
_WIDTH = max(map(len, _SHOWS))
_LIST = "\n".join(
    fill(
        f"{kind:<{_WIDTH}}  {shows}", 76, initial_indent="  ", subsequent_indent=" " * (_WIDTH + 4)
    )
    for kind, shows in _SHOWS.items()
)


def _as_size(given: str) -> tuple[float, float]:
    """Turn WIDTHxHEIGHT into inches."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)x(\d+\.?\d*|\.\d+)", given.strip())
    size = (float(found[1]), float(found[2])) if found else (0.0, 0.0)
    if not all(1 <= side <= 50 for side in size):
        raise ValueError
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
    return picture_format(output, "--output")


_ABOUT = "\n\n".join(
    [
        "Plot one or several runs, evaluated against judgments. KIND is one of:",
        f"\b\n{_LIST}",
        "\b\n"
        "  rankmark plot curve qrels.txt bm25.run dense.run -m R@1000 -o recall.svg\n"
        "  rankmark plot leaderboard qrels.txt *.run -m AP -m nDCG@10 -o board.svg",
        "\f\n"
        "QRELS and each RUN are files as for `rankmark evaluate`, or - for stdin. The queries "
        "averaged and the conventions are written to stderr, and the most important ones to the "
        "caption. Requires matplotlib: pip install 'rankmark[plot]'.",
        "--baseline (for several runs in cutoffs, by default the best at the last cutoff), "
        f"--test and the other options for statistics apply to {', '.join(COMPARED)}.",
    ]
)


@command_of(
    "verbs.evaluate.evaluate_runs:evaluate_runs",
    [
        click.argument("kind", type=click.Choice([*NAMES, *COMPARED]), metavar="KIND"),
        "qrels",
        "runs...",
    ],
    options_of(_METHOD, "query", query={"group": "Data", "metavar": "ID"}),
    options.seen,
    options.measure_option(
        "A measure, such as AP(rel=2); several for curve and leaderboard, two for trade-off. "
        "[default: nDCG for curve, nDCG@1 to nDCG@20 for cutoffs, IPrec for precision-recall, "
        "otherwise nDCG@10]"
    ),
    further(options.cutoffs, options.rel),
    options.items,
    options.conventions,
    options.corpus,
    against,
    further(tests),
    options_of(
        _METHOD, "k", k={"group": "Picture", "flag": ["-k", "--k"], "type": click.IntRange(min=1)}
    ),
    option(
        "Picture",
        "--name",
        "names",
        multiple=True,
        metavar="RUN=NAME|NAME",
        help="Name of a run, or one for each run, in order. [default: its file]",
    ),
    further(
        options_of(
            _METHOD,
            "highlight",
            "log_k",
            highlight={"group": "Picture", "multiple": True, "metavar": "RUN"},
            log_k={"group": "Picture"},
        ),
        options.flag("--no-title", "Omit title and caption, as for figures in papers.", "Picture"),
    ),
    further(
        option(
            "Picture",
            "--size",
            metavar="WxH",
            callback=parsed(_as_size, "{!r}; need inches from 1 to 50, as in 3.3x2.5"),
            help="Width and height in inches; 3.3x2.5 fits a column of a paper. [default: "
            f"{SIZE[0]:g}x{SIZE[1]:g}; {', '.join(COMPARED)}: as the number of runs needs]",
        )
    ),
    options.output_option(
        "Write to a file, completely or not at all, in the format of its ending. [default: SVG to "
        "stdout, unless that is a terminal]",
        "FILE.svg|png|pdf",
    ),
    options.quiet,
    options.verbose,
    options.reading,
    about=_ABOUT,
)
def plot(
    call: Call,
    kind: Kind | ComparedKind,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    query: str | None,
    k: int | None,
    names: tuple[str, ...],
    highlight: tuple[str, ...],
    log_k: bool,
    no_title: bool,
    size: tuple[float, float] | None,
    rel: float | None,
) -> None:
    """Draw a plot; its help text above lists the kinds."""
    output = call.output
    form = _form(output)
    chosen = {name: call.given.pop(name) for name in STATISTICS}
    by_rank = {"query": query, "k": k, "log_k": log_k}
    against_best = kind == "cutoffs" and chosen["baseline"] is None and len(runs) > 2
    _refuse_options(
        kind, len(runs), len(measures), by_rank, runs[0] if against_best else chosen["baseline"]
    )
    called = _called(runs, names) if names else []
    call.prepare()
    from rankmark.results.table_options import TableOptions  # noqa: PLC0415
    from rankmark.scoring.request import as_measures  # noqa: PLC0415
    from rankmark.verbs.evaluate.notes import notes, to_show  # noqa: PLC0415
    from rankmark.verbs.plot.comparison_plots import ComparedPlot  # noqa: PLC0415
    from rankmark.verbs.plot.evaluation_plots import Plot  # noqa: PLC0415

    require_matplotlib()  # before large files are read
    default = "nDCG@20" if kind == "cutoffs" else "nDCG@10"
    if kind not in COMPARED:
        default = KINDS[cast("Kind", kind)].measure or "Judged@10"
    needed = [*as_measures(measures or (default,), rel, call.given["profile"])[0]]
    if kind == "cutoffs" and len(needed) == 1 and "k" in needed[0].parameters:
        # One measure is drawn at each cutoff up to its own.
        needed = [*(needed[0] @ range(1, (getattr(needed[0], "k", None) or 20) + 1))]
    asked = needed if measures or rel is not None else None
    looks: dict[str, Any] = {"highlight": highlight or None, "title": not no_title}

    def draw(evaluations: list[Evaluation]) -> tuple[bytes, list[str]]:
        legend: list[str] = []
        if against_best:
            chosen["baseline"] = runs[_best(evaluations, needed[-1])]
        if kind in COMPARED:
            compared = _compared(evaluations, runs, called, chosen)
            plot = ComparedPlot(kind, compared, asked, **looks)
            drawn = plot.as_file(form, size)
            legend = plot.trade_off.notes if kind == "trade-off" else compared.legend
        else:
            more = looks | by_rank | {"names": called or None}
            drawn = Plot(cast("Kind", kind), evaluations, asked, **more).as_file(form, size or SIZE)
        look = TableOptions(called or None, notes=call.wanted_notes)
        audit = [line for line in notes(evaluations, look) if line not in legend]
        return drawn, to_show([*legend, *audit], look)

    drawn, below = call.result(qrels, runs, needed, told=[qrels, *runs], then=draw)
    if output is None or str(output) == "-":
        sys.stdout.buffer.write(drawn)  # without conversion of line ends
        sys.stdout.flush()
    else:
        write_picture(drawn, output)
    print_note("\n".join(below))


def _called(runs: Sequence[str], names: Sequence[str]) -> list[str]:
    """Name runs by RUN=NAME, or one after another."""
    try:
        return names_of_runs(runs, names)
    except click.UsageError:
        if len(names) == len(runs):
            return list(names)
        if any("=" in name for name in names):
            raise
    raise click.UsageError(f"--name is given {len(names)} times for {len(runs)} runs")


def _best(evaluations: Sequence[Evaluation], measure: Measure) -> int:
    """Return the number of the best run by a measure."""
    sign = 1 if measure.more_is_better else -1
    return max(range(len(evaluations)), key=lambda at: sign * evaluations[at][str(measure)])


def _refuse_options(
    kind: Kind | ComparedKind,
    runs: int,
    measures: int,
    by_rank: dict[str, Any],
    baseline: str | None,
) -> None:
    """Refuse options that a kind of plot does not use, before files are read."""
    unused = [name for name, value in by_rank.items() if value] if kind in COMPARED else []
    if kind not in COMPARED:
        source = click.get_current_context().get_parameter_source
        given = click.core.ParameterSource.COMMANDLINE
        unused = [name for name in STATISTICS if source(name) is given]
    if unused:
        raise click.UsageError(f"{kind} does not use --{unused[0].replace('_', '-')}; leave it out")
    try:
        if kind in COMPARED:
            refuse_compared(kind, measures, runs, baseline)
        else:
            ranks = {"by_rank": by_rank["k"] is not None, "along_k": bool(by_rank["log_k"])}
            ranks["one_query"] = by_rank["query"] is not None
            refuse(cast("Kind", kind), runs, measures, **ranks)
    except InputError as error:
        raise click.UsageError(str(error)) from None


def _compared(
    evaluations: Sequence[Evaluation],
    runs: Sequence[str],
    names: Sequence[str],
    statistics: dict[str, Any],
) -> Comparison:
    """Compare evaluations."""
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.verbs.compare.compare import compare  # noqa: PLC0415

    called = list(names) or short_names(runs)
    if statistics["baseline"] is not None:
        against = named_baseline(statistics["baseline"], runs, called)
        statistics = statistics | {"baseline": against}
    return compare(None, dict(zip(called, evaluations, strict=True)), **statistics)
