"""``rankmark spans``: measure retrieved spans of documents against gold spans."""

from __future__ import annotations

from typing import Any

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own

_ROLES = ("query_id", "doc_id", "start", "end", "score", "rank")


def _measures() -> list[str]:
    from rankmark.measures.spans import ALL  # noqa: PLC0415

    return [each.name for each in ALL]


@command_of(
    "answers.spans.evaluate_spans:evaluate_spans",
    ["gold", "retrieved"],
    own("measures", "chunks", "queries", "empty", "profile"),
    options.scores,
    further_own("columns"),
    measures=options.MEASURES | {"shell_complete": options.completed(_measures)},
    columns={"roles": _ROLES},
)
def spans(call: Call, gold: str, retrieved: str, measures: tuple[str, ...], **asked: Any) -> None:
    """Measure how much of the GOLD spans was RETRIEVED, and how much else.

    Both are tables, CSV, TSV, JSON, JSON Lines or Parquet, with the columns query_id, doc_id, start
    and end, or - for stdin. A span is a half-open interval [start, end) of a document, in
    characters, tokens, bytes or seconds. RETRIEVED is ordered by its column score, rank, or its
    rows. The lines below the table show which queries were averaged, and what was repeated.

    \b
      rankmark spans gold.csv chunks.csv -m SpanRecall@5 -m SpanIoU@5
      rankmark spans gold.csv chunks.csv -m "SpanRecall@tokens(2000)" --per-query
    """  # noqa: D301  (click reads the backspace)
    found = call.result(gold, retrieved, measures or None)
    call.write_by_query(found, **asked)
