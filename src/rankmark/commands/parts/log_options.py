"""What commands that read a log of clicks share."""

from __future__ import annotations

from typing import Any, Final

from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call
from rankmark.commands.parts.verb_options import column_option, options_of

_ROLES = [
    *("query_id", "query", "doc", "rank", "click", "user", "session", "time", "dwell", "variant"),
    *("team", "propensity"),
]
reading: Final = further(
    column_option(
        "column",
        "Name of the column of LOG that contains query_id, query, doc, rank, click, user, session, "
        "time, dwell, variant, team or propensity, if it is not recognised; can be repeated.",
        _ROLES,
    ),
    options_of(
        "clicks.logs.read_log:read_log",
        "first_rank",
        first_rank={"group": "Reading", "type": int},
    ),
)
"""Options of ``read_log``."""


def log_of(call: Call, path: str) -> Any:
    """Read the log of a command, once its files are known to be there."""
    call.prepare()
    from rankmark.clicks.logs.read_log import read_log  # noqa: PLC0415

    given = {name: call.given.pop(name) for name in ("columns", "first_rank")}
    return read_log(path, **given)
