"""``rankmark profiles``: list the profiles of other tools, or show one."""

from __future__ import annotations

import click

from rankmark.cli import options
from rankmark.cli.faults import reported_errors
from rankmark.formatting.text_tables import text
from rankmark.formatting.text_width import fitted, line_width


@click.command(short_help="List the profiles of other tools, or show one.")
@click.argument(
    "name",
    required=False,
    callback=options.known_profile,
    shell_complete=options.complete_profile,
)
@options.table_or_json
def profiles(name: str | None, form: str) -> None:
    """List the profiles of other tools, or show one: its conventions and its measures.

    `rankmark evaluate --profile NAME` computes the numbers of the tool.
    """
    with reported_errors():
        from rankmark.profiles.known import profile as known  # noqa: PLC0415
        from rankmark.profiles.known import profiles as every  # noqa: PLC0415

        if form == "json":
            import json  # noqa: PLC0415

            written = known(name).to_dict() if name else [one.to_dict() for one in every()]
            print(json.dumps(written, indent=2))
            return
        if name is not None:
            print(fitted(str(known(name)), line_width()))
            return
        rows = [(one.name, f"{one.tool} {one.version}: {one.summary}") for one in every()]
        print(text([], rows, 2, width=line_width()))
        print("rankmark profiles NAME shows one.")
