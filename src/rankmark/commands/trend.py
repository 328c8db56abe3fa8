"""``rankmark trend``: follow a measure over records, and find when it changed."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "verbs.trend.trend:trend",
    ["records..."],
    options.measure_option("One measure, such as nDCG@10. [default: the first that is recorded]"),
    own("run", "different"),
    further_own("confidence"),
    options.form,
    options.plot("Also write a plot of the measure by record; requires matplotlib."),
    options.closing,
    run={"type": str, "metavar": "RUN"},
)
def trend(call: Call, records: tuple[str, ...], measures: tuple[str, ...]) -> None:
    """Follow a measure over the records of a system, and find when it changed.

    Each RECORD is a file that --record of `rankmark evaluate`, `compare` or `gate` wrote, or a
    folder of them. They are shown in the order of their commits, or of their dates if one has no
    commit, with the first significant change and the queries that moved.

    \b
      rankmark evaluate qrels.txt new.run -m nDCG@10 --record records/42.json
      rankmark trend records/
      rankmark trend records/*.json -m nDCG@10 --format json
    """  # noqa: D301  (click reads the backspace)
    options.one_measure(measures, "one measure is followed at a time; found {} -m")
    call.write_shown(call.result([*records], *measures))
