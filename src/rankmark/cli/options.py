"""Options that several commands take, in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankmark.conventions import NoRelevant, Ties
from rankmark.report.tables import Format

_CONVENTIONS = "Conventions"
_OUTPUT = "Output"

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="A measure, such as nDCG@10 or AP(rel=2); may be given several times. "
        "[default: nDCG@10, AP, RR@10, R@100, P@10, Judged@10]",
        show_default=False,
    ),
]
PerQuery = Annotated[
    bool, typer.Option("--per-query", help="A row for each query too.", rich_help_panel=_OUTPUT)
]
OutputFormat = Annotated[
    Format, typer.Option("--format", help="How to write it.", rich_help_panel=_OUTPUT)
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Write to a file, whole or not at all.", rich_help_panel=_OUTPUT
    ),
]
AveragedQueries = Annotated[
    str,
    typer.Option(
        "--queries",
        metavar="judged|both|ID,ID,...",
        help="Who is averaged: all judged queries, a missing one counting 0; those in both files; "
        "or these ids.",
        rich_help_panel=_CONVENTIONS,
    ),
]
TieRule = Annotated[
    Ties,
    typer.Option(
        help="Order of equal scores: id down (as trec_eval), id up, as given; rank trusts the rank "
        "column, error refuses ties.",
        rich_help_panel=_CONVENTIONS,
    ),
]
NoRelevantRule = Annotated[
    NoRelevant,
    typer.Option(
        help="What a judged query counts in which nothing is relevant.",
        rich_help_panel=_CONVENTIONS,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        min=1, help="Cut rankings at this rank, after sorting.", rich_help_panel=_CONVENTIONS
    ),
]
JudgedOnly = Annotated[
    bool,
    typer.Option(
        "--judged-only",
        help="Rank the judged documents alone (condensed lists).",
        rich_help_panel=_CONVENTIONS,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="How many threads read files.", show_default="one a core"),
]
