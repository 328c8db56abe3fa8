"""``rankmark profiles``: list the profiles of other tools, or show one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.writing import TABULAR, write_table
from rankmark.results.text_tables import text
from rankmark.results.text_width import fitted, line_width

if TYPE_CHECKING:
    from rankmark.profiles.profile import Profile
    from rankmark.results.plain_table import Table


@command()
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

        if form in TABULAR:
            write_table(_rows(None if name is None else known(name)), form, None)
            return
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


def _rows(profile: Profile | None) -> Table:
    """Return a row for each profile, or for each name of a measure in one of them."""
    from rankmark.profiles.known import profiles as every  # noqa: PLC0415
    from rankmark.results.plain_table import Table  # noqa: PLC0415
    from rankmark.results.table_schema import columns_of  # noqa: PLC0415

    if profile is None:
        names = ("name", "tool", "version", "summary", "source", "digits")
        return Table(columns_of([{name: getattr(one, name) for name in names} for one in every()]))
    rows = [
        {
            "name": profile.name,
            "their_measure": row.theirs,
            "measures": [*map(str, row.measures)],
            "note": row.note,
        }
        for row in profile.measures
    ]
    return Table(columns_of(rows, "name", "their_measure", "measures", "note"))
