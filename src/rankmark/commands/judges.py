"""``rankmark judges``: how two sets of judgments agree, and what it does to leaderboards."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import option
from rankmark.commands.parts.of_verb import Call, command_of, own
from rankmark.commands.parts.tables import names_of_runs
from rankmark.commands.parts.writing import TABULAR, width_of

_LABEL = {"type": float, "metavar": "LABEL"}


def _as_relabelled(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[float, float] | None:
    """Parse LABEL=LABEL, given any number of times."""
    found: dict[float, float] = {}
    for text in given:
        label, equals, meant = text.partition("=")
        try:
            found[float(label)] = float(meant) if equals else float("")
        except ValueError:
            raise click.BadParameter(f"{text!r}; need LABEL=LABEL, such as 4=3") from None
    return found or None


def _as_labels(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> list[float] | None:
    """Parse a list of labels."""
    if given is None:
        return None
    try:
        return [float(label) for label in given.split(",")]
    except ValueError:
        raise click.BadParameter(f"{given!r}; need labels, such as 0,1,2,3") from None


@command_of(
    "judges.agreement.compare_judgments:compare_judgments",
    ["people", "model", options.files("[more...]", metavar="[MORE]...")],
    own("runs", "pairs", "by"),
    options.measure_option(
        "The measure of the runs, such as nDCG@10 or AP(rel=2). [default: nDCG@10]"
    ),
    options.units,
    own("rel", "labels", "relabel", "failed", "missing", "interval", "confidence", "resamples"),
    options.seed,
    own("names"),
    options.per_query,
    options.format_option("table", "json", "csv", "parquet", "markdown", "latex"),
    options.plot("Also write a plot; requires matplotlib."),
    option(
        "Output",
        "--plot-kind",
        "kind",
        type=click.Choice(["confusion", "queries", "systems"]),
        default="confusion",
        show_default=True,
        help="What to plot: the table of labels; the mean label of each query by both; or the "
        "score of each of the --runs by both.",
    ),
    options.closing,
    options.qrels_format,
    options.column_option(
        "column",
        "Name of the column that contains query_id, doc_id or label in the judgments, if it is not "
        "recognised; can be repeated.",
        ["query_id", "doc_id", "label"],
    ),
    options.parents,
    options.threads,
    runs={"multiple": True, "metavar": "RUN"},
    by={"group": "Data", "type": str, "metavar": "FILE|COLUMN"},
    rel=_LABEL | {"flag": ["--rel", "--threshold"]},
    labels={"type": str, "metavar": "0,1,2,3", "callback": _as_labels},
    relabel={
        "type": str,
        "metavar": "LABEL=LABEL",
        "multiple": True,
        "callback": _as_relabelled,
        "help": "What MODEL means by a label, if its scale differs from that of PEOPLE.",
    },
    failed=_LABEL
    | {
        "multiple": True,
        "help": "A label of MODEL that stands for none, such as -1 for an answer that could not be "
        "read; these are counted and left out, as empty labels are.",
    },
    missing=_LABEL,
    confidence={"type": options.SHARE},
    resamples={"type": click.IntRange(min=1)},
    names={
        "flag": "--name",
        "group": "Tables",
        "type": str,
        "multiple": True,
        "metavar": "FILE=NAME",
        "help": "Name of a set of judgments in the output. [default: the file without folder and "
        "ending]",
    },
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
    """Compare the labels of PEOPLE and of a MODEL, or of any judges, for the same documents.

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
    found = call.result(
        *sets,
        names=called,
        by=by,
        runs=systems or None,
        measure=measures[0] if measures else "nDCG@10",
        told=sets,
    )
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
