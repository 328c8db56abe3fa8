"""``rankmark check``: find problems in judgments and runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import WRONG_INPUT, refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.options import beside
from rankmark.commands.parts.publishing import TABULAR, width_of, write_result
from rankmark.results.text_width import REPORT

if TYPE_CHECKING:
    from rankmark.verbs.check.check_report import CheckReport


@command()
@options.qrels
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=click.Path(allow_dash=True))
@options.measures
@options.rel
@options.format_option("text", "json", "csv", "parquet", default="text")
@options.output
@options.quiet
@options.formats
@options.threads
def check(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    output: Path | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    **options: Any,
) -> None:
    """Find problems in judgments and runs before they are evaluated.

    The report begins with a summary: errors, for which `rankmark evaluate` refuses a file, or its
    numbers would be meaningless; warnings, if a number may not be what was meant, those with the
    largest effect on the measures (-m) first; and notes. Counts and distributions of the judgments
    and the runs follow, and the findings in full: where they are, their effect on the measures, and
    what to do. Every line is read. The exit code is 1 if there is an error.

    \b
      rankmark check qrels.txt
      rankmark check qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.check.check import check as check_files  # noqa: PLC0415

        refuse_conflicts([qrels, *runs, *beside(options)], output)
        with Progress([qrels, *runs]) as progress:
            report = check_files(
                qrels, *runs, measures=measures or None, progress=progress.update, **options
            )
        written = _written(report, form, width_of(output) or REPORT)
        write_result(written, form, output)
        if not report.ok:
            sys.exit(WRONG_INPUT)


def _written(report: CheckReport, form: str, width: int) -> str | CheckReport:
    if form in TABULAR:
        return report
    text = report.to_text(width=width) if form == "text" else report.to_json(indent=2)
    return f"{text}\n"
