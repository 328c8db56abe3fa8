"""The options of commands that read a log of clicks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from rankmark.commands.parts.grouped_help import further, together
from rankmark.commands.parts.of_verb import Call
from rankmark.commands.parts.verb_options import options_of

READ_LOG = "clicks.logs.read_log:read_log"
ROLES: Final = (
    *("query_id", "query", "doc", "rank", "click", "user", "session", "time", "dwell", "variant"),
    *("team", "propensity"),
)
_READING: Final = ("format", "columns", "first_rank", "click", "drop", "bot_clicks")
log_reading: Final = together(
    options_of(
        READ_LOG,
        "columns",
        "first_rank",
        "drop",
        columns={"roles": ROLES},
        first_rank={"type": click.IntRange(0, 1)},
        drop={"metavar": "WORD"},
    ),
    further(
        options_of(
            READ_LOG,
            "format",
            "click",
            "bot_clicks",
            format={"flag": "--log-format"},
            click={"metavar": "ACTION"},
        )
    ),
)
"""How a log is read, for the command that is about reading."""
reading: Final = further(log_reading)
"""The same for others."""


def log_of(call: Call, *files: str) -> Any:
    """Read a log as the options say, which the verb of the command does not take."""
    return logs_of(call, files)[0]


def logs_of(call: Call, *several: Sequence[str]) -> list[Any]:
    """Read several logs as the options say."""
    call.prepare()
    from rankmark.clicks.logs.read_log import read_log  # noqa: PLC0415

    given = {name: call.given.pop(name) for name in _READING}
    chosen = {name: value for name, value in given.items() if value != ()}
    return [read_log(*files, **chosen) for files in several]
