"""``rankmark verify``: compute a recorded result again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import leave_stdout, refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.publishing import TABULAR, width_of, write_result
from rankmark.results.text_width import fitted


@command()
@click.argument("record", type=click.Path())
@options.table_or_json
@options.output
@options.quiet
def verify(
    record: str,
    form: str,
    output: Path | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
) -> None:
    """Compute again the result that --record wrote to RECORD, and show what changed.

    Inputs are compared by their SHA-256, and numbers with those recorded. The exit code is 0 if
    inputs and numbers are the same, 3 if one changed, 1 if the record or an input is missing or
    cannot be read. A different version of rankmark, Python, NumPy or SciPy is shown, but does not
    count as a change as long as the numbers are the same.

    \b
      rankmark gate qrels.txt main.run branch.run --record gate.json
      rankmark verify gate.json
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.verify.verify import inputs_of  # noqa: PLC0415
        from rankmark.verbs.verify.verify import verify as compute_again  # noqa: PLC0415

        # A pipe can be read only once, so an output must not depend on what it says.
        inputs = inputs_of(record) if output is not None and os.path.isfile(record) else []  # noqa: PTH113
        refuse_conflicts([record, *inputs], output)
        with Progress():
            found = compute_again(record)
        is_json = form == "json"
        text = found.to_json(indent=2) if is_json else fitted(str(found), width_of(output))
        try:
            write_result(found if form in TABULAR else text + "\n", form, output)
        except BrokenPipeError:  # the reader has ended, which changes nothing about what moved
            leave_stdout()
        if not found:
            sys.exit(found.exit_code)
