"""``rankmark judges``: how two sets of judgments agree, and what it does to leaderboards."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.tables import names_of_runs
from rankmark.commands.parts.verb_options import (
    column_option,
    further_own,
    numbers_in,
    options_of,
    own,
    parsed,
)
from rankmark.commands.parts.writing import TABULAR, width_of
from rankmark.errors import SchemaError

_LABEL = {"metavar": "LABEL"}


def _as_relabelled(given: tuple[str, ...]) -> dict[float, float] | None:
    """Parse LABEL=LABEL, given any number of times."""
    found: dict[float, float] = {}
    for text in given:
        label, _, meant = text.partition("=")
        try:
            found[float(label)] = float(meant)
        except ValueError:
            raise click.BadParameter(f"{text!r}; need LABEL=LABEL, such as 4=3") from None
    return found or None


@command_of(
    "judges.agreement.compare_judgments:compare_judgments",
    ["people", "model", options.files("[more...]", metavar="[MORE]...")],
    own("runs"),
    further_own("pairs"),
    own("by"),
    options.measure_option(
        "The measure of the runs, such as nDCG@10 or AP(rel=2). [default: nDCG@10]"
    ),
    options.units,
    own("rel", "failed"),
    further_own("labels", "relabel", "missing", "interval", "confidence", "resamples"),
    options.seed,
    own("names"),
    options.per_query,
    options.format_option("table", "json", "csv", "parquet", "markdown", "latex"),
    options.plot("Also write a plot; requires matplotlib."),
    further(
        options_of(
            "judges.agreement.judgment_comparison:plot",
            "kind",
            kind={"flag": "--plot-kind", "group": "Output"},
        )
    ),
    options.closing,
    further(
        options.qrels_format,
        column_option(
            "column",
            "Name of the column that contains query_id, doc_id or label in the judgments, if it is "
            "not recognised; can be repeated.",
            ["query_id", "doc_id", "label"],
        ),
        options.parents,
    ),
    options.threads,
    runs={"multiple": True, "metavar": "RUN"},
    by={"group": "Data", "type": str, "metavar": "FILE|COLUMN"},
    rel=_LABEL | {"flag": ["--rel", "--threshold"]},
    labels={
        "metavar": "0,1,2,3",
        "callback": parsed(numbers_in, "{!r}; need labels, such as 0,1,2,3"),
    },
    relabel={
        "metavar": "LABEL=LABEL",
        "multiple": True,
        "callback": parsed(_as_relabelled),
    },
    failed=_LABEL | {"type": float, "multiple": True},
    missing=_LABEL,
    names={"flag": "--name", "group": "Tables", "multiple": True, "metavar": "FILE=NAME"},
)
def judges(
    call: Call,
    people: str,
    model: str,
    more: tuple[str, ...],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    per_query: bool,
    kind: str,
    by: str | None,
) -> None:
    """Compare human labels with LLM labels, or those of any judges, for the same documents.

    The first line says how far they agree. The tables have kappa, alpha, AC1 and others with
    intervals over queries, what changes with the lowest relevant label, what MODEL says of each
    label of PEOPLE, and how many documents have each pair of labels. With --runs, they also show
    which decisions about systems change.

    \b
      rankmark judges people.txt llm.txt
      rankmark judges people.txt llm.txt --rel 2 --by topics.csv --plot labels.svg
      rankmark judges people.txt llm.txt --runs 'runs/*.run' -m nDCG@10
      rankmark judges people.txt llm-a.txt llm-b.txt --failed -1
    """  # noqa: D301  (click reads the backspace)
    options.one_measure(measures)
    if measures and not runs:
        raise click.UsageError("--measure is for runs; give --runs, too")
    if kind == "systems" and not runs:
        raise click.UsageError("--plot-kind systems is for runs; give --runs, too")
    sets = [people, model, *more]
    called = names_of_runs(sets, names, what=("judge", "FILE"))
    from rankmark.verbs.evaluate.given_runs import paths_of_runs  # noqa: PLC0415

    systems = paths_of_runs(runs)
    slices = by if by is not None and Path(by).exists() else None
    call.prepare(*systems, slices, but=["runs"])
    try:
        found = call.result(
            *sets,
            names=called,
            by=by,
            runs=systems or None,
            measure=measures[0] if measures else "nDCG@10",
            told=sets,
        )
    except SchemaError as error:
        if not error.found.startswith("these are not judgments"):
            raise
        raise click.UsageError(
            f"{error.where} is a run, and all arguments are judgments; give it as --runs "
            f"{error.where}"
        ) from None
    quiet, width = call.quiet, width_of(call.output)
    call.write(
        found,
        rows=found.by_query if per_query and call.form in TABULAR else None,
        json={"per_query": per_query},
        as_text=lambda: found.to_text(per_query=per_query, quiet=quiet, width=width),
        notes=[*found.summary.split("\n"), *found.told_warnings, *found.notes],
        plot=partial(found.plot, kind),
        per_query=per_query,
    )
