"""``rankmark check``: find problems in judgments and runs."""

from __future__ import annotations

import sys

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import WRONG_INPUT
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import own
from rankmark.commands.parts.writing import width_of
from rankmark.results.text_width import REPORT


@command_of(
    "verbs.check.check:check",
    ["qrels", "[runs...]"],
    options.measures,
    options.rel,
    own("corpus"),
    options.format_option("text", "json", "csv", "parquet", default="text"),
    options.output,
    options.quiet,
    options.formats,
    options.threads,
)
def check(call: Call, qrels: str, runs: tuple[str, ...], measures: tuple[str, ...]) -> None:
    """Find problems in judgments and runs before they are evaluated.

    The report begins with a summary: errors, for which `rankmark evaluate` refuses a file, or its
    numbers would be meaningless; warnings, if a number may not be what was meant, those with the
    largest effect on the measures (-m) first; and notes. Counts and distributions of the judgments
    and the runs follow, and the findings in full: where they are, their effect on the measures, and
    what to do. Every line is read. The exit code is 1 if there is an error.

    \b
      rankmark check qrels.txt
      rankmark check qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      rankmark check qrels.txt --corpus corpus.jsonl
    """  # noqa: D301  (click reads the backspace)
    report = call.result(qrels, *runs, measures=measures or None, told=[qrels, *runs])
    call.write(report, width=width_of(call.output) or REPORT, notes=[])
    if not report.ok:
        sys.exit(WRONG_INPUT)
