"""``rankmark power``: what the queries of two runs can detect, and what a gate needs."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.gate import CHANGED, asked_conditions
from rankmark.commands.gate import VERB as GATE
from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.systems import named_systems, systems_of
from rankmark.commands.parts.verb_options import Verb, further_own, options_of, own
from rankmark.commands.parts.writing import TABULAR, width_of

if TYPE_CHECKING:
    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions

_OF_A_TEST = ("difference", "level", "half_width", "judge", "random")
_PLANNED = [
    name
    for name, one in Verb("verbs.power.gate_power:gate_power").parameters().items()
    if one.is_keyword and name in Verb(GATE).parameters() and name not in {"slices", "config"}
]
_OF_TASK = ("max_drop", "require_better")
_OF_A_GATE = (*_PLANNED, "gain", "config")


def _as_difference(
    _context: click.Context, _parameter: click.Parameter, given: float | None
) -> float | None:
    """Refuse a difference of 0, which no test can find, NaN and infinite numbers."""
    if given is not None and not 0 < abs(given) < math.inf:
        raise click.BadParameter(f"{given:g}; need a finite number other than 0")
    return given


@command_of(
    "verbs.power.power_analysis:power",
    ["qrels", "[run_a]", "[run_b]"],
    named_systems,
    further(
        option(
            "Data",
            "--scores",
            "are_scores",
            is_flag=True,
            help="For a gate: there are no QRELS, and RUN_A and RUN_B are scores by query, as for "
            "`rankmark gate --scores`.",
        )
    ),
    options.asked(
        "A measure, such as nDCG@10, or several; can be repeated. [default: nDCG@10, AP, RR@10, "
        "R@100, P@10, Judged@10]"
    ),
    options.corpus,
    own("difference", "judge"),
    further_own("power", "level", "half_width", "random", "resamples"),
    options.seed,
    options_of(GATE, *_OF_TASK, **CHANGED),
    further(options_of(GATE, *[name for name in _PLANNED if name not in _OF_TASK], **CHANGED)),
    option(
        "Decision",
        "--config",
        metavar="FILE",
        type=click.Path(),
        help="Plan the gate of a TOML file.",
    ),
    option(
        "Decision",
        "--gain",
        type=click.FloatRange(min=0),
        metavar="NUMBER",
        help="For a gate: how much better RUN_B is assumed to be. [default: 0]",
    ),
    options.form,
    options.output,
    options.quiet,
    options.verbose,
    options.formats,
    options.threads,
    difference={"callback": _as_difference, "metavar": "NUMBER"},
    half_width={"metavar": "NUMBER"},
    judge={"metavar": "QRELS"},
    resamples={
        "default": None,
        "help": "Number of draws in each simulation. [default: 10000; 1000 for a gate]",
    },
)
def power(
    call: Call,
    qrels: str,
    run_a: str | None,
    run_b: str | None,
    systems: dict[str, list[str]],
    are_scores: bool,
) -> None:
    """Show which differences these queries can detect, and how many queries a difference needs.

    RUN_A is the baseline. Both runs are files as for `rankmark evaluate`, or - for stdin.

    With --max-drop, --require-better or --config, it plans `rankmark gate` instead: how often the
    gate passes a run that is as good as the baseline, or better by --gain, and how many queries
    each condition, and all of them together, need. Without runs, it says what so many judged
    queries can show at best.

    \b
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10 --difference 0.01
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10 --max-drop 0.02

    \f
    \b
      rankmark power qrels.txt --config gate.toml
      rankmark power people.txt old.run new.run --judge llm.txt
      rankmark power --scores main.json branch.json --max-drop 0.05

    How much the scores of the runs differ from query to query decides what a paired t test can
    find. The answers come from the noncentral t distribution, and from simulations that draw from
    the observed differences, which may be skewed or mostly zero.
    """  # noqa: D301  (click reads the backspace)
    is_gate = any(map(call.is_given, ("max_drop", "require_better", "config")))
    for name in _OF_A_TEST if is_gate else _OF_A_GATE:
        if call.is_given(name):
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
    given = systems_of([run_a, run_b], systems, least=0)
    if len(given.names) > 2:
        raise click.UsageError(f"two runs or systems are needed, and there are {len(given.names)}")
    if len(given.names) == 1 or not (is_gate or given.names):
        raise click.UsageError("Missing argument 'RUN_B'; only a gate is planned without runs")
    call.prepare(*given.files, but=["run_a", "run_b"])
    from rankmark.results.table_options import TableOptions  # noqa: PLC0415

    first = [] if judgments is None else [judgments]
    read = [*first, *given.files]
    files = [*first, *given.given]
    look = TableOptions(notes=call.wanted_notes, width=width_of(call.output))
    plan = partial(_plan_gate, are_scores=are_scores) if is_gate else _analyse
    call.put(*plan(call, files, read, look))


def _analyse(
    call: Call, files: list[Any], read: list[str], look: TableOptions
) -> tuple[str | Result, list[str]]:
    """Return what a test can detect, and notes."""
    given, form = call.given, call.form
    if given["power"] <= given["level"]:
        raise click.UsageError(
            f"--power is {given['power']:g}, no more than --level; choose a greater one"
        )
    from rankmark.verbs.evaluate.notes import notes, to_show  # noqa: PLC0415
    from rankmark.verbs.power.detectable import rendered  # noqa: PLC0415

    call.given = {name: value for name, value in given.items() if name not in _OF_A_GATE}
    measures = call.given.pop("measures")
    if given["resamples"] is None:
        del call.given["resamples"]
    again = [] if given["judge"] is None else [given["judge"], *read[1:]]
    found = call.result(*files, measures or None, told=[*read, *again])
    below = to_show([*found.notes, *notes(list(found.evaluations), look)], look)
    return found if form in TABULAR else rendered(found, form, below, width=look.width), below


def _plan_gate(
    call: Call, files: list[Any], read: list[str], look: TableOptions, *, are_scores: bool
) -> tuple[str | Result, list[str]]:
    """Return what a gate needs, and notes."""
    from rankmark.verbs.evaluate.notes import to_show  # noqa: PLC0415
    from rankmark.verbs.power.detectable import rendered  # noqa: PLC0415
    from rankmark.verbs.power.gate_power import gate_power  # noqa: PLC0415

    measures, config = call.given.pop("measures"), call.given["config"]
    call.leave_defaults()
    conditions = asked_conditions(call, measures, config, are_scores=are_scores)
    systems = (*[None] * are_scores, *files, None, None)[:3]
    told = None if are_scores else read
    found = call.result(*systems, *conditions, verb=gate_power, told=told)
    below = to_show(found.notes, look)
    form = call.form
    return found if form in TABULAR else rendered(found, form, below, width=look.width), below
