"""``rankmark verify``: compute a recorded result again."""

from __future__ import annotations

import os

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.writing import width_of
from rankmark.results.text_width import fitted


@command_of(
    "verbs.verify.verify:verify",
    [click.argument("record", type=click.Path())],
    options.table_or_json,
    options.output,
    options.quiet,
)
def verify(call: Call, record: str) -> None:
    """Compute again the result that --record wrote to RECORD, and show what changed.

    Inputs are compared by their SHA-256, and numbers with those recorded. The exit code is 0 if
    inputs and numbers are the same, 3 if one changed, 1 if the record or an input is missing or
    cannot be read. A different version of rankmark, Python, NumPy or SciPy is shown, but does not
    count as a change as long as the numbers are the same.

    \b
      rankmark gate qrels.txt main.run branch.run --record gate.json
      rankmark verify gate.json
    """  # noqa: D301  (click reads the backspace)
    from rankmark.verbs.verify.verify import inputs_of  # noqa: PLC0415

    # A pipe can be read only once, so an output must not depend on what it says.
    is_file = call.output is not None and os.path.isfile(record)  # noqa: PTH113
    call.prepare(*(inputs_of(record) if is_file else []))
    found, width = call.result(record), width_of(call.output)
    call.decide(found, as_text=lambda: fitted(str(found), width))
