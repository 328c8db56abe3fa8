"""``rankmark plan-gate``: which queries of a log to judge for a gate, and in which order."""

from __future__ import annotations

from pathlib import Path

import click

from rankmark.commands.gate import CHANGED, asked_conditions
from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own
from rankmark.commands.parts.writing import write_output


@command_of(
    "verbs.gate.plan_gate:plan_gate",
    ["base", "new..."],
    options.measure_option(
        "A measure, such as nDCG@10, or several; can be repeated. [default: nDCG@10]"
    ),
    options.rel,
    options.convention("ties", "depth"),
    options.units,
    own("max_drop", "require_better", "n"),
    further_own(),
    options.table_or_json,
    options.also("to-judge", "the documents to judge, as CSV, in order"),
    options.output,
    options.quiet,
    options.verbose,
    options.lists,
    options.threads,
    n={"flag": "-n", "metavar": "N"},
    max_drop=CHANGED["max_drop"],
    confidence=CHANGED["confidence"],
    by={"metavar": "FILE"},
    clusters=options.CLUSTERS,
    slices=None,
    config={"metavar": "FILE", "type": click.Path()},
)
def plan_gate(
    call: Call,
    base: str,
    new: tuple[str, ...],
    measures: tuple[str, ...],
    config: str | None,
    to_judge: Path | None,
) -> None:
    """Plan which queries of a log to judge, before anything is judged.

    BASE and NEW are runs over the log, such as 5,000 queries of last week. How much a query can
    lose at most follows from its two rankings; those that can lose much are judged first. The plan,
    written with --format json, is given to `rankmark gate --plan`, which decides at any look.

    \b
      rankmark plan-gate old.run new.run --max-drop 0.01 --format json -o p.json
      rankmark gate qrels.txt old.run new.run --plan p.json

    \f
    Several runs in place of NEW are candidates, each with an order of its own.
    """  # noqa: D301  (click reads the backspace)
    call.prepare(config)
    call.leave_defaults()
    found = call.result(
        base,
        new[0] if not new[1:] else dict(zip(new, new, strict=True)),
        *asked_conditions(call, measures, config),
        told=[base, *new],
        config=config,
    )
    if to_judge is not None:
        write_output(found.to_csv(), to_judge)
    call.write_shown(found)
