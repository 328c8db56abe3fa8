"""``rankmark power``: what the queries of two runs can detect, and what a gate needs."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.gate import FOR_EACH, asked_conditions, gate_option
from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option, together
from rankmark.commands.parts.options import as_queries, beside
from rankmark.commands.parts.publishing import TABULAR, width_of, write_notes, write_result
from rankmark.verbs.gate.gate_options import BY_NAME

if TYPE_CHECKING:
    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions
    from rankmark.verbs.evaluate.result_tables import Format

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_OF_A_TEST = ("difference", "level", "half_width", "judge", "random")
_PLANNED = (
    *("max_drop", "require_better", "max_query_drop", "confidence", "weights", "clusters", "by"),
    *("score_range", "lower_is_better"),
)
_OF_A_GATE = (*_PLANNED, "gain", "config")


def _as_difference(
    _context: click.Context, _parameter: click.Parameter, given: float | None
) -> float | None:
    """Refuse a difference of 0, which no test can find, NaN and infinite numbers."""
    if given is not None and not 0 < abs(given) < math.inf:
        raise click.BadParameter(f"{given:g}; need a finite number other than 0")
    return given


@command()
@options.qrels
@click.argument("run_a", type=click.Path(allow_dash=True), required=False)
@click.argument("run_b", type=click.Path(allow_dash=True), required=False)
@option(
    "Data",
    "--scores",
    "are_scores",
    is_flag=True,
    help="For a gate: there are no QRELS, and RUN_A and RUN_B are scores by query, as for "
    "`rankmark gate --scores`.",
)
@options.seen
@options.measures
@options.rel
@options.conventions
@option(
    "Statistics",
    "--difference",
    type=float,
    callback=_as_difference,
    metavar="NUMBER",
    help="The true difference asked about, RUN_B minus RUN_A, in units of the measure. "
    "[default: the observed one]",
)
@option(
    "Statistics",
    "--power",
    type=_SHARE,
    default=0.8,
    show_default=True,
    help="How often a difference must be found, or a gate must pass.",
)
@option(
    "Statistics",
    "--level",
    type=_SHARE,
    default=0.05,
    show_default=True,
    help="Level of the test, two-sided.",
)
@option(
    "Statistics",
    "--half-width",
    type=float,
    metavar="NUMBER",
    help="Also say how many queries are needed for an interval that reaches so far on each side.",
)
@option(
    "Statistics",
    "--judge",
    metavar="QRELS",
    type=click.Path(allow_dash=True),
    help="Judgments by a language model, for the queries of QRELS and many more: also say how many "
    "queries people have to judge if these are used too, and how many judged by people alone both "
    "are worth.",
)
@option(
    "Statistics",
    "--random",
    is_flag=True,
    default=None,
    help="With --judge, state that people judged a random sample of its queries.",
)
@option(
    "Statistics",
    "--resamples",
    type=click.IntRange(min=1),
    help="Number of draws in each simulation. [default: 10000; 1000 for a gate]",
)
@options.seed
@together(*(gate_option(BY_NAME[name]) for name in _PLANNED))
@option(
    "Decision", "--config", metavar="FILE", type=click.Path(), help="Plan the gate of a TOML file."
)
@option(
    "Decision",
    "--gain",
    type=click.FloatRange(min=0),
    metavar="NUMBER",
    help="For a gate: how much better RUN_B is assumed to be. [default: 0]",
)
@options.form
@options.output
@options.quiet
@options.verbose
@options.formats
@options.threads
def power(
    qrels: str,
    run_a: str | None,
    run_b: str | None,
    are_scores: bool,
    form: Format,
    output: Path | None,
    quiet: bool,
    verbose: bool,
    queries: str,
    **given: Any,
) -> None:
    """Show which differences these queries can detect, and how many queries a difference needs.

    RUN_A is the baseline. Both runs are files as for `rankmark evaluate`, or - for stdin; how much
    their scores differ from query to query decides what a paired t test can find. The answers
    come from the noncentral t distribution, and from simulations that draw from the observed
    differences, which may be skewed or mostly zero.

    With --max-drop, --require-better or --config, it plans `rankmark gate` instead: how often the
    gate passes a run that is as good as the baseline, or better by --gain, and how many queries
    each condition, and all of them together, need. Without runs, it says what so many judged
    queries can show at best.

    \b
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10 --difference 0.01
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10 --max-drop 0.02
      rankmark power people.txt old.run new.run --judge llm.txt
      rankmark power qrels.txt --config gate.toml
      rankmark power --scores main.json branch.json --max-drop 0.05
    """  # noqa: D301  (click reads the backspace)
    context, usual = click.get_current_context(), click.core.ParameterSource.DEFAULT
    is_gate = any(
        context.get_parameter_source(name) != usual
        for name in ("max_drop", "require_better", "config")
    )
    for name in _OF_A_TEST if is_gate else _OF_A_GATE:
        if context.get_parameter_source(name) != usual:
            option = f"--{name.replace('_', '-')}"
            with_gate = "without --max-drop, --require-better and --config"
            raise click.UsageError(
                f"{option} goes {with_gate if is_gate else 'with --max-drop or --config'}"
            )
    judgments: str | None = qrels
    if are_scores:
        if not is_gate:
            raise click.UsageError("--scores goes with --max-drop or --config")
        if run_b is not None:
            raise click.UsageError(
                f"Got unexpected extra argument ({run_b}); --scores has no QRELS"
            )
        judgments, run_a, run_b = None, qrels, run_a
    if (run_a is None or run_b is None) and not (is_gate and run_a is None):
        raise click.UsageError("Missing argument 'RUN_B'; only a gate is planned without runs")
    from rankmark.results.table_options import TableOptions  # noqa: PLC0415

    look = TableOptions(
        notes=options.notes_wanted(is_quiet=quiet, is_verbose=verbose), width=width_of(output)
    )
    with reported_errors():
        files = [one for one in (judgments, run_a, run_b) if one is not None]
        others = [given[name] for name in ("weights", "clusters", "by", "config", "judge")]
        refuse_conflicts([*files, *beside(given), *others], output, queries=queries)
        run = partial(_plan_gate, are_scores=are_scores) if is_gate else _analyse
        result, below = run(files, form, queries, given, look)
        write_result(result, form, output)
        write_notes(form, below)


def _analyse(
    files: list[str], form: Format, queries: str, given: dict[str, Any], look: TableOptions
) -> tuple[str | Result, list[str]]:
    """Return what a test can detect, and notes."""
    from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
    from rankmark.verbs.evaluate.notes import notes, to_show  # noqa: PLC0415
    from rankmark.verbs.power.power_analysis import power as found_power  # noqa: PLC0415
    from rankmark.verbs.power.power_tables import rendered  # noqa: PLC0415

    if given["power"] <= given["level"]:
        raise click.UsageError(
            f"--power is {given['power']:g}, no more than --level; choose a greater one"
        )
    chosen = {name: value for name, value in given.items() if name not in _OF_A_GATE}
    measures, resamples = chosen.pop("measures"), chosen.pop("resamples")
    qrels, run_a, run_b = files
    again = [] if given["judge"] is None else [given["judge"], run_a, run_b]
    with Progress([*files, *again]) as progress:
        found = found_power(
            qrels,
            run_a,
            run_b,
            measures or None,
            progress=progress.update,
            queries=as_queries(queries),
            **({} if resamples is None else {"resamples": resamples}),
            **chosen,
        )
    below = to_show([*found.notes, *notes(list(found.evaluations), look)], look)
    return found if form in TABULAR else rendered(found, form, below, width=look.width), below


def _plan_gate(
    files: list[str],
    form: Format,
    queries: str,
    given: dict[str, Any],
    look: TableOptions,
    *,
    are_scores: bool,
) -> tuple[str | Result, list[str]]:
    """Return what a gate needs, and notes."""
    from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
    from rankmark.verbs.evaluate.notes import to_show  # noqa: PLC0415
    from rankmark.verbs.power.gate_power import gate_power  # noqa: PLC0415
    from rankmark.verbs.power.power_tables import rendered  # noqa: PLC0415

    context, usual = click.get_current_context(), click.core.ParameterSource.DEFAULT
    chosen = {
        name: value
        for name, value in given.items()
        if name not in (*_OF_A_TEST, *_PLANNED, "measures")
        and context.get_parameter_source(name) != usual
    }
    if context.get_parameter_source("queries") != usual:
        chosen["queries"] = as_queries(queries)
    options = {name: given[name] for name in _PLANNED}
    options["lower_is_better"] = options["lower_is_better"] or None
    conditions, shared = asked_conditions(
        given["measures"], options, given["config"], are_scores=are_scores
    )
    chosen |= {**options, **dict.fromkeys(FOR_EACH), **shared}
    chosen["lower_is_better"] = options["lower_is_better"] or ()
    qrels, base, new = (*[None] * are_scores, *files, None, None)[:3]
    with Progress([] if are_scores else files) as progress:
        chosen |= {} if are_scores else {"progress": progress.update}
        found = gate_power(qrels, base, new, *conditions, **chosen)
    below = to_show(found.notes, look)
    if form in TABULAR:
        return found, below
    return rendered(found, form, below, width=look.width), below
