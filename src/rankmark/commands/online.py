"""``rankmark online``: what users did."""

from __future__ import annotations

from typing import Any

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_of, log_reading
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import own


@command_of(
    "clicks.online.online:online",
    ["logs..."],
    own("measures", "unit"),
    log_reading,
    options.scores,
    measures=options.MEASURES,
)
def online(
    call: Call, logs: tuple[str, ...], measures: tuple[str, ...], unit: str | None, **asked: Any
) -> None:
    """Measure what users did: clicks, abandonment, satisfied clicks, reformulation, revenue.

    LOGS are files of a log, as for `rankmark log`. Intervals are by user, as what one user does is
    not independent.

    \b
      rankmark online clicks.parquet -m CTR@3 -m ClickRate@10 -m Abandonment
      rankmark online clicks.csv -m "SAT(dwell=60)@10" --per-query
    """  # noqa: D301  (click reads the backspace)
    log = log_of(call, *logs)
    found = call.result(log, *([measures] if measures else []), unit=unit)
    call.write_by_query(found, **asked)
