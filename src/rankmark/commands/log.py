"""``rankmark log``: what a log of clicks holds, and what may be wrong with it."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import READ_LOG, log_of, log_reading
from rankmark.commands.parts.of_verb import Call, command_of


@command_of(READ_LOG, ["logs..."], log_reading, options.form, options.output, options.quiet)
def log(call: Call, logs: tuple[str, ...]) -> None:
    """Show what a log of clicks holds, and what may be wrong with it.

    LOG is a table, CSV, TSV, JSON, JSON Lines or Parquet, with a row for each document that was
    shown, or for each issue of a query with lists; the queries and events of OpenSearch's user
    behaviour insights (UBI); or a public log, of Yandex, MIND or TREC. Files may be larger than
    memory. The commands that use a log take the same options.

    \b
      rankmark log clicks.parquet
      rankmark log ubi_queries.jsonl ubi_events.jsonl
      rankmark log clicks.csv --column query_id=impression --drop bots
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(log_of(call, *logs))
