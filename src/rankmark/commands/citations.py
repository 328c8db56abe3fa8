"""``rankmark nuggets`` and ``rankmark citations``: score answers from tables of judgments."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own

_SCORES = options.MEASURES | {"metavar": "SCORE"}
_SHARE = {"type": click.FloatRange(0, 1)}


@command_of(
    "answers.citations.nuggets:nuggets",
    ["answers"],
    own("gold", "measures", "queries", "empty"),
    further_own("partial", "okay", "failed"),
    options.scores,
    further_own("columns"),
    measures=_SCORES,
    queries=options.SOME_QUERIES,
    partial=_SHARE,
    okay=_SHARE,
    failed=options.FAILED,
    columns={"roles": ("query_id", "nugget", "importance", "support")},
)
def nuggets(call: Call, answers: str, measures: tuple[str, ...], **asked: Any) -> None:
    """Score answers by the nuggets that they support, as TREC RAG and nuggetizer do.

    ANSWERS is a table, CSV, TSV, JSON, JSON Lines as nuggetizer writes it, or Parquet, or - for
    stdin, with the columns query_id, nugget, importance (vital or okay) and support (support,
    partial_support or not_support; empty if there is no answer). No model is called.

    \b
      rankmark nuggets assignments.jsonl
      rankmark nuggets answers.csv --gold nuggets.csv -m strict_vital --per-query
    """  # noqa: D301  (click reads the backspace)
    found = call.result(answers, measures or None)
    call.write_by_query(found, **asked)


@command_of(
    "answers.citations.citations:citations",
    ["answers"],
    own("passages", "measures", "method", "queries", "empty"),
    further_own("at_most_citations", "partial", "failed"),
    options.scores,
    further_own("columns"),
    passages={"type": str, "metavar": "NUMBER|RUN"},
    measures=_SCORES,
    at_most_citations={"type": click.IntRange(min=1), "metavar": "N"},
    queries=options.SOME_QUERIES,
    partial=_SHARE,
    failed=options.FAILED,
    columns={"roles": ("query_id", "sentence", "passage", "support", "together", "without")},
)
def citations(
    call: Call, answers: str, passages: str | None, measures: tuple[str, ...], **asked: Any
) -> None:
    """Score whether the passages that answers cite support their sentences.

    ANSWERS is a table, CSV, TSV, JSON, JSON Lines or Parquet, or - for stdin, with a row for each
    citation: query_id, sentence, passage (empty if the sentence cites none), and support, whether
    the passage alone supports the sentence: full, partial or no. ALCE's scores also need
    together, whether all passages of the sentence support it, and without, whether the others do
    without this one. No model is called.

    \b
      rankmark citations judged.csv
      rankmark citations judged.csv --passages 5 --at-most-citations 3 --per-query
    """  # noqa: D301  (click reads the backspace)
    is_number = passages is not None and passages.isdecimal()
    call.prepare(None if is_number else passages)
    given = int(passages) if passages is not None and is_number else passages
    found = call.result(answers, measures or None, passages=given)
    call.write_by_query(found, **asked)
