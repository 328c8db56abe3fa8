"""Options that several commands take, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from rankmark.conventions import Duplicates, NoRelevant, Precision, Ties

Command = TypeVar("Command", bound=Callable[..., Any])

FILE_FORMATS = ["trec", "msmarco", "beir", "tsv", "csv", "json", "jsonl", "parquet"]
ROW_FORMATS = ["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet"]
QRELS_FORMATS = [*FILE_FORMATS, "prefs", "qrels_jg"]
ROLES = ["query_id", "doc_id", "score", "label", "rank", "subtopic"]
FORMATS = ["table", "json", "jsonl", "csv", "markdown", "latex"]


def complete_measure(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """List the measures whose names begin with what was typed."""
    from rankmark.measures import ALL  # noqa: PLC0415

    return [one.name for one in ALL if one.name.lower().startswith(begun.lower())]


def _as_columns(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str] | None:
    """Turn ROLE=NAME, given any number of times, into what the library takes."""
    columns: dict[str, str] = {}
    for one in given:
        role, equals, name = one.partition("=")
        if not equals or not name or role not in ROLES:
            raise click.BadParameter(f"{one!r}; need ROLE=NAME, ROLE one of {', '.join(ROLES)}")
        if role in columns:
            raise click.BadParameter(f"{role} is given twice")
        columns[role] = name
    return columns or None


def _column_option(name: str, told: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}",
        f"{name.replace('-', '_')}s",
        multiple=True,
        metavar="ROLE=NAME",
        callback=_as_columns,
        help=told,
    )


def _as_aggregates(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> tuple[str, ...]:
    """Check the names before files are read."""
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.scoring.aggregates import as_aggregates  # noqa: PLC0415

    try:
        return () if given is None else as_aggregates(map(str.strip, given.split(",")))
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def measure_option(told: str) -> Callable[[Command], Command]:
    """Declare ``-m``, which may be given several times, with what it says of itself."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        shell_complete=complete_measure,
        help=told,
    )


measures = measure_option(
    "A measure, such as nDCG@10 or AP(rel=2), or several, such as nDCG@1,3,5; may be given several "
    "times. "
    "[default: nDCG@10, AP, RR@10, R@100, P@10, Judged@10]"
)
per_query = click.option("--per-query", is_flag=True, help="A row for each query too.")
form = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How to write the results.",
)
output = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to a file, whole or not at all.",
)
qrels_format = click.option(
    "--qrels-format",
    type=click.Choice(QRELS_FORMATS),
    help="The format of QRELS. [default: what its content is, but for prefs and qrels_jg]",
)
run_format = click.option(
    "--run-format",
    type=click.Choice(FILE_FORMATS),
    help="The format of each RUN. [default: what its content is]",
)
column = _column_option(
    "column",
    "Which column is which, where its name does not tell: query_id, doc_id, score, label or rank; "
    "may be given several times.",
)
qrels_column = _column_option(
    "qrels-column",
    "The same for QRELS alone, where the columns of the runs are named otherwise.",
)
run_column = _column_option("run-column", "The same for each RUN alone.")
aggregates = click.option(
    "--aggregate",
    "aggregates",
    metavar="NAME,NAME,...",
    callback=_as_aggregates,
    help="Rows in place of the mean: mean, median, gmean (geometric, from 0.00001), stdev, min, "
    "max, or a quantile such as q25.",
)
weights = click.option(
    "--weights",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="What each query counts in mean and gmean: lines `qid weight`; goes with --aggregate.",
)
queries = click.option(
    "--queries",
    default="judged",
    show_default=True,
    metavar="judged|both|ID,ID,...|@FILE",
    help="Who is averaged: all judged queries, a missing one counting 0; those in both files; "
    "these ids; or the ids in a file, one a line.",
)
ties = click.option(
    "--ties",
    type=click.Choice(get_args(Ties)),
    default="docid",
    show_default=True,
    help="Order of equal scores: by id, descending (docid, as trec_eval) or ascending (docid-asc, "
    "also called docid-up), or as given (input); rank trusts the rank column; mean "
    "is the expected value over all orders, best and worst are values of the best and the worst "
    "order; error refuses ties.",
)
tie_interval = click.option(
    "--tie-interval",
    is_flag=True,
    help="Show for every measure how far ties alone could move it. [default: where a printed digit "
    "would change]",
)
bounds = click.option(
    "--bounds",
    is_flag=True,
    help="Show what each measure could become if the unjudged documents were judged.",
)
no_relevant = click.option(
    "--no-relevant",
    type=click.Choice(get_args(NoRelevant)),
    default="zero",
    show_default=True,
    help="What a judged query counts in which nothing is relevant; skip leaves it out.",
)
depth = click.option(
    "--depth", type=click.IntRange(min=1), help="Cut rankings at this rank, after sorting."
)
judged_only = click.option(
    "--judged-only", is_flag=True, help="Rank the judged documents alone (condensed lists)."
)
drop_self = click.option(
    "--drop-self",
    is_flag=True,
    help="Rank as if documents whose id is their query's id had not been retrieved.",
)
duplicates = click.option(
    "--duplicates",
    type=click.Choice(get_args(Duplicates)),
    default="error",
    show_default=True,
    help="What becomes of a document that appears twice in one ranking: refused, or its first row "
    "counts, or the one with the best score.",
)
precision = click.option(
    "--precision",
    type=click.Choice(get_args(Precision)),
    default="double",
    show_default=True,
    help="Scores as given, or rounded to single precision first, as trec_eval 9 holds them.",
)
seen = click.option(
    "--seen",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="What each query, or user, had before, as QRELS are written: ranked as if it had not been "
    "retrieved.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="How many threads read files. [default: one a core]",
)


def conventions(command: Command) -> Command:
    """Take the conventions of a whole evaluation."""
    every = (queries, ties, no_relevant, depth, judged_only, drop_self, duplicates, precision, seen)
    for option in reversed(every):  # as decorators that stand below one another
        command = option(command)
    return command


def formats(command: Command) -> Command:
    """Take what files do not tell of themselves."""
    for option in reversed((qrels_format, run_format, column, qrels_column, run_column)):
        command = option(command)
    return command
