"""``rankmark interleaving`` and ``rankmark interleaving-power``: logs of interleaved lists."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_of, reading
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, numbers_in, own, parsed

NUMBERS = {"metavar": "NUMBER,NUMBER,...", "callback": parsed(numbers_in, "{!r}; need numbers")}


@command_of(
    "clicks.interleaving.compare_interleaved:compare_interleaved",
    ["log"],
    own("method", "teams", "aa", "unit", "credit"),
    further_own("confidence"),
    options.form,
    options.output,
    options.quiet,
    reading,
    credit={"metavar": "COLUMN"},
    teams={"flag": "--team"},
)
def interleaving(call: Call, log: str) -> None:
    """Find which of two rankings users prefer, in a log of lists interleaved of both.

    LOG has a row for each document shown, with the columns query_id, doc, rank, click, user and
    team, the ranking that a click on the document counts for. The lines below the tables show what
    speaks against believing them; where teams are not those of a fair coin, there is no verdict.

    \b
      rankmark interleaving log.parquet
      rankmark interleaving log.csv --credit bought --unit issue
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(call.result(log_of(call, log)))


@command_of(
    "clicks.interleaving.interleaving_power:interleaving_power",
    ["qrels", "run_a", "run_b"],
    own("method", "click", "examination", "k"),
    further_own("power", "level"),
    options.form,
    options.output,
    options.quiet,
    click=NUMBERS,
    examination=NUMBERS,
)
def interleaving_power(call: Call, qrels: str, run_a: str, run_b: str) -> None:
    """Find how many searches interleaving needs to tell two runs apart.

    The labels say what users click: --click has a probability for each label, and --examination one
    for each rank.

    \b
      rankmark interleaving-power qrels.txt old.run new.run
      rankmark interleaving-power qrels.txt old.run new.run --click 0.05,0.4,0.8
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(call.result(qrels, run_a, run_b))
