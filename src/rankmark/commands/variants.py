"""``rankmark variants``: compare the variants of an A/B test."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_reading, logs_of
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


def _shares(_context: Any, _parameter: Any, given: tuple[str, ...]) -> dict[str, float] | None:
    try:
        pairs = [one.rsplit("=", 1) for one in given]
        return {name: float(share) for name, share in pairs} or None
    except ValueError:
        raise click.BadParameter("need VARIANT=SHARE, such as B=0.1") from None


@command_of(
    "clicks.online.compare_variants:compare_variants",
    ["logs..."],
    own("measures", "baseline", "unit", "before", "planned"),
    further_own("mismatch", "confidence"),
    log_reading,
    options.form,
    options.plot("Also write a plot of the differences; requires matplotlib."),
    options.closing,
    measures=options.MEASURES | {"required": True},
    baseline={"required": True},
    planned={"multiple": True, "metavar": "VARIANT=SHARE", "callback": _shares},
)
def variants(
    call: Call, logs: tuple[str, ...], measures: tuple[str, ...], before: str | None
) -> None:
    """Compare variants that users were assigned to by chance, as in an A/B test.

    LOGS are files of a log, as for `rankmark log`, with the columns user and variant. The user is
    the unit. No verdict is given if the numbers of users are not as planned.

    \b
      rankmark variants clicks.parquet --baseline A -m CTR@3 -m ClickRate@10
      rankmark variants clicks.parquet --baseline A -m CTR@3 --before old.parquet
    """  # noqa: D301  (click reads the backspace)
    log, *earlier = logs_of(call, logs, *([[before]] if before else []))
    call.write_shown(call.result(log, measures, before=earlier[0] if earlier else None))
