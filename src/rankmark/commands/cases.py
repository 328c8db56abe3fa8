"""``rankmark cases``: small rankings with the right values of measures, as JSON."""

from __future__ import annotations

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import own


@command_of(
    "verbs.verify_function.known_cases:known_cases",
    [],
    own("measures"),
    option(
        "Output",
        "--format",
        "form",
        type=click.Choice(["json", "jsonl"]),
        default="json",
        show_default=True,
        help="Output format.",
    ),
    options.output,
    measures=options.MEASURES | {"group": "Measures", "shell_complete": options.complete_measure},
)
def cases(call: Call, measures: tuple[str, ...]) -> None:
    """Write small rankings with the right values of measures, for test suites in any language.

    There are some sixty cases, with tied scores, unjudged documents, labels below 0, nothing
    relevant and nothing retrieved among them; --format jsonl writes one a line.

    \b
      rankmark cases > cases.json
      rankmark cases -m "nDCG(gain=exp2)" -m RR --format jsonl -o cases.jsonl
    """  # noqa: D301  (click reads the backspace)
    from rankmark.results.result import as_json  # noqa: PLC0415
    from rankmark.version import __version__  # noqa: PLC0415

    found = call.result(*([measures] if measures else []))
    document = {"schema": 1, "rankmark": __version__, "cases": found}
    lines = [as_json(document, 2)] if call.form == "json" else map(as_json, found)
    call.put("".join(f"{line}\n" for line in lines), [])
