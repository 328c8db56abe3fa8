"""``rankmark online-offline``: whether offline differences predicted online ones."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "clicks.online.compare_online_offline:compare_online_offline",
    ["table"],
    own("probability", "confidence"),
    further_own("resamples", "seed", "columns"),
    options.form,
    options.plot("Also write a plot of the correlations; requires matplotlib."),
    options.closing,
    columns={
        "roles": (
            *("experiment", "measure", "offline", "offline_se", "offline_low", "offline_high"),
            *("online", "online_se", "online_low", "online_high"),
        )
    },
)
def online_offline(call: Call, table: str) -> None:
    """Show how well offline differences predicted online ones, in past experiments.

    TABLE has a row for each experiment, or for each experiment and offline measure: CSV, TSV, JSON,
    JSON Lines, Parquet or Arrow, with the columns experiment, measure (if there are several),
    offline, offline_se, online and online_se; or offline_low, offline_high, online_low and
    online_high instead of the errors. It needs at least 8 experiments.

    \b
      rankmark online-offline experiments.csv
      rankmark online-offline experiments.csv --probability 0.9 --format json
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(call.result(table))
