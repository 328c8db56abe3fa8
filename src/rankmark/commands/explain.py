"""``rankmark explain``: how a score is computed, and what makes two runs differ."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.options import picture_format
from rankmark.commands.parts.verb_options import further_own, later, options_of, own
from rankmark.commands.parts.writing import width_of, write_picture
from rankmark.results.text_width import REPORT

_CAUSES = "verbs.explain.failure_causes:failure_causes"
_OF_CAUSES = ("corpus", "unwinnable", "by")


@command_of(
    "verbs.explain.explain:explain",
    ["qrels", "runs..."],
    own("query", "against"),
    options.flag(
        "--causes",
        "Say why relevant documents are not among the first k; several RUNs are stages in order.",
        "Data",
    ),
    options.corpus,
    further(options_of(_CAUSES, "by", by={"metavar": "FILE|COLUMN", "group": "Data"})),
    further_own("collection"),
    options.asked("One measure, such as AP(rel=2). [default: nDCG@10]"),
    options.items,
    options.flag("--all-rows", "Show all rows, including those that add nothing."),
    options.format_option("table", "json", "csv", "parquet", "markdown", "html"),
    options.plot(
        "Also write a plot of what each document adds, beside the ideal ranking; requires "
        "matplotlib."
    ),
    options.output,
    options.quiet,
    options.reading,
    query={"metavar": "ID"},
    against={"metavar": "OTHER"},
    collection={"group": "Data", "type": click.IntRange(min=1), "metavar": "N"},
)
def explain(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    query: str | None,
    measures: tuple[str, ...],
    causes: bool,
    all_rows: bool,
) -> None:
    """Explain how a score is computed: what each document adds to it, and the formula.

    QRELS and RUN are files as for `rankmark evaluate`.

    --causes says of all queries why relevant documents are not among the first k of RUN: gone from
    the --corpus, never retrieved, lost between two stages of a pipeline, or below the cutoff.

    --against shows the documents, ranks or queries that make the difference of two runs, and add
    up to it. RUN is the baseline: a difference is OTHER minus RUN, and gains come first.

    \b
      rankmark explain qrels.txt bm25.run --query 301 -m nDCG@10
      rankmark explain qrels.txt bm25.run --query 301 --plot ndcg.svg
      rankmark explain qrels.txt bm25.run --query 301 -m AP --against dense.run
      rankmark explain qrels.txt bm25.run -m AP --against dense.run
      rankmark explain qrels.txt retrieved.run reranked.run --causes

    \f
    The table lists the documents in rank order, with what each adds to the score, the total so far,
    and the labels of the ideal ranking. The counts at the cutoff, the judged documents that were
    not retrieved, and the formula with the numbers of the query follow.
    """  # noqa: D301  (click reads the backspace)
    against, picture = call.given["against"], call.picture
    if causes:
        _write_causes(call, qrels, runs, query, measures, all_rows=all_rows)
        return
    for name in _OF_CAUSES:
        if call.given.pop(name) is not None:
            raise click.UsageError(f"--{name} is for --causes; give both, or none")
    if len(runs) > 1:
        raise click.UsageError("several RUNs are stages, for --causes; name one, or --against")
    if query is None and against is None:
        raise click.UsageError("name a --query, or a run to compare with, --against OTHER")
    if query is None and call.given["collection"] is not None:
        raise click.UsageError("--collection counts the true negatives of a --query; name one")
    options.one_measure(measures, "one measure is explained at a time; found {} -m")
    if picture is not None and against is not None:
        raise click.UsageError("--plot draws the score of one run; leave --against out")
    found = call.result(qrels, *runs, query, *measures, told=1)
    if picture is not None:
        from rankmark.results.explanations.picture import as_picture  # noqa: PLC0415

        write_picture(as_picture(found, picture_format(picture)), picture)
        call.picture = None
    _write(call, found, all_rows=all_rows)


def _write_causes(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    query: str | None,
    measures: tuple[str, ...],
    *,
    all_rows: bool,
) -> None:
    for name, value in {"query": query, "collection": call.given.pop("collection")}.items():
        if value is not None:
            raise click.UsageError(f"--{name} is of one query, and --causes of all; leave one out")
    if call.picture is not None:
        raise click.UsageError("--plot draws the score of one query; leave --plot or --causes out")
    options.one_measure(measures, "a cutoff is that of one measure; found {} -m")
    found = call.result(qrels, [*runs], *measures, verb=later(_CAUSES), told=[qrels, *runs])
    _write(call, found, all_rows=all_rows)


def _write(call: Call, found: Any, *, all_rows: bool) -> None:
    width: dict[str, Any] = (
        {"width": width_of(call.output) or REPORT} if call.form == "table" else {}
    )
    call.write(found, notes=[], all_rows=all_rows, **width)
