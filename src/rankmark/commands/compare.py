"""``rankmark compare``: compare runs, with tests of their differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from rankmark.commands.parts import options, recording
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option, together
from rankmark.commands.parts.options import as_queries, beside
from rankmark.commands.parts.publishing import TABULAR, write_notes, write_result
from rankmark.commands.parts.tables import named_baseline, table_options, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.commands.parts.progress import Progress
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.evaluate.result_tables import Format

TESTS = ("randomisation", "t", "wilcoxon", "sign", "bootstrap")
CORRECTIONS = ("holm", "hochberg", "bonferroni", "bh", "by", "max-t", "tukey", "none")

_STATISTICS = {
    "baseline": option(
        "Statistics",
        "--baseline",
        metavar="RUN",
        help="The run that every other one is compared with, by path or name. [default: all pairs "
        "of runs are compared]",
    ),
    "test": option(
        "Statistics",
        "--test",
        type=click.Choice(TESTS),
        default="randomisation",
        show_default=True,
        help="The paired test of differences.",
    ),
    "correction": option(
        "Statistics",
        "--correction",
        type=click.Choice(CORRECTIONS),
        default="holm",
        show_default=True,
        help="Correction of p-values for the number of comparisons; tukey is for all pairs of "
        "runs.",
    ),
    "family": option(
        "Statistics",
        "--family",
        type=click.Choice(["measure", "all"]),
        default="measure",
        show_default=True,
        help="Correct for the number of pairs of runs on each measure separately, or on all "
        "measures together.",
    ),
    "interval": option(
        "Statistics",
        "--interval",
        type=click.Choice(["auto", "t", "BCa"]),
        default="auto",
        show_default=True,
        help="Confidence intervals: Student's t, or the BCa bootstrap; auto is t, and Wilson's and "
        "Newcombe's for measures that are 0 or 1 for each query.",
    ),
    "confidence": options.confidence(
        "Confidence of intervals; a difference is significant if its adjusted p is at most 1 "
        "minus this."
    ),
    "resamples": option(
        "Statistics",
        "--resamples",
        type=click.IntRange(min=1),
        help="Number of draws of the randomisation test and the bootstrap. [default: at least "
        "10,000]",
    ),
    "seed": options.seed,
}
STATISTICS = tuple(_STATISTICS)
"""Names of these options, as ``rm.compare`` has them."""

statistics: Final = together(*_STATISTICS.values())
"""The options for tests and intervals."""

query_groups: Final = together(
    options.clusters("Statistics"),
    option(
        "Statistics",
        "--weights",
        metavar="FILE",
        type=click.Path(allow_dash=True),
        help="Weights of the queries in means, intervals and tests: lines `qid weight`.",
    ),
    option(
        "Statistics",
        "--by",
        metavar="FILE|COLUMN",
        type=click.Path(allow_dash=True),
        help="Slices of the queries, in each of which the comparison is repeated: a table with a "
        "header and a row for each query, lines `qid value`, or a column of QRELS.",
    ),
    option(
        "Statistics",
        "--bounds",
        is_flag=True,
        help="Also check whether judging the unjudged documents could reverse a difference.",
    ),
)
"""The options for clusters, weights and slices of queries, and for bounds."""


def _as_tables(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> tuple[str, ...] | None:
    """Parse names of tables, before files are read."""
    if given is None:
        return None
    from rankmark.results.table_options import LatexTable  # noqa: PLC0415

    found = tuple(name.strip() for name in given.split(","))
    for name in found:
        if name not in get_args(LatexTable):
            raise click.BadParameter(f"{name!r}; need any of {', '.join(get_args(LatexTable))}")
    return found


@command()
@options.qrels
@options.runs
@options.seen
@options.measures
@options.cutoffs
@options.rel
@options.conventions
@statistics
@query_groups
@tables
@option(
    "Tables",
    "--tables",
    metavar="means,differences,slices",
    callback=_as_tables,
    help="The tables of LaTeX, each with a label of its own. [default: one, of means; of one "
    "measure with a baseline, with the differences] In csv and parquet, means or differences. "
    "[default: differences]",
)
@options.per_query
@options.form
@options.long
@options.output
@recording.record
@options.quiet
@options.verbose
@options.reading
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    clusters: str | None,
    weights: str | None,
    by: str | None,
    per_query: bool,
    form: Format,
    is_long: bool,
    output: Path | None,
    record: Path | None,
    queries: str,
    **options: Any,
) -> None:
    """Compare runs on the same queries: means with intervals, and tests of their differences.

    QRELS and each RUN are files as for `rankmark evaluate`. Runs are sorted by the first measure.
    With --baseline, or two runs, the table shows for each run its mean and interval, the difference
    (its mean minus that of the baseline, or of the first run), its interval, the relative
    difference, p, the effect size d_z (the mean of the differences divided by their standard
    deviation), and on how many queries the run wins, ties and loses. Otherwise, letters show which
    runs a run is significantly better than. The lines below the table say which test was made and
    what could reverse its results; --verbose adds how intervals were computed. The audit of
    `rankmark evaluate` follows.

    \b
      rankmark compare qrels.txt bm25.run dense.run rerank.run --baseline bm25.run
      rankmark compare qrels.txt *.run -m nDCG@10,AP --format latex > table.tex
      rankmark compare qrels.txt *.run -m nDCG --cutoffs 1..20 --family all
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        read = [qrels, *runs, *beside(options), clusters, weights, by]
        recording.refuse_recording(record, refuse_conflicts(read, output, record, queries=queries))
        if per_query and form not in {"json", "jsonl", *TABULAR}:
            raise click.UsageError("--per-query is for --format json, jsonl, csv and parquet")
        if is_long and not per_query:
            raise click.UsageError("--long is for --per-query; differences have a row each anyway")
        if per_query and form in TABULAR and options["tables"]:
            raise click.UsageError("--tables and --per-query exclude each other; give one of them")
        look = table_options(runs, form, output, options)
        names = list(look.names or ())
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.compare.comparison import rendered  # noqa: PLC0415

        choices = {"clusters": clusters, "weights": weights, "by": by, **options}
        choices["queries"] = as_queries(queries)
        with Progress([qrels, *runs]) as progress:
            found = compared(qrels, runs, names, measures, baseline, choices, progress)
            result, notes = rendered(found, form, look, per_query=per_query, is_long=is_long)
            if record is not None:
                choices |= {"names": names, "measures": found.measures, "baseline": found.baseline}
                choices |= {"seed": found.chosen.seed, "resamples": found.chosen.resamples}
                _record(record, found, qrels, runs, choices)
        write_result(result, form, output, styled=look.styled)
        write_notes(form, notes)


def compared(
    qrels: str,
    runs: Sequence[str],
    names: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    choices: dict[str, Any],
    progress: Progress,
) -> Comparison:
    """Compare runs by these names."""
    from rankmark.verbs.compare.compare import compare as compare_runs  # noqa: PLC0415

    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two runs are called {name!r}; give one of them a --name")
    return compare_runs(
        qrels,
        dict(zip(names, runs, strict=True)),
        measures or None,
        baseline=None if baseline is None else named_baseline(baseline, runs, names),
        progress=progress.update,
        **choices,
    )


def _record(
    path: Path, found: Comparison, qrels: str, runs: Sequence[str], choices: dict[str, Any]
) -> None:
    from rankmark.verbs.compare.recorded import of_comparison  # noqa: PLC0415

    given = {name: value for name, value in choices.items() if name != "rel"}
    recording.write_record(path, "compare", qrels, runs, given, of_comparison(found, runs))
