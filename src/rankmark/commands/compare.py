"""``rankmark compare``: compare runs, with tests of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further, option, together
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.systems import Systems, named_systems, pass_score, systems_of
from rankmark.commands.parts.tables import named_baseline, table_options, tables
from rankmark.commands.parts.verb_options import options_of, parsed
from rankmark.commands.parts.writing import TABULAR, refuse_recording, write_record

VERB = "verbs.compare.compare:compare"
_FURTHER = ("correction", "family", "interval", "confidence", "resamples")
STATISTICS: Final = ("baseline", "test", *_FURTHER, "seed")
"""Names of these options, as ``rm.compare`` has them."""

against: Final = options_of(VERB, "baseline", baseline={"metavar": "RUN"})
tests: Final = together(
    options_of(VERB, "test"),
    further(
        options_of(
            VERB,
            *_FURTHER,
            confidence={"type": options.SHARE},
            resamples={"type": click.IntRange(min=1)},
        )
    ),
    options.seed,
)
"""The options for tests and intervals."""
statistics: Final = together(against, tests)

query_groups: Final = further(
    options_of(
        VERB,
        *("clusters", "weights", "draws", "by", "bounds"),
        clusters=options.CLUSTERS,
        by={"metavar": "FILE|COLUMN"},
    )
)
"""The options for clusters, weights, draws and slices of queries, and for bounds."""


def _as_tables(given: str) -> tuple[str, ...]:
    from rankmark.results.table_options import LatexTable  # noqa: PLC0415

    found = tuple(name.strip() for name in given.split(","))
    for name in found:
        if name not in get_args(LatexTable):
            raise click.BadParameter(f"{name!r}; need any of {', '.join(get_args(LatexTable))}")
    return found


@command_of(
    VERB,
    ["qrels", options.files("[runs...]", metavar="RUN...")],
    named_systems,
    options.asked(with_cutoffs=True),
    options.items,
    options.corpus,
    statistics,
    query_groups,
    pass_score,
    tables,
    further(
        option(
            "Tables",
            "--tables",
            metavar="means,differences,slices",
            callback=parsed(_as_tables),
            help="The tables of LaTeX, each with a label of its own. [default: one, of means; of "
            "one measure with a baseline, with the differences] In csv and parquet, means or "
            "differences. [default: differences]",
        )
    ),
    options.by_query,
    options.output,
    options.record,
    options.quiet,
    options.verbose,
    options.reading,
)
def compare(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    systems: dict[str, list[str]],
    measures: tuple[str, ...],
    baseline: str | None,
    per_query: bool,
    is_long: bool,
    record: Path | None,
) -> None:
    """Compare runs on the same queries: means with intervals, and tests of their differences.

    QRELS and each RUN are files as for `rankmark evaluate`. Without --baseline, letters show which
    runs a run is significantly better than; of two runs, the first is the baseline.

    \b
      rankmark compare qrels.txt bm25.run dense.run rerank.run --baseline bm25.run
      rankmark compare qrels.txt *.run -m nDCG@10,AP --format latex > table.tex
      rankmark compare qrels.txt *.run -m nDCG --cutoffs 1..20 --family all

    \f
    Runs are sorted by the first measure. With --baseline, or two runs, the table shows for each run
    its mean and interval, the difference (its mean minus that of the baseline, or of the first
    run), its interval, the relative difference, p, the effect size d_z (the mean of the differences
    divided by their standard deviation), and on how many queries the run wins, ties and loses. The
    lines below the table say which test was made and what could reverse its results; --verbose adds
    how intervals were computed. The audit of `rankmark evaluate` follows.
    """  # noqa: D301  (click reads the backspace)
    given = systems_of(runs, systems)
    call.prepare(*given.files, but=["runs"])
    refuse_recording(record, call.inputs)
    if per_query and call.form not in {"json", "jsonl", *TABULAR}:
        raise click.UsageError("--per-query is for --format json, jsonl, csv and parquet")
    if is_long and not per_query:
        raise click.UsageError("--long is for --per-query; differences have a row each anyway")
    if per_query and call.form in TABULAR and call.given["tables"]:
        raise click.UsageError("--tables and --per-query exclude each other; give one of them")
    look = table_options(given.names, call)
    names = list(look.names or ())
    from rankmark.verbs.compare.comparison import rendered  # noqa: PLC0415
    from rankmark.verbs.compare.recorded import of_comparison  # noqa: PLC0415

    found, result, notes = compared(
        call,
        qrels,
        given,
        names,
        measures,
        baseline,
        then=lambda found: (
            found,
            *rendered(found, call.form, look, per_query=per_query, is_long=is_long),
        ),
    )
    if record is not None:
        choices = {name: given for name, given in call.chosen.items() if name != "rel"}
        asked = [*found.evaluations[names[0]]]
        choices |= {"names": names, "measures": asked, "baseline": found.baseline}
        choices |= {"seed": found.chosen.seed, "resamples": found.chosen.resamples}
        choices |= given.recorded
        computed = of_comparison(found, given.names)
        write_record(record, "compare", qrels, given.files, choices, computed)
    call.put(result, notes, styled=look.styled)


def compared(
    call: Call,
    qrels: str,
    given: Systems,
    names: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    then: Any,
) -> Any:
    """Compare runs by these names, and do what is to be done with the result."""
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two runs are called {name!r}; give one of them a --name")
    return call.result(
        qrels,
        dict(zip(names, given.given, strict=True)),
        measures or None,
        baseline=None if baseline is None else named_baseline(baseline, given.names, names),
        told=[qrels, *given.files],
        then=then,
    )
