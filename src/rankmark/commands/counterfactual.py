"""``rankmark counterfactual``: what another ranking would have earned, from a log."""

from __future__ import annotations

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_of, reading
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, numbers_in, own, parsed


@command_of(
    "clicks.counterfactual.counterfactual:counterfactual",
    ["log", "[run]"],
    own("target", "method", "examination", "k", "clip", "reward", "unit"),
    further_own("min_effective", "confidence"),
    options.form,
    options.output,
    options.quiet,
    reading,
    target={"metavar": "COLUMN"},
    method={"default": "item-position", "show_default": True, "metavar": "METHOD"},
    examination={
        "metavar": "NUMBER,NUMBER,...",
        "callback": parsed(numbers_in, "{!r}; need numbers, such as 1,0.5,0.3"),
    },
    reward={"metavar": "COLUMN"},
    min_effective={"type": click.FloatRange(min=0)},
)
def counterfactual(call: Call, log: str, run: str | None) -> None:
    """Estimate what another ranking would have earned, from the log of what was shown.

    LOG has a row for each document shown, with the columns query_id, query, doc, rank and click;
    methods but item-position need propensity, too. RUN is the new ranking. The line below the
    table with the effective sample size says how many searches the number really comes from; where
    it is too small, there is no value.

    \b
      rankmark counterfactual log.parquet new.run --examination 1,0.6,0.45,0.38
      rankmark counterfactual random.csv --target probability --method SNIPS
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(call.result(log_of(call, log), run))
